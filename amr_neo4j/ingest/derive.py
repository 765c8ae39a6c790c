"""Persons, things and actions of events for which an analysis lists none: read from the summary, and marked so."""

from __future__ import annotations

from dataclasses import replace

from amr_neo4j.domain.analysis import LONGEST_NAME, AnalysedEvent, StatedAction
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import Deed


def with_derived_actions(clip: AnalysedClip, language: Language) -> AnalysedClip:
    """The clip, each event that lists nobody and nothing with what its summary says is done.

    An event that the analyser took apart itself stays as it is, as does a sound.
    """
    events = tuple(_derived(event, language) for event in clip.analysis.events)
    if events == clip.analysis.events:
        return clip
    return replace(clip, analysis=clip.analysis.model_copy(update={"events": events}))


def _derived(event: AnalysedEvent, language: Language) -> AnalysedEvent:
    if event.heard or event.actors or event.objects or event.actions:
        return event
    actions = tuple(
        StatedAction(actor=deed.actor, verb=deed.verb, object=deed.object, spatial_relation=deed.where)
        for deed in language.deeds_in(event.summary)
        if _is_short(deed)
    )
    return event.model_copy(update={"actions": actions, "derived": True}) if actions else event


def _is_short(deed: Deed) -> bool:
    """Whether the graph can key by its names; a summary may be longer, and an endless word in it names nobody."""
    return max(len(deed.actor), len(deed.verb), len(deed.object)) <= LONGEST_NAME
