"""Analyses a clip by a vision model (specification 000 I.2.2) and checks that the reply is consistent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.video import Clip
from amr_neo4j.ingest.normalise import check_times, from_clip_start
from amr_neo4j.ingest.references import without_dangling_ids
from amr_neo4j.ingest.transcript_coverage import uncovered
from amr_neo4j.language.languages import Language
from amr_neo4j.prompts.library import prompt

# A model that is shown 000020000-000030000 takes it for the times that it is asked for.
_LETTERS = str.maketrans("0123456789", "abcdefghij")


def analyse(
    clip: Clip, shown: Sequence[Attachment], heard: Sequence[SpeakerTurn], model: ChatModel, language: Language
) -> NotedAnalysis:
    """What happens in a clip; times are seconds from its start.

    heard: the transcript (subtitles, speech recognition), in seconds from the clip's start; turns that the reply
    leaves out are added. Raises ModelError.
    """
    seconds = round(clip.t_end - clip.t_start, 3)
    asked = prompt("analyse", clip=shown_as(clip.clip_id), seconds=seconds, heard=_lines(heard)).showing(shown)
    analysis, slips = model.ask_leniently(asked, ClipAnalysis, check=partial(check_times, clip))
    analysis, moved = from_clip_start(clip, analysis)
    noted = NotedAnalysis(_without_outside_ids(analysis), (*slips, *moved))
    return without_dangling_ids(_with_transcript(noted, heard, language), language)


def shown_as(clip_id: str) -> str:
    """The clip's name in prompts: the same for the same clip, without digits that read as times."""
    return clip_id.translate(_LETTERS)


def _lines(heard: Iterable[SpeakerTurn]) -> str:
    said = (f"{t.time_start:.1f}-{t.time_end:.1f} s, {t.speaker_id or 'somebody'}: {t.utterance}" for t in heard)
    return "\n".join(said) or "nothing is known"


def _without_outside_ids(analysis: ClipAnalysis) -> ClipAnalysis:
    """The analysis without ids that no model can know."""
    people = tuple(person.model_copy(update={"person_id": "", "identity": ""}) for person in analysis.characters)
    turns = tuple(turn.model_copy(update={"identity": ""}) for turn in analysis.speaker_turns)
    return analysis.model_copy(update={"characters": people, "speaker_turns": turns})


def _with_transcript(noted: NotedAnalysis, heard: Sequence[SpeakerTurn], language: Language) -> NotedAnalysis:
    """The analysis with the turns of the transcript that it leaves out, in order of time, and a note on them."""
    turns = noted.analysis.speaker_turns
    missing = uncovered(heard, turns, language)
    if not missing:
        return noted
    whole = sorted((*turns, *missing), key=lambda turn: (turn.time_start, turn.time_end))
    note = f"speaker turns: {len(missing)} of {len(heard)} of the transcript are not in the reply; added"
    return noted.but(noted.analysis.model_copy(update={"speaker_turns": tuple(whole)}), note)
