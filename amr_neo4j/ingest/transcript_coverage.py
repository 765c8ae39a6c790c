"""What is known to be said in a clip (subtitles, a transcript), beside what a model tells of it: no word is lost."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.language.en.content import words_of

# So many seconds a model may misplace a line, and so much of it, word for word, must be there for it to be told.
_NEAR, _TOLD = 1.0, 0.8


def untold(known: Sequence[SpeakerTurn], told: Sequence[SpeakerTurn]) -> list[SpeakerTurn]:
    """The known turns whose words no told turn at their time carries. Times of both count from the same."""
    return [turn for turn in known if turn.utterance.strip() and not _is_told(turn, told)]


def _is_told(turn: SpeakerTurn, told: Sequence[SpeakerTurn]) -> bool:
    near = " ".join(other.utterance for other in told if _gap(turn, other) <= _NEAR)
    words = words_of(turn.utterance)
    if not words:
        return turn.utterance.strip() in near
    return LCSseq.similarity(words, words_of(near)) >= _TOLD * len(words)


def _gap(one: SpeakerTurn, other: SpeakerTurn) -> float:
    """Seconds between two turns; none where they overlap."""
    return max(one.time_start, other.time_start) - min(one.time_end, other.time_end)
