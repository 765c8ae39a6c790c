"""The dialogue of a clip: its turns and who speaks. Speech without an event gets one in `ingest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amr_neo4j.domain.analysis import Character, SpeakerTurn
from amr_neo4j.domain.video import Clip


@dataclass(frozen=True)
class Dialogue:
    """The turns of one clip and their speakers, under local ids; the turn of an unknown speaker has no speaker_id."""

    turns: tuple[SpeakerTurn, ...]
    speakers: tuple[Character, ...]

    @property
    def names(self) -> list[str]:
        """The speakers' names."""
        return [speaker.name_or_description for speaker in self.speakers]

    @property
    def has_unknown_speaker(self) -> bool:
        return any(not turn.speaker_id for turn in self.turns)


def dialogue_of(clip: Clip, heard: Sequence[SpeakerTurn]) -> Dialogue:
    """The dialogue of a clip. heard: turns that start in it, with names as speaker ids."""
    names = list(dict.fromkeys(turn.speaker_id for turn in heard if turn.speaker_id))
    ids = {name: f"S{number}" for number, name in enumerate(names, start=1)}
    turns = [
        turn.model_copy(
            update={"speaker_id": ids.get(turn.speaker_id, ""), "time_end": min(turn.time_end, clip.t_end)}
        )
        for turn in heard
    ]
    speakers = [Character(local_character_id=ids[name], role="speaker", name_or_description=name) for name in names]
    return Dialogue(tuple(turns), tuple(speakers))
