"""Who is who in one analysis: local ids (C1, S1) resolved to the people they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.language.persons import person_key

_LOCAL_ID = re.compile(r"[CSE]\d+")
# The schema's limit for a name. Longer runs of capitals in a text name nobody, and the graph could not index them.
_LONGEST_NAME = 500


@dataclass(frozen=True)
class Someone:
    """A person under the words of the analysis. scope: empty for a name, the video for a descriptor."""

    name: str
    person_id: str
    scope: str


class Cast:
    """The people of one clip."""

    def __init__(self, analysis: ClipAnalysis, video_id: str) -> None:
        self._video_id = video_id
        described = {c.local_character_id.strip(): c.name_or_description for c in analysis.characters}
        self._described = {local_id: words for local_id, words in described.items() if local_id}
        self._given = {c.name_or_description.strip(): c.person_id for c in analysis.characters if c.person_id}
        self._lone_speaker = _lone_speaker(analysis)

    def find(self, words: str) -> Someone | None:
        """The person a local id, a name or a description stands for; None for an id that stands for nobody."""
        return self._someone(self._described.get(words.strip(), words))

    def speaker(self, speaker_id: str) -> Someone | None:
        """Who speaks: by id, by name, or the clip's one speaker where one voice is heard."""
        found = self.find(speaker_id)
        if found is None and self._lone_speaker is not None:
            return self._someone(self._lone_speaker)
        return found

    def speaker_name(self, speaker_id: str) -> str:
        """What to call who speaks."""
        speaker = self.speaker(speaker_id)
        return speaker.name if speaker else "someone"

    def all(self) -> Iterator[Someone]:
        """Everybody the analysis lists."""
        for description in self._described.values():
            if someone := self._someone(description):
                yield someone

    def _someone(self, words: str) -> Someone | None:
        name = words.strip()
        if name in self._given:
            return Someone(name, self._given[name], self._video_id)
        key = person_key(name)
        if not key.person_id or is_local_id(name) or len(name) > _LONGEST_NAME:
            return None
        return Someone(name, key.person_id, "" if key.is_name else self._video_id)


def is_local_id(words: str) -> bool:
    """C1, S2, E3: an id that means something within one analysis only."""
    return _LOCAL_ID.fullmatch(words) is not None


def _lone_speaker(analysis: ClipAnalysis) -> str | None:
    """The one character said to speak, where one voice is heard: then the two are the same."""
    speaking = [c.name_or_description for c in analysis.characters if c.role == "speaker"]
    voices = {turn.speaker_id for turn in analysis.speaker_turns}
    return speaking[0] if len(speaking) == 1 and len(voices) == 1 else None
