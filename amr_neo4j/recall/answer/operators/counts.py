"""Answers how often something was done, and how many people or things there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import takewhile
from math import inf

from amr_neo4j.domain.video import is_track
from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown, event_claim, listed_claims
from amr_neo4j.recall.answer.operators.events import event
from amr_neo4j.recall.answer.operators.film import not_shown
from amr_neo4j.recall.evidence.occurrences import Occurrence, occurrences, times_of
from amr_neo4j.recall.evidence.premise import described_forms, lacks, nobody, unmet
from amr_neo4j.recall.evidence.watched import (
    MOST_WORDS_TO_NOUN,
    are_reports,
    at_an_end,
    at_once,
    deeds,
    is_watched,
    of_films,
    people_in,
    people_meant,
    shows,
    unseen,
    unseen_looks,
    untold_looks,
)
from amr_neo4j.recall.question.answer_types import Trait
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.question.time_ranges import counted_in
from amr_neo4j.recall.rank.selection import Evidence, best_match
from amr_neo4j.recall.retrieve.candidate import Candidate

# Somebody who was not seen for this many seconds pays another visit.
SAME_VISIT_SEC = 60.0
# How many words before a noun may say what colour it has, or that it is another one.
MOST_WORDS_BEFORE = 3
# Takes how often it was done, the first time in words, and {day: how often}.
Worded = Callable[[int, str, Mapping[date, int]], str]


def count(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer how often something was done, and when. If it never was, the best match is the nearest event."""
    return _count(parsed, evidence, parsed.language.grammar.counted)


def days(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer on how many days, nights or weekends something was done, otherwise as `count`."""
    unit, _ = parsed.language.asking.unit_counted(parsed.question.text)
    return _count(parsed, evidence, partial(parsed.language.grammar.days_counted, unit=unit), unit)


def _count(parsed: ParsedQuestion, evidence: Evidence, worded: Worded, unit: str = "day") -> Claims | Unknown:
    clause, verbs, asking = parsed.main, parsed.main.named_verbs, parsed.language.asking
    events = [c for c in evidence.events if not lacks(clause, c, nobody) and _date_of(c, unit)]
    if verbs and all(asking.arrives.fullmatch(word.word) for word in verbs):
        # Who came is seen there, whether an event says that they came or not.
        visits = [_Shown(c, _visitors(parsed, c), 0) for c in of_films(events)]
        begun, _ = _begun_visits([each for each in visits if each.people])
        if begun:
            return Claims(_counted(clause, begun, worded, unit))
    claims = count_claims(clause, events, worded, unit)
    if not claims:
        kin = [c for c in events if not unmet(parsed, clause, c).things]
        claims = count_claims(clause.with_kin, kin, worded, unit)
        lacking = tuple(word.word for word in verbs)
        return Unknown(Reason.IN_DOUBT, claims, unmet_words=lacking) if claims else no_occurrence(parsed, evidence)
    counted = [claim.rests_on for claim in claims]
    if is_watched(counted):
        claims = (claims[0].put_into("recognised"), *claims[1:])
    # "How often did the boy jump": the local analyser tells no boys from girls, so the count may be of others.
    lacking = unseen_looks(parsed, counted[0])
    return Unknown(Reason.IN_DOUBT, claims, unmet_words=lacking) if lacking else Claims(claims)


def no_occurrence(parsed: ParsedQuestion, evidence: Evidence) -> Unknown:
    """Report that it never happened, with the best match as the closest event.

    Captions and turns may tell of it in other words, so of them it is only said that they do not state it.
    """
    best = best_match(parsed.main, evidence.candidates)
    is_listed = best.event.lists_actions or best.is_report
    return Unknown(Reason.NO_OCCURRENCE if is_listed else Reason.NOT_STATED, (event_claim(best),))


def count_claims(clause: Clause, events: Sequence[Candidate], worded: Worded, unit: str = "day") -> tuple[Claim, ...]:
    """Return claims for the number of times and when they were; empty if there were none."""
    found = [time.candidate for time in times_of(occurrences(clause, events), clause)]
    return _counted(clause, found, worded, unit)


def _counted(clause: Clause, found: Sequence[Candidate], worded: Worded, unit: str) -> tuple[Claim, ...]:
    if not found:
        return ()
    grammar = clause.language.grammar
    every = [Claim(grammar.event_at(candidate.event), candidate) for candidate in found]
    [claim, *claims] = listed_claims(every)
    filmed = [candidate for candidate in found if not candidate.event.turn and candidate.event.at]
    on = Counter(filter(None, (_date_of(candidate, unit) for candidate in filmed)))
    number = sum(clause.language.repetitions(candidate.summary) for candidate in found)
    return (replace(claim, text=worded(number, claim.text, on)), *claims)


def _date_of(candidate: Candidate, unit: str) -> date | None:
    """Return the date of the day or other unit in which an event lies; None if it lies in none. Of a turn, any."""
    at = candidate.event.at
    if candidate.event.turn or (at is None and unit == "day"):
        return date.min
    return counted_in(at, unit) if at else None


def _visitors(parsed: ParsedQuestion, candidate: Candidate) -> frozenset[str]:
    """Return the people of an event whose coming a question asks for: those it names, else those it describes."""
    if parsed.main.persons:
        return frozenset(parsed.main.persons).intersection(candidate.people)
    return frozenset() if unmet(parsed, parsed.main, candidate).things else people_in(candidate)


def headcount(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer how many there are: the most that are seen at once, and in how many visits (_visits).

    For reports of the local analyser, the number is the most that one event shows. For people, the answer also has
    how many different ones were seen. If the question has a deed, it has how many did it. The number is a lower
    bound, because an event names the people it is about and not everybody in view.
    """
    films = of_films(evidence.found)
    if not films:
        return event(parsed, evidence)
    if not are_reports(films):
        return _visits(parsed, evidence, at_an_end(parsed, films))
    films = at_an_end(parsed, films)
    if deeds(parsed):
        return _of_deeds(parsed, evidence, films)
    of_people = _of_people(parsed)
    forms = _forms_counted(parsed)
    fitting = [c for c in films if _is_meant(parsed, c)]
    counts = [(_people_at_once(parsed, c) if of_people else at_once(forms, c), c) for c in fitting]
    most, best = max(counts, key=lambda counted: counted[0], default=(0, films[0]))
    if not most:
        return not_shown(parsed, evidence, films)
    claim = event_claim(best)
    people = [people_meant(parsed, c) for c in fitting] if of_people else []
    # A report may count people that it does not name ("three people"), so each event adds those beyond its names.
    unnamed = [number - len(who) for (number, _), who in zip(counts, people, strict=False)]
    in_all = len(frozenset[str]().union(*people)) + sum(unnamed)
    # Two bounds: the fewest people who explain what was seen, and the number if nobody was seen twice.
    by_looks = _by_looks(parsed, fitting) + max(unnamed, default=0)
    said = parsed.language.grammar.counted_in_view(most, by_looks, in_all, claim.text)
    return Claims((replace(claim, text=said),))


def things_counted(parsed: ParsedQuestion, found: Sequence[Candidate]) -> Claims | None:
    """Claim to how many things a deed was done ("How many parcels did Ben sign for?"): their sum over its times.

    Returns None if no event of a film tells of the deed done to such a thing. The number is a lower bound, because
    captions need not tell of every time.
    """
    nouns = _noun_counted(parsed)
    if not (nouns and deeds(parsed)) or not parsed.language.asking.measures.isdisjoint(nouns):
        return None
    doing = [c for c in of_films(found) if not (c.is_report or unmet(parsed, parsed.main, c).words)]
    numbers = {c.node_id: _numbers_stated(_forms_counted(parsed), c) for c in doing}
    done = times_of(occurrences(parsed.main, doing), parsed.main)
    times = [each.candidate for each in done if any(numbers[each.candidate.node_id])]
    if not times:
        return None
    [claim, *claims] = listed_claims([event_claim(candidate) for candidate in times])
    new, known = zip(*(numbers[candidate.node_id] for candidate in times), strict=True)
    total = max(sum(new), *known)
    said = parsed.language.grammar.counted_visits(total, 0, 1, claim.text)
    return Claims((replace(claim, text=said), *claims))


def _numbers_stated(forms: frozenset[str], candidate: Candidate) -> tuple[int, int]:
    """Return how many new things of a kind the text of an event states, and how many that may be known.

    "Lemons" states none; "a window" and "two windows" are new, "the two windows" may be known.
    """
    language, words = candidate.language, candidate.language.words_of(candidate.summary)
    new = known = 0
    for place, word in enumerate(words):
        if forms.isdisjoint(language.forms(word)):
            continue
        in_reverse = reversed(words[max(0, place - MOST_WORDS_TO_NOUN) : place])
        before = list(takewhile(lambda each: each not in language.asking.taken_from, in_reverse))
        stated = next((number for each in before if (number := language.number(each)) is not None), None)
        number = int(language.object_key(word) == word) if stated is None else stated
        determiner = next(filter(language.is_determiner, before), "")
        if determiner in language.asking.new_things or (stated is not None and not determiner):
            new += number
        else:
            known += number
    return new, known


@dataclass(frozen=True)
class _Shown:
    """What an event shows of what is counted.

    people: their ids.
    others: how many it shows beyond those.
    colours: the colours of those others, if the event states them ("a red car").
    another: the event says that it is another one.
    """

    candidate: Candidate
    people: frozenset[str]
    others: int
    colours: frozenset[str] = frozenset()
    another: bool = False


def _visits(parsed: ParsedQuestion, evidence: Evidence, films: Sequence[Candidate]) -> Claims | Unknown:
    """Answer how many were seen at once, and how many visits there were. One person may have made several visits.

    A person or thing begins a visit when an event shows them and they were not seen there shortly before.
    """
    found = [_shown(parsed, candidate) for candidate in films if _is_visit(parsed, candidate)]
    shown = [each for each in found if each.people or each.others]
    if not shown:
        return not_shown(parsed, evidence, films, _noun_counted(parsed))
    return _said_of_visits(shown, parsed)


def _said_of_visits(shown: Sequence[_Shown], parsed: ParsedQuestion) -> Claims:
    """Claim how many were seen at once, and how many visits there were. shown: chronological, at least one."""
    visits, number = _begun_visits(shown)
    people = {(who, _is_named(each.candidate, who)) for each in shown for who in each.people}
    named = sum(is_named for _, is_named in people)
    are_all_named = named == len(people) and not any(each.others for each in shown)
    grammar = parsed.language.grammar
    [claim, *claims] = listed_claims([event_claim(candidate) for candidate in visits])
    if are_all_named:
        said = grammar.counted_by_name(named, number, claim.text)
    else:
        said = grammar.counted_visits(_most_at_once(shown), named, number, claim.text)
    return Claims((replace(claim, text=said), *claims))


def shows_counted(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> bool:
    """Return whether films show anything that is counted, rather than only mention it."""
    if Trait.OVER_ALL in parsed.traits:
        return True  # events are counted, not what they show
    if not parsed.language.asking.measures.isdisjoint(_noun_counted(parsed)):
        return False  # nobody can see miles or euros
    films = of_films(candidates)
    shown = (_shown(parsed, candidate) for candidate in films)
    return are_reports(films) or any(each.people or each.others for each in shown)


def _shown(parsed: ParsedQuestion, candidate: Candidate) -> _Shown:
    if _of_people(parsed):
        people = people_meant(parsed, candidate)
        return _Shown(candidate, people, _people_at_once(parsed, candidate) - len(people))
    forms = _forms_counted(parsed)
    # A question for vehicles counts vans too.
    forms = forms.union(*(candidate.language.kin(form) for form in forms))
    in_objects = not described_forms(candidate).isdisjoint(forms)
    asking, before = parsed.language.asking, _words_before(forms, candidate)
    colours = frozenset(word for word in before if asking.is_colour(word))
    another = any(asking.others.fullmatch(word) for word in before)
    return _Shown(candidate, frozenset(), at_once(forms, candidate) or int(in_objects), colours, another)


def _words_before(forms: frozenset[str], candidate: Candidate) -> list[str]:
    """Return the words right before the nouns of these forms in an event's summary: "another", "red"."""
    words = candidate.language.words_of(candidate.summary)
    nouns = [place for place, word in enumerate(words) if not forms.isdisjoint(candidate.language.forms(word))]
    return [word for place in nouns for word in words[max(place - MOST_WORDS_BEFORE, 0) : place]]


def _is_visit(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event shows what is counted, and does what the question says beyond coming into view."""
    asking = parsed.language.asking
    acting = [word for word in deeds(parsed) if not asking.arrives.fullmatch(word.word)]
    if acting:
        return shows(parsed, candidate)
    return not asking.denied.search(candidate.summary) and _is_meant(parsed, candidate)


def _begun_visits(shown: Sequence[_Shown]) -> tuple[list[Candidate], int]:
    """Return (the events in which a visit begins, how many visits there are).

    Each track is a visit. A caption rarely says which car it means, so a car that is shown again soon is taken for
    the same: a parked car in ten captions is one visit. It is a new visit if the caption says "another car", or gives
    it another colour.
    """
    begins: list[Candidate] = []
    number, seen = 0, list[_Seen]()
    for each in shown:
        event_ = each.candidate.event
        of_tracks = each.others if any(map(is_track, event_.clip_ids)) else 0
        here = [one for one in seen if one.video_id == event_.video_id]
        here = [one for one in here if event_.time_start - one.until <= SAME_VISIT_SEC]
        again = [one for one in here if one.who in each.people]
        things = [one for one in here if not one.who and one.may_be(each.colours)]
        again += [] if each.another else things[: each.others - of_tracks]
        known = {one.who for one in again}
        new = [_Seen(event_.video_id, who=who) for who in each.people if who not in known]
        others = each.others - of_tracks - sum(not one.who for one in again)
        new += [_Seen(event_.video_id) for _ in range(others)]
        for one in (*again, *new):
            one.until = max(event_.time_end, one.until)
            one.colours = one.colours or each.colours
        seen += new
        if new or of_tracks:
            begins.append(each.candidate)
        number += len(new) + of_tracks
    return begins, number


@dataclass
class _Seen:
    """Somebody or something that is visiting.

    who: the id of a person; empty for a thing.
    until: when it was last seen, in seconds of the video.
    """

    video_id: str
    who: str = ""
    colours: frozenset[str] = frozenset()
    until: float = -inf

    def may_be(self, colours: frozenset[str]) -> bool:
        """Return whether a thing of these colours may be this one. A thing without known colours may be any."""
        return not (self.colours and colours) or not self.colours.isdisjoint(colours)


def _most_at_once(shown: Sequence[_Shown]) -> int:
    """Return the most that are seen at one moment by one camera.

    The events of one clip may describe the same, so only the fullest of them counts; another clip at the same moment
    is another track.
    """
    of_video: dict[str, list[_Shown]] = defaultdict(list)
    for each in shown:
        of_video[each.candidate.event.video_id].append(each)
    most = 0
    for video in of_video.values():
        going: list[_Shown] = []
        for each in sorted(video, key=lambda each: each.candidate.event.time_start):
            start = each.candidate.event.time_start
            going = [other for other in going if other.candidate.event.time_end > start] + [each]
            others: Counter[tuple[str, ...]] = Counter()
            for other in going:
                # The union of Counters keeps the higher number.
                others |= Counter({other.candidate.event.clip_ids: other.others})
            most = max(most, len(frozenset[str]().union(*(other.people for other in going))) + others.total())
    return most


def _is_named(candidate: Candidate, who: str) -> bool:
    return candidate.language.person_key(candidate.people[who]).is_name


def _forms_counted(parsed: ParsedQuestion) -> frozenset[str]:
    """Return the forms of the noun that is counted."""
    return frozenset[str]().union(*map(parsed.language.forms, _noun_counted(parsed)))


def _noun_counted(parsed: ParsedQuestion) -> tuple[str, ...]:
    counted = parsed.language.asking.counted.search(parsed.main.text)
    return tuple(parsed.language.words_of(counted[0])[-1:]) if counted else ()


def _of_deeds(parsed: ParsedQuestion, evidence: Evidence, films: Sequence[Candidate]) -> Claims | Unknown:
    """Answer how many people did it; people who look alike count as one."""
    fitting = [c for c in films if _is_meant(parsed, c) and not lacks(parsed.main, c, nobody)]
    done = occurrences(parsed.main, fitting)
    if not done:
        return not_shown(parsed, evidence, films)
    grammar = parsed.language.grammar
    claims = [Claim(grammar.event_at(each.candidate.event), each.candidate) for each in done]
    [claim, *claims] = listed_claims(claims)
    return Claims((replace(claim, text=grammar.counted_by_looks(len(done), _actors(done), claim.text)), *claims))


def _is_meant(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event has what is counted. A sex or an age is ignored, because no report states it."""
    return set(untold_looks(parsed, candidate)).issuperset(unseen(parsed, candidate))


def _people_at_once(parsed: ParsedQuestion, candidate: Candidate) -> int:
    """Return how many people an event shows.

    People who look alike share one name ("two people in a black top"), and "two children" may have none, so a number
    in the text counts if it is higher than the number of names.
    """
    # If only some people are meant, the number in the text ("three people") may count the others too.
    people, everybody = people_meant(parsed, candidate), people_in(candidate)
    if people != everybody:
        return len(people)
    language = candidate.language
    words = language.words_of(candidate.summary.partition(":")[0])
    nouns = [language.forms(word) for word in words if language.asking.anybody.fullmatch(word)]
    if any(word.describes_person and word.word in _noun_counted(parsed) for word in parsed.main.words):
        nouns.append(_forms_counted(parsed))
    return max(len(people), at_once(frozenset[str]().union(*nouns), candidate, words))


def _by_looks(parsed: ParsedQuestion, films: Iterable[Candidate]) -> int:
    """Return how many people there are by their looks: of each look, the most people who had it in one event."""
    most: Counter[str] = Counter()
    for candidate in films:
        # The union of Counters keeps the higher count of each look.
        most |= Counter(candidate.people[who] for who in people_meant(parsed, candidate))
    return most.total()


def _actors(done: Sequence[Occurrence]) -> int:
    return len({each.action.actor for each in done if each.action}) or len(done)


def _of_people(parsed: ParsedQuestion) -> bool:
    anybody = parsed.language.asking.anybody.search(parsed.main.text)
    return bool(anybody) or any(word.describes_person for word in parsed.main.words)
