"""The input and output of a network that finds statements in turns. Positions count tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


class Tokens(NamedTuple):
    """A text as tokens. spans: the (start, end) characters of each."""

    ids: list[int]
    spans: list[tuple[int, int]]


class SpanLabels(NamedTuple):
    """What a network tells apart, and the weights that turn its scores into that.

    types: what a span may be: the object of a relation; ROLE or FAV, the object of one of the relations in `which`;
        last RETRACT, what is taken back.
    which: roles, such as "sister", and favourites, such as "favorite_color".
    tb: a constant for each type.
    lt: what a type adds to the object of a link, shape (types, 256).
    lb: a constant.
    sub, subb: which role or favourite an object is of, shapes (which, 256) and (which,).
    """

    types: tuple[str, ...]
    which: tuple[str, ...]
    tb: Floats
    lt: Floats
    lb: Floats
    sub: Floats
    subb: Floats


class SpanScores(NamedTuple):
    """The scores that a network gives to tokens. The first dimension of each array is the token.

    begin, end: parts of the score that a span of these tokens is an object, shape (tokens, 64), before their turn by
        their positions.
    begin_type, end_type: the same for each type, shape (tokens, types).
    subject_begin, subject_end: as begin and end, of subjects.
    link_begin, link_end: parts of the object's side of a link, shape (tokens, 256).
    link_to: of the subject's side.
    """

    begin: Floats
    end: Floats
    begin_type: Floats
    end_type: Floats
    subject_begin: Floats
    subject_end: Floats
    link_begin: Floats
    link_end: Floats
    link_to: Floats


class SpanStatement(NamedTuple):
    """A statement that a network finds. confidence: in [0, 1].

    span: (start, end) characters of its object in the turn; None if the object stands in a turn before.
    """

    subject: str
    relation: str
    object: str
    confidence: float
    span: Sequence[int] | None
