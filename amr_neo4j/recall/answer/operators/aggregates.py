"""How often and how long: reckoned over everything that memory tells of it, each reckoning with its events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from amr_neo4j.domain.timestamps import lasting
from amr_neo4j.language.en.content import words_of
from amr_neo4j.language.en.sentences import times
from amr_neo4j.recall.answer.claim import Claim, happened, when
from amr_neo4j.recall.answer.operators.place import dated
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.occurrences import Occurrence, alone, occasions
from amr_neo4j.recall.evidence.state_intervals import StateInterval, spells
from amr_neo4j.recall.evidence.timeline import seconds_of
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion

# All of so many are told; of more the first and the last.
MOST = 5


def count(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """How often it was done: the number, and where."""
    found = occasions(parsed.main, chosen)
    if found:
        yield from _led(f"{times(len(found))}: ", _some([_time(occasion) for occasion in found]))


def duration(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """How long a thing was so, from state to state; else how long the events last in which it was done."""
    found = spells(parsed.main, chosen)
    if found:
        is_now = parsed.order is Order.LAST or not {"has", "have", "is", "are"}.isdisjoint(words_of(parsed.main.text))
        yield from _spelt(found[-1:] if is_now else found)
        return
    events = list(alone(occasions(parsed.main, chosen)))
    if events:
        often = f" in all, {times(len(events))}" if len(events) > 1 else ""
        yield from _led(
            f"{lasting(seconds_of(c.event for c in events))}{often}: ", _some([happened(c) for c in events])
        )


def _spelt(found: Sequence[StateInterval]) -> Iterator[Claim]:
    known = [spell.seconds for spell in found if spell.seconds is not None]
    if len(found) > 1 and known:
        [first, *rest] = [claim for spell in (found[0], found[-1]) for claim in _spell(spell)]
        lead = (
            f"{lasting(sum(known))} in all, {times(len(known))} from {lasting(min(known))} to {lasting(max(known))}"
        )
        yield from _led(f"{lead}; first and last ", [first, *rest])
    else:
        yield from _spell(found[-1])


def _spell(spell: StateInterval) -> Iterator[Claim]:
    begun = Claim(f"{dated(spell.begun)}", spell.begun.candidate)
    if spell.ended is None:
        yield replace(begun, text=f"nothing later says that it ended; {begun.text}")
    else:
        seconds = spell.seconds
        yield from _led(f"{lasting(seconds)}: " if seconds is not None else "nobody knows how long: ", [begun])
        yield Claim(f"{dated(spell.ended)}", spell.ended.candidate)


def _time(occasion: Occurrence) -> Claim:
    candidate = occasion.candidate
    return Claim(f"{when(candidate)}: {candidate.event.summary_text.rstrip('. ')}", candidate)


def _some(claims: list[Claim]) -> list[Claim]:
    if len(claims) <= MOST:
        return claims
    first, last = claims[0], claims[-1]
    return [replace(first, text=f"first {first.text}"), replace(last, text=f"last {last.text}")]


def _led(lead: str, claims: Sequence[Claim]) -> list[Claim]:
    return [replace(claims[0], text=lead + claims[0].text), *claims[1:]]
