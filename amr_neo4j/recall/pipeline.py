"""From a question to a cited answer: parse, retrieve, score, verify, answer. The stages meet here alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np

from amr_neo4j.domain.event import Cue
from amr_neo4j.domain.ports import (
    Beliefs,
    DenseIndex,
    Embedder,
    EventReader,
    Names,
    NoReplacements,
    NothingBelieved,
    NothingStated,
    Notify,
    Replacements,
    StatedRelations,
    Vectors,
)
from amr_neo4j.domain.recall import Answer, Hit, Path, Recalled, Replacement, Scope
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.answer.attribute import attribute_answer
from amr_neo4j.recall.answer.by_model import context
from amr_neo4j.recall.answer.by_rules import aggregate_answer, answer_by_rules, closest_answer
from amr_neo4j.recall.answer.claim import Claims
from amr_neo4j.recall.answer.from_facts import believed_claims, names_in, stated_claims
from amr_neo4j.recall.answer.render import not_found, render, with_evidence_of_all, with_replaced
from amr_neo4j.recall.evidence.replacements import LOOKED_AFTER, corrections, renewed, restated
from amr_neo4j.recall.evidence.synonyms import find_synonyms
from amr_neo4j.recall.evidence.timeline import with_recording_place
from amr_neo4j.recall.limits import Models, RecallLimits
from amr_neo4j.recall.question.parse import cleaned, parse_question
from amr_neo4j.recall.question.parsed import AnswerType, Order, ParsedQuestion
from amr_neo4j.recall.rank.completion import missing_events
from amr_neo4j.recall.rank.eligible import repeats_question, that_may_answer
from amr_neo4j.recall.rank.fusion import fuse_whole, fused_scores
from amr_neo4j.recall.rank.groups import Group, best_groups, group, rank_groups, verify, with_named
from amr_neo4j.recall.rank.relevance import Coverage, Relevance, coverage, matches_any
from amr_neo4j.recall.rank.score import score_candidates, unscored, word_weights
from amr_neo4j.recall.rank.selection import selected_events
from amr_neo4j.recall.rank.spread import spread
from amr_neo4j.recall.retrieve.anchors import by_words
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.recall.retrieve.pool import Pool
from amr_neo4j.recall.retrieve.retriever import BACKGROUND, ClauseVectors, Retriever, UnderWay, queries, query
from amr_neo4j.recall.retrieve.time_scope import end_of, narrow_scope
from amr_neo4j.recall.trace import Clock, Notes, TraceRecorder
from amr_neo4j.recall.weights import SCORING, Weights

DEFAULTS = RecallLimits()
NOTHING_REPLACED = NoReplacements()
NOTHING_STATED = NothingStated()
NOTHING_BELIEVED = NothingBelieved()
NO_MODELS = Models()


def ask(
    question: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    language: Language,
    limits: RecallLimits = DEFAULTS,
    models: Models = NO_MODELS,
    notify: Notify = lambda claim: None,
    clock: Clock = lambda: 0.0,
    replacements: Replacements = NOTHING_REPLACED,
    stated: StatedRelations = NOTHING_STATED,
    beliefs: Beliefs = NOTHING_BELIEVED,
) -> Answer:
    """Answer a question from memory; `found` is False where nothing in it matches.

    language: of the memory, the question and the answer. notify: called with each claim as it comes. clock: seconds,
    for the trace. replacements: which turns later ones replaced. stated: what turns state of things. beliefs:
    what is believed of the user. Raises InputError: no question; ModelDenied, NoSuchModel.
    """
    sources, trace = (scope, reader, index, embedder), TraceRecorder(clock)
    return _Recall(*sources, language, limits, models, trace, replacements, stated, beliefs).ask(question, notify)


def search(
    text: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    language: Language,
    limits: RecallLimits = DEFAULTS,
    most: int | None = None,
    replacements: Replacements = NOTHING_REPLACED,
) -> list[Hit]:
    """The events that match a text, best first, as for a question; `most` at most. Raises InputError."""
    return _Recall(scope, reader, index, embedder, language, limits, replacements=replacements).search(text, most)


@dataclass(frozen=True)
class _Recall:
    scope: Scope
    reader: EventReader
    index: DenseIndex
    embedder: Embedder
    language: Language
    limits: RecallLimits
    models: Models = NO_MODELS
    trace: TraceRecorder = field(default_factory=lambda: TraceRecorder(lambda: 0.0))
    replacements: Replacements = NOTHING_REPLACED
    stated: StatedRelations = NOTHING_STATED
    beliefs: Beliefs = NOTHING_BELIEVED

    def ask(self, text: str, notify: Notify) -> Answer:
        notes = Notes(self.language.grammar)
        parsed, candidates = self._find(text, notes)
        candidates = [candidate for candidate in candidates if not repeats_question(parsed, candidate)]
        then = self._as_of_question(parsed, candidates)
        candidates, outdated = self._renewed(parsed, candidates, then)
        # What was replaced says that memory knows of it, and the answer leaves it out.
        held = coverage(parsed, candidates, self.embedder.unrelated)
        holding = [candidate for candidate in candidates if candidate.node_id not in outdated]
        found = self._stated(parsed, candidates, outdated, then, notify)
        if found is None:
            answering = self._of_whom_is_asked(parsed, that_may_answer(parsed, holding))
            answering, held = self._of_kind_asked(parsed, answering, held)
            found = self._answer(parsed, answering, held, notes, notify)
            found = found if answering is holding else with_evidence_of_all(found, holding)
        found = with_replaced(found, candidates, outdated, parsed.language.grammar)
        self.trace.end_stage("answer")
        return replace(found, notes=tuple(notes.lines), trace=self.trace.trace())

    def _stated(
        self,
        parsed: ParsedQuestion,
        candidates: Sequence[Candidate],
        outdated: Mapping[int, Replacement],
        then: Scope,
        notify: Notify,
    ) -> Answer | None:
        """The answer that a believed fact or a relation gives; None where none does, or a model answers.

        outdated: turns that later ones replaced, by node_id. then: the scope by the end of the time asked for.
        """
        if self.models.answer or not self.scope.has_turns:
            return None
        there = {candidate.node_id: candidate for candidate in candidates}

        def turns(node_ids: Sequence[int]) -> list[Candidate]:
            read = self.reader.events([i for i in dict.fromkeys(node_ids) if i not in there], self.scope)
            new = [Candidate(event, Path((event.node_id,), (), 0.0), language=self.language) for event in read]
            return [*(there[i] for i in node_ids if i in there), *new]

        corrected = {i for i, each in outdated.items() if each.is_correction}
        believed = [f for f in self._believed(parsed, then) if not (f.source and f.source.node_id in corrected)]
        # A later turn that names somebody does not deny who they are.
        denying = () if believed and self.beliefs.asks_who(parsed.question.text, self.scope) else candidates
        found = believed_claims(parsed, believed, turns, denying)
        if found is None:
            known = self.stated.about(names_in(parsed.question.text), self.scope)
            claims = stated_claims(parsed, [each for each in known if each.node_id not in outdated], turns)
            found = Claims(claims) if claims else None
        if found is None:
            return None
        answer = render(parsed, found, candidates)
        notify(answer.text)
        return answer

    def _believed(self, parsed: ParsedQuestion, then: Scope) -> list[Recalled]:
        if parsed.span and then == self.scope:  # it asks for a time that is no date
            return []
        return self.beliefs.answering(parsed.main.text if parsed.span else parsed.question.text, then)

    def _of_whom_is_asked(self, parsed: ParsedQuestion, candidates: list[Candidate]) -> list[Candidate]:
        """The candidates without turns that state what is asked for of somebody else alone: "How old am I?"."""
        if self.models.answer or not self.scope.has_turns:
            return candidates
        turns = [each.node_id for each in best_first(candidates)[:LOOKED_AFTER] if each.event.turn]
        others = self.beliefs.stated_of_others(parsed.question.text, turns, self.scope) if turns else set[int]()
        return [each for each in candidates if each.node_id not in others] if others else candidates

    def _of_kind_asked(
        self, parsed: ParsedQuestion, candidates: list[Candidate], held: Coverage
    ) -> tuple[list[Candidate], Coverage]:
        """The candidates that state a favourite of the kind that is asked for; where none does all, in doubt.

        held: how much of the question the candidates hold.
        """
        if self.models.answer or not self.scope.has_turns or held.relevance is Relevance.UNRELATED:
            return candidates, held
        asked = self.beliefs.favorite_asked(parsed.question.text)
        lacking = [tuple(w for w, each in asked.items() if each.isdisjoint(c.forms)) for c in best_first(candidates)]
        if not asked or not candidates or () in lacking:
            fitting = (c for c in candidates if not any(each.isdisjoint(c.forms) for each in asked.values()))
            return list(fitting), held
        return candidates, Coverage(Relevance.DOUBTFUL, lacking[0])

    def _as_of_question(self, parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Scope:
        """The scope by the end of the days that a question to conversations names: what held then answers it."""
        if not parsed.span or not self.scope.has_turns or self.scope.as_of is not None:
            return self.scope
        said = [each.event.at for each in candidates if each.event.turn and each.event.at]
        end = end_of(parsed.span, max(said)) if said else None
        return self.scope if end is None else replace(self.scope, as_of=end)

    def search(self, text: str, most: int | None) -> list[Hit]:
        parsed, candidates = self._find(text, Notes(self.language.grammar))
        candidates, _ = self._renewed(parsed, candidates, self._as_of_question(parsed, candidates))
        # Who names videos or sessions has chosen where to look, and gets the nearest there.
        chosen = bool(self.scope.video_ids or self.scope.session_ids)
        related = chosen or matches_any(parsed, candidates, self.embedder.unrelated)
        relevant = best_first(candidates) if related else []
        if relevant and parsed.order:  # what happened right after, or last, is found by time and not by words
            selected = self._selected_by_rules(parsed, self._groups(relevant))
            # The best match stays first where time is counted from another event: mostly it is that one.
            stays = 0 if parsed.order in (Order.FIRST, Order.LAST) else 1
            relevant[stays:] = sorted(relevant[stays:], key=lambda candidate: candidate.node_id not in selected)
        return [candidate.hit() for candidate in relevant[:most]]

    def _renewed(
        self, parsed: ParsedQuestion, candidates: list[Candidate], then: Scope
    ) -> tuple[list[Candidate], Mapping[int, Replacement]]:
        """The candidates with the newest statements first, and those that were replaced, as of a scope."""
        best = best_first(candidates)[:LOOKED_AFTER]
        turns = [candidate.node_id for candidate in best if candidate.event.turn]
        newer = [*restated(parsed, best), *self._corrected(parsed, best)] if then == self.scope else []
        found = [*newer, *self.replacements.of(turns, then)] if turns else []
        if not found:
            return candidates, {}
        return renewed(candidates, found, lambda node_ids: self.reader.events(node_ids, self.scope))

    def _corrected(self, parsed: ParsedQuestion, best: Sequence[Candidate]) -> list[Replacement]:
        question = parsed.question.text
        if not self.scope.has_turns or not self.beliefs.asks_for_value(question):
            return []
        return corrections(best, partial(self.beliefs.corrected, question), self.reader, self.scope)

    # Parse, retrieve, score

    def _find(self, text: str, notes: Notes) -> tuple[ParsedQuestion, list[Candidate]]:
        """The question parsed, and its candidates with their scores."""
        words = query(self.language.content_words(cleaned(text)), cleaned(text))
        under_way = self._searches([words])
        catching_up = BACKGROUND.submit(self.index.catch_up)
        embedded = BACKGROUND.submit(self.embedder.embed, [text])
        try:
            parsed, vectors = self._parse(text, embedded, under_way, notes)
        finally:
            catching_up.result()
        self.trace.end_stage("classify")
        retriever = Retriever(self.scope, self.reader, self.index, self.limits, vectors, self.language, under_way)
        parsed, retriever = self._narrowed(parsed, retriever, notes)
        parsed, pool = self._retrieve(parsed, retriever)
        weights = word_weights(parsed, pool)
        shares = self.limits.channels.carries[parsed.question.type]
        scored = spread(score_candidates(parsed, pool, fused_scores(parsed, pool, self._weights), weights, shares))
        missing = missing_events(parsed, scored, retriever)
        return parsed, [*scored, *unscored(parsed, retriever.pool(missing), weights)]

    def _embedding(self, parsed: ParsedQuestion, text: str, embedded: Future[Vectors]) -> ClauseVectors:
        """The vectors of the question's parts, which are begun, equal ones once. embedded: the text's."""
        texts = parsed.turn_embedding_texts if self.scope.has_turns else parsed.embedding_texts
        others = [other for other in dict.fromkeys(texts.values()) if other != text]
        begun = BACKGROUND.submit(self.embedder.embed, others) if others else None

        def vectors() -> dict[str, Vectors]:
            of_text = dict(zip(others, begun.result(), strict=True)) if begun else {}
            if text in texts.values():
                of_text[text] = embedded.result()[0]
            return {key: of_text[each] for key, each in texts.items()}

        return cache(vectors)

    def _searches(self, texts: Iterable[str]) -> UnderWay:
        """Searches by full text in the whole scope, begun."""
        return {
            (words, self.scope): BACKGROUND.submit(by_words, words, self.scope, self.reader, self.limits.sparse)
            for words in texts
        }

    def _parse(
        self, text: str, embedded: Future[Vectors], under_way: UnderWay, notes: Notes
    ) -> tuple[ParsedQuestion, ClauseVectors]:
        """The question parsed, and its vectors. under_way: searches by full text, to which its clauses' are added.

        By the names as they were at the last question, while they are read: mostly there are no new ones. A model
        reads it, and a narrower scope asks the graph for its names, by the present ones alone.
        """
        reading = BACKGROUND.submit(self.reader.vocabulary, self.scope)
        last = None if self.models.text or not self._is_whole_group else self.reader.last_vocabulary(self.scope)
        if last is not None:
            parsed = self._parse_by(last, text, notes)
            vectors = self._embedding(parsed, text, embedded)
            new = [words for words in queries(parsed) if (words, self.scope) not in under_way]
            under_way.update(self._searches(new))
            if reading.result() == last:
                return parsed, vectors
        parsed = self._parse_by(reading.result(), text, notes)
        return parsed, self._embedding(parsed, text, embedded)

    @property
    def _is_whole_group(self) -> bool:
        return self.scope == Scope(self.scope.group_id, user_id=self.scope.user_id)

    def _parse_by(self, names: Names, text: str, notes: Notes) -> ParsedQuestion:
        def in_scope(names: Names) -> Names:
            return names if self._is_whole_group else self.reader.known(names, self.scope)

        if self.models.text is None:
            return parse_question(text, names, self.language, in_scope)
        from amr_neo4j.recall.question.model_parse import type_by_model  # noqa: PLC0415 (only with a model)

        videos = partial(self.reader.recordings, self.scope)
        typed = partial(type_by_model, model=self.models.text, videos=videos, notes=notes, language=self.language)
        return parse_question(text, names, self.language, in_scope, typed)

    def _narrowed(
        self, parsed: ParsedQuestion, retriever: Retriever, notes: Notes
    ) -> tuple[ParsedQuestion, Retriever]:
        """The question with what its time means, and the retriever within the videos and the time that it names.

        A day is ignored where no recording has a date. In a conversation a day is mostly what is talked about ("on
        Thursday"), not when: it narrows nothing and only re-ranks (rank/score.py).
        """
        scope = replace(self.scope, video_ids=parsed.videos or self.scope.video_ids)
        retriever, span = replace(retriever, scope=scope), parsed.span
        of_talk = scope.has_turns and span and (span.day or not parsed.asks_for_all)
        if not span or of_talk:
            return parsed, retriever
        videos, times = self.reader.recordings(scope), self.language.time_expressions
        recorded = [video.recorded_at for video in videos.values() if video.recorded_at]
        if span.day and not recorded:
            notes.lines.append(notes.grammar.no_recording_dates())
            return parsed, retriever

        def holds_events(scope: Scope) -> bool:
            return bool(retriever.nearest(parsed, scope, 1))

        named = tuple(sorted(name for name in videos if span.part and times.names_part(name, span.part)))
        unknown = not recorded and times.is_twelve_hour(span.since + span.until)
        if unknown and not named:
            return replace(parsed, time_left_out=span.words), retriever
        narrowed = narrow_scope(span, scope, recorded, holds_events, times)
        by_name = replace(scope, video_ids=named)
        if named and (unknown or (not holds_events(narrowed) and holds_events(by_name))):
            narrowed = by_name
        parsed = replace(parsed, within=(narrowed.since, narrowed.until))
        if parsed.answer_type is AnswerType.DURATION and narrowed.as_of == scope.as_of:
            narrowed = scope  # what began or ended outside of it counts too
        elif parsed.is_of_a_state and (span.since or span.until):
            narrowed = replace(narrowed, since=scope.since)
        return parsed, replace(retriever, scope=narrowed)

    def _retrieve(self, parsed: ParsedQuestion, retriever: Retriever) -> tuple[ParsedQuestion, Pool]:
        """The question with the synonyms that the first events retrieved have for its words, and the pool.

        Synonyms are looked for in retrieved events, so a question that has some is retrieved for a second time.
        """
        pool = retriever.ranked_events(parsed)
        anchors = self._anchors(parsed, pool)
        synonyms = find_synonyms(parsed, [anchor for anchor, _ in anchors], self.embedder)
        completed = parsed.with_synonyms(synonyms)
        if completed != parsed:
            pool = retriever.ranked_events(completed)
            anchors = self._anchors(completed, pool)
        self.trace.end_stage("anchor")
        pool, walked = retriever.expand(completed, anchors, pool)
        self.trace.record_walk(walked.stopped, walked.frontiers)
        self.trace.end_stage("navigate")
        return completed, pool

    @property
    def _weights(self) -> Weights:
        return self.limits.fusions.weights(self.limits.fusion)

    def _anchors(self, parsed: ParsedQuestion, pool: Pool) -> list[tuple[Candidate, float]]:
        """The events that the walk starts from, the best of the pool, each with its fused score."""
        fused = fuse_whole(parsed, pool, self._weights)
        ranked = np.lexsort((np.array(pool.node_ids), -fused))[: self.limits.anchors]
        return [(pool.candidate(place), fused.item(place)) for place in ranked.tolist()]

    # Verify, answer

    def _answer(
        self, parsed: ParsedQuestion, candidates: list[Candidate], held: Coverage, notes: Notes, notify: Notify
    ) -> Answer:
        if held.relevance is Relevance.UNRELATED or not candidates:
            return not_found(parsed, candidates, held.missing_names)
        if not self.models.answer:
            of_attribute = attribute_answer(parsed, best_first(candidates), self._heard, self._close)
            if held.relevance is Relevance.DOUBTFUL and (of_attribute is None or of_attribute.found):
                return closest_answer(parsed, best_first(candidates), held.missing_names, self._heard, self._close)
            if of_attribute:
                return of_attribute
        verified, candidates = self._verified(parsed, candidates, notes)
        self.trace.end_stage("verify")
        if not verified:
            return not_found(parsed, candidates)
        if parsed.answer_type in (AnswerType.MOMENT, AnswerType.DURATION):
            verified = self._with_places(verified)
            candidates = self._with_places(candidates) if parsed.is_aggregate else candidates
        found = aggregate_answer(parsed, candidates, self._heard)  # a model is shown too little to count
        if found is None and self.models.answer:
            from amr_neo4j.recall.answer.by_model import answer_by_model  # noqa: PLC0415 (only with a model)

            shown = context(parsed, verified, self.limits.context_tokens)
            found = answer_by_model(parsed, shown, candidates, self.models.answer, notes, notify)
            if found:
                return found
        found = found or answer_by_rules(parsed, verified, candidates, self._heard, self._close)
        notify(found.text)
        return found

    @property
    def _close(self) -> float:
        """The cosine from which an event may answer in other words than the question's."""
        return self.embedder.unrelated + SCORING.close

    def _heard(self, node_ids: Sequence[int]) -> Mapping[int, Sequence[Cue]]:
        """The cues of events of the scope."""
        return self.reader.cues(node_ids, self.scope)

    def _with_places(self, candidates: list[Candidate]) -> list[Candidate]:
        """With the places of their recordings, in their time zones."""
        videos = tuple(sorted({c.event.video_id for c in candidates if not c.event.turn}))
        if not videos:
            return candidates
        return with_recording_place(candidates, self.reader.recordings(replace(self.scope, video_ids=videos)))

    def _verified(
        self, parsed: ParsedQuestion, candidates: list[Candidate], notes: Notes
    ) -> tuple[list[Candidate], list[Candidate]]:
        """The candidates of the best groups, and what the question names; and all, with their groups' scores."""
        groups = self._groups(candidates)
        if self.models.judge and groups:
            from amr_neo4j.recall.answer.by_model import judged  # noqa: PLC0415 (only with a model)

            # The group that the rules answer from is judged first: it may be the last one by its words.
            selected = self._selected_by_rules(parsed, groups)
            groups.sort(key=lambda members: selected.isdisjoint(candidate.node_id for candidate in members))
            some = groups[: self.limits.judged or len(groups)]
            scores = judged(parsed, some, self.models.judge, self.limits.context_tokens, notes)
            if scores is not None:
                by_event = {c.node_id: score for members, score in zip(some, scores, strict=True) for c in members}
                scored = [replace(c, judged=by_event.get(c.node_id)) for c in candidates]
                of = {c.node_id: c for c in scored}
                kept = best_groups([[of[c.node_id] for c in members] for members in some], scores, self.limits.groups)
                return with_named(parsed, kept, scored), scored
        return verify(parsed, groups, self.limits.groups), candidates

    def _groups(self, candidates: Sequence[Candidate]) -> list[Group]:
        return rank_groups(group(candidates, gap=self.limits.group_gap, span=self.limits.group_span))

    def _selected_by_rules(self, parsed: ParsedQuestion, groups: Sequence[Group]) -> set[int]:
        """node_ids of the events that an answer by rules would rest on. groups: at least one."""
        verified = verify(parsed, groups, self.limits.groups)
        return {candidate.node_id for candidate in selected_events(parsed, verified)}
