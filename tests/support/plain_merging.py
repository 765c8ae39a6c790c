"""Merging as specification 000 I.4 describes it, over plain dictionaries: what the real one must equal.

It holds the global_event_dict, video_index and next_node_id, and grows event by event, clip by clip.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement
from amr_neo4j.domain.video import AnalysedClip
from tests.support.plain_graph import Name


@dataclass
class Node:
    """An AdaptiveEventNode: an event with what the algorithm asks of it."""

    node_id: int
    name: Name
    source: AnalysedClip
    clip_ids: list[str]
    draft: EventDraft
    vector: np.ndarray

    def by_end(self) -> tuple[float, float, float, str, int]:
        """Its place among the events of its video in the order of their ends."""
        return (self.draft.time_end, *self.place)

    @property
    def place(self) -> tuple[float, float, str, int]:
        """Where it stands among the events of its video."""
        return self.draft.time_start, self.draft.time_end, self.name[1], self.name[2]


@dataclass
class PlainMerging:
    """embed, summarise: as the real ones; gap, similarity, recent: the limits."""

    embed: Callable[[EventDraft], np.ndarray]
    summarise: Callable[[Sequence[EventDraft]], str]
    gap: float
    similarity: float
    recent: int
    longest: float
    next_node_id: int = 0
    global_event_dict: dict[int, Node] = field(default_factory=dict)
    video_index: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    merged_into: dict[int, int] = field(default_factory=dict)

    def take(self, clip: ComposedClip) -> None:
        """One clip: its events get ids, then each merged event gets one more."""
        video_id, clip_id = clip.source.video.video_id, clip.source.clip.clip_id
        there = sorted(self._live(video_id), key=Node.by_end)[-self.recent :]
        new = [
            self._add(Node(-1, (video_id, clip_id, draft.ordinal), clip.source, [clip_id], draft, self.embed(draft)))
            for draft in clip.events
        ]
        joined: dict[int, list[Node]] = {}
        window = list(there)
        for node in new:
            best = max(
                (other for other in self._latest(window) if self._merges(other, node, joined)),
                key=lambda other: (float(np.float32(other.vector @ node.vector)), window.index(other)),
                default=None,
            )
            if best is not None:
                group = joined.setdefault(best.node_id, [best])
                group.append(node)
                joined[node.node_id] = group
            window.append(node)
        groups = {id(group): group for group in joined.values()}
        in_turn = sorted(groups.values(), key=lambda group: window.index(group[0]))
        for number, group in enumerate(in_turn):
            self._merge(group, clip.source, len(new) + number)

    def live_clips(self) -> list[ComposedClip]:
        """The live events, under the clips that name them: the input of a PlainGraph."""
        live = [self.global_event_dict[node_id] for ids in self.video_index.values() for node_id in ids]
        return [ComposedClip(node.source, (node.draft,)) for node in live]

    def _live(self, video_id: str) -> list[Node]:
        return [self.global_event_dict[node_id] for node_id in self.video_index[video_id]]

    def _add(self, node: Node) -> Node:
        node.node_id, self.next_node_id = self.next_node_id, self.next_node_id + 1
        self.global_event_dict[node.node_id] = node
        self.video_index[node.name[0]].append(node.node_id)
        return node

    def _latest(self, window: list[Node]) -> list[Node]:
        """The events that end last; of those with equal ends, the ones that came later."""
        places = sorted(range(len(window)), key=lambda place: (window[place].draft.time_end, place))
        return [window[place] for place in places[-self.recent :]]

    def _merges(self, one: Node, other: Node, joined: dict[int, list[Node]]) -> bool:
        a, b = one.draft, other.draft
        together = [node.draft for node in joined.get(one.node_id, [one])] + [b]
        span = max(draft.time_end for draft in together) - min(draft.time_start for draft in together)
        if span > self.longest or any(_shown(a, who) != _shown(b, who) for who in _there(a) & _there(b)):
            return False
        gap = round(max(a.time_start, b.time_start) - min(a.time_end, b.time_end), 3)
        persons = {(i.scope, i.person_id) for i in a.involvements} & {(i.scope, i.person_id) for i in b.involvements}
        scene = a.scene_type != "" and a.scene_type == b.scene_type
        alike = float(np.float32(one.vector @ other.vector)) > self.similarity
        return gap <= self.gap and alike and bool(persons or scene) and a.heard == b.heard

    def _merge(self, group: list[Node], source: AnalysedClip, ordinal: int) -> None:
        group = sorted(group, key=lambda node: (node.draft.time_start, node.draft.time_end))
        drafts = [node.draft for node in group]
        draft = _union(drafts, ordinal, self.summarise(drafts))
        clip_ids = list(dict.fromkeys(clip_id for node in group for clip_id in node.clip_ids))
        name = (source.video.video_id, source.clip.clip_id, ordinal)
        made = self._add(Node(-1, name, source, clip_ids, draft, self.embed(draft)))
        for node in group:
            self.video_index[name[0]].remove(node.node_id)
            self.merged_into[node.node_id] = made.node_id


def _there(draft: EventDraft) -> set[tuple[str, str]]:
    return {(i.scope, i.person_id) for i in draft.involvements if i.role in ("actor", "speaker")}


def _shown(draft: EventDraft, who: tuple[str, str]) -> bool:
    """Seen acting, and not only heard."""
    return not draft.heard and any((i.scope, i.person_id, i.role) == (*who, "actor") for i in draft.involvements)


def _sure(part: Involvement) -> tuple[float, int]:
    """What is seen is surer than what is said to somebody, and that than what is said of them."""
    return part.confidence or 0, {"told": 0, "addressed": 1, None: 3}.get(part.evidence, 2)


def _union(drafts: list[EventDraft], ordinal: int, summary: str) -> EventDraft:
    involvements = {}
    for draft in drafts:
        for part in draft.involvements:
            known = involvements.get((part.scope, part.person_id, part.role))
            if known is None or _sure(part) >= _sure(known):
                involvements[part.scope, part.person_id, part.role] = part
    acting = {key[:2] for key in involvements if key[2] != "mentioned"}
    uses = []
    for use in _in_turn(drafts, "uses"):
        uses = [u for u in uses if _what(u) != _what(use)] + [use]
    actions = []
    for action in _in_turn(drafts, "actions"):
        actions = [a for a in actions if _deed(a) != _deed(action)] + [action]
    done = [use for use in uses if use.verb is not None]
    there = [use for use in uses if use.verb is None and use.name not in [u.name for u in done]]
    scenes = [draft.scene_type for draft in drafts if draft.scene_type]
    return EventDraft(
        ordinal=ordinal,
        time_start=min(draft.time_start for draft in drafts),
        time_end=max(draft.time_end for draft in drafts),
        summary_text=summary,
        dialogue_snippets=tuple(dict.fromkeys(line for draft in drafts for line in draft.dialogue_snippets)),
        persons=tuple(dict.fromkeys(person for draft in drafts for person in draft.persons)),
        objects=tuple(dict.fromkeys(thing for draft in drafts for thing in draft.objects)),
        scene_type=scenes[-1] if scenes else "",
        actions=tuple(actions),
        involvements=tuple(p for k, p in involvements.items() if k[2] != "mentioned" or k[:2] not in acting),
        uses=tuple(replace(use, seq=seq) for seq, use in enumerate(done + there)),
        heard=drafts[0].heard,
    )


def _in_turn(drafts: list[EventDraft], what: str) -> list:
    """All actions with their time, the earliest first."""
    timed = []
    for draft in drafts:
        for done in getattr(draft, what):
            timed.append(replace(done, time=draft.time_start if done.time is None else done.time))
    return sorted(timed, key=lambda done: done.time)


def _deed(action):
    return action.actor, action.verb, action.object, action.spatial_relation


def _what(use):
    return (
        use.name,
        use.verb,
        use.actor,
        use.from_state,
        use.to_state,
        use.state_kind,
        use.moves,
        use.spatial_relation,
    )
