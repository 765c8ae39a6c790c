"""Writes clips: a clip is committed whole or not at all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from threading import Lock
from typing import Any

from pydantic import ValidationError

from amr_neo4j.domain.episode import forgotten_group_key
from amr_neo4j.domain.event import ComposedClip, MergedEvent, Recent
from amr_neo4j.domain.forgotten import (
    NONE_FORGOTTEN,
    NOTHING_FORGOTTEN,
    UNKNOWN_FILM,
    WHOLE_FILM,
    ForgottenClips,
    GroupMark,
    GroupMarks,
    footage_key,
)
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.ports import FormScenes, Vectors
from amr_neo4j.domain.receipt import Failure, Outcome, Receipt
from amr_neo4j.domain.scene import TOP, SceneTold, UntoldScene
from amr_neo4j.domain.tracked import StoredItem, TrackedItem, day_suffix, video_of
from amr_neo4j.domain.video import Clip, FailedClip, FileMove, StoredFile, Video
from amr_neo4j.errors import StoreTooLarge
from amr_neo4j.store.database import Database, Row, Run, in_parts, native
from amr_neo4j.store.outages import OutageRetry
from amr_neo4j.store.person_aliases import PersonAliases, read_aliases
from amr_neo4j.store.read.admission import embedder_mismatch
from amr_neo4j.store.write.clip_commit import Numbers, supersede, write_clips
from amr_neo4j.store.write.forgetting import FootageForgetter
from amr_neo4j.store.write.rows import clip_row, merged_row, recent_event, stretch_row, usage_row, video_row
from amr_neo4j.store.write.scenes import remake_scenes
from amr_neo4j.store.write.shared_commits import SharedCommits

# Events per transaction: more gain nothing, and a small server runs out of memory.
_EVENTS_AT_ONCE = 2000
# Scenes that are read for a model at once.
_SCENES_AT_ONCE = 50
# The most films that may be taken in at once.
_FILMS_AT_ONCE = 10_000
# A file counts as grown if it is at least this many seconds longer: one frame at 25 fps.
_LEAST_GROWTH = 0.04
_SAME_MOMENT = timedelta(milliseconds=1)
_NO_RETRY = OutageRetry(0.0, lambda _: None)
LONGEST_REPLY = 20_000
"""Characters of a model's reply that are stored with a failed clip."""


class _TakenBack(Exception):
    """Ends a transaction without a commit."""


@dataclass(frozen=True)
class _LastForgotten:
    """When anything of a film was last forgotten (None: never), and what had been of its group."""

    film: datetime | None = None
    group: GroupMark = NOTHING_FORGOTTEN


class ClipWriter:
    """Writes clips with all their edges. A returned receipt means that the clip is durably stored."""

    def __init__(
        self,
        database: Database,
        *,
        jump_gap_sec: float,
        language: str,
        now: Callable[[], datetime],
        retry: OutageRetry = _NO_RETRY,
    ) -> None:
        """retry: repeats calls that the database does not answer. This is safe: committing twice changes nothing.

        A clip whose acknowledgement was lost is "unchanged" the second time.
        """
        self._database = database
        self._retry = retry
        self._shared_commit = SharedCommits(self._commit_now)
        self._jump_gap = jump_gap_sec
        self._language = language
        self._plain_text = language != "en"
        self._now = now
        # Merged persons by group. A commit reads them again if their version differs from the graph's.
        self._aliases: dict[str, PersonAliases] = {}
        # {(group_id, video_id): as it was begun}. Commits in other threads read it, so no film may be missing for a
        # moment.
        self._forgotten = OrderedDict[tuple[str, str], _LastForgotten]()
        self._noting = Lock()

    def commit(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """Write clips and return one receipt per clip, in order. vectors: (events of all clips, dim).

        Raises EmbedderMismatch: the group was embedded with another model. Nothing is written then.
        """
        return self.prepare(clips, vectors, model)()

    def prepare(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Callable[[], list[Receipt]]:
        """Build the rows now, before the writers' lock is taken, and return the function that writes them.

        It may be called again after an error, but by one thread at a time. Arguments, result and errors are as for
        `commit`. A single clip may share a transaction with those of other threads; its rows are built then.
        """
        if len(clips) == 1:
            return partial(self._retry, partial(self._shared_commit, clips, vectors, model))
        return partial(self._retry, self._prepared(clips, vectors, model))

    def rehearse(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> None:
        """Write clips and take them back in the same transaction. Raises EmbedderMismatch."""
        batch = self._batch(clips, vectors, model)

        def write(run: Run) -> None:
            self._commit(batch, self._now(), run)
            raise _TakenBack

        with suppress(_TakenBack):
            self._database.in_transaction(write)

    def _commit_now(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        return self._prepared(clips, vectors, model)()

    def _prepared(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Callable[[], list[Receipt]]:
        """As `prepare`, without retries.

        Rows take much memory, so only those of the first transaction are built ahead; those of the later ones are
        built when their turn comes.
        """
        parts = list(_with_vectors(_batches(clips), vectors))
        ahead = [self._batch(*part, model) for part in parts[:1]]

        def write() -> list[Receipt]:
            receipts: list[Receipt] = []
            try:
                for batch in chain(ahead, (self._batch(*part, model) for part in parts[1:])):
                    for receipt in self._written(batch):
                        receipts.append(receipt)
            except StoreTooLarge as error:
                error.written = receipts
                raise
            return receipts

        return write

    def _written(self, batch: _Batch) -> Iterator[Receipt]:
        """Write a batch; in several transactions if it is too large for the server's memory."""

        def write(part: Sequence[int]) -> list[Receipt]:
            fits = batch if len(part) == len(batch.clips) else self._batch(*batch.part(part), batch.model)
            return self._database.in_transaction(partial(self._commit, fits, self._now()))

        for receipts in in_parts(range(len(batch.clips)), write):
            yield from receipts

    def committed_clips(self, group_id: str, video_id: str) -> Mapping[str, str]:
        """Return {clip_id: content_sha256} of a video's committed clips.

        The hash is "" where it is unknown: the receipt was lost, or `amr doctor --repair` made it again.
        """
        return self.committed_clips_of(group_id, [video_id])[video_id]

    def committed_clips_of(self, group_id: str, video_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Return {video_id: its `committed_clips`}, in one read."""
        found: dict[str, dict[str, str]] = {video_id: {} for video_id in video_ids}
        for row in self._read("committed_clips", group_id=group_id, video_ids=list(found)):
            found[row["video_id"]][row["clip_id"]] = row["content_sha256"]
        return found

    def tracked_items(self, group_id: str, items: Sequence[TrackedItem]) -> list[StoredItem]:
        """Return what is stored of items of a camera system and of the members of reviews among them.

        Also returns all reviews and sounds of the same videos. An update without a camera is looked for in all videos
        of its day.
        """
        rows = self._read(
            "tracked_items",
            group_id=group_id,
            video_ids=list({video_of(item.camera, item.start) for item in items if item.camera}),
            days=list({day_suffix(item.start) for item in items if not item.camera}),
            item_ids=list({item_id for item in items for item_id in (item.item_id, *item.members)}),
        )
        found: list[StoredItem] = []
        for row in rows:
            with suppress(ValidationError):  # damaged, or written by another version: the new content is then refused
                item = TrackedItem.model_validate_json(row["tracked"])
                found.append(StoredItem(item=item, **{name: row[name] for name in row if name != "tracked"}))
        return found

    def continued(self, video: Video, *, named: bool) -> Video:
        """Return the stored video if this file is a longer version of its file; otherwise `video` unchanged.

        A stored video fits if it shares a key with the file and is not longer. The result keeps its id and
        fingerprint, so that its analyses stay valid, and has the new length.
        named: a person gave the id, so only the stored video with this id fits.
        """
        # Repeats if another process stores a new length in between.
        while found := _same_file(video, self._videos_of_file(video), named=named):
            known_s = found["duration_s"]
            stored = replace(
                video,
                video_id=found["video_id"],
                fingerprint=found["fingerprint"],
                duration_s=known_s,
                ends=tuple(found["ends"]),
            )
            if (video.duration_s or 0.0) - known_s < _LEAST_GROWTH:
                return stored
            grown = replace(stored, duration_s=video.duration_s, ends=(*stored.ends, known_s))
            has_grown = self._write(
                "grow_video",
                group_id=grown.group_id,
                video_id=grown.video_id,
                known_s=known_s,
                duration_s=grown.duration_s,
                uri=grown.uri,
                fingerprint=video.fingerprint,
                now=self._now(),
            )
            if has_grown:  # the write checks known_s, so that it never overwrites another process's length
                return grown
        return video

    def known_lengths(self, video: Video) -> list[float]:
        """Return the lengths, in seconds, of the stored videos that were made from this file."""
        return [row["duration_s"] for row in self._videos_of_file(video)]

    def videos_of_content(self, video: Video) -> list[Video]:
        """Return the stored videos whose file has the same content as this one's, the oldest first."""
        rows = self._read("videos_of_content", group_id=video.group_id, fingerprint=video.fingerprint)
        return [replace(video, **row | {"ends": tuple(row["ends"])}) for row in rows]

    def files_below(self, group_id: str, paths: Sequence[str]) -> list[StoredFile]:
        """Return the files of videos and clips that have one of these paths, or lie in a folder of this path."""
        folders = [f"{path.rstrip('/')}/" for path in paths]
        rows = self._read("files_below", group_id=group_id, paths=list(paths), folders=folders)
        return [StoredFile(row["video_id"], row["uri"], tuple(row["fingerprints"])) for row in rows]

    def move_files(self, group_id: str, moves: Sequence[FileMove]) -> None:
        """Store where files are now. A path that another process has changed stays."""
        self._write("move_files", group_id=group_id, moves=[asdict(move) for move in moves])

    def _read(self, name: str, **params: Any) -> list[Row]:
        return self._retry(lambda: self._database.read(f"ingest/{name}", **params))

    def _write(self, name: str, **params: Any) -> list[Row]:
        return self._retry(lambda: self._database.write(f"ingest/{name}", **params))

    def _videos_of_file(self, video: Video) -> list[Row]:
        keys = list(video.file_keys)
        return self._read("videos_of_file", group_id=video.group_id, file_keys=keys) if keys else []

    def stored(self, video: Video) -> Video | None:
        """Return the video with the clock, place, zone and wearer that are stored for it; None if it is not stored.

        These never change, because positions of events depend on them. If a repair has made the video again, what it
        could not restore is taken from the given video, and the place may be empty.
        """
        rows = self._read("stored_video", group_id=video.group_id, video_id=video.video_id)
        if not rows:
            return None
        row = rows[0]
        instead = video if row["damaged"] else Video(video.group_id, video.video_id)
        texts = {name: row[name] or getattr(instead, name) for name in ("place", "timezone", "wearer")}
        began = native(row["recorded_at"]) or instead.recorded_at
        if began and instead.recorded_at and abs(began - instead.recorded_at) < _SAME_MOMENT:
            began = instead.recorded_at  # the same moment, with its offset
        return replace(video, recorded_at=began, **texts)

    def dated_by_arrival(self, video: Video) -> Video:
        """Date a video by its arrival. Returns it as recorded now.

        If the last film of its place ends too near, or later, the video begins a second more than the gap of
        ENTITY_JUMP after that film.
        """
        rows = self._read("last_recording", group_id=video.group_id, place=video.home)
        ended = native(rows[0]["ended"])
        after = [ended + timedelta(seconds=self._jump_gap + 1)] if ended else []
        return replace(video, recorded_at=max([self._now(), *after]), dated_by="arrival")

    def forgotten(self, video: Video, groups: GroupMarks | None = None) -> ForgottenClips:
        """Return the clips of a video's film that were forgotten.

        What is forgotten after the first call for a film is not committed before `take_again`. If a group is
        forgotten as a whole, or in part by its time, after the first call with the same `groups`, nothing of that is
        committed of the films of these calls.

        groups: of one ingest, empty when it begins; filled here. None: the film is an ingest of its own.
        """
        groups = {} if groups is None else groups
        found, film = self._forgotten_of(video), (video.group_id, video.video_id)
        if video.group_id not in groups:
            groups[video.group_id] = self._group_forgotten(video.group_id)
        with self._noting:
            # A later call, for more clips of the same film, leaves what the first one found. The film is put last:
            # the one that was asked for longest ago makes room.
            last = self._forgotten.get(film)
            self._forgotten[film] = _LastForgotten(last.film if last else found.at, groups[video.group_id])
            self._forgotten.move_to_end(film)
            while len(self._forgotten) > _FILMS_AT_ONCE:
                self._forgotten.popitem(last=False)
        return found

    def _forgotten_of(self, video: Video) -> ForgottenClips:
        return _forgotten(self._read("forgotten_footage", group_id=video.group_id, films=_film_keys(video)))

    def _group_forgotten(self, group_id: str) -> GroupMark:
        [row] = self._read("forgotten_group", group_id=group_id, key=forgotten_group_key(group_id))
        return GroupMark(native(row["whole"]), native(row["by_time"]))

    def forgotten_file(self, group_id: str, fingerprint: str) -> ForgottenClips:
        """Return what was forgotten of the film with this content, whichever id it had."""
        return _forgotten(self._read("forgotten_footage", group_id=group_id, films=[footage_key(fingerprint)]))

    def forgotten_item(self, group_id: str, item_id: str) -> ForgottenClips:
        """Return whether an item of a camera system was forgotten, whichever camera it was of."""
        return _forgotten(self._read("forgotten_item", group_id=group_id, clip=footage_key(item_id)))

    def take_again(self, video: Video, clip_id: str = "") -> None:
        """Note that the film of a video, or one clip of it, may be taken in again."""
        clips = [footage_key(clip_id), WHOLE_FILM, UNKNOWN_FILM] if clip_id else None
        films = _film_keys(video)
        self._write("take_footage_again", group_id=video.group_id, films=films, clips=clips)

    def has_words(self, group_id: str, video_id: str) -> bool:
        """Return whether anything said is stored of a video."""
        return self._read("has_words", group_id=group_id, video_id=video_id)[0]["has_words"]

    def fail(self, clip: FailedClip, *, attempt: int, skip: bool) -> Receipt:
        """Record a clip that could not be analysed. It is stored as skipped, or as failed and to be retried.

        A clip that is already committed is left as it is, and its receipt says "unchanged"; so does that of one that
        was forgotten since its film was begun, and nothing of it is stored.
        """
        if gone := self._forgotten_since(clip):
            return gone
        status = "skipped" if skip else "failed"
        [row] = self._write(
            "fail_clip",
            **_failed_rows(clip),
            status=status,
            attempt=attempt,
            usage=usage_row(clip.usage),
            now=self._now(),
        )
        if row["committed"]:
            return Receipt.of(clip, "unchanged", usage=clip.usage)
        return Receipt.of(clip, status, error=clip.error, usage=clip.usage)

    def drop(self, clip: FailedClip) -> Receipt:
        """Record a clip of a live source that was dropped because the analysis could not keep up.

        If it was forgotten since its film was begun, its receipt says "unchanged", and nothing of it is stored.
        """
        if gone := self._forgotten_since(clip):
            return gone
        self._write("drop_clip", **_failed_rows(clip), now=self._now())
        return Receipt.of(clip, "dropped", notes=(clip.error,))

    def _forgotten_since(self, clip: FailedClip) -> Receipt | None:
        """Return the receipt of a clip that was forgotten since its film was begun; None of any other."""
        film = clip.video.group_id, clip.video.video_id
        before = self._forgotten.get(film)
        if before is None:
            return None
        video, gone = clip.video, self._forgotten_of(clip.video)
        since = [gone.at] if clip.clip.clip_id in gone and _is_later(gone.at, before.film) else []
        at = self._group_forgotten(video.group_id).whole
        since += [at] if _is_later(at, before.group.whole) else []
        if ended := _ended(video, clip.clip):
            asked = {"group_id": video.group_id, "films": _film_keys(video), "ended": ended}
            at = native(self._read("forgotten_by_time", **asked)[0]["forgotten_at"])
            if _is_later(at, before.group.by_time):
                since += [at]
                marks = _marks(_film_keys(video), footage_key(clip.clip.clip_id))
                note = {"group_id": video.group_id, "marks": marks, "films": [], "now": at}
                self._retry(lambda: self._database.write("forgetting/note_footage", **note))
        if not since:
            return None
        return Receipt.of(clip, "unchanged", notes=(ForgottenClips(since[0]).note,), usage=clip.usage)

    def remake_scenes(self, group_id: str, form: FormScenes) -> None:
        """Bring the scenes of a group up to date where events were added or removed."""
        remake = partial(remake_scenes, self._database, group_id, form, plain_text=self._plain_text)
        self._retry(lambda: remake(now=self._now()))

    def untold_scenes(self, group_id: str) -> list[UntoldScene]:
        """Return some scenes of the top level that no model was asked about yet, in order."""
        rows = self._retry(
            lambda: self._database.read("scenes/untold", group_id=group_id, level=TOP, limit=_SCENES_AT_ONCE)
        )
        return [UntoldScene(**row) for row in rows]

    def tell_scene(self, group_id: str, scene: UntoldScene, told: SceneTold) -> None:
        """Note what a model says of a scene, unless the scene has changed since it was read."""
        params = {**scene._asdict(), "summary": told.summary, "asked": told.by, "usage": usage_row(told.usage)}
        self._retry(lambda: self._database.write("scenes/tell", group_id=group_id, **params))

    def failed_clips(self, group_id: str, video_id: str) -> Mapping[str, Failure]:
        """Return {clip_id: failure} of a video's failed and skipped clips, in order of time."""
        rows = self._read("failed_clips", group_id=group_id, video_id=video_id)
        return {
            row["clip_id"]: Failure(row["attempts"], row["error"], row["t_start"], row["skipped"]) for row in rows
        }

    def skip_failed(self, group_id: str, video_id: str) -> None:
        """Mark the failed clips of a video as skipped: they no longer block later clips."""
        self._write("skip_failed", group_id=group_id, video_id=video_id)

    def recent_events(self, video: Video, model: str, limit: int) -> Recent:
        """Return the latest events of a video, at most `limit`, oldest first, with this model's vectors."""
        [found] = self._read(
            "recent_events", group_id=video.group_id, video_id=video.video_id, model=model, limit=limit
        )
        return Recent(found["last_node_id"], tuple(recent_event(row) for row in found["events"]))

    def commit_merging(
        self, clip: ComposedClip, vectors: Vectors, model: str, merged: Sequence[MergedEvent], after: int | None
    ) -> Receipt | None:
        """Write the clip and its merged events in one transaction.

        after: the video's last_node_id when `merged` was computed.
        vectors: shape (events of the clip, dim).
        Returns None and writes nothing if the video got another event since; the caller must merge again.
        Raises EmbedderMismatch.
        """
        batch = self._batch([clip], vectors, model)
        merge = partial(self._merge, batch, merged, after)
        return self._retry(lambda: self._database.in_transaction(merge))

    def _merge(self, batch: _Batch, merged: Sequence[MergedEvent], after: int | None, run: Run) -> Receipt | None:
        """Write a clip and its merged events inside the transaction of `run`; None if the video has new events."""
        [clip] = batch.clips
        video, source = clip.source.video, clip.source
        key = {"group_id": video.group_id, "video_id": video.video_id, "clip_id": source.clip.clip_id}
        [video_now] = run("ingest/lock_video", **key)
        # An equal content hash means that this clip was committed before and only the acknowledgement got lost. Then
        # the video has moved because of the clip itself, and `_commit` reports it as unchanged.
        if video_now["last_node_id"] != after and video_now["content_sha256"] != source.content_sha256:
            return None
        if video_now["damaged"]:
            # `_commit` replaces the clip, in this same transaction. What `merged` was made of may go with it.
            merged = ()
        now = self._now()  # read after the lock is taken, so that times follow the order of commits
        [receipt] = self._commit(batch, now, run)
        if receipt.outcome != "committed" or not merged:
            return receipt
        # The clip's own events are written by now. Supersede all parts and write the merged events in their place, in
        # this same transaction: no reader ever sees both. Questions with known_at still find the earlier parts.
        parts = [_parts(event, receipt) for event in merged]
        replaced = [node_id for each in parts for node_id in each]
        left = supersede(run, video.group_id, replaced, now=now)
        # `_commit` has just brought these aliases up to date.
        further = merged_row(clip, merged, self._person_aliases(video.group_id))
        write_clips(
            run,
            video.group_id,
            [further | {"stored": left.events[0]["video"]}],  # merged events are all of one video
            numbers=Numbers(left.next_id, left.next_seq, batch.model, batch.dim),
            gone=left.events,
            jump_gap=self._jump_gap,
            plain_text=self._plain_text,
            now=now,
        )
        merged_ids = range(left.next_id, left.next_id + len(merged))
        successors = [
            {"node_id": node_id, "parts": replaced_by, "clip_ids": list(event.clip_ids)}
            for node_id, replaced_by, event in zip(merged_ids, parts, merged, strict=True)
        ]
        run("ingest/write_successors", group_id=video.group_id, merged=successors, now=now)
        return replace(receipt, merged_ids=tuple(merged_ids))

    def _commit(self, batch: _Batch, now: datetime, run: Run) -> list[Receipt]:
        """Write a batch inside the transaction of `run`; returns one receipt per clip."""
        clips, rows = batch.clips, batch.rows
        group_id = clips[0].source.video.group_id
        found = self._locked(batch, now, run)
        # The rows name persons by identity. If persons were merged since they were built, build them again.
        if found["merges"] != batch.aliases.version:
            rows = _rows(clips, batch.vectors, self._aliases_at(found["merges"], group_id, run))
        videos = {video["video_id"]: video for video in found["videos"]}
        outcomes = [
            _outcome(clip, state | {"moved": videos[clip.source.video.video_id]["moved"]})
            for clip, state in zip(clips, found["clips"], strict=True)
        ]
        new = [
            row | {"stored": videos[row["video_id"]]["stored"], "amends": outcome == "amended"}
            for row, (outcome, _) in zip(rows, outcomes, strict=True)
            if outcome in ("committed", "amended")
        ]
        # The earlier events of amended clips are superseded in this same transaction. Questions with known_at still
        # find them.
        earlier = _events_of(run, group_id, [row for row in new if row["amends"]])
        left = None
        if earlier:
            node_ids = [node_id for of_clip in earlier.values() for node_id in of_clip]
            left = supersede(run, group_id, node_ids, now=now)
        next_seq = left.next_seq if left else found["next_seq"]
        numbers = Numbers(found["next_id"], next_seq, batch.model, batch.dim)
        write_clips(
            run,
            group_id,
            new,
            numbers=numbers,
            gone=left.events if left else (),
            jump_gap=self._jump_gap,
            plain_text=self._plain_text,
            now=now,
        )
        receipts = list(_receipts(clips, outcomes, found["next_id"]))
        if successors := _successors(receipts, earlier):
            run("ingest/write_successors", group_id=group_id, merged=successors, now=now)
        return receipts

    def _locked(self, batch: _Batch, now: datetime, run: Run) -> Row:
        """Take the lock of all writers, and return what the graph has of the videos and clips of a batch.

        What is left of damaged clips is removed, so that they can be written whole.
        Raises EmbedderMismatch: another embedder embedded the group.
        """
        clips, rows, model, dim = batch.clips, batch.rows, batch.model, batch.dim
        group_id = clips[0].source.video.group_id
        embedded = {"embedding_model": model, "embedding_dim": dim, "languages": [self._language]}
        asked = _asked(clips, rows, self._forgotten)
        lock = partial(
            run,
            "ingest/lock",
            group={"group_id": group_id, "forgotten_as": forgotten_group_key(group_id), "props": embedded},
            model=model,
            dim=dim,
            videos=_videos_asked(rows),
            clips=asked,
            now=now,
        )
        [found] = lock()
        if not found["fits"]:
            raise embedder_mismatch(group_id, (found["model"], found["dim"]), (model, dim))
        damaged = [
            clip
            for clip, state in zip(asked, found["clips"], strict=True)
            if state["damaged"] and state["known"] == clip["content_sha256"] and not state["forgotten"]
        ]
        if damaged:
            FootageForgetter(self._database, group_id, self._jump_gap, self._now).remove_clips(run, damaged)
            [found] = lock()  # again, because removing draws numbers too
        self._note_by_time(asked, found["clips"], group_id, run)
        return found

    def _note_by_time(self, asked: Sequence[Row], states: Sequence[Row], group_id: str, run: Run) -> None:
        """Treat clips that were forgotten by their time while they were analysed as those that were stored then.

        They are noted as forgotten, so that a folder does not bring them back.
        """
        for clip, state in zip(asked, states, strict=True):
            at = state["forgotten_by_time"]
            if at is None or state["forgotten"] or state["known"] is not None:
                continue
            state["forgotten"] = at
            marks = _marks(clip["films"], clip["forgotten_as"][0])
            run("forgetting/note_footage", group_id=group_id, marks=marks, films=[], now=at)

    def _person_aliases(self, group_id: str) -> PersonAliases:
        """Return the merged persons as this writer read them last; none before the first commit."""
        return self._aliases.get(group_id, PersonAliases())

    def _aliases_at(self, version: int, group_id: str, run: Run) -> PersonAliases:
        """Return the merged persons of this version, which is the current one, from the cache or the graph."""
        aliases = self._person_aliases(group_id)
        if aliases.version != version:
            aliases = self._aliases[group_id] = read_aliases(run, group_id)
        return aliases

    def _batch(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> _Batch:
        aliases = self._person_aliases(clips[0].source.video.group_id)
        return _Batch(clips, vectors, model, aliases, _rows(clips, vectors, aliases))


@dataclass(frozen=True)
class _Batch:
    """The clips of one transaction.

    vectors: (their events, dim).
    rows: of `clip_row`, built with `aliases`.
    """

    clips: Sequence[ComposedClip]
    vectors: Vectors
    model: str
    aliases: PersonAliases
    rows: Sequence[Row]

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])

    def part(self, numbers: Sequence[int]) -> tuple[Sequence[ComposedClip], Vectors]:
        """Return some of the clips, which follow one another, and the vectors of their events."""
        clips = [self.clips[number] for number in numbers]
        before = sum(len(clip.events) for clip in self.clips[: numbers[0]])
        return clips, self.vectors[before : before + sum(len(clip.events) for clip in clips)]


def _rows(clips: Sequence[ComposedClip], vectors: Vectors, aliases: PersonAliases) -> list[Row]:
    """Return one row per clip. vectors: (events of all clips, dim)."""
    rows: list[Row] = []
    start = 0
    for number, clip in enumerate(clips):
        end = start + len(clip.events)
        rows.append(clip_row(number, clip, vectors=vectors[start:end], aliases=aliases))
        start = end
    return rows


def _batches(clips: Sequence[ComposedClip]) -> Iterator[list[ComposedClip]]:
    """Cut clips into batches, one for each transaction.

    A new batch starts with a clip of another group, with a clip that would make the batch too large, with a clip_id
    that repeats, and where a video's place or start time changes. In the last two cases the clip has to be compared
    with what the earlier transaction stored.
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
    """Yield each batch with the vectors of its events. vectors: (events of all batches, dim)."""
    start = 0
    for batch in batches:
        end = start + sum(len(clip.events) for clip in batch)
        yield batch, vectors[start:end]
        start = end


def _videos_asked(rows: Sequence[Row]) -> list[Row]:
    """Return each video once, with the properties that must equal the stored ones.

    `_batches` made sure that the clips of a batch agree on them.
    """
    homes = {row["video_id"]: row["video"] for row in rows}
    return [{"video_id": name, **{key: of[key] for key in ("place", "recorded_at")}} for name, of in homes.items()]


def _asked(
    clips: Sequence[ComposedClip], rows: Sequence[Row], forgotten: Mapping[tuple[str, str], _LastForgotten]
) -> list[Row]:
    """Return for each clip what ingest/lock needs to decide whether it is new.

    position: that of its first event. A clip that lost its receipt is found by it.
    forgotten: {(group_id, video_id): what had been forgotten as it was begun}.
    """
    asked: list[Row] = []
    for clip, row in zip(clips, rows, strict=True):
        video = clip.source.video
        film = video.group_id, video.video_id
        before = forgotten.get(film, _LastForgotten())
        asked.append(
            {
                "films": _film_keys(video) if film in forgotten else [],
                "forgotten_as": [footage_key(row["clip_id"]), WHOLE_FILM, UNKNOWN_FILM],
                "forgotten_before": before.film,
                "group_forgotten_before": before.group.whole,
                "time_forgotten_before": before.group.by_time,
                "ended": _ended(video, clip.source.clip),
                **{name: row[name] for name in ("number", "video_id", "clip_id")},
                "content_sha256": clip.source.content_sha256,
                "position": row["events"][0]["props"]["position"] if row["events"] else None,
            }
        )
    return asked


def _events_of(run: Run, group_id: str, rows: Sequence[Row]) -> dict[tuple[str, str], list[int]]:
    """Return {(video_id, clip_id): node_ids of its current events} of stored clips, without those that have none."""
    if not rows:
        return {}
    clips = [{"video_id": row["video_id"], "clip_id": row["clip_id"]} for row in rows]
    found = run("ingest/events_of_clips", group_id=group_id, clips=clips)
    return {(row["video_id"], row["clip_id"]): row["node_ids"] for row in found if row["node_ids"]}


def _forgotten(rows: Sequence[Row]) -> ForgottenClips:
    if not rows:
        return NONE_FORGOTTEN
    at = max(row["forgotten_at"] for row in rows)
    spans = {(row["t_start"], row["t_end"]) for row in rows if row["t_end"] is not None}
    return ForgottenClips(native(at), frozenset(row["clip"] for row in rows), tuple(sorted(spans)))


def _ended(video: Video, clip: Clip) -> datetime | None:
    """Return when a clip ended by the wall clock of its video; None if that is unknown."""
    return video.recorded_at and video.recorded_at + timedelta(seconds=clip.t_end)


def _is_later(at: datetime | None, before: datetime | None) -> bool:
    return at is not None and (before is None or at > before)


def _marks(films: Sequence[str], clip: str) -> list[Row]:
    """Return the rows that forgetting/note_footage takes for a clip: one for each key of its film.

    films: the keys of the film.
    clip: the key of the clip.
    """
    return [{"film": film, "clip": clip, "t_start": None, "t_end": None} for film in films]


def _film_keys(video: Video) -> list[str]:
    return [footage_key(name) for name in (video.video_id, video.fingerprint, *video.file_keys) if name]


def _successors(receipts: Sequence[Receipt], earlier: Mapping[tuple[str, str], list[int]]) -> list[Row]:
    """Return the rows of ingest/write_successors: the first event of an amended clip replaces its earlier ones."""
    return [
        {"node_id": receipt.node_ids[0], "parts": earlier[key], "clip_ids": [receipt.clip_id]}
        for receipt in receipts
        if receipt.node_ids and (key := (receipt.video_id, receipt.clip_id)) in earlier
    ]


def _receipts(
    clips: Sequence[ComposedClip], outcomes: Sequence[tuple[Outcome, str]], next_id: int
) -> Iterator[Receipt]:
    """Yield one receipt per clip. Committed clips get their node_ids in the same order as in `write_clips`."""
    for clip, (outcome, why) in zip(clips, outcomes, strict=True):
        ids: tuple[int, ...] = ()
        if outcome in ("committed", "amended"):
            ids = tuple(range(next_id, next_id + len(clip.events)))
            next_id += len(clip.events)
        source = clip.source
        yield Receipt.of(
            source,
            outcome,
            node_ids=ids,
            notes=(*source.notes, *([why] if why and outcome == "unchanged" else [])),
            error="" if outcome == "unchanged" else why,
            usage=source.usage,
        )


def _outcome(clip: ComposedClip, state: Mapping[str, object]) -> tuple[Outcome, str]:
    """Return the outcome of a clip and, if it is not written, why. state: what ingest/lock has found."""
    source = clip.source
    # known: content hash of the committed clip with this id, or None.
    if (forgotten_at := native(state["forgotten"])) or state["known"] == source.content_sha256:
        return "unchanged", ForgottenClips(forgotten_at).note if forgotten_at else ""
    if state["known"] is not None and source.replaces:
        is_latest = source.replaces == state["known"]
        return ("amended", "") if is_latest else ("held", "another process has amended it; take it in again")
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


def _same_file(video: Video, rows: Sequence[Row], *, named: bool) -> Row | None:
    """Return the stored video that the file continues: it is not longer than the file. None if there is none."""
    fitting = [row for row in rows if row["duration_s"] <= (video.duration_s or 0.0) + _LEAST_GROWTH]
    same_id = [row for row in fitting if row["video_id"] == video.video_id]
    if named or same_id:
        return next(iter(same_id), None)
    # With an equal fingerprint the file has not grown: a person took the same film in under another name.
    return next((row for row in fitting if row["fingerprint"] != video.fingerprint), None)


def _failed_rows(failed: FailedClip) -> Row:
    """Return the parameters that ingest/fail_clip and ingest/drop_clip share."""
    video, clip = failed.video, failed.clip
    reply = failed.raw_reply
    if len(reply) > LONGEST_REPLY:
        reply = f"{reply[:LONGEST_REPLY]}\n... and {len(reply) - LONGEST_REPLY} more characters"
    return {
        "key": {"group_id": video.group_id, "video_id": video.video_id, "clip_id": clip.clip_id},
        "video": video_row(video),
        "clip": {
            **stretch_row(clip),
            **picked(failed, "content_sha256", "analyser", "model", "error", "received_at"),
            "raw_reply": reply,
        },
    }


def _parts(merged: MergedEvent, receipt: Receipt) -> list[int]:
    """Return the node_ids of the events that a merged event replaces: stored ones, and some of the clip's own."""
    return [*merged.node_ids, *(receipt.node_ids[ordinal] for ordinal in merged.ordinals)]
