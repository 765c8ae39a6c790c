"""docker-compose.yml by its structure, and by `docker compose config` where Compose is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
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
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_there_is_a_database_and_both_others_wait_for_it() -> None:
    assert set(SERVICES) == {"neo4j", "sidecar", "sidecar-gpu", "worker", "server"}
    assert "healthcheck" in SERVICES["neo4j"]
    for name in ("sidecar", "sidecar-gpu", "worker", "server"):
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


@pytest.mark.parametrize("name", ["sidecar", "sidecar-gpu", "worker", "server"])
def test_the_image_takes_what_the_service_passes(name: str) -> None:
    arguments = set(re.findall(r"^ARG (\w+)", DOCKERFILE, re.MULTILINE))
    assert set(SERVICES[name]["build"]["args"]) <= arguments
    known = {f"AMR_{setting.upper()}" for setting in Settings.model_fields}
    given = {variable for variable in SERVICES[name]["environment"] if variable.startswith("AMR_")}
    assert given | set(re.findall(r"\b(AMR_\w+)=", DOCKERFILE)) <= known


def test_only_the_gpu_s_sidecar_reserves_a_gpu_and_has_the_other_s_name() -> None:
    gpu = SERVICES["sidecar-gpu"]
    [device] = gpu["deploy"]["resources"]["reservations"]["devices"]
    assert device["capabilities"] == ["gpu"]
    assert gpu["networks"]["default"]["aliases"] == ["sidecar"]
    assert [name for name, service in SERVICES.items() if "deploy" in service] == ["sidecar-gpu"]


def test_the_images_install_extras_that_exist_and_one_build_of_faiss() -> None:
    [by_default] = re.findall(r"^ARG EXTRAS=(.*)$", DOCKERFILE, re.MULTILINE)
    named = [SERVICES[name]["build"]["args"]["EXTRAS"] for name in ("sidecar-gpu", "worker")]
    for extras in (by_default, *named):
        asked = set(extras.split(","))
        assert asked <= set(EXTRAS)
        assert len(asked & {"cpu", "gpu"}) == 1


def test_only_the_extras_cpu_and_gpu_install_faiss() -> None:
    """Both builds are the module faiss, so whoever names one of the two extras gets one build."""
    lists = {"": PROJECT["dependencies"], **EXTRAS}
    assert {name for name, wanted in lists.items() if "faiss" in str(wanted)} == {"cpu", "gpu"}


def test_a_program_without_faiss_says_which_extra_has_it() -> None:
    code = """
import sys
sys.modules["faiss"] = None  # as where it is not installed
from amr_neo4j.errors import ConfigError
from amr_neo4j.wiring.vector_indexes import VectorIndexes
try:
    VectorIndexes(None, None, None, None, None).local("event", "e5", 384)
except ConfigError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"FAISS is not installed \(run: pip install .*\[cpu\].*\[gpu\].*\)\n", done.stdout)


@pytest.mark.parametrize("profiles", [(), ("sidecar", "worker"), ("gpu", "worker")])
def test_compose_accepts_it(profiles: tuple[str, ...]) -> None:
    command = _compose()
    options = [part for profile in profiles for part in ("--profile", profile)]
    done = _run([*command, *options, "config"], NEO4J_PASSWORD="secret")
    assert done.returncode == 0, done.stderr
    running = set(yaml.safe_load(done.stdout)["services"])
    wanted = {name for name, service in SERVICES.items() if set(service.get("profiles", ())) & set(profiles)}
    assert running >= wanted | {"neo4j"}
    missing = _run([*command, *options, "config"])
    assert missing.returncode != 0 and "NEO4J_PASSWORD" in missing.stderr


def _compose() -> list[str]:
    """The command of Compose: Docker's plugin, or Debian's program. Skips where neither is installed."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]) and _run([*command, "version"]).returncode == 0:
            return command
    pytest.skip("Docker Compose is not installed (Debian: docker-compose)")


def _run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "COMPOSE_"))}
    return subprocess.run(
        command, cwd=ROOT, env=inherited | environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_what_the_containers_run_exists() -> None:
    default = yaml.safe_load(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[0])
    for command in (default, SERVICES["worker"]["command"]):
        assert CliRunner().invoke(app, [*command, "--help"]).exit_code == 0


def test_every_variable_has_a_default_or_says_what_is_missing() -> None:
    used = re.findall(r"\$\{(\w+)([^}]*)\}", TEXT)
    assert used
    assert not [name for name, rest in used if not rest.startswith((":-", ":?"))]
