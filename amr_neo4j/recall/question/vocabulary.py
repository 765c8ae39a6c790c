"""Words of a question that memory knows by another word or another spelling."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Synonym:
    """A word of a question and what memory calls it, as phone for "mobile". guessed: it may be something else.

    reported: `thing` is a word of the local analyser's reports, and no object that has a history of its own.
    """

    word: str
    thing: str
    guessed: bool = False
    reported: bool = False


@dataclass(frozen=True)
class Respelling:
    """A word of a question that memory spells otherwise."""

    word: str
    taken_as: str
