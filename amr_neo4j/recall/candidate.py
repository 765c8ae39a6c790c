"""An event on its way to being evidence, with what the stages learnt of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Anchor, Hit, Path
from amr_neo4j.language.content import all_forms
from amr_neo4j.language.objects import object_key
from amr_neo4j.language.persons import person_key
from amr_neo4j.language.verbs import transition
from amr_neo4j.recall.reading import Effect
from amr_neo4j.recall.trail import path_in_words


@dataclass(frozen=True)
class Candidate:
    """An event and how it was found.

    reach: 0 to 1, from the ranks of the anchor its path starts at and the steps from there.
    trail: the path in words. cosines: clause of the question -> cosine to the event. score: by verify, 0 until then.
    """

    event: Event
    path: Path
    reach: float = 0.0
    trail: str = ""
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])
    score: float = 0.0

    @property
    def node_id(self) -> int:
        """The event's."""
        return self.event.node_id

    @cached_property
    def forms(self) -> frozenset[str]:
        """Every form of every word of the event."""
        event = self.event
        named = (*event.persons, *event.objects, event.scene_type, event.video_id)
        done = (f"{action.verb} {action.object} {action.spatial_relation}" for action in event.actions)
        return all_forms("\n".join((event.summary_text, *event.dialogue_snippets, *named, *done)))

    @cached_property
    def objects(self) -> frozenset[str]:
        """The identities of its objects."""
        return frozenset(object_key(name) for name in self.event.objects)

    @cached_property
    def people(self) -> Mapping[str, str]:
        """person_id -> name as seen, of everybody in it."""
        named = {person_key(name).person_id: name for name in self.event.persons}
        actors = {a.actor: a.actor.replace("_", " ") for a in self.event.actions if a.actor not in ("", *named)}
        return named | actors

    @cached_property
    def deeds(self) -> frozenset[tuple[str, str]]:
        """Who did something to what: (person_id, object)."""
        return frozenset((action.actor, object_key(action.object)) for action in self.event.actions)

    @cached_property
    def effects(self) -> frozenset[Effect]:
        """What its actions do to which things."""
        found = ((object_key(action.object), action.verb) for action in self.event.actions)
        done = ((thing, transition(verb, thing)) for thing, verb in found)
        return frozenset(
            (thing, change.kind, change.to_state) for thing, change in done if change and change.to_state
        )

    def hit(self) -> Hit:
        """As an answer shows it."""
        return Hit(self.event, self.score, self.ranks, self.path, self.trail)


def gather(
    paths: Mapping[int, Path],
    events: Sequence[Event],
    starts: Sequence[Anchor],
    cosines: Mapping[str, Mapping[int, float]],
) -> list[Candidate]:
    """The events with what is known of each.

    paths: node_id -> how it was found. starts: every event that a ranking has, best first. cosines: by clause.
    """
    by_id = {event.node_id: event for event in events}
    ranked = {anchor.node_id: anchor for anchor in starts}
    return [
        Candidate(
            event=event,
            path=paths[node_id],
            reach=_reach(paths[node_id], starts[0].score, ranked),
            trail=path_in_words(paths[node_id], by_id),
            ranks=ranked[node_id].ranks if node_id in ranked else {},
            cosines={text: of_event.get(node_id, 0.0) for text, of_event in cosines.items()},
        )
        for node_id, event in by_id.items()
    ]


def _reach(path: Path, best: float, ranked: Mapping[int, Anchor]) -> float:
    """The fused score of where the path starts against the best there is, less what its last step cost."""
    start = ranked[path.node_ids[0]].score / best if path.node_ids[0] in ranked else 0.0
    return start * path.score if path.edges else start
