"""Resolves the local ids (C1, S1), names and descriptions of one analysis to persons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from amr_neo4j.domain.analysis import Character, ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.episode import LONGEST_NAME
from amr_neo4j.domain.event import Evidence
from amr_neo4j.ingest.local_ids import id_key, ids_in, is_local_id, leading_id
from amr_neo4j.ingest.voice_attribution import known_voices, voices_by_time
from amr_neo4j.language.languages import Language


@dataclass(frozen=True)
class ResolvedPerson:
    """A person whom words or an id stand for.

    name: as the analysis writes it.
    scope: the video_id for a description; empty for a name.
    """

    name: str
    person_id: str
    scope: str

    @property
    def identity(self) -> tuple[str, str]:
        return self.scope, self.person_id


@dataclass(frozen=True)
class Voice:
    """Whose voice is heard, and how that is known."""

    person: ResolvedPerson
    evidence: Evidence


class PersonResolver:
    """Finds the persons of one clip. Ambiguous references resolve to None, never to a guess."""

    def __init__(self, analysis: ClipAnalysis, video_id: str, language: Language) -> None:
        self._video_id = video_id
        self._language = language
        self._listed = [c for c in analysis.characters if c.local_character_id.strip()]
        self._characters = _by_id(self._listed)
        self._given = _given(self._listed)
        self._identities = self._unique_identities(_called(analysis))
        # Reversed, so that the first name of an external id remains.
        self._names = {identity: words for words, identity in reversed([*_called(analysis)])}
        self._voices = known_voices(analysis, language)
        self._by_time = self._voices_by_time(analysis)

    def find(self, words: str) -> ResolvedPerson | None:
        """Return the person that a local id, a name or a description stands for; None for none or several."""
        found = self.find_all(words)
        # A missing link costs one answer. A wrong one would corrupt every answer about the person (decision 0003).
        return found[0] if len(found) == 1 else None

    def find_all(self, words: str) -> list[ResolvedPerson]:
        """Return every person of a list of local ids or of names in one word, or the person of other words."""
        parts = ids_in(words, self._characters)
        names = (name for part in parts for name in self._language.names_apart(part, self._given))
        return [person for name in names if (person := self._one(name))]

    def voice(self, turn: SpeakerTurn) -> Voice | None:
        """Return who speaks; None if it is not known."""
        known = self._known_voice(turn)
        by_time = self._by_time.get(turn.speaker_id.strip())
        # What the analysis states comes before what follows from the times alone.
        if known or by_time is None:
            return known
        local_id, evidence = by_time
        found = self.find(local_id)
        return Voice(found, evidence) if found else None

    def speaker_name(self, turn: SpeakerTurn) -> str:
        """Return the speaker's name, or a word for an unknown one."""
        voice = self.voice(turn)
        return voice.person.name if voice else self._language.codes.someone

    def all(self) -> Iterator[ResolvedPerson]:
        """Yield every person whom the analysis lists."""
        for character in self._listed:
            if person := self._seen(character):
                yield person

    def _known_voice(self, turn: SpeakerTurn) -> Voice | None:
        """Return the voice by its external id, else by what the analyser states, else by the words for the speaker.

        None if none of them tells.
        """
        if identity := turn.identity.strip():
            return Voice(self._identified(self._names[identity], identity), "identity")
        speaker_id = self._voices.get(id_key(turn.speaker_id), turn.speaker_id.strip())
        if self._is_indistinct(speaker_id):
            return None
        if not (found := self.find(speaker_id)):
            return None
        return Voice(found, "stated" if id_key(speaker_id) in self._characters else "name")

    def _is_indistinct(self, speaker_id: str) -> bool:
        listed = id_key(speaker_id) in self._characters or speaker_id in self._given
        return not listed and self._language.is_indistinct(speaker_id)

    def _voices_by_time(self, analysis: ClipAnalysis) -> dict[str, tuple[str, Evidence]]:
        voices = {turn.speaker_id.strip(): self._known_voice(turn) for turn in analysis.speaker_turns}
        spoken_for = [voice.person for voice in voices.values() if voice]
        speaking = [
            character.local_character_id.strip()
            for character in self._characters.values()
            if character.role == "speaker" and self._seen(character) not in spoken_for
        ]
        return voices_by_time(analysis, [speaker_id for speaker_id, voice in voices.items() if not voice], speaking)

    def _one(self, words: str) -> ResolvedPerson | None:
        character = self._character(words)
        return self._seen(character) if character else self._by_description(words.strip())

    def _character(self, words: str) -> Character | None:
        """Return the character with this id, or with this voice."""
        key = id_key(words)
        whose = self._voices.get(key, "") if leading_id(words) else ""
        return self._characters.get(key) or self._characters.get(id_key(whose))

    def _seen(self, character: Character) -> ResolvedPerson | None:
        """Return the person of a character, by its external id if it has one."""
        name, identity = character.name_or_description.strip(), character.identity.strip()
        if identity:
            return self._identified(self._names[identity], identity)
        return (
            ResolvedPerson(name, character.person_id, self._video_id) if character.person_id else self._by_words(name)
        )

    def _by_description(self, words: str) -> ResolvedPerson | None:
        """Return the person that a name or a description stands for; None for nobody or several people."""
        listed = words in self._given
        given = self._given.get(words, set())
        if len(given) > 1 or (not listed and self._language.is_unknown(words)):
            return None
        return ResolvedPerson(words, next(iter(given)), self._video_id) if given else self._by_words(words)

    def _by_words(self, name: str) -> ResolvedPerson | None:
        key = self._language.person_key(name)
        # An id such as C9 that got here is not listed, so it stands for nobody. A run of capitals that is longer than
        # any name is none, and the graph could not index it.
        if not key.person_id or is_local_id(name) or len(name) > LONGEST_NAME:
            return None
        if identity := self._identities.get(key.person_id):
            return self._identified(name, identity)
        return ResolvedPerson(name, key.person_id, "" if key.is_name else self._video_id)

    def _identified(self, name: str, identity: str) -> ResolvedPerson:
        """Return the person with an external id. Such ids belong to the group, as names do."""
        return ResolvedPerson(name, self._language.person_key(identity).person_id, "")

    def _unique_identities(self, called: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return {person_id of the words: their external id}, for words that have exactly one."""
        found: dict[str, set[str]] = {}
        for words, identity in called:
            found.setdefault(self._language.person_key(words).person_id, set()).add(identity)
        return {person_id: identities.pop() for person_id, identities in found.items() if len(identities) == 1}


def _by_id(characters: Iterable[Character]) -> dict[str, Character]:
    """Return {key of the local id: character}. An id that several characters share is ambiguous and left out."""
    found: dict[str, list[Character]] = {}
    for character in characters:
        same = found.setdefault(id_key(character.local_character_id), [])
        if all(one.name_or_description != character.name_or_description for one in same):
            same.append(character)
    return {key: same[0] for key, same in found.items() if len(same) == 1}


def _given(characters: Iterable[Character]) -> dict[str, set[str]]:
    """Return {words for a character: the person ids assigned to them}."""
    found: dict[str, set[str]] = {}
    for character in characters:
        found.setdefault(character.name_or_description.strip(), set()).update({character.person_id} - {""})
    return found


def _called(analysis: ClipAnalysis) -> Iterator[tuple[str, str]]:
    """Yield (words, external id) of every character and turn that has one; the id itself if there are no words."""
    seen = [(c.name_or_description.strip(), c.identity.strip()) for c in analysis.characters]
    heard = [(turn.speaker_id.strip(), turn.identity.strip()) for turn in analysis.speaker_turns]
    for words, identity in (*seen, *heard):
        if identity:
            yield (identity if not words or is_local_id(words) else words), identity
