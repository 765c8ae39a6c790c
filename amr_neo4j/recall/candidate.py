"""An event on its way to being evidence, with what the stages learnt of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Hit, Path
from amr_neo4j.language.content import all_forms, forms, words_of
from amr_neo4j.language.objects import object_key
from amr_neo4j.language.persons import person_key
from amr_neo4j.language.verbs import transition
from amr_neo4j.recall.bm25 import Bag
from amr_neo4j.recall.reading import Effect


class Telling:
    """The words of an event, in all their forms."""

    def __init__(self, event: Event) -> None:
        self._event = event

    @cached_property
    def forms(self) -> frozenset[str]:
        """Every form of every word of the event."""
        event = self._event
        named = (*event.persons, *event.objects, event.scene_type, event.video_id)
        done = (f"{action.verb} {action.object} {action.spatial_relation}" for action in event.actions)
        return all_forms("\n".join((event.summary_text, *event.dialogue_snippets, *named, *done)))

    @cached_property
    def bag(self) -> Bag:
        """How often each form of a word is told; what is only in the event's lists counts once."""
        told = "\n".join((self._event.summary_text, *self._event.dialogue_snippets))
        counted = Counter(form for word in words_of(told) for form in forms(word))
        counted.update(self.forms - counted.keys())
        return counted


@dataclass(frozen=True)
class Candidate:
    """An event and how it was found.

    ranks: retriever -> rank from 1. cosines: clause of the question -> cosine to the event. reach: 0 to 1, what the
    fused score of the anchor that its path starts at says of it. trail: the path in words. fused: clause -> 0 to 1,
    by fusion; score: by verify; both empty until then.
    """

    event: Event
    path: Path
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])
    reach: float = 0.0
    trail: str = ""
    fused: Mapping[str, float] = field(default_factory=dict[str, float])
    score: float = 0.0
    telling: Telling = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "telling", _telling(self.event))

    @property
    def node_id(self) -> int:
        """The event's."""
        return self.event.node_id

    @property
    def forms(self) -> frozenset[str]:
        """Every form of every word of the event."""
        return self.telling.forms

    @cached_property
    def objects(self) -> frozenset[str]:
        """The identities of its objects."""
        return frozenset(object_key(name) for name in self.event.objects)

    @cached_property
    def people(self) -> Mapping[str, str]:
        """person_id -> name as seen, of everybody in it."""
        named = {person_key(name).person_id: name for name in self.event.persons}
        actors = {a.actor: a.actor.replace("_", " ") for a in self.event.actions if a.actor not in ("", *named)}
        return named | actors

    @cached_property
    def deeds(self) -> frozenset[tuple[str, str]]:
        """Who did something to what: (person_id, object)."""
        return frozenset((action.actor, object_key(action.object)) for action in self.event.actions)

    @cached_property
    def effects(self) -> frozenset[Effect]:
        """What its actions do to which things."""
        found = ((object_key(action.object), action.verb) for action in self.event.actions)
        done = ((thing, transition(verb, thing)) for thing, verb in found)
        return frozenset(
            (thing, change.kind, change.to_state) for thing, change in done if change and change.to_state
        )

    def hit(self) -> Hit:
        """As an answer shows it."""
        best = {"fused": max(self.fused.values(), default=0.0), "cosine": max(self.cosines.values(), default=0.0)}
        return Hit(self.event, self.score, self.ranks, self.path, self.trail, best | {"reach": self.reach})


@lru_cache(maxsize=4096)
def _telling(event: Event) -> Telling:
    return Telling(event)
