"""Has a chat model state the type of a question and what it names.

The reply is checked: a name counts only if memory knows it, a video or a time only if the question states it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import ceil, floor

from amr_neo4j.domain.ports import ChatModel, Names
from amr_neo4j.domain.replies import TypedQuestion
from amr_neo4j.errors import ModelFailed
from amr_neo4j.language.languages import Language
from amr_neo4j.language.time_expressions import NamedPosition, NamedTime, TimeExpressions
from amr_neo4j.prompts.library import prompt
from amr_neo4j.recall.question.parse import Typing
from amr_neo4j.recall.question.places import plain_name
from amr_neo4j.recall.trace import Notes


def type_by_model(
    text: str,
    names: Names,
    *,
    asked: str,
    model: ChatModel,
    videos: Callable[[], Collection[str]],
    notes: Notes,
    language: Language,
) -> Typing | None:
    """Return the question type that the model states, with the names in its reply; None if the model fails.

    names: the persons and objects that memory knows.
    asked: the question as it was typed. In `text` some videos may be replaced by "there".
    videos: returns the ids of the videos in scope. Called only if the reply names a video.
    """
    try:
        reply, _ = model.ask(prompt("typing", question=text), TypedQuestion)
    except ModelFailed as error:
        notes.did_without("text", error)
        return None
    persons = (language.person_key(name).person_id for name in reply.persons)
    objects = map(language.object_key, reply.objects)
    return Typing(
        reply.question_type,
        tuple(person for person in persons if person in names.persons),
        tuple(thing for thing in objects if thing in names.objects),
        _named_videos(reply, asked, videos(), notes) if reply.videos else (),
        _named_span(reply, text, notes, language.time_expressions),
    )


def _named_videos(reply: TypedQuestion, asked: str, known: Collection[str], notes: Notes) -> tuple[str, ...]:
    """Return the ids of the videos in the reply that are known and that the question names."""
    by_name = {plain_name(video): video for video in known}
    found: list[str] = []
    for name in reply.videos:
        video = by_name.get(plain_name(name))
        if video is None:
            notes.lines.append(notes.grammar.unknown_video_named(name))
        elif f" {plain_name(name)} " not in f" {plain_name(asked)} ":
            notes.lines.append(notes.grammar.video_not_in_question(name))
        else:
            found.append(video)
    return tuple(dict.fromkeys(found))


def _named_span(reply: TypedQuestion, text: str, notes: Notes, expressions: TimeExpressions) -> NamedTime | None:
    """Return the time span in the reply; None if it has none, or has seconds that the question does not name."""
    times = [time for time in (reply.time_start, reply.time_end) if time is not None]
    if not times:
        return None
    if not set(expressions.seconds_in(text)).issuperset(times):
        notes.lines.append(notes.grammar.seconds_not_in_question(times))
        return None
    # Rounded outwards, so that the span has every second that the model stated.
    since, until = reply.time_start, reply.time_end
    bounds = (None if since is None else float(floor(since)), None if until is None else float(ceil(until)))
    return NamedTime(position=NamedPosition(*bounds))
