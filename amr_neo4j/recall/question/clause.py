"""A clause of a question, with its words and the people and objects that it names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product

from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import ContentWord, Transition, forms_of

# (object, kind of its state, the state it gets), such as ("fridge", "open", "closed").
Effect = tuple[str, str | None, str]
# A verb is looked up together with the words after it, at most this many in all: "put the two blue mugs down".
MOST_WORDS_TO_PARTICLE = 6
# The thing with a colour is at most this many words after it: "red leather jacket".
MOST_WORDS_TO_THING = 3


@dataclass(frozen=True)
class Synonym:
    """A word of a question with the word that memory uses for it: "mobile", which memory calls "phone".

    guessed: the two may mean different things.
    reported: `thing` is a word in reports of the local analyser, and not an object with a history of its own.
    parted: the word is a compound, and `thing` the words that it is made of, all of which memory has to have.
    """

    word: str
    thing: str
    guessed: bool = False
    reported: bool = False
    parted: bool = False


@dataclass(frozen=True)
class Clause:
    """A clause of a question.

    persons, objects: the identities that it names and memory knows.
    aliases: other identities of these persons.
    language: the language of the text.
    """

    text: str
    words: tuple[ContentWord, ...] = ()
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    language: Language = field(kw_only=True, compare=False, repr=False)

    @cached_property
    def search_terms(self) -> tuple[ContentWord, ...]:
        """The words that are not names of its persons; the names if there are no others."""
        return self._beside_names or self.words

    @cached_property
    def is_specific(self) -> bool:
        """Whether it says more than whom it is about, and so can be searched for. "What was Anna doing" does not."""
        return any(not word.vague for word in self._beside_names)

    @cached_property
    def _beside_names(self) -> tuple[ContentWord, ...]:
        return tuple(word for word in self.words if word.word not in self.name_parts)

    @cached_property
    def name_parts(self) -> frozenset[str]:
        """The words of the names of its persons."""
        return frozenset(part for person_id in self.persons for part in person_id.split("_"))

    @cached_property
    def owners(self) -> frozenset[str]:
        """The words that name the owners of its things: "anna" in "Anna's keys"."""
        return frozenset(
            word for owner, _ in self.language.owned(self.text) for word in self.language.words_of(owner)
        )

    @cached_property
    def doers(self) -> tuple[str, ...]:
        """The persons who may have done it. Owners are left out; empty if the question names another actor."""
        asked = self.language.asking.doer.search(self.text)
        others = {word.word for word in self.words} - self.name_parts
        if asked and asked["doer"].casefold() in others:  # "did the nurse give Ben his tea"
            return ()
        return tuple(who for who in self.persons if self.owners.isdisjoint(who.split("_")))

    @property
    def without_owners(self) -> Clause:
        """The clause without the owners of its things: nobody need tell again whose they are."""
        others = [who for who in self.persons if who not in self.doers]
        parts = {part for who in others for part in who.split("_")} & self.name_parts
        owners = parts if self.owners & parts else frozenset[str]()
        words = tuple(word for word in self.words if word.word not in owners)
        return replace(self, words=words, persons=self.doers if owners else self.persons)

    @property
    def key_phrase(self) -> str:
        """The words for the action and its objects, with particles, in order; the whole text if it has none."""
        specific = {word.word for word in self._beside_names if not word.vague or self._changes_state(word.word)}
        return self.language.gist(self.text, specific) or self.text

    @property
    def text_without_persons(self) -> str:
        """The text without the names of its persons; the whole text if nothing specific would be left."""
        words_of = self.language.words_of
        kept = [word for word in self.text.split() if self.name_parts.isdisjoint(words_of(word))]
        return " ".join(kept) if self.is_specific else self.text

    @cached_property
    def specific_words(self) -> tuple[ContentWord, ...]:
        """The words that are not vague."""
        return tuple(word for word in self.words if not word.vague)

    @cached_property
    def names(self) -> tuple[ContentWord, ...]:
        """The words for objects and persons. An answer must match them."""
        return tuple(word for word in self.specific_words if word.names)

    @cached_property
    def action_words(self) -> tuple[ContentWord, ...]:
        """The words for what is done. Parts of names, such as "Nurse" in "Nurse Femi", are left out."""
        return tuple(word for word in self.specific_words if word.acts and word.word not in self.name_parts)

    @cached_property
    def named_verbs(self) -> tuple[ContentWord, ...]:
        """The words for what is done; if there are none, vague verbs of coming and going, and the one after "who"."""
        asked = self.language.asking.who_did.match(self.text)
        deed = asked["deed"].casefold() if asked else ""
        return self.action_words or tuple(w for w in self.words if w.moves or (w.acts and w.word == deed))

    @cached_property
    def vague_changes(self) -> tuple[ContentWord, ...]:
        """The vague words that say what is done to a thing: "put", "take"."""
        return tuple(w for w in self.words if w.vague and w.acts and self._changes_state(w.word))

    @cached_property
    def verb_forms(self) -> frozenset[str]:
        """The forms of `named_verbs`."""
        return forms_of(self.named_verbs)

    @cached_property
    def other_things(self) -> tuple[frozenset[str], ...]:
        """The things that it names beside its objects and persons, such as the sink in "put the cup into the sink".

        Each is given by its forms together with the forms of words that may mean the same.
        """
        known = {word for name in (*self.objects, *self.persons, *self.aliases) for word in re.split("[ _]", name)}
        others = (word for word in self.names if known.isdisjoint(word.forms) and not word.describes_person)
        return tuple(map(self.language.alike, others))

    @cached_property
    def changes(self) -> tuple[tuple[str, Transition], ...]:
        """(object, what a verb of the clause does to it): "setting down the sugar" places the sugar."""
        words, naming = self.language.words_of(self.text), {word.word for word in self.words if word.names}
        # Any word that is not a noun may be the verb; the words after it may hold its particle.
        tails = [
            " ".join(words[place:][:MOST_WORDS_TO_PARTICLE]) for place, word in enumerate(words) if word not in naming
        ]
        transition = self.language.transition
        found = ((thing, transition(tail, thing)) for tail in tails for thing in self.objects)
        return tuple((thing, change) for thing, change in found if change and change.to_state)

    @cached_property
    def effects(self) -> frozenset[Effect]:
        """The states that `changes` may leave."""
        states_meant = self.language.states_meant
        return frozenset(
            (thing, change.kind, state) for thing, change in self.changes for state in states_meant(change)
        )

    @cached_property
    def colours(self) -> tuple[tuple[ContentWord, ContentWord], ...]:
        """(colour, thing) for each colour that it names: (red, jacket) for "a red leather jacket".

        In "the man in black" the thing is his clothes.
        """
        asking = self.language.asking
        said = {w.word: w for w in self.words if w.word in asking.worn or not (w.moves or w.acts)}
        words = self.language.words_of(self.text)
        found: list[tuple[ContentWord, ContentWord]] = []
        for place, word in enumerate(words):
            if word in said and asking.is_colour(word):
                thing = self._next_thing(words[place + 1 :], said)
                if thing is None and place and asking.before_worn_colour.fullmatch(words[place - 1]):
                    # "The man in black" names a colour and no thing: any garment may have it.
                    thing = ContentWord(asking.all_clothes[0], frozenset(asking.all_clothes))
                found += [(said[word], thing)] if thing else []
        return tuple(found)

    def _next_thing(self, words: Sequence[str], said: Mapping[str, ContentWord]) -> ContentWord | None:
        """Return the thing of the noun phrase that these words begin with: a garment in it, else its last word."""
        thing = None
        for word in words[:MOST_WORDS_TO_THING]:
            if word not in said:
                break
            if not self.language.asking.is_colour(word):
                thing = said[word]
            if word in self.language.asking.worn:
                break
        return thing

    @cached_property
    def actors_on_objects(self) -> frozenset[tuple[str, str]]:
        """(person_id, object) of each action that it may mean: every person with every object."""
        return frozenset(product(self.persons, self.objects))

    def with_synonyms(self, synonyms: Collection[Synonym]) -> Clause:
        """Return the clause with the forms of the synonyms added to its words, and their objects to its objects."""
        words = tuple(chain.from_iterable(_with_synonyms(word, synonyms) for word in self.words))
        own = {word.word for word in self.words}
        # Words of reports ("top") are no objects of memory, so no events can be read by them.
        meant = [synonym.thing for synonym in synonyms if synonym.word in own and not synonym.reported]
        return replace(self, words=words, objects=tuple(dict.fromkeys([*self.objects, *meant])))

    @property
    def with_kin(self) -> Clause:
        """The clause with the related words of its verbs ("sound" for "blow") among their forms."""
        alike = self.language.alike
        words = (replace(word, forms=alike(word)) if word.acts else word for word in self.words)
        return replace(self, words=tuple(words))

    def _changes_state(self, word: str) -> bool:
        change = self.language.transition(word)
        return bool(change and change.to_state)


def _with_synonyms(word: ContentWord, synonyms: Collection[Synonym]) -> list[ContentWord]:
    meant = [synonym for synonym in synonyms if synonym.word == word.word]
    whole = replace(word, forms=word.forms.union(*(each.thing.split() for each in meant if not each.parted)))
    parts = list(chain.from_iterable(each.thing.split() for each in meant if each.parted))
    return [replace(whole, word=part, forms=whole.forms | {part}) for part in parts] or [whole]
