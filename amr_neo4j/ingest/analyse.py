"""What a model says of a clip it is shown (seed 000, I.2.2), as an analysis that holds together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from amr_neo4j.domain.analysis import ClipAnalysis, SpeakerTurn, Told
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.video import Clip
from amr_neo4j.ingest.normalise import on_video_time
from amr_neo4j.ingest.references import without_dangling_ids
from amr_neo4j.prompts.library import prompt


def analyse(clip: Clip, shown: Sequence[Attachment], heard: Sequence[SpeakerTurn], model: ChatModel) -> Told:
    """What happens in a clip; times are seconds of the video.

    heard: what is known to be said in it (subtitles, a transcript), in seconds from its start; where the model tells
    of no words, these are kept. Raises ModelError.
    """
    seconds = round(clip.t_end - clip.t_start, 3)
    asked = prompt("analyse", clip=clip.clip_id, seconds=seconds, heard=_lines(heard)).showing(shown)
    analysis, slips = model.ask_leniently(asked, ClipAnalysis)
    told = without_dangling_ids(Told(_own(analysis, heard), slips))
    _, placed, clamped = on_video_time(clip, told.analysis, "clip")
    return told.but(placed, *clamped)


def _lines(heard: Iterable[SpeakerTurn]) -> str:
    said = (f"{t.time_start:.1f}-{t.time_end:.1f} s, {t.speaker_id or 'somebody'}: {t.utterance}" for t in heard)
    return "\n".join(said) or "nothing is known"


def _own(analysis: ClipAnalysis, heard: Sequence[SpeakerTurn]) -> ClipAnalysis:
    """Without ids that no model can know; with the words that are known where it has none."""
    people = tuple(person.model_copy(update={"person_id": "", "identity": ""}) for person in analysis.characters)
    turns = tuple(turn.model_copy(update={"identity": ""}) for turn in analysis.speaker_turns) or tuple(heard)
    return analysis.model_copy(update={"characters": people, "speaker_turns": turns})
