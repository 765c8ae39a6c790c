"""Who is who in one analysis: local ids (C1, S1) resolved to the people they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from amr_neo4j.domain.analysis import Character, ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.event import Evidence
from amr_neo4j.ingest.voices import by_overlap, known_voices
from amr_neo4j.language.persons import person_key

_LOCAL_ID = re.compile(r"[CSE]\d+")
# The schema's limit for a name. Longer runs of capitals in a text name nobody, and the graph could not index them.
_LONGEST_NAME = 500


@dataclass(frozen=True)
class Someone:
    """A person under the words of the analysis. scope: the video for a descriptor, else empty."""

    name: str
    person_id: str
    scope: str


@dataclass(frozen=True)
class Voice:
    """Whose voice is heard, and how that is known."""

    someone: Someone
    evidence: Evidence


class Cast:
    """The people of one clip."""

    def __init__(self, analysis: ClipAnalysis, video_id: str) -> None:
        self._video_id = video_id
        self._given = {c.name_or_description.strip(): c.person_id for c in analysis.characters if c.person_id}
        characters = {c.local_character_id.strip(): c for c in analysis.characters}
        self._characters = {local_id: character for local_id, character in characters.items() if local_id}
        self._identities = _identities(_called(analysis))
        self._names = {identity: words for words, identity in reversed([*_called(analysis)])}
        self._voices = known_voices(analysis)
        self._overlapping = self._by_overlap(analysis)

    def find(self, words: str) -> Someone | None:
        """The person a local id, a name or a description stands for; None for an id that stands for nobody."""
        character = self._characters.get(words.strip())
        return self._seen(character) if character else self._someone(words)

    def voice(self, turn: SpeakerTurn) -> Voice | None:
        """Who speaks; None where nobody knows."""
        known = self._known_voice(turn)
        local_id = self._overlapping.get(turn.speaker_id.strip())
        if known or local_id is None:
            return known
        found = self.find(local_id)
        return Voice(found, "overlap") if found else None

    def speaker_name(self, turn: SpeakerTurn) -> str:
        """What to call who speaks."""
        voice = self.voice(turn)
        return voice.someone.name if voice else "someone"

    def all(self) -> Iterator[Someone]:
        """Everybody the analysis lists."""
        for character in self._characters.values():
            if someone := self._seen(character):
                yield someone

    def _known_voice(self, turn: SpeakerTurn) -> Voice | None:
        """By identity, by the analyser's statement or by the words for whoever speaks."""
        if identity := turn.identity.strip():
            return Voice(_identified(self._names[identity], identity), "identity")
        speaker_id = turn.speaker_id.strip()
        local_id = self._voices.get(speaker_id, speaker_id)
        if found := self.find(local_id):
            return Voice(found, "stated" if local_id in self._characters else "name")
        return None

    def _by_overlap(self, analysis: ClipAnalysis) -> dict[str, str]:
        voices = {turn.speaker_id.strip(): self._known_voice(turn) for turn in analysis.speaker_turns}
        spoken_for = [voice.someone for voice in voices.values() if voice]
        speaking = [
            local_id
            for local_id, character in self._characters.items()
            if character.role == "speaker" and self._seen(character) not in spoken_for
        ]
        return by_overlap(analysis, [speaker_id for speaker_id, voice in voices.items() if not voice], speaking)

    def _seen(self, character: Character) -> Someone | None:
        """A character: by identity where it has one."""
        name, identity = character.name_or_description.strip(), character.identity.strip()
        return _identified(self._names[identity], identity) if identity else self._someone(name)

    def _someone(self, words: str) -> Someone | None:
        name = words.strip()
        if name in self._given:
            return Someone(name, self._given[name], self._video_id)
        key = person_key(name)
        if not key.person_id or is_local_id(name) or len(name) > _LONGEST_NAME:
            return None
        if identity := self._identities.get(key.person_id):
            return _identified(name, identity)
        return Someone(name, key.person_id, "" if key.is_name else self._video_id)


def is_local_id(words: str) -> bool:
    """C1, S2, E3: an id that means something within one analysis only."""
    return _LOCAL_ID.fullmatch(words) is not None


def _identified(name: str, identity: str) -> Someone:
    """An identity from outside belongs to the group, as a name does."""
    return Someone(name, person_key(identity).person_id, "")


def _called(analysis: ClipAnalysis) -> Iterator[tuple[str, str]]:
    """(words, identity) of all that has an identity; the identity itself where no words but a local id are there."""
    seen = [(c.name_or_description.strip(), c.identity.strip()) for c in analysis.characters]
    heard = [(turn.speaker_id.strip(), turn.identity.strip()) for turn in analysis.speaker_turns]
    for words, identity in (*seen, *heard):
        if identity:
            yield (identity if not words or is_local_id(words) else words), identity


def _identities(called: Iterable[tuple[str, str]]) -> dict[str, str]:
    """person_id of words -> the identity that they stand for, where they stand for one alone."""
    found: dict[str, set[str]] = {}
    for words, identity in called:
        found.setdefault(person_key(words).person_id, set()).add(identity)
    return {person_id: identities.pop() for person_id, identities in found.items() if len(identities) == 1}
