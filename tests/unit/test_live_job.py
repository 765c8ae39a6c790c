"""One live source without a camera and a database: what becomes of its clips whatever fails around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from amr_neo4j.app import live_job
from amr_neo4j.app.live_footage import LiveFootage
from amr_neo4j.app.live_ingest import Following, LiveIngest
from amr_neo4j.app.live_job import LiveJob, LiveRun, LiveTools
from amr_neo4j.app.live_recordings import Recordings, hold, is_held, video_of
from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.forgotten import NONE_FORGOTTEN, ForgottenClips
from amr_neo4j.domain.live import RecordedFile, SpooledClip
from amr_neo4j.domain.receipt import MOST_LINES, IngestOptions, IngestReport, Outcome, Progress, Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, LeftOut, Video, content_sha256
from amr_neo4j.errors import CostLimit, InputError, ModelFailed, ModelUnavailable, NoSpace, StoreUnavailable
from amr_neo4j.ingest.live_clips import OneByOne
from amr_neo4j.media.live_address import address
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.live import LiveSpool
from amr_neo4j.store.read.receipts import ReceiptReader

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
CAMERA = address("rtsp://camera/1")
NOTHING = ClipAnalysis(clip_summary="nothing", events=())


class Source:
    """A LiveSource that gives ready files. after: called once they are given."""

    reconnects, away_s, error = 0, 0.0, ""
    recorded_at, arrived_at, dated_by = NOW, NOW, "arrival"

    def __init__(self, folder: str, number: int, after: Callable[[], None] = lambda: None) -> None:
        self._folder, self._number, self._after = Path(folder), number, after

    def clips(self, stop: Event) -> Iterator[RecordedFile]:
        for n in range(self._number):
            file = self._folder / f"c0001-{n:06d}.mkv"
            file.write_bytes(b"film")
            yield RecordedFile(file, n * 10.0, n * 10.0 + 10.0, NOW)
        self._after()

    def pause(self) -> None: ...

    def resume(self) -> None: ...


class Analyser:
    name, model = "local", "test"

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        for clip in clips:
            yield AnalysedClip(video, clip, NOTHING, self.name, content_sha256(video, clip), self.model)


class Graph:
    """Committer and writer at once. outcomes: of clips, in order; then as they came; away: calls that fail first."""

    def __init__(self, *outcomes: Outcome, away: int = 0) -> None:
        self.outcomes, self.away, self.given_up = list(outcomes), away, list[bool]()
        self.begun = list[str]()

    def commit(self, clips: Any, *, skip_failed: bool, records_refused: bool) -> Iterator[Receipt]:
        [clip] = clips
        self.given_up.append(skip_failed)
        usual: Outcome = "failed" if isinstance(clip, FailedClip) else "committed"
        yield self._receipt(clip, self.outcomes.pop(0) if self.outcomes else usual)

    def drop(self, clip: FailedClip) -> Receipt:
        return self._receipt(clip, "dropped")

    def forgotten(self, video: Video) -> ForgottenClips:
        self.begun.append(video.video_id)
        return NONE_FORGOTTEN

    def _receipt(self, of: AnalysedClip | FailedClip, outcome: Outcome) -> Receipt:
        if self.away:
            self.away -= 1
            raise StoreUnavailable("away")
        return Receipt(of.video.video_id, of.clip.clip_id, outcome, of.clip.t_start, of.clip.t_end, error=outcome)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_job, "_RETRY_SEC", 0.01)
    seen = SimpleNamespace(width=320, height=240, fps=25.0)
    monkeypatch.setattr("amr_neo4j.app.live_recordings.probe", lambda path: seen)


def tools_at(folder: Path, graph: Graph | None = None, *, merges: bool = False, most: int = 100) -> LiveTools:
    """What a live source needs, in a folder. graph: takes the clips."""
    taking: Any = graph or Graph()
    spool, clip_spool, analyser = LiveSpool(folder / "live.sqlite"), ClipSpool(folder / "clips.sqlite"), Analyser()
    recordings = Recordings(
        spool=spool,
        folder=folder / "live",
        films=lambda group_id, video_id: {},
        target_sec=10.0,
        reconnect_sec=0.0,
        zones={"yard": "Asia/Tokyo"},
        now=lambda: NOW + timedelta(hours=1),
        notify=lambda line: None,
    )
    return LiveTools(
        recordings=recordings,
        footage=LiveFootage(spool=spool, folder=folder / "live", keep_gb=1.0, now=recordings.now),
        spool=spool,
        clip_spool=lambda: clip_spool,
        analyser=lambda: analyser,
        committer=lambda: taking,
        writer=lambda: taking,
        refine=lambda: list,
        warm_up=no_search,
        merges=merges,
        queue_clips=most,
        now=recordings.now,
        notify=recordings.notify,
    )


def no_search(group_id: str) -> None:
    raise StoreUnavailable(f"no search of {group_id} before its first clip")


def waiting_for_provider(tools: LiveTools, analyser: Analyser) -> LiveTools:
    """With this analyser, whose provider is waited for."""
    return replace(tools, analyser=lambda: analyser, recordings=replace(tools.recordings, reconnect_sec=60.0))


def states(tools: LiveTools) -> list[str]:
    return [clip.state for clip in tools.spool.clips("g")]


def recorded(
    tools: LiveTools, number: int, after: Callable[[], None] = lambda: None, **how: Any
) -> tuple[LiveRun, LiveJob]:
    """A recording of so many clips, once both threads have ended."""
    run = LiveRun(tools, how.get("on_lag", "wait"))
    with ExitStack() as locks:
        recording = tools.recordings.begin("g", CAMERA, IngestOptions(), locks)
        job = LiveJob(run, recording, Source(recording.folder, number, after))  # type: ignore[arg-type]
        ended(job)
    return run, job


def ended(job: LiveJob) -> None:
    for thread in (job.recorder, job.worker):
        thread.start()
        thread.join(10)
        assert not thread.is_alive()


def test_what_was_forgotten_is_read_before_the_first_clip_is_analysed(tmp_path: Path) -> None:
    """Only so is a clip that is forgotten during its analysis not committed."""
    graph = Graph()
    tools = tools_at(tmp_path, graph)
    seen: list[list[str]] = []

    class Watching(Analyser):
        def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
            seen.append([*graph.begun])
            return super().watch(video, clips)

    recorded(replace(tools, analyser=Watching), 2)
    [(recording, _)] = tools.spool.recordings("g")
    assert seen and all(each == [recording.video_id] for each in seen)


def test_a_clip_is_done_only_where_its_receipt_says_so(tmp_path: Path) -> None:
    """Held is not committed: its film and its analysis stay."""
    tools = tools_at(tmp_path, Graph("committed", "failed", "held", "unchanged", "skipped"))
    recorded(tools, 5)
    assert states(tools) == ["committed", "failed", "analysed", "committed", "failed"]
    assert sum(tools.clip_spool().waiting("g").values()) == 1
    [(_, stands)] = tools.spool.recordings("g")
    assert stands["running"] == "interrupted"


@pytest.mark.parametrize("merges", [False, True])
def test_where_events_are_merged_a_failed_clip_holds_no_other(tmp_path: Path, merges: bool) -> None:
    graph = Graph()
    recorded(tools_at(tmp_path, graph, merges=merges), 2)
    assert graph.given_up == [merges] * 2


@pytest.mark.parametrize(
    ("left_out", "name", "leaves"),
    [("sound", "vision", True), ("pictures", "local", True), ("pictures", "vision", False), ("", "local", False)],
)
def test_a_part_is_left_out_while_analysis_is_behind_and_the_receipts_say_how_much(
    tmp_path: Path, left_out: LeftOut, name: str, leaves: bool
) -> None:
    class Lighter(Analyser):
        def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
            for clip in clips:
                lacks.append(clip.left_out)
                yield from super().watch(video, [clip])

    class Noting(Graph):
        def commit(self, clips: Any, **how: Any) -> Iterator[Receipt]:
            notes.append(" ".join(clips[0].notes))
            return super().commit(clips, **how)

    lacks, notes = list[str](), list[str]()
    Lighter.name = name
    tools = replace(tools_at(tmp_path, Noting(), most=4), analyser=Lighter, left_out=left_out)
    with ExitStack() as locks:
        recording = tools.recordings.begin("g", CAMERA, IngestOptions(), locks)
        job = LiveJob(LiveRun(tools, "drop"), recording, Source(recording.folder, 4))  # type: ignore[arg-type]
        job.recorder.start()
        job.recorder.join(10)  # all four wait before the first is analysed
        job.worker.start()
        job.worker.join(10)
    assert lacks == [*2 * [left_out if leaves else ""], "", ""]
    said = [f"10.0 s of {left_out} were left out: {left}.0 s were waiting" for left in (30, 20)]
    assert notes == [*(said if leaves else ["", ""]), "", ""]
    assert (f"{CAMERA.shown}: 20.0 s of {left_out} were left out" in job.summary()) is leaves


def test_what_the_settings_ask_for_is_refined_also_of_live_clips(tmp_path: Path) -> None:
    class Noting(Graph):
        def commit(self, clips: Any, **how: Any) -> Iterator[Receipt]:
            notes.append(clips[0].notes)
            return super().commit(clips, **how)

    notes = list[tuple[str, ...]]()
    refine: Any = lambda clips: [replace(clip, notes=("refined",)) for clip in clips]  # noqa: E731
    recorded(replace(tools_at(tmp_path, Noting()), refine=lambda: refine), 2)
    assert notes == [("refined",)] * 2


def test_a_report_has_room_for_a_run_of_months() -> None:
    """The counts go on; of the lines the first stay, and the others are counted. Of the seconds the last stay."""
    report, receipt = IngestReport(), Receipt("v", "c", "failed", notes=("note",), error="error")
    for number in range(MOST_LINES + 5):
        report.add(receipt, "s")
        report.found_after(number)
    other = IngestReport(notes=["note"], lines_left_out=1)
    report.include(other)
    assert len(report.notes) == len(report.errors) == len(report.first_hit_s) == MOST_LINES
    assert (report.failed, report.lines_left_out, report.first_hit_s[-1]) == (MOST_LINES + 5, 12, MOST_LINES + 4)


def test_a_database_that_is_away_is_waited_for_also_by_what_is_dropped(tmp_path: Path) -> None:
    """The films of dropped clips are deleted at once, so that the disk does not fill up meanwhile."""
    tools = tools_at(tmp_path, Graph(away=5), most=2)
    films: list[int] = []
    run, _ = recorded(
        tools, 6, lambda: films.append(len(list(tools.recordings.folder.rglob("*.mkv")))), on_lag="drop"
    )
    assert films == [2]
    assert states(tools) == ["dropped"] * 4 + ["committed"] * 2
    assert all(not isinstance(run.done.get_nowait(), BaseException) for _ in range(6))


class Away(Analyser):
    """Its provider is away for so many calls, and for good for the clips that begin at one of these seconds."""

    def __init__(self, calls: int = 0, never: tuple[float, ...] = ()) -> None:
        self.calls, self.never = calls, never

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        for clip in clips:
            self.calls -= 1
            if self.calls >= 0 or clip.t_start in self.never:
                raise ModelUnavailable("nobody answers")
            yield from super().watch(video, [clip])


@pytest.mark.parametrize("calls", [1, 4, 9])
def test_a_provider_that_is_away_fails_no_clip(tmp_path: Path, calls: int) -> None:
    said = list[str]()
    tools = replace(waiting_for_provider(tools_at(tmp_path), Away(calls)), notify=said.append)
    recorded(tools, 3)
    assert states(tools) == ["committed"] * 3
    [line] = said
    assert "nobody answers" in line and "clips wait" in line


@pytest.mark.parametrize("never", [(0.0,), (10.0,), (0.0, 20.0)])
def test_a_clip_that_alone_gets_no_answer_fails_and_holds_no_other(tmp_path: Path, never: tuple[float, ...]) -> None:
    tools = waiting_for_provider(tools_at(tmp_path), Away(never=never))
    recorded(tools, 4)
    assert states(tools) == ["failed" if start in never else "committed" for start in (0.0, 10.0, 20.0, 30.0)]


def test_clips_that_the_run_could_not_wait_for_are_taken_up_by_the_next(tmp_path: Path) -> None:
    """The source has ended, and its provider is still away."""
    away = Away(calls=1_000)
    tools = replace(tools_at(tmp_path), analyser=lambda: away)
    run, _ = recorded(tools, 3)
    assert run.done.empty() and states(tools) == ["received"] * 3
    assert tools.spool.recordings("g")[0][1]["running"] == "interrupted"
    tools = replace(tools, analyser=Analyser)
    with ExitStack() as locks:
        [left] = tools.recordings.left_behind("g", locks)
        ended(LiveJob(LiveRun(tools, "wait"), left, None))
    assert states(tools) == ["committed"] * 3


def test_what_was_cut_and_not_noted_down_is_taken_up_by_the_next_run(tmp_path: Path) -> None:
    """Whatever ended the recording: here the disk is full when the third file is complete."""
    tools = tools_at(tmp_path)
    receive = tools.spool.receive

    def full(group_id: str, clip: Any, **stands: Any) -> None:
        if clip.t_start == 20.0:
            raise NoSpace("full")
        receive(group_id, clip, **stands)

    tools.spool.receive = full
    run = recorded(tools, 3)[0]
    assert any(isinstance(each, NoSpace) for each in [run.done.get_nowait() for _ in range(run.done.qsize())])
    [(recording, stands)] = tools.spool.recordings("g")
    assert stands["running"] == "interrupted" and states(tools) == ["committed"] * 2
    rows = "".join(f"c0001-{n:06d}.mkv,{n * 10}.0,{n * 10 + 10}.0\n" for n in range(3))
    Path(recording.folder, "c0001.csv").write_text(rows)
    tools.spool.receive = receive
    with ExitStack() as locks:
        [left] = tools.recordings.left_behind("g", locks)
        ended(LiveJob(LiveRun(tools, "wait"), left, None))
    assert [(c.t_start, c.state) for c in tools.spool.clips("g")][-1][1] == "committed"
    assert tools.spool.recordings("g")[0][1]["running"] == "ended"
    with ExitStack() as locks:
        assert not tools.recordings.left_behind("g", locks)


def test_a_clip_whose_film_is_gone_is_reported_as_dropped(tmp_path: Path) -> None:
    tools = tools_at(tmp_path)
    run = LiveRun(tools, "wait")
    with ExitStack() as locks:
        recording = tools.recordings.begin("g", CAMERA, IngestOptions(), locks)
        job = LiveJob(run, recording, Source(recording.folder, 2))  # type: ignore[arg-type]
        job.recorder.start()
        job.recorder.join()
    Path(recording.folder, "c0001-000000.mkv").unlink()
    with ExitStack() as locks:
        [left] = tools.recordings.left_behind("g", locks)
        ended(LiveJob(LiveRun(tools, "wait"), left, None))
    assert states(tools) == ["dropped", "committed"]


def test_a_search_that_fails_does_not_end_the_recording(tmp_path: Path) -> None:
    def away(*_: Any) -> None:
        raise StoreUnavailable("away")

    assert followed(tools_at(tmp_path), lambda progress: None, away) == []


def test_searches_that_only_measure_take_a_share_of_the_time(tmp_path: Path) -> None:
    """However slow they are, clips committed meanwhile are passed on first; then the last one is measured again."""
    now, measured, passed_on = [0.0], list[str](), list[str]()

    def slow(receipt: Receipt, report: Any) -> None:
        measured.append(receipt.clip_id)
        now[0] += 10.0

    def watch(each: Progress) -> None:
        passed_on.append(each.receipt.clip_id)

    run = LiveRun(tools_at(tmp_path), "wait")
    following = Following(run, [], watch, IngestReport(), measure=slow, clock=lambda: now[0])
    for n in range(4):
        run.done.put(Progress("camera", Receipt("v", f"c{n}", "committed", n, n + 1), n + 1))
    following._pass_on(wait=False)
    assert passed_on == ["c0", "c1", "c2", "c3"] and measured == ["c0", "c3"]


def test_an_error_of_the_caller_ends_the_threads_first(tmp_path: Path) -> None:
    def wrong(progress: Any) -> None:
        raise ZeroDivisionError

    [error] = followed(tools_at(tmp_path), wrong)
    assert isinstance(error, ZeroDivisionError)


def test_a_first_search_is_loaded_and_its_failure_ends_nothing(tmp_path: Path) -> None:
    loaded = Event()

    def warm_up(group_id: str) -> None:
        loaded.set()
        raise ZeroDivisionError(group_id)

    assert followed(replace(tools_at(tmp_path), warm_up=warm_up), lambda progress: None) == []
    assert loaded.wait(10)


def followed(
    tools: LiveTools, watch: Callable[[Any], None], measure: Callable[..., None] = lambda *_: None
) -> list[BaseException]:
    run = LiveRun(tools, "wait")
    with ExitStack() as locks:
        recording = tools.recordings.begin("g", CAMERA, IngestOptions(), locks)
        job = LiveJob(run, recording, Source(recording.folder, 1))  # type: ignore[arg-type]
        errors = Following(run, [job], watch, IngestReport(), measure=measure).until_all_ended()
        assert not job.recorder.is_alive() and not job.worker.is_alive()
    assert states(tools) == ["committed"]
    return errors


def test_an_error_of_one_camera_does_not_stop_those_that_share_its_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(progress: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Recordings, "source", lambda self, place, recording: Source(recording.folder, 1))
    stop = Event()
    with pytest.raises(ZeroDivisionError):
        live_ingest(tmp_path).run("g", [CAMERA.key], IngestOptions(stop=stop), wrong)
    assert not stop.is_set()


def test_the_caller_stops_a_camera_that_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Source):
        def clips(self, stop: Event) -> Iterator[RecordedFile]:
            given.set()
            stopped.append(stop.wait(10))
            return iter(())

    stop, given, stopped = Event(), Event(), list[bool]()
    monkeypatch.setattr(Recordings, "source", lambda self, place, recording: Silent(recording.folder, 0))
    stopping = Thread(target=lambda: given.wait(10) and stop.set())
    stopping.start()
    live_ingest(tmp_path).run("g", [CAMERA.key], IngestOptions(stop=stop), lambda progress: None)
    stopping.join()
    assert stopped == [True]


def live_ingest(folder: Path) -> LiveIngest:
    return LiveIngest(tools=tools_at(folder), apply_retention=lambda group_id: None, measure=lambda *receipt: None)


def test_what_cannot_be_deleted_is_not_called_forgotten(tmp_path: Path) -> None:
    """The recording stays known, so that the command can be repeated."""
    tools = tools_at(tmp_path)
    recorded(tools, 2)
    [(recording, _)] = tools.spool.recordings("g")
    in_the_way = Path(recording.folder, "folder")
    in_the_way.mkdir()
    with pytest.raises(OSError, match="folder"):
        tools.footage.forget_recordings("g", None)
    assert tools.spool.recordings("g")
    in_the_way.rmdir()
    assert tools.footage.forget_recordings("g", None) == 1
    assert not Path(recording.folder).exists() and not tools.spool.recordings("g")


def test_a_forgotten_clip_is_not_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not even if the process is killed in the middle of forgetting."""
    tools = tools_at(tmp_path)
    recorded(tools, 1)
    [(recording, _)] = tools.spool.recordings("g")
    Path(recording.folder, "c0001.csv").write_text("c0001-000000.mkv,0.0,10.0\n")
    ended = recording.recorded_at or NOW
    assert not tools.spool.ended_by("g", None, ended + timedelta(seconds=9.9))
    [one] = tools.spool.ended_by("g", None, ended + timedelta(seconds=10))

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(tools.spool, "forget_clip", killed)
        tools.footage.forget_films("g", [one])
    assert tools.footage.forget_films("g", [one]) == 0  # it was committed, and waited for nothing
    assert not tools.recordings.unnoted(recording) and not tools.spool.clips("g")


@pytest.mark.parametrize("length", [0.0, 0.0001, 0.0004])
def test_a_file_of_one_picture_is_taken_up_with_a_length(tmp_path: Path, length: float) -> None:
    """A killed recorder leaves such files."""
    tools = tools_at(tmp_path)
    with ExitStack() as locks:
        recording = tools.recordings.begin("g", CAMERA, IngestOptions(), locks)
        Path(recording.folder, "c0001-000000.mkv").write_bytes(b"film")
        Path(recording.folder, "c0001.csv").write_text(f"c0001-000000.mkv,0.0,{length}\n")
        ended(LiveJob(LiveRun(tools, "wait"), recording, None))
    assert states(tools) == ["committed"]


# --- ids and locks


def test_recordings_of_two_groups_share_no_folder_and_an_id_is_used_once(tmp_path: Path) -> None:
    begin, named = tools_at(tmp_path).recordings.begin, IngestOptions(video_id="porch")
    with ExitStack() as locks:
        one, two = begin("g", CAMERA, named, locks), begin("other", CAMERA, named, locks)
        assert one.folder != two.folder
        with pytest.raises(InputError, match="porch"):
            begin("g", CAMERA, named, locks)
        same_second = {begin("g", CAMERA, IngestOptions(), locks).video_id for _ in range(3)}
        assert len(same_second) == 3
    with ExitStack() as locks, pytest.raises(InputError, match="porch"):
        begin("g", CAMERA, named, locks)


def test_who_asks_for_a_lock_is_not_taken_for_its_holder(tmp_path: Path) -> None:
    with ExitStack() as locks:
        assert not is_held(tmp_path)
        assert hold(tmp_path, locks) and is_held(tmp_path) and not hold(tmp_path, locks)
    import fcntl

    with (tmp_path / ".lock").open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        assert not is_held(tmp_path)
    with ExitStack() as locks:
        assert hold(tmp_path, locks)


# --- the analyser


class Broken:
    name, model = "broken", ""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        for clip in clips:
            if self._errors:
                raise self._errors.pop(0)
            yield AnalysedClip(video, clip, NOTHING, self.name, "", "")


def test_only_the_clip_that_cannot_be_analysed_fails() -> None:
    """A limit on the cost and a database that is away are no fault of the clip."""
    errors = [InputError("film"), ModelFailed("reply"), CostLimit("limit"), StoreUnavailable("away")]
    watch, clip = OneByOne(Broken(*errors), Video("g", "v")), Clip("c", 0.0, 1.0)
    assert isinstance(watch(clip), FailedClip) and isinstance(watch(clip), FailedClip)
    for kind in (CostLimit, StoreUnavailable):
        with pytest.raises(kind):
            watch(clip)
    assert isinstance(watch(clip), AnalysedClip)


class Receipts:
    """The graph's receipts of clips, by file."""

    def __init__(self, clips: Iterable[SpooledClip]) -> None:
        self._clips = list(clips)

    def read(self, _name: str, **_: object) -> list[dict[str, Any]]:
        return [
            {
                **{"video_id": clip.video_id, "clip_id": clip.clip_id, "t_start": clip.t_start, "t_end": clip.t_end},
                **{"state": "committed", "uri": clip.path},
            }
            for clip in self._clips
        ]


def test_a_spool_that_was_damaged_and_moved_away_loses_no_clip(tmp_path: Path) -> None:
    """What the graph has is not analysed again. What it lacks is taken up from the films. Each comes once."""
    tools = tools_at(tmp_path)
    recorded(tools, 3)
    [(recording, _)] = tools.spool.recordings("g")
    rows = "".join(f"c0001-{n:06d}.mkv,{n * 10}.0,{n * 10 + 10}.0\n" for n in range(3))
    Path(recording.folder, "c0001.csv").write_text(rows)
    committed = tools.spool.clips("g")[:2]
    tools.spool.close()
    for file in tmp_path.glob("live.sqlite*"):
        file.unlink()
    graph = Graph()
    again = tools_at(tmp_path, graph)
    receipts: Any = Receipts(committed)
    films = ReceiptReader(receipts, "g").films
    again = replace(again, recordings=replace(again.recordings, films=lambda group_id, video_id: films(video_id)))
    with ExitStack() as locks:
        [left] = again.recordings.left_behind("g", locks)
        assert left == replace(recording, width=320, height=240, fps=25.0, recorded_at=NOW, arrived_at=NOW)
        ended(LiveJob(LiveRun(again, "wait"), left, None))
    assert states(again) == ["committed"] * 3 and len(graph.given_up) == 1
    with ExitStack() as locks:
        assert not again.recordings.left_behind("g", locks)


@pytest.mark.parametrize("note", ["", "{", "[]", '{"group_id": "g"}', '{"group_id": "g", "started_at": "x"}'])
def test_a_damaged_note_of_a_recording_is_left_alone(tmp_path: Path, note: str) -> None:
    tools = tools_at(tmp_path)
    (tmp_path / "live" / "1a2b").mkdir(parents=True)
    (tmp_path / "live" / "1a2b" / "recording.json").write_text(note)
    with ExitStack() as locks:
        assert not tools.recordings.left_behind("g", locks)


def test_rows_of_clips_whose_film_is_gone_are_removed_after_a_while(tmp_path: Path) -> None:
    """Those with a film, those that wait and those of lately stay."""
    tools = tools_at(tmp_path)
    recorded(tools, 3)
    [(recording, _)] = tools.spool.recordings("g")
    [first, second, third] = tools.spool.clips("g")
    for clip in (first, second):
        Path(clip.path).unlink()
        tools.spool.removed(clip.path)
    done = tools.now()
    replace(tools.footage, now=lambda: done + timedelta(days=29)).prune()
    assert len(states(tools)) == 3
    tools = replace(tools, footage=replace(tools.footage, now=lambda: done + timedelta(days=31)))
    tools.footage.prune()
    assert tools.spool.clips("g") == [third] and len(tools.spool.recordings("g")) == 1
    tools.spool.mark("g", third.video_id, third.clip_id, "received", done)
    Path(third.path).unlink()
    tools.spool.removed(third.path)
    tools.footage.prune()
    assert states(tools) == ["received"], "what waits stays"
    tools.spool.mark("g", third.video_id, third.clip_id, "committed", done)
    tools.footage.prune()
    assert not tools.spool.recordings("g") and not Path(recording.folder).exists()


@pytest.mark.parametrize(
    ("how", "zone"),
    [
        (IngestOptions(place="yard"), "Asia/Tokyo"),
        (IngestOptions(place="yard", timezone="Europe/Berlin"), "Europe/Berlin"),
        (IngestOptions(place="hall"), ""),
    ],
)
def test_a_live_source_has_the_time_zone_of_its_call_or_place(tmp_path: Path, how: IngestOptions, zone: str) -> None:
    tools = tools_at(tmp_path)
    with ExitStack() as locks:
        recording = tools.recordings.begin("g", CAMERA, how, locks)
    [(known, _)] = tools.spool.recordings("g")
    assert recording.timezone == known.timezone == video_of(known).timezone == zone
