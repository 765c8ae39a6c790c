"""The questions of cypher/analytics/, which people also paste into Neo4j Browser: what each takes, and its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amr_neo4j.errors import InputError
from amr_neo4j.store.statements import data_path, own_values, purpose

_SCOPE = "group_id"


@dataclass(frozen=True)
class Analysis:
    """One question to the graph. params: what it takes beside the group, with the values it has unless given."""

    name: str
    purpose: str
    params: Mapping[str, str | float]

    @property
    def statement(self) -> str:
        """Its name among the statements."""
        return f"analytics/{self.name}"

    def bound(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """A value for every parameter; text becomes a number where one is wanted.

        Raises InputError: a parameter it does not take, or a value that cannot be.
        """
        if unknown := [name for name in given if name not in self.params]:
            takes = ", ".join(self.params) or "nothing but the group (--group)"
            raise InputError(f"{self.name} has no parameter {unknown[0]}", hint=f"it takes: {takes}")
        return {name: _like(own, name, given.get(name, own)) for name, own in self.params.items()}


def analyses() -> list[Analysis]:
    """All of them, by name."""
    names = sorted(path.stem for path in (data_path("cypher") / "analytics").glob("*.cypher"))
    return [_analysis(name) for name in names]


def analysis(name: str) -> Analysis:
    """The one of this name. Raises InputError: there is none."""
    found = {each.name: each for each in analyses()}
    if name not in found:
        raise InputError(f"there is no analysis {name}", hint=f"there are: {', '.join(found)}")
    return found[name]


def _analysis(name: str) -> Analysis:
    own = own_values(f"analytics/{name}")
    return Analysis(
        name,
        purpose(f"analytics/{name}"),
        {param: value for param, value in own.items() if param != _SCOPE},
    )


def _like(own: str | float, name: str, value: Any) -> Any:
    """The value as the kind that the file's own one is of; numbers here are lengths, so above 0."""
    if isinstance(own, str):
        return str(value)
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InputError(f"{name} is no number above 0: {value}", hint=f"write it like: {name}={own}")
    return number
