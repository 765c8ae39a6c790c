"""Writes facts as sentences for a prompt, from two tables per language (relation_words.yaml, bullets.yaml)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j import tables
from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import FAVORITE, USUALLY_AT, lasting_relation, people_of, relation_kind
from amr_neo4j.language.relation_words import RelationWords
from amr_neo4j.tables import every

# Relations whose objects are things and roles: "You have a garden", "You are a nurse", "Tu aimes le thé".
_WITH_ARTICLE = frozenset({"has", "owns", "is", "likes", "dislikes"})
_VOWELS = frozenset("aeiouœ")
_APOSTROPHES = "'’"


class AskingTable(BaseModel):
    """Which questions a fact answers (fact_questions/answering.py).

    speaker: words that make a question one about its speaker ("my").
    shared: {a word of `speaker`: the words before which it is not the speaker's}. Nor is it before a first name.
        "Sono un medico" is "I am", "sono i piatti" is "are the".
    user: phrases by which a model calls the user when it searches memory ("the user's"), the longest first.
    aside: words and phrases that introduce or accompany a question and ask for nothing ("can you tell me", "again").
    refuse: a question with one of these is not answered from facts.
    told: words and phrases of questions about what the assistant said or what the user asked ("you said").
    past: words for what was once so.
    earlier: those of a time before another one ("previously").
    renewed: words of statements that something is new or over.
    meant: words of a statement that only corrects another ("I meant").
    within: words that begin a question inside a sentence ("I don't know where my passport is").
    of: words between a thing and its owner ("the house of Tom").
    address: nouns for the speaker's relatives that are used like names: "Mum".
    denying: words that deny.
    who: words that ask for a person by name.
    generic: cues too general to ask for a relation on their own.
    light: words that a question may have beside any others ("kind", "best"; verbs such as "tiene").
    only: {word: the relations that a question with it may ask for}; "favorite" stands for all favourites.
    phrases: {fixed phrase: the relations that it asks for}; a full stop in a phrase stands for the end of the
        question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    speaker: frozenset[str]
    shared: Mapping[str, frozenset[str]] = {}
    user: tuple[str, ...]
    aside: frozenset[str]
    refuse: frozenset[str]
    told: frozenset[str]
    past: frozenset[str]
    earlier: frozenset[str]
    renewed: tuple[str, ...]
    meant: frozenset[str]
    within: frozenset[str]
    of: frozenset[str]
    address: frozenset[str]
    denying: frozenset[str]
    who: frozenset[str]
    generic: frozenset[str]
    light: frozenset[str]
    only: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, tuple[str, ...]]


class BulletTable(tables.Table):
    """bullets.yaml.

    you, other: sentences about the speaker and about others: of a role, of a favourite, and of any relation that has
        none in relation_words.yaml.
    nouns: {thing of the speaker: how facts about it call it}.
    own: how facts call a person or thing of the speaker that has no name of its own.
    yours: {the speaker's word: the one for whom is spoken to}, such as {my: your}.
    quote: the sentence that quotes a turn with its date.
    the: {"m" or "f": the article before a noun of this gender}; empty where the relative stands in the genitive.
    articles: those that a sentence takes over from the turn: "You have a garden", as it was said.
    plural_articles: those of `articles` that show that a thing is plural, where the verb of a sentence goes with it.
    elided: {word of a sentence: how it is written before a vowel}, such as {de: d'}.
    favorite_compound: the prefix in languages that write a favourite as one word ("Lieblings" + "farbe").
    stop: words that find no fact.
    """

    you: Annotated[Mapping[str, str], every(["role", "favorite", "any"])]
    other: Annotated[Mapping[str, str], every(["role", "favorite", "friend_of_you", "any"])]
    things: Mapping[str, str]
    quote: str
    own: str
    yours: Mapping[str, str]
    the: Mapping[str, str] = Field(default_factory=dict[str, str])
    articles: tuple[str, ...]
    plural_articles: frozenset[str] = frozenset()
    elided: Mapping[str, str] = Field(default_factory=dict[str, str])
    favorite_compound: str = ""
    nouns: Mapping[str, str]
    asking: AskingTable
    stop: frozenset[str]


class Topic(BaseModel):
    """asked: words that ask for it.

    said: words of turns about it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asked: tuple[str, ...]
    said: tuple[str, ...]


class TopicTable(tables.Table):
    """topics.yaml."""

    topics: Mapping[str, Topic]


@dataclass(frozen=True)
class Bullets:
    """Writes the sentences of one language, and lists the words by which questions ask for facts.

    topics: those of topics.yaml by name.
    """

    table: BulletTable
    words: RelationWords
    topics: Mapping[str, Topic]

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that never find a fact, because every sentence has them."""
        return self.table.stop

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Words that occur in questions of any kind."""
        return self.interrogatives.union(self.table.asking.speaker, self.table.asking.only)

    @cached_property
    def interrogatives(self) -> frozenset[str]:
        """The function words that do not show what is asked for."""
        return self.table.stop.union(self.table.asking.who, self.table.asking.generic)

    @cached_property
    def cue_words(self) -> frozenset[str]:
        """All words that ask for some relation."""
        return frozenset[str]().union(*self.words.cues.values())

    @cached_property
    def query_words(self) -> frozenset[str]:
        """The words that show the language of a question or a search."""
        topics = chain.from_iterable(topic.asked for topic in self.topics.values())
        user = chain.from_iterable(phrase.split() for phrase in self.asking.user)
        return self.function_words.union(self.cue_words, topics, user)

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """{word for several roles: the roles}. The words for the family stand for all kin."""
        groups = dict(self.words.groups)
        for topic, words in self.topics.items():
            if members := people_of(topic):
                groups |= dict.fromkeys(words.asked, members)
        return groups

    @property
    def joins_favorites(self) -> bool:
        """Whether the language writes a favourite as one word, such as "Lieblingsfarbe"."""
        return bool(self.table.favorite_compound)

    @property
    def asking(self) -> AskingTable:
        """The table that decides which questions a fact answers."""
        return self.table.asking

    def own_cues(self, relation: str) -> tuple[str, ...]:
        """Return the cues that point to this relation alone.

        These are the words of the role ("sister") or of the favourite thing ("colour"); for another relation, its
        cues that are not generic.
        """
        if relation in self.words.labels:
            return (*self.words.labels[relation].split(), *self.group_words(relation))
        if relation.startswith(FAVORITE):
            return tuple(self._thing(relation).split())
        return tuple(word for word in self.cues(relation) if word not in self.table.asking.generic)

    def group_words(self, role: str) -> tuple[str, ...]:
        """Return the words for groups of relatives that include this role: "siblings" for brother."""
        return tuple(word for word, roles in self.groups.items() if role in roles)

    def kind(self, relation: str) -> str:
        """Return the relation's name, or "role" for any role, or "favorite" for any favourite."""
        if relation.startswith(FAVORITE):
            return "favorite"
        return "role" if relation_kind(relation).is_role else relation

    def cues(self, relation: str) -> tuple[str, ...]:
        """Return the words that questions about this relation use."""
        labels, cues = self.words.labels, self.words.cues
        own = cues.get(relation) or cues.get(lasting_relation(relation), ())
        if relation in labels:  # "What is my sister called?" asks for a role with the words for a name
            own = (*cues["name"], *labels[relation].split(), *self.group_words(relation))
        elif relation.startswith(FAVORITE):
            thing = self._thing(relation)
            own = (*cues["likes"], *thing.split(), f"{self.table.favorite_compound}{thing}")
        return (*own, *relation.split("_"))

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations that have words of their own in the table."""
        favorites = (f"{FAVORITE}{thing}" for thing in ("color", *self.table.things))
        momentary = (relation_kind(each).momentary for each in self.words.cues)
        return tuple(dict.fromkeys((*self.words.cues, *filter(None, momentary), *self.words.labels, *favorites)))

    def bullet(self, triple: Triple, said: str = "") -> str:
        """Return the fact as a sentence without a full stop.

        said: the turn that states the fact. Facts are stored in lower case; the turn shows which words have capitals.
        """
        subject, relation, _ = triple
        table = self.table
        names = relation_kind(relation).is_name
        words = self._as_said(triple.object, said, names=names)
        if relation == "friend_of":  # "Eva and your sister are friends"
            words = self._subject(triple.object, said, relation)
        if relation in _WITH_ARTICLE:
            words = self._with_article(words, said)
        kind = self.kind(relation)
        # "Max is a friend of yours" has a sentence of its own, with the speaker as the object.
        if (relation, triple.object) == ("friend_of", SPEAKER):
            kind = "friend_of_you"
        about_speaker = subject == SPEAKER
        sentences, own = (table.you if about_speaker else table.other), ""
        if row := self.words.relations.get(kind):
            if row.many and self._is_plural(words):
                row = row.many
            own = row.you if about_speaker else row.other
            own = row.one if row.one and triple.object == "1" else own
        written = subject if relation == USUALLY_AT else self._subject(subject, said, relation)
        text = self._elided(own or sentences.get(kind, sentences["any"]), written).format(
            subject=written,
            object=words,
            relation=relation.replace("_", " "),
            role=self.words.labels.get(relation, relation),
            noun=self._noun(relation),
            thing=self._thing(relation),
        )
        return text[:1].upper() + text[1:]

    def _is_plural(self, words: str) -> bool:
        """Return whether a thing has a plural article. "Los Ángeles" is a name."""
        first, _, rest = words.partition(" ")
        is_name = first[:1].isupper() and rest[:1].isupper()
        return first.casefold() in self.table.plural_articles and not is_name

    def _elided(self, sentence: str, subject: str) -> str:
        """Return a sentence with the word before its subject as it is written before a vowel: "l'âge d'{subject}"."""
        if _begins_with_vowel(subject):
            for word, short in self.table.elided.items():
                sentence = sentence.replace(f" {word} {{subject}}", f" {short}{{subject}}")
        return sentence

    def _thing(self, relation: str) -> str:
        thing = relation.removeprefix(FAVORITE)
        return self.table.things.get(thing, thing.replace("_", " "))

    def _noun(self, relation: str) -> str:
        """Return the noun of a role without "your": "Mann" for "Dein Mann"."""
        words = self.words.labels.get(relation, relation).split()
        no_nouns = {*self.table.yours.values(), *self.table.articles}
        words = [word for word in words if word.casefold() not in no_nouns]
        known = {word for noun in self.words.nouns.get(relation, ()) for word in noun.split()}
        first = next((place for place, word in enumerate(words) if word.casefold() in known), 0)
        return " ".join(words[first:])

    def _subject(self, subject: str, said: str, relation: str) -> str:
        if relation == "quantity":  # "There are 2 dogs", not "2 your dogs"
            return self._as_said(subject, said, names=False)
        if called := self.words.called.get(subject) or self.table.nouns.get(subject):
            return called
        if subject.partition("'s ")[0] in self._bare_roles:  # "your sister's husband", too
            return self.table.own.format(noun=subject)
        yours = [self.table.yours.get(word, word) for word in subject.split()]
        if yours != subject.split():  # "Mann meiner Schwester": no name, so it gets no capitals of its own
            return self._with_the(" ".join(self._nouns_written.get(word, word) for word in yours))
        return self._as_said(subject, said, names=relation_kind(relation).subject == "PERSON")

    def _with_the(self, phrase: str) -> str:
        """Return a phrase that begins with a word for a person with its article: "der Mann deiner Schwester"."""
        noun = phrase.partition(" ")[0].casefold()
        the = (self.table.the.get(gender, "") for gender, nouns in self.words.genders.items() if noun in nouns)
        article = next(the, "")
        elided = f"{article[:1]}'"
        if elided in self.table.articles and _begins_with_vowel(noun):
            return f"{elided}{phrase}"
        return f"{article} {phrase}".strip()

    @cached_property
    def _nouns_written(self) -> Mapping[str, str]:
        """{word of a role's label in lower case: as it is written}, which for German nouns is with a capital."""
        words = (word for relation in self.words.labels for word in self._noun(relation).split())
        return {word.casefold(): word for word in words}

    @cached_property
    def _bare_roles(self) -> frozenset[str]:
        return frozenset(word for role in self.words.labels.values() for word in role.casefold().split())

    def _with_article(self, words: str, said: str) -> str:
        """Return the words with the article that the turn has before them, if it has one."""
        found = re.search(rf"(?<!\w)({self._articles}) ?{re.escape(words)}(?!\w)", said, re.IGNORECASE)
        if not found:
            return words
        article = found[1].casefold()
        return f"{article}{'' if article[-1] in _APOSTROPHES else ' '}{words}"

    @cached_property
    def _articles(self) -> str:
        # A word needs a space after it, which the pattern allows but does not require, because of "l'".
        return "|".join(
            re.escape(each) if each[-1] in _APOSTROPHES else rf"{each}(?= )" for each in self.table.articles
        )

    def _as_said(self, words: str, said: str, *, names: bool) -> str:
        """Return the words with the capitals of the turn. A name that was typed in lower case gets capitals."""
        # Not \b, because the words may begin or end with a mark.
        found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said, re.IGNORECASE)
        text = found.group() if found else words
        # People also type names in lower case.
        return text.title() if names and text.islower() else text


def _begins_with_vowel(text: str) -> bool:
    return unicodedata.normalize("NFD", text.casefold())[:1] in _VOWELS
