"""Writes clips: a clip is committed whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain

from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.receipt import Failure, Outcome, Receipt
from amr_neo4j.domain.video import FailedClip, Video
from amr_neo4j.errors import EmbedderMismatch
from amr_neo4j.store.database import Database, Row, Run
from amr_neo4j.store.person_aliases import PersonAliases, read_aliases
from amr_neo4j.store.write import failed_clips, growing
from amr_neo4j.store.write.clip_commit import Numbers, write_clips
from amr_neo4j.store.write.rows import clip_row

# Events per transaction: more gain nothing, and a small server runs out of memory.
_EVENTS_AT_ONCE = 2000


class EventWriter:
    """Writes clips with all their edges. A returned receipt means that the clip is durably stored."""

    def __init__(
        self, database: Database, *, jump_gap_sec: float, language: str, now: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._jump_gap = jump_gap_sec
        self._language = language
        self._plain_text = language != "en"
        self._now = now
        # Cached; a commit notices when they are out of date.
        self._aliases: dict[str, PersonAliases] = {}

    def commit(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """Write clips; returns one receipt per clip, in order. vectors: (events of all clips, dim).

        Raises EmbedderMismatch: the group's embedding model is another; nothing is written.
        """
        return self.prepare(clips, vectors, model)()

    def prepare(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Callable[[], list[Receipt]]:
        """Builds the rows now and returns the function that writes them.

        It may be called again after an error, by one thread at a time. Rows take much memory: those of a second
        transaction and later ones are built in their turn. Arguments, result and errors as of `commit`.
        """
        parts = list(_with_vectors(_batches(clips), vectors))
        ahead = [self._batch(*part, model) for part in parts[:1]]

        def write() -> list[Receipt]:
            batches = chain(ahead, (self._batch(*part, model) for part in parts[1:]))
            return [
                receipt for batch in batches for receipt in self._database.in_transaction(self._transaction(batch))
            ]

        return write

    def _transaction(self, batch: _Batch) -> Callable[[Run], list[Receipt]]:
        return partial(self._commit, batch, self._now())

    def committed_clips(self, group_id: str, video_id: str) -> Mapping[str, str]:
        """Returns clip_id -> content_sha256 of a video's committed clips; "" where that is not known."""
        return self.committed_clips_of(group_id, [video_id])[video_id]

    def committed_clips_of(self, group_id: str, video_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Returns each video_id -> what `committed_clips` says of it, in one read."""
        found: dict[str, dict[str, str]] = {video_id: {} for video_id in video_ids}
        for row in self._database.read("ingest/committed_clips", group_id=group_id, video_ids=list(found)):
            found[row["video_id"]][row["clip_id"]] = row["content_sha256"]
        return found

    def continued(self, video: Video, *, named: bool) -> Video:
        """Returns the video as stored if its file is one that has grown since, with its new end; else as it is.

        named: its video_id was given by a person, so it is that video or none.
        """
        return growing.continued(self._database, video, named=named, now=self._now())

    def known_lengths(self, video: Video) -> list[float]:
        """Returns the seconds of the stored videos that were made of this file."""
        return growing.known_lengths(self._database, video)

    def dated_as_stored(self, video: Video) -> Video:
        """Returns the video with the wall clock that is stored of it; as it is where it is new."""
        return growing.dated_as_stored(self._database, video)

    def fail(self, clip: FailedClip, *, attempt: int, skip: bool) -> Receipt:
        """Record a clip that could not be analysed, as skipped or as failed (to be retried)."""
        return failed_clips.record(self._database, clip, attempt=attempt, skip=skip, now=self._now())

    def drop(self, clip: FailedClip) -> Receipt:
        """Record a clip of a live source that was dropped because analysis was behind."""
        return failed_clips.record_dropped(self._database, clip, now=self._now())

    def failed_clips(self, group_id: str, video_id: str) -> Mapping[str, Failure]:
        """Returns clip_id -> failure of a video's failed and skipped clips, in order of time."""
        return failed_clips.of_video(self._database, group_id, video_id)

    def skip_failed(self, group_id: str, video_id: str) -> None:
        """Mark the failed clips of a video as skipped: they no longer block later clips."""
        self._database.write("ingest/skip_failed", group_id=group_id, video_id=video_id)

    def _commit(self, batch: _Batch, now: datetime, run: Run) -> list[Receipt]:
        """Write a batch inside a transaction of `run`."""
        clips, rows, model, dim = batch.clips, batch.rows, batch.model, batch.dim
        group_id = clips[0].source.video.group_id
        [found] = run(
            "ingest/lock",
            group=self._group(group_id, model, dim),
            model=model,
            dim=dim,
            videos=_videos_asked(rows),
            clips=_asked(clips, rows),
            now=now,
        )
        if not found["fits"]:
            raise EmbedderMismatch(
                f"group {group_id} is embedded by {found['model']} ({found['dim']} dimensions), "
                f"the settings ask for {model} ({dim})",
                hint="set embedder back, or run: amr index reembed",
            )
        if found["merges"] != batch.aliases.version:
            rows = _rows(clips, batch.vectors, self._aliases_at(found["merges"], group_id, run))
        videos = {video["video_id"]: video for video in found["videos"]}
        outcomes = [
            _outcome(clip, state | {"moved": videos[clip.source.video.video_id]["moved"]})
            for clip, state in zip(clips, found["clips"], strict=True)
        ]
        new = [
            row | {"stored": videos[row["video_id"]]["stored"]}
            for row, (outcome, _) in zip(rows, outcomes, strict=True)
            if outcome == "committed"
        ]
        numbers = Numbers(found["next_id"], found["next_seq"], model, dim)
        write_clips(run, group_id, new, numbers, jump_gap=self._jump_gap, plain_text=self._plain_text, now=now)
        return list(_receipts(clips, outcomes, found["next_id"]))

    def _person_aliases(self, group_id: str) -> PersonAliases:
        """As a commit last read them."""
        return self._aliases.get(group_id, PersonAliases())

    def _aliases_at(self, version: int, group_id: str, run: Run) -> PersonAliases:
        """As cached if they are of that version, which is the current one; otherwise read."""
        aliases = self._person_aliases(group_id)
        if aliases.version != version:
            aliases = self._aliases[group_id] = read_aliases(run, group_id)
        return aliases

    def _group(self, group_id: str, model: str, dim: int) -> Mapping[str, object]:
        props = {"embedding_model": model, "embedding_dim": dim, "languages": [self._language]}
        return {"group_id": group_id, "props": props}

    def _batch(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> _Batch:
        aliases = self._person_aliases(clips[0].source.video.group_id)
        return _Batch(clips, vectors, model, aliases, _rows(clips, vectors, aliases))


@dataclass(frozen=True)
class _Batch:
    """Clips of one transaction. vectors: (their events, dim). rows: of `clip_row`, made with the aliases."""

    clips: Sequence[ComposedClip]
    vectors: Vectors
    model: str
    aliases: PersonAliases
    rows: Sequence[Row]

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])


def _rows(clips: Sequence[ComposedClip], vectors: Vectors, aliases: PersonAliases) -> list[Row]:
    rows: list[Row] = []
    start = 0
    for number, clip in enumerate(clips):
        end = start + len(clip.events)
        rows.append(clip_row(number, clip, vectors[start:end], aliases))
        start = end
    return rows


def _batches(clips: Sequence[ComposedClip]) -> Iterator[list[ComposedClip]]:
    """Cut into batches of one group in which no clip repeats another or gives its video another place or start time.

    Such a clip has to be compared with the committed one, so it starts a new batch. So does a clip that would make
    the batch too large.
    """
    batch: list[ComposedClip] = []
    events = 0
    there: set[tuple[str, str]] = set()
    homes: dict[str, tuple[str, datetime | None]] = {}
    for clip in clips:
        video, key = clip.source.video, (clip.source.video.video_id, clip.source.clip.clip_id)
        home = video.home, video.recorded_at
        differs = batch and batch[0].source.video.group_id != video.group_id
        differs = differs or key in there or homes.get(video.video_id, home) != home
        if differs or (batch and events + len(clip.events) > _EVENTS_AT_ONCE):
            yield batch
            batch, events = [], 0
            there.clear()
            homes.clear()
        batch.append(clip)
        events += len(clip.events)
        there.add(key)
        homes[video.video_id] = home
    if batch:
        yield batch


def _with_vectors(
    batches: Iterable[list[ComposedClip]], vectors: Vectors
) -> Iterator[tuple[list[ComposedClip], Vectors]]:
    """Each batch with the vectors of its events. vectors: (events of all batches, dim)."""
    start = 0
    for batch in batches:
        end = start + sum(len(clip.events) for clip in batch)
        yield batch, vectors[start:end]
        start = end


def _videos_asked(rows: Sequence[Row]) -> list[Row]:
    """Each video once, with what must be as stored; the clips of a batch agree on it."""
    homes = {row["video_id"]: row["video"] for row in rows}
    return [
        {"video_id": video_id, "place": video["place"], "recorded_at": video["recorded_at"]}
        for video_id, video in homes.items()
    ]


def _asked(clips: Sequence[ComposedClip], rows: Sequence[Row]) -> list[Row]:
    """What decides whether a clip is new."""
    return [
        {
            "number": row["number"],
            "video_id": row["video_id"],
            "clip_id": row["clip_id"],
            "content_sha256": clip.source.content_sha256,
            "position": row["events"][0]["props"]["position"] if row["events"] else None,
        }
        for clip, row in zip(clips, rows, strict=True)
    ]


def _receipts(
    clips: Sequence[ComposedClip], outcomes: Sequence[tuple[Outcome, str]], next_id: int
) -> Iterator[Receipt]:
    for clip, (outcome, error) in zip(clips, outcomes, strict=True):
        ids: tuple[int, ...] = ()
        if outcome == "committed":
            ids = tuple(range(next_id, next_id + len(clip.events)))
            next_id += len(clip.events)
        source = clip.source
        yield Receipt(
            video_id=source.video.video_id,
            clip_id=source.clip.clip_id,
            outcome=outcome,
            t_start=source.clip.t_start,
            t_end=source.clip.t_end,
            node_ids=ids,
            notes=source.notes,
            error=error,
            usage=source.usage,
        )


def _outcome(clip: ComposedClip, state: Mapping[str, object]) -> tuple[Outcome, str]:
    source = clip.source
    if state["known"] == source.content_sha256:
        return "unchanged", ""
    if state["known"] is not None:
        return "rejected", (
            f"clip {source.clip.clip_id} of video {source.video.video_id} is stored with other content: "
            f"{str(state['known'])[:12]} there, {source.content_sha256[:12]} here; give the new one another clip_id"
        )
    if state["moved"]:
        return "rejected", (
            f"video {source.video.video_id} is stored with another place or recorded_at; "
            f"give the same ones, or another video_id"
        )
    if state["lost"]:
        return "rejected", (
            f"clip {source.clip.clip_id} of video {source.video.video_id} has events in the graph but no receipt; "
            f"run: amr doctor --repair"
        )
    return "committed", ""
