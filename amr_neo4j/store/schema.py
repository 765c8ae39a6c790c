# pyright: reportMissingTypeStubs=false
"""The database's schema: applies migrations, and restores constraints and indexes that are missing.

Other applications may use the same database. So constraints and indexes are compared by kind, label and properties,
not by name alone. Those of other applications are never dropped: `check` names them, and says what to do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product
from typing import LiteralString, cast

from neo4j import RoutingControl
from neo4j_python_migrations import loader
from neo4j_python_migrations.executor import Executor
from neo4j_python_migrations.migration import CypherMigration

from amr_neo4j.errors import MigrationError, StoreDenied, StoreError
from amr_neo4j.store.database import Database, Row, mapped_errors, repeated
from amr_neo4j.store.statements import data_path, statement

_PROJECT = "amr_neo4j"
MISSING = "missing"
_CREATED = re.compile(
    r"^CREATE (?P<kind>CONSTRAINT|(?:\w+ )?INDEX) (?P<name>\w+) IF NOT EXISTS\s+"
    r"FOR (?:\(\w*:(?P<label>\w+)\)|\(\)-\[\w*:(?P<type>\w+)\]-\(\))(?P<rest>.*?)(?:OPTIONS|\Z)",
    re.MULTILINE | re.DOTALL,
)
_PROPERTY = re.compile(r"\b\w+\.(\w+)")
# Statements name these indexes, so one of another name is of no use.
_USED_BY_NAME = ("FULLTEXT", "VECTOR")
# A database has at most one of these on the same label and properties.
_ORDINARY = ("RANGE", "UNIQUENESS", "NODE_KEY", "RELATIONSHIP_KEY")
_OWN_SERVER = "give amr a server of its own (NEO4J_URI)"


@dataclass(frozen=True)
class _Item:
    """A constraint or an index. on: its label or relationship type, such as ":Person" or "[:USES]"."""

    name: str
    kind: str
    on: str
    properties: tuple[str, ...]
    state: str = "online"

    @property
    def noun(self) -> str:
        return "index" if self.kind in ("RANGE", "TEXT", "POINT", *_USED_BY_NAME) else "constraint"

    def __str__(self) -> str:
        return f"{self.name} on {self.on} ({', '.join(self.properties)})"

    def is_like(self, other: _Item) -> bool:
        """Whether kind, label and properties are the same. Their order counts if the index is sorted by them."""
        # One after the other: each opening compares some thousand pairs, of which few have the same label.
        return self.on == other.on and self.kind == other.kind and self._compared == other._compared

    def excludes(self, other: _Item) -> bool:
        """Return whether the database refuses to have both."""
        same_kind = self.kind == other.kind or {self.kind, other.kind} <= set(_ORDINARY)
        same_place = (self.on, self._compared) == (other.on, other._compared)
        return self.name == other.name or (same_kind and same_place)

    def becomes(self, other: _Item) -> bool:
        """Whether this is the index of a constraint that another process is making just now, as a scrub does."""
        is_same = (self.name, self.on, self.properties) == (other.name, other.on, other.properties)
        return is_same and self.kind == "RANGE" and other.noun == "constraint" and self.state == "populating"

    @property
    def _compared(self) -> object:
        return self.properties if self.kind in _ORDINARY else frozenset(self.properties)


def pending(database: Database) -> list[str]:
    """Return the versions of the migrations that are not applied yet.

    Raises MigrationError: the database has a migration that this program lacks, or that has other content here.
    """
    with database.tried(RoutingControl.READ):
        return _pending(_executor(database))


def migrate(database: Database) -> list[str]:
    """Apply pending migrations. Returns their versions in order.

    Several processes may call this at once: one applies the migrations, the others wait for it. A migration that was
    killed before it was recorded is applied again, which changes nothing, because its statements say IF NOT EXISTS.
    Raises MigrationError: something of another application is in the way. Nothing is applied then.
    """
    if not pending(database):
        return []
    check(database)
    # Without this constraint two processes could each create a lock node of their own.
    database.write("schema/lock_constraint")
    with (
        mapped_errors(database.uri, database.denied_hint),
        database.session() as session,
        session.begin_transaction() as lock,
    ):
        lock.run(statement("schema/take_lock")).consume()
        executor = _executor(database)
        applied = _pending(executor)  # read again: another process may have applied them while this one waited
        executor.migrate()
        lock.commit()
    database.write("schema/await_indexes")
    return applied


def damage(database: Database) -> dict[str, str]:
    """Return {name: state} of constraints and indexes that are not online: "missing", "failed" or "populating"."""
    there = _there(database)
    states = {wanted.name: _state(wanted, there) for wanted in _wanted()}
    return {name: state for name, state in states.items() if state != "online"}


def check(database: Database) -> list[tuple[str, str]]:
    """Return (what, hint) for each constraint of another application by which writes of amr may be refused.

    Raises MigrationError: duplicates, or an index or constraint of another application, keep ours from being made.
    """
    return _foreign(database, _there(database))


def complete(database: Database) -> list[str]:
    """Check as `check`, and create what is missing, such as after a scrub that was killed.

    Does not wait until new indexes are online. Returns lines for the user. Raises MigrationError as `check`.
    """
    there = _there(database)
    lines = [f"{found} ({hint})" for found, hint in _foreign(database, there)]
    missing = [wanted.name for wanted in _wanted() if _state(wanted, there) == MISSING]
    if missing:
        try:
            _create(database, missing)
            lines.append(f"created again what was missing: {', '.join(missing)}")
        except (StoreError, StoreDenied) as error:  # a server that is read-only still answers questions
            lines.append(f"{', '.join(missing)} cannot be created again: {error}")
    return lines


def _foreign(database: Database, there: list[_Item]) -> list[tuple[str, str]]:
    all_wanted = list(_wanted())
    missing = [wanted for wanted in all_wanted if _state(wanted, there) == MISSING]
    in_the_way: dict[_Item, _Item] = {}
    for wanted, item in product(missing, there):
        if item.excludes(wanted) and not item.becomes(wanted):
            in_the_way[item] = wanted
    blocking = [
        *(_found(item, f"takes the place of {wanted}") for item, wanted in in_the_way.items()),
        *_duplicates(database, missing),
    ]
    if blocking:
        whats, hints = zip(*blocking, strict=True)
        raise MigrationError("; ".join(whats), hint=f"{'; '.join(hints)}; or {_OWN_SERVER}")
    labels = {wanted.on for wanted in all_wanted}
    foreign = (item for item in there if item.on in labels and not any(map(item.is_like, all_wanted)))
    return [_found(item, "may refuse what amr writes") for item in foreign if _can_refuse(item)]


def restore(database: Database) -> list[str]:
    """Create missing and failed constraints and indexes again, and wait until all are online. Returns their names.

    Raises MigrationError: something of another application, or duplicates, are in the way.
    """
    damaged = damage(database)
    if damaged:
        check(database)
    # A failed index stays failed until it is dropped.
    drop(database, *(name for name, state in damaged.items() if state == "failed"))
    _create(database, damaged)
    if damaged:
        database.write("schema/await_indexes")
    return list(damaged)


def _create(database: Database, names: Collection[str]) -> None:
    creations = {wanted.name: creation for wanted, creation in _creations()} if names else {}
    for name in names:
        with mapped_errors(database.uri, database.denied_hint), database.session() as session:
            text = cast(LiteralString, creations[name])
            repeated(lambda session=session, text=text: session.run(text).consume())


def remake(database: Database, labels: Collection[str]) -> None:
    """Drop and create again every constraint and index on these labels and relationship types.

    Neo4j leaves the values of deleted nodes in the pages of an index. Only a new file is certainly free of them.
    Writers take turns, so none makes duplicates while a constraint is gone. Their turn is not taken here: a writer
    that waited for it would hold locks that a drop waits for, and Neo4j would not see the deadlock.
    """
    there = _there(database)
    for wanted, _ in _creations():
        # A constraint of another application that serves in place of ours is not dropped.
        if wanted.on.strip(":[]") in labels and any(wanted.name == i.name and wanted.is_like(i) for i in there):
            database.write(f"schema/drop_{wanted.noun}", name=wanted.name)
            _create(database, [wanted.name])
    database.write("schema/await_indexes")


def drop(database: Database, *names: str) -> None:
    """Drop indexes of ours, to create them again. An index of another application under such a name stays."""
    ours = {wanted.name: wanted for wanted in _wanted() if wanted.name in names}
    for item in _there(database) if ours else ():
        if item.name in ours and item.is_like(ours[item.name]):
            database.write("schema/drop_index", name=item.name)


def _state(wanted: _Item, there: list[_Item]) -> str:
    """Return the state of a constraint or index.

    An equal one that another application made is enough, unless our statements use ours by name.
    """
    like = [item for item in there if item.is_like(wanted)]
    ours = [item.state for item in like if item.name == wanted.name]
    others = [item.state for item in like if item.state != "failed" and item.kind not in _USED_BY_NAME]
    return next(iter(ours + others), MISSING)


def _found(item: _Item, does: str) -> tuple[str, str]:
    hint = f"if nothing needs it: DROP {item.noun.upper()} {item.name}"
    return f"the {item.noun} {item} is not amr's and {does}", hint


def _duplicates(database: Database, missing: list[_Item]) -> list[tuple[str, str]]:
    """Return (what, hint) for each missing constraint that nodes of the database violate."""
    constraints = {wanted.name: wanted for wanted in missing if wanted.noun == "constraint"}
    params = [{"name": c.name, "label": c.on[1:], "properties": c.properties} for c in constraints.values()]
    rows = database.read("schema/duplicates", constraints=params) if params else []
    return [_violated(constraints[row["name"]], row["first"]) for row in rows]


def _violated(wanted: _Item, first: Row) -> tuple[str, str]:
    pairs = zip(wanted.properties, first["values"], strict=True)
    which = ", ".join(f"{name}: {value!r}" for name, value in pairs)
    hint = f"leave one of those that MATCH (n{wanted.on} {{{which}}}) RETURN n finds"
    return f"{first['nodes']} nodes {wanted.on} have {which}: the constraint {wanted} cannot be made", hint


def _can_refuse(item: _Item) -> bool:
    """Return whether it is a constraint that can refuse a node of ours.

    If we never write one of its properties, only a constraint that demands this property can.
    """
    if item.noun != "constraint":
        return False
    texts = (path.read_text(encoding="utf-8") for path in data_path("cypher").rglob("*.cypher"))
    ours = {name for text in texts for name in _PROPERTY.findall(text)}
    return item.kind.endswith(("EXISTENCE", "KEY")) or ours.issuperset(item.properties)


def _there(database: Database) -> list[_Item]:
    """Return the constraints and indexes of the database. The index of a constraint is left out."""
    indexes = database.read("schema/indexes")
    states = {row["name"]: row["state"].lower() for row in indexes}
    found = [_item(row, states.get(row["name"], "online")) for row in database.read("schema/constraints")]
    return found + [_item(row, row["state"].lower()) for row in indexes if not row["owningConstraint"]]


def _item(row: Row, state: str) -> _Item:
    # Calendar versions say NODE_PROPERTY_UNIQUENESS for what was UNIQUENESS.
    kind = "UNIQUENESS" if row["type"].endswith("UNIQUENESS") else row["type"]
    names = "|".join(row["labels"])
    on = f":{names}" if row["entityType"] == "NODE" else f"[:{names}]"
    return _Item(row["name"], kind, on, tuple(row["properties"]), state)


def _executor(database: Database) -> Executor:
    return Executor(database.driver, data_path("migrations"), project=_PROJECT, database=database.database)


def _pending(executor: Executor) -> list[str]:
    result = executor.analyze()
    if result.invalid_versions:
        invalid = ", ".join(f"{v.version} {v.status.name.lower()}" for v in result.invalid_versions)
        raise MigrationError(
            f"the database's schema history differs from this program's: {invalid}",
            hint="use the version of amr that migrated it, or another database",
        )
    return [migration.version for migration in result.pending_migrations]


def _wanted() -> Iterator[_Item]:
    return (wanted for wanted, _ in _creations())


def _creations() -> Iterator[tuple[_Item, str]]:
    """Yield each constraint and index that the program needs, with the statement that creates it."""
    texts = [statement("schema/lock_constraint")]
    for migration in loader.load(data_path("migrations")):
        texts += migration.statements if isinstance(migration, CypherMigration) else ()
    for text in texts:
        for found in _CREATED.finditer(text):
            yield _created(found), text


def _created(found: re.Match[str]) -> _Item:
    kind = {"CONSTRAINT": "UNIQUENESS", "INDEX": "RANGE"}.get(found["kind"], found["kind"].removesuffix(" INDEX"))
    on = f":{found['label']}" if found["label"] else f"[:{found['type']}]"
    return _Item(found["name"], kind, on, tuple(_PROPERTY.findall(found["rest"])))
