"""What the people and objects of a group are called, kept up to date by what was written since."""

from __future__ import annotations

from dataclasses import replace

from amr_neo4j.domain.ports import Names
from amr_neo4j.store.database import Database
from amr_neo4j.store.merged import Merged, read_merged


class Vocabulary:
    """The names of one group.

    Ids of events are handed out in the order of commits, so that what is new is found without reading the rest.
    """

    def __init__(self, database: Database, group_id: str) -> None:
        self._database = database
        self._group_id = group_id
        self._next: int | None = None
        self._names = Names()
        self.merged = Merged()

    def names(self) -> Names:
        """Those of every event written by now; the same object while nothing came to them."""
        if self._next is None:
            [row] = self._database.read("recall/vocabulary", group_id=self._group_id)
        else:
            [row] = self._database.read("recall/vocabulary_since", group_id=self._group_id, since=self._next)
        if row["merges"] != self.merged.version:
            self.merged = read_merged(self._database, self._group_id)
            self._names = replace(self._names, same=self.merged.same())
        new = Names(frozenset(row["people"]), frozenset(row["objects"]))
        if not (new.persons <= self._names.persons and new.objects <= self._names.objects):
            persons, objects = self._names.persons | new.persons, self._names.objects | new.objects
            self._names = Names(persons, objects, self._names.same)
        self._next = row["next"]
        return self._names
