"""The sources of a question: readers and dense indexes of videos and of conversations, or of both combined.

In combined sources an event of a video has a node_id from 0 on, and a turn has a negative one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import chain
from typing import TypeVar

import numpy as np

from amr_neo4j.domain.event import Channel, Cue, Edge, Event
from amr_neo4j.domain.ports import (
    Beliefs,
    DenseIndex,
    Embedder,
    EventReader,
    Names,
    Replacements,
    StatedRelations,
    Vectors,
)
from amr_neo4j.domain.recall import Margin, Scope
from amr_neo4j.domain.scene import Company, SceneMatch
from amr_neo4j.domain.video import Video
from amr_neo4j.language.languages import Language

T = TypeVar("T")


@dataclass(frozen=True)
class Sources:
    """What a question reads: a part of the graph (scope), its events, their vectors, and the language of them all.

    now: the present moment, in the time zone whose days the user means; None if unknown.
    zone: the time zone of recordings that name none; that of `now` if None.
    wearer: the name of whoever wears the cameras, who is "I" in questions without a user; empty if nobody does.
    """

    scope: Scope
    reader: EventReader
    index: DenseIndex
    embedder: Embedder
    language: Language
    now: datetime | None = None
    zone: tzinfo | None = None
    wearer: str = ""

    @property
    def recording_zone(self) -> tzinfo | None:
        """The time zone of recordings that name none."""
        return self.zone or (self.now.tzinfo if self.now else None)


@dataclass(frozen=True)
class Knowledge:
    """What memory knows about turns apart from their text.

    replacements: which turns were replaced by later ones.
    stated: the relations that turns state.
    beliefs: the facts believed about the user.
    """

    replacements: Replacements = field(default_factory=Replacements)
    stated: StatedRelations = field(default_factory=StatedRelations)
    beliefs: Beliefs = field(default_factory=Beliefs)


@dataclass(frozen=True)
class CombinedReader:
    """An EventReader that reads events of videos and turns of conversations."""

    videos: EventReader
    turns: EventReader

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Return the best of both, alternating, because the scores of two full-text indexes cannot be compared."""
        return _interleaved(self._in_scope(scope, lambda reader: reader.full_text(text, scope, limit)))

    def scenes(self, text: str, scope: Scope, limit: int) -> list[SceneMatch]:
        """Return at most `limit` scenes of videos whose text has words of `text`."""
        return self.videos.scenes(text, scope, limit) if scope.has_videos else []

    def company(self, node_id: int, scope: Scope) -> Company | None:
        """Return who is in the scene of an event of a video."""
        return self.videos.company(node_id, scope)

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Return every edge of these channels that touches one of the events, in either direction."""
        return self._by_owner(node_ids, lambda reader, ids: reader.neighbours(ids, channels, scope))

    def read_ahead(self, node_ids: Sequence[int], best: Sequence[int], scope: Scope) -> None:
        """Read ahead from the videos only, which have more to read than conversations."""
        self.videos.read_ahead([i for i in node_ids if i >= 0], [i for i in best if i >= 0], scope)

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """Return the events and turns with these ids, in the order of the ids."""
        found = {
            event.node_id: event for event in self._by_owner(node_ids, lambda reader, ids: reader.events(ids, scope))
        }
        return [found[node_id] for node_id in node_ids if node_id in found]

    def around(self, events: Sequence[Event], margin: Margin, scope: Scope) -> list[Event]:
        """Return what lies around these events and turns, each with its own kind."""
        of_videos, turns = [e for e in events if not e.turn], [e for e in events if e.turn]
        found = self.videos.around(of_videos, margin, scope) if of_videos else []
        return [*found, *(self.turns.around(turns, margin, scope) if turns else [])]

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of the events that use the object, latest first."""
        return _interleaved(self._in_scope(scope, lambda reader: reader.by_object(name, scope, limit)))

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of the events and turns of a person, alternating, each kind latest first."""
        return _interleaved(self._in_scope(scope, lambda reader: reader.by_person(person_id, scope, limit)))

    def vocabulary(self, scope: Scope) -> Names:
        """Return the persons and objects that either reader knows."""
        return _united(self._in_scope(scope, lambda reader: reader.vocabulary(scope)))

    def last_vocabulary(self, scope: Scope) -> Names | None:
        """Return what `vocabulary` returned last; None if a reader has not been asked yet."""
        found = self._in_scope(scope, lambda reader: reader.last_vocabulary(scope))
        known = [names for names in found if names is not None]
        return _united(known) if len(known) == len(found) else None

    def known(self, names: Names, scope: Scope) -> Names:
        """Return those of the names that either reader knows in the scope."""
        return _united(self._in_scope(scope, lambda reader: reader.known(names, scope)))

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """Return changes of objects from videos only, because turns record none."""
        return self.videos.life(objects, states, scope, limit) if scope.has_videos else []

    def cues(self, node_ids: Sequence[int], scope: Scope) -> Mapping[int, Sequence[Cue]]:
        """Return cues of videos only, because a turn is cited as a whole."""
        events = [node_id for node_id in node_ids if node_id >= 0]
        return self.videos.cues(events, scope) if events and scope.has_videos else {}

    def videos_at(self, places: Sequence[str], scope: Scope) -> list[str]:
        """Return the ids of the scope's videos that have one of these names, or whose place has."""
        return self.videos.videos_at(places, scope) if scope.has_videos else []

    def videos_showing(self, scene_types: Sequence[str], scope: Scope) -> list[str]:
        """Return the ids of the scope's videos with a clip of one of some types of scene."""
        return self.videos.videos_showing(scene_types, scope) if scope.has_videos else []

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        """Return the videos of the scope."""
        return self.videos.recordings(scope) if scope.has_videos else {}

    def lengths(self, video_ids: Sequence[str], scope: Scope) -> Mapping[str, float]:
        """Return {video_id: end of its last clip in seconds}."""
        return self.videos.lengths(video_ids, scope) if scope.has_videos else {}

    def _in_scope(self, scope: Scope, ask: Callable[[EventReader], T]) -> list[T]:
        """Return the results of the readers that the scope includes."""
        readers = ((self.videos, scope.has_videos), (self.turns, scope.has_turns))
        return [ask(reader) for reader, included in readers if included]

    def _by_owner(self, node_ids: Sequence[int], ask: Callable[[EventReader, list[int]], list[T]]) -> list[T]:
        """Return the results of both readers, each asked for its own ids."""
        events, turns = [i for i in node_ids if i >= 0], [i for i in node_ids if i < 0]
        of_videos = ask(self.videos, events) if events else []
        return [*of_videos, *(ask(self.turns, turns) if turns else [])]


@dataclass(frozen=True)
class CombinedIndex:
    """A DenseIndex over the vectors of videos and conversations."""

    videos: DenseIndex
    turns: DenseIndex

    def catch_up(self) -> int:
        """Take in the vectors that were written to the graph since the last call. Returns how many changed."""
        return self.videos.catch_up() + self.turns.catch_up()

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (node_id, cosine) of the nearest events and turns, best first."""
        found: list[tuple[int, float]] = []
        if scope.has_videos:
            found += self.videos.search(vector, k, scope, None if among is None else [i for i in among if i >= 0])
        if scope.has_turns:
            found += self.turns.search(vector, k, scope, None if among is None else [i for i in among if i < 0])
        # Both indexes use the same embedder, so their cosines can be compared, unlike full-text scores.
        return sorted(found, key=lambda hit: (-hit[1], abs(hit[0])))[:k]

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Return the cosine of each event or turn to each of `vectors`; NaN if it has no vector.

        vectors: shape (n, dim).
        Returns shape (n, len(node_ids)).
        """
        ids = np.asarray(node_ids, np.int64)
        # Filled column by column, so that the result keeps the order of node_ids.
        found = np.full((len(vectors), len(ids)), np.nan, np.float32)
        for index, of_index in ((self.videos, ids >= 0), (self.turns, ids < 0)):
            if of_index.any():
                found[:, of_index] = index.similarities(vectors, ids[of_index].tolist())
        return found


def _interleaved(lists: Sequence[Sequence[T]]) -> list[T]:
    """Return the first item of each list, then the second of each, and so on."""
    longest = max(map(len, lists), default=0)
    ranks = ([items[n] for items in lists if n < len(items)] for n in range(longest))
    return list(chain.from_iterable(ranks))


def _united(names: Sequence[Names]) -> Names:
    persons = frozenset(chain.from_iterable(of.persons for of in names))
    aliases: dict[str, tuple[str, ...]] = {}
    for person, others in chain.from_iterable(of.same.items() for of in names):
        # Both readers may know aliases of one person, so they are joined and not replaced.
        aliases[person] = tuple(dict.fromkeys([*aliases.get(person, ()), *others]))
    objects = frozenset(chain.from_iterable(of.objects for of in names))
    return Names(
        persons,
        objects,
        aliases,
        places=frozenset(chain.from_iterable(of.places for of in names)),
        videos=frozenset(chain.from_iterable(of.videos for of in names)),
        wearers=frozenset(chain.from_iterable(of.wearers for of in names)),
        scene_types=frozenset(chain.from_iterable(of.scene_types for of in names)),
    )
