"""What footage to forget, and what was forgotten."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from amr_neo4j.domain.episode import Counts, Forgotten
from amr_neo4j.domain.video import Clip, Video


@dataclass(frozen=True)
class GroupMark:
    """When a group was last forgotten as a whole, and when anything of it by its time; None: never."""

    whole: datetime | None = None
    by_time: datetime | None = None


NOTHING_FORGOTTEN = GroupMark()
GroupMarks = dict[str, GroupMark]
"""{group_id: what had been forgotten as an ingest began}."""


@dataclass(frozen=True)
class Selection:
    """The footage to forget: all given conditions must hold. Without any, it is the whole group.

    video_id: only this video.
    clip_id: only this clip of it.
    node_id: only this event, with the events that were merged into it. Its clip stays.
    persons: (scope, person_id); only events that involve one of them. Their clips stay.
    before: what had ended by then by the wall clock of its video. If that is unknown, what memory had taken in by
        then.
    is_retention: it is forgotten by its age. What has a wall clock is not taken in again for that reason.
    Raises ValueError: `before` has no UTC offset.
    """

    video_id: str = ""
    persons: tuple[tuple[str, str], ...] = ()
    before: datetime | None = None
    clip_id: str = ""
    node_id: int | None = None
    is_retention: bool = False

    def __post_init__(self) -> None:
        if self.before is not None and self.before.tzinfo is None:
            raise ValueError(f"{self.before} has no offset from UTC")

    @property
    def is_part(self) -> bool:
        """Whether only some clips of a video are meant, or something in them."""
        return self.before is not None or bool(self.clip_id) or self.node_id is not None


@dataclass(frozen=True)
class ForgottenFootage(Counts):
    """How much was forgotten, or would be.

    events: current events.
    merged: events that had been merged into others.
    restored: parts of forgotten merged events that are not forgotten themselves and are current again.
    stripped: clips that stay, but no longer mention a person.
    persons, objects, facts: those that nothing else refers to.
    vectors: one for each event and model.
    waiting: clips of this machine that were not in the graph yet: analyses, and films to be analysed.
    naming: remaining events whose words contain the name of a forgotten person but do not involve that person.
    """

    videos: int = 0
    clips: int = 0
    events: int = 0
    merged: int = 0
    restored: int = 0
    stripped: int = 0
    persons: int = 0
    objects: int = 0
    vectors: int = 0
    facts: int = 0
    waiting: int = 0
    naming: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was removed."""
        return not (self.videos or self.clips or self.events or self.merged or self.stripped or self.waiting)


@dataclass(frozen=True)
class ForgottenClips:
    """The clips of a film that were forgotten, by the hashes of their ids.

    at: when one was last forgotten; None if there are none.
    spans: the seconds of those clips, and those of events that were forgotten alone.
    """

    at: datetime | None = None
    keys: frozenset[str] = frozenset()
    spans: tuple[tuple[float, float], ...] = ()

    def __contains__(self, clip_id: object) -> bool:
        return self.is_whole or footage_key(str(clip_id)) in self.keys

    def holds(self, video: Video, clip: Clip) -> bool:
        """Return whether a clip was forgotten.

        If a whole video was forgotten, it depends on its source: what a camera records after that moment is not
        forgotten; what is added to a film file is.
        """
        goes_on = self.is_whole and not video.fingerprint and footage_key(clip.clip_id) not in self.keys
        if goes_on and self.at and video.recorded_at:
            return video.recorded_at + timedelta(seconds=clip.t_start) <= self.at
        return clip.clip_id in self

    def covers(self, video: Video, clip: Clip) -> bool:
        """Return whether a clip of a film was forgotten, or any second of it: the film may be cut anew."""
        return self.holds(video, clip) or self._has_seconds_of(clip.t_start, clip.t_end)

    @property
    def is_whole(self) -> bool:
        """Whether the film was forgotten as a whole."""
        return not self.keys.isdisjoint({WHOLE_FILM, UNKNOWN_FILM})

    def since(self, begun: datetime) -> ForgottenClips:
        """Return what holds for a pipe that began at a moment: a film of which memory knew nothing when it was
        forgotten before that is not meant, since a camera without a clock could never come back by its pipe.
        """
        if self.at and self.at <= begun:
            return replace(self, keys=self.keys - {UNKNOWN_FILM})
        return self

    def has_any_of(self, start: float, end: float) -> bool:
        """Return whether anything between these seconds was forgotten."""
        return self.is_whole or self._has_seconds_of(start, end)

    def _has_seconds_of(self, start: float, end: float) -> bool:
        return any(start < last and first < end for first, last in self.spans)

    @property
    def note(self) -> str:
        """What a receipt says of a clip that is left out."""
        return f"forgotten on {self.at:%Y-%m-%d}; to take it in again, name its file: amr ingest FILE"


NONE_FORGOTTEN = ForgottenClips()
WHOLE_FILM, ANY_FILM = "", ""
"""Stand for all clips of a film, and for all films of a group."""
UNKNOWN_FILM = "unknown"
"""Stands for all clips of a film of which nothing was in memory when it was forgotten: a run may be taking it in."""


def footage_key(name: str) -> str:
    """Return the hash under which a film or a clip is noted as forgotten. name: its id, or a film's fingerprint."""
    return hashlib.sha256(name.encode()).hexdigest()


def contains_name(text: str, names: Iterable[str]) -> bool:
    """Return whether a text contains one of the names as whole words, in any case.

    Marks that an id leaves out may stand in them: "ann kathrin" is in "Ann-Kathrin", "oneil" in "O'Neil", "mrs smith"
    in "Mrs. Smith". A name with a capital is found only with one: "Will" is not in "I will".
    """
    folded = text.casefold()
    return any(_as_written(name).search(text if name[:1].isupper() else folded) for name in names)


@lru_cache(1000)
def _as_written(name: str) -> re.Pattern[str]:
    spelt = spelling(name)
    first = re.escape(_words(name)[0][:1])
    # Look-arounds, because \b would miss a name that begins or ends with a punctuation mark.
    return re.compile(rf"(?<!\w){first}(?i:{spelt.removeprefix(first)})(?!\w)")


def spelling(name: str) -> str:
    """Return a pattern for a name or person_id. It also matches with punctuation that the id does not have."""
    # At least three letters follow an apostrophe: "we'll" is not "Well".
    words = (r"(?:['’](?=\w{3}))?".join(map(re.escape, word)) for word in _words(name))
    return r"[\s._'’‐‑-]{1,3}".join(words)


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", name) or [name]


@dataclass(frozen=True)
class ForgottenGroup:
    """What was forgotten of a group: footage, and the conversations and facts of these users."""

    footage: ForgottenFootage
    conversations: Forgotten
    users: tuple[str, ...]
