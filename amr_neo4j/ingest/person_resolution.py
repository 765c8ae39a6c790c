"""Who is who in one analysis: local ids (C1, S1) resolved to the people they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from amr_neo4j.domain.analysis import Character, ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.event import Evidence
from amr_neo4j.ingest.local_ids import id_key, ids_in, is_local_id, leading_id
from amr_neo4j.ingest.voice_attribution import known_voices, told_by_time
from amr_neo4j.language.en.persons import is_unknown, person_key, tells_nobody_apart

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
        self._listed = [c for c in analysis.characters if c.local_character_id.strip()]
        self._characters = _by_id(self._listed)
        self._given = _given(self._listed)
        self._identities = _identities(_called(analysis))
        self._names = {identity: words for words, identity in reversed([*_called(analysis)])}
        self._voices = known_voices(analysis)
        self._by_time = self._told_by_time(analysis)

    def find(self, words: str) -> Someone | None:
        """The person a local id, a name or a description stands for; None for nobody, and for several."""
        found = self.find_all(words)
        return found[0] if len(found) == 1 else None

    def find_all(self, words: str) -> list[Someone]:
        """Everybody of a list of local ids; else the one whom the words stand for."""
        found = (self._one(part) for part in ids_in(words, self._characters))
        return [someone for someone in found if someone]

    def voice(self, turn: SpeakerTurn) -> Voice | None:
        """Who speaks; None where nobody knows."""
        known = self._known_voice(turn)
        by_time = self._by_time.get(turn.speaker_id.strip())
        if known or by_time is None:
            return known
        local_id, evidence = by_time
        found = self.find(local_id)
        return Voice(found, evidence) if found else None

    def speaker_name(self, turn: SpeakerTurn) -> str:
        """What to call who speaks."""
        voice = self.voice(turn)
        return voice.someone.name if voice else "someone"

    def all(self) -> Iterator[Someone]:
        """Everybody the analysis lists."""
        for character in self._listed:
            if someone := self._seen(character):
                yield someone

    def _known_voice(self, turn: SpeakerTurn) -> Voice | None:
        """By identity, by the analyser's statement or by the words for whoever speaks."""
        if identity := turn.identity.strip():
            return Voice(_identified(self._names[identity], identity), "identity")
        speaker_id = self._voices.get(id_key(turn.speaker_id), turn.speaker_id.strip())
        if self._is_nobody(speaker_id):
            return None
        found = self.find(speaker_id)
        return Voice(found, "stated" if id_key(speaker_id) in self._characters else "name") if found else None

    def _is_nobody(self, speaker_id: str) -> bool:
        listed = id_key(speaker_id) in self._characters or speaker_id in self._given
        return not listed and tells_nobody_apart(speaker_id)

    def _told_by_time(self, analysis: ClipAnalysis) -> dict[str, tuple[str, Evidence]]:
        voices = {turn.speaker_id.strip(): self._known_voice(turn) for turn in analysis.speaker_turns}
        spoken_for = [voice.someone for voice in voices.values() if voice]
        speaking = [
            character.local_character_id.strip()
            for character in self._characters.values()
            if character.role == "speaker" and self._seen(character) not in spoken_for
        ]
        return told_by_time(analysis, [speaker_id for speaker_id, voice in voices.items() if not voice], speaking)

    def _one(self, words: str) -> Someone | None:
        character = self._character(words)
        return self._seen(character) if character else self._someone(words.strip())

    def _character(self, words: str) -> Character | None:
        """By its own id, or the id of its voice."""
        key = id_key(words)
        whose = self._voices.get(key, "") if leading_id(words) else ""
        return self._characters.get(key) or self._characters.get(id_key(whose))

    def _seen(self, character: Character) -> Someone | None:
        """A character: by identity where it has one."""
        name, identity = character.name_or_description.strip(), character.identity.strip()
        if identity:
            return _identified(self._names[identity], identity)
        return Someone(name, character.person_id, self._video_id) if character.person_id else self._by_words(name)

    def _someone(self, words: str) -> Someone | None:
        """Whom a name or a description stands for; None where several are listed under it, and for nobody."""
        listed = words in self._given
        given = self._given.get(words, set())
        if len(given) > 1 or (not listed and is_unknown(words)):
            return None
        return Someone(words, next(iter(given)), self._video_id) if given else self._by_words(words)

    def _by_words(self, name: str) -> Someone | None:
        key = person_key(name)
        if not key.person_id or is_local_id(name) or len(name) > _LONGEST_NAME:
            return None
        if identity := self._identities.get(key.person_id):
            return _identified(name, identity)
        return Someone(name, key.person_id, "" if key.is_name else self._video_id)


def _by_id(characters: Iterable[Character]) -> dict[str, Character]:
    """By key of their local id; those of whom several have one id are left out, since nobody knows who is meant."""
    found: dict[str, list[Character]] = {}
    for character in characters:
        same = found.setdefault(id_key(character.local_character_id), [])
        if all(one.name_or_description != character.name_or_description for one in same):
            same.append(character)
    return {key: same[0] for key, same in found.items() if len(same) == 1}


def _given(characters: Iterable[Character]) -> dict[str, set[str]]:
    """The words for each of them -> the person ids that were given for those."""
    found: dict[str, set[str]] = {}
    for character in characters:
        found.setdefault(character.name_or_description.strip(), set()).update({character.person_id} - {""})
    return found


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
