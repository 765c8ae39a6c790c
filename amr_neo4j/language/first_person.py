"""Finds whoever tells a caption in it: as the one who acts, or as somebody whom it concerns."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, takewhile

from pydantic import Field

from amr_neo4j.tables import Table

_QUOTED = re.compile(r"[“\"«„].*?[”\"»“]")
# "J'arrose" is two words, "aujourd'hui" is none with a pronoun.
_WORD = re.compile(r"[^\W\d_]+['’]?")
# "Hüte" are more than one "Hut".
_WITHOUT_UMLAUTS = str.maketrans("äöü", "aou")
# Words of English alone, where "I" is an article of the other language.
_ENGLISH = frozenset({"the", "my", "with", "of", "and"})


class FirstPersonTable(Table):
    """first_person.yaml. The comments in the file explain its keys."""

    subjects: frozenset[str]
    named: frozenset[str]
    concerned: frozenset[str]
    joins: tuple[str, ...]
    before: frozenset[str] = frozenset()
    clitics: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    endings: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    before_things: frozenset[str] = frozenset()
    perfects: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    prepositions: frozenset[str] = frozenset()
    before_nouns: frozenset[str] = frozenset()
    before_verbs: frozenset[str] = frozenset()
    no_verbs: frozenset[str] = frozenset()
    nouns_too: frozenset[str] = frozenset()
    behind_verbs: frozenset[str] = frozenset()
    thinks: frozenset[str] = frozenset()
    clauses: frozenset[str] = frozenset()
    inflected: tuple[str, ...] = ()
    read_as: dict[str, str] = Field(default_factory=dict[str, str])
    endings_of_two: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    forms_of_two: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    of_others: frozenset[str] = frozenset()
    with_others: dict[str, str] = Field(default_factory=dict[str, str])


class FirstPerson:
    """The first person of one language."""

    def __init__(
        self,
        table: FirstPersonTable,
        kinds: Callable[[str], frozenset[str]] = lambda word: frozenset(),
        english: FirstPerson | None = None,
    ) -> None:
        """kinds: returns what a word is: "verb" of a base form, "noun", "adjective"; none of an unknown word.

        english: of English, in which analyses may be written, too; None for English itself.
        """
        self._table = table
        self._kinds = kinds
        self._english = english

    def is_name(self, words: str) -> bool:
        """Return whether words for a person, such as those of a listed actor, are "I" or "me"."""
        in_english = self._english is not None and self._english.is_name(words)
        return in_english or words.strip().casefold() in self._table.named

    def concerns(self, text: str) -> bool:
        """Return whether a text says "I", "me" or "my" outside what it quotes, or has a verb that says it."""
        said = self._table.subjects | self._table.concerned
        english = self._english_for(text)
        is_said = any(not said.isdisjoint(clause) for clause in self._clauses(text))
        return is_said or self.acts(text) or (english is not None and english.concerns(text))

    def acts(self, text: str) -> bool:
        """Return whether whoever tells a text acts in one of its clauses.

        It is one that begins with "I", with a verb that means it alone ("riego"), or with a word such as "now" before
        these. "Anna asks if I want coffee" is none.
        """
        english = self._english_for(text)
        return any(map(self._is_own, self._clauses(text))) or (english is not None and english.acts(text))

    def _english_for(self, text: str) -> FirstPerson | None:
        """Return what reads a text that may be English in a group of another language: "I bambini" is Italian."""
        is_told = "i" not in self._table.before_things or not _ENGLISH.isdisjoint(text.casefold().split())
        return self._english if is_told else None

    def _clauses(self, text: str) -> Iterator[list[str]]:
        for clause in self._ends.split(_QUOTED.sub(" ", text)):
            yield [word.replace("’", "'") for word in _WORD.findall(clause.casefold())]

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        joins = "|".join(map(re.escape, sorted(self._table.joins, key=len, reverse=True)))
        return re.compile(rf"[.,;:!?…()–—]|\b(?:{joins})\b", re.IGNORECASE)

    def with_subject(self, question: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """Return the words of a question with "I" or "we" before each verb that means it: "cuántas veces yo regar".

        The verb is read as its base form. Second, {word as it is read: word as typed}, with a blank for the pronoun.
        """
        if not self._table.before_nouns:
            return list(question), {}
        found, typed = list[str](), dict[str, str]()
        for clause in self._clauses_of(question):
            words = [word.casefold() for word in clause]
            place = self._place_of_verb(clause, words)
            if place is None:
                found += clause
                continue
            verb = self._read_as(words[place])
            typed |= {verb: clause[place]}
            subject = self._table.with_others.get(verb) or next(iter(self._table.subjects))
            # "Non lo metto": the pronoun stands before all of it.
            beside = takewhile(self._is_beside, reversed(words[:place]))
            at = place - len(list(beside))
            pronoun = [subject] if subject not in words else []
            typed |= dict.fromkeys(pronoun, " ")
            # The first word of a question has a capital, which it loses after the pronoun.
            before = words[at:place] if not at else clause[at:place]
            found += [*clause[:at], *pronoun, *before, verb, *clause[place + 1 :]]
        return found, typed

    def subject_of(self, verb: str) -> str:
        """Return "I" for a verb that means it alone, where questions leave it out; empty for any other word."""
        is_own = bool(self._table.before_nouns) and self._is_verb(verb.casefold())
        return next(iter(self._table.subjects)) if is_own else ""

    def may_act(self, question: Sequence[str], names: Collection[str]) -> bool:
        """Return whether a clause of a question has a verb of the first or the third person, and no subject.

        names: known ones, in lower case. Other words with a capital are names, too.
        """
        return any(self._is_of_two(clause, names) for clause in self._clauses_of(question))

    def _is_of_two(self, clause: Sequence[str], names: Collection[str]) -> bool:
        table, words = self._table, [word.casefold() for word in clause]
        named = any(
            (word.casefold() in names or (before and word[0].isupper())) and before not in table.before_nouns
            for before, word in zip(["", *words], clause, strict=False)
        )
        is_form = any(
            following.endswith(table.forms_of_two.get(word, ())) or self._has_base(word, table.endings_of_two)
            for word, following in pairwise([*words, ""])
        )
        return is_form and not named and (table.of_others | table.subjects).isdisjoint(words)

    def _clauses_of(self, question: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the clauses of a question: "con quién hablé", "cuando regué la albahaca"."""
        begins = self._table.before_verbs.union(self._table.joins)
        places = [place for place, word in enumerate(question) if place and word.casefold() in begins]
        yield from (question[start:end] for start, end in pairwise([0, *places, len(question)]))

    def _place_of_verb(self, clause: Sequence[str], words: Sequence[str]) -> int | None:
        """Return the place of the verb that means "I" or "we" in a clause of a question. words: in lower case."""
        before = ""
        for place, word in enumerate(words):
            is_name = place and clause[place][0].isupper()
            if word in self._table.with_others:
                return place
            if not is_name and self._is_verb_asked(word, before, words[place:]):
                return place
            # "Sono già presi" is "sono presi".
            before = before if before and word in self._table.before else word
        return None

    def _is_beside(self, word: str) -> bool:
        # "Ora" is an hour in "a che ora".
        return word in self._table.clitics or (word in self._table.before and "noun" not in self._kinds(word))

    def _read_as(self, verb: str) -> str:
        """Return the base form of a verb that means "I" alone, or the form that is known; else the verb."""
        if verb in self._verbs:
            return self._table.read_as.get(verb, verb)
        bases = (base for base in _bases(verb, self._table.endings) if "verb" in self._kinds(base))
        return next(bases, verb)

    def _is_verb_asked(self, word: str, before: str, words: Sequence[str]) -> bool:
        """Return whether a word of a question is a verb that means "I" alone. words: from this word on."""
        table = self._table
        # "¿Qué trabajo tiene?" asks for a noun, "¿dónde trabajo?" for what I do.
        may_be_noun = self._kinds(word) - {"verb"} and before not in table.before_verbs | table.clitics | {""}
        is_other = may_be_noun or word in table.prepositions or before in table.before_nouns - table.clitics
        # What "creo que" and "quiero saber cuántas veces" ask is in the clause behind.
        is_frame = word in table.thinks and not table.clauses.isdisjoint(words[1:3])
        return not (is_other or is_frame) and self._is_own_verb(words)

    def _is_own(self, clause: Sequence[str]) -> bool:
        table = self._table
        # "In der Küche gieße ich": the verb before the pronoun has its form.
        inverted = any(
            word in table.subjects and self._is_verb(clause[place - 1]) for place, word in enumerate(clause) if place
        )
        rest = list(clause)
        while rest and rest[0] in table.before | table.clitics:
            del rest[0]
        return bool(rest) and (rest[0] in table.subjects or inverted or self._is_told_verb(rest))

    def _is_told_verb(self, words: Sequence[str]) -> bool:
        """Return whether a clause begins with a verb that means the first person alone.

        "Saludo a Ben" does, but neither "Saludo de Ben", "Leere Tassen stehen da" nor "Fische schwimmen".
        """
        table, first = self._table, words[0]
        may_be_noun = first in table.nouns_too or (first not in self._verbs and self._is_inflected(first))
        is_noun = may_be_noun and (words[1] if words[1:] else "") not in table.before_things | table.behind_verbs
        return not is_noun and self._is_own_verb(words)

    def _is_inflected(self, word: str) -> bool:
        """Return whether a word may be a noun or an adjective with an ending: "fische", "hüte", "leere"."""
        stems = [word.removesuffix(ending) for ending in self._table.inflected if word.endswith(ending)]
        bases = [*stems, *(stem.translate(_WITHOUT_UMLAUTS) for stem in stems)]
        return any(self._kinds(base) - {"verb"} for base in bases)

    def _is_own_verb(self, words: Sequence[str]) -> bool:
        """Return whether the first of some words is a verb that means the first person alone."""
        first, following = words[0], words[1] if words[1:] else ""
        if first in self._verbs or following.endswith(self._table.perfects.get(first, ())):
            return True
        # "Suche den Schlüssel", but not "Suche im Keller".
        is_other = bool(self._kinds(first) - {"verb"}) and following not in self._table.before_things
        return self._is_verb(first) and not is_other

    def _is_verb(self, word: str) -> bool:
        """Return whether a word is a form of a known verb that means the first person alone."""
        table = self._table
        return word in self._verbs or (word not in table.no_verbs and self._has_base(word, table.endings))

    def _has_base(self, word: str, endings: Mapping[str, Sequence[str]]) -> bool:
        return any("verb" in self._kinds(base) for base in _bases(word, endings))

    @cached_property
    def _verbs(self) -> frozenset[str]:
        """Forms of verbs that mean the first person alone, whose base forms the endings do not tell."""
        return self._table.verbs.union(self._table.read_as)


def _bases(word: str, endings: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the possible base forms of a verb. endings: {ending of a form: possible endings of its base form}."""
    for ending, bases in endings.items():
        if word.endswith(ending) and word != ending:
            yield from (word.removesuffix(ending) + base for base in bases)
