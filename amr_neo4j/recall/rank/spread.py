"""Spreads the best events: what repeats a better one, or lies in the same scene or session, is ranked lower."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import exp

import numpy as np

from amr_neo4j.recall.question.parsed import ParsedQuestion
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
    # Of equal scores, the event that was stored first is the better one.
    ordered = sorted(candidates, key=lambda each: each.node_id)
    scores = np.array([each.score for each in ordered])
    starts = np.array([each.event.time_start for each in ordered])
    recordings = np.array([each.features.recording for each in ordered])
    waiting = np.full(len(ordered), True)
    for _ in ordered[:SPREAD]:
        place = int(np.argmax(np.where(waiting, scores, -np.inf)))
        waiting[place] = False
        best, start = ordered[place], starts[place]
        if best.event.turn:
            continue
        near = (starts >= start - SCORING.repeated_farthest_sec) & (starts <= start + SCORING.repeated_farthest_sec)
        for other in np.flatnonzero(waiting & near & (recordings == recordings[place])):
            score = ordered[other].score - SCORING.repeated * _repeats(ordered[other], best)
            scores[other] = min(scores[other], max(0.0, score))
    found = dict(zip((each.node_id for each in ordered), scores.tolist(), strict=True))
    return [c if found[c.node_id] == c.score else replace(c, score=found[c.node_id]) for c in candidates]


def different_scenes(candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Return (candidates of different scenes, the others), both in the given order.

    An event is in the scene of a better one if the two begin less than 45 s (`apart_sec`) apart in the same video. In
    a short video less is enough: a twentieth (`apart_share`) of the time over which its candidates are spread. Each
    of these is always a scene of its own:
    - turns;
    - events of short videos, if there are several videos: their hits are mostly in different videos anyway;
    - events of a video whose analysis lists actions: a question may be about several deeds in a row.

    candidates: best first.
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
    kept: dict[str, list[float]] = defaultdict(list)  # in order of time
    for candidate in candidates:
        event = candidate.event
        if event.turn or event.video_id in listing:
            apart.append(candidate)
            continue
        better, gap = kept[event.video_id], gaps[event.video_id]
        place = bisect_left(better, event.time_start)
        if any(abs(event.time_start - start) < gap for start in better[max(0, place - 1) : place + 1]):
            others.append(candidate)
        else:
            better.insert(place, event.time_start)
            apart.append(candidate)
    return apart, others


def over_sessions(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates. If a question asks for several things, the first turns come from more sessions.

    A turn loses `same_session` of the best score for each better turn of its session, but only for this order.
    Anything else is mostly answered by one session, whose turns belong together.

    candidates: best first. Events of videos keep their places.
    """
    if not parsed.asks_for_several:
        return list(candidates)
    better = Counter[str]()
    ranked: list[tuple[float, Candidate]] = []
    for candidate in candidates:
        if candidate.event.turn:
            session = candidate.event.video_id
            ranked.append((candidate.score - SCORING.same_session * candidates[0].score * better[session], candidate))
            better[session] += 1
    turns = iter(sorted(ranked, key=lambda each: each[0], reverse=True))
    return [next(turns)[1] if candidate.event.turn else candidate for candidate in candidates]


def _repeats(candidate: Candidate, better: Candidate) -> float:
    apart = abs(candidate.event.time_start - better.event.time_start)
    words, others = candidate.features.word_counts.keys(), better.features.word_counts.keys()
    if not words:
        return 0.0
    common = len(words & others)
    return exp(-apart / SCORING.repeated_decay_sec) * common / (len(words) + len(others) - common)
