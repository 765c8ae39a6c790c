"""The people of a whole video: one description for each look."""

from __future__ import annotations

from dataclasses import dataclass, field

from amr_neo4j.language.base import Language
from amr_neo4j.perception.appearance import Look, colour_names, likeness
from amr_neo4j.perception.track import Track

SAME_LOOK = 0.9
"""Share of colours in common from which someone who comes back is the same person."""


@dataclass
class _Member:
    """A person of the video. clothes: what the description says of the look; tracks: those of this person."""

    description: str
    clothes: str
    look: Look
    tracks: list[Track] = field(default_factory=list[Track])

    def is_elsewhere(self, track: Track) -> bool:
        """Whether another track of this person is seen at the same time as `track`."""
        return any(one.first_t <= track.last_t and track.first_t <= one.last_t for one in self.tracks)


class PersonRegistry:
    """The people of one video, by description."""

    def __init__(self, language: Language) -> None:
        """language: of the descriptions."""
        self._scenes = language.scenes
        self._members: list[_Member] = []
        self._by_track: dict[Track, _Member] = {}

    def describe(self, track: Track) -> str:
        """The person a track follows: "person in a black top and blue trousers". The same track, the same words.

        The same look later in the video is the same person; at the same time it is a second one.
        """
        if track not in self._by_track:
            member = self._known(track) or self._new(track)
            member.tracks.append(track)
            self._by_track[track] = member
        return self._by_track[track].description

    def forget(self, before: float) -> None:
        """Drop the tracks that ended before (s); the people stay."""
        self._by_track = {track: member for track, member in self._by_track.items() if track.last_t >= before}
        for member in self._members:
            member.tracks = [track for track in member.tracks if track.last_t >= before]

    def _known(self, track: Track) -> _Member | None:
        clothes = self._clothes(track)
        alike = [
            (member.clothes == clothes, likeness(member.look, track.look), member)
            for member in self._members
            if not member.is_elsewhere(track)
        ]
        fitting = [each for each in alike if each[0] or each[1] >= SAME_LOOK]
        return max(fitting, key=lambda each: each[:2], default=(False, 0.0, None))[2]

    def _new(self, track: Track) -> _Member:
        clothes = self._clothes(track)
        number = 1 + sum(member.clothes == clothes for member in self._members)
        member = _Member(self._scenes.numbered_person(number, clothes), clothes, track.look)
        self._members.append(member)
        return member

    def _clothes(self, track: Track) -> str:
        return self._scenes.clothed_person(*colour_names(track.look))
