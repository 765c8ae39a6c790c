"""docker-compose.yml by its structure. `docker compose config` is not run: the plugin is not everywhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from amr_neo4j.cli.main import app
from amr_neo4j.settings import Settings

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_there_is_a_database_and_both_others_wait_for_it() -> None:
    assert set(SERVICES) == {"neo4j", "sidecar", "worker"}
    assert "healthcheck" in SERVICES["neo4j"]
    for name in ("sidecar", "worker"):
        assert SERVICES[name]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_whole(name: str) -> None:
    service = SERVICES[name]
    assert ("image" in service) != ("build" in service)
    for volume in service.get("volumes", []):
        source = re.sub(r"\$\{[^}]*\}", "./given", volume).partition(":")[0]
        assert source.startswith(".") or source in COMPOSE["volumes"]
    for port in service.get("ports", []):
        assert port.startswith("127.0.0.1:")


@pytest.mark.parametrize("name", ["sidecar", "worker"])
def test_the_image_takes_what_the_service_passes(name: str) -> None:
    arguments = set(re.findall(r"^ARG (\w+)", DOCKERFILE, re.MULTILINE))
    assert set(SERVICES[name]["build"]["args"]) <= arguments
    known = {f"AMR_{setting.upper()}" for setting in Settings.model_fields}
    given = {variable for variable in SERVICES[name]["environment"] if variable.startswith("AMR_")}
    assert given | set(re.findall(r"\b(AMR_\w+)=", DOCKERFILE)) <= known


def test_what_the_containers_run_exists() -> None:
    default = yaml.safe_load(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[0])
    for command in (default, SERVICES["worker"]["command"]):
        assert CliRunner().invoke(app, [*command, "--help"]).exit_code == 0


def test_every_variable_has_a_default_or_says_what_is_missing() -> None:
    used = re.findall(r"\$\{(\w+)([^}]*)\}", TEXT)
    assert used
    assert not [name for name, rest in used if not rest.startswith((":-", ":?"))]
