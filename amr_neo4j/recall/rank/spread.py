"""Spreads the best events: what repeats a better event near it, or lies in the same scene, is ranked lower."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from math import exp

from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.weights import SCORING

# Only this many of the best are spread, because only the best are listed.
SPREAD = 20


def spread(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, with a lower score for those that repeat a better event of their video.

    Successive captions often do. An event loses `repeated` times the share of words that the two events have in
    common (Jaccard); the further apart they begin, the less. If it repeats several, only the largest loss counts
    (maximal marginal relevance, Carbonell and Goldstein 1998). Turns keep their scores.
    """
    of_video: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if not candidate.event.turn:
            of_video[candidate.event.video_id].append(candidate)
    for video in of_video.values():
        # Sorted for the binary search of `_near`.
        video.sort(key=_start)
    lowered: dict[int, float] = {}
    listed: set[int] = set()
    # A heap cannot lower a score in place: the candidate is pushed again, and its entry with the old score is
    # skipped.
    best_first = [(-candidate.score, candidate.node_id, candidate) for candidate in candidates]
    heapify(best_first)
    while best_first and len(listed) < SPREAD:
        negative, node_id, best = heappop(best_first)
        if node_id in listed or -negative != lowered.get(node_id, best.score):
            continue
        listed.add(node_id)
        # Only events near the best one lose score for repeating it, so only they are compared.
        for other in _near(best, of_video):
            repeats = 0.0 if other.node_id in listed else _repeats(other, best)
            score = max(0.0, other.score - SCORING.repeated * repeats)
            if score < lowered.get(other.node_id, other.score):
                lowered[other.node_id] = score
                heappush(best_first, (-score, other.node_id, other))
    return [replace(c, score=lowered[c.node_id]) if c.node_id in lowered else c for c in candidates]


def different_scenes(candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Return (candidates of different scenes, the others), both in the given order.

    candidates: best first.
    An event is in the scene of a better one if the two begin less than 45 s (`apart_sec`) apart in the same video. In
    a short video less is enough: a twentieth (`apart_share`) of the time over which its candidates are spread. Each
    of these is always a scene of its own:
    - turns;
    - events of short videos, if there are several videos: their hits are mostly in different videos anyway;
    - events of a video whose analysis lists actions: a question may be about several deeds in a row.
    """
    starts: dict[str, list[float]] = defaultdict(list)
    for candidate in candidates:
        starts[candidate.event.video_id].append(candidate.event.time_start)
    listing = {candidate.event.video_id for candidate in candidates if candidate.event.lists_actions}
    gaps: dict[str, float] = {}
    for video_id, times in starts.items():
        share = SCORING.apart_share * (max(times) - min(times))
        gaps[video_id] = min(SCORING.apart_sec, share) if share >= SCORING.apart_sec or len(starts) == 1 else 0.0
    apart: list[Candidate] = []
    others: list[Candidate] = []
    kept: dict[str, list[float]] = defaultdict(list)
    for candidate in candidates:
        event = candidate.event
        if event.turn or event.video_id in listing:
            apart.append(candidate)
        elif any(abs(event.time_start - start) < gaps[event.video_id] for start in kept[event.video_id]):
            others.append(candidate)
        else:
            kept[event.video_id].append(event.time_start)
            apart.append(candidate)
    return apart, others


def _start(candidate: Candidate) -> float:
    return candidate.event.time_start


def _near(best: Candidate, of_video: Mapping[str, Sequence[Candidate]]) -> Sequence[Candidate]:
    """Return the candidates of the same video that begin near `best`.

    of_video: each list sorted by start.
    """
    if best.event.turn:
        return ()
    video, start = of_video[best.event.video_id], best.event.time_start
    first = bisect_left(video, start - SCORING.repeated_farthest_sec, key=_start)
    return video[first : bisect_right(video, start + SCORING.repeated_farthest_sec, first, key=_start)]


def _repeats(candidate: Candidate, better: Candidate) -> float:
    apart = abs(candidate.event.time_start - better.event.time_start)
    words, others = candidate.features.word_counts.keys(), better.features.word_counts.keys()
    if not words:
        return 0.0
    common = len(words & others)
    return exp(-apart / SCORING.repeated_decay_sec) * common / (len(words) + len(others) - common)
