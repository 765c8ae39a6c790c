"""Checks results against a query: whether they share its words, are about its persons, and are current."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from amr_neo4j.domain.event import speaker_and_words
from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.ports import FactAsked, MemoryCandidate
from amr_neo4j.domain.recall import Recalled, TurnCitation
from amr_neo4j.domain.relations import FAVORITE, relation_kind
from amr_neo4j.domain.speakers import is_user
from amr_neo4j.facts.ranking import is_brief
from amr_neo4j.language.bullets import AskingTable
from amr_neo4j.language.languages import DEFAULT, Language, language
from amr_neo4j.language.question_words import question_words
from amr_neo4j.language.topics import consists_of_others, is_about, kin_named, words_before, words_of_facts

# The most words of a subject and its verb: "my little brother Tom has a [boss]".
_LONGEST_SUBJECT = 6


@dataclass(frozen=True)
class QueryWords:
    """The content words of a query, each with all its forms; all its words if none is a content word.

    wanted: the forms of each word, in the order of the query, e.g. ({"play", "plays", ...}, {"cello", ...}).
    """

    wanted: tuple[frozenset[str], ...]
    language: Language

    @classmethod
    def of(cls, query: str, language: Language, but: Collection[str] = ()) -> QueryWords:
        """Return the words of a query. but: words to leave out."""
        wanted = [word.forms for word in language.content_words(query)]
        wanted = wanted or [language.forms(word) for word in language.words_of(query)]
        return cls(tuple(forms for forms in wanted if forms.isdisjoint(but)), language)

    def share_in(self, text: str) -> float:
        """Return the share of the words that a text has in any form, in [0, 1]; 0 without words."""
        return len(self.found_in(text)) / len(self.wanted) if self.wanted else 0.0

    def found_in(self, text: str) -> frozenset[int]:
        """Return the indexes into `wanted` of the words that a text has in any form."""
        there = self.language.all_forms(text)
        return frozenset(number for number, forms in enumerate(self.wanted) if not forms.isdisjoint(there))

    def places_in(self, text: str) -> list[int]:
        """Return the positions in a text, counted in words, where a word of the query stands in any form."""
        known = frozenset[str]().union(*self.wanted)
        forms = map(self.language.forms, self.language.words_of(text))
        return [place for place, each in enumerate(forms) if not each.isdisjoint(known)]


@dataclass(frozen=True)
class QueryFilter:
    """Leaves out results of one query that are about somebody else or out of date.

    query: its text.
    words: its words without those for the user.
    asks_of_user: whether it asks about the user.
    persons: words that name somebody: roles and first names.
    topics, kin, names: those that it names.
    code: its language.
    fact: the fact that it asks for.
    """

    query: str
    words: QueryWords
    asking: AskingTable
    persons: Collection[str]
    user_id: str
    asks_of_user: bool
    topics: frozenset[str] = frozenset()
    kin: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    code: str = DEFAULT
    fact: FactAsked = field(default_factory=FactAsked)

    @property
    def wider_query(self) -> str:
        """The query with the words of the facts that it asks for: "home" finds "You live in Paris" by words."""
        facts = words_of_facts(sorted(self.fact.relations), sorted(self.topics), self.code)
        return " ".join([self.query, *sorted(self.fact.whose), *facts])

    def is_of_topic(self, found: Recalled) -> bool:
        """Return whether a result is of a topic that the query asks for, as "I sing in a choir" is of "hobbies".

        If the query is about other people ("the job of the user's wife"), these are their facts of the relation asked
        for, and what names them.
        If it is about the user alone, what is said of somebody else is of no topic, but that of the family and the
        like: "My sister is a nurse" is no job of the user's. Turns of programs have no topic.
        """
        said = _said(found)
        if self.fact.whose and (found.triple or self._is_own(found)):
            return self._is_of_whom_is_asked(found, said)
        if not (found.triple or self._is_own(found)) or not self.names.issubset(self.words.language.words_of(said)):
            return False
        if self.kin:
            return not self.kin.isdisjoint(kin_named(said, self.code))
        of_others = {topic for topic in self.topics if consists_of_others(topic)}
        if self.asks_of_user and found.triple and self._is_anothers(found.triple):
            return is_about(of_others, said, self.code)
        relation = found.triple.relation if found.triple else ""
        # A favourite may be of anything, such as a colour.
        if not relation.startswith(FAVORITE) and relation_kind(relation).category in self.topics:
            return True
        sentences = self.words.language.sentences(said) if self.asks_of_user and not found.triple else [said]
        before = {each: words_before(self.topics, each, self.code) for each in sentences}
        about = {each: words for each, words in before.items() if words is not None}
        own = [each for each, words in about.items() if not (self.asks_of_user and self._is_of_other(each, words))]
        return bool(own) or (bool(about) and is_about(of_others, said, self.code))

    def are_of_another(self, found: Recalled) -> bool:
        """Return whether a result states what the query asks for, but only of somebody else.

        Examples: "My son Karim plays the cello" for "Which instrument does the user play?", and "I live in Paris" for
        "Where does my brother live?". Of turns, only short ones of the user are judged.
        """
        if found.triple:
            return self._is_fact_of_another(found.triple, found.text)
        if not (self.asks_of_user or self.fact.whose) or not self._is_own(found) or not is_brief(found.text):
            return False
        stated = [s for s in self.words.language.sentences(_said(found)) if self.words.places_in(s)]
        return bool(stated) and all(self._is_of_another(sentence) for sentence in stated)

    def standing(self, candidates: Sequence[MemoryCandidate]) -> list[MemoryCandidate]:
        """Return the candidates that no later turn replaces.

        "My new boss is Ms Dubois" replaces "My boss is Mr Tanaka": a sentence of a later turn says that something is
        new and has all words of the query that the earlier, brief result has. A query about the past keeps them all.
        A fact that somebody has a thing is left out if the turn that states it is a candidate too: it adds nothing.
        """
        turns = {_turn_of(c.found) for c in candidates if c.found.kind == "turn"}
        standing = [c for c in candidates if not (_is_possession(c.found) and _turn_of(c.found) in turns)]
        if not self.asking.past.isdisjoint(self.words.language.words_of(self.query)):
            return standing
        new = [c for c in standing if self._is_own(c.found) and self._renewing(c.found)]
        return [c for c in standing if not any(self._renews(each, c) for each in new)]

    def _is_of_whom_is_asked(self, found: Recalled, said: str) -> bool:
        """Return whether a result states the fact asked for of those whom the query is about, or else names them."""
        if found.triple and found.triple.subject in self.fact.whose:
            return found.triple.relation in self.fact.relations
        if not self.kin.isdisjoint(kin_named(said, self.code)):
            return True
        # Much may be said of somebody, so it takes another word of the query.
        others = [forms for forms in self.words.wanted if forms.isdisjoint(self.fact.whose)]
        there = self.words.language.all_forms(said)
        return self._names_whose(said) and (bool(self.kin) or any(not forms.isdisjoint(there) for forms in others))

    def _is_fact_of_another(self, triple: Triple, text: str) -> bool:
        if self.fact.whose:
            # What is no person's may be part of what is asked: when Ben's train leaves.
            of_person = relation_kind(triple.relation).subject == "PERSON"
            return of_person and triple.subject not in self.fact.whose and not self._names_whose(text)
        is_asked = self.asks_of_user and triple.relation in self.fact.relations
        return is_asked and self._is_anothers(triple) and not any(map(consists_of_others, self.topics))

    def _is_of_another(self, sentence: str) -> bool:
        """Return whether the words before the first word of the query name a person, but none whom it is about."""
        words = self.words.language.words_of(sentence)
        place = min(self.words.places_in(sentence))
        if not self.fact.whose:
            return self._names_another(words[:place])
        rules = language(self.code).fact_table
        # "I bought him a scarf" may tell of Ben, and "we have dinner" may include him.
        if not {*question_words(self.code).pronouns, *rules.reading.plural_person}.isdisjoint(words):
            return False
        # The verb itself may name the speaker: "vivo".
        is_own = not self.asking.speaker.difference(rules.possessives).isdisjoint(words[: place + 1])
        return not self._names_whose(sentence) and (is_own or self._names_another(words[:place]))

    def _names_whose(self, text: str) -> bool:
        return not self.fact.whose.isdisjoint(self.words.language.all_forms(text))

    def _is_of_other(self, sentence: str, subject: Sequence[str]) -> bool:
        """Return whether a sentence names another first and nowhere the speaker, as "He booked us a trip" does.

        Verbs of the speaker do not count, many of which are nouns as well: Spanish "trabajo".
        """
        rules, said = language(self.code).fact_table, self.words.language.words_of(sentence)[1:]
        speaker = self.asking.speaker.intersection((*rules.speaker, *rules.possessives))
        return self._names_another(subject) and speaker.isdisjoint(said)

    def _names_another(self, subject: Sequence[str]) -> bool:
        if not 0 < len(subject) <= _LONGEST_SUBJECT or not any(word in self.persons for word in subject):
            return False
        # "My sister" names only the sister, but "I" is the speaker.
        is_speaker = subject[0] in self.asking.speaker.difference(language(self.code).fact_table.possessives)
        return not is_speaker and self.asking.speaker.isdisjoint(subject[1:])

    def _is_anothers(self, triple: Triple) -> bool:
        """Return whether a fact is about another person than the user."""
        named = not self.words.language.all_forms(triple.subject).isdisjoint(self.persons)
        return triple.subject != SPEAKER and (named or relation_kind(triple.relation).people_only)

    def _is_own(self, found: Recalled) -> bool:
        return isinstance(found.source, TurnCitation) and is_user(found.source.actor, self.user_id)

    def _renewing(self, found: Recalled) -> list[str]:
        """Return the sentences that say that something is new; none for facts, events and long turns."""
        if found.kind != "turn" or not is_brief(found.text):
            return []
        return [s for s in self.words.language.sentences(_said(found)) if self._says_new(s)]

    def _says_new(self, sentence: str) -> bool:
        text = f" {' '.join(self.words.language.words_of(sentence))} "
        return any(f" {phrase} " in text for phrase in self.asking.renewed)

    def _renews(self, newer: MemoryCandidate, older: MemoryCandidate) -> bool:
        one, other = newer.found, older.found
        if not (one.timestamp and other.timestamp) or one.timestamp <= other.timestamp:
            return False
        if not self._is_own(other) or not is_brief(other.text):
            return False
        asked = self.words.found_in(_said(other))
        return any(asked and asked <= self.words.found_in(sentence) for sentence in self._renewing(one))


def _said(found: Recalled) -> str:
    """Return the text of a result; of a turn, without the "anna: " before it."""
    return speaker_and_words(found.text)[1] if found.kind == "turn" else found.text


def _is_possession(found: Recalled) -> bool:
    return found.triple is not None and found.triple.relation == "has"


def _turn_of(found: Recalled) -> str:
    """Return the episode_id of the turn that a result is or rests on; empty for events."""
    return found.source.episode_id if isinstance(found.source, TurnCitation) else ""
