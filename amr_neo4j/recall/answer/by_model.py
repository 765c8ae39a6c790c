"""The stages of recall that a chat model does, if one is configured. If it fails, rules do its stage."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise

from amr_neo4j.domain.chat import Prompt
from amr_neo4j.domain.citation_form import without_labels
from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.domain.ports import ChatModel, Notify
from amr_neo4j.domain.prompt_injection import marked
from amr_neo4j.domain.recall import Path, citation
from amr_neo4j.domain.replies import Relevance
from amr_neo4j.errors import ModelFailed, ModelUnavailable, ReplyCut, StreamBroken
from amr_neo4j.language.refusals import is_refusal
from amr_neo4j.prompts.library import prompt
from amr_neo4j.recall.answer.citations import Checked, checked
from amr_neo4j.recall.answer.claim import ModelClaim, ModelClaims, Reason, Unknown
from amr_neo4j.recall.answer.context import CHARACTERS_PER_TOKEN, Shown, cut
from amr_neo4j.recall.evidence.changes import StateChange, carried_things
from amr_neo4j.recall.evidence.dialogue import line_about
from amr_neo4j.recall.evidence.spatial import descriptions_about
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.groups import Group
from amr_neo4j.recall.retrieve.candidate import Candidate, path_text
from amr_neo4j.recall.trace import Notes

_LONGEST_NOTED_CLAIM = 300
_MOST_PATHS = 10


def judged(
    parsed: ParsedQuestion, groups: Sequence[Group], model: ChatModel, *, tokens: int, notes: Notes
) -> Sequence[float] | None:
    """Return how relevant the model finds each group, from 0 to 1; None if its first call fails.

    Each call shows as many groups as fit into `tokens`, until all are judged. A group that the model gives no score
    scores 0. If a later call fails, its groups and the rest score 0, with a note.

    groups: best first.
    """
    texts = ["\n".join(evidence_line(parsed, c) for c in group) for group in groups]
    scores: list[float] = []
    for batch in _batches(texts, tokens):
        numbered = "\n\n".join(f"Group {number}\n{text}" for number, text in enumerate(batch, start=1))
        try:
            asked = prompt("relevance", question=parsed.question.text, groups=numbered, count=len(batch))
            reply, _ = model.ask(asked, Relevance)
        except ModelFailed as error:
            notes.did_without("judge", error)
            return [*scores, *[0.0] * (len(texts) - len(scores))] if scores else None
        # A group number that the model made up has no group here and is dropped.
        given = {score.group: score.score for score in reply.scores}
        scores += [given.get(number, 0.0) for number in range(1, len(batch) + 1)]
    return scores


def _batches(texts: Sequence[str], tokens: int) -> Iterator[list[str]]:
    """Yield the texts in order, as many at once as fit into `tokens`. A longer text is truncated and comes alone."""
    most = max(tokens * CHARACTERS_PER_TOKEN, 1)
    batch: list[str] = []
    for text in (text[:most] for text in texts):
        if batch and sum(map(len, batch)) + len(text) > most:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def claims_by_model(
    parsed: ParsedQuestion, shown: Shown, model: ChatModel, *, computed: str = "", notes: Notes, notify: Notify
) -> ModelClaims | Unknown | None:
    """Return the claims of a model's answer that cite what the model was shown.

    shown: the evidence that the model reads.
    computed: a count or a time that was computed over all of memory, for the model to phrase.
    notify: called with each claim as soon as its citations are checked.
    Returns Unknown with NOT_FOUND if the model says that the evidence holds no answer, in the form or the words that
    the prompt asks for, and with IN_DOUBT if it refuses in other words or if no claim of its reply cites anything.
    Returns None if the model failed before its first claim.
    """
    grammar = parsed.language.grammar
    notes.lines += [grammar.respelled_name(word.word, word.taken_as) for word in parsed.respellings]
    candidates = shown.candidates
    # A model may cite what it was not shown, so each citation is looked up here (decision 0025).
    context = {node_id: candidate.event for node_id, candidate in candidates.items()}
    claims, refusals, states_not_found = list[ModelClaim](), list[ModelClaim](), False
    try:
        asked = prompt(
            "answer",
            question=parsed.question.text,
            context=str(shown.context),
            paths="\n".join(_paths(parsed, shown)) or "-",
            computed=computed or "-",
        )
        for claim in _claims_of_reply(asked, context, model, notes):
            notes.lines += map(grammar.citation_removed, claim.removed)
            if claim.events:
                cited = ModelClaim(claim.text, tuple(candidates[event.node_id] for event in claim.events))
                if is_refusal(without_labels(claim.text)):
                    refusals.append(cited)
                    continue
                claims.append(cited)
                notify(claim.text)
            elif claim.refuses or grammar.is_not_found(claim.text):
                states_not_found = True
            else:
                notes.lines.append(grammar.claim_removed(claim.text[:_LONGEST_NOTED_CLAIM]))
    except ModelFailed as error:
        # Claims that were shown cannot be taken back: rules answer only if none was shown.
        if not claims:
            notes.did_without("answer", error)
            return None
        notes.lines.append(grammar.answer_interrupted(error.message))
    if claims:
        for refusal in refusals:  # the answer states some things and says that others are unknown
            notify(refusal.text)
        return ModelClaims((*claims, *refusals))
    if states_not_found:
        return Unknown()
    notes.lines += [grammar.claim_removed(refusal.text[:_LONGEST_NOTED_CLAIM]) for refusal in refusals]
    notes.lines.append(grammar.answer_unsupported())
    return Unknown(Reason.IN_DOUBT)


def _claims_of_reply(
    asked: Prompt, context: Mapping[int, Event], model: ChatModel, notes: Notes
) -> Iterator[Checked]:
    """Yield the checked claims of a model's reply, those in JSON as the reply streams in.

    A reply that breaks off before its first claim is asked for once more. After it that would repeat what was shown.
    """
    begun = False
    try:
        for claim in checked(_noting_truncation(model.stream(asked), notes), context, model.read):
            begun = True
            yield claim
    except StreamBroken as broken:
        if begun:
            raise
        try:
            yield from checked(_noting_truncation(model.stream(asked), notes), context, model.read)
        except ModelUnavailable as error:
            raise broken from error  # the first failure says why; this one may only say that no time is left


def _paths(parsed: ParsedQuestion, shown: Shown) -> list[str]:
    """Return the paths through the shown events, in words.

    First come the moves of carried things, then the paths of the walk, the longest first. A path
    whose events all lie in a path before it is left out.
    """
    candidates = shown.candidates
    moves = [_path_of(chain) for chain in carried_things(parsed, list(candidates.values())) if len(chain) > 1]
    walked = [(each.path, each.path_events) for each in candidates.values() if len(each.path.node_ids) > 1]
    whole = [(path, events) for path, events in walked if set(path.node_ids) <= candidates.keys()]
    kept = list[tuple[Path, Mapping[int, Event]]]()
    for path, events in [*moves, *sorted(whole, key=lambda each: -len(each[0].node_ids))]:
        if not any(set(path.node_ids) <= set(other.node_ids) for other, _ in kept):
            kept.append((path, events))
    texts = [path_text(path, events, parsed.language.grammar) for path, events in kept[:_MOST_PATHS]]
    return [cut(" ".join(text.split())) for text in texts]


def _path_of(moves: Sequence[StateChange]) -> tuple[Path, Mapping[int, Event]]:
    """Return the path from one move to the next, each of what holds the thing that was moved before."""
    events = {move.candidate.node_id: move.candidate.event for move in moves}
    edges = tuple(
        Edge(one.candidate.node_id, other.candidate.node_id, Channel.OBJECT_LIFECYCLE, {"object": other.thing})
        for one, other in pairwise(moves)
    )
    path = Path(tuple(events), tuple(edge.channel for edge in edges), 0.0, edges)
    return path, events


def has_figures(answer: ModelClaims, computed: str, counted: Container[int], *, known: str) -> bool:
    """Return whether an answer states the computed figures in digits, and each claim cites an event that was counted.

    counted: node_ids of the events that the figures rest on.
    known: a text whose figures the answer may have, too. If any other figure were allowed, "not 5 but 7 times" would
        pass.
    """
    if not all(any(event.node_id in counted for event in claim.events) for claim in answer.claims):
        return False
    said = set(re.findall(r"\d+", " ".join(without_labels(claim.text) for claim in answer.claims)))
    wanted = set(re.findall(r"\d+", computed))
    return bool(wanted) and wanted <= said <= wanted.union(re.findall(r"\d+", known))


def _noting_truncation(pieces: Iterator[str], notes: Notes) -> Iterator[str]:
    """Yield the pieces of a reply. A reply that reached its length limit is used as far as it goes, with a note."""
    try:
        yield from pieces
    except ReplyCut as error:
        notes.lines.append(notes.grammar.answer_truncated(error.message))


def evidence_line(parsed: ParsedQuestion, candidate: Candidate) -> str:
    """Return one line: the citation, wall clock, summary, and the dialogue and places that concern the question."""
    event = candidate.event
    at = f" ({event.at:%Y-%m-%d %H:%M:%S %Z})" if event.at else ""
    lines = dict.fromkeys(line for clause in parsed.clauses if (line := line_about(candidate, clause)))
    text = parsed.language.grammar.evidence_line(event, list(lines), descriptions_about(candidate, parsed.clauses))
    line = marked(" ".join(text.split()), suspected=event.suspected_injection)
    return cut(f"{citation(event).label}{at} {line}")
