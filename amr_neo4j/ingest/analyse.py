"""What a model says of a clip it is shown (seed 000, I.2.2), as an analysis that holds together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.video import Clip
from amr_neo4j.ingest.normalise import check_times, from_clip_start, on_video_time
from amr_neo4j.ingest.references import without_dangling_ids
from amr_neo4j.ingest.transcript_coverage import untold
from amr_neo4j.prompts.library import prompt

# A model that is shown 000020000-000030000 takes it for the times to tell.
_LETTERS = str.maketrans("0123456789", "abcdefghij")


def analyse(clip: Clip, shown: Sequence[Attachment], heard: Sequence[SpeakerTurn], model: ChatModel) -> NotedAnalysis:
    """What happens in a clip; times are seconds of the video.

    heard: what is known to be said in it (subtitles, a transcript), in seconds from its start; what of it the model
    leaves out is kept. Raises ModelError.
    """
    seconds = round(clip.t_end - clip.t_start, 3)
    asked = prompt("analyse", clip=shown_as(clip.clip_id), seconds=seconds, heard=_lines(heard)).showing(shown)
    analysis, slips = model.ask_leniently(asked, ClipAnalysis, check=partial(check_times, clip))
    analysis, moved = from_clip_start(clip, analysis)
    told = _with_known_words(NotedAnalysis(_own(analysis), (*slips, *moved)), heard)
    told = without_dangling_ids(told)
    _, placed, clamped = on_video_time(clip, told.analysis, "clip")
    return told.but(placed, *clamped)


def shown_as(clip_id: str) -> str:
    """What a clip is called to a model: the same for the same clip, and nothing that reads as a time of the video."""
    return clip_id.translate(_LETTERS)


def _lines(heard: Iterable[SpeakerTurn]) -> str:
    said = (f"{t.time_start:.1f}-{t.time_end:.1f} s, {t.speaker_id or 'somebody'}: {t.utterance}" for t in heard)
    return "\n".join(said) or "nothing is known"


def _own(analysis: ClipAnalysis) -> ClipAnalysis:
    """Without ids that no model can know."""
    people = tuple(person.model_copy(update={"person_id": "", "identity": ""}) for person in analysis.characters)
    turns = tuple(turn.model_copy(update={"identity": ""}) for turn in analysis.speaker_turns)
    return analysis.model_copy(update={"characters": people, "speaker_turns": turns})


def _with_known_words(told: NotedAnalysis, heard: Sequence[SpeakerTurn]) -> NotedAnalysis:
    """With the known turns that the model leaves out, in order of time, and a note of how many they are."""
    turns = told.analysis.speaker_turns
    kept = untold(heard, turns)
    if not kept:
        return told
    whole = sorted((*turns, *kept), key=lambda turn: (turn.time_start, turn.time_end))
    note = f"speaker turns: {len(kept)} of {len(heard)} known to be said are not in the reply; kept"
    return told.but(told.analysis.model_copy(update={"speaker_turns": tuple(whole)}), note)
