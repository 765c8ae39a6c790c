"""Where memory has no answer: the videos of the scope are explored, and what is found is kept and cited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.app.explored_video import ExploredVideo
from amr_neo4j.app.exploring import explore, explore_options
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.exploration import Exploration, Span
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.recall import Answer, Citation, Hit, Scope
from amr_neo4j.errors import InputError

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def look_further(parts: Parts, unknown: Answer, scope: Scope, looks: int, notify: Notify) -> Answer:
    """The answer of an exploration with its citation, else `unknown` with a note on what was looked at.

    looks: segments at most, over all videos. notify: gets the answer.
    """
    question, left, seen = unknown.question.text, looks, 0
    notes, guesses = list(unknown.notes), list[tuple[float, str]]()
    for video_id, path in _files(parts, scope):
        if left <= 0:
            break
        how = explore_options(parts.settings, max_looks=left)
        memory = ExploredVideo(parts, path, video_id)
        try:
            found, tree = explore(parts.ledger, path, question, how, memory)
        except InputError as error:
            notes.append(f"{video_id} could not be looked at: {error}")
            continue
        left, seen = left - found.looks, seen + found.looks
        if found.found and found.node_id:
            memory.keep(tree, only=found.node_id)
            events = _kept(parts, memory, scope)
            if events:
                answer = _answer(unknown, found, events, (*notes, _looked(seen)))
                notify(answer.text)
                return answer
        elif found.guess:
            guesses.append((found.confidence, f"{video_id}: {found.answer}"))
    notes += [text for _, text in sorted(guesses, reverse=True)[:1]]
    return replace(unknown, notes=(*notes, _looked(seen)))


def _looked(seen: int) -> str:
    return f"memory had no answer; {seen} segments of video were looked at"


def _files(parts: Parts, scope: Scope) -> Iterator[tuple[str, Path]]:
    """The videos of a scope whose files are here, the one taken in last first."""
    wanted = set(parts.reader.recordings(scope))
    for video in reversed(parts.browse.videos()):
        if video.video_id in wanted and video.uri and Path(video.uri).is_file():
            yield video.video_id, Path(video.uri)


def _kept(parts: Parts, memory: ExploredVideo, scope: Scope) -> list[Event]:
    """The events that what was seen became, in order of time."""
    node_ids = [node_id for receipt in memory.receipts for node_id in receipt.node_ids]
    return parts.reader.events(node_ids, Scope(scope.group_id, (memory.video_id,)))


def _answer(unknown: Answer, found: Exploration, events: list[Event], notes: tuple[str, ...]) -> Answer:
    """Cites the event that shares most with the seconds of the finding."""
    span = found.span
    cited = max(events, key=lambda event: _shared(event, span)) if span else events[0]
    citation = Citation(cited.node_id, cited.video_id, cited.time_start, cited.time_end)
    text = f"{found.answer} {citation.label}"
    hit = Hit(cited, found.confidence)
    return Answer(unknown.question, text, True, (hit,), (citation,), notes, unknown.trace)


def _shared(event: Event, span: Span) -> tuple[float, float]:
    """Seconds in common; of equals the event that starts closest."""
    start, end = max(event.time_start, span.start_s), min(event.time_end, span.end_s)
    return max(0.0, end - start), -abs(event.time_start - span.start_s)
