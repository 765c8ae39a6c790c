"""Joins items of a camera system with what the graph knows of them, so that a clip is amended when more is known.

Only Frigate's items are amended. Elsewhere, other content under a stored id is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from amr_neo4j.domain.batches import batched
from amr_neo4j.domain.forgotten import NONE_FORGOTTEN, ForgottenClips
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.tracked import StoredItem, TrackedItem, video_of
from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.frigate import line_of
from amr_neo4j.ingest.json_lines import analysed_clip
from amr_neo4j.language.languages import Language

ReadItems = Callable[[str, Sequence[TrackedItem]], Iterable[StoredItem]]
"""Reads what the graph knows of items of a group: of themselves, of members of reviews, and of all their reviews."""
InZone = Callable[[Video], Video]
"""Return a video with the time zone that is set for it."""
# The states of this many items are remembered: a clip may be amended again before its first commit can be read.
_MOST_REMEMBERED = 5000
_Key = tuple[str, str]


# What changes while an item goes on, from message to message.
_STEPS = {"seen_until", "score", "box", "box_time", "path"}


@dataclass
class KnownItems:
    """What is known of the items of a group, in the graph and in this run.

    in_zone: for items that come without a clip of their own.
    forgotten: tells whether an item was forgotten, by its id; what comes of it later is dropped.
    may_come: tells whether the event of an update may still come. Until then the update is held.
    every_step: amend an item that goes on also if only its path, score or latest time is new.
    """

    group_id: str
    read: ReadItems
    language: Language
    in_zone: InZone = lambda video: video
    forgotten: Callable[[str], ForgottenClips] = lambda item_id: NONE_FORGOTTEN
    may_come: Callable[[TrackedItem], bool] = lambda update: False
    every_step: bool = True
    _latest: dict[_Key, StoredItem] = field(default_factory=dict[_Key, StoredItem])
    _given: Mapping[str, AnalysedClip] = field(default_factory=dict[str, AnalysedClip])

    def joined(
        self, items: Sequence[TrackedItem], given: Mapping[str, AnalysedClip] = MappingProxyType({})
    ) -> Iterator[list[AnalysedClip | Receipt]]:
        """Yield for each item its clips: its own with all that is known, and those of reviews that summed it up.

        A receipt takes the place of an item that cannot become a clip.
        given: {item_id: the clip as it was given}. Its zone, place and uri are kept.
        """
        self._given = given
        for stored in self.read(self.group_id, items):
            self._latest.setdefault((stored.video_id, stored.item.item_id), stored)
        together = {item.item_id: item for item in items}
        for item in items:
            try:
                yield list(self._joined(item, together.values()))
            finally:
                for key in list(self._latest)[:-_MOST_REMEMBERED]:
                    del self._latest[key]

    def _joined(self, item: TrackedItem, together: Iterable[TrackedItem]) -> Iterator[AnalysedClip | Receipt]:
        key = self._key(item)
        known = self._latest.get(key) if key else None
        whole = known.item.with_more(item) if known else item
        if not whole.is_whole or key is None:
            forgotten = self.forgotten(item.item_id)
            if forgotten.at:
                yield Receipt("", item.item_id, "unchanged", notes=(forgotten.note,))
                return
            if self.may_come(item):
                yield Receipt("", item.item_id, "held", notes=("waits for its event",))
                return
            why = f"an update of {item.item_id:.100}, which memory does not know; take in its event first"
            yield Receipt("", item.item_id, "rejected", error=why)
            return
        if whole.is_false and known is None:
            note = "a false positive; nothing of it is kept"
            yield Receipt(key[0], item.item_id, "unchanged", notes=(note,))
            return
        if known and not (self.every_step or whole.ended) and _is_step(known.item, whole):
            yield Receipt(key[0], item.item_id, "unchanged")
            return
        others = [*(stored.item for stored in self._latest.values()), *together]
        if whole.kind == "review":
            apart = (name for other in others for name in _apart(whole, other))
            whole = whole.model_copy(update={"apart": tuple(sorted({*whole.apart, *apart}))})
        try:
            clip = self._clip(key, whole)
        except InputError as error:  # one bad entry is rejected alone
            yield Receipt(key[0], item.item_id, "rejected", error=error.message)
            return
        yield clip
        # What a review sums up is counted by its own event from now on.
        for review_key, stored in list(self._latest.items()):
            review = stored.item
            if review.kind == "review" and (apart := {*_apart(review, whole)} - {*review.apart}):
                more = review.model_copy(update={"apart": tuple(sorted({*review.apart, *apart}))})
                yield self._clip(review_key, more)

    def _key(self, item: TrackedItem) -> _Key | None:
        """Return the video and the id of an item; None for an update of something unknown."""
        if item.camera:
            return video_of(item.camera, item.start), item.item_id
        return next((key for key in reversed(self._latest) if key[1] == item.item_id), None)

    def _clip(self, key: _Key, item: TrackedItem) -> AnalysedClip:
        """Return the clip of an item, which from now on counts as stored."""
        clip = analysed_clip(line_of(item, self.language), self.group_id)
        known, given = self._latest.pop(key, None), self._given.get(item.item_id)
        if given:
            video = replace(clip.video, place=given.video.place, timezone=given.video.timezone)
        else:
            places = (each.place for each in (known, *self._latest.values()) if each and each.video_id == key[0])
            video = self.in_zone(replace(clip.video, place=next(places, "") or clip.video.place))
        uri = (given and given.video.uri) or (known.uri if known else "")
        clip = replace(clip, video=replace(video, uri=uri), clip=replace(clip.clip, uri=uri))
        self._latest[key] = StoredItem(key[0], item, clip.content_sha256, uri, video.home)
        if known is None or known.content_sha256 == clip.content_sha256:
            return clip
        changes = "; ".join(item.changes_since(known.item))
        return replace(clip, replaces=known.content_sha256, notes=(*clip.notes, f"amended: {changes}"))


def amended(clips: Iterable[Taken], read: ReadItems, language: Language, *, at_once: int) -> Iterator[Taken]:
    """Yield the clips, those of tracked items with all that is known of them.

    at_once: how many are read together.
    """
    known: dict[str, KnownItems] = {}
    for page in batched(clips, at_once):
        joined: dict[str, Iterator[list[AnalysedClip | Receipt]]] = {}
        by_group: dict[str, list[AnalysedClip]] = {}
        for clip in page:
            if isinstance(clip, AnalysedClip) and clip.tracked:
                by_group.setdefault(clip.video.group_id, []).append(clip)
        for group_id, of_items in by_group.items():
            of_group = known.setdefault(group_id, KnownItems(group_id, read, language))
            items = [clip.tracked for clip in of_items if clip.tracked]
            joined[group_id] = of_group.joined(items, {clip.clip.clip_id: clip for clip in of_items})
        for clip in page:
            if isinstance(clip, AnalysedClip) and clip.tracked:
                yield from next(joined[clip.video.group_id])
            else:
                yield clip


def _is_step(before: TrackedItem, after: TrackedItem) -> bool:
    """Return whether an item has only gone on since, and nothing else is known of it."""
    return before.model_dump(exclude=_STEPS) == after.model_dump(exclude=_STEPS)


def _apart(review: TrackedItem, other: TrackedItem) -> Iterator[str]:
    """Yield what of a review another item stands for: a member by its id, a sound by its class and time."""
    if other.item_id in review.members:
        yield other.item_id
    is_its_sound = other.kind == "sound" and other.label in review.sounds and other.camera == review.camera
    if is_its_sound and other.start <= review.seen_until and review.start <= other.seen_until:
        yield other.label
