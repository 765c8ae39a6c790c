"""The statements of cypher/analytics/ and their parameters. They can also be pasted into Neo4j Browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amr_neo4j.errors import InputError
from amr_neo4j.store.statements import data_path, default_params, purpose

_SCOPE = "group_id"


@dataclass(frozen=True)
class Analysis:
    """One analytics statement. params: its parameters besides the group, with their defaults."""

    name: str
    purpose: str
    params: Mapping[str, str | float]

    @property
    def statement(self) -> str:
        """The statement's name."""
        return f"analytics/{self.name}"

    def bound(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return {parameter: value}, with defaults for those that are not given.

        A value becomes a number if the default is one. Raises InputError: an unknown parameter, or an invalid value.
        """
        if unknown := [name for name in given if name not in self.params]:
            takes = ", ".join(self.params) or "nothing but the group (--group)"
            raise InputError(f"{self.name} has no parameter {unknown[0]}", hint=f"it takes: {takes}")
        return {name: _converted(default, name, given.get(name, default)) for name, default in self.params.items()}


def analyses() -> list[Analysis]:
    """Return all analytics statements, sorted by name."""
    names = sorted(path.stem for path in (data_path("cypher") / "analytics").glob("*.cypher"))
    return [_analysis(name) for name in names]


def analysis(name: str) -> Analysis:
    """Return the analytics statement of this name. Raises InputError if there is none."""
    found = {each.name: each for each in analyses()}
    if name not in found:
        raise InputError(f"there is no analytics query {name}", hint=f"there are: {', '.join(found)}")
    return found[name]


def _analysis(name: str) -> Analysis:
    defaults = default_params(f"analytics/{name}")
    params = {param: value for param, value in defaults.items() if param != _SCOPE}
    return Analysis(name, purpose(f"analytics/{name}"), params)


def _converted(default: str | float, name: str, value: Any) -> Any:
    """Convert a value to the type of the default; numbers must be above 0."""
    if isinstance(default, str):
        return str(value)
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InputError(f"{name} is not a number above 0: {value}", hint=f"write it like: {name}={default}")
    return number
