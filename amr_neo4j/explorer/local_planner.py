"""A planner without a model: an overview first, then closer looks where something fits the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.domain.exploration import Decision, Find, ProposedPath, Span, Visit
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.explorer.overview import RANGE_S, Overview, around, peaks, probes
from amr_neo4j.explorer.policy import novelty
from amr_neo4j.explorer.question_reader import QuestionReader
from amr_neo4j.explorer.tree import parent_of

SURE = 0.85
"""A find with this fit is the answer at once."""
_CLOSEST = 0.5
"""A find with this fit is given at the end, as the closest."""
_RELATED = 0.25
"""If a find has this fit, the ranges before and after are looked at too."""
_HOPE = 0.4
"""The highest confidence in the ranges before and after a find. The first paths have 0.3."""
_PEAKS, _PROBES = 0.6, 0.2
"""The scores of the best peak and of a probe."""
_EXPECTED = 0.5
"""How much a path's score counts against the likeness of its finds, when the likeliest place is chosen."""
_GUESS = 0.4
"""The highest confidence in a likeliest place."""
_UNCHECKED = 0.7
"""The highest confidence if the analyser cannot see a part of what is asked."""
_SHARED_S = 2.0
"""Seconds that a range shares with the ones before and after. Without them, an event at an edge is cut in two."""
_PLACES = 3
"""The answer names this many likeliest places."""
_WEIGHT_OF_NEXT = 0.5
"""Each further find of a segment counts this share of the one before it: a segment with more finds is likelier."""
_TWICE_S = 2.0
"""Two finds that start within this many seconds may be one event, seen in two segments."""


class LocalPlanner:
    """Decides from the findings of the local analyser, without a model."""

    def __init__(
        self, reader: QuestionReader, question: str, *, duration_s: float, overview: Overview, most: int
    ) -> None:
        """duration_s, overview: the video's.
        most: how many first paths to propose.
        """
        self._reader, self._duration_s = reader, duration_s
        self._overview, self._most = overview, most
        self._unseen = reader.wanted(question).unseen
        self._counts = reader.counts(question)
        self._earlier_looks = 0
        self._visits: list[Visit] = []
        self._fits: dict[str, float] = {}

    def resume(self, root: Decision, visits: Sequence[tuple[Visit, Decision]]) -> None:
        """Take up what was found in an earlier run."""
        self._earlier_looks = len(visits)
        for visit, _ in visits:
            self._decided(visit)

    def begin(self) -> Decision:
        """Proposes where the picture is unusual, then probes over the whole video."""
        say = self._reader.sentence
        # A quarter of the paths is left for probes, because the wanted event may look like everything else.
        found = peaks(self._overview, self._duration_s, max(1, self._most * 3 // 4))
        scores = [_PROBES + (_PEAKS - _PROBES) * (1 - rank / len(found)) for rank in range(len(found))]
        paths = [
            ProposedPath("", say("peak"), span.start_s, span.end_s, score)
            for span, score in zip(found, scores, strict=True)
        ]
        # Probes score less than every peak. Without peaks they are all there is to look at.
        coarse = probes(self._duration_s, self._most - len(paths), beside=found)
        score = _PROBES / 2 if found else _PROBES
        paths += [ProposedPath("", say("probe"), span.start_s, span.end_s, score) for span in coarse]
        return Decision("expand", say("overview"), tuple(paths), confidence=0.3)

    def decide(self, visits: Sequence[Visit]) -> list[Decision]:
        """Return a decision for each visit, by the best find of its segment."""
        return [self._decided(visit) for visit in visits]

    def more(self, unseen: Sequence[Span], looks: int) -> list[Decision]:
        """Decides nothing more: the first paths were as many as looks allow, unless an earlier run had fewer."""
        looks_before, self._earlier_looks = self._earlier_looks, 0
        return [self.begin()] if looks_before else []

    def conclude(self, why: str) -> Decision:
        """Answers with the number of finds if that was asked, otherwise with a close find or the likeliest places."""
        found = [(find, visit) for visit in self._visits for find in visit.look.finds]
        find, visit = max(found, key=lambda each: each[0].fit, default=(None, None))
        if find and visit and find.fit >= SURE and self._counts:
            return self._counted([each for each in found if each[0].fit >= SURE])
        if find and visit and find.fit >= _CLOSEST:
            return self._answer("partial", find, visit.node_id)
        # Nothing was recognised. An unnamed thing at a likely place is still better than no answer.
        if alike := [each for each in self._visits if _likeness(each) > 0]:
            return self._likeliest(sorted(alike, key=lambda each: -_likeness(each) - _EXPECTED * each.score))
        return Decision("terminate", self._reader.sentence("none", count=len(self._visits)), confidence=1.0)

    def _decided(self, visit: Visit) -> Decision:
        self._visits.append(visit)
        best = max(visit.look.finds, key=lambda find: find.fit, default=None)
        self._fits[visit.node_id] = best.fit if best else 0.0
        if best and best.fit >= SURE and not self._counts:
            return self._answer("answer", best, visit.node_id)
        # Closer looks go on only while they find something that fits better than before.
        nearer = best is not None and best.fit > self._fits.get(parent_of(visit.node_id), 0.0)
        # Counting needs as much of the video as the looks allow, and no closer looks.
        if best and nearer and best.fit >= _RELATED and visit.may_expand and not self._counts:
            paths = self._beside(visit.span)
            # This find is not the wanted event, however close it comes. The wanted one is as likely at another peak
            # as next to this find.
            hope = min(best.fit, _HOPE)
            return Decision("expand", self._reader.sentence("something"), paths, confidence=hope)
        return Decision("discard", self._reader.sentence("nothing"), confidence=1 - (best.fit if best else 0))

    def _answer(self, sentence: str, find: Find, node: str, **values: object) -> Decision:
        say = self._reader.sentence
        start, end = _clock(find.span.start_s), _clock(find.span.end_s)
        text, sure = say(sentence, summary=find.summary, start=start, end=end, **values), find.fit
        if self._unseen:
            text, sure = f"{text} {say('unchecked', words=', '.join(self._unseen))}", min(sure, _UNCHECKED)
        return Decision(
            "answer", say("found"), answer=text, confidence=sure, extractive=True, node=node, span=find.span
        )

    def _counted(self, found: Sequence[tuple[Find, Visit]]) -> Decision:
        """Answers how often, and when. The confidence is at most the share of the video that was looked at."""
        once: list[tuple[Find, Visit]] = []
        for find, visit in sorted(found, key=lambda each: each[0].span.start_s):
            # Ranges overlap, so one event may be found twice. Two finds of one segment are two events.
            if not any(visit is not seen and _is_one(find, other) for other, seen in once):
                once.append((find, visit))
        first, visit = once[0]
        times, share = ", ".join(_clock(find.span.start_s) for find, _ in once), self._seen_share()
        seen, whole = round(share * self._duration_s), round(self._duration_s)
        decision = self._answer("counted", first, visit.node_id, count=len(once), times=times, seen=seen, whole=whole)
        return replace(decision, confidence=min(decision.confidence, share))

    def _likeliest(self, visits: Sequence[Visit]) -> Decision:
        """Names the places that fit best although nothing was recognised there, and says so.

        visits: best first.
        """
        places = [max(visit.look.finds, key=lambda find: find.likeness) for visit in visits[:_PLACES]]
        times = [_clock(find.span.start_s) for find in places]
        name = "likeliest" if len(times) > 1 else "only_likely"
        decision = self._answer(name, places[0], visits[0].node_id, times=", ".join(times[1:]))
        why = self._reader.sentence("likely")
        return replace(decision, rationale=why, confidence=round(_GUESS * places[0].likeness, 2), guess=True)

    def _seen_share(self) -> float:
        return 1.0 - novelty(Span(0.0, self._duration_s), [visit.span for visit in self._visits])

    def _beside(self, span: Span) -> tuple[ProposedPath, ...]:
        """Return the ranges before and after, the more unusual one first.

        A range that lies mostly outside of the video is left out.
        """
        before = around(span.start_s + _SHARED_S - RANGE_S / 2, self._duration_s)
        after = around(span.end_s - _SHARED_S + RANGE_S / 2, self._duration_s)
        paths = [
            ProposedPath("", self._reader.sentence(name), each.start_s, each.end_s, self._score(each))
            for each, name in ((before, "before"), (after, "after"))
            # At an end of the video, the neighbour is moved inwards and nearly repeats the range.
            if each.shared(span) <= RANGE_S / 2
        ]
        return tuple(sorted(paths, key=lambda path: -path.score))

    def _score(self, span: Span) -> float:
        """Return the score of a path, 0 to 1, by the share of seconds that are less unusual than its own."""
        here = max(self._overview.within(span), default=0.0)
        less = sum(each < here for each in self._overview.interest)
        return _PROBES + (_PEAKS - _PROBES) * less / max(1, len(self._overview.interest))


def _likeness(visit: Visit) -> float:
    """Return how likely a segment shows what is asked for, by all of its finds."""
    in_order = sorted((find.likeness for find in visit.look.finds), reverse=True)
    return sum(each * _WEIGHT_OF_NEXT**number for number, each in enumerate(in_order))


def _is_one(find: Find, other: Find) -> bool:
    """Return whether two finds of different segments may show the same event."""
    return abs(find.span.start_s - other.span.start_s) <= _TWICE_S


def _clock(seconds: float) -> str:
    return clock(round(seconds, 1))
