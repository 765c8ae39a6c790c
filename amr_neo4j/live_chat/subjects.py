"""Tells whether a turn is only about other people; then none of the user's own facts are added to the prompt."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from amr_neo4j.language.languages import language
from amr_neo4j.language.question_words import question_words
from amr_neo4j.language.role_phrases import role_spans
from amr_neo4j.language.stems import words_in

# An apostrophe is part of a word here: "let's".
_PUNCTUATION = re.compile(r"[^\w\s'’-]+|\s-+\s")
# At most this many words stand between a possessive and what somebody is to the user: "my little sister".
_BEFORE_ROLE = 1
# The genitive of English, as a word of its own: "mum's pizza" is "mum", "s", "pizza".
_GENITIVE = "s"


def speaks_of_others_alone(text: str, code: str, names: Collection[str] = ()) -> bool:
    """Return whether the subject of every clause of a turn is certainly another person, and no word is for the user.

    If in doubt, the answer is no: a fragment ("Pizza with my sister"), a command ("Call my sister") and a verb whose
    subject is left out may all be about the user.
    names: words that name people whom memory knows.
    """
    words = _words(code)
    if words.has_own(text):
        return False
    parts = [part for clause in _PUNCTUATION.split(text) for part in words.parts(words_in(clause))]
    is_other = False
    for part in parts:
        end = words.subject_end(part, names)
        # "My sister works a lot, her job is hard": her job is hers after a clause about her.
        if end is None and is_other and part[0] in words.possessives_of_others:
            end = 1
        if end is None or part[end : end + 1] == [] or part[end] in words.no_verbs:
            return False
        is_other = True
    return is_other


@dataclass(frozen=True)
class _Words:
    """Words of one language.

    speaker: "I", "us", "ours".
    phrases: those of several words ("let s").
    my: "my", "our".
    pronouns: "he", "she", "they"; a thing is none.
    impersonal: verbs with which a pronoun is nobody: "il faut".
    openers: words that a clause may begin with before its subject: "and", "when".
    no_verbs: words that cannot follow a subject as its verb.
    before_nouns: articles, possessives and prepositions.
    before_verbs: words after which a verb may stand without its subject.
    """

    code: str
    speaker: frozenset[str]
    phrases: frozenset[str]
    my: frozenset[str]
    articles: frozenset[str]
    pronouns: frozenset[str]
    impersonal: frozenset[str]
    possessives_of_others: frozenset[str]
    conjunctions: frozenset[str]
    subordinators: frozenset[str]
    no_verbs: frozenset[str]
    before_nouns: frozenset[str]
    before_verbs: frozenset[str]
    function_words: frozenset[str]

    def has_own(self, text: str) -> bool:
        """Return whether a text has a word for the user, apart from those before a role ("my sister"), or may have a
        verb whose subject is the user, where subjects are left out.
        """
        said = words_in(text)
        starts = {start for start, _, _ in role_spans(said, self.code)}
        near = range(1, _BEFORE_ROLE + 2)
        if any(
            word in self.speaker and not (word in self.my and any(at + step in starts for step in near))
            for at, word in enumerate(said)
        ):
            return True
        spoken = f" {' '.join(said)} "
        return any(f" {phrase} " in spoken for phrase in self.phrases) or any(
            self._may_be_own(before, word) for before, word in pairwise(said)
        )

    def _may_be_own(self, before: str, word: str) -> bool:
        table = language(self.code).fact_table
        if word in self.my | self.possessives_of_others | self.articles:  # "suo"
            return False
        is_own = word.endswith(table.own_endings) and before not in self.before_nouns
        return is_own or (word.endswith(table.own_present) and before in self.before_verbs)

    def parts(self, clause: Sequence[str]) -> list[list[str]]:
        """Return the clauses within a clause: "when" and "because" begin one."""
        found: list[list[str]] = [[]]
        for word in clause:
            if word in self.subordinators:
                found.append([])
            elif found[-1] or word not in self.conjunctions:
                found[-1].append(word)
        return [part for part in found if part]

    def subject_end(self, part: Sequence[str], names: Collection[str]) -> int | None:
        """Return the end of the subject at the start of a clause, if it is certainly another person."""
        end = self._person_end(part, 0, names)
        while end is not None and part[end : end + 1] and part[end] in self.conjunctions:
            end = self._person_end(part, end + 1, names)  # "my sister and her husband"
        return end

    def _person_end(self, part: Sequence[str], at: int, names: Collection[str]) -> int | None:
        if at < len(part) and part[at] in self.pronouns:
            return None if self.impersonal.intersection(part[at + 1 : at + 3]) else at + 1
        if at < len(part) and part[at] in names and part[at] not in self.function_words:
            return at + 1
        spans: Mapping[int, int] = {start: end for start, end, _ in role_spans(part, self.code)}
        begins = at
        while begins < len(part) and part[begins] in self.articles:
            begins += 1
        owned = part[begins : begins + 1] and part[begins] in self.my | self.possessives_of_others
        reach = range(begins + 1, begins + _BEFORE_ROLE + 2) if owned else range(at, at + 1)
        end = next((spans[start] for start in reach if start in spans), None)
        return end + 1 if end is not None and end < len(part) and part[end] in names else end


@cache
def _words(code: str) -> _Words:
    own, table = language(code), language(code).fact_table
    classes = {name: frozenset(words) for name, words in table.word_classes.items()}
    clitics = classes.get("clitic", frozenset())
    speaker = own.bullets.asking.speaker.union(table.speaker, table.possessives)
    first_person = {word for word in speaker if " " not in word}
    pronouns = classes["pronoun"].intersection(question_words(code).pronouns) - first_person
    prepositions, conjunctions = classes["preposition"], classes["conjunction"]
    articles = frozenset(table.articles)
    return _Words(
        code=code,
        speaker=frozenset(first_person),
        phrases=frozenset(own.bullets.asking.speaker - first_person),
        my=frozenset(table.possessives),
        articles=articles,
        pronouns=pronouns,
        impersonal=frozenset(table.impersonal),
        possessives_of_others=frozenset(table.other_possessives) - clitics,
        conjunctions=conjunctions,
        subordinators=classes["subordinator"],
        no_verbs=prepositions.union(conjunctions, articles, [_GENITIVE]) - clitics,
        before_nouns=prepositions.union(table.articles, table.possessives, table.other_possessives) - clitics,
        before_verbs=conjunctions.union(classes.get("relative", ()), classes["subordinator"], clitics),
        function_words=own.bullets.function_words,
    )
