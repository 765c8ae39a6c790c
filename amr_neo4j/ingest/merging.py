"""Finds which events of a video are one continuous event, and merges them (specification 000 I.4)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from heapq import nlargest
from itertools import chain
from typing import TypeVar, get_args

import numpy as np

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.event import (
    TEXT_LISTS,
    Action,
    ComposedClip,
    EventDraft,
    Involvement,
    MergedEvent,
    Recent,
    Role,
    Use,
)
from amr_neo4j.domain.ports import Counting, Embedder, EventWriter, Summarise, Vectors
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.ingest.compose import embedding_text

# The roles of people who are there, rather than talked about.
_PRESENT = ("actor", "speaker")
Deed = TypeVar("Deed", Action, Use)


@dataclass(frozen=True)
class MergeLimits:
    """When two events are merged.

    gap_sec: the longest time between them.
    similarity: the cosine that they must exceed.
    recent: how many of a video's latest events, by their ends, a new one is compared with.
    longest_sec: how long a merged event may last. Without a limit, an event that goes on all day would be written
        again with every clip.
    """

    gap_sec: float = 2.0
    similarity: float = 0.85
    recent: int = 8
    longest_sec: float = 600.0


def merge_candidates(
    events: Sequence[EventDraft], vectors: Vectors, *, new_from: int, limits: MergeLimits
) -> list[tuple[int, ...]]:
    """Return groups of events to merge: two or more indices into `events` each, ascending.

    A new event joins the most similar of the latest events before it that it continues, so a chain becomes one event.
    Stored events are never merged with one another.

    events: the events of one video. The latest stored ones come first. From index `new_from` on, the new ones follow
        in order of time.
    vectors: shape (len(events), dim), of length 1.
    """
    group_of = {place: [place] for place in range(new_from)}
    for new in range(new_from, len(events)):
        # Only a few, so that the work per clip stays the same in a long video.
        latest = nlargest(limits.recent, range(new), key=lambda place: (events[place].time_end, place))
        likeness = dict(zip(latest, (vectors[latest] @ vectors[new]).tolist(), strict=True))
        fitting: list[int] = []
        for place in latest:
            continues = likeness[place] > limits.similarity and _continues(events[place], events[new], limits.gap_sec)
            if continues and _lasting(events[n] for n in (*group_of[place], new)) <= limits.longest_sec:
                fitting.append(place)
        best = max(fitting, key=lambda place: (likeness[place], place), default=None)
        # Events of one group share one list, so that a later event finds all of it.
        group_of[new] = [] if best is None else group_of[best]
        group_of[new].append(new)
    # By identity: every event of a group refers to the same list.
    groups = {id(group): tuple(group) for group in group_of.values() if len(group) > 1}
    return list(groups.values())


def merged(parts: Sequence[EventDraft], ordinal: int, summary_text: str) -> EventDraft:
    """Return the event that several events are merged into.

    parts: in order of time.

    Each action is kept once, with the time of its last occurrence: what is opened, closed and opened again is open.
    """
    return replace(
        parts[-1],  # a property that is not named below has the value of the last part
        ordinal=ordinal,
        time_start=parts[0].time_start,
        time_end=max(part.time_end for part in parts),
        summary_text=summary_text,
        **{name: tuple(dict.fromkeys(text for part in parts for text in getattr(part, name))) for name in TEXT_LISTS},
        scene_type=next((part.scene_type for part in reversed(parts) if part.scene_type), ""),
        actions=_last_of_each(
            ((action, part) for part in parts for action in part.actions), lambda action: replace(action, time=None)
        ),
        at=parts[0].at,
        involvements=_involvements(parts),
        uses=_uses(parts),
        heard=parts[0].heard,
        derived=any(part.derived for part in parts),
        boxes=(),  # they show where something was in one of the parts
    )


def _continues(one: EventDraft, other: EventDraft, gap_sec: float) -> bool:
    """Return whether two events are close in time and share a person or the scene.

    What is heard is not merged with what is seen: CROSS_MODAL edges connect those.
    """
    # Rounded to milliseconds, because the difference of two floats may be 2.0000000000000004.
    gap = round(max(one.time_start, other.time_start) - min(one.time_end, other.time_end), 3)
    same_scene = bool(one.scene_type) and one.scene_type == other.scene_type
    there = _people(one, _PRESENT) & _people(other, _PRESENT)
    alike = one.heard == other.heard and there & _seen(one) == there & _seen(other)
    return gap <= gap_sec and alike and (same_scene or bool(_people(one) & _people(other)))


def _lasting(events: Iterable[EventDraft]) -> float:
    """Return the seconds from the first start to the last end."""
    spans = [(event.time_start, event.time_end) for event in events]
    return max(end for _, end in spans) - min(start for start, _ in spans)


def _people(event: EventDraft, roles: Container[Role] = get_args(Role)) -> set[tuple[str, str]]:
    """Return {(scope, person_id)} of the people of an event, as they were identified at ingestion.

    Persons who were merged since are not taken together, because they can be separated again and merged events
    cannot.
    """
    return {(part.scope, part.person_id) for part in event.involvements if part.role in roles}


def _seen(event: EventDraft) -> set[tuple[str, str]]:
    return set() if event.heard else _people(event, ("actor",))


def _involvements(parts: Sequence[EventDraft]) -> tuple[Involvement, ...]:
    """Return the most certain involvement per person and role.

    A mention of somebody who acts or speaks in a part is dropped.
    """
    each: dict[tuple[str, str, str], Involvement] = {}
    for i in (i for part in parts for i in part.involvements):
        # >= and not >: among equally certain ones the latest counts.
        known = each.setdefault((i.scope, i.person_id, i.role), i)
        if i.certainty >= known.certainty:
            each[i.scope, i.person_id, i.role] = i
    present = {(scope, person) for scope, person, role in each if role != "mentioned"}
    kept = (i for (scope, person, role), i in each.items() if role != "mentioned" or (scope, person) not in present)
    return tuple(kept)


def _uses(parts: Sequence[EventDraft]) -> tuple[Use, ...]:
    """Return the actions on objects, then each object that is merely present."""
    uses = _last_of_each(((use, part) for part in parts for use in part.uses), _without_place)
    acts = [use for use in uses if use.verb is not None]
    acted_on = {use.name for use in acts}
    there = [use for use in uses if use.verb is None and use.name not in acted_on]
    return tuple(replace(use, seq=seq) for seq, use in enumerate([*acts, *there]))


def _without_place(use: Use) -> Use:
    return replace(use, seq=0, spatial_description="", time=None, confidence=None)


def _last_of_each(deeds: Iterable[tuple[Deed, EventDraft]], alike: Callable[[Deed], Deed]) -> tuple[Deed, ...]:
    """Return the last of each group of equal actions or uses, in order of time. deeds: each with its event."""
    timed = [replace(deed, time=part.time_start if deed.time is None else deed.time) for deed, part in deeds]
    found: dict[Deed, Deed] = {}
    for deed in sorted(timed, key=lambda deed: deed.time or 0.0):
        # Removed first, so that the deed moves to the end of the dict.
        found.pop(alike(deed), None)
        found[alike(deed)] = deed
    return tuple(found.values())


@dataclass(frozen=True)
class Merging:
    """Commits clips one by one, each merged with the events that its video has by then.

    A merge reads the latest events, computes, and writes only if the video has not changed since; else it starts
    again.
    counting: gathers the calls that summaries and embeddings make.
    """

    writer: EventWriter
    embedder: Embedder
    summarise: Summarise
    _: KW_ONLY
    limits: MergeLimits
    counting: Counting

    def commit(self, clips: Sequence[ComposedClip], vectors: Vectors) -> Iterator[Receipt]:
        """Yield one receipt per clip, in order. vectors: of the events of all clips, shape (events, dim)."""
        start = 0
        for clip in clips:
            end = start + len(clip.events)
            yield self._commit(clip, vectors[start:end])
            start = end

    def _commit(self, clip: ComposedClip, vectors: Vectors) -> Receipt:
        usage = Usage()
        # The merge is computed outside of the transaction, so that no other writer waits for a model (decision 0010).
        while True:
            recent = self.writer.recent_events(clip.source.video, self.embedder.model, self.limits.recent)
            with self.counting() as calls:
                made, notes = self._merged(clip, vectors, recent)
            # A repeated attempt pays again for its summaries.
            usage += Usage.of(calls)
            noted = clip.also_used(usage, *notes)
            receipt = self.writer.commit_merging(noted, vectors, self.embedder.model, made, recent.last_node_id)
            # None: the video changed since `recent` was read. So merge again with what it has now.
            if receipt is not None:
                return receipt

    def _merged(self, clip: ComposedClip, vectors: Vectors, recent: Recent) -> tuple[list[MergedEvent], list[str]]:
        """Return (the merged events, notes). Each event is merged from recent ones and the clip's own."""
        events = [*(known.event for known in recent.events), *clip.events]
        all_vectors = np.concatenate([*(known.vector[np.newaxis] for known in recent.events), vectors])
        groups: list[list[int]] = []
        drafts: list[EventDraft] = []
        notes: list[str] = []
        # An item of a camera system is one event already, which may be replaced when more is known of it.
        is_item = clip.source.tracked is not None
        new_from = len(recent.events)
        found = [] if is_item else merge_candidates(events, all_vectors, new_from=new_from, limits=self.limits)
        # Merged events are numbered after those that the clip came with.
        for ordinal, group in enumerate(found, start=len(clip.events)):
            in_order = sorted(group, key=lambda place: (events[place].time_start, events[place].time_end))
            parts = [events[place] for place in in_order]
            summary, own_notes = self.summarise(parts)
            groups.append(in_order)
            drafts.append(merged(parts, ordinal, summary))
            notes += own_notes
        texts = [embedding_text(draft.summary_text, draft.dialogue_snippets) for draft in drafts]
        embedded = self.embedder.embed(texts) if texts else ()
        made = [
            _merged_event(clip, recent, draft, group=group, vector=vector)
            for draft, group, vector in zip(drafts, groups, embedded, strict=True)
        ]
        return made, notes


def _merged_event(
    clip: ComposedClip, recent: Recent, draft: EventDraft, *, group: Sequence[int], vector: Vectors
) -> MergedEvent:
    """Return a merged event with the ids of what it replaces.

    group: indices, in order of time, into the recent events followed by the clip's own.
    """
    there = len(recent.events)
    known = [recent.events[place] for place in group if place < there]
    clip_ids = [recent.events[place].clip_ids if place < there else (clip.source.clip.clip_id,) for place in group]
    return MergedEvent(
        event=draft,
        clip_ids=tuple(dict.fromkeys(chain.from_iterable(clip_ids))),
        node_ids=tuple(event.node_id for event in known),
        ordinals=tuple(clip.events[place - there].ordinal for place in group if place >= there),
        vector=vector,
    )
