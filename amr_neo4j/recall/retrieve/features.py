"""Computes the features of an event: words and their forms, people, objects, actions and their effects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

from amr_neo4j.domain.event import Event
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.question.clause import Effect

T = TypeVar("T")
# The number that distinguishes the ids of people who look alike: "girl_black_hoodie_2".
_NUMBER = re.compile(r"_\d+$")
# The length of the segments that a video is divided into.
SEGMENT_SEC = 600.0
# What EventFeatures.row has: start and end in the video, start and end of its rhythm, length in words; and 1 or 0 for
# whether it is a turn, a turn of a person, and an event whose analysis lists actions.
COLUMNS = ("start", "end", "begins", "ends", "length", "is_turn", "by_person", "lists_actions")
# The features of at most this many events are kept per language.
_MOST_CACHED = 30_000


class EventFeatures:
    """The features of an event that questions are compared with. Each is computed on first use.

    word_counts: {word: how often it occurs in the summary and the dialogue}.
    listed_words: words of the event's lists (persons, objects, actions) that its text does not have.
    scene_forms: forms that it has only by the type of its scene and the name of its video.
    length: in words.
    form_counts: {form: how often words with it occur}; 1 for a word of the lists only.
    objects: the identities of its objects.
    people: {person_id: name as the event has it}.
    actors_on_objects: (person_id, object) of each action.
    effects: the states that its actions leave.
    recording: a number for its video or session.
    segment: a number for the part of the video, SEGMENT_SEC long, or for the session.
    row: the numbers of the event that COLUMNS names.

    Thousands of these are kept, and Python's garbage collector visits every container object. So the features are in
    slots and not in a dict, equal sets share one object, and words are in plain tuples and dicts of strings, which
    the collector does not track.
    """

    _event: Event
    _language: Language
    word_counts: dict[str, int]
    listed_words: tuple[str, ...]
    scene_forms: frozenset[str]
    length: int
    form_counts: Mapping[str, int]
    objects: frozenset[str]
    people: Mapping[str, str]
    actors_on_objects: frozenset[tuple[str, str]]
    effects: frozenset[Effect]
    recording: int
    segment: int
    row: tuple[float, ...]
    __slots__ = tuple(__annotations__)

    def __init__(self, event: Event, language: Language) -> None:
        self._event = event
        self._language = language

    def __getattr__(self, name: str) -> Any:
        """Compute a feature. Python calls this only while the feature's slot is empty."""
        compute = getattr(type(self), f"_compute_{name}", None)
        if compute is None:
            raise AttributeError(name)
        value = compute(self)
        setattr(self, name, value)
        return value

    def _compute_word_counts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        text = "\n".join((self._plain(self._summary), *self._event.dialogue_snippets))
        for word in self._language.words_of(text):
            counts[word] = counts.get(word, 0) + 1
        return counts

    def _compute_listed_words(self) -> tuple[str, ...]:
        words = (*self._words_of_lists(), *self._words_of_scene())
        return tuple(set(words) - self.word_counts.keys())

    def _words_of_lists(self) -> list[str]:
        named = (*self._event.persons, *self._event.objects)
        actions = (f"{action.verb} {action.object} {action.spatial_relation}" for action in self._event.actions)
        places = map(self._plain, self._event.spatial_descriptions)
        return self._language.words_of("\n".join((*named, *actions, *places)))

    def _words_of_scene(self) -> list[str]:
        return self._language.words_of(f"{self._event.scene_type}\n{self._event.video_id}")

    def _compute_scene_forms(self) -> frozenset[str]:
        own, forms = {*self.word_counts, *self._words_of_lists()}, self._language.forms
        of_scene = frozenset[str]().union(*(forms(word) for word in self._words_of_scene() if word not in own))
        return _shared(of_scene.difference(*(forms(word) for word in own)) if of_scene else of_scene)

    def _compute_length(self) -> int:
        # The words left out count here: without them, a report would seem to say its few words more strongly.
        left_out = self._summary.count(" ") - self._plain(self._summary).count(" ")
        return sum(self.word_counts.values()) + left_out + len(self.listed_words)

    @property
    def _summary(self) -> str:
        """The summary as the rules read it."""
        event = self._event
        return event.summary_text if event.turn else self._language.as_read(event.summary_text)

    def _plain(self, text: str) -> str:
        """Return a text without "as seen by the camera", which is in every report of the local analyser."""
        return self._language.grammar.without_viewer(text)

    def _compute_form_counts(self) -> Mapping[str, int]:
        forms, counts = self._language.forms, dict[str, int]()
        for word, times in self.word_counts.items():
            for form in forms(word):
                counts[form] = counts.get(form, 0) + times
        verbs = self._language.phrasal_verbs(self._summary)
        for form in verbs.union(*(forms(word) for word in self.listed_words)):
            # A listed word that the text has, too, is counted once.
            counts.setdefault(form, 1)
        return counts

    def _compute_objects(self) -> frozenset[str]:
        return _shared(frozenset(map(self._language.object_key, self._event.objects)))

    def _compute_people(self) -> Mapping[str, str]:
        """Return {person_id: name} of everybody in the event.

        People who look alike share one name ("girl in a black hoodie") and have numbered ids. An actor with such an
        id replaces the entry of the shared name, so that nobody is counted twice.
        """
        person_key = self._language.person_key
        named = {person_key(name).person_id: name for name in self._event.persons}
        actors = {a.actor for a in self._event.actions if a.actor}
        looks = {actor: _look(actor, named) for actor in actors}
        numbered = {actor: named[look] for actor, look in looks.items() if actor not in named and look in named}
        alone = {key: name for key, name in named.items() if key in actors or key not in map(looks.get, numbered)}
        others = {actor: actor.replace("_", " ") for actor in actors if actor not in named and actor not in numbered}
        return alone | numbered | others

    def _compute_actors_on_objects(self) -> frozenset[tuple[str, str]]:
        return _shared(
            frozenset((action.actor, self._language.object_key(action.object)) for action in self._event.actions)
        )

    def _compute_effects(self) -> frozenset[Effect]:
        on_objects = ((self._language.object_key(action.object), action) for action in self._event.actions)
        changes = ((thing, self._language.effect(act.verb, thing, act.spatial_relation)) for thing, act in on_objects)
        states = ((thing, change.kind, change.to_state) for thing, change in changes if change and change.to_state)
        return _shared(frozenset(states))

    def _compute_recording(self) -> int:
        return recording_number(self._event.video_id, of_turns=self._event.turn is not None)

    def _compute_segment(self) -> int:
        return hash((self._event.video_id, -1 if self._event.turn else int(self._event.time_start // SEGMENT_SEC)))

    def _compute_row(self) -> tuple[float, ...]:
        event, turn = self._event, self._event.turn
        flags = (turn is not None, turn is not None and not turn.by_assistant, event.lists_actions)
        return (event.time_start, event.time_end, *event.rhythm, self.length, *map(float, flags))


def recording_of(event: Event) -> tuple[bool, str]:
    """Return (is it a turn, id of its video or session). A session may have the same id as a video."""
    return event.turn is not None, event.video_id


def recording_number(video_id: str, *, of_turns: bool) -> int:
    """Return a number for a video or session: a number and not its name, because ranking compares them in arrays."""
    return hash((of_turns, video_id))


@lru_cache(maxsize=_MOST_CACHED)
def _shared(found: frozenset[T]) -> frozenset[T]:
    """Return the first of all equal sets that were passed in, so that equal sets share one object."""
    return found


def features_of(event: Event, language: Language) -> EventFeatures:
    """Return the features of an event, cached.

    language: the language of its text.

    An event never changes, and most events that a question needs were needed by the question before it.
    """
    known = _known(language)
    found = known.get(event)
    if found is None:
        if len(known) >= _MOST_CACHED:
            # Start again: the events of the next questions fill it soon.
            known.clear()
        found = known[event] = EventFeatures(event, language)
    return found


@cache
def _known(language: Language) -> dict[Event, EventFeatures]:
    """Return {event: features} of a language. One cache by (event, language) would keep a tuple per event."""
    return {}


def _look(actor: str, named: Mapping[str, str]) -> str:
    """Return the key of the name under which an event has an actor: "person" for person_2, and for person_17000.5-abc
    of Frigate.
    """
    look = _NUMBER.sub("", actor)
    if look in named:
        return look
    return max((key for key in named if actor.startswith(f"{key}_")), key=len, default=look)
