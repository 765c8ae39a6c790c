"""Selects the events that a question means: the best-ranked ones, or those at a certain place in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.recall.evidence.changes import told_states
from amr_neo4j.recall.evidence.occurrences import events_of, is_going_on, matching, occasions, occurrences, times_of
from amr_neo4j.recall.evidence.premise import lacks, of_other_owners, unmet
from amr_neo4j.recall.evidence.timeline import Timeline, chronological, overlaps, seconds_between
from amr_neo4j.recall.evidence.watched import is_heard
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.rank.score import relevance
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.recall.weights import SCORING


@dataclass(frozen=True)
class SelectedEvents:
    """The events that a question means.

    events: the events that may answer, the likeliest first.
    reference: the event that the question counts time from, or None.
    until: the event that it counts time up to, or None.
    """

    events: Sequence[Candidate]
    reference: Candidate | None = None
    until: Candidate | None = None


@dataclass(frozen=True)
class Evidence:
    """What an answer may be based on.

    selection: the events that the question means.
    candidates: the events that may answer, best first; at least one.
    found: everything that may be relevant; its best events are listed after those that the answer cites.
    """

    selection: SelectedEvents
    candidates: Sequence[Candidate]
    found: Sequence[Candidate]

    @property
    def events(self) -> Sequence[Candidate]:
        """The events that may answer, the likeliest first."""
        return self.selection.events


def evidence_for(parsed: ParsedQuestion, candidates: Sequence[Candidate], found: Sequence[Candidate]) -> Evidence:
    """Collect the evidence for an answer.

    candidates: the events that may answer, best first, at least one.
    found: everything that may be relevant, which counts and durations are taken over; empty: `candidates`.
    """
    found = found or candidates
    # "What happened right after ...": any event may be the answer, however low it ranks.
    beside_any = parsed.reference and not parsed.main.is_specific
    return Evidence(select(parsed, found if parsed.is_aggregate or beside_any else candidates), candidates, found)


def best_match(clause: Clause, candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the best score among those that match most of a clause.

    candidates: at least one.
    """
    return best_first(matching(clause, candidates))[0]


def done_by_asker(parsed: ParsedQuestion, clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without what others than the user did in films, if the user acts in a clause.

    "Who poured me tea?" asks for what others did.
    """
    askers = parsed.askers
    if not (askers and parsed.language.asker_acts(clause.text)):
        return list(candidates)
    return [each for each in candidates if each.event.turn or not each.doing or not askers.isdisjoint(each.people)]


def select(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> SelectedEvents:
    """Select the events that a question means. candidates: at least one."""
    if parsed.reference and parsed.until:
        return _between(parsed, parsed.reference, parsed.until, candidates)
    if parsed.reference:
        return _beside_reference(parsed, parsed.reference, candidates)
    if parsed.asks_for_sound:
        candidates = [each for each in candidates if is_heard(parsed, each)] or candidates
    if parsed.either:
        return SelectedEvents([c for clause in parsed.either for c in _at_an_end(parsed, clause, candidates)])
    if parsed.nth:
        return SelectedEvents(_nth_time(parsed, candidates))
    if Trait.OVER_ALL in parsed.traits:
        return SelectedEvents(candidates)
    if parsed.asks_for_all:
        events = chronological(matching(parsed.main, candidates))
    else:
        events = _likeliest_first(parsed, candidates)
    return SelectedEvents(events)


def _nth_time(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the event of the time that is meant, as a list; empty if there are fewer."""
    done = occurrences(parsed.main, candidates)
    if parsed.nth < 0:
        over = _occasions_over(parsed, parsed.main, [each.candidate for each in done])
        return [over[parsed.nth][0]] if len(over) >= -parsed.nth else []
    times = times_of(done, parsed.main)
    # If there are too few occasions, the question may count captions that were joined to one occasion.
    times = times if len(times) >= parsed.nth else done
    return events_of(times[parsed.nth - 1 :][:1])


def _at_an_end(parsed: ParsedQuestion, clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the first or last event that has what a clause names, as a list; empty if there is none.

    Events that also do what is asked come before those that do not.
    """
    having = [c for c in candidates if not unmet(parsed, clause, c).things]
    verbs, arrives = parsed.main.named_verbs, parsed.language.asking.arrives
    # Whoever is seen has come, even if no event says so. So for "Who came first?" any event will do.
    came = parsed.order is Order.FIRST and all(arrives.fullmatch(word.word) for word in verbs)
    doing = [] if came else [c for c in having if not unmet(parsed, parsed.main, c).verbs]
    return chronological(doing or having, latest_first=parsed.order is Order.LAST)[:1]


def _likeliest_first(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the likeliest candidates first.

    They are sorted by time if the first, the last or an object's present state is asked for, else by how well they
    fit. Of what will be, only words can tell, so what is said comes first.
    """
    order = parsed.order or (Order.LAST if parsed.is_about_now and parsed.main.objects else None)
    if order:
        fitting = _fitting(parsed, candidates)
        if parsed.order is Order.LAST:
            return _last_time_first(parsed, parsed.main, fitting)
        return chronological(fitting, latest_first=order is Order.LAST)
    said = [c.node_id for c in matching(parsed.main, candidates) if c.event.has_words] if parsed.is_of_future else []
    return sorted(candidates, key=lambda c: (c.node_id not in said, -relevance(c, parsed.main), c.node_id))


def _last_time_first(parsed: ParsedQuestion, clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the events that match a clause, the latest first, without what still goes on at the question."""
    over = _occasions_over(parsed, clause, candidates)
    return [candidate for each in reversed(over) for candidate in reversed(each)]


def _occasions_over(
    parsed: ParsedQuestion, clause: Clause, candidates: Sequence[Candidate]
) -> Sequence[Sequence[Candidate]]:
    """Return the occasions of a clause in order, without what still goes on at the question if there are others."""
    times = occasions(chronological(candidates), clause)
    return [each for each in times if not is_going_on(each, clause, parsed.asked_at)] or times


def _fitting(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    if parsed.asks_for_sound:
        return [candidate for candidate in candidates if is_heard(parsed, candidate)]
    if parsed.answer_type is AnswerType.CONTENTS:
        # Keep all: an event that does not name the table may have taken a thing from it.
        return candidates
    # "Is the fridge open" needs the event that closed it, which does not have the effect that the question names.
    by_effect = parsed.answer_type is not AnswerType.STATE
    if parsed.order in (Order.FIRST, Order.LAST) and parsed.main.named_verbs and not parsed.main.action_words:
        # "Who leaves first?": a verb of coming or going is vague, so matching() ignores it, but here it is all there
        # is.
        candidates = [c for c in candidates if not unmet(parsed, parsed.main, c).verbs] or candidates
    clause = parsed.main
    if parsed.is_about_now and clause.owners:
        # Whoever finds Anna's keys need not be told to find hers.
        clause = clause.without_owners
        candidates = [c for c in candidates if not lacks(parsed.main, c, of_other_owners)] or candidates
    found = matching(clause, candidates, by_effect=by_effect)
    if by_effect:
        return found
    # "The back door is closed again" has no action, and so matches the question worse than an action does.
    return [c for c in candidates if c in found or any(told_states(clause, c))]


def _beside_reference(parsed: ParsedQuestion, clause: Clause, candidates: Sequence[Candidate]) -> SelectedEvents:
    """Select the events before, after or during the event that the reference means, the nearest first."""
    fitting = _fitting(parsed, candidates)
    timeline, numbers = Timeline([c.event for c in fitting]), np.array([c.node_id for c in fitting], np.int64)
    # The reference may fit several events equally well ("after Anna took a cup"). The one with the nearest answer
    # wins.
    meant = done_by_asker(parsed, clause, candidates)
    in_time = [c for c in meant if overlaps(c.event, c.event, parsed.reference_ranges)]
    origins = _at_its_end(parsed, clause, _best_fitting(clause, in_time))
    sides = [(c, _seconds_away(parsed.order, c, numbers, timeline)) for c in origins]
    # The node_id breaks ties, so that min() never compares two candidates.
    near = [(away.min(), -relevance(c, clause), c.node_id, c, away) for c, away in sides if np.isfinite(away).any()]
    if not near:
        return SelectedEvents([])
    *_, origin, away = min(near)
    beside = [(seconds, c.node_id, c) for seconds, c in zip(away.tolist(), fitting, strict=True) if isfinite(seconds)]
    return SelectedEvents([candidate for *_, candidate in sorted(beside)], origin)


def _at_its_end(parsed: ParsedQuestion, clause: Clause, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return only the first or the last candidate if the clause says so ("after the first cut"), else all."""
    ends = clause.language.asking.ends
    if ends[Order.FIRST.name].search(clause.text):
        return chronological(candidates)[:1]
    if ends[Order.LAST.name].search(clause.text):
        return _last_time_first(parsed, clause, candidates)[:1]
    return candidates


def _best_fitting(clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the events that a clause of time may mean: all that fit it nearly as well as the best one."""
    fit = [relevance(c, clause) for c in candidates]
    enough = SCORING.near_best * max(fit, default=0.0)
    return [c for c, fits in zip(candidates, fit, strict=True) if fits >= enough]


def _between(parsed: ParsedQuestion, start: Clause, end: Clause, candidates: Sequence[Candidate]) -> SelectedEvents:
    """Select the events between two events, in chronological order."""
    found = ends(start, end, candidates)
    if not found:
        return SelectedEvents([])
    known = {c.node_id for c in found}
    inside = [c for c in candidates if c.node_id not in known and _lies_between(c, *found)]
    return SelectedEvents(chronological(matching(parsed.main, inside)), *found)


def ends(start: Clause, end: Clause, candidates: Sequence[Candidate]) -> tuple[Candidate, Candidate] | None:
    """Return (start, end), the two events that the clauses may mean and that follow each other most closely."""
    later = sorted(_meant_by(end, candidates), key=attrgetter("node_id"))
    timeline = Timeline([candidate.event for candidate in later])
    near: list[tuple[float, int, Candidate, Candidate]] = []
    for earlier in _meant_by(start, candidates) if later else ():
        gaps = timeline.seconds_from(earlier.event)
        # Events that do not lie after `earlier` get an infinite gap, so that argmin never picks them.
        nearest = int(np.where(gaps > 0, gaps, inf).argmin())
        if gaps[nearest] > 0:
            near.append((gaps.item(nearest), earlier.node_id, earlier, later[nearest]))
    return min(near)[2:] if near else None


def _meant_by(clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the events in which the deed of a clause is done; if there are none, those that fit best."""
    return events_of(occurrences(clause, candidates)) or _best_fitting(clause, candidates)


def _lies_between(candidate: Candidate, start: Candidate, end: Candidate) -> bool:
    # Events without a common timeline cannot be shown to lie between.
    after, before = seconds_between(start.event, candidate.event), seconds_between(candidate.event, end.event)
    return after is not None and before is not None and after >= 0 and before >= 0


def _seconds_away(
    order: Order | None, origin: Candidate, numbers: npt.NDArray[np.int64], timeline: Timeline
) -> npt.NDArray[np.floating[Any]]:
    """Return how many seconds each candidate is from `origin`; infinite if it is not on the asked side of it.

    numbers: the candidates' node_ids, in the order of the timeline.
    """
    gaps = timeline.seconds_from(origin.event)
    elsewhere = np.isnan(gaps)
    if order is Order.BEFORE:
        elsewhere |= ~(gaps < 0)
    elif order is Order.AFTER:
        # Gap 0 counts as after: what follows at once may begin in the same second. The origin itself does not.
        elsewhere |= ~(gaps >= 0) | (numbers == origin.node_id)
    return np.where(elsewhere, inf, abs(gaps))
