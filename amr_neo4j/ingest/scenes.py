"""Cuts the events of a video into scenes where those before and after share the least.

A cut depends on events near it alone. So the scenes of a stretch are the same in whatever order its clips came, and
are made again without the rest of the video.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import inf

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.scene import LEVELS, TOP, Level, Presence, Scene, SceneEvent, cells_around
from amr_neo4j.language.languages import Language

# Persons, things and places are counted in this many columns, each in the column of its name's hash.
_COLUMNS = 256
# How much a person, thing or place that the events on one side of a cut have counts, beside their meaning.
_SHARED = 0.1
_TOPICS, _CAPTIONS = 8, 3


def form_scenes(
    events: Sequence[SceneEvent], *, since: float, until: float = inf, read_to: float = inf, language: Language
) -> tuple[list[Scene], float]:
    """Return (the scenes that start in since..until, the moment up to which they are complete).

    The second value is `until`; if `read_to` is too early for that, it is the start of the first scene that may yet
    change, or `since` if all of them may.

    events: of one video, by start. They begin MARGIN_SEC before `since`, and are complete up to `read_to`.
    since: where a scene of the top level starts, or a moment before the first event.
    until: likewise, or inf.
    """
    starts = np.array([event.time_start for event in events], np.float64)
    features = _features(events)
    # Events that start together are never divided.
    cuts = np.flatnonzero(np.diff(starts, prepend=-inf) > 0)
    of_levels: list[npt.NDArray[np.intp]] = []
    for level in LEVELS:
        cuts = _cuts(cuts, starts, features, level)
        of_levels.append(cuts)
    if read_to < inf:
        certain = starts[of_levels[TOP]]
        certain = certain[(certain > since) & (certain < cells_around(read_to, read_to)[0])]
        until = min(until, float(certain[-1])) if certain.size else since
    first, end = np.searchsorted(starts, (since, until))
    scenes: list[Scene] = []
    for number, cuts in enumerate(of_levels):
        inside = cuts[(cuts > first) & (cuts < end)].tolist()
        for begin, stop in zip([first, *inside], [*inside, end], strict=True):
            if begin < stop:
                scenes.append(_scene(number, events[begin:stop], features[begin:stop], language))
    return scenes, until


def _features(events: Sequence[SceneEvent]) -> npt.NDArray[np.float64]:
    """Return what is compared of each event, shape (events, columns): its vector, and who and what is there."""
    dim = max((len(event.vector) for event in events if event.vector is not None), default=0)
    found = np.zeros((len(events), dim + _COLUMNS))
    for row, event in zip(found, events, strict=True):
        if event.vector is not None:
            row[:dim] = event.vector
        for name in {*event.present, *event.objects, event.scene_type}:
            # Not hash(), which differs from one process to the next.
            row[dim + zlib.crc32(name.encode("utf-8", "replace")) % _COLUMNS] += _SHARED
    return found


def _cuts(
    among: npt.NDArray[np.intp],
    starts: npt.NDArray[np.float64],
    features: npt.NDArray[np.float64],
    level: Level,
) -> npt.NDArray[np.intp]:
    """Return the cuts of a level, as indexes of the events that begin a scene, in order.

    In each cell the cut is where the mean features of the events in the window before and in the window after differ
    most (TextTiling, Hearst 1997, with embeddings). The first event after a pause begins a scene, too. Its cell has
    no other cut within half the length of a cell after it.

    among: the cuts of the level before.
    """
    if not among.size:
        return among
    at = starts[among]
    before, after = np.searchsorted(starts, at - level.window_sec), np.searchsorted(starts, at + level.window_sec)
    totals = np.vstack([np.zeros(features.shape[1]), np.cumsum(features, axis=0)])
    sizes = (np.maximum(among - before, 1), np.maximum(after - among, 1))
    means = (
        (totals[among] - totals[before]) / sizes[0][:, None],
        (totals[after] - totals[among]) / sizes[1][:, None],
    )
    # Rounded, so that sums over another stretch of events give the same cut.
    change: npt.NDArray[np.float64] = ((means[0] - means[1]) ** 2).sum(axis=1).round(6)
    # Nothing starts in a whole window before, as at the start of a video.
    is_pause = before == among
    # Within a cell the greatest change comes first, of equal ones the earliest.
    cells = np.floor(at / level.cell_sec)
    order = np.lexsort((at, -change, cells))
    pause = np.maximum.accumulate(np.where(is_pause, at, -inf))
    is_near = (np.floor(pause / level.cell_sec) == cells) & (at - pause < level.cell_sec / 2)
    order = order[~is_near[order]]
    is_first = np.diff(cells[order], prepend=-inf) > 0
    return among[np.union1d(order[is_first], np.flatnonzero(is_pause))]


def _scene(level: int, events: Sequence[SceneEvent], features: npt.NDArray[np.float64], language: Language) -> Scene:
    return Scene(
        level=level,
        t_start=events[0].time_start,
        t_end=max(event.time_end for event in events),
        node_ids=tuple(event.node_id for event in events),
        present=_present(events),
        scene_type=_most_common([event.scene_type for event in events if event.scene_type]),
        topics=_topics(events, language),
        summary_text=_summary(events, features),
        text="\n".join(line for event in events for line in (event.summary_text, *event.dialogue_snippets)),
    )


def _present(events: Sequence[SceneEvent]) -> tuple[Presence, ...]:
    found: dict[str, Presence] = {}
    for event in events:
        for person in event.present:
            known = found.get(person) or Presence(person, event.time_start, event.time_end)
            found[person] = known._replace(until=max(known.until, event.time_end))
    return tuple(found.values())


def _topics(events: Sequence[SceneEvent], language: Language) -> tuple[str, ...]:
    """Return the words that most events have. A word that an event lists as an object counts twice."""
    counted: Counter[str] = Counter()
    for event in events:
        counted.update(_content(event.summary_text, event.dialogue_snippets, language))
        counted.update(object for object in event.objects)
    people = {person for event in events for person in event.present}
    ranked = sorted((word for word in counted if word not in people), key=lambda word: (-counted[word], word))
    return tuple(ranked[:_TOPICS])


# Cached, because an event is in a scene of each level, which is made again whenever a clip comes near it.
@lru_cache(maxsize=8192)
def _content(caption: str, dialogue: tuple[str, ...], language: Language) -> frozenset[str]:
    """Return the content words of what is seen and said in an event."""
    return language.telling_words("\n".join((caption, *dialogue)))


def _summary(events: Sequence[SceneEvent], features: npt.NDArray[np.float64]) -> str:
    """Return the captions nearest to the mean of all, in order of time, each once."""
    distance: npt.NDArray[np.float64] = ((features - features.mean(axis=0)) ** 2).sum(axis=1).round(6)
    nearest: dict[str, int] = {}
    for number in sorted(range(len(events)), key=distance.tolist().__getitem__):
        nearest.setdefault(events[number].summary_text, number)
    chosen = sorted(list(nearest.items())[:_CAPTIONS], key=lambda caption: caption[1])
    return " ".join(text for text, _ in chosen if text)


def _most_common(names: Iterable[str]) -> str:
    counted = Counter(names)
    return min(counted, key=lambda name: (-counted[name], name), default="")
