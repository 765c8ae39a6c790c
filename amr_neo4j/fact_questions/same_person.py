"""Tells whether a turn of the user is about the person whom a question asks about. If in doubt, the answer is no.

A turn about somebody else would be the worst answer. `PersonQuestion` has two checks:
- `is_about_the_same` for turns with the words of the question. The person must be named, and nobody else may own the
  thing or do the deed: "my barber's boat is in Fowey" does not answer "Where is my boat?".
- `may_be_about_the_same` for turns that only have a similar meaning. The first person whom the turn mentions must be
  the one asked about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise, permutations
from typing import Literal

from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import is_first_name, language
from amr_neo4j.language.role_phrases import role_spans
from amr_neo4j.language.stems import folded, forms, stems, words_in

# A possessive stands at most this many words before what is possessed: "my blue passport".
_WORDS_AFTER_POSSESSIVE = 2
_WORD = re.compile(r"[^\W_]+")
# A capitalised word within a sentence; longer than "I".
_INNER_NAME = re.compile(r"(?<=[\w,;:’'-][ ])[A-ZÀ-Þ][^\W\d_]+|(?<=[’'-])[A-ZÀ-Þ][^\W\d_]+")
_PUNCTUATION = re.compile(r"[,;:.!?()]")
# The genitive of English, as a word of its own: "Tom's" is "tom", "s".
_GENITIVE = "s"


@dataclass(frozen=True)
class _Person:
    """A person whom a text mentions by a role or a name, at words[start:end].

    called: the roles, or the name; of a relative who is known by name, the role.
    is_former: the role is over: "my ex-husband".
    is_named: it is a name.
    is_inflected: it is a German genitive, "Toms".
    """

    start: int
    end: int
    called: frozenset[str]
    is_former: bool = False
    is_named: bool = False
    is_inflected: bool = False

    @property
    def is_animal(self) -> bool:
        """Whether all its roles are for animals: "my dog"."""
        return not self.is_named and {relation_kind(each).role for each in self.called} == {"pet"}

    @property
    def who(self) -> tuple[frozenset[str], bool]:
        return self.called, self.is_former


@dataclass(frozen=True)
class _Text:
    """A question or a turn: its words, and the persons whom they name.

    kin: {name: role} of the speaker's relatives, by which "Fiona" and "my sister" are the same person.
    """

    text: str
    code: str
    kin: Mapping[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def words(self) -> Sequence[str]:
        return words_in(self.text)

    @cached_property
    def persons(self) -> Sequence[_Person]:
        names = names_in(self.text, self.code, frozenset(self.kin))
        titles = _titles(self.code)
        roles = [
            _Person(start, end, frozenset(roles), self._is_former(start))
            for start, end, roles in role_spans(self.words, self.code)
            # "Mrs Bell" is nobody's wife, but "my sister Ann" is a sister.
            if (self.words[start - 1 : start] and self.words[start - 1] in _words(self.code).possessors)
            or not (self.words[start] in titles and names.keys() & self.words[end : end + 1])
        ]
        within = {at for role in roles for at in range(role.start, role.end)}
        named = [
            _Person(at, at + 1, frozenset((self.kin.get(name, name),)), is_named=True, is_inflected=name != word)
            for at, word in enumerate(self.words)
            if (name := names.get(word)) and at not in within
        ]
        people = [*named, *(role for role in roles if not role.is_animal)]
        # "What pets does Mrs Bell have?" is about Mrs Bell. A pet counts only if nobody else is mentioned, and if the
        # text does not ask for it: "which animals".
        which = language(self.code).bullets.asking.within
        pets = [role for role in roles if which.isdisjoint(self.words[max(0, role.start - 1) : role.start])]
        return sorted(people or pets, key=lambda person: person.start)

    def _is_former(self, at: int) -> bool:
        """Return whether the role at a place is a former one: "my ex husband", and "mein Exmann" in one word."""
        former = tuple(language(self.code).fact_table.former)
        return self.words[at].startswith(former) or (at > 0 and self.words[at - 1] in former)

    @cached_property
    def other_names(self) -> frozenset[str]:
        """The capitalised words inside its sentences that are not persons or titles, in lower case.

        Empty in German, where every noun has a capital.
        """
        if language(self.code).fact_table.capitals_are_nouns:
            return frozenset()
        known = {word for person in self.persons for word in self.words[person.start : person.end]}
        return frozenset(map(str.casefold, _INNER_NAME.findall(self.text))) - known - _titles(self.code)

    @cached_property
    def clauses(self) -> Sequence[int]:
        """The number of the clause that each word stands in. Commas and other marks end clauses."""
        return [at for at, clause in enumerate(_PUNCTUATION.split(self.text)) for _ in words_in(clause)]

    @cached_property
    def starts_lower(self) -> Sequence[bool]:
        return [word[0].islower() for word in _WORD.findall(self.text)]

    @cached_property
    def own(self) -> frozenset[str]:
        """Its words for the speaker: "I", "me", "we", and verbs of theirs where the pronoun is left out."""
        return _words(self.code).speaker.intersection(self.words) | own_verbs_in(self.text, self.code)

    @cached_property
    def taken(self) -> frozenset[int]:
        """The places of all words that are part of a person's role or name."""
        return frozenset(at for person in self.persons for at in range(person.start, person.end))

    @cached_property
    def first_other(self) -> int:
        """The place where it first mentions another person than its speaker; its length if it mentions none."""
        others = [*(person.start for person in self.persons), *self.at(_words(self.code).others)]
        return min(others, default=len(self.words))

    def at(self, words: frozenset[str]) -> list[int]:
        """Return the places of these words, as indexes of `words`."""
        return [at for at, word in enumerate(self.words) if word in words]

    def places(self, wanted: frozenset[str]) -> list[int]:
        """Return the places of words that have one of these forms."""
        own = forms(self.text, self.code)
        return [at for at, word in enumerate(self.words) if not own[word].isdisjoint(wanted)]

    def is_after(self, at: int, possessives: frozenset[str]) -> bool:
        """Return whether a possessive stands close before a place and does not own a person ("my mother keeps")."""
        starts = {person.start for person in self.persons}
        near = range(max(0, at - _WORDS_AFTER_POSSESSIVE), at)
        return any(self.words[place] in possessives and place + 1 not in starts for place in near)

    def things(self, wanted: Sequence[frozenset[str]]) -> list[int]:
        """Return the places of the wanted words, without those that are part of a person's role or name."""
        return [at for at in self.places(frozenset[str]().union(*wanted)) if at not in self.taken]


def names_somebody(text: str, code: str) -> bool:
    """Return whether a text names a person, by a role, a first name or another name."""
    said = _Text(text, code)
    return bool(said.persons or said.other_names)


def is_told_of_speaker(text: str, code: str) -> bool:
    """Return whether the speaker may be the subject of a text: "I came home", "llegué a casa"."""
    table, words = language(code).fact_table, words_in(text)
    leaves_out = table.drops_subject and words[:1] and words[0] not in table.articles
    return bool(leaves_out) or not _first_persons(code).isdisjoint(words) or bool(own_verbs_in(text, code))


@cache
def _first_persons(code: str) -> frozenset[str]:
    return frozenset(word.rstrip("'") for word in language(code).fact_table.reading.first_person)


@lru_cache(maxsize=1000)
def without_persons(text: str, code: str) -> str:
    """Return the words of a text without names and roles: "where does live" for "Where does Ann live?".

    With the name, an embedding of the question would be near to everything that is said about Ann.
    """
    asked = _Text(text, code)
    named, titles = asked.other_names | {_GENITIVE}, _titles(code)
    rest = (
        word
        for at, word in enumerate(asked.words)
        if not (at in asked.taken or word in named or (word in titles and at + 1 in asked.taken))
    )
    return " ".join(rest) or text


def pronouns_of_others(code: str) -> frozenset[str]:
    """Return the pronouns and possessives for other persons: "he", "her"."""
    return _words(code).others


@dataclass(frozen=True)
class PersonQuestion(_Text):
    """A question that is compared with turns.

    wanted: the forms of each of its content words.
    is_own: it is about its speaker.
    """

    wanted: Sequence[frozenset[str]] = ()
    is_own: bool = False

    @cached_property
    def owned(self) -> list[frozenset[str]]:
        """For each thing that the question gives an owner ("my boat", "Tom's boat"): the forms of its word."""
        my = _words(self.code).my

        def is_owned(at: int) -> bool:
            return self.is_after(at, my) or any(_owns(self, one, at) for one in self.persons)

        return [forms for forms in self.wanted if any(map(is_owned, self.places(forms)))]

    @cached_property
    def own_things(self) -> list[frozenset[str]]:
        """The forms of each thing that belongs to the speaker and opens the question: "Where is my key?"."""
        my = _words(self.code).my

        def is_own(at: int) -> bool:
            return at < self.first_other and self.is_after(at, my)

        return [forms for forms in self.wanted if any(map(is_own, self.places(forms)))]

    def is_about_the_same(self, turn: str, subject: str) -> bool:
        """Return whether a turn is about the person whom the question asks about.

        subject: the person whom all facts of the turn are about; empty if that is the speaker or not known.
        """
        said = _Text(turn, self.code, self.kin)
        if (is_same := _is_of_subject(self, said, subject)) is not None:
            return is_same
        if self.persons:
            return _is_of_another(self, said)
        return self.is_own and _is_of_speaker(self, said)

    def may_be_about_the_same(self, turn: str, subject: str = "", before: Sequence[str] = ()) -> bool:
        """Return whether a turn of similar meaning may be about the person whom the question asks about.

        Nobody else may be named before that person, or own the thing asked for. A turn that names nobody is about
        the speaker. If it begins with a pronoun ("she's saving"), it is about the person of an earlier turn.
        subject: as in `is_about_the_same`.
        before: what the user said just before the turn, the latest first.
        """
        said = _Text(turn, self.code, self.kin)
        is_same = _is_of_subject(self, said, subject)
        if is_same or (is_same is False and not self.persons):
            return is_same
        first, things = _first_meant(said), said.things(self.owned)
        is_anothers = any(_is_owned(said, at, names=not self.persons) for at in things)
        if is_anothers or _is_of_own_thing(self, said):
            return not is_anothers
        if not self.other_names <= set(said.words):
            by_pronoun = first == "other" and not said.persons and not self.persons
            return by_pronoun and any(self.other_names <= set(words_in(text)) for text in before)
        earlier = [_Text(text, self.code, self.kin) for text in before]
        # A verb without a subject may be about the person who was mentioned before: "vive en Aranjuez".
        drops_subject = first == "nobody" and language(self.code).fact_table.drops_subject
        if not self.persons:
            goes_on = drops_subject and bool(earlier) and _first_meant(earlier[0]) == "other" and not things
            is_of_speaker = self.is_own and first in ("speaker", "nobody") and not goes_on
            return (is_of_speaker and _words(self.code).others.isdisjoint(self.words)) or bool(self.other_names)
        is_named = bool(said.persons) and _names_first(self, said)
        pronoun = min(said.at(_words(self.code).others), default=len(said.words))
        if is_named or any(person.start < pronoun for person in said.persons):
            return is_named and not _is_of_speaking(self, said, said.things(self.wanted))
        named = next((text for text in earlier if text.persons), None)
        goes_on = first == "other" or bool(subject) or drops_subject
        return (
            goes_on
            and named is not None
            and _names_first(self, named)
            and not _besides(named, _meant_in(named, self))
            and stems(subject, self.code) <= stems(named.text, self.code)
        )


def _is_of_own_thing(asked: PersonQuestion, said: _Text) -> bool:
    """Return whether a question begins with a thing of its speaker, and a turn names that thing before any person.

    "Where is my key?" and "the key is with Mr Osei" are about the same key.
    """
    return min(said.things(asked.own_things), default=said.first_other) < said.first_other


def _is_of_subject(asked: _Text, said: _Text, subject: str) -> bool | None:
    """Return whether a question is about the subject of a turn: "wendy" for "she has a kiln".

    None if the subject decides nothing: there is none, the turn names somebody itself, or both the question and the
    turn are about the speaker ("I have my driving test in May").
    """
    if not subject or said.persons or (not asked.persons and _first_meant(said) == "speaker"):
        return None
    known, words = (
        {person.who for person in _Text(subject, asked.code, asked.kin).persons},
        stems(subject, asked.code),
    )
    meant = [person for person in asked.persons if person.who not in known]
    is_named = all(any(folded(word) in words for word in person.called) for person in meant)
    return is_named and (bool(asked.persons) or set(words_in(subject)) <= set(asked.words))


def _first_meant(said: _Text) -> Literal["speaker", "other", "nobody"]:
    """Return whom a text mentions first: "my boat" mentions the speaker, and "my sister" another person."""
    words = _words(said.code)
    for at, word in enumerate(said.words):
        if at in said.taken or word in words.others:
            return "other"
        if word in said.own or (word in words.my and said.taken.isdisjoint((at + 1, at + 2))):
            return "speaker"
    return "nobody"


def _names_first(asked: _Text, said: _Text) -> bool:
    """Return whether a text names all persons of a question, and nobody else before them or as their owner.

    A pronoun may stand for one of them: "she knits for us all, my uncle got a scarf" may name Gran and the uncle.
    """
    there = _meant_in(said, asked)
    missing = len({person.who for person in asked.persons} - {person.who for person in there})
    by_pronoun = bool(said.at(_words(said.code).others)) and not _is_joined(asked)
    if not there or missing > by_pronoun or any(_is_anothers(said, person, there) for person in there):
        return False
    first = min(person.start for person in there)
    return all(each.start >= first for each in _besides(said, there))


def _meant_in(said: _Text, asked: _Text) -> list[_Person]:
    """Return the persons of a text whom a question names as well."""
    meant = {person.who for person in asked.persons}
    return [person for person in said.persons if person.who in meant]


def _besides(text: _Text, persons: Sequence[_Person]) -> list[_Person]:
    """Return the persons of a text who are none of these."""
    return [
        each for each in text.persons if each not in persons and not any(_is_same(text, each, one) for one in persons)
    ]


def _is_of_speaker(asked: PersonQuestion, said: _Text) -> bool:
    """Return whether a turn is about its speaker: the thing asked for is "my boat", or "I" do what is asked."""
    words = _words(asked.code)
    if not words.others.isdisjoint(asked.words):
        return False
    things = said.things(asked.wanted)
    if any(
        said.is_after(at, words.my) and at < said.first_other and said.words[at + 1 : at + 2] != [_GENITIVE]
        for at in said.things(asked.owned)
    ):
        return True
    # Somebody who is named after the thing does not own it: "I have a boat, the Pearl".
    if said.first_other < max(things, default=len(said.words)) or any(
        _is_owned(said, at, names=True) for at in things
    ):
        return False
    first = min(things, default=len(said.words))
    return bool(said.own) and words.my.isdisjoint(said.words[:first])


def _is_of_another(asked: PersonQuestion, said: _Text) -> bool:
    """Return whether a turn is about the other persons whom a question names.

    One of them must own the thing asked for ("Tom's teacher", "the boat of my uncle"), or the turn must mention
    nobody else.
    """
    words = _words(asked.code)
    alike = _meant_in(said, asked)
    there = [person for person in alike if not _is_anothers(said, person, alike)]
    if {person.who for person in asked.persons} - {person.who for person in there} or _is_joined(asked) != _is_joined(
        said, there
    ):
        return False
    things = said.things(asked.wanted)
    if any(_owns(said, person, at) for person in there for at in things):
        return True
    first = min(person.start for person in there)
    others = _besides(said, there)
    if not language(asked.code).bullets.asking.who.isdisjoint(asked.words):
        others = [each for each in others if not each.is_named]
    # A name after the thing asked for may be a place: "a farm in Devon".
    others = [each for each in others if each.start < max(things, default=first)]
    if others or _is_of_speaking(asked, said, things):
        return False
    return not any(
        said.is_after(at, words.my)
        or _is_owned(said, at, names=False)
        or (at < first and said.is_after(at, words.others))
        for at in things
    )


def _is_of_speaking(asked: _Text, said: _Text, things: Sequence[int]) -> bool:
    """Return whether a turn links the thing asked for to its speaker, although the question is not about the speaker.

    That is so if both stand in one clause: "I saw the play with Kate" says nothing about Kate's play.
    """
    speaking = {said.clauses[at] for at in said.at(said.own)}
    starts = {person.start for person in asked.persons}
    is_of_speaker = asked.own or any(at + 1 not in starts for at in asked.at(_words(asked.code).my))
    return not is_of_speaker and not speaking.isdisjoint(said.clauses[at] for at in things)


def _is_joined(text: _Text, persons: Sequence[_Person] | None = None) -> bool:
    """Return whether a text mentions a person by another one: "Tom's teacher", "la maestra de Tom"."""
    found = text.persons if persons is None else persons
    return any(_owns(text, one, other.start) for one, other in permutations(found, 2))


def _owns(text: _Text, person: _Person, at: int) -> bool:
    """Return whether a person owns the thing at a place: "Tom's kiln", "Toms Ofen", "el horno de mi tío Tom"."""
    words = text.words
    before = words[person.end : at]
    if words[person.end : person.end + 1] == [_GENITIVE] and person.end < at <= person.end + _WORDS_AFTER_POSSESSIVE:
        return True
    # "Toms Ofen": the genitive is part of the word.
    if person.is_inflected and person.end <= at < person.end + _WORDS_AFTER_POSSESSIVE and not before[1:]:
        return True
    between = words[at + 1 : person.start]
    possessives = _words(text.code)
    of = language(text.code).bullets.asking.of
    is_of = not of.isdisjoint(between[:1]) or not possessives.my.isdisjoint(between[:1])
    roles = {each for other in text.persons for each in words[other.start : other.end]}
    return (
        is_of
        and len(between) <= 1 + _WORDS_AFTER_POSSESSIVE
        and all(word in possessives.my or word in roles for word in between[1:])
    )


def _is_owned(text: _Text, at: int, *, names: bool) -> bool:
    """Return whether anybody owns the thing at a place: "the barber's boat", "the boat of the barber".

    names: if True, a word with a capital counts as an owner too, although it may be a place ("the house of Fife").
    """
    words, possessives = text.words, _words(text.code)
    if any(
        words[place] == _GENITIVE and words[place - 1] not in possessives.contracted
        for place in range(max(1, at - _WORDS_AFTER_POSSESSIVE), at)
    ):
        return True
    following = words[at + 1 : at + 3]
    if not following:
        return False
    if following[0] in possessives.my:  # "das Boot meines Friseurs"
        return language(text.code).fact_table.capitals_are_nouns
    if len(following) < 2 or following[0] not in language(text.code).bullets.asking.of:
        return False
    is_article = language(text.code).fact_table.capitals_are_nouns and following[0] in possessives.articles
    is_person = any(person.start == at + 2 for person in text.persons)
    return names or is_article or is_person or text.starts_lower[at + 2]


def _is_anothers(text: _Text, person: _Person, meant: Sequence[_Person]) -> bool:
    """Return whether a role is that of somebody else's relative: "his sister", "the sister of my friend".

    meant: the persons of the text whom the question names as well.
    """
    if person.is_named or any(_owns(text, each, person.start) for each in meant if each is not person):
        return False
    before = text.words[max(0, person.start - 1) : person.start]
    if not _words(text.code).my.isdisjoint(before):
        return False
    is_owned = any(_owns(text, each, person.start) for each in text.persons if each is not person)
    is_owned = is_owned or _is_owned(text, person.end - 1, names=True)
    return is_owned or not _words(text.code).possessive_others.isdisjoint(before)


def _is_same(text: _Text, one: _Person, other: _Person) -> bool:
    """Return whether a role and a name stand side by side and mean one person: "my ex, Dominic"."""
    if one.is_named == other.is_named:
        return False
    first, second = sorted((one, other), key=lambda person: person.start)
    words = _words(text.code)
    between = words.my | words.articles | _titles(text.code)
    return all(word in between for word in text.words[first.end : second.start])


@dataclass(frozen=True)
class _Words:
    """Words for persons in one language.

    speaker: "I", "me", "we".
    my: "my", "our".
    others: "he", "her", "their".
    possessive_others: "her", "their".
    possessors: "my", "her", and the genitive 's.
    contracted: words before an 's that is no genitive ("it's").
    """

    speaker: frozenset[str]
    my: frozenset[str]
    others: frozenset[str]
    possessive_others: frozenset[str]
    possessors: frozenset[str]
    contracted: frozenset[str]
    articles: frozenset[str]


@cache
def _words(code: str) -> _Words:
    own, rules = language(code), language(code).fact_table
    articles = frozenset(rules.articles).union(rules.object_pronouns)
    my = frozenset(word for word in rules.possessives if " " not in word) - frozenset(rules.speaker)
    of_persons = [words for gender, words in rules.others.items() if gender != "n"]
    pronouns = [word for words in of_persons for word in words]
    others = frozenset(word for word in (*pronouns, *rules.other_possessives) if " " not in word) - articles
    asking = own.bullets.asking
    contracted = frozenset((*rules.speaker, *pronouns, "it", "that", *asking.within, *asking.who))
    possessive_others = frozenset(rules.other_possessives) | {_GENITIVE}
    return _Words(
        speaker=asking.speaker - my,
        my=my,
        others=others,
        possessive_others=possessive_others,
        possessors=possessive_others | my,
        contracted=contracted,
        articles=articles,
    )


@lru_cache(maxsize=10_000)
def names_in(text: str, code: str, known: frozenset[str] = frozenset()) -> Mapping[str, str]:
    """Return {word: first name} of the first names in a text, and of the words after a title ("Mrs Pugh").

    A first name needs its capital, unless the text has no capitals at all; in such a text, function words like "can"
    are no names. The word may be a German genitive ("Toms").
    known: names beside the first names that a list has.
    """
    own = language(code)
    table = own.fact_table
    is_lower = text == text.casefold()
    no_names = set(own.bullets.function_words) if is_lower else set[str]()
    titled = (name for title, name in pairwise(_WORD.findall(text)) if title.casefold() in _titles(code))
    found = {
        name.casefold(): name.casefold()
        for name in titled
        if len(name) > 1 and name.casefold() not in no_names and (is_lower or name[0].isupper())
    }
    if own.answers and table.capitals_are_nouns:  # "Ende August"
        no_names.update(map(str.casefold, own.answers.months))
    for word in _WORD.findall(text):
        name = word.casefold()
        if len(name) < 2 or name in no_names or not (is_lower or word[0].isupper()):
            continue
        if name in known or is_first_name(name):
            found[name] = name
            continue
        nominative = name.removesuffix("s")
        if table.capitals_are_nouns and (nominative in known or is_first_name(nominative)):
            found[name] = nominative
    return found


@cache
def _titles(code: str) -> frozenset[str]:
    return frozenset(word.rstrip(".") for word in language(code).fact_table.macros.get("title", ()))


@lru_cache(maxsize=10_000)
def own_verbs_in(text: str, code: str) -> frozenset[str]:
    """Return the verbs of a text that only its speaker can be the subject of, where the pronoun is left out: "elegí".

    They are the verbs of the rules, and words with an ending of such verbs. Nouns may have the ending, too: what
    stands after an article, a possessive or a preposition is no verb. The ending of the present ("abro") needs more:
    an article, a preposition or the end after it, and before it a word such as "where" or "not", or "which" with its
    noun.
    """
    table = language(code).fact_table
    if not table.drops_subject:
        return frozenset()
    nouns, joints, closed = _neighbours(code)
    auxiliaries = table.word_classes["auxiliary"]  # "avevo"
    known, found = _own_verbs(code), set[str]()
    for clause in _PUNCTUATION.split(text):
        words = ["", "", *words_in(clause), ""]
        for first, before, word, behind in zip(words, words[1:], words[2:], words[3:], strict=False):
            is_free = before not in nouns and (word not in closed or word in auxiliaries)
            is_joined = before in joints or (first and first in joints and before not in closed)
            is_present = word.endswith(table.own_present) and is_joined and behind in nouns | {""}
            if word in known or (is_free and (word.endswith(table.own_endings) or is_present)):
                found.add(word)
    return frozenset(found)


@cache
def _neighbours(code: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return (words before nouns, words before a verb whose subject is left out, words that are not verbs)."""
    table, bullets = language(code).fact_table, language(code).bullets
    classes = {name: frozenset(words) for name, words in table.word_classes.items()}
    clitics = classes["clitic"]
    nouns = classes["preposition"].union(table.articles, table.possessives, table.other_possessives) - clitics
    asking = bullets.asking
    joints = asking.within.union(asking.denying, clitics, classes["relative"], classes["subordinator"], [""]) - nouns
    closed = bullets.function_words.union(table.stopwords, asking.within, asking.generic, *classes.values())
    return nouns, joints, closed


@cache
def _own_verbs(code: str) -> frozenset[str]:
    """Return the verb forms of the rules that can only mean "I": "vivo"."""
    rules = language(code).fact_table.rules
    own = (form for rule in rules for form in rule.speaker)
    others = {form for rule in rules for form in rule.other}
    return frozenset(form for form in own if form.isalpha()) - others
