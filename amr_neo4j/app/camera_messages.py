"""Takes in the messages of a camera system as they come, each of them once, whatever is killed or away."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from amr_neo4j.domain.forgotten import contains_name
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.domain.tracked import TrackedItem, day_suffix, video_of
from amr_neo4j.errors import InputError, StoreUnavailable
from amr_neo4j.ingest.frigate import folded, read_entry
from amr_neo4j.ingest.live_clips import Rate
from amr_neo4j.media.mqtt import Subscription, broker

if TYPE_CHECKING:
    from amr_neo4j.spool.messages import MessageSpool, SpooledMessage

# Messages that are taken in together, the seconds between two looks, and those to wait for a database that is away.
_MESSAGES_AT_ONCE = 200
_PATIENCE = 0.5
_BETWEEN_TRIES = 5.0
_SAY_EVERY = 60.0
TakeIn = Callable[..., None]
"""Ingesting.items: takes in items of a camera system, from (group, source, items, watch, timezone=...)."""


@dataclass(frozen=True, kw_only=True)
class CameraMessages:
    """Subscribes to brokers, keeps each message on disk before it is acknowledged, and takes it in from there.

    take_in: commits items.
    lock: the file by which a second subscriber with the same session is noticed.
    session: tells this machine's data directory from others.
    """

    spool: Callable[[], MessageSpool]
    take_in: TakeIn
    lock: Path
    session: str
    notify: Notify

    def watch(self, group_id: str, place: str, watch: Watch, stop: Event, *, timezone: str = "") -> IngestReport:
        """Take in the messages of a broker until `stop` is set or Ctrl-C, first those that an earlier run has left.

        timezone: of the cameras, instead of that in the settings.
        Raises InputError: another process does so for this data directory. Raises SourceLost: the broker refuses the
        user. Raises NoSpace.
        """
        report, spool, to = IngestReport(), self.spool(), broker(place)
        away, again, left = Rate(_SAY_EVERY), Rate(_BETWEEN_TRIES), dict[int, set[str]]()
        taken_in = partial(self.take_in, timezone=timezone)
        with ExitStack() as held:
            self._alone(held)
            keep = partial(_keep, spool, group_id, to.shown)
            link = held.enter_context(Subscription(to, f"{self.session} {group_id}", keep=keep, notify=self.notify))
            with suppress(KeyboardInterrupt):
                while not stop.is_set():
                    if link.failed:
                        raise link.failed
                    link.arrived.clear()
                    try:
                        if again():
                            left.clear()
                        busy = take_some(spool, group_id, taken_in, watch=report.counting(watch), left=left)
                    except StoreUnavailable as error:
                        if away():
                            self.notify(
                                f"{error.message}; messages are kept on this disk and taken in once it is back"
                            )
                        stop.wait(_BETWEEN_TRIES)
                        continue
                    if not busy:
                        link.arrived.wait(_PATIENCE)
        if waiting := spool.waiting(group_id):
            report.notes.append(f"{waiting} messages wait on this disk; the next run takes them in")
        return report

    def _alone(self, held: ExitStack) -> None:
        """Hold the lock until `held` is closed. With one session, two processes would push each other out."""
        try:
            held.enter_context(FileLock(self.lock, timeout=0))
        except Timeout:
            hint = "end it first, or give this one another data_dir"
            raise InputError("another process watches a broker with this data directory", hint=hint) from None


def take_some(
    spool: MessageSpool, group_id: str, take_in: TakeIn, *, watch: Watch, left: dict[int, set[str]]
) -> bool:
    """Take in the oldest messages, and delete them from the spool. Returns whether there were any.

    left: {number of a message: its items} of messages that are held and not tried now. Those that are held here are
        added: they stay in the spool. Newer messages of the same items wait with them, so that none overtakes
        another.
    """
    messages = spool.first(group_id, _MESSAGES_AT_ONCE, without=left)
    items: list[TrackedItem] = []
    said: dict[int, set[str]] = {}
    for message in messages:
        found = _read(message)
        of_message = [each for each in found if isinstance(each, TrackedItem)]
        ids = {each.item_id for each in of_message}
        if any(ids & waiting for waiting in left.values()):
            left[message.number] = ids
            continue
        said[message.number] = ids
        items += of_message
        for each in found:
            if isinstance(each, Receipt):
                watch(Progress(message.source, each))
    if not said:
        return False
    held: set[str] = set()

    def seen(progress: Progress) -> None:
        if progress.receipt.outcome == "held":
            held.add(progress.receipt.clip_id)
        else:
            watch(progress)

    # After a kill before the deletion, the same messages change nothing.
    take_in(group_id, messages[0].source.rpartition(" ")[0], folded(items), seen)
    # A review that is held may have no message here, because an event changes the review that it belongs to. Then all
    # messages are taken in again.
    all_again = not held <= {each for ids in said.values() for each in ids}
    done = [number for number, ids in said.items() if not (ids & held or (all_again and ids))]
    left.update({number: ids for number, ids in said.items() if number not in done})
    spool.remove(done)
    return True


def forget_messages(
    spool: MessageSpool,
    group_id: str,
    video_id: str,
    names: Callable[[str], Collection[str]] | None,
    *,
    items: Collection[str] | None,
) -> int:
    """Delete the waiting messages of a group: those of a video, those that contain a name, or all of them.

    names: video_id -> the names that are looked for in its messages; with "", where the video is unknown.
    items: only those of these items.
    Returns their number. Raises StoreUnavailable if they are deleted, but another process still reads the file.
    """

    def is_of_video(item: TrackedItem) -> bool:
        if item.camera:
            return video_id == video_of(item.camera, item.start)
        # An update names no camera. It counts as part of the video if its event is of the same day.
        return video_id.endswith(day_suffix(item.start))

    def is_meant(message: SpooledMessage) -> bool:
        told = [found for found in _read(message) if isinstance(found, TrackedItem)]
        if items is not None and not any(item.item_id in items for item in told):
            return False
        if video_id and not any(map(is_of_video, told)):
            return False
        if not names:
            return True
        videos = {video_of(item.camera, item.start) if item.camera else "" for item in told} or {""}
        wanted = names(video_id) if video_id else {name for video in videos for name in names(video)}
        return contains_name(_words(message.payload), wanted)

    return spool.forget([message.number for message in spool.first(group_id, -1) if is_meant(message)])


def _words(payload: str) -> str:
    """Return the text of a message in which names can be searched: JSON escapes letters that are not ASCII."""
    with suppress(ValueError, RecursionError):
        return json.dumps(json.loads(payload), ensure_ascii=False).replace("_", " ")
    return payload


def _keep(spool: MessageSpool, group_id: str, source: str, topic: str, payload: bytes) -> None:
    spool.keep(group_id, f"{source} {topic}", payload)


def _read(message: SpooledMessage) -> list[TrackedItem | Receipt]:
    """Return the items of a message, or why it is rejected."""
    try:
        entry: object = json.loads(message.payload)
    except (ValueError, RecursionError) as error:
        return [Receipt("", "", "rejected", error=f"a message is not valid JSON: {error}"[:300])]
    return [
        found if isinstance(found, TrackedItem) else Receipt("", "", "rejected", error=f"a message: {found.why}")
        for found in read_entry(entry)
    ]
