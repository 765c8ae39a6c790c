"""What an answer needs of memory beyond the events that rank best: every time, the latest change, all in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.ports import EventReader
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.language.en.verbs import known_verbs, states_meant
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.rank.selection import ends
from amr_neo4j.recall.retrieve.anchors import NAMED

# Enough of the latest changes to know how a thing is now.
LATEST = 20
# Far more than anything was done in a life; what Lucene is asked for in one go.
EVERY = 10_000


def lacking(
    parsed: ParsedQuestion,
    found: Sequence[Candidate],
    scope: Scope,
    reader: EventReader,
    nearest: Callable[[Scope], Sequence[int]],
    limit: int,
) -> list[int]:
    """node_ids of the events that the answer needs and the rankings have left out.

    nearest: those of a narrower scope. limit: the most events that the rankings take of what a question names; with
    fewer, they have them all, and nobody is asked again.
    """
    needed: Sequence[int] = ()
    if parsed.reference and parsed.until:
        pair = ends(parsed.reference, parsed.until, found)
        needed = nearest(_between(scope, *(c.event for c in pair))) if pair else ()
    elif parsed.main.objects:
        full = sum(NAMED in candidate.ranks for candidate in found) >= limit
        needed = _of_things(parsed, scope, reader) if full else ()
    elif parsed.is_reckoned and parsed.main.sought and not parsed.asks_for_all:
        words = " ".join(word.word for word in parsed.main.sought if not word.vague)
        needed = [node_id for node_id, _ in reader.full_text(words, scope, EVERY)] if words else ()
    known = {candidate.node_id for candidate in found}
    return [node_id for node_id in needed if node_id not in known]


def _between(scope: Scope, start: Event, end: Event) -> Scope:
    if start.video_id == end.video_id and not start.turn:
        return replace(scope, video_ids=(start.video_id,), since=start.time_start, until=end.time_end)
    return replace(scope, since=start.at, until=end.at)


def _of_things(parsed: ParsedQuestion, scope: Scope, reader: EventReader) -> Sequence[int]:
    things, verbs = parsed.main.objects, known_verbs()
    if parsed.answer_type is AnswerType.ITINERARY:
        return reader.life(things, [verb.to_state for verb in verbs if verb.to_state and verb.moves], scope, EVERY)
    if parsed.is_reckoned:
        asked = [state for _, change in parsed.main.changes for state in states_meant(change)]
        return reader.life(things, [] if parsed.answer_type is AnswerType.DURATION else asked, scope, EVERY)
    if parsed.is_about_now:
        moved = parsed.answer_type in (AnswerType.PLACE, AnswerType.SIGHTING)
        states = [verb.to_state for verb in verbs if verb.to_state and (verb.moves or not moved)]
        return reader.life(things, states, scope, LATEST)
    return []


def at_home(candidates: Sequence[Candidate], videos: Mapping[str, Video]) -> list[Candidate]:
    """The candidates with the place where they were recorded, and by its wall clock; a turn knows its own."""
    return [
        candidate
        if candidate.event.turn
        else replace(candidate, event=_at_home(candidate.event, videos[candidate.event.video_id]))
        for candidate in candidates
    ]


def _at_home(event: Event, video: Video) -> Event:
    zone = video.recorded_at.tzinfo if video.recorded_at else None
    return replace(event, at=event.at.astimezone(zone) if event.at else None, place=video.home)
