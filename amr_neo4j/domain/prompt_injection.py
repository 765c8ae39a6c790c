"""Tells which texts read like an instruction to a language model (prompt_injection.yaml)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from amr_neo4j import tables
from amr_neo4j.domain.folding import without_accents

# Only this many characters of a text are searched: prompts and results of tools show at most 1000.
_CHARACTERS_SEARCHED = 20_000
# {few} in a phrase stands for up to four words.
_FEW = r"(\w+ ){0,4}"
# Characters without width, which can hide in a word.
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


class _Table(tables.Table):
    """prompt_injection.yaml."""

    mark: str
    speakers: str
    roles: str
    phrases: Mapping[str, tuple[str, ...]]
    markup: tuple[str, ...]


_table = tables.shipped("amr_neo4j.domain", "prompt_injection.yaml", _Table)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return (phrases of all languages, markup)."""
    order = "".join(rf"(?<!\b{word.strip()} )" for word in _table().speakers.split(","))
    role = f"(?:{'|'.join(word.strip() for word in _table().roles.split(','))})"
    phrases = [
        phrase.replace("{few}", _FEW).replace("{order}", order).replace("{role}", role)
        for each in _table().phrases.values()
        for phrase in each
    ]
    return re.compile(rf"\b({'|'.join(phrases)})\b"), re.compile("|".join(_table().markup), re.MULTILINE)


def suspected_injection(text: str, actor: str = "") -> bool:
    """Whether a text reads like an instruction to a language model: "Ignore all previous instructions", "System: ".

    actor: who said it, if the text begins with that name and a colon.

    A person may say so in good faith, and an attacker may say it in other words: the result is a hint.
    """
    # A turn begins with its actor, and "system: " itself would match.
    return _is_suspected(
        text[:_CHARACTERS_SEARCHED].removeprefix(f"{actor}: ") if actor else text[:_CHARACTERS_SEARCHED]
    )


def suspected_in_event(summary: str, dialogue: Sequence[str], actor: str = "") -> bool:
    """Return whether the words of an event read like an instruction to a language model.

    dialogue: "speaker: words". The speaker is left out, because "assistant" may be a shop assistant.
    actor: who said it, if it is a turn.
    """
    return suspected_injection("\n".join((summary, *(each.partition(": ")[2] for each in dialogue))), actor)


# Cached, because the same facts and turns are shown in one prompt after the other.
@lru_cache(maxsize=1000)
def _is_suspected(said: str) -> bool:
    # Without this, an accent, a full-width letter or a hidden character would keep a word from matching.
    plain = _HIDDEN.sub("", without_accents(said)).casefold()
    phrases, markup = _patterns()
    return bool(markup.search(plain) or phrases.search(_BETWEEN_WORDS.sub(" ", plain)))


def marked(text: str, *, suspected: bool) -> str:
    """Return a text for a prompt, with the mark before it if it is suspected."""
    return f"{_table().mark} {text}" if suspected else text
