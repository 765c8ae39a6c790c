"""Clips held back after a failed one, against a plain reading of the rule."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video
from amr_neo4j.ingest.failed_clip_barrier import Taken, hold_after_failures

NOTHING = ClipAnalysis(clip_summary="", events=())


class Known:
    """The failed clips in the graph, by video."""

    def __init__(self, failures: Mapping[str, Mapping[str, Failure]]) -> None:
        self._failures = failures

    def failed_clips(self, group_id: str, video_id: str) -> Mapping[str, Failure]:
        return self._failures.get(video_id, {})


def clip(number: int, *, works: bool, video: str = "hall") -> AnalysedClip | FailedClip:
    where, stretch = Video("home", video), Clip(f"c{number}", number * 10.0, number * 10.0 + 10)
    if works:
        return AnalysedClip(where, stretch, NOTHING, "vision", "sha")
    return FailedClip(where, stretch, "vision", "sha", "nothing usable")


def kind(item: Taken) -> str:
    return item.outcome if isinstance(item, Receipt) else type(item).__name__


@given(
    st.lists(st.sampled_from(["done", "works", "fails"]), max_size=8),
    st.dictionaries(st.integers(0, 8), st.booleans(), max_size=4),
)
def test_nothing_passes_a_failed_clip(now: list[str], before: dict[int, bool]) -> None:
    """A clip passes if and only if each earlier clip of its video is committed, succeeds or was skipped."""
    known = {f"c{n}": Failure(1, "no", n * 10.0, skipped) for n, skipped in before.items()}
    tried = {n: what == "works" for n, what in enumerate(now) if what != "done"}
    passed = list(hold_after_failures([clip(n, works=works) for n, works in tried.items()], Known({"hall": known})))
    expected: list[str] = []
    open_failures = {n for n, skipped in before.items() if not skipped}
    for n, works in tried.items():
        if works and min(open_failures, default=n) < n:
            expected.append("held")
            continue
        open_failures.discard(n)
        if not works:
            open_failures.add(n)
        expected.append("AnalysedClip" if works else "FailedClip")
    assert [kind(item) for item in passed] == expected


def test_the_reason_is_reported_and_other_videos_continue() -> None:
    items = [clip(0, works=False), clip(1, works=True), clip(1, works=True, video="yard"), clip(2, works=False)]
    first, held, other, last = hold_after_failures(items, Known({}))
    assert [kind(item) for item in (first, held, other, last)] == ["FailedClip", "held", "AnalysedClip", "FailedClip"]
    assert isinstance(held, Receipt) and held.notes == ("waits for clip c0, which failed",)
