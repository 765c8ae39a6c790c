"""Tells the people of a whole video apart by their looks, as far as possible."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from amr_neo4j.language.languages import Language
from amr_neo4j.perception.appearance import Look, colour_names, likeness
from amr_neo4j.perception.track import Track

SAME_LOOK = 0.9
"""Somebody who comes back with this share of colours in common is the same person."""


@dataclass(eq=False)
class Member:
    """A person of the video.

    description: their looks in words, which several people may share.
    number: among those who share it, from 1.
    tracks: the tracks of this person.
    """

    description: str
    number: int
    look: Look
    tracks: list[Track] = field(default_factory=list[Track])

    def is_elsewhere(self, track: Track) -> bool:
        """Return whether this person is seen elsewhere at the time of `track`."""
        return any(one.first_t <= track.last_t and track.first_t <= one.last_t for one in self.tracks)


class PersonRegistry:
    """The people of one video, by description."""

    def __init__(self, language: Language) -> None:
        """language: whose codes the descriptions are."""
        self._codes = language.codes
        self._members: list[Member] = []
        self._by_track: dict[Track, Member] = {}
        self._counts: Counter[str] = Counter()

    def describe(self, track: Track) -> str:
        """Return the looks of the person that a track follows: "person in a black top and blue trousers"."""
        return self.member(track).description

    def member(self, track: Track) -> Member:
        """Return the person that a track follows. A track is always of the same person.

        Somebody with the same look later in the video is the same person, unless two people had that look at the same
        time. After that, the look no longer distinguishes anybody, and whoever comes with it is a new person.
        """
        if track not in self._by_track:
            member = self._known(track) or self._new(track)
            member.tracks.append(track)
            self._by_track[track] = member
        return self._by_track[track]

    def forget(self, before: float) -> None:
        """Drop the tracks that ended before this second. The people stay."""
        self._by_track = {track: member for track, member in self._by_track.items() if track.last_t >= before}
        for member in {*self._members, *self._by_track.values()}:
            member.tracks = [track for track in member.tracks if track.last_t >= before]

    def _known(self, track: Track) -> Member | None:
        clothes = self._clothes(track)
        # Two people had this look at the same time, so it no longer shows who somebody is.
        if self._counts[clothes] > 1:
            return None
        alike = [
            (member.description == clothes, likeness(member.look, track.look), member)
            for member in self._members
            if self._counts[member.description] == 1 and not member.is_elsewhere(track)
        ]
        fitting = [each for each in alike if each[0] or each[1] >= SAME_LOOK]
        return max(fitting, key=lambda each: each[:2], default=(False, 0.0, None))[2]

    def _new(self, track: Track) -> Member:
        clothes = self._clothes(track)
        self._counts[clothes] += 1
        member = Member(clothes, self._counts[clothes], track.look)
        # Only people whose look nobody shares can be recognised when they come back.
        self._members = [each for each in self._members if self._counts[each.description] == 1]
        if member.number == 1:
            self._members.append(member)
        return member

    def _clothes(self, track: Track) -> str:
        """Return the clothes in words; empty for a track that may not be a person."""
        return self._codes.clothed_person(*(colour_names(track.look) if track.is_sure else ("", "")))
