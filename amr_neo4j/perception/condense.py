"""Fewer, better events: one for each stay of somebody in a clip, and one for what several do together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.happenings import STAY, Happening
from amr_neo4j.perception.track import Track

TOGETHER = 1.5
"""Seconds between the starts of two happenings up to which they are one: two people enter."""
CROWD = 3
"""People in a clip from which on it is not reported who stays beside whom."""
_STAYS = (STAY, "stay beside", "approach")
_AT_ONCE = ("enter", "leave", "cross", "appear")
_ALL_ALONG = ("move", STAY)
_OF_A_COURSE = ("enter", "leave", "move", STAY)


def condensed(happenings: Sequence[Happening]) -> list[list[Happening]]:
    """Those that are one event together, in order of time: mostly one each."""
    people = {who for each in happenings if (who := _walker(each)) and who.kind is Kind.PERSON}
    if len(people) >= CROWD:
        happenings = [_in_a_crowd(each) for each in happenings if not _is_lost(each)]
    single = _courses(happenings)
    groups: list[list[Happening]] = []
    for each in sorted(single, key=lambda each: each.t_start):
        group = next((group for group in reversed(groups) if _belongs(each, group)), None)
        if group is None:
            groups.append([each])
        elif all(_walker(other) is not _walker(each) for other in group):
            group.append(each)
    return groups


def _is_lost(what: Happening) -> bool:
    """Whether somebody is only lost from view: in a crowd one walks behind another."""
    return what.verb == "disappear" and what.actor is not None


def _in_a_crowd(what: Happening) -> Happening:
    """A stay beside another person as a stay."""
    beside = what.subject is not None and what.subject.kind is Kind.PERSON
    if what.verb in _STAYS and what.actor and beside:
        return replace(what, verb=STAY, subject=None, actor_side="", position=what.position)
    return what


def _courses(happenings: Sequence[Happening]) -> list[Happening]:
    """With one for each who came and left within the clip, in place of their coming, staying and leaving."""
    came = {_walker(each): each for each in happenings if each.verb == "enter"}
    left = {_walker(each): each for each in happenings if each.verb == "leave"}
    crossings: dict[Track, Happening] = {}
    for who, first in came.items():
        last = left.get(who)
        if who and last and first.origin != last.goal and first.t_start <= last.t_start:
            crossings[who] = replace(first, verb="cross", goal=last.goal, t_end=last.t_end)
    kept = [each for each in happenings if not _is_part(each, crossings)]
    return [*kept, *crossings.values()]


def _is_part(what: Happening, crossings: Iterable[Track]) -> bool:
    """Whether it is reported by somebody's whole course: all that is no dealing with a thing."""
    alone = what.subject is None or what.actor is None
    return any(who is _walker(what) for who in crossings) and alone and what.verb in _OF_A_COURSE


def _walker(what: Happening) -> Track | None:
    """Whose course it is: a person's, or that of what moves by itself."""
    return what.actor or (None if what.by_hand else what.subject)


def _belongs(what: Happening, group: Sequence[Happening]) -> bool:
    first, last = group[0], group[-1]
    of_one_kind = what.verb == first.verb and _kind(what) is _kind(first) is not None
    if not of_one_kind or (what.actor and what.subject) or (first.actor and first.subject):
        return False
    if what.verb in _ALL_ALONG:
        return what.t_start <= max(each.t_end for each in group)
    if what.verb not in _AT_ONCE or (what.origin, what.goal) != (first.origin, first.goal):
        return False
    return what.t_start - last.t_start <= TOGETHER


def _kind(what: Happening) -> Kind | None:
    who = _walker(what)
    return who.kind if who and who.kind in (Kind.PERSON, Kind.UNNAMED) else None
