"""Groups of candidates: continuous segments of one video, or of one session."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.features import recording_of

Group = tuple[Candidate, ...]


def group(candidates: Sequence[Candidate], *, gap: float, span: float) -> list[Group]:
    """The candidates in groups, each in chronological order.

    A group continues while the next event starts within `gap` seconds of the group's end so far and ends within
    `span` seconds of its start.
    """
    ordered = sorted(candidates, key=lambda c: (recording_of(c.event), *c.event.rhythm, c.node_id))
    groups: list[Group] = []
    for _, of_video in groupby(ordered, key=lambda c: recording_of(c.event)):
        groups += _segments(list(of_video), gap, span)
    return groups


def _segments(candidates: Sequence[Candidate], gap: float, span: float) -> list[Group]:
    segments: list[list[Candidate]] = []
    first_start = last_end = 0.0
    for candidate in candidates:
        start, end = candidate.event.rhythm
        if segments and start - last_end <= gap and end - first_start <= span:
            segments[-1].append(candidate)
            last_end = max(last_end, end)
        else:
            segments.append([candidate])
            first_start, last_end = start, end
    return [tuple(segment) for segment in segments]
