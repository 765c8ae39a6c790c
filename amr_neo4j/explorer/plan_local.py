"""A planner without a model: memory's anchors, then an overview, then closer where something fits the question."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.domain.exploration import Decision, Find, ProposedPath, Span, Visit
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.explorer.overview import CLIP_S, Overview, around, peaks, probes
from amr_neo4j.explorer.wanted import Reader

SURE = 0.85
"""A find of this fit is the answer at once."""
_CLOSEST = 0.5
"""A find of this fit is given at the end as the closest."""
_RELATED = 0.25
"""From this fit on, the ranges before and after are looked at."""
_HOPE = 0.4
"""Confidence at most in the ranges before and after; that of the first paths is 0.3."""
_PEAKS, _PROBES = 0.6, 0.2
"""Scores of the best peak and of a probe."""


class LocalPlanner:
    """Decides by what the local analyser found (a Planner of domain/ports.py)."""

    def __init__(self, reader: Reader, duration_s: float, overview: Overview, most: int) -> None:
        """overview: of the video. most: first paths."""
        self._reader, self._duration_s = reader, duration_s
        self._overview, self._most = overview, most
        self._best: tuple[Find, str] | None = None
        self._looks = 0

    def begin(self) -> Decision:
        """Where the picture is unusual, then probes over the whole."""
        say = self._reader.sentence
        found = peaks(self._overview, self._duration_s, max(1, self._most * 3 // 4))
        scores = [_PROBES + (_PEAKS - _PROBES) * (1 - rank / len(found)) for rank in range(len(found))]
        paths = [
            ProposedPath("", say("peak"), span.start_s, span.end_s, score)
            for span, score in zip(found, scores, strict=True)
        ]
        coarse = probes(self._duration_s, self._most - len(paths))
        paths += [
            ProposedPath("", say("probe"), span.start_s, span.end_s, _PROBES / (2 if found else 1)) for span in coarse
        ]
        return Decision("expand", say("overview"), tuple(paths), confidence=0.3)

    def decide(self, visits: Sequence[Visit]) -> list[Decision]:
        """By the best find of each."""
        return [self._decided(visit) for visit in visits]

    def conclude(self, why: str) -> Decision:
        """The closest find, if any is close."""
        if self._best is None or self._best[0].fit < _CLOSEST:
            return Decision("terminate", self._reader.sentence("none", count=self._looks), confidence=1.0)
        find, node = self._best
        return self._answer("partial", find, node)

    def _decided(self, visit: Visit) -> Decision:
        self._looks += 1
        best = max(visit.look.finds, key=lambda find: find.fit, default=None)
        if best and (self._best is None or best.fit > self._best[0].fit):
            self._best = (best, visit.node_id)
        if best and best.fit >= SURE:
            return self._answer("answer", best, visit.node_id)
        if best and best.fit >= _RELATED and visit.may_expand:
            paths = self._beside(visit.span)
            # However close the find, what is asked for is elsewhere: at another peak as likely as beside this one.
            hope = min(best.fit, _HOPE)
            return Decision("expand", self._reader.sentence("something"), paths, confidence=hope)
        return Decision("discard", self._reader.sentence("nothing"), confidence=1 - (best.fit if best else 0))

    def _answer(self, sentence: str, find: Find, node: str) -> Decision:
        say = self._reader.sentence
        start, end = (clock(round(second, 1)) for second in (find.span.start_s, find.span.end_s))
        text = say(sentence, summary=find.summary, start=start, end=end)
        found = say("found", summary=find.summary)
        return Decision("answer", found, answer=text, confidence=find.fit, extractive=True, node=node, span=find.span)

    def _beside(self, span: Span) -> tuple[ProposedPath, ...]:
        """The ranges before and after, the more unusual one first."""
        before = around(span.start_s - CLIP_S / 2, self._duration_s, CLIP_S)
        after = around(span.end_s + CLIP_S / 2, self._duration_s, CLIP_S)
        paths = [
            ProposedPath("", self._reader.sentence(name), each.start_s, each.end_s, self._score(each))
            for each, name in ((before, "before"), (after, "after"))
        ]
        return tuple(sorted(paths, key=lambda path: -path.score))

    def _score(self, span: Span) -> float:
        """Of a path, 0 to 1: by the share of all seconds that are less unusual than its own."""
        here = max(self._overview.within(span), default=0.0)
        less = sum(each < here for each in self._overview.interest)
        return _PROBES + (_PEAKS - _PROBES) * less / max(1, len(self._overview.interest))
