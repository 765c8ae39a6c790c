"""What results say of a query: how many of its words, of whom, and whether a later one replaces it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.recall import Recalled, TurnCitation
from amr_neo4j.facts.ranking import Candidate, is_brief
from amr_neo4j.facts.turn_changes import is_users
from amr_neo4j.language.bullets import AskingTable
from amr_neo4j.language.languages import Language

# So many words may name who does something: "my little brother Tom".
_LONGEST_SUBJECT = 4


@dataclass(frozen=True)
class QueryWords:
    """The content words of a query in all their forms, to be looked for in texts; all its words where none is one."""

    wanted: tuple[frozenset[str], ...]
    language: Language

    @classmethod
    def of(cls, query: str, language: Language, but: Collection[str] = ()) -> QueryWords:
        """The words of a query. but: words that are not looked for."""
        wanted = [word.forms for word in language.content_words(query)]
        wanted = wanted or [language.forms(word) for word in language.words_of(query)]
        return cls(tuple(forms for forms in wanted if forms.isdisjoint(but)), language)

    def share_in(self, text: str) -> float:
        """The part of the words that a text has, in any of their forms, in [0, 1]."""
        return len(self.found_in(text)) / len(self.wanted) if self.wanted else 0.0

    def found_in(self, text: str) -> frozenset[int]:
        """The numbers of the words that a text has, in any of their forms."""
        there = self.language.all_forms(text)
        return frozenset(number for number, forms in enumerate(self.wanted) if not forms.isdisjoint(there))

    def places_in(self, text: str) -> list[int]:
        """Which of a text's words are words of the query, in any of their forms."""
        known = frozenset[str]().union(*self.wanted)
        forms = map(self.language.forms, self.language.words_of(text))
        return [place for place, each in enumerate(forms) if not each.isdisjoint(known)]


@dataclass(frozen=True)
class QueryFilter:
    """Leaves out results of one query that state something else than what is asked for.

    query: its text. words: its words without those for the user. asks_of_user: whether it is about the user. persons:
    words that name somebody, roles and first names.
    """

    query: str
    words: QueryWords
    asking: AskingTable
    persons: Collection[str]
    user_id: str
    asks_of_user: bool

    def are_of_another(self, found: Recalled) -> bool:
        """Whether a turn of the user states what is asked of the user, and only of somebody else.

        "My son Karim plays the cello" for "Which instrument does the user play?".
        """
        if not self.asks_of_user or not self._is_own(found) or not is_brief(found.text):
            return False
        stated = [s for s in self.words.language.sentences(_said(found)) if self.words.places_in(s)]
        return bool(stated) and all(self._is_of_another(sentence) for sentence in stated)

    def standing(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that no later one renews; all of them where the query asks for what was once so.

        A brief turn or fact is renewed by a sentence of a later one that has the same words of the query and says
        that something is new: "My boss is Mr Tanaka" by "My new boss is Ms Dubois". That somebody has a thing goes
        without saying where the turn that says it stands.
        """
        turns = {_turn_of(c.found) for c in candidates if c.found.kind == "turn"}
        standing = [c for c in candidates if not (_is_possession(c.found) and _turn_of(c.found) in turns)]
        if not self.asking.past.isdisjoint(self.words.language.words_of(self.query)):
            return standing
        new = [c for c in standing if self._is_own(c.found) and self._renewing(c.found)]
        return [c for c in standing if not any(self._renews(each, c) for each in new)]

    def _is_of_another(self, sentence: str) -> bool:
        words = self.words.language.words_of(sentence)
        subject = words[: min(self.words.places_in(sentence))]
        named = 0 < len(subject) <= _LONGEST_SUBJECT and any(word in self.persons for word in subject)
        return named and self.asking.speaker.isdisjoint(subject[1:])

    def _is_own(self, found: Recalled) -> bool:
        return isinstance(found.source, TurnCitation) and is_users(found.source.actor, self.user_id)

    def _renewing(self, found: Recalled) -> list[str]:
        """Its sentences that say that something is new."""
        if found.kind != "turn" or not is_brief(found.text):
            return []
        return [s for s in self.words.language.sentences(_said(found)) if self._says_new(s)]

    def _says_new(self, sentence: str) -> bool:
        text = f" {' '.join(self.words.language.words_of(sentence))} "
        return any(f" {phrase} " in text for phrase in self.asking.renewed)

    def _renews(self, newer: Candidate, older: Candidate) -> bool:
        one, other = newer.found, older.found
        if not (one.timestamp and other.timestamp) or one.timestamp <= other.timestamp:
            return False
        if not self._is_own(other) or not is_brief(other.text):
            return False
        asked = self.words.found_in(_said(other))
        return any(asked and asked <= self.words.found_in(sentence) for sentence in self._renewing(one))


def _said(found: Recalled) -> str:
    """The text of a result; of a turn without its speaker."""
    return found.text.partition(": ")[2] if found.kind == "turn" else found.text


def _is_possession(found: Recalled) -> bool:
    return found.triple is not None and found.triple.relation == "has"


def _turn_of(found: Recalled) -> str:
    """The episode_id of the turn that a result is or rests on; empty for events."""
    return found.source.episode_id if isinstance(found.source, TurnCitation) else ""
