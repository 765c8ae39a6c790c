"""The pages on settings list all of them, with their variables and defaults."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import AliasChoices

from amr_neo4j.cli import explore, ingest
from amr_neo4j.model_roles import ExploreRole, Role
from amr_neo4j.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"
CONFIGURATION = (DOCS / "configuration.md").read_text(encoding="utf-8")
MODELS = (DOCS / "models.md").read_text(encoding="utf-8")

FIELDS = Settings.model_fields
ROLES = {
    name: field.annotation
    for name, field in FIELDS.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Role)
}
PLAIN = sorted(FIELDS.keys() - ROLES.keys())
PARTS = sorted({part for role in ROLES.values() for part in role.model_fields})


def _row(page: str, name: str) -> str:
    """The line of a table that has the name in its first cell."""
    rows = [line for line in page.splitlines() if re.match(rf"\|[^|]*`{re.escape(name)}`[^|]*\|", line)]
    assert rows, f"no row for {name}"
    return rows[0]


@pytest.mark.parametrize("name", PLAIN)
def test_a_setting_is_listed_with_its_variables(name: str) -> None:
    row, alias = _row(CONFIGURATION, name), FIELDS[name].validation_alias
    names = alias.choices if isinstance(alias, AliasChoices) else [f"AMR_{name.upper()}"]
    assert all(f"`{variable}`" in row for variable in names if str(variable).isupper())


@pytest.mark.parametrize("name", PLAIN)
def test_a_setting_is_listed_with_its_default(name: str) -> None:
    default = FIELDS[name].default
    if isinstance(default, str | int | float) and default != "":
        written = str(default) if isinstance(default, str) else f"{default:g}"
        written = str(default).lower() if isinstance(default, bool) else written
        assert f"| `{written}` |" in _row(CONFIGURATION, name)


@pytest.mark.parametrize("name", sorted(ROLES))
def test_a_role_is_listed(name: str) -> None:
    assert f"`{name}`" in _row(MODELS, name)
    assert f"`{name}`" in CONFIGURATION


@pytest.mark.parametrize("name", PARTS)
def test_a_setting_of_a_role_is_listed(name: str) -> None:
    assert _row(MODELS.partition("## Settings of a role")[2], name)


@pytest.mark.parametrize(
    ("option", "default"),
    [
        (ingest.ClipLength, FIELDS["target_clip_sec"].default),
        (ingest.Reconnect, FIELDS["live_reconnect_sec"].default),
        (explore.Temperature, ExploreRole().temperature),
    ],
)
def test_the_help_of_an_option_says_the_default_of_its_setting(option: Any, default: float) -> None:
    """Written by hand, so that `amr --help` need not load the settings."""
    [shown] = option.__metadata__
    assert shown.help.endswith(f"Default: {default:g}.")
