"""Which believed facts answer a question, by its words alone: every word of it must be the fact's or ask for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from amr_neo4j.domain.fact import SPEAKER, Triple, is_single_valued
from amr_neo4j.domain.recalled import Recalled
from amr_neo4j.hotpath.question_words import QuestionWords, Words
from amr_neo4j.hotpath.words import forms, stems
from amr_neo4j.language.bullets import Bullets

# Relations of what happened once, which a question in the past tense asks for.
_PAST = frozenset({"went_to", "participated_in", "born_in", "moved_from"})
# Asked for by their object alone: "What am I?" names none of them.
_BY_OBJECT = frozenset({"is", "has", "owns"})
_OPPOSITE = {"likes": "dislikes", "dislikes": "likes"}
_LONGEST_SUBJECT = 3


@dataclass(frozen=True)
class FactQuestion:
    """A question to the facts of a user.

    user: the user's name, which in a question stands for the speaker. then: it asks for another time than now, of
    which only relations with one object at a time say what held.
    """

    text: str
    user: str
    language: str
    bullets: Bullets
    words: QuestionWords
    then: bool = False

    @classmethod
    def of(cls, text: str, user: str, language: str, bullets: Bullets, *, then: bool = False) -> FactQuestion:
        """A question in the language with this code, whose sentences are `bullets`."""
        return cls(text, user, language, bullets, QuestionWords.of(bullets, language), then)

    @property
    def subjects(self) -> list[str]:
        """Whose facts may answer it: the speaker's, and those of each run of its words; no conditions or wishes."""
        words = list(self._all)
        runs = [
            " ".join(words[start : start + length])
            for length in range(1, _LONGEST_SUBJECT + 1)
            for start in range(len(words) - length + 1)
        ]
        return [SPEAKER, *runs] if self._has_none_of(self.bullets.asking.refuse) else []

    @property
    def relations(self) -> list[str]:
        """The relations that its words ask for."""
        cues = self.words.cues
        return [each for each in cues if self._asks_for(each, named=True) or self._asks_who(each)]

    @property
    def names_of_others(self) -> list[str]:
        """The relations that state the name of somebody else ("sister"), where it asks for a name and for no role."""
        roles = [each for each in self.words.cues if self.bullets.is_role(each)]
        by_role = any(self.bullets.own_cues(each)[0] in self._all for each in roles)
        return roles if "name" in self.relations and not by_role else []

    def answered_by(self, facts: Iterable[Recalled]) -> list[Recalled]:
        """Those of the facts that answer it, in their order; of relations with one object at a time the first."""
        found: list[Recalled] = []
        taken: set[tuple[str, str]] = set()
        for fact in facts:
            triple = fact.triple
            if triple is None or not self._fits(triple):
                continue
            slot = (triple.subject, triple.relation)
            if slot in taken and is_single_valued(triple.relation):
                continue
            taken.add(slot)
            found.append(fact)
        return found

    @cached_property
    def _all(self) -> dict[str, frozenset[str]]:
        return forms(self.text, self.language)

    @cached_property
    def _content(self) -> Words:
        return self.words.of_turn(self.text, ())

    @cached_property
    def _phrased(self) -> frozenset[str]:
        """The relations that it asks for in set words."""
        text = f" {' '.join(self._all)} "
        phrases = self.bullets.asking.phrases
        return frozenset(each for phrase, relations in phrases.items() if f" {phrase} " in text for each in relations)

    def _fits(self, triple: Triple) -> bool:
        if not self._is_about(triple) or not self._has_its_tense(triple.relation):
            return False
        objects = stems(triple.object, self.language)
        named = any(not each.isdisjoint(objects) for each in self._content.values())
        if not self._asks_for(triple.relation, named=named) and not (named and self._asks_who(triple.relation)):
            return False
        own = objects | self._subject_words(triple.subject) | self.words.asks_for(triple.relation)
        own |= self._opposite_words(triple.relation) if named else frozenset()
        allowed = own | self._asking_words
        return bool(self._content) and all(not each.isdisjoint(allowed) for each in self._content.values())

    def _is_about(self, triple: Triple) -> bool:
        if triple.subject != SPEAKER:
            return self._subject_words(triple.subject) <= frozenset().union(*self._all.values())
        speaks = not self._has_none_of(self.bullets.asking.speaker) or self._names_user
        return speaks or self._asks_who(triple.relation)

    def _asks_for(self, relation: str, *, named: bool) -> bool:
        """Whether one of its words asks for the relation, and none for others alone. named: it names the object."""
        if relation in self._phrased:
            return True
        if self._phrased or (relation in _BY_OBJECT and not named):
            return False
        only = [set(relations) for word, relations in self.bullets.asking.only.items() if word in self._all]
        if any(relation not in relations for relations in only):
            return False
        asking = [relation, _OPPOSITE[relation]] if named and relation in _OPPOSITE else [relation]
        cues = frozenset[str]().union(*(_stemmed(self.bullets.own_cues(each), self.language) for each in asking))
        return any(not each.isdisjoint(cues) for each in self._all.values())

    def _asks_who(self, relation: str) -> bool:
        """Whether it asks who somebody is, whom a role may name."""
        return self.bullets.is_role(relation) and not self._has_none_of(self.bullets.asking.who)

    def _has_its_tense(self, relation: str) -> bool:
        if self.then:
            return is_single_valued(relation)
        return relation in _PAST or self._has_none_of(self.bullets.asking.past)

    def _has_none_of(self, words: Collection[str]) -> bool:
        return all(word not in words for word in self._all)

    def _subject_words(self, subject: str) -> frozenset[str]:
        if subject == SPEAKER:
            return stems(self.user, self.language) if self._names_user else frozenset()
        return frozenset(subject.casefold().split())

    def _opposite_words(self, relation: str) -> frozenset[str]:
        opposite = _OPPOSITE.get(relation)
        return self.words.asks_for(opposite) if opposite else frozenset()

    @cached_property
    def _names_user(self) -> bool:
        named = forms(self.user, self.language)
        return bool(named) and named.keys() <= self._all.keys()

    @cached_property
    def _asking_words(self) -> frozenset[str]:
        """The forms of words that make it a question: of set phrases that it has, of who, when and how many."""
        asking = self.bullets.asking
        phrases = [phrase for phrase, asked in asking.phrases.items() if self._phrased.intersection(asked)]
        return _stemmed([*phrases, *asking.only, *asking.who], self.language)


def _stemmed(words: Iterable[str], language: str) -> frozenset[str]:
    return stems(" ".join(words), language)


def language_of(question: str, tables: Mapping[str, Bullets]) -> str:
    """The code of the language that has most of the question's words among its function words; the first of equals.

    tables: by code, at least one. The detector of turns reads the far larger tables of fact rules for this.
    """
    words = set(forms(question, ""))
    return max(tables, key=lambda code: len(words & (tables[code].stop_words | tables[code].asking.speaker)))
