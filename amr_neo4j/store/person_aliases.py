"""Merged persons and split names: the person for whom an identity of an analysis stands now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.forgotten import spelling
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

    def is_meant(self, person: Identity, video_id: str) -> bool:
        """Return whether an identity that an analysis of this video states can mean this person.

        A description belongs to one video. A name belongs to the group, but in a video where it was split it means
        somebody else.
        """
        scope, person_id = person
        return scope == video_id or (not scope and (video_id, person_id) not in self.split)

    def renamed(self, event: Event) -> Event:
        """Return an event in which names that were split in its video are replaced by those of the persons meant."""
        names = self._renamed.get(event.video_id)
        if not names:
            return event
        return replace(
            event,
            summary_text=names.told(event.summary_text),
            dialogue_snippets=tuple(map(names.told, event.dialogue_snippets)),
            persons=tuple(map(names.told, event.persons)),
            spatial_descriptions=tuple(map(names.told, event.spatial_descriptions)),
            actions=tuple(replace(each, actor=names.now.get(each.actor, each.actor)) for each in event.actions),
        )

    def told(self, text: str, video_id: str) -> str:
        """Replace the names in a text of a video as `renamed` does in its events."""
        names = self._renamed.get(video_id)
        return names.told(text) if names else text

    @cached_property
    def _renamed(self) -> dict[str, _Renamed]:
        """{video_id: the names that were split there}."""
        found: dict[str, _Renamed] = {}
        for (video_id, person_id), called in self.split.items():
            names = found.setdefault(video_id, _Renamed({}, {}))
            names.now[person_id] = self.into[video_id, person_id][1]
            names.called[person_id] = called
        return found

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
        """Return the merges that make one name stand for another.

        Merges of split names are left out: they hold for one video only.
        """
        return [(stated, now) for stated, now in self.into.items() if stated not in self.split]


@dataclass(frozen=True)
class _Renamed:
    """Names that one video gives to others.

    now, called: {person_id of a name: the person_id of whom it means, and their name}.
    """

    now: dict[str, str]
    called: dict[str, str]

    def told(self, text: str) -> str:
        """Return a text with the names replaced, all at once: two may be exchanged."""

        def name(found: re.Match[str]) -> str:
            # A name begins with a capital; "will" is a word.
            return found[0] if found[0][0].islower() else self.called.get(self._names[found.lastindex or 1], found[0])

        return self._pattern.sub(name, text)

    @cached_property
    def _names(self) -> list[str]:
        """The groups of the pattern. The longest is first, because one name may begin with another.

        A name that comes in another's place is found, too, and stays: else "Anna Lee" would become "Anna Lee Lee".
        """
        return ["", *sorted({*self.called, *self.now.values()}, key=lambda name: (-len(name), name))]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = "|".join(f"({spelling(name)})" for name in self._names[1:])
        return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)


def read_aliases(run: Run, group_id: str) -> PersonAliases:
    """Return the merges of a group as they are now."""
    [row] = run("persons/aliases", group_id=group_id)
    into = {(scope, stated): (now_scope, now) for scope, stated, now_scope, now, *_ in row["merged"]}
    unambiguous = frozenset((scope, stated) for scope, stated, _, _, alone, _ in row["merged"] if alone)
    split = {(scope, stated): called for scope, stated, *_, called in row["merged"] if called is not None}
    return PersonAliases(row["version"], into, unambiguous, split)
