"""Has a vision model analyse a clip (specification 000 I.2.2), and makes its reply consistent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from rapidfuzz.distance import LCSseq

from amr_neo4j.domain.analysis import AnalysedEvent, Character, ClipAnalysis, NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.chat import Attachment, Prompt
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import Places
from amr_neo4j.domain.video import Clip
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.dangling_ids import without_dangling_ids
from amr_neo4j.ingest.local_ids import id_key, ids_in, is_local_id, is_voice_id
from amr_neo4j.ingest.normalise import check_times, from_clip_start
from amr_neo4j.language.languages import Language
from amr_neo4j.prompts.library import Plain, prompt

# A character's id as the prompt gives them out.
_CHARACTER_ID = re.compile(r"C\d+")
# A model that is shown 000020000-000030000 takes it for the times that it is asked for, so digits become letters.
_LETTERS = str.maketrans("0123456789", "abcdefghij")


def analyse(
    clip: Clip, shown: Sequence[Attachment], heard: Sequence[SpeakerTurn], *, model: ChatModel, language: Language
) -> NotedAnalysis:
    """Return what happens in a clip, with times in seconds from its start.

    heard: the transcript (subtitles or speech recognition), in seconds from the clip's start. Turns that the reply
        leaves out are added to it.
    Raises ModelError.
    """
    # The difference of two floats may be 9.999999999999986, which would stand in the prompt.
    seconds = round(clip.t_end - clip.t_start, 3)
    written_in = Plain(language.written)
    asked = prompt(
        "analyse", clip=shown_as(clip.clip_id), seconds=seconds, language=written_in, heard=_lines(heard)
    ).showing(shown)
    analysis, slips = _asked_completely(asked, clip, model)
    # Models often count times from the video's start, although they are asked to count from the clip's.
    analysis, moved = from_clip_start(clip, analysis)
    noted = _with_unlisted(NotedAnalysis(_without_outside_ids(analysis), (*slips, *moved)), clip)
    return without_dangling_ids(_with_transcript(noted, heard, language), language)


class ClipReply(ClipAnalysis):
    """An analysis as a model writes it, which may lack its summary."""

    clip_summary: str = ""


def _asked_completely(asked: Prompt, clip: Clip, model: ChatModel) -> tuple[ClipAnalysis, tuple[str, ...]]:
    """Return the reply, and notes. One that lacks a key, or a person it refers to, is asked for once more.

    The second reply is kept as it is. If the second call fails, the first reply is kept.
    """
    first: list[ClipReply] = []

    def check(reply: ClipReply) -> None:
        # Times outside the clip are refused here, so that the model is asked once more.
        check_times(clip, reply)
        if not first and (why := _lacks(reply)):
            first.append(reply)
            raise ValueError(why)

    try:
        reply, notes = model.ask(asked, ClipReply, check=check)
    except ModelFailed as error:
        if not first:
            raise
        reply, notes = first[0], (f"{_lacks(first[0])}; asked for once more in vain: {error.message}"[:300],)
    return ClipAnalysis(**dict(reply)), notes


def _lacks(reply: ClipReply) -> str:
    """Return what a reply lacks, worded for the model; empty if it is complete."""
    keys = [name for name in ("clip_summary", "characters", "speaker_turns") if name not in reply.model_fields_set]
    lacking = [f"the key {name} is missing" for name in keys]
    return "; ".join(lacking + [f"{who} is not among characters" for who in _unlisted(reply)])


def _unlisted(analysis: ClipAnalysis) -> list[str]:
    """Return the local ids of actors and speakers (C2, S3) that stand for nobody in the analysis, in order."""
    known = {id_key(own) for each in analysis.characters for own in (each.local_character_id, each.speaker_id)}
    # A voice need not be a character: nobody may be seen to speak.
    known |= {id_key(turn.speaker_id) for turn in analysis.speaker_turns if is_voice_id(turn.speaker_id)}
    named: list[str] = []
    for event in analysis.events:
        named += [*event.actors, *(action.actor for action in event.actions)]
    named += [turn.speaker_id for turn in analysis.speaker_turns]
    parts = [part for who in named for part in ids_in(who, known)]
    # One spelling: "c2" and "C2" are one person.
    ids = dict.fromkeys(id_key(part).upper() for part in parts if is_local_id(part))
    return [who for who in ids if id_key(who) not in known]


def _with_unlisted(noted: NotedAnalysis, clip: Clip) -> NotedAnalysis:
    """Return the analysis with a character for each actor or speaker that it refers to and does not list.

    Nothing is known of such a person but what they do and say, so they are nobody outside of this clip.
    """
    people = tuple(
        Character(
            local_character_id=who,
            name_or_description=f"unnamed person {who}",
            # It begins with the key of the name, so that answers say the name and not the id.
            person_id=f"unnamed_person_{who.lower()}_{clip.clip_id}",
        )
        for who in _unlisted(noted.analysis)
        if _CHARACTER_ID.fullmatch(who)
    )
    notes = (f"{each.local_character_id} is not a listed character; kept as an unnamed person" for each in people)
    listed = noted.analysis.model_copy(update={"characters": (*noted.analysis.characters, *people)})
    return noted.but(listed, *notes) if people else noted


def shown_as(clip_id: str) -> str:
    """Return the clip's name in prompts, without digits that read as times."""
    return clip_id.translate(_LETTERS)


def _lines(heard: Iterable[SpeakerTurn]) -> str:
    said = (f"{t.time_start:.1f}-{t.time_end:.1f} s, {t.speaker_id or 'somebody'}: {t.utterance}" for t in heard)
    return "\n".join(said) or "nothing is known"


def _without_outside_ids(analysis: ClipAnalysis) -> ClipAnalysis:
    """Return the analysis without ids that the model cannot know."""
    # A model is shown one clip and no list of ids. Ids that it makes up could merge different people.
    people = tuple(person.model_copy(update={"person_id": "", "identity": ""}) for person in analysis.characters)
    turns = tuple(turn.model_copy(update={"identity": ""}) for turn in analysis.speaker_turns)
    return analysis.model_copy(update={"characters": people, "speaker_turns": turns})


def _with_transcript(noted: NotedAnalysis, heard: Sequence[SpeakerTurn], language: Language) -> NotedAnalysis:
    """Return the analysis with the turns of the transcript that the reply leaves out, in order of time, and a note
    on them.
    """
    turns = noted.analysis.speaker_turns
    missing = uncovered(heard, turns, language)
    if not missing:
        return noted
    whole = sorted((*turns, *missing), key=lambda turn: (turn.time_start, turn.time_end))
    note = f"speaker turns: {len(missing)} of {len(heard)} of the transcript are not in the reply; added"
    return noted.but(noted.analysis.model_copy(update={"speaker_turns": tuple(whole)}), note)


def complete_places(
    noted: NotedAnalysis,
    clip: Clip,
    shown: Callable[[], Sequence[Attachment]],
    *,
    model: ChatModel,
    language: Language,
) -> NotedAnalysis:
    """Add places to used objects that lack one, by a call that sees the clip again (specification 000 I.2.2.d).

    No call is made if no object lacks one.
    shown: makes the attachments for the model.
    Raises CostLimit.
    """
    events = list(noted.analysis.events)
    lacking = [(n, k) for n, event in enumerate(events) for k in _unplaced(event)]
    if not lacking:
        return noted
    things = "\n".join(f"{number}: {_thing(clip, events[n], k)}" for number, (n, k) in enumerate(lacking, start=1))
    seconds = round(clip.t_end - clip.t_start, 3)
    written_in = Plain(language.written)
    asked = prompt(
        "places", clip=shown_as(clip.clip_id), seconds=seconds, language=written_in, things=things
    ).showing(shown())
    try:
        reply, _ = model.ask(asked, Places)
    # Only here: the run must stop, while a clip without places is still worth keeping.
    except CostLimit:
        raise
    except ModelFailed as error:
        return noted.but(noted.analysis, f"places of {len(lacking)} things are not known: {error.message}")
    found = {each.number: each.spatial_description.strip() for each in reply.places}
    for number, (n, k) in enumerate(lacking, start=1):
        objects = list(events[n].objects)
        objects[k] = objects[k].model_copy(update={"spatial_description": found.get(number, "")})
        events[n] = events[n].model_copy(update={"objects": tuple(objects)})
    known = sum(bool(found.get(number)) for number in range(1, len(lacking) + 1))
    note = f"objects: {known} of {len(lacking)} places were asked for once more"
    return noted.but(noted.analysis.model_copy(update={"events": tuple(events)}), note)


def _unplaced(event: AnalysedEvent) -> list[int]:
    """Return the indices of objects that an action uses, if neither they nor the action have a place."""
    placed = {action.object.casefold() for action in event.actions if action.spatial_relation.strip()}
    used = {action.object.casefold() for action in event.actions} - placed
    things = enumerate(event.objects)
    return [k for k, thing in things if thing.name.casefold() in used and not thing.spatial_description.strip()]


def _thing(clip: Clip, event: AnalysedEvent, k: int) -> str:
    return f"{event.objects[k].name}, at {event.time_start - clip.t_start:g} s: {event.summary}"


# A reply may misplace a line by this many seconds. This share of the line's words must be there, in order.
_SECONDS_OFF, _COVERED = 1.0, 0.8


def uncovered(known: Sequence[SpeakerTurn], replied: Sequence[SpeakerTurn], language: Language) -> list[SpeakerTurn]:
    """Return the known turns whose words the reply lacks at their time. Both count times from the same second."""
    return [turn for turn in known if turn.utterance.strip() and not _is_covered(turn, replied, language)]


def _is_covered(turn: SpeakerTurn, replied: Sequence[SpeakerTurn], language: Language) -> bool:
    near = " ".join(other.utterance for other in replied if _gap(turn, other) <= _SECONDS_OFF)
    # A line of signs alone ("?!") has no words, so it is compared as it is.
    words = language.words_of(turn.utterance)
    if not words:
        return turn.utterance.strip() in near
    # The longest common subsequence, because a model splits and joins lines, but keeps the order of the words.
    return LCSseq.similarity(words, language.words_of(near)) >= _COVERED * len(words)


def _gap(one: SpeakerTurn, other: SpeakerTurn) -> float:
    """Return the seconds between two turns; negative if they overlap."""
    return max(one.time_start, other.time_start) - min(one.time_end, other.time_end)
