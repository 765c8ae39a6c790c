"""Which events of a video are one continuous event, and what they are together (seed 000, part 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from amr_neo4j.domain.event import EventDraft, Involvement, Use
from amr_neo4j.domain.ports import Vectors

Item = TypeVar("Item")


@dataclass(frozen=True)
class MergeLimits:
    """gap_sec: the longest time between two events. similarity: the cosine that they must be over.

    recent: how many of a video's latest events a new one is compared with.
    """

    gap_sec: float = 2.0
    similarity: float = 0.85
    recent: int = 8


def merge_candidates(
    events: Sequence[EventDraft], vectors: Vectors, new_from: int, limits: MergeLimits
) -> list[tuple[int, ...]]:
    """Which events are one: groups of two or more places in `events`, each ascending.

    events: of one video, the latest there are, then from `new_from` on the new ones; each part in order of time.
    vectors: (len(events), dim), length 1. A new event joins the one that it is most like among the latest before it
    that continue it, so that a chain of them becomes one, and two that are there already never do.
    """
    group_of = {place: [place] for place in range(new_from)}
    for new in range(new_from, len(events)):
        latest = range(max(0, new - limits.recent), new)
        cosines = vectors[latest.start : new] @ vectors[new]
        likeness = dict(zip(latest, cosines.tolist(), strict=True))
        fitting = [place for place in latest if likeness[place] > limits.similarity]
        fitting = [place for place in fitting if _continues(events[place], events[new], limits.gap_sec)]
        best = max(fitting, key=lambda place: (likeness[place], place), default=None)
        group_of[new] = [] if best is None else group_of[best]
        group_of[new].append(new)
    groups = {id(group): tuple(group) for group in group_of.values() if len(group) > 1}
    return list(groups.values())


def merged(parts: Sequence[EventDraft], ordinal: int, summary_text: str) -> EventDraft:
    """What several events are together, under a summary of its own. parts: in order of time.

    Each action stays once, where it was done last: what is opened, closed and opened again is open.
    """
    return EventDraft(
        ordinal=ordinal,
        time_start=parts[0].time_start,
        time_end=max(part.time_end for part in parts),
        summary_text=summary_text,
        dialogue_snippets=_each_once(line for part in parts for line in part.dialogue_snippets),
        persons=_each_once(person for part in parts for person in part.persons),
        objects=_each_once(thing for part in parts for thing in part.objects),
        scene_type=next((part.scene_type for part in reversed(parts) if part.scene_type), ""),
        actions=_last_of_each((action for part in parts for action in part.actions), lambda action: action),
        at=parts[0].at,
        involvements=_involvements(parts),
        uses=_uses(parts),
        heard=parts[0].heard,
    )


def _continues(one: EventDraft, other: EventDraft, gap_sec: float) -> bool:
    """Close in time, and with somebody or the scene in common. A sound is no part of what is seen."""
    gap = round(max(one.time_start, other.time_start) - min(one.time_end, other.time_end), 3)
    same_scene = bool(one.scene_type) and one.scene_type == other.scene_type
    return gap <= gap_sec and one.heard == other.heard and (same_scene or bool(_people(one) & _people(other)))


def _people(event: EventDraft) -> set[tuple[str, str]]:
    """As they were told: that two persons were merged by hand can be taken back, and what is one event cannot."""
    return {(part.scope, part.person_id) for part in event.involvements}


def _involvements(parts: Sequence[EventDraft]) -> tuple[Involvement, ...]:
    """One per person and role, by what is surest; who acts or speaks in one of them is not merely mentioned."""
    each: dict[tuple[str, str, str], Involvement] = {}
    for i in (i for part in parts for i in part.involvements):
        known = each.setdefault((i.scope, i.person_id, i.role), i)
        if (i.confidence or 0.0) >= (known.confidence or 0.0):
            each[i.scope, i.person_id, i.role] = i
    present = {(scope, person) for scope, person, role in each if role != "mentioned"}
    kept = (i for (scope, person, role), i in each.items() if role != "mentioned" or (scope, person) not in present)
    return tuple(kept)


def _uses(parts: Sequence[EventDraft]) -> tuple[Use, ...]:
    """What is done, then each object that is merely there in all of them."""
    uses = _last_of_each((use for part in parts for use in part.uses), _apart_from_where)
    acts = [use for use in uses if use.verb is not None]
    acted_on = {use.name for use in acts}
    there = [use for use in uses if use.verb is None and use.name not in acted_on]
    return tuple(replace(use, seq=seq) for seq, use in enumerate([*acts, *there]))


def _apart_from_where(use: Use) -> Use:
    return replace(use, seq=0, spatial_description="")


def _last_of_each(items: Iterable[Item], alike: Callable[[Item], object]) -> tuple[Item, ...]:
    """Of items that are alike the last alone, in its place."""
    found: dict[object, Item] = {}
    for item in items:
        found.pop(alike(item), None)
        found[alike(item)] = item
    return tuple(found.values())


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
