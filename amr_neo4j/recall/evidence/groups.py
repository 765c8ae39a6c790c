"""Candidates that belong together: a continuous stretch of one video, or of one session."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from amr_neo4j.recall.evidence.candidate import Candidate

Group = tuple[Candidate, ...]


def group(candidates: Sequence[Candidate], *, gap: float, span: float) -> list[Group]:
    """The candidates in stretches of time, each in order of time.

    A stretch goes on while the next event starts within `gap` seconds of the end so far and ends within `span`
    seconds of the stretch's start.
    """
    ordered = sorted(candidates, key=lambda c: (*_video(c), *c.event.rhythm, c.node_id))
    groups: list[Group] = []
    for _, of_video in groupby(ordered, key=_video):
        groups += _stretches(list(of_video), gap, span)
    return groups


def _video(candidate: Candidate) -> tuple[bool, str]:
    """Its video, or the session of a turn, which may be called like a video."""
    return candidate.event.turn is not None, candidate.event.video_id


def _stretches(candidates: Sequence[Candidate], gap: float, span: float) -> list[Group]:
    stretches: list[list[Candidate]] = []
    for candidate in candidates:
        if stretches and _continues(stretches[-1], candidate, gap, span):
            stretches[-1].append(candidate)
        else:
            stretches.append([candidate])
    return [tuple(stretch) for stretch in stretches]


def _continues(stretch: Sequence[Candidate], candidate: Candidate, gap: float, span: float) -> bool:
    end = max(earlier.event.rhythm[1] for earlier in stretch)
    begins, ends = candidate.event.rhythm
    return begins - end <= gap and ends - stretch[0].event.rhythm[0] <= span
