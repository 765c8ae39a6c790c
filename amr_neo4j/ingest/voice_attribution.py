"""Attributes voices to persons, and says how certain that is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated

from pydantic import Field

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.event import Evidence
from amr_neo4j.ingest.local_ids import id_key, is_voice_id
from amr_neo4j.language.languages import Language
from amr_neo4j.tables import Table, shipped

Pair = tuple[str, str]


class VoiceTable(Table):
    """voices.yaml, whose head explains its keys."""

    confidence: dict[Evidence, Annotated[float, Field(ge=0, le=1)]]


_table = shipped("amr_neo4j.ingest", "voices.yaml", VoiceTable)


def confidence(evidence: Evidence) -> float | None:
    """Return how certain the attribution of a voice is with this evidence, 0 to 1; None if it tells of no voice."""
    return _table().confidence.get(evidence)


def overlap(turn: SpeakerTurn, event: AnalysedEvent) -> bool:
    """Return whether a turn and an event overlap in time. A span without length overlaps one that it lies in."""
    start, end = max(turn.time_start, event.time_start), min(turn.time_end, event.time_end)
    # Spans that only touch do not overlap, but a moment at the edge of a span is in it.
    momentary = turn.time_start == turn.time_end or event.time_start == event.time_end
    return start < end or (momentary and start == end)


def carries(event: AnalysedEvent, turn: SpeakerTurn) -> bool:
    """Return whether the turn is part of the event: they overlap, and the event is not a mere sound."""
    return overlap(turn, event) and bool(not event.heard or event.actors or event.dialogue)


def voices_by_time(
    analysis: ClipAnalysis, voices: Collection[str], speaking: Collection[str]
) -> dict[str, tuple[str, Evidence]]:
    """Return {voice: (local id of its character, evidence)}, by time alone.

    The two belong together if an event, or the clip, has exactly one of each. Ambiguous voices are left out.

    voices: speaker ids without a character.
    speaking: characters who speak and have no voice.
    """
    pairs = set(_together(analysis, voices, speaking))
    found: dict[str, tuple[str, Evidence]] = {
        voice: (who, "overlap") for voice, who in pairs if not any(_rivals((voice, who), other) for other in pairs)
    }
    # Nothing in the events connects them, but there is only one voice and one speaker in the clip.
    if not pairs and len(voices) == len(speaking) == 1:
        [voice], [who] = voices, speaking
        found[voice] = (who, "alone")
    return found


def _together(analysis: ClipAnalysis, voices: Collection[str], speaking: Collection[str]) -> Iterator[Pair]:
    """Yield (voice, character) for each event that has exactly one of each."""
    names = {c.local_character_id.strip(): c.name_or_description.strip() for c in analysis.characters}
    for event in analysis.events:
        acting = {words.strip() for words in (*event.actors, *(action.actor for action in event.actions))}
        heard = {t.speaker_id.strip() for t in analysis.speaker_turns if overlap(t, event)} & set(voices)
        # A sound's actor is not seen, so it says nothing about whose voice is heard.
        seen = [who for who in speaking if not event.heard and not acting.isdisjoint((who, names[who]))]
        if len(heard) == len(seen) == 1:
            yield heard.pop(), seen[0]


def _rivals(one: Pair, other: Pair) -> bool:
    """Return whether two pairs share a voice or a character, but not both."""
    return one != other and (one[0] == other[0] or one[1] == other[1])


def known_voices(analysis: ClipAnalysis, language: Language) -> Mapping[str, str]:
    """Return {key of a speaker id: local id of the character whose voice it is}, as the analyser states it.

    Voices of several characters, words that fit anybody, and ids of other characters are left out.
    """
    characters = {id_key(c.local_character_id) for c in analysis.characters if not is_voice_id(c.local_character_id)}
    owners: dict[str, set[str]] = {}
    for character in analysis.characters:
        voice = id_key(character.speaker_id)
        if voice not in characters and not language.is_indistinct(voice):
            owners.setdefault(voice, set()).add(character.local_character_id.strip())
    return {voice: claimed.pop() for voice, claimed in owners.items() if len(claimed) == 1}
