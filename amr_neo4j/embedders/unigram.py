"""Cuts texts into the pieces of words that multilingual-e5 reads: the likeliest pieces (Kudo 2018, "Unigram").

It does what the package tokenizers does with the same file, in a seventh of its memory: that package keeps a node for
each letter of 250,000 pieces, 260 MB.
"""

from __future__ import annotations

import json
import re
from array import array
from math import inf
from pathlib import Path
from typing import NamedTuple

from amr_neo4j.domain.spans import Tokens

_SPACE = "▁"
_PIECE = re.compile(r'\["((?:[^"\\]|\\.)*)",(-?[\d.]+(?:[eE]-?\d+)?)\]')
START, BREAK = 0, 2
"""The numbers of the pieces before a text and after it."""
_UNKNOWN = 3
_PENALTY = 10.0
"""An unknown character is this much less likely than the least likely piece."""


class Unigram(NamedTuple):
    """Cuts texts.

    numbers: {piece: its number}.
    scores: the logarithm of the probability of each piece.
    longest: characters of the longest piece.
    unknown: the score of a character that no piece has.
    """

    numbers: dict[str, int]
    scores: array[float]
    longest: int
    unknown: float

    @classmethod
    def read(cls, file: Path) -> Unigram:
        """Read a tokenizer.json of the package tokenizers."""
        text = file.read_text(encoding="utf-8")
        numbers, scores = dict[str, int](), array("d")
        # Read as JSON, its 250,000 lists would leave holes in the memory among the pieces that are kept.
        for match in _PIECE.finditer(text, text.index('"vocab"')):
            piece = match[1]
            numbers[json.loads(f'"{piece}"') if "\\" in piece else piece] = len(scores)
            scores.append(float(match[2]))
        return cls(numbers, scores, longest=max(map(len, numbers)), unknown=min(scores) - _PENALTY)

    def tokens(self, text: str) -> Tokens:
        """Return the pieces of a text, with the (start, end) characters of each.

        A space belongs to the piece after it, and one is read before the text. Unknown characters in a row are one
        piece.
        """
        said = text.replace(" ", _SPACE)
        begun = 0 if said.startswith(_SPACE) else 1  # so many characters stand before those of the text
        if said and begun:
            said = _SPACE + said
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        for start, end, number in self._pieces(said):
            span = max(0, start - begun), max(1, end - begun)
            if number == _UNKNOWN and ids and ids[-1] == _UNKNOWN:
                spans[-1] = (spans[-1][0], span[1])
            else:
                ids.append(number)
                spans.append(span)
        return Tokens(ids, spans)

    def _pieces(self, said: str) -> list[tuple[int, int, int]]:
        """Return (start, end, number) of the pieces of the likeliest cut (Viterbi's algorithm)."""
        numbers, scores, longest, unknown = self
        number_of, length = numbers.get, len(said)
        best = [-inf] * (length + 1)
        best[0] = 0.0
        came: list[tuple[int, int]] = [(0, 0)] * (length + 1)
        for start in range(length):
            so_far = best[start]
            if said[start] not in numbers and so_far + unknown > best[start + 1]:
                best[start + 1], came[start + 1] = so_far + unknown, (start, _UNKNOWN)
            for end in range(start + 1, min(start + longest, length) + 1):
                number = number_of(said[start:end])
                if number is not None and so_far + scores[number] > best[end]:
                    best[end], came[end] = so_far + scores[number], (start, number)
        pieces: list[tuple[int, int, int]] = []
        end = length
        while end:
            start, number = came[end]
            pieces.append((start, end, number))
            end = start
        return pieces[::-1]
