"""Completes an analysis with what it implies: actions that only a summary states, and events for unseen speech."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from amr_neo4j.domain.analysis import (
    AnalysedEvent,
    ClipAnalysis,
    NotedAnalysis,
    SpeakerTurn,
    StatedAction,
)
from amr_neo4j.domain.episode import LONGEST_NAME
from amr_neo4j.domain.speakers import wears_camera
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.local_ids import is_local_id
from amr_neo4j.ingest.person_resolution import PersonResolver
from amr_neo4j.ingest.voice_attribution import carries
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import Deed


def with_derived_actions(clip: AnalysedClip, language: Language) -> AnalysedClip:
    """Return the clip with actions read from the summaries of events that list nobody and nothing.

    Such events are marked as derived. An event that the analyser took apart itself stays as it is, and so does a
    sound.
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
    # The mark tells recall that the analyser itself listed no actions (decision 0091).
    return event.model_copy(update={"actions": actions, "derived": True}) if actions else event


def with_wearer(clip: AnalysedClip, language: Language) -> AnalysedClip:
    """Return the clip with the wearer of the camera for "I" and "me".

    The wearer is the actor of events that are told so and name no actor, and each person whom the analysis lists so.
    If nobody is given as the wearer, it is the character whose role in the analysis is to wear the camera.
    """
    wearer = clip.video.wearer or _wearer_in(clip.analysis, language)
    if not wearer:
        return clip

    def named(person: str) -> str:
        return wearer if language.first_person.is_name(person) else person

    def of_event(event: AnalysedEvent) -> AnalysedEvent:
        actors = tuple(map(named, event.actors))
        if not (actors or event.heard) and language.first_person.acts(event.summary):
            actors = (wearer,)
        actions = tuple(act.model_copy(update={"actor": act.actor and named(act.actor)}) for act in event.actions)
        return event.model_copy(update={"actors": actors, "actions": actions})

    analysis = clip.analysis
    listed = {
        "events": tuple(map(of_event, analysis.events)),
        "characters": tuple(
            one.model_copy(update={"name_or_description": named(one.name_or_description)})
            for one in analysis.characters
        ),
        "speaker_turns": tuple(
            turn.model_copy(update={"speaker_id": named(turn.speaker_id)}) for turn in analysis.speaker_turns
        ),
    }
    return replace(clip, video=replace(clip.video, wearer=wearer), analysis=analysis.model_copy(update=listed))


def _wearer_in(analysis: ClipAnalysis, language: Language) -> str:
    names = (one.name_or_description.strip() for one in analysis.characters if wears_camera(one.role))
    named = (name for name in names if language.person_key(name).is_name and not is_local_id(name))
    return next((name for name in named if not language.first_person.is_name(name)), "")


def _is_short(deed: Deed) -> bool:
    """Return whether the names of a deed are short enough to be keys of the graph. An endless word names nobody."""
    return max(len(deed.actor), len(deed.verb), len(deed.object)) <= LONGEST_NAME


# A new event begins after this many seconds of silence.
_SILENCE_SEC = 3.0
# The summary of a stretch of speech quotes only its beginning. The dialogue has all of it.
_SUMMARY_WORDS = 30
_ENDS_OF_SENTENCE = tuple('.!?…:;"”»。！？')


def with_unseen_speech(clip: AnalysedClip, language: Language) -> AnalysedClip:
    """Return the clip with an event for each stretch of speech that no event has, so that it can be found."""
    analysis = clip.analysis
    unseen = [turn for turn in analysis.speaker_turns if not any(carries(event, turn) for event in analysis.events)]
    unseen = [turn for turn in unseen if turn.utterance.strip()]
    if not unseen:
        return clip
    people = PersonResolver(analysis, clip.video.video_id, language)
    spoken = tuple(_spoken_event(turns, people, language) for turns in _conversations(unseen))
    return replace(clip, analysis=analysis.model_copy(update={"events": (*analysis.events, *spoken)}))


def only_heard(heard: Sequence[SpeakerTurn]) -> NotedAnalysis:
    """Return the analysis of a clip without pictures. heard: its transcript, in seconds from its start."""
    transcript = ClipAnalysis(clip_summary="", speaker_turns=tuple(heard), events=())
    return NotedAnalysis(transcript, ("the clip has no pictures; only its transcript is kept",))


def _conversations(turns: Sequence[SpeakerTurn]) -> Iterator[list[SpeakerTurn]]:
    run: list[SpeakerTurn] = []
    silent_from = 0.0
    for turn in sorted(turns, key=lambda turn: (turn.time_start, turn.time_end)):
        if run and turn.time_start - silent_from > _SILENCE_SEC:
            yield run
            run = []
        run.append(turn)
        # Turns overlap: an earlier one may end last.
        silent_from = max(silent_from, turn.time_end)
    yield run


def _ended(words: str) -> str:
    """Return an utterance with a sentence end. Without it the first word of the next one would look like a name."""
    return words if words.endswith(_ENDS_OF_SENTENCE) else f"{words}."


def _spoken_event(turns: Sequence[SpeakerTurn], people: PersonResolver, language: Language) -> AnalysedEvent:
    """Return an event that says who says what. The turns become its dialogue when it is composed."""
    speakers = list(dict.fromkeys(people.speaker_name(turn) for turn in turns))
    words = " ".join(_ended(turn.utterance.strip()) for turn in turns).split()
    said = " ".join(words[:_SUMMARY_WORDS]) + (" ..." if len(words) > _SUMMARY_WORDS else "")
    return AnalysedEvent(
        time_start=turns[0].time_start,
        time_end=max(turn.time_end for turn in turns),
        summary=language.scenes.says(speakers, said),
    )
