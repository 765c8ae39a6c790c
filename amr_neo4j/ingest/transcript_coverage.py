"""Which turns of a transcript a model's reply leaves out, so that no word is lost."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.language.languages import Language

# Seconds by which a reply may misplace a line, and the share of its words that must be there, in order.
_NEAR, _COVERED = 1.0, 0.8


def uncovered(known: Sequence[SpeakerTurn], replied: Sequence[SpeakerTurn], language: Language) -> list[SpeakerTurn]:
    """The known turns whose words no turn of the reply at their time has. Both count times from the same second."""
    return [turn for turn in known if turn.utterance.strip() and not _is_covered(turn, replied, language)]


def _is_covered(turn: SpeakerTurn, replied: Sequence[SpeakerTurn], language: Language) -> bool:
    near = " ".join(other.utterance for other in replied if _gap(turn, other) <= _NEAR)
    words = language.words_of(turn.utterance)
    if not words:
        return turn.utterance.strip() in near
    return LCSseq.similarity(words, language.words_of(near)) >= _COVERED * len(words)


def _gap(one: SpeakerTurn, other: SpeakerTurn) -> float:
    """Seconds between two turns; none where they overlap."""
    return max(one.time_start, other.time_start) - min(one.time_end, other.time_end)
