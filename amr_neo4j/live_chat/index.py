"""Keeps the facts of one user in this process's memory, so that a turn can be answered without the database."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from threading import Lock

from readerwriterlock.rwlock import RWLockFair

from amr_neo4j.domain.episode import SaidTurn
from amr_neo4j.domain.fact import (
    ONE_TURN,
    SAID,
    SPEAKER,
    FactChange,
    KnownFact,
    Strength,
    Triple,
    is_same_name,
    meant,
)
from amr_neo4j.domain.ports import AskedFacts, Nearness, Shared, TurnsLike
from amr_neo4j.domain.recall import Held
from amr_neo4j.domain.relations import KIN, people_of, relation_kind
from amr_neo4j.language.compounds import with_compounds
from amr_neo4j.language.stems import stems
from amr_neo4j.live_chat.score import score_table

_RECENT = 50
# The latest turns of the user that may be quoted, and the most words of one.
_MOST_TURNS, _LONGEST_QUOTE = 1000, 40
# A pronoun may mean somebody named in the turns before it: how many turns, and how many seconds ago at most.
_BEFORE, _SAME_TALK = 2, 3600.0
# One word leads to at most this many facts, the latest first. This bounds the time for a word that most facts have.
_PER_WORD = 100


class SaidTurns:
    """The latest turns in which a user stated something, to be quoted if no fact answers a question. Thread-safe.

    A turn that was said several times is kept once, with its newest date.
    """

    def __init__(self) -> None:
        self._turns: dict[str, SaidTurn] = {}
        # {language: {form of a word: texts of turns}}. Turns are indexed at the first question in a language.
        self._by_form: dict[str, dict[str, set[str]]] = {}
        self._indexed: dict[str, set[str]] = {}
        self._lock = Lock()

    def add(self, turns: Iterable[SaidTurn]) -> None:
        """Add turns, the latest last. Questions and long turns are left out, because they are never quoted."""
        with self._lock:
            for turn in turns:
                if not turn.text.rstrip().endswith(("?", "？")) and len(turn.text.split()) <= _LONGEST_QUOTE:
                    if turn.text in self._turns:
                        self._remove(turn.text)
                    self._turns[turn.text] = turn
            for text in list(islice(self._turns, max(0, len(self._turns) - _MOST_TURNS))):
                self._remove(text)

    @property
    def held(self) -> frozenset[str]:
        """The episode_ids of the turns."""
        with self._lock:
            return frozenset(turn.episode_id for turn in self._turns.values())

    def drop(self, gone: Held) -> None:
        """Drop the turns with these episode_ids."""
        with self._lock:
            for text in [text for text, turn in self._turns.items() if turn.episode_id in gone]:
                self._remove(text)

    def clear(self) -> None:
        """Drop all turns."""
        with self._lock:
            for kept in (self._turns, self._by_form, self._indexed):
                kept.clear()

    def get(self, text: str) -> SaidTurn | None:
        """Return the turn with these words."""
        return self._turns.get(text)

    def answering(self, question: AskedFacts) -> Iterator[SaidTurn]:
        """Yield the turns that answer a question, the latest first."""
        words = question.turn_words
        if not words:
            return
        with self._lock:
            by_form = self._index(question.language)
            asked = frozenset[str]().union(*words)
            meant = [with_compounds(forms, asked, by_form.keys(), question.language) for forms in words]
            having = [set[str]().union(*(by_form.get(form, ()) for form in forms)) for forms in meant]
            texts = set[str].intersection(*having)
            turns = [turn for text, turn in self._turns.items() if text in texts] if texts else []
        yield from (turn for turn in reversed(turns) if question.is_answered_in(turn.text, _subject_of(turn)))

    def like(self, question: AskedFacts, turns_like: TurnsLike) -> Iterator[SaidTurn]:
        """Yield the turns that may answer a question by what they mean, the best first."""
        with self._lock:
            turns = list(self._turns.values())
        places = {turn.episode_id: place for place, turn in enumerate(turns)}

        def read_as(episode_id: str) -> str:
            """Return a turn's text, after that of the turn before it if only that says whom it is about."""
            place = places.get(episode_id)
            if place is None:
                return ""
            turn, lately = turns[place], _lately(turns, place)
            subject = _subject_of(turn)
            needs_it = not question.shared_with(turn.text, subject, stated=turn.states) and question.shared_with(
                turn.text, subject, lately, turn.states
            )
            return f"{lately[0]}\n{turn.text}" if needs_it else turn.text

        fitting = list[tuple[float, SaidTurn]]()
        for episode_id, near in turns_like(question, read_as).items():
            place = places.get(episode_id)
            if place is not None and not question.asks_for_else(turns[place].states):
                turn = turns[place]
                shared = question.shared_with(turn.text, _subject_of(turn), _lately(turns, place), turn.states)
                score = _fit(near, shared, len(turns))
                if score is not None:
                    fitting.append((score, turn))
        yield from (turn for _, turn in sorted(fitting, key=lambda each: -each[0]))

    def _index(self, code: str) -> Mapping[str, set[str]]:
        by_form, indexed = self._by_form.setdefault(code, {}), self._indexed.setdefault(code, set())
        for text in self._turns.keys() - indexed:
            for form in stems(f"{_subject_of(self._turns[text])} {text}", code):
                by_form.setdefault(form, set()).add(text)
        indexed.update(self._turns)
        return by_form

    def _remove(self, text: str) -> None:
        words = f"{_subject_of(self._turns.pop(text))} {text}"
        for code, indexed in self._indexed.items():
            if text in indexed:
                indexed.discard(text)
                for form in stems(words, code):
                    self._by_form[code][form].discard(text)


class HotIndex:
    """Facts, found by the words of their subject and object. Thread-safe: many readers at a time, or one writer.

    entity_index: {word: facts, the latest last}.
    by_triple: {triple: the fact}.
    slots: {(subject, relation): facts}.
    by_relation: {relation: facts, the latest last}.
    recency_buffer: the facts stated last.
    taken_back: {fact: when it was taken back}, so that an older statement that arrives later does not bring it back.
        A fact with an empty object stands for all of its subject and relation.
    candidates_said: facts that were said too weakly to replace another. Said again or confirmed, they replace it.
    ends: {fact: when it stops being true, in epoch seconds}, so that a turn need not look through all facts.
    said_turns: the user's own words.
    """

    def __init__(self) -> None:
        # The facts of a word are dicts without values: they keep the order of statements, and one can be removed
        # without a scan.
        self.entity_index: dict[str, dict[Triple, None]] = {}
        self.by_triple: dict[Triple, KnownFact] = {}
        self.slots: dict[tuple[str, str], set[Triple]] = {}
        self.by_relation: dict[str, dict[Triple, None]] = {}
        self.recency_buffer: deque[Triple] = deque(maxlen=_RECENT)
        self.taken_back: dict[Triple, float] = {}
        self.candidates_said: set[Triple] = set()
        self.ends: dict[Triple, float] = {}
        self.said_turns = SaidTurns()
        self._lock = RWLockFair()

    def __len__(self) -> int:
        return len(self.by_triple)

    def load(self, facts: Iterable[KnownFact]) -> None:
        """Add facts that the graph believes. If a fact is already known, the later statement is kept."""
        with self._lock.gen_wlock():
            for fact in facts:
                known = self.by_triple.get(fact.triple)
                if fact.waits:
                    self.candidates_said.add(fact.triple)
                elif not known or known.said < fact.said:
                    self._put(fact)

    def merge(self, believed: Iterable[KnownFact], gone: Iterable[KnownFact]) -> None:
        """Take over what changed in the graph, unless this index knows something later.

        believed: facts that the graph believes.
        gone: facts that it no longer believes.
        """
        with self._lock.gen_wlock():
            for fact in gone:
                if fact.waits:
                    self.candidates_said.add(fact.triple)
                known = self.by_triple.get(fact.triple)
                if known and known.said <= fact.said:
                    self._drop(fact.triple)
            for fact in believed:
                if not fact.waits:
                    self._take_over(fact)

    def apply(self, changes: Sequence[FactChange]) -> list[Triple]:
        """Apply all changes of a turn under one write lock, so that no reader sees half of them.

        Returns the facts that were believed and are taken back.
        """
        gone: list[Triple] = []
        if not changes:
            return gone
        with self._lock.gen_wlock():
            for change in changes:
                if change.retracted:
                    gone += self._take_back(change)
                else:
                    self._state(change)
        return gone

    def named(self, words: frozenset[str], language: str) -> list[Triple]:
        """Return the facts whose object, or whose subject besides the user, has only these stems."""
        with self._lock.gen_rlock():
            near = {triple for word in words for triple in self.entity_index.get(word, {})}
        return [
            triple
            for triple in near
            if stems(triple.object, language) <= words
            or (triple.subject != SPEAKER and stems(triple.subject, language) <= words)
        ]

    def doubtful(self) -> list[Triple]:
        """Return the candidates, and the facts that are believed though they were said in passing."""
        with self._lock.gen_rlock():
            passing = (triple for triple, fact in self.by_triple.items() if fact.strength == "passing")
            return [*self.candidates_said, *passing]

    def expire(self, now: float) -> None:
        """Drop the facts that have ended by now, in epoch seconds."""
        with self._lock.gen_rlock():
            ended = [triple for triple, ends in self.ends.items() if ends <= now]
        if ended:
            with self._lock.gen_wlock():
                for triple in ended:
                    if triple in self.by_triple:
                        self._drop(triple)

    def remove(self, subject: str, relation: str = "", object: str = "") -> list[Triple]:
        """Remove the facts of a subject, or of one of its relations, or a single one; return them."""
        with self._lock.gen_wlock():
            gone = [
                triple
                for triple in self.by_triple
                if triple.subject == subject
                and (not relation or triple.relation == relation)
                and (not object or triple.object == object)
            ]
            for triple in gone:
                self._drop(triple)
            return gone

    def drop(self, triples: Iterable[Triple]) -> None:
        """Remove facts, and forget that they were ever stated or taken back."""
        with self._lock.gen_wlock():
            for triple in triples:
                self.taken_back.pop(triple, None)
                self.candidates_said.discard(triple)
                if triple in self.by_triple:
                    self._drop(triple)

    def candidates(self, words: Iterable[str], relations: Iterable[str] = ()) -> list[KnownFact]:
        """Return the facts that have one of the words or relations, and those stated last; each once."""
        with self._lock.gen_rlock():
            found: dict[Triple, None] = {}
            postings = [self.entity_index.get(word, {}) for word in words]
            postings += [self.by_relation.get(relation, {}) for relation in relations]
            # Dicts keep the order of statements, so the first ones in reverse are the latest.
            for facts in postings:
                found |= dict.fromkeys(islice(reversed(facts), _PER_WORD))
            found |= dict.fromkeys(self.recency_buffer)
            # The buffer is not updated when a fact is dropped, so it may name facts that are gone.
            return self._known(found)

    def _known(self, triples: Iterable[Triple]) -> list[KnownFact]:
        """Return the facts of these triples, without those that are not believed. The caller holds the lock."""
        return [self.by_triple[triple] for triple in triples if triple in self.by_triple]

    def about(
        self,
        subjects: Collection[str],
        relations: Collection[str],
        *,
        naming: Sequence[frozenset[str]] = (),
        of_anybody: bool = False,
        objects: Collection[str] = (),
        two_sided: Iterable[str] = (),
    ) -> list[KnownFact]:
        """Return the facts of these subjects with these relations.

        naming: if given, only those facts about the user that have a form of each of these words. A user may have
            thousands of facts.
        of_anybody: also the facts of all other subjects that have these words.
        objects, two_sided: also the facts of anybody with one of these objects and one of these relations. Only
            relations of few facts, such as roles, are two-sided.
        """
        with self._lock.gen_rlock():
            by_slot = [subject for subject in subjects if subject != SPEAKER or not naming]
            slots = (self.slots.get((subject, relation), ()) for subject in by_slot for relation in relations)
            found = [triple for slot in slots for triple in slot]
            if naming and SPEAKER in subjects:
                found += [
                    each
                    for each in self._naming(naming)
                    if (of_anybody or each[0] == SPEAKER) and each[1] in relations
                ]
            others = (triple for relation in two_sided for triple in self.by_relation.get(relation, ()))
            found += [triple for triple in others if triple.object in objects]
            return self._known(dict.fromkeys(found))

    def _naming(self, words: Sequence[frozenset[str]]) -> set[Triple]:
        """Return the facts with a form of each word."""
        having = ({triple for form in forms for triple in self.entity_index.get(form, {})} for forms in words)
        return set[Triple].intersection(*having)

    def both_sides(self, triple: Triple) -> list[KnownFact]:
        """Return a fact and those that contradict it, or one another, while nobody has decided; the newest first."""
        with self._lock.gen_rlock():
            found, sides = set[Triple](), [*self._known([triple])]
            while new := [side for side in sides if side.triple not in found]:
                found.update(side.triple for side in new)
                sides += self._known({each for side in new for each in side.opposed} - found)
        return sorted(sides, key=lambda side: -side.said)

    def current(self, triples: Iterable[Triple]) -> list[Triple]:
        """Return those of the facts that are still believed, and of the quoted turns that may still be quoted."""
        with self._lock.gen_rlock():
            return [each for each in triples if each in self.by_triple or self._quoted(each)]

    def quoted(self, triple: Triple) -> SaidTurn | None:
        """Return the turn that a hint with this triple quotes, if it may still be quoted; None for a fact."""
        with self._lock.gen_rlock():
            return self._quoted(triple)

    def quotable(self, question: AskedFacts, turns_like: TurnsLike) -> SaidTurn | None:
        """Return the user's latest turn that has the words of a question; if none has, the nearest in meaning.

        A turn does not count if one of its facts was replaced or forgotten since.
        turns_like: as in Asked.
        """
        for turn in self._answering(question, turns_like):
            with self._lock.gen_rlock():
                if self._still_holds(turn):
                    return turn
        return None

    def _still_holds(self, turn: SaidTurn) -> bool:
        return all(each in self.by_triple or each in self.candidates_said for each in turn.states)

    def _answering(self, question: AskedFacts, turns_like: TurnsLike) -> Iterator[SaidTurn]:
        yield from self.said_turns.answering(question)
        yield from self.said_turns.like(question, turns_like)

    def _quoted(self, triple: Triple) -> SaidTurn | None:
        turn = self.said_turns.get(triple.object) if triple.relation == SAID else None
        return turn if turn and self._still_holds(turn) else None

    def sentences(self, triples: Iterable[Triple], quotation: Callable[[SaidTurn], str]) -> list[tuple[Triple, str]]:
        """Return the hints with these triples that still hold, each with its sentence."""
        found: list[tuple[Triple, str]] = []
        with self._lock.gen_rlock():
            for triple in triples:
                if fact := self.by_triple.get(triple):
                    found.append((triple, fact.text))
                elif turn := self._quoted(triple):
                    found.append((triple, quotation(turn)))
        return found

    def rarity(self, words: Iterable[str]) -> dict[str, float]:
        """Return how rare each known word is: 1 for a word of one fact, less for a word of many, near 0 for one of
        all.

        rarity = 1 - log(facts with the word) / log(all facts + 1)
        """
        with self._lock.gen_rlock():
            # Plus 1, because log(1) is 0 and nothing can be divided by it.
            total = math.log(len(self.by_triple) + 1)
            counts = {word: len(self.entity_index[word]) for word in words if word in self.entity_index}
            return {word: 1 - math.log(count) / total for word, count in counts.items()}

    def has_any(self, words: Iterable[str]) -> bool:
        """Return whether a fact has one of these words."""
        with self._lock.gen_rlock():
            return any(word in self.entity_index for word in words)

    def facts(self) -> Iterator[KnownFact]:
        """Yield all facts, the one stated last first."""
        with self._lock.gen_rlock():
            # Copied under the lock, and yielded without it: a caller may stop in the middle.
            facts = sorted(self.by_triple.values(), key=lambda fact: -fact.said)
        yield from facts

    def _state(self, change: FactChange) -> None:
        """Add a stated fact, or raise the weight of a known one; do nothing if something later contradicts it."""
        triple, said = change.triple, _order(change)
        # Imported turns may arrive in any order, so the time of a statement decides, and not its arrival.
        if self.taken_back.get(triple, self.taken_back.get(triple._replace(object=""), 0.0)) > said:
            return
        known = self.by_triple.get(triple)
        strength = self._strength(change, known)
        others = [other for other in self.slots.get(triple[:2], ()) if not is_same_name(triple, other)]
        if not self._make_way(triple, said, strength=strength):
            return
        if change.ends is not None and change.ends <= change.said and not known:
            return  # what is past is kept in the graph alone
        if any(other not in self.by_triple for other in others):
            self._drop_details(change)
        weight = known.weight + score_table().reinforcement * (1 - known.weight) if known else change.confidence
        # Said again, a fact is believed at least as much as what is new; the nightly run does the same.
        confidence = max(change.confidence, known.confidence) if known else change.confidence
        said = change.said if change.live or not known else max(known.said, change.said)
        fact = KnownFact(
            triple,
            change.text,
            weight,
            said,
            session_id=change.session_id,
            language=change.language,
            pinned=known is not None and known.pinned,
            strength=strength,
            ends=change.ends,
            confidence=confidence,
            opposed=known.opposed if known else (),
        )
        self._put(fact)
        self.recency_buffer.append(triple)

    def _strength(self, change: FactChange, known: KnownFact | None) -> Strength:
        """Return how firmly a fact is believed after one more statement. Twice in passing counts as plain."""
        if known and known.strength == "plain":
            return "plain"
        said_before = known.strength == "passing" if known else change.triple in self.candidates_said
        return "plain" if change.strength == "passing" and said_before else change.strength

    def _take_over(self, fact: KnownFact) -> None:
        known = self.by_triple.get(fact.triple)
        if known and known.said > fact.said:
            return
        if self._make_way(fact.triple, fact.said, strength=fact.strength, pinned=fact.pinned):
            self._put(fact)

    def _make_way(self, triple: Triple, said: float, *, strength: Strength, pinned: bool = False) -> bool:
        """Drop the facts that this one replaces; return False if it may not replace them, and so cannot be added.

        A fact of a single-valued relation may not replace a pinned or a later one. One that was said in passing may
        not replace one that was said plainly. A fact that is pinned itself is always added, beside other pinned ones.
        A fact beside the main value is added too, and replaces nothing. The statement facts/settle_slots decides in
        the same way.
        """
        if not relation_kind(triple.relation).single or strength == "beside":
            return True
        others = self._known(other for other in self.slots.get(triple[:2], ()) if other != triple)
        others = [other for other in others if other.strength != "beside"]
        if not pinned and any(other.pinned or other.said > said for other in others):
            return False
        if strength == "passing" and any(other.strength == "plain" for other in others):
            self.candidates_said.add(triple)
            return False
        self.candidates_said.discard(triple)
        for other in others:
            if not other.pinned:
                self._drop(other.triple)
        return True

    def _take_back(self, change: FactChange) -> list[Triple]:
        """Drop the facts that a turn takes back, if they were stated before it, and return them; pinned ones stay."""
        triple = change.triple
        earlier = [other for other in self.slots.get(triple[:2], ()) if self.by_triple[other].said <= _order(change)]
        gone = meant(triple, earlier) if triple.object else earlier
        # The retraction is noted even for a fact that is not known: an older statement of it may still arrive.
        for each in {triple, *gone}:
            self.candidates_said.discard(each)
            self.taken_back[each] = max(change.said, self.taken_back.get(each, 0.0))
        dropped = [other for other in gone if not self.by_triple[other].pinned]
        for other in dropped:
            self._drop(other)
        return dropped + self._drop_details(change) if dropped else []

    def _drop_details(self, change: FactChange) -> list[Triple]:
        """Drop and return the details of a value that no longer holds: the address of somebody who has moved.

        Those that the turn itself states stay, as do pinned ones.
        """
        slot = (change.triple.subject, relation_kind(change.triple.relation).detail)
        before = change.said - ONE_TURN
        known = self._known(self.slots.get(slot, ()))
        gone = [fact.triple for fact in known if fact.said < before and not fact.pinned]
        for each in gone:
            self._drop(each)
        return gone

    def _put(self, fact: KnownFact) -> None:
        triple = fact.triple
        known = self.by_triple.get(triple)
        words = known.words if known else stems(f"{triple.subject} {triple.object}", fact.language)
        self.by_triple[triple] = replace(fact, words=words)
        self.ends.pop(triple, None)
        if fact.ends is not None:
            self.ends[triple] = fact.ends
        self.slots.setdefault((triple.subject, triple.relation), set()).add(triple)
        related = self.by_relation.setdefault(triple.relation, {})
        related.pop(triple, None)  # a dict keeps the place of a known key: remove it, so that the latest stands last
        related[triple] = None
        for word in words:
            facts = self.entity_index.setdefault(word, {})
            facts.pop(triple, None)
            facts[triple] = None

    def _drop(self, triple: Triple) -> None:
        fact = self.by_triple.pop(triple)
        self.ends.pop(triple, None)
        self.by_relation[triple.relation].pop(triple, None)
        slot = self.slots[triple[:2]]
        slot.discard(triple)
        if not slot:
            del self.slots[triple[:2]]
        for word in fact.words:
            facts = self.entity_index[word]
            facts.pop(triple, None)
            if not facts:
                del self.entity_index[word]


def _lately(turns: Sequence[SaidTurn], place: int) -> list[str]:
    """Return what was said just before a turn, the latest first."""
    before = turns[max(0, place - _BEFORE) : place]
    return [each.text for each in reversed(before) if turns[place].said - each.said < _SAME_TALK]


def _fit(near: Nearness, shared: Shared | None, turns: int) -> float | None:
    """Return the score of a turn that may answer a question; None if it is not quoted.

    shared: None if by its persons and words the turn does not answer the question.
    turns: how many there are.
    """
    quote, relevance = score_table().quote, near.relevance
    if shared:
        likeness = near.similarity + quote.words * shared.words + quote.kind * shared.has_kind
        if quote.is_like(likeness, relevance, turns):
            return likeness if relevance is None else relevance
    return relevance if relevance is not None and relevance >= quote.relevant_in_spite else None


def _subject_of(turn: SaidTurn) -> str:
    """Return the person whom all facts of a turn are about; empty if that is the user, nobody, or several people."""
    subjects = {triple.subject for triple in turn.states if triple.relation not in people_of(KIN)}
    return subjects.pop() if len(subjects) == 1 and SPEAKER not in subjects else ""


def _order(change: FactChange) -> float:
    """Return the time of a change, for comparison with known facts. A live change is later than all of them."""
    return math.inf if change.live else change.said
