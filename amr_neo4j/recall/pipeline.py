"""From a question to an answer that names its evidence: classify, anchor, navigate, group, verify, answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from amr_neo4j.domain.ports import DenseIndex, Embedder, EventReader, Names, Notify
from amr_neo4j.domain.recall import Answer, Hit, Scope
from amr_neo4j.recall.answer.by_model import Models, Notes, answer_by_model, judged, typed
from amr_neo4j.recall.answer.by_rules import aggregate_answer, answer_by_rules
from amr_neo4j.recall.answer.model_context import context
from amr_neo4j.recall.answer.render import not_found
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.groups import Group, group
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.question.parse import classify
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.question.time_expressions import narrowed
from amr_neo4j.recall.rank.score import bears_on, best_first, missing, ranked, verify
from amr_neo4j.recall.rank.selection import selected_events
from amr_neo4j.recall.retrieve.completion import at_home
from amr_neo4j.recall.retrieve.retriever import ASIDE, Embedded, Retriever
from amr_neo4j.recall.trace import Clock, TraceRecorder

DEFAULTS = RecallLimits()
NO_MODELS = Models()


def ask(
    question: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    limits: RecallLimits = DEFAULTS,
    models: Models = NO_MODELS,
    notify: Notify = lambda claim: None,
    clock: Clock = lambda: 0.0,
) -> Answer:
    """Answer a question from memory, or say that nothing in it fits.

    say: is told each claim as it comes. clock: seconds, for the trace. Raises InputError: no question; ModelDenied,
    NoSuchModel.
    """
    return _Recall(scope, reader, index, embedder, limits, models, TraceRecorder(clock)).ask(question, notify)


def search(
    text: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    limits: RecallLimits = DEFAULTS,
    most: int | None = None,
) -> list[Hit]:
    """The events that fit a text, best first, as a question finds them; `most` at most. Raises InputError."""
    return _Recall(scope, reader, index, embedder, limits).search(text, most)


@dataclass(frozen=True)
class _Recall:
    scope: Scope
    reader: EventReader
    index: DenseIndex
    embedder: Embedder
    limits: RecallLimits
    models: Models = NO_MODELS
    laps: TraceRecorder = field(default_factory=lambda: TraceRecorder(lambda: 0.0))

    def ask(self, text: str, notify: Notify) -> Answer:
        notes = Notes()
        parsed, candidates = self._find(text, notes)
        found = self._answer(parsed, candidates, notes, notify)
        self.laps.lap("answer")
        return replace(found, notes=tuple(notes.lines), trace=self.laps.trace())

    def _answer(self, parsed: ParsedQuestion, candidates: list[Candidate], notes: Notes, notify: Notify) -> Answer:
        unknown = [] if self.models.answer or (parsed.span and not candidates) else missing(parsed, candidates)
        if unknown or not bears_on(parsed, candidates, self.embedder.unrelated):
            return not_found(parsed, unknown)
        verified = self._verified(parsed, candidates, notes)
        self.laps.lap("verify")
        if not verified:
            return not_found(parsed)
        if parsed.answer_type in (AnswerType.MOMENT, AnswerType.DURATION):
            verified = self._at_home(verified)
            candidates = self._at_home(candidates) if parsed.is_reckoned else candidates
        found = aggregate_answer(parsed, candidates)  # a model is shown too little to count
        if found is None and self.models.answer:
            shown = context(parsed, verified, self.limits.context_tokens)
            found = answer_by_model(parsed, shown, candidates, self.models.answer, notes, notify)
            if found:
                return found
        found = found or answer_by_rules(parsed, verified, candidates)
        notify(found.text)
        return found

    def _at_home(self, candidates: list[Candidate]) -> list[Candidate]:
        """With the places where they were recorded, and by their wall clocks."""
        videos = tuple(sorted({c.event.video_id for c in candidates if not c.event.turn}))
        if not videos:
            return candidates
        return at_home(candidates, self.reader.recordings(replace(self.scope, video_ids=videos)))

    def search(self, text: str, most: int | None) -> list[Hit]:
        parsed, candidates = self._find(text, Notes())
        fitting = [c for c in candidates if bears_on(parsed, [c], self.embedder.unrelated)]
        if not fitting:
            return []
        in_turn = best_first(fitting)
        if parsed.order:  # what happened right after, or last, is told by time and not by words
            cited = self._selected_by_rules(parsed, self._groups(parsed, fitting))
            in_turn.sort(key=lambda candidate: candidate.node_id not in cited)
        return [candidate.hit() for candidate in in_turn[:most]]

    def _find(self, text: str, notes: Notes) -> tuple[ParsedQuestion, list[Candidate]]:
        """The question read, and whatever may bear on it, each with its score."""
        up_to_date = ASIDE.submit(self.index.catch_up)
        try:
            parsed = self._classify(text, notes)
        finally:
            up_to_date.result()
        self.laps.lap("classify")
        texts = parsed.compared_without_names if self.scope.has_turns else parsed.compared
        embedded = cache(lambda: dict(zip(texts, self.embedder.embed(list(texts.values())), strict=True)))
        return self._gatherer(parsed, embedded, notes).gather(parsed, embedded)

    def _gatherer(self, parsed: ParsedQuestion, embedded: Embedded, notes: Notes) -> Retriever:
        """In the videos and the time that the question names; a day that no recording knows is left out.

        In a conversation a day is mostly what is talked about ("on Thursday"), not when: it bounds nothing, and
        counts for what was said near it (verify.py).
        """
        scope = replace(self.scope, video_ids=parsed.videos or self.scope.video_ids)
        gatherer = Retriever(scope, self.reader, self.index, self.embedder, self.limits, self.laps)
        if not parsed.span or (scope.has_turns and (parsed.span.day or not parsed.asks_for_all)):
            return gatherer
        recorded = [v.recorded_at for v in self.reader.recordings(scope).values() if v.recorded_at]
        if parsed.span.day and not recorded:
            notes.lines.append("no recording knows its date: the day in the question is left out")
            return gatherer

        def holds(scope: Scope) -> bool:
            return bool(gatherer.nearest(embedded()[parsed.main.text], scope, 1))

        return replace(gatherer, scope=narrowed(parsed.span, scope, recorded, holds))

    def _verified(self, parsed: ParsedQuestion, candidates: Sequence[Candidate], notes: Notes) -> list[Candidate]:
        """The candidates of the best groups, best first."""
        groups = self._groups(parsed, candidates)
        if self.models.judge and groups:
            tokens = self.limits.context_tokens
            # What the rules would answer is judged first: it may be the last of many, and no better by its words.
            told = self._selected_by_rules(parsed, groups)
            groups.sort(key=lambda members: told.isdisjoint(candidate.node_id for candidate in members))
            some = groups[: self.limits.judged]
            kept = judged(parsed, some, self.models.judge, self.limits.groups, tokens, notes)
            if kept is not None:
                return [c for members in kept for c in best_first(members)]
        return verify(parsed, groups, self.limits.groups)

    def _groups(self, parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[Group]:
        return ranked(parsed, group(candidates, gap=self.limits.group_gap, span=self.limits.group_span))

    def _selected_by_rules(self, parsed: ParsedQuestion, groups: Sequence[Group]) -> set[int]:
        """node_ids of the events that an answer by rules rests on."""
        verified = verify(parsed, groups, self.limits.groups)
        return {candidate.node_id for candidate in selected_events(parsed, verified)}

    def _classify(self, text: str, notes: Notes) -> ParsedQuestion:
        """The question read."""
        parsed, names = self._read_by_rules(text)
        if self.models.text:
            known = (names.persons, names.objects)
            parsed = typed(parsed, self.models.text, known, lambda: self.reader.recordings(self.scope), notes)
        return parsed.knowing(names.same)

    def _read_by_rules(self, text: str) -> tuple[ParsedQuestion, Names]:
        """The question as the rules read it, knowing the names that the scope knows and no others."""
        names = self.reader.vocabulary(self.scope)
        while True:
            parsed = classify(text, names.persons, names.objects)
            named = Names(frozenset(parsed.question.persons), frozenset(parsed.question.objects))
            if not named or self.scope == Scope(self.scope.group_id, user_id=self.scope.user_id):
                return parsed, names
            unknown = named - self.reader.known(named, self.scope)
            if not unknown:
                return parsed, names
            names -= unknown
