"""What an exploration saw as clip analyses, lines that ingestion takes (docs/clip-analyses.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis
from amr_neo4j.explorer.tree import Node, Tree

_LONGEST_SUMMARY = 2_000


def lines(tree: Tree, video_id: str, only: str = "", *, uri: str = "") -> list[str]:
    """A JSON line for each node that showed something. only: the id of the one node that is wanted, empty for all.

    uri: of the video.

    The clip's id is made of its range and what was seen, so that repeating an exploration changes nothing.
    """
    nodes = [node for node in tree.nodes.values() if node.status == "seen" and only in ("", node.id)]
    return [line for node in nodes if (line := _line(node, video_id, uri))]


def _line(node: Node, video_id: str, uri: str) -> str:
    analysis = node.analysis or _described(node)
    if analysis is None or not (analysis.events or analysis.speaker_turns):
        return ""
    content = analysis.model_dump(mode="json")
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    start, end = node.span.start_s, node.span.end_s
    return json.dumps(
        {
            "video_id": video_id,
            "clip_id": f"explored-{round(start * 1000)}-{round(end * 1000)}-{digest}",
            "t_start": start,
            "t_end": end,
            "time_base": "video",
            "uri": uri or None,
            "analysis": content,
        }
    )


def _described(node: Node) -> ClipAnalysis | None:
    """What a model said of a node that it kept, as one event over its range; None where it discarded the node."""
    decision = node.decision
    if decision is None or decision.kind not in ("answer", "expand"):
        return None
    text = " ".join(" ".join(_sentences([node.seen, decision.rationale, decision.answer])).split())
    if not text:
        return None
    span = decision.span or node.span
    summary = text[:_LONGEST_SUMMARY]
    event = AnalysedEvent(local_event_id="E1", time_start=span.start_s, time_end=span.end_s, summary=summary)
    return ClipAnalysis(clip_summary=summary, events=(event,))


def _sentences(texts: Iterable[str]) -> Iterable[str]:
    return (text if text.endswith((".", "!", "?")) else f"{text}." for text in map(str.strip, texts) if text)
