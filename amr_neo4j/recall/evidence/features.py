"""What an event's text and lists say: words and their forms, people, objects, actions and their effects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TypeVar

from amr_neo4j.domain.event import Event
from amr_neo4j.language.base import Language
from amr_neo4j.recall.question.clause import Effect

T = TypeVar("T")
# What tells those who look alike apart in their ids.
_NUMBER = re.compile(r"_\d+$")


class EventFeatures:
    """The features of an event that questions are compared with, each computed on first use.

    Thousands are kept: equal sets are one object, and words stand in plain tuples and dicts, which Python's collector
    does not look at.
    """

    def __init__(self, event: Event, language: Language) -> None:
        self._event = event
        self._language = language

    @cached_property
    def word_counts(self) -> dict[str, int]:
        """How often each word occurs in the summary and the dialogue."""
        text = "\n".join((self._event.summary_text, *self._event.dialogue_snippets))
        return dict(Counter(self._language.words_of(text)))

    @cached_property
    def listed_words(self) -> tuple[str, ...]:
        """The words of the event's lists that are not in its text."""
        event = self._event
        named = (*event.persons, *event.objects, event.scene_type, event.video_id)
        actions = (f"{action.verb} {action.object} {action.spatial_relation}" for action in event.actions)
        words = self._language.words_of("\n".join((*named, *actions, *event.spatial_descriptions)))
        return tuple(set(words) - self.word_counts.keys())

    @cached_property
    def length(self) -> int:
        """In words."""
        return sum(self.word_counts.values()) + len(self.listed_words)

    @cached_property
    def form_counts(self) -> Mapping[str, int]:
        """How often each form of its words occurs; once for a word of its lists alone."""
        forms, counts = self._language.forms, dict[str, int]()
        for word, times in self.word_counts.items():
            for form in forms(word):
                counts[form] = counts.get(form, 0) + times
        verbs = self._language.phrasal_verbs(self._event.summary_text)
        for form in verbs.union(*(forms(word) for word in self.listed_words)):
            counts.setdefault(form, 1)
        return counts

    @cached_property
    def objects(self) -> frozenset[str]:
        """The identities of its objects."""
        return _shared(frozenset(map(self._language.object_key, self._event.objects)))

    @cached_property
    def people(self) -> Mapping[str, str]:
        """person_id -> name as seen, of everybody in it.

        Those who look alike have one name and numbered ids: who acts under such an id is not counted by the name too.
        """
        person_key = self._language.person_key
        named = {person_key(name).person_id: name for name in self._event.persons}
        actors = {a.actor for a in self._event.actions if a.actor}
        looks = {actor: _NUMBER.sub("", actor) for actor in actors}
        numbered = {actor: named[look] for actor, look in looks.items() if actor not in named and look in named}
        alone = {key: name for key, name in named.items() if key in actors or key not in map(looks.get, numbered)}
        others = {actor: actor.replace("_", " ") for actor in actors if actor not in named and actor not in numbered}
        return alone | numbered | others

    @cached_property
    def actors_on_objects(self) -> frozenset[tuple[str, str]]:
        """(person_id, object) of each action."""
        object_key = self._language.object_key
        return _shared(frozenset((action.actor, object_key(action.object)) for action in self._event.actions))

    @cached_property
    def effects(self) -> frozenset[Effect]:
        """The states that its actions leave their objects in."""
        object_key, transition = self._language.object_key, self._language.transition
        on_objects = ((object_key(action.object), action) for action in self._event.actions)
        changes = ((thing, transition(action.verb, thing, action.spatial_relation)) for thing, action in on_objects)
        states = ((thing, change.kind, change.to_state) for thing, change in changes if change and change.to_state)
        return _shared(frozenset(states))


@lru_cache(maxsize=30_000)
def _shared(found: frozenset[T]) -> frozenset[T]:
    """The set that was given first of those that are equal to it."""
    return found


# An event never changes, and most events that a question looks at were looked at for the one before.
@lru_cache(maxsize=30_000)
def features_of(event: Event, language: Language) -> EventFeatures:
    """The features of an event, cached. language: of its text."""
    return EventFeatures(event, language)
