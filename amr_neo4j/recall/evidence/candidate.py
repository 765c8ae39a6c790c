"""An event on its way to being evidence, with what the stages learnt of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Hit, Path
from amr_neo4j.language.en.content import forms, words_of
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.persons import person_key
from amr_neo4j.language.en.verbs import transition
from amr_neo4j.recall.evidence.path_text import path_in_words
from amr_neo4j.recall.question.parsed import Effect


class EventFeatures:
    """What an event tells: its words, its people and things, and what is done to them."""

    def __init__(self, event: Event) -> None:
        self._event = event

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word is told."""
        return Counter(words_of("\n".join((self._event.summary_text, *self._event.dialogue_snippets))))

    @cached_property
    def listed(self) -> frozenset[str]:
        """The words of the event's lists that are not told."""
        event = self._event
        named = (*event.persons, *event.objects, event.scene_type, event.video_id)
        done = (f"{action.verb} {action.object} {action.spatial_relation}" for action in event.actions)
        return frozenset(words_of("\n".join((*named, *done)))) - self.words.keys()

    @cached_property
    def length(self) -> int:
        """In words."""
        return self.words.total() + len(self.listed)

    @cached_property
    def bag(self) -> Mapping[str, int]:
        """How often each form of its words is told; once where only a list has it."""
        bag: dict[str, int] = {}
        for word, times in self.words.items():
            for form in forms(word):
                bag[form] = bag.get(form, 0) + times
        for word in self.listed:
            for form in forms(word):
                bag.setdefault(form, 1)
        return bag

    @cached_property
    def objects(self) -> frozenset[str]:
        """The identities of its objects."""
        return frozenset(map(object_key, self._event.objects))

    @cached_property
    def people(self) -> Mapping[str, str]:
        """person_id -> name as seen, of everybody in it."""
        named = {person_key(name).person_id: name for name in self._event.persons}
        actors = {a.actor: a.actor.replace("_", " ") for a in self._event.actions if a.actor not in ("", *named)}
        return named | actors

    @cached_property
    def deeds(self) -> frozenset[tuple[str, str]]:
        """Who did something to what: (person_id, object)."""
        return frozenset((action.actor, object_key(action.object)) for action in self._event.actions)

    @cached_property
    def effects(self) -> frozenset[Effect]:
        """What its actions do to which things."""
        found = ((object_key(action.object), action) for action in self._event.actions)
        done = ((thing, transition(action.verb, thing, action.spatial_relation)) for thing, action in found)
        return frozenset(
            (thing, change.kind, change.to_state) for thing, change in done if change and change.to_state
        )


@dataclass(frozen=True)
class Candidate:
    """An event and how it was found.

    ranks: retriever -> rank from 1. cosines: clause of the question -> cosine to the event. reach: 0 to 1, what the
    fused score of the anchor that its path starts at says of it. fused: clause -> 0 to 1, by fusion; score, reach: by
    verify; empty until then. along: node_id -> event, of its path and others.
    telling: what the event tells.
    """

    event: Event
    path: Path
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])
    reach: float = 0.0
    fused: Mapping[str, float] = field(default_factory=dict[str, float])
    score: float = 0.0
    along: Mapping[int, Event] = field(default_factory=dict[int, Event], repr=False)
    telling: EventFeatures = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "telling", _telling(self.event))

    @property
    def node_id(self) -> int:
        """The event's."""
        return self.event.node_id

    @property
    def forms(self) -> Set[str]:
        """Every form of every word of the event."""
        return self.telling.bag.keys()

    @property
    def objects(self) -> frozenset[str]:
        """The identities of its objects."""
        return self.telling.objects

    @property
    def people(self) -> Mapping[str, str]:
        """person_id -> name as seen, of everybody in it."""
        return self.telling.people

    @property
    def deeds(self) -> frozenset[tuple[str, str]]:
        """Who did something to what: (person_id, object)."""
        return self.telling.deeds

    @property
    def effects(self) -> frozenset[Effect]:
        """What its actions do to which things."""
        return self.telling.effects

    @property
    def trail(self) -> str:
        """Its path in words."""
        return path_in_words(self.path, self.along)

    def hit(self) -> Hit:
        """As an answer shows it."""
        best = {"fused": max(self.fused.values(), default=0.0), "cosine": max(self.cosines.values(), default=0.0)}
        return Hit(self.event, self.score, self.ranks, self.path, self.trail, best | {"reach": self.reach})


# An event never changes, and a question looks at hundreds of which many were looked at for the last one.
@lru_cache(maxsize=30_000)
def _telling(event: Event) -> EventFeatures:
    return EventFeatures(event)
