"""Who is who over a whole video: descriptions that stay the same for the same look."""

from __future__ import annotations

from dataclasses import dataclass, field

import inflect

from amr_neo4j.perception.appearance import Look, colour_names, likeness
from amr_neo4j.perception.track import Track

SAME_LOOK = 0.9
"""Share of colours in common from which someone who comes back is the same person."""

_WORDS = inflect.engine()


@dataclass
class _Member:
    """Somebody of the video: the description, the look, and who of the tracks it is now."""

    description: str
    look: Look
    tracks: list[Track] = field(default_factory=list[Track])

    def is_elsewhere(self, track: Track) -> bool:
        """Whether another track of this person is seen at the same time as `track`."""
        return any(one.first_t <= track.last_t and track.first_t <= one.last_t for one in self.tracks)


class PersonRegistry:
    """The people of one video, by description."""

    def __init__(self) -> None:
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
        """Let go of the tracks that ended before (s); the people stay."""
        self._by_track = {track: member for track, member in self._by_track.items() if track.last_t >= before}
        for member in self._members:
            member.tracks = [track for track in member.tracks if track.last_t >= before]

    def _known(self, track: Track) -> _Member | None:
        words = clothes(track.look)
        alike = [
            (member.description.endswith(words), likeness(member.look, track.look), member)
            for member in self._members
            if not member.is_elsewhere(track)
        ]
        fitting = [each for each in alike if each[0] or each[1] >= SAME_LOOK]
        return max(fitting, key=lambda each: each[:2], default=(False, 0.0, None))[2]

    def _new(self, track: Track) -> _Member:
        words = clothes(track.look)
        same = sum(member.description.endswith(words) for member in self._members)
        rank = "" if not same else f"{_WORDS.number_to_words(f'{same + 1}th')} "
        member = _Member(f"{rank}{words}", track.look)
        self._members.append(member)
        return member


def clothes(look: Look) -> str:
    """ "person in a black top and blue trousers", as far as the colours are known."""
    upper, lower = colour_names(look)
    if upper and upper == lower:
        return f"person in {upper} clothes"
    parts = [_WORDS.a(f"{upper} top")] if upper else []
    parts += [f"{lower} trousers"] if lower else []
    return f"person in {' and '.join(parts)}" if parts else "person"
