"""Which events of a video are one continuous event, and their merged event (specification 000 I.4)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import TypeVar, get_args

from amr_neo4j.domain.event import Action, EventDraft, Involvement, Role, Use
from amr_neo4j.domain.ports import Vectors

_PRESENT = ("actor", "speaker")
Deed = TypeVar("Deed", Action, Use)


@dataclass(frozen=True)
class MergeLimits:
    """gap_sec: the longest time between two events. similarity: the cosine that they must be over.

    recent: how many of a video's latest events, by when they end, a new one is compared with. longest_sec: how long
    a merged event may last: without a limit, one that goes on all day would be written again with every clip.
    """

    gap_sec: float = 2.0
    similarity: float = 0.85
    recent: int = 8
    longest_sec: float = 600.0


def merge_candidates(
    events: Sequence[EventDraft], vectors: Vectors, new_from: int, limits: MergeLimits
) -> list[tuple[int, ...]]:
    """Groups of events to merge: two or more indices into `events` each, ascending.

    events: of one video, the latest stored ones, then from `new_from` on the new ones in order of time.
    vectors: (len(events), dim), length 1. A new event joins the most similar of the latest before it that it
    continues, so a chain becomes one event. Stored events are never merged with one another.
    """
    group_of = {place: [place] for place in range(new_from)}
    for new in range(new_from, len(events)):
        latest = nlargest(limits.recent, range(new), key=lambda place: (events[place].time_end, place))
        likeness = dict(zip(latest, (vectors[latest] @ vectors[new]).tolist(), strict=True))
        fitting = [place for place in latest if likeness[place] > limits.similarity]
        fitting = [place for place in fitting if _continues(events[place], events[new], limits.gap_sec)]
        fitting = [p for p in fitting if _lasting(events[n] for n in (*group_of[p], new)) <= limits.longest_sec]
        best = max(fitting, key=lambda place: (likeness[place], place), default=None)
        group_of[new] = [] if best is None else group_of[best]
        group_of[new].append(new)
    groups = {id(group): tuple(group) for group in group_of.values() if len(group) > 1}
    return list(groups.values())


def merged(parts: Sequence[EventDraft], ordinal: int, summary_text: str) -> EventDraft:
    """The event that several events are merged into. parts: in order of time.

    Each action stays once, with the time of its last occurrence: what is opened, closed and opened again is open.
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
        actions=_last_of_each(((action, part) for part in parts for action in part.actions), _without_time),
        at=parts[0].at,
        involvements=_involvements(parts),
        uses=_uses(parts),
        heard=parts[0].heard,
        derived=any(part.derived for part in parts),
        spatial_descriptions=_each_once(where for part in parts for where in part.spatial_descriptions),
    )


def _continues(one: EventDraft, other: EventDraft, gap_sec: float) -> bool:
    """Whether they are close in time, with a person or the scene in common.

    What is heard and what is seen are not merged: CROSS_MODAL edges connect those.
    """
    gap = round(max(one.time_start, other.time_start) - min(one.time_end, other.time_end), 3)
    same_scene = bool(one.scene_type) and one.scene_type == other.scene_type
    there = _people(one, _PRESENT) & _people(other, _PRESENT)
    alike = one.heard == other.heard and there & _seen(one) == there & _seen(other)
    return gap <= gap_sec and alike and (same_scene or bool(_people(one) & _people(other)))


def _lasting(events: Iterable[EventDraft]) -> float:
    """Seconds from the first start to the last end."""
    spans = [(event.time_start, event.time_end) for event in events]
    return max(end for _, end in spans) - min(start for start, _ in spans)


def _people(event: EventDraft, roles: Container[Role] = get_args(Role)) -> set[tuple[str, str]]:
    """By their ids at ingestion: a merge of two persons can be undone, a merge of events cannot."""
    return {(part.scope, part.person_id) for part in event.involvements if part.role in roles}


def _seen(event: EventDraft) -> set[tuple[str, str]]:
    return set() if event.heard else _people(event, ("actor",))


def _involvements(parts: Sequence[EventDraft]) -> tuple[Involvement, ...]:
    """One per person and role, the most certain; a mention of somebody who acts or speaks in a part is dropped."""
    each: dict[tuple[str, str, str], Involvement] = {}
    for i in (i for part in parts for i in part.involvements):
        known = each.setdefault((i.scope, i.person_id, i.role), i)
        if (i.confidence or 0.0) >= (known.confidence or 0.0):
            each[i.scope, i.person_id, i.role] = i
    present = {(scope, person) for scope, person, role in each if role != "mentioned"}
    kept = (i for (scope, person, role), i in each.items() if role != "mentioned" or (scope, person) not in present)
    return tuple(kept)


def _uses(parts: Sequence[EventDraft]) -> tuple[Use, ...]:
    """Actions on objects, then each object that is merely present."""
    uses = _last_of_each(((use, part) for part in parts for use in part.uses), _without_place)
    acts = [use for use in uses if use.verb is not None]
    acted_on = {use.name for use in acts}
    there = [use for use in uses if use.verb is None and use.name not in acted_on]
    return tuple(replace(use, seq=seq) for seq, use in enumerate([*acts, *there]))


def _without_time(action: Action) -> Action:
    return replace(action, time=None)


def _without_place(use: Use) -> Use:
    return replace(use, seq=0, spatial_description="", time=None, confidence=None)


def _last_of_each(deeds: Iterable[tuple[Deed, EventDraft]], alike: Callable[[Deed], Deed]) -> tuple[Deed, ...]:
    """The last of equal deeds, in order of time. deeds: each with its event."""
    timed = [replace(deed, time=part.time_start if deed.time is None else deed.time) for deed, part in deeds]
    found: dict[Deed, Deed] = {}
    for deed in sorted(timed, key=lambda deed: deed.time or 0.0):
        found.pop(alike(deed), None)
        found[alike(deed)] = deed
    return tuple(found.values())


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
