"""Finds which of the best turns were replaced by newer statements, and ranks the newer ones first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import product

from amr_neo4j.domain.event import Channel, Event, speaker_and_words
from amr_neo4j.domain.recall import Path, Replacement, Scope
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.recall.sources import Knowledge, Sources
from amr_neo4j.recall.weights import SCORING

# Corrections are looked for only after the best turns, at most this many.
MOST_CORRECTED = 3
# A correction comes at most this many turns later, counting the turns of the other speaker.
WITHIN = 6
# Takes what one speaker said, oldest first. Returns {index of the correcting turn: index of the corrected turn}.
Corrected = Callable[[Sequence[str]], Mapping[int, int]]
# Older and newer values are compared only among the best turns, at most this many.
COMPARED = 10
# The AROUND words on either side of a value say what it is a value of. Two turns state values of the same thing if
# they share at least SHARED of the question's words there.
AROUND, SHARED = 10, 2
# The words around a value are looked for within this many characters, so that a long text is not split as a whole.
_NEAR_CHARS = 20 * AROUND
_NEVER = datetime.max.replace(tzinfo=UTC)
# Values in quoted code are not statements.
_CODE = re.compile(r"```.*?(```|\Z)", re.DOTALL)
# Only this many of the best candidates can be cited, so replacements are looked for only among them.
LOOKED_AFTER = 20
# A newer turn gets this much more than the better score of the two, enough to sort just above both.
_ABOVE = 1e-6


def with_newest_first(
    parsed: ParsedQuestion, candidates: list[Candidate], then: Scope, sources: Sources, knowledge: Knowledge
) -> tuple[list[Candidate], Mapping[int, Replacement]]:
    """Return the candidates with the newest statements first, and {node_id of a replaced turn: its replacement}.

    then: the scope as of the time that the question asks for. If that time is the present, values that later turns
        restate or correct count, too.
    """
    best = best_first(candidates)[:LOOKED_AFTER]
    turns = [candidate.node_id for candidate in best if candidate.event.turn]
    if not turns:
        return candidates, {}
    question, beliefs, found = parsed.question.text, knowledge.beliefs, list[Replacement]()
    # For a time in the past, what was said later must not replace what was true then.
    if then == sources.scope:
        found += restated(parsed, best)
        if then.has_turns:
            found += contradictions([candidate.event for candidate in best], beliefs.contrary)
        if then.has_turns and beliefs.asks_for_value(question):
            found += corrections(best, partial(beliefs.corrected, question), sources)
    # Last, so that a replacement that memory has recorded overrides one inferred from the words.
    found += knowledge.replacements.of(turns, then)
    if not found:
        return candidates, {}
    return renewed(candidates, found, lambda node_ids: sources.reader.events(node_ids, sources.scope))


def contradictions(turns: Sequence[Event], contrary: Callable[[Sequence[str]], dict[int, int]]) -> list[Replacement]:
    """Return the replacements of turns by later ones of the same speaker that say the opposite.

    turns: best first; only the first few are compared.
    """
    speakers: dict[str, list[Event]] = {}
    for event in turns[:COMPARED]:
        if event.turn and event.at and not event.turn.by_assistant:
            speakers.setdefault(event.turn.actor, []).append(event)
    found: list[Replacement] = []
    for spoken in speakers.values():
        # Turns of one call have one time, and the node_ids of turns are negative (see said_id).
        spoken.sort(key=lambda event: (event.at or _NEVER, abs(event.node_id)))
        said = contrary([speaker_and_words(event.summary_text)[1] for event in spoken])
        for old, new in said.items():
            at = spoken[new].at or _NEVER
            found.append(Replacement(spoken[old].node_id, spoken[new].node_id, at, whole=True))
    return found


def corrections(ranked: Sequence[Candidate], corrected: Corrected, sources: Sources) -> list[Replacement]:
    """Return for each of the user's best turns the last turn that corrects it, if any.

    ranked: best first.
    """
    turns = [c.event for c in ranked if c.event.turn and not c.event.turn.by_assistant][:MOST_CORRECTED]
    found: list[Replacement] = []
    for stretch in _followed(turns, sources):
        # Index 0 is the turn itself, so the highest index that maps to 0 is its last correction.
        said = corrected([speaker_and_words(event.summary_text)[1] for event in stretch])
        last = stretch[max((place for place, first in said.items() if first == 0), default=0)]
        if last is not stretch[0] and last.at:
            found.append(Replacement(stretch[0].node_id, last.node_id, last.at, whole=True, inferred=True))
    return found


def _followed(turns: Sequence[Event], sources: Sources) -> list[list[Event]]:
    """Return for each turn a list: the turn, then the turns of the same speaker that follow in the session."""
    reader, scope = sources.reader, sources.scope
    chains = [[event.node_id] for event in turns]
    for _ in range(WITHIN):  # one read per hop, for all turns together
        ends = [chain[-1] for chain in chains]
        after = {edge.src: edge.dst for edge in reader.neighbours(ends, [Channel.TEMPORAL], scope)}
        growing = [chain for chain in chains if chain[-1] in after]
        for chain in growing:
            chain.append(after[chain[-1]])
        if not growing:
            break
    later = list(dict.fromkeys(node_id for chain in chains for node_id in chain[1:]))
    there = {event.node_id: event for event in (*turns, *(reader.events(later, scope) if later else ()))}
    stretches = [[there[node_id] for node_id in chain if node_id in there] for chain in chains]
    # The assistant's turns in between were needed to walk the chain, but they correct nothing.
    return [[event for event in stretch if _is_by(event, stretch[0])] for stretch in stretches]


def _is_by(event: Event, first: Event) -> bool:
    return bool(event.turn and first.turn and event.turn.actor == first.turn.actor)


@dataclass(frozen=True, slots=True)
class _Value:
    """A value with all forms of the words around it."""

    kind: str
    value: str
    around: frozenset[str]


def restated(parsed: ParsedQuestion, ranked: Sequence[Candidate]) -> list[Replacement]:
    """Return how a newer turn replaces the value that is asked for: the best turn that states it, and that newer one.

    Both turns are by the same speaker, who is not an assistant. Empty if the question asks for no current value, or
    if there is no such pair.

    ranked: best first.
    """
    if not parsed.language.asking.asks_for_a_current_value(parsed.question.text):
        return []
    turns = [c for c in ranked[:COMPARED] if c.event.turn and c.event.at and not c.event.turn.by_assistant]
    for place, older in enumerate(turns):
        for newer in turns[place + 1 :]:
            if _is_newer(newer, older) and _restates(parsed, newer, older) and newer.event.at:
                return [Replacement(older.node_id, newer.node_id, newer.event.at, whole=False, inferred=True)]
    return []


def _is_newer(newer: Candidate, older: Candidate) -> bool:
    one, other = newer.event, older.event
    if not (one.turn and other.turn and one.at and other.at) or one.turn.actor != other.turn.actor:
        return False
    is_later = (one.at, abs(one.node_id)) > (other.at, abs(other.node_id))
    return is_later and newer.score >= SCORING.restates * older.score


def _restates(parsed: ParsedQuestion, newer: Candidate, older: Candidate) -> bool:
    """Return whether both turns state a value of the same kind near the same words of the question.

    The newer turn's value must not be in the older turn.
    """
    before = _values_in(older.event.summary_text, older.language)
    known = {(each.kind, each.value) for each in before}
    words = [word.forms for word in parsed.whole.words]
    stated = _values_in(newer.event.summary_text, newer.language)
    added = [each for each in stated if (each.kind, each.value) not in known]
    return any(
        old.kind == new.kind and sum(bool(forms & old.around and forms & new.around) for forms in words) >= SHARED
        for new, old in product(added, before)
    )


@lru_cache(maxsize=2_000)
def _values_in(text: str, language: Language) -> tuple[_Value, ...]:
    """Return the values that a turn states."""
    said = _CODE.sub(" ", text)
    return tuple(
        _Value(value.kind, value.value, _around(said, value.start, value.end, language))
        for value in language.values_stated(said)
    )


def _around(text: str, start: int, end: int, language: Language) -> frozenset[str]:
    before = language.words_of(text[max(0, start - _NEAR_CHARS) : start])[-AROUND:]
    after = language.words_of(text[end : end + _NEAR_CHARS])[:AROUND]
    return frozenset[str]().union(*(language.forms(word) for word in [*before, *after]))


def renewed(
    candidates: Sequence[Candidate], replacements: Sequence[Replacement], read: Callable[[Sequence[int]], list[Event]]
) -> tuple[list[Candidate], Mapping[int, Replacement]]:
    """Return the candidates with each newer statement just above the one it replaced, and {old node_id: replacement}.

    A newer turn that was not retrieved, or that does not say what its value is about ("No, it is blue"), gets the
    ranks and scores of the older turn.

    read: returns the events with these node_ids.
    """
    there = {candidate.node_id: candidate for candidate in candidates}
    outdated = {each.old: each for each in replacements if each.old in there and _counts(each, there)}
    missing = [each.new for each in outdated.values() if each.new not in there]
    for event in read(missing) if missing else ():
        older = next(there[each.old] for each in outdated.values() if each.new == event.node_id)
        there[event.node_id] = replace(older, event=event, path=Path((event.node_id,), (), older.path.score))
    for each in outdated.values():
        if each.new in there:
            older, newer = there[each.old], there[each.new]
            best = max(older.score, newer.score)
            if each.is_correction:
                newer = replace(older, event=newer.event, corrects=older.event)
            there[each.new] = replace(newer, score=min(best + _ABOVE, 1.0))
    return list(there.values()), {old: each for old, each in outdated.items() if each.new in there}


def _counts(each: Replacement, there: Mapping[int, Candidate]) -> bool:
    if each.whole:
        return True
    newer = there.get(each.new)
    return newer is not None and newer.score >= SCORING.replaces * there[each.old].score
