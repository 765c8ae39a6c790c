"""A clip that the graph cannot take holds up no other clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event

import pytest

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.domain.ports import FormScenes, Vectors
from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.language.languages import language
from tests.support.counting_embedder import CountingEmbedder

VIDEO = Video("home", "hall", fingerprint="abc")


@dataclass
class Writer:
    """An EventWriter that cannot take some clips, with whatever error."""

    refuses: Callable[[str], Exception | None]
    taken: list[str] = field(default_factory=list[str])
    failed: list[FailedClip] = field(default_factory=list[FailedClip])
    asked: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    def committed_clips_of(self, group_id: str, video_ids: Sequence[str]) -> dict[str, dict[str, str]]:
        self.asked.append(video_ids)
        return {video_id: {"c1": "sha-1", "c3": "other"} for video_id in video_ids}

    def prepare(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Callable[[], list[Receipt]]:
        return partial(self.commit, clips)

    def commit(self, clips: Sequence[ComposedClip]) -> list[Receipt]:
        for clip in clips:
            if error := self.refuses(clip.source.clip.clip_id):
                raise error
        self.taken += [clip.source.clip.clip_id for clip in clips]
        return [Receipt("hall", clip.source.clip.clip_id, "committed") for clip in clips]

    def fail(self, clip: FailedClip, *, attempt: int, skip: bool) -> Receipt:
        self.failed.append(clip)
        return Receipt("hall", clip.clip.clip_id, "skipped" if skip else "failed", error=clip.error)

    def remake_scenes(self, group_id: str, form: FormScenes) -> None:
        pass

    def failed_clips(self, group_id: str, video_id: str) -> dict[str, Failure]:
        return {}


def clip(number: int) -> AnalysedClip:
    said = {"clip_summary": "x", "events": [{"time_start": number, "time_end": number + 1, "summary": "Anna waves."}]}
    there = Clip(f"c{number}", float(number), number + 1.0)
    return AnalysedClip(VIDEO, there, ClipAnalysis.model_validate(said), "vision", f"sha-{number}", "gemini")


ERRORS = [
    InputError("Neo4j cannot take a value"),
    OverflowError("int too big"),
    UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("together", [1, 3, 8])
@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("bad", [{"c0"}, {"c2"}, {"c1", "c4"}, {"c0", "c1", "c2", "c3", "c4"}])
def test_a_clip_that_is_refused_is_set_apart_alone(
    error: Exception, together: int, bad: set[str], ahead: bool
) -> None:
    """However many share a transaction, each has one receipt, in order, and all others are committed once."""
    writer = Writer(lambda clip_id: error if clip_id in bad else None)
    committer = Committer(writer, CountingEmbedder(), language("en"))  # type: ignore[arg-type]
    clips = [clip(number) for number in range(5)]
    receipts = list(committer.commit(clips, clips_per_transaction=together, ahead=ahead))
    assert [receipt.clip_id for receipt in receipts] == ["c0", "c1", "c2", "c3", "c4"]
    assert {receipt.clip_id for receipt in receipts if receipt.outcome == "rejected"} == bad
    assert writer.taken == [f"c{n}" for n in range(5) if f"c{n}" not in bad]
    assert all(receipt.error for receipt in receipts if receipt.outcome == "rejected")


def test_of_a_video_it_is_a_failed_clip(tmp_path: object) -> None:
    """It is stored with the reason, as text that the graph can hold, and with what its model calls cost."""
    writer = Writer(lambda clip_id: ERRORS[2] if clip_id == "c1" else None)
    committer = Committer(writer, CountingEmbedder(), language("en"))  # type: ignore[arg-type]
    receipts = list(committer.commit([clip(0), clip(1), clip(2)], records_refused=True))
    assert [receipt.outcome for receipt in receipts] == ["committed", "failed", "committed"]
    [failed] = writer.failed
    assert failed.error.startswith("the graph cannot take its analysis: ") and failed.error.encode()


@pytest.mark.parametrize("ahead", [False, True])
def test_an_error_that_is_not_about_the_clip_ends_the_run(ahead: bool) -> None:
    writer = Writer(lambda clip_id: ConnectionError("gone"))
    committer = Committer(writer, CountingEmbedder(), language("en"))  # type: ignore[arg-type]
    with pytest.raises(ConnectionError):
        list(committer.commit([clip(n) for n in range(6)], clips_per_transaction=2, ahead=ahead))


def test_the_next_clips_are_embedded_while_a_transaction_is_under_way() -> None:
    """The first transaction ends once the texts of the second were asked for; receipts come in order all the same."""
    embedder, both = CountingEmbedder(), Event()

    class Waiting(Writer):
        def commit(self, clips: Sequence[ComposedClip]) -> list[Receipt]:
            assert both.wait(10)
            return super().commit(clips)

    class Watched(CountingEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            found = embedder.embed(texts)
            if len(embedder.asked) == 2:
                both.set()
            return found

    committer = Committer(Waiting(lambda clip_id: None), Watched(), language("en"))  # type: ignore[arg-type]
    receipts = list(committer.commit([clip(n) for n in range(4)], clips_per_transaction=2, ahead=True))
    assert [receipt.clip_id for receipt in receipts] == ["c0", "c1", "c2", "c3"]


def test_the_graph_is_asked_once_for_the_videos_of_clips_that_are_read_together() -> None:
    """It is asked once per video. A clip with the same content is unchanged; one with other content is not."""
    writer = Writer(lambda clip_id: None)
    committer = Committer(writer, CountingEmbedder(), language("en"))  # type: ignore[arg-type]
    clips = [
        replace(clip(n), video=replace(VIDEO, video_id=name)) for name in ("hall", "yard", "hall") for n in range(4)
    ]
    found = list(committer.new(clips, at_once=8))
    assert writer.asked == [["hall", "yard"]]
    unchanged = [n for n, item in enumerate(found) if isinstance(item, Receipt)]
    assert unchanged == [1, 5, 9]
    assert [item for item in found if not isinstance(item, Receipt)] == [
        c for n, c in enumerate(clips) if n not in unchanged
    ]


@pytest.mark.parametrize(
    ("analyser", "clip_id", "deeds"),
    [("vision", "c0", []), ("jsonl", "explored-0-1000-ab", []), ("jsonl", "c0", [("hands", "bill")])],
)
def test_actions_of_a_vision_model_are_never_read_from_its_sentences(
    analyser: str, clip_id: str, deeds: list[tuple[str, str]]
) -> None:
    """Not even where it lists none: reading them made a thing of Anna. Those of captions are read.

    What a model saw while a video was explored is kept as such sentences, too.
    """
    written: list[ComposedClip] = []

    class Keeping(Writer):
        def commit(self, clips: Sequence[ComposedClip]) -> list[Receipt]:
            written.extend(clips)
            return super().commit(clips)

    said = {"time_start": 0, "time_end": 1, "summary": "The waiter hands the bill to Anna."}
    seen = clip(0)
    source = replace(
        seen,
        clip=replace(seen.clip, clip_id=clip_id),
        analyser=analyser,
        analysis=ClipAnalysis.model_validate({"clip_summary": "", "events": [said]}),
    )
    list(Committer(Keeping(lambda _: None), CountingEmbedder(), language("en")).commit([source]))  # type: ignore[arg-type]
    [event] = written[0].events
    assert [(action.verb, action.object) for action in event.actions] == deeds
    assert (event.derived, bool(event.uses)) == (bool(deeds), bool(deeds))
