"""Merged persons and split names: the person for whom an identity of an analysis stands now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from amr_neo4j.domain.event import Event
from amr_neo4j.store.database import Run

# (scope, person_id): ("", "anna") for a name of the group, ("video7", "girl_black_hoodie") for a description.
Identity = tuple[str, str]


@dataclass(frozen=True)
class PersonAliases:
    """The merges and splits of a group.

    version: number of merges and undos so far, in all groups. A copy with another version is out of date.
    into: {merged identity: the person it stands for now}, through any number of merges.
    unambiguous: merged identities whose person_id belongs to nobody outside the merge.
    split: {(video_id, person_id): the name of the person for whom this one stands in a video}. `into` has them, too.
    """

    version: int = 0
    into: Mapping[Identity, Identity] = field(default_factory=dict[Identity, Identity])
    unambiguous: frozenset[Identity] = frozenset()
    split: Mapping[Identity, str] = field(default_factory=dict[Identity, str])

    def resolve(self, stated: Identity, video_id: str) -> Identity:
        """Return the person that an identity stands for now if it is stated in a video."""
        in_video = video_id, stated[1]
        if not stated[0] and in_video in self.split:
            stated = in_video
        return self.into.get(stated, stated)

    def renamed(self, event: Event) -> Event:
        """Return an event as it tells of who is who: names that were split in its video are those of the others."""
        for (video_id, person_id), called in self.split.items():
            if video_id == event.video_id:
                event = _renamed(event, person_id, self.into[video_id, person_id][1], called)
        return event

    def ids_of(self, person_id: str) -> list[str]:
        """Return the id itself and the ids of the persons it was merged into."""
        merged = (now[1] for stated, now in self._names() if stated[1] == person_id)
        return list(dict.fromkeys([person_id, *merged]))

    def scopes(self, person_id: str) -> set[str]:
        """Return the scopes of those persons with this id into whom others were merged."""
        return {scope for scope, now in self.into.values() if now == person_id}

    def same(self) -> dict[str, tuple[str, ...]]:
        """Return {person_id: other ids of the same person}.

        A merged id leads to the current one. The current one leads back only to unambiguous ids: a description such
        as "man" may be somebody else in another video.
        """
        found: dict[str, tuple[str, ...]] = {}
        for stated, now in self._names():
            pairs = [(stated[1], now[1])] + ([(now[1], stated[1])] if stated in self.unambiguous else [])
            for one, other in pairs:
                if one != other and other not in found.get(one, ()):
                    found[one] = (*found.get(one, ()), other)
        return found

    def _names(self) -> list[tuple[Identity, Identity]]:
        """Return the merges that make one name stand for another. That of a split name concerns its video alone."""
        return [(stated, now) for stated, now in self.into.items() if stated not in self.split]


def _renamed(event: Event, person_id: str, now: str, called: str) -> Event:
    """Return an event with a name replaced. now, called: the person_id and the name in its place."""
    words = r"[\W_]+".join(map(re.escape, person_id.split("_")))
    name = re.compile(rf"\b{words}\b", re.IGNORECASE)

    def told(text: str) -> str:
        # A name begins with a capital; "will" is a word.
        return name.sub(lambda found: found[0] if found[0][0].islower() else called, text)

    return replace(
        event,
        summary_text=told(event.summary_text),
        dialogue_snippets=tuple(map(told, event.dialogue_snippets)),
        persons=tuple(map(told, event.persons)),
        spatial_descriptions=tuple(map(told, event.spatial_descriptions)),
        actions=tuple(replace(each, actor=now) if each.actor == person_id else each for each in event.actions),
    )


def read_aliases(run: Run, group_id: str) -> PersonAliases:
    """Return the merges of a group as they are now."""
    [row] = run("persons/aliases", group_id=group_id)
    into = {(scope, stated): (now_scope, now) for scope, stated, now_scope, now, *_ in row["merged"]}
    unambiguous = frozenset((scope, stated) for scope, stated, _, _, alone, _ in row["merged"] if alone)
    split = {(scope, stated): called for scope, stated, *_, called in row["merged"] if called is not None}
    return PersonAliases(row["version"], into, unambiguous, split)
