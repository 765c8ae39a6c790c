"""What a model says of a clip it is shown (seed 000, I.2.2), as an analysis that holds together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, SpeakerTurn, StatedAction, Told
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.video import Clip
from amr_neo4j.ingest.heard import untold
from amr_neo4j.ingest.normalise import check_times, from_clip_start, on_video_time
from amr_neo4j.ingest.people import is_local_id
from amr_neo4j.prompts.library import prompt

# A model that is shown 000020000-000030000 takes it for the times to tell.
_LETTERS = str.maketrans("0123456789", "abcdefghij")


def analyse(clip: Clip, shown: Sequence[Attachment], heard: Sequence[SpeakerTurn], model: ChatModel) -> Told:
    """What happens in a clip; times are seconds of the video.

    heard: what is known to be said in it (subtitles, a transcript), in seconds from its start; what of it the model
    leaves out is kept. Raises ModelError.
    """
    seconds = round(clip.t_end - clip.t_start, 3)
    asked = prompt("analyse", clip=shown_as(clip.clip_id), seconds=seconds, heard=_lines(heard)).showing(shown)
    analysis, slips = model.ask_leniently(asked, ClipAnalysis, check=partial(check_times, clip))
    analysis, moved = from_clip_start(clip, analysis)
    told = _with_known_words(Told(_own(analysis), (*slips, *moved)), heard)
    told = _without_dangling_ids(told)
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


def _with_known_words(told: Told, heard: Sequence[SpeakerTurn]) -> Told:
    """With the known turns that the model leaves out, in order of time, and a note of how many they are."""
    turns = told.analysis.speaker_turns
    kept = untold(heard, turns)
    if not kept:
        return told
    whole = sorted((*turns, *kept), key=lambda turn: (turn.time_start, turn.time_end))
    note = f"speaker turns: {len(kept)} of {len(heard)} known to be said are not in the reply; kept"
    return told.but(told.analysis.model_copy(update={"speaker_turns": tuple(whole)}), note)


def _without_dangling_ids(told: Told) -> Told:
    """Ids like C7 that stand for nobody the analysis lists are dropped, each with a note."""
    people = {person.local_character_id.strip() for person in told.analysis.characters}
    voices = {turn.speaker_id.strip() for turn in told.analysis.speaker_turns if turn.speaker_id.startswith("S")}
    check = _Ids(people | voices)
    turns = tuple(
        turn.model_copy(update={"speaker_id": check.known(turn.speaker_id, f"speaker turn {n}")})
        for n, turn in enumerate(told.analysis.speaker_turns, start=1)
    )
    events = tuple(check.event(event, f"event {n}") for n, event in enumerate(told.analysis.events, start=1))
    return told.but(told.analysis.model_copy(update={"speaker_turns": turns, "events": events}), *check.notes)


class _Ids:
    """Looks up local ids and keeps a note of each that stands for nobody."""

    def __init__(self, listed: set[str]) -> None:
        self._listed = listed
        self.notes: list[str] = []

    def known(self, who: str, where: str) -> str:
        """The id or name itself; empty for an id of nobody."""
        if is_local_id(who.strip()) and who.strip() not in self._listed:
            self.notes.append(f"{where}: {who.strip()} is nobody that the analysis lists; dropped")
            return ""
        return who

    def event(self, event: AnalysedEvent, where: str) -> AnalysedEvent:
        actors = tuple(filter(None, (self.known(actor, where) for actor in event.actors)))
        actions = tuple(self._action(action, where) for action in event.actions)
        return event.model_copy(update={"actors": actors, "actions": actions})

    def _action(self, action: StatedAction, where: str) -> StatedAction:
        return action.model_copy(update={"actor": self.known(action.actor, f"{where}, {action.verb}")})
