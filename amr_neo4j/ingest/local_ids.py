"""Local ids, such as C1 and S1, which have a meaning within one analysis only.

Models spell them in many ways: c1, C-01, "C1 (old man)".
"""

from __future__ import annotations

import re
from collections.abc import Collection

_LOCAL_ID = re.compile(r"[CSE][ _-]?\d+", re.IGNORECASE)
_VOICE_ID = re.compile(r"S[ _-]?\d+", re.IGNORECASE)
# Not "C1's" or "mp3player", which are words.
_WORD_WITH_NUMBER = re.compile(r"([^\W\d_]+)[ _-]?0*(\d+)(?![\w'’])")
# What stands between ids: "C1, C2", "C1 and C2", "C1 C2".
_BETWEEN_IDS = re.compile(r"\s*(?:[,;/&+]|\band\b|\s(?=[A-Z]\d))\s*")


def is_local_id(words: str) -> bool:
    """Return whether the words are a local id: C1, S2, e-3."""
    return _LOCAL_ID.fullmatch(words.strip()) is not None


def is_voice_id(words: str) -> bool:
    """Return whether the words are the id of a voice: S1."""
    return _VOICE_ID.fullmatch(words.strip()) is not None


def leading_id(words: str) -> str:
    """Return the id at the start of the words (C1, P1, SPEAKER_00), letters and a number; empty if there is none."""
    found = _WORD_WITH_NUMBER.match(words.strip())
    return found.group() if found else ""


def id_key(words: str) -> str:
    """Return the key of an id, equal for "C1", "c1" and "C-01". Other words are returned as they are."""
    found = _WORD_WITH_NUMBER.fullmatch(words.strip())
    return f"{found[1].casefold()}{found[2]}" if found else words.strip()


def ids_in(words: str, listed: Collection[str]) -> list[str]:
    """Return the ids of a list ("C1, C2"), or the leading one ("C1 (old man)"), or else the words themselves.

    listed: the keys of the ids in the analysis.
    """
    text = words.strip()
    several = _BETWEEN_IDS.split(text)
    if len(several) > 1 and all(_WORD_WITH_NUMBER.fullmatch(part) for part in several):
        return several
    first = leading_id(text)
    return [first if is_local_id(first) or id_key(first) in listed else text]
