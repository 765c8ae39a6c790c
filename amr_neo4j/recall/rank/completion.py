"""Finds the events that an answer needs beyond the best-ranked ones.

A count needs every occurrence, a present state the latest changes, "between two events" everything in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.ports import EventReader
from amr_neo4j.domain.recall import Scope
from amr_neo4j.recall.evidence.changes import carried_things, possible_holders
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.rank.selection import ends
from amr_neo4j.recall.retrieve.anchors import MOST_NAMED, NAMED
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.retriever import Retriever

# Enough of an object's latest changes to know its present state.
LATEST = 20
# More than any action occurs. The full-text index (Lucene) is asked for this many at once.
EVERY = 10_000


def missing_events(
    parsed: ParsedQuestion,
    found: Sequence[Candidate],
    retriever: Retriever,
) -> list[int]:
    """Return the node_ids of the events that the answer needs and the rankings left out.

    If the ranking by names has fewer events than its limit, it is complete, and nothing more is read.
    """
    scope, reader, limits = retriever.scope, retriever.sources.reader, retriever.limits
    needed: Sequence[int] = ()
    if parsed.reference and parsed.until:
        pair = ends(parsed.reference, parsed.until, found)
        if pair:
            # Only the nearest by vector, because there may be thousands of events in a day between two others.
            between = _between(scope, pair[0].event, pair[1].event)
            needed = retriever.nearest(parsed, between, limits.max_visited)
    elif parsed.answer_type is AnswerType.HEADCOUNT:
        # Each visit counts, so all that has the noun is read, and all of the days that the question names.
        words = " ".join(word.word for word in parsed.main.search_terms if not word.vague)
        needed = retriever.nearest(parsed, scope, EVERY if parsed.span else limits.max_visited)
        needed = [*needed, *(node_id for node_id, _ in (reader.full_text(words, scope, EVERY) if words else ()))]
    elif parsed.answer_type is AnswerType.PERSON and parsed.order is Order.LAST and not parsed.main.persons:
        # "Who was seen last?" has no word that tells a person from the many things that came later.
        needed = reader.by_person("", scope, LATEST)
    elif Trait.OF_FILM in parsed.traits:
        needed = retriever.nearest(parsed, scope, limits.max_visited)
    elif parsed.main.objects:
        # The ranking by names reached its limit, so it may have cut off events.
        full = sum(NAMED in candidate.ranks for candidate in found) >= MOST_NAMED
        needed = _changes_of(parsed, scope, reader) if full else ()
    elif parsed.is_aggregate and (parsed.main.is_specific or not parsed.asks_for_all):
        # Without an object, the words are all there is to find every occurrence by.
        words = " ".join(word.word for word in parsed.main.search_terms if not word.vague)
        needed = [node_id for node_id, _ in reader.full_text(words, scope, EVERY)] if words else ()
    known = {candidate.node_id for candidate in found}
    return [node_id for node_id in needed if node_id not in known]


def moves_of_holders(
    parsed: ParsedQuestion,
    found: Sequence[Candidate],
    retriever: Retriever,
    with_places: Callable[[list[Candidate]], list[Candidate]],
) -> list[int]:
    """Return the node_ids of moves that are not found yet and that took the things asked for further.

    These are the moves of what holds the things. "Where is the passport?" needs the moves of the folder that it was
    put into, and of the suitcase that the folder was put into. No word of the question finds these.
    found: with the places of their recordings, which with_places sets.
    """
    scope, reader = retriever.scope, retriever.sources.reader
    known, asked = list(found), set[tuple[str, str]]()
    while chains := carried_things(parsed, known):
        # Most phrases of a place are no object of the memory, and need no read.
        names = (reader.last_vocabulary(scope) or reader.vocabulary(scope)).objects
        last = [(chain[-1].candidate.event.place, possible_holders(chain[-1])) for chain in chains]
        holders = {(place, name) for place, phrases in last for name in phrases & names} - asked
        if not holders:
            break
        asked |= holders
        # Each holder has its own limit: the many moves of one must not displace the only move of another.
        moves = {node_id for place, name in sorted(holders) for node_id in _moves_at(place, name, parsed, retriever)}
        new = sorted(moves - {candidate.node_id for candidate in known})
        read = [Candidate.found_alone(event, retriever.sources.language) for event in reader.events(new, scope)]
        known += with_places(read)
    ids = {candidate.node_id for candidate in found}
    carried = dict.fromkeys(change.candidate.node_id for chain in chains for change in chain)
    return [node_id for node_id in carried if node_id not in ids]


def _moves_at(place: str, name: str, parsed: ParsedQuestion, retriever: Retriever) -> list[int]:
    """Return the node_ids of the latest moves of an object, which include those at a place."""
    scope, reader, states = retriever.scope, retriever.sources.reader, _states(parsed, moved=True)
    moves = reader.life([name], states, scope, LATEST)
    if len(moves) < LATEST:
        return moves
    # Moves at other places may have displaced those at this one.
    videos = reader.videos_at([place], scope)
    return reader.life([name], states, replace(scope, video_ids=tuple(videos)), LATEST) if videos else moves


def _between(scope: Scope, start: Event, end: Event) -> Scope:
    # Within one video, seconds are always known. Between recordings only the wall clock can compare.
    if start.video_id == end.video_id and not start.turn:
        return replace(scope, video_ids=(start.video_id,), since=start.time_start, until=end.time_end)
    return replace(scope, since=start.at, until=end.at)


def _changes_of(parsed: ParsedQuestion, scope: Scope, reader: EventReader) -> Sequence[int]:
    things, language = parsed.main.objects, parsed.language
    if parsed.answer_type is AnswerType.ITINERARY:
        return reader.life(things, _states(parsed, moved=True), scope, EVERY)
    if parsed.is_aggregate:
        asked = [state for _, change in parsed.main.changes for state in language.states_meant(change)]
        return reader.life(things, [] if parsed.answer_type is AnswerType.DURATION else asked, scope, EVERY)
    if parsed.is_about_now:
        moved = parsed.answer_type in (AnswerType.PLACE, AnswerType.SIGHTING)
        return reader.life(things, _states(parsed, moved=moved), scope, LATEST)
    return []


def _states(parsed: ParsedQuestion, *, moved: bool) -> list[str]:
    """Return the states that verbs leave things in. moved: only those of verbs that move them."""
    verbs = parsed.language.known_verbs()
    return [verb.to_state for verb in verbs if verb.to_state and (verb.moves or not moved)]
