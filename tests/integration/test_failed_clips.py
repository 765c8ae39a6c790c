"""Failed clips: the run continues, the graph records them, and they are retried on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.domain.views import ClipView
from amr_neo4j.errors import InputError, StoreUnavailable
from amr_neo4j.ingest.segment import segment
from amr_neo4j.localdb import Connection
from amr_neo4j.media.video_file import video_of
from amr_neo4j.spool import CLIPS_FILE
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.store.write.clip_writer import LONGEST_REPLY
from tests.support.counting_embedder import CountingEmbedder
from tests.support.films import pattern
from tests.support.model_film import FAULTS, FilmModel
from tests.support.model_server import ModelServer
from tests.support.real_ingest import forget

CLIPS = [f"{start:09d}-{start + 1000:09d}" for start in range(0, 5000, 1000)]
BAD = CLIPS[2]
USAGE = Usage(calls=2, retries=3, tokens_in=200, tokens_out=20, cost_usd=0.001, unpriced=1)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five clips of a second."""
    return pattern(tmp_path_factory.mktemp("films") / "hall.mp4", 5)


@pytest.fixture
def model() -> FilmModel:
    return FilmModel()


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, model: FilmModel, tmp_path: Path) -> Iterator[Memory]:
    with ModelServer(model) as server, opened(neo4j_connection, group_id, server.url, tmp_path) as memory:
        yield memory


def opened(there: Connection, group_id: str, url: str, data_dir: Path, target_clip_sec: float = 1.0) -> Memory:
    """A memory whose videos a model analyses, with a stand-in embedder."""
    server = {"neo4j_uri": there.uri, "neo4j_username": there.username, "neo4j_password": there.password}
    priced = {"provider": url, "price_in": 1.0, "price_out": 10.0, "at_once": 1}
    short = {"target_clip_sec": target_clip_sec, "store_wait_sec": 0.0, "refine": {"calls": []}}
    memory = Memory.open(**server, **short, group=group_id, data_dir=data_dir, analyse=priced)
    memory._parts.embedder.use(CountingEmbedder())
    return memory


def clip_of(memory: Memory, clip_id: str) -> ClipView:
    [row] = memory.clips(clip_id)
    return row


def test_a_failed_clip_is_stored_and_the_others_commit(memory: Memory, film: Path, model: FilmModel) -> None:
    model.broken[BAD] = "unusable"
    report = memory.ingest(film)
    assert (report.committed, report.failed, report.rejected) == (4, 1, 0)
    [message] = report.errors
    assert BAD in message
    row = clip_of(memory, BAD)
    assert (row.status, row.attempts, row.analyser, row.events) == ("failed", 1, "vision", ())
    assert row.error in message and row.failed_at and not row.committed_at
    assert row.raw_reply == FAULTS["unusable"]["reply"]
    assert (row.calls, row.tokens_in, row.tokens_out) == (2, 200, 20), "both tries are paid"
    assert row.cost_usd == pytest.approx(200e-6 + 200e-6)


def test_a_spooled_clip_that_the_graph_cannot_take_is_set_apart(
    memory: Memory, film: Path, model: FilmModel, group_id: str
) -> None:
    """An earlier version left it there. It ends no ingest and holds up no other clip; a retry takes it in."""
    video = video_of(film, group_id)
    bad = next(clip for clip in segment(video.duration_s or 0.0, 1.0, uri=video.uri) if clip.clip_id == BAD)
    event = AnalysedEvent(time_start=2.0, time_end=3.0, summary="A dog.")
    said = ClipAnalysis(clip_summary="half a dog: \ud83d", events=(event,))
    sha = content_sha256(video, bad)
    spool = ClipSpool(memory.settings.data_dir / CLIPS_FILE)
    spool.keep(AnalysedClip(video, bad, said, "vision", sha, memory.settings.analyse.model, usage=USAGE))
    report = memory.ingest(film)
    assert (report.committed, report.failed, report.rejected) == (4, 1, 0)
    [(_, clip_id, why)] = spool.refused(group_id)
    assert clip_id == BAD and "surrogates not allowed" in why
    assert spool.waiting(group_id) == {}
    assert (memory.ingest(film).failed, len(spool.refused(group_id))) == (1, 1)
    assert memory.ingest(film, retry_failed=True).committed == 1
    assert spool.refused(group_id) == []
    spool.close()


def test_a_failed_clip_is_reported_and_not_retried_by_default(memory: Memory, film: Path, model: FilmModel) -> None:
    model.broken[BAD] = "unusable"
    memory.ingest(film)
    asked = model.asked
    report = memory.ingest(film)
    assert (report.unchanged, report.failed, report.committed, model.asked) == (4, 1, 0, asked)
    assert "failed once before" in report.errors[0]
    again = memory.ingest(film, retry_failed=True)
    assert (again.failed, again.unchanged, clip_of(memory, BAD).attempts) == (1, 4, 2)
    assert "failed 2 times before" in memory.ingest(film).errors[0]


def test_a_successful_retry_leaves_the_graph_of_an_undisturbed_run(
    memory: Memory, film: Path, model: FilmModel
) -> None:
    model.broken[BAD] = "truncated"
    memory.ingest(film)
    without = memory.digest()
    assert without.clips == 4
    model.broken.clear()
    report = memory.ingest(film, retry_failed=True)
    assert (report.committed, report.unchanged, report.failed) == (1, 4, 0)
    row = clip_of(memory, BAD)
    assert (row.status, row.attempts, row.error, row.raw_reply) == ("committed", 2, None, None)
    assert (row.calls, row.tokens_in) == (3, 300), "the failed attempt was paid too"
    retried = memory.digest()
    forget(memory)
    assert memory.ingest(film).committed == 5
    assert memory.digest() == retried != without


def test_a_skipped_clip_is_not_reported_until_it_is_retried(memory: Memory, film: Path, model: FilmModel) -> None:
    model.broken[BAD] = "unusable"
    memory.ingest(film)
    given_up = memory.ingest(film, skip_failed=True)
    assert (given_up.skipped, given_up.failed, given_up.errors) == (1, 0, [])
    later = memory.ingest(film)
    assert (later.skipped, later.unchanged, later.failed) == (1, 4, 0)
    assert clip_of(memory, BAD).status == "skipped" and clip_of(memory, BAD).raw_reply
    model.broken.clear()
    assert memory.ingest(film, retry_failed=True).committed == 1


def test_with_skip_failed_a_failing_clip_is_skipped_at_once(memory: Memory, film: Path, model: FilmModel) -> None:
    model.broken |= {BAD: "unusable", CLIPS[0]: "truncated"}
    report = memory.ingest(film, skip_failed=True)
    assert (report.committed, report.skipped, report.failed, len(report.errors)) == (3, 2, 0, 2)
    model.broken.pop(BAD)
    both = memory.ingest(film, retry_failed=True, skip_failed=True)
    assert (both.committed, both.skipped, both.unchanged) == (1, 1, 3), "tried again, and what fails again given up"


def test_a_film_with_failed_clips_is_not_segmented_otherwise(
    neo4j_connection: Connection, group_id: str, film: Path, model: FilmModel, tmp_path: Path
) -> None:
    model.broken |= dict.fromkeys(CLIPS, "unusable")
    with ModelServer(model) as server:
        with opened(neo4j_connection, group_id, server.url, tmp_path) as memory:
            assert memory.ingest(film).failed == 5
        with (
            opened(neo4j_connection, group_id, server.url, tmp_path, target_clip_sec=2.0) as memory,
            pytest.raises(InputError, match="--target-clip-sec"),
        ):
            memory.ingest(film, retry_failed=True)


def test_usage_is_reported_by_model_and_hour(memory: Memory, film: Path, model: FilmModel) -> None:
    """Four clips of a second at one call each, and one that failed at two: 600 tokens in."""
    model.broken[BAD] = "unusable"
    report = memory.ingest(film)
    assert (report.usage.calls, report.usage.tokens_in) == (6, 600)
    stats = memory.stats()
    assert (stats.clips, stats.failed, stats.skipped) == (4, 1, 0)
    [row] = stats.models
    assert (row.analyser, row.model, row.clips, row.failed) == (
        "vision",
        "google/gemini-3.8-flash",
        4,
        1,
    )
    assert row.cost_usd == pytest.approx(6 * (100e-6 + 100e-6)) == report.usage.cost_usd
    assert row.per_hour.tokens_in == pytest.approx(600 * 900)
    assert row.per_hour.cost_usd == pytest.approx(row.cost_usd * 900)
    assert memory.videos()[0].failed == 1


def test_usage_per_hour_is_none_where_nothing_was_analysed(memory: Memory, film: Path, model: FilmModel) -> None:
    model.broken |= dict.fromkeys(CLIPS, "unusable")
    memory.ingest(film)
    [row] = memory.stats().models
    assert (row.clips, row.failed, row.per_hour) == (0, 5, None)
    assert memory.digest().clips == 0


# --- the store


def failed(group_id: str, clip_id: str = "c0") -> FailedClip:
    video, clip = Video(group_id, "hall"), Clip(clip_id, 0.0, 10.0)
    return FailedClip(video, clip, "vision", "sha", "it said nothing", "gemini", "...", USAGE)


def test_an_attempt_counts_once(memory: Memory, group_id: str) -> None:
    """The response to a write may be lost, and the write repeated."""
    receipts = [memory._parts.writer().fail(failed(group_id), attempt=n, skip=False) for n in (1, 1, 2, 2, 1)]
    assert {receipt.outcome for receipt in receipts} == {"failed"}
    row = clip_of(memory, "c0")
    assert (row.attempts, row.calls, row.tokens_out, row.unpriced) == (2, 4, 40, 2)
    assert row.cost_usd == pytest.approx(0.002)


def test_a_very_long_reply_is_truncated(memory: Memory, group_id: str) -> None:
    endless = replace(failed(group_id), raw_reply="and so on " * 3_000)
    memory._parts.writer().fail(endless, attempt=1, skip=False)
    kept = clip_of(memory, "c0").raw_reply
    assert kept[:LONGEST_REPLY] == endless.raw_reply[:LONGEST_REPLY]
    assert kept[LONGEST_REPLY:] == "\n... and 10000 more characters"


def test_a_clip_committed_by_another_process_stays_committed(memory: Memory, film: Path) -> None:
    memory.ingest(film)
    [video] = memory.videos()
    before = clip_of(memory, BAD)
    late = FailedClip(Video(memory.group_id, video.video_id), Clip(BAD, 2.0, 3.0), "vision", "sha", "too late")
    assert memory._parts.writer().fail(late, attempt=1, skip=False).outcome == "unchanged"
    assert clip_of(memory, BAD) == before


# --- the spool


class Lost:
    """A writer whose database is unreachable once this many clips are committed."""

    def __init__(self, memory: Memory, commits: int) -> None:
        self._writer, self._left = memory._parts.writer(), commits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def prepare(self, *composed: Any) -> Callable[[], list[Receipt]]:
        write = self._writer.prepare(*composed)

        def written() -> list[Receipt]:
            if not self._left:
                raise StoreUnavailable("Neo4j is gone", hint="start it")
            self._left -= 1
            return write()

        return written


@pytest.mark.parametrize("before", [0, 3])
def test_a_lost_database_costs_no_second_call(memory: Memory, film: Path, model: FilmModel, before: int) -> None:
    writer = memory._parts.writer()
    memory._parts.writer.use(Lost(memory, before))
    with pytest.raises(StoreUnavailable):
        memory.ingest(film)
    assert len(model.said) == before + 1
    memory._parts.writer.use(writer)
    report = memory.ingest(film)
    assert (report.committed, report.unchanged) == (5 - before, before)
    assert model.said == dict.fromkeys(CLIPS, 1), "each clip was analysed once"
    assert memory._parts.clip_spool().waiting(memory.group_id) == {}


def test_an_analysis_is_reused_for_another_database(
    memory: Memory, film: Path, model: FilmModel, group_id: str
) -> None:
    """An uncommitted analysis is written to the next graph, also when the film has moved."""
    memory._parts.writer.use(Lost(memory, 0))
    with pytest.raises(StoreUnavailable):
        memory.ingest(film)
    [waiting] = memory._parts.clip_spool().waiting(group_id).values()
    assert waiting == 1
    memory._parts.writer.close()
    moved = film.with_name("moved").with_suffix(".mp4")
    moved.write_bytes(film.read_bytes())
    [video_id] = memory._parts.clip_spool().waiting(group_id)
    memory.ingest(moved, video_id=video_id)
    assert model.said[CLIPS[0]] == 1
    assert clip_of(memory, CLIPS[0]).uri == str(moved)
