"""Scenes: stretches of a video whose events belong together. They are made from the events and change with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.chat import Usage


class Level(NamedTuple):
    """A size of scenes. Scenes of one level follow one another, and lie within those of the next level.

    cell_sec: the video is cut once in each stretch of this length, so that scenes have about this length.
    window_sec: this much before a cut is compared with as much after it. A pause as long as this is always a cut.
    """

    cell_sec: float
    window_sec: float


# Each cell is a multiple of the cells of the level before, so that every cut of a level can be one of that before.
LEVELS = (Level(60.0, 60.0), Level(300.0, 300.0))
TOP = len(LEVELS) - 1
# Whether there is a cut at a moment depends on the events of its cell, and on those in a window around the cell.
MARGIN_SEC = LEVELS[TOP].cell_sec + LEVELS[TOP].window_sec
"""So much before and after a stretch is read to cut it."""


@dataclass(frozen=True, eq=False)
class SceneEvent:
    """An event, as scenes are made from it. Times in seconds of the video.

    present: the person_ids of those who act or speak in it, as stated.
    vector: its embedding, shape (dim,); None if it has none.
    """

    node_id: int
    time_start: float
    time_end: float
    summary_text: str
    dialogue_snippets: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    scene_type: str = ""
    present: tuple[str, ...] = ()
    vector: npt.NDArray[np.float32] | None = None


class Presence(NamedTuple):
    """Somebody who acts or speaks in a scene, from the first such event to the last, in seconds of the video."""

    person_id: str
    since: float
    until: float


@dataclass(frozen=True)
class Scene:
    """Consecutive events of a video. Times in seconds of the video.

    level: an index of LEVELS.
    node_ids: its events, in order.
    summary_text: the captions that say most about it.
    topics: the words that most of its events have.
    text: all captions and talk.
    """

    level: int
    t_start: float
    t_end: float
    node_ids: tuple[int, ...]
    present: tuple[Presence, ...]
    scene_type: str
    topics: tuple[str, ...]
    summary_text: str
    text: str


class UntoldScene(NamedTuple):
    """A stored scene that no model was asked about yet. text: all captions and talk."""

    video_id: str
    level: int
    t_start: float
    text: str


class SceneTold(NamedTuple):
    """What a model says of a scene.

    summary: empty if it was refused.
    by: the model and the version of the prompt.
    """

    summary: str
    by: str
    usage: Usage


class SceneMatch(NamedTuple):
    """A stored scene that has words of a question. score: by BM25."""

    video_id: str
    level: int
    t_start: float
    t_end: float
    score: float


class Companion(NamedTuple):
    """Somebody who is in the scene of an event, with the first and the last second in which that shows.

    away: the seconds from the event to the nearest one that shows them.
    """

    person_id: str
    name: str
    since: float
    until: float
    away: float = 0.0


class Company(NamedTuple):
    """Who is in the scene of an event. others: (person_id, name) of everybody in any scene of its video."""

    present: tuple[Companion, ...]
    others: tuple[tuple[str, str], ...]


def cells_around(since: float, until: float) -> tuple[float, float]:
    """Return the stretch (start, end) in which cuts may change if events between two moments come or go."""
    cell, window = LEVELS[TOP]
    first = math.floor((since - window) / cell)
    last = math.floor((until + window) / cell)
    return first * cell, (last + 1) * cell
