"""The features of events are kept between questions at little cost to Python's collector."""

from __future__ import annotations

import gc

import pytest

from amr_neo4j.domain.event import Action, Event
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.retrieve.features import EventFeatures, features_of


def event(n: int) -> Event:
    actions = (Action("anna", "open", "fridge"),)
    return Event(n, "g", "v", ("c",), n, n, n + 1, "Anna opens the fridge", (), ("Anna",), ("fridge",), "", actions)


def tracked(n: int) -> int:
    """How many objects the collector looks at for n events and all their features."""
    gc.collect()
    before, kept = len(gc.get_objects()), [event(number) for number in range(n)]
    assert all(map(is_described, kept))
    gc.collect()
    return len(gc.get_objects()) - before


def is_described(of: Event) -> bool:
    features = features_of(of, ENGLISH)
    of_text = features.length and features.form_counts
    return bool(of_text and features.people and features.objects and features.actors_on_objects)


def test_an_event_costs_the_collector_four_objects_with_its_features() -> None:
    """Itself, its features, its actions; equal sets are shared, and texts and counts are not looked at."""
    tracked(10)
    assert tracked(1000) < 4.1 * 1000


def test_features_are_computed_once() -> None:
    features = features_of(event(1), ENGLISH)
    assert features.form_counts is features.form_counts
    assert features_of(event(1), ENGLISH) is features


def test_there_are_no_others() -> None:
    with pytest.raises(AttributeError):
        EventFeatures(event(1), ENGLISH).__getattr__("colour")
