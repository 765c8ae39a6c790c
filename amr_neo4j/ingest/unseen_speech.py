"""Words that belong to no event: they get one, or they could never be found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.video import AnalysedClip, Clip
from amr_neo4j.ingest.normalise import on_video_time
from amr_neo4j.ingest.person_resolution import Cast
from amr_neo4j.ingest.voice_attribution import carries
from amr_neo4j.language.en.sentences import joined

# Turns closer than this, in seconds, are one conversation.
_PAUSE = 3.0
_SUMMARY_WORDS = 30


def with_unseen_speech(clip: AnalysedClip) -> AnalysedClip:
    """The clip with an event for each stretch of speech that no event of it carries."""
    analysis = clip.analysis
    unseen = [turn for turn in analysis.speaker_turns if not any(carries(event, turn) for event in analysis.events)]
    unseen = [turn for turn in unseen if turn.utterance.strip()]
    if not unseen:
        return clip
    cast = Cast(analysis, clip.video.video_id)
    spoken = tuple(_event(turns, cast) for turns in _conversations(unseen))
    return replace(clip, analysis=analysis.model_copy(update={"events": (*analysis.events, *spoken)}))


def only_heard(clip: Clip, heard: Sequence[SpeakerTurn]) -> NotedAnalysis:
    """What there is to tell of a clip without a picture. heard: what is said in it, in seconds from its start."""
    said = ClipAnalysis(clip_summary="", speaker_turns=tuple(heard), events=())
    _, placed, clamped = on_video_time(clip, said, "clip")
    return NotedAnalysis(placed, ("there is no picture in it, only what is heard", *clamped))


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


def _event(turns: Sequence[SpeakerTurn], cast: Cast) -> AnalysedEvent:
    """Who says what; the turns themselves become its dialogue when it is composed."""
    speakers = list(dict.fromkeys(cast.speaker_name(turn) for turn in turns))
    who = joined(speakers)
    words = " ".join(turn.utterance.strip() for turn in turns).split()
    said = " ".join(words[:_SUMMARY_WORDS]) + (" ..." if len(words) > _SUMMARY_WORDS else "")
    verb = "says" if len(speakers) == 1 else "say"
    return AnalysedEvent(
        time_start=turns[0].time_start,
        time_end=max(turn.time_end for turn in turns),
        summary=f'{who[0].upper()}{who[1:]} {verb}: "{said}"',
    )
