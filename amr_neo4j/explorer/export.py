"""Exports an exploration: tree.json (docs/exploration.schema.json), its result, and clip analyses for memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.exploration import Decision, Exploration, Find, Segment, Span, Stopped
from amr_neo4j.domain.plain import Json, picked
from amr_neo4j.domain.video import EXPLORED, Video
from amr_neo4j.explorer.policy import Policy
from amr_neo4j.explorer.tree import ROOT, Node, Proposal, Tree

SCHEMA_VERSION = 1


def exported(
    tree: Tree, *, question: str, video: Json, policy: Policy, stopped: Stopped, planner: str, seconds: float
) -> Json:
    """Return the content of tree.json.

    video: {"path": ..., "duration_s": ...}.
    planner: the model's name, or `local`.
    """
    best = tree.best()
    answer = _answer(tree, *best) if best else None
    children: dict[str, list[str]] = {}
    for node in tree.nodes.values():
        children.setdefault(node.parent, []).append(node.id)
    return {
        "schema_version": SCHEMA_VERSION,
        "question": question,
        "video": video,
        "planner": planner,
        "options": dict(vars(policy)),
        "stopped": stopped,
        "terminated": is_terminated(tree, stopped),
        "answer": answer,
        "node_count": len(tree.nodes),
        "looks": len(tree.seen()),
        "usage": dict(vars(tree.usage)),
        "seconds": round(seconds, 3),
        "root": {
            "decision": _decision(tree.root) if tree.root else None,
            "proposals": [_proposal(each) for each in tree.root_proposals],
            "seconds": round(tree.root_seconds, 3),
            "children": children.get(ROOT, []),
        },
        "nodes": [_node(node, children.get(node.id, [])) for node in tree.nodes.values()],
        "further": [_decision(each) for each in tree.further],
        "closing": _decision(tree.closing) if tree.closing else None,
    }


def is_terminated(tree: Tree, stopped: Stopped) -> bool:
    """Return whether a decision ended the run without an answer. A call that failed decided nothing."""
    closing = tree.closing
    return stopped == "terminate" or bool(closing and closing.kind == "terminate" and not closing.failed)


def result(tree: Tree, document: Json) -> Exploration:
    """Return the result of a run. document: as `exported` returns it."""
    best = tree.best()
    decision, node_id = best or (Decision("terminate"), ROOT)
    node = tree.nodes.get(node_id)
    every = [node for node in tree.nodes.values() if node.status == "failed"]
    return Exploration(
        **{name: document[name] for name in ("question", "terminated", "stopped", "looks", "seconds")},
        **picked(decision, "answer", "confidence", "extractive", "guess"),
        video=document["video"]["path"],
        found=best is not None and not decision.guess,
        nodes=document["node_count"],
        node_id=node_id,
        span=decision.span or (node.span if node else None),
        segment=node.segment.path if node and node.segment else "",
        usage=tree.usage,
        notes=(
            *tree.look_notes,
            *dict.fromkeys(note for each in tree.decided() for note in each.notes),
            *(each.rationale for each in tree.decided() if each.failed),
            *(f"{node.id} could not be looked at: {node.notes[-1]}" for node in every if node.notes),
        ),
        tree=document,
    )


def _answer(tree: Tree, decision: Decision, node_id: str) -> Json:
    node = tree.nodes.get(node_id)
    # A decision may name a narrower range than that of its node.
    span = decision.span or (node.span if node else None)
    return {
        "text": decision.answer,
        **picked(decision, "confidence", "extractive", "guess"),
        "node": node_id or None,
        "start_s": span.start_s if span else None,
        "end_s": span.end_s if span else None,
        "segment": node.segment.path if node and node.segment else None,
    }


def _node(node: Node, children: list[str]) -> Json:
    return {
        "id": node.id,
        "parent": node.parent or None,
        "children": children,
        **picked(node, "depth", "strategy"),
        **_span(node.span),
        "origin": node.origin,
        "score": round(node.score, 4),
        "priority": round(node.priority, 4),
        **picked(node, "status", "looks"),
        "decision": _decision(node.decision) if node.decision else None,
        "proposals": [_proposal(each) for each in node.proposals],
        "segment": _segment(node.segment) if node.segment else None,
        **picked(node, "seen", "shown"),
        "finds": [_find(find) for find in node.finds],
        "analysis": node.analysis.model_dump(mode="json") if node.analysis else None,
        "notes": node.notes,
        "usage": dict(vars(node.usage)),
        "timings": {name: round(seconds, 4) for name, seconds in vars(node.timings).items()},
    }


def _decision(decision: Decision) -> Json:
    return {
        "decision": decision.kind,
        "rationale": decision.rationale,
        "direct_answer": decision.answer,
        **picked(decision, "confidence", "extractive"),
        "failed": bool(decision.failed),
        **picked(decision, "raw", "guess"),
        "node": decision.node or None,
        "notes": list(decision.notes),
        "usage": dict(vars(decision.usage)) if decision.usage != Usage() else None,
    }


def _proposal(proposal: Proposal) -> Json:
    asked = proposal.asked
    return {
        "asked": {
            **picked(asked, "id", "strategy"),
            **{name: _number(value) for name, value in picked(asked, "start_s", "end_s", "score").items()},
        },
        "outcome": proposal.outcome,
        "id": proposal.id or None,
        "notes": list(proposal.notes),
    }


def _number(value: float) -> float | str:
    """Return the number; as text if it is infinite or NaN, because JSON has no such numbers."""
    return value if abs(value) < float("inf") else str(value)


def _span(span: Span) -> Json:
    return {"start_s": round(span.start_s, 3), "end_s": round(span.end_s, 3)}


def _segment(segment: Segment) -> Json:
    return {
        "path": segment.path,
        **_span(segment.span),
        "duration_s": round(segment.duration_s, 3),
        **picked(segment, "size_bytes", "reused"),
    }


def _find(find: Find) -> Json:
    fits = {"fit": round(find.fit, 4), "likeness": round(find.likeness, 4)}
    return {**_span(find.span), "summary": find.summary, **fits}


# In characters.
_LONGEST_SUMMARY = 2_000


def clip_lines(
    tree: Tree,
    video: Video,
    only: str = "",
    *,
    question: str = "",
    without: Callable[[float, float], bool] = lambda start, end: False,
) -> list[str]:
    """Return what was seen as clip analyses: a JSON line per node, which `amr ingest` takes (docs/clip-analyses.md).

    A clip's id is made of its range and a hash of what was seen, so that repeating an exploration changes nothing in
    memory.

    only: the id of a single node; empty for all.
    question: what was asked. The answer of a planner that was shown the segment is kept with it.
    without: returns True for a time range (start, end in seconds) that must be left out.
    """
    nodes = [node for node in tree.nodes.values() if node.status == "seen" and only in ("", node.id)]
    shown = [node for node in nodes if not without(node.span.start_s, node.span.end_s)]
    return [line for node in shown if (line := _clip_line(node, video, question))]


def _clip_line(node: Node, video: Video, question: str) -> str:
    analysis = node.analysis or _described(node, question)
    if analysis is None or not (analysis.events or analysis.speaker_turns):
        return ""
    content = analysis.model_dump(mode="json")
    # With sorted keys, so that equal content has an equal digest.
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    start, end = node.span.start_s, node.span.end_s
    # Without the place and start of a stored video, its clip would be refused.
    where = {"place": video.place} if video.place not in ("", video.video_id) else {}
    when = {"recorded_at": video.recorded_at.isoformat()} if video.recorded_at else {}
    return json.dumps(
        {
            **where,
            **when,
            "video_id": video.video_id,
            "clip_id": f"{EXPLORED}{round(start * 1000)}-{round(end * 1000)}-{digest}",
            "t_start": start,
            "t_end": end,
            "time_base": "video",
            "uri": video.uri or None,
            "analysis": content,
        }
    )


def _described(node: Node, question: str) -> ClipAnalysis | None:
    """Return what a model reported of a node's segment, as one event over its range; None if it reported nothing.

    That is its description, or its answer to the question if it decided too and was shown the segment. The reasons of
    a decision are no report: a model that saw nothing gives reasons as well.
    """
    decision = node.decision
    if decision is None or decision.kind not in ("answer", "expand"):
        return None
    answer = f"{question} {decision.answer}" if node.shown and decision.answer else ""
    text = " ".join((node.seen or answer).split())
    if not text:
        return None
    span = decision.span or node.span
    summary = text[:_LONGEST_SUMMARY]
    event = AnalysedEvent(local_event_id="E1", time_start=span.start_s, time_end=span.end_s, summary=summary)
    return ClipAnalysis(clip_summary=summary, events=(event,))
