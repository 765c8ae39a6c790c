"""Speech that belongs to no event: it gets one of its own, or it could never be found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.person_resolution import PersonResolver
from amr_neo4j.ingest.voice_attribution import carries
from amr_neo4j.language.languages import Language

# Seconds of silence after which a new event begins.
_PAUSE = 3.0
_SUMMARY_WORDS = 30


def with_unseen_speech(clip: AnalysedClip, language: Language) -> AnalysedClip:
    """The clip with an event for each stretch of speech that is part of no event."""
    analysis = clip.analysis
    unseen = [turn for turn in analysis.speaker_turns if not any(carries(event, turn) for event in analysis.events)]
    unseen = [turn for turn in unseen if turn.utterance.strip()]
    if not unseen:
        return clip
    people = PersonResolver(analysis, clip.video.video_id, language)
    spoken = tuple(_event(turns, people, language) for turns in _conversations(unseen))
    return replace(clip, analysis=analysis.model_copy(update={"events": (*analysis.events, *spoken)}))


def only_heard(heard: Sequence[SpeakerTurn]) -> NotedAnalysis:
    """The analysis of a clip without pictures. heard: its transcript, in seconds from its start."""
    transcript = ClipAnalysis(clip_summary="", speaker_turns=tuple(heard), events=())
    return NotedAnalysis(transcript, ("the clip has no pictures; only its transcript is kept",))


def _conversations(turns: Sequence[SpeakerTurn]) -> Iterator[list[SpeakerTurn]]:
    run: list[SpeakerTurn] = []
    silent_from = 0.0
    for turn in sorted(turns, key=lambda turn: (turn.time_start, turn.time_end)):
        if run and turn.time_start - silent_from > _PAUSE:
            yield run
            run = []
        run.append(turn)
        silent_from = max(silent_from, turn.time_end)
    yield run


def _event(turns: Sequence[SpeakerTurn], people: PersonResolver, language: Language) -> AnalysedEvent:
    """Who says what; the turns become its dialogue when it is composed."""
    speakers = list(dict.fromkeys(people.speaker_name(turn) for turn in turns))
    words = " ".join(turn.utterance.strip() for turn in turns).split()
    said = " ".join(words[:_SUMMARY_WORDS]) + (" ..." if len(words) > _SUMMARY_WORDS else "")
    return AnalysedEvent(
        time_start=turns[0].time_start,
        time_end=max(turn.time_end for turn in turns),
        summary=language.scenes.says(speakers, said),
    )
