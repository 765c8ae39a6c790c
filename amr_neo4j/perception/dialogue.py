"""What is said in a clip: its speaker turns, who speaks, and events for words that go with nothing seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.analysis import AnalysedEvent, Character, SpeakerTurn
from amr_neo4j.domain.video import Clip

BRIEF = 160
"""Characters of an utterance that its event's summary keeps."""


@dataclass(frozen=True)
class Dialogue:
    """The turns of one clip, their speakers under local ids, and the events they make."""

    turns: tuple[SpeakerTurn, ...]
    speakers: tuple[Character, ...]
    events: tuple[AnalysedEvent, ...]


def dialogue_of(clip: Clip, heard: Sequence[SpeakerTurn], seen: Iterable[AnalysedEvent]) -> Dialogue:
    """The words of a clip. heard: turns with names as speaker ids; seen: the clip's visible events."""
    names = list(dict.fromkeys(turn.speaker_id for turn in heard if turn.speaker_id))
    ids = {name: f"S{number}" for number, name in enumerate(names, start=1)}
    turns = [
        turn.model_copy(
            update={"speaker_id": ids.get(turn.speaker_id, ""), "time_end": min(turn.time_end, clip.t_end)}
        )
        for turn in heard
    ]
    visible = list(seen)
    events = [
        _event(turn, name.speaker_id)
        for turn, name in zip(turns, heard, strict=True)
        if not any(_overlap(turn, event) for event in visible)
    ]
    speakers = [Character(local_character_id=ids[name], role="speaker", name_or_description=name) for name in names]
    return Dialogue(tuple(turns), tuple(speakers), tuple(events))


def brief(words: str) -> str:
    """The words, cut at a word where they are long."""
    if len(words) <= BRIEF:
        return words
    return words[: BRIEF - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _event(turn: SpeakerTurn, name: str) -> AnalysedEvent:
    return AnalysedEvent(
        time_start=turn.time_start,
        time_end=turn.time_end,
        summary=f'{name or "Someone"} says: "{brief(turn.utterance)}"',
        actors=(turn.speaker_id,) if turn.speaker_id else (),
    )


def _overlap(turn: SpeakerTurn, event: AnalysedEvent) -> bool:
    return turn.time_start <= event.time_end and event.time_start <= turn.time_end
