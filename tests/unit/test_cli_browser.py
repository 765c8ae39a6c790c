"""amr browser: the address contains the login, not the password, and is opened only on a screen."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from amr_neo4j.cli.db import _address
from amr_neo4j.domain.event import Channel
from amr_neo4j.errors import ConfigError
from amr_neo4j.localdb import Connection
from amr_neo4j.memory import Memory

SERVER = {"NEO4J_URI": "neo4j://graph.example:7688", "NEO4J_USERNAME": "ann", "NEO4J_PASSWORD": "hush"}


def amr(*arguments: str, **environment: str) -> str:
    """The output of `amr`, in a session with a screen only if the environment names one."""
    plain = {
        name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"}
    }
    command = [sys.executable, "-m", "amr_neo4j", *arguments]
    done = subprocess.run(command, env=plain | SERVER | environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """The addresses that a web browser was opened with."""
    program = tmp_path / "web-browser"
    program.write_text(f'#!/bin/sh\necho "$1" >>{tmp_path}/opened\n')
    program.chmod(0o755)
    (tmp_path / "opened").touch()
    return tmp_path / "opened"


def test_the_address_is_opened_where_there_is_a_screen(opened: Path) -> None:
    shown = amr("browser", BROWSER=f"{opened.parent}/web-browser", DISPLAY=":0")
    [address] = opened.read_text().split()
    assert address in shown
    assert address.startswith("http://graph.example:7474/browser/?")
    assert parse_qs(urlsplit(address).query) == {"dbms": ["neo4j://ann@graph.example:7688"]}


def test_the_address_is_printed_without_a_screen_and_for_programs(opened: Path) -> None:
    web = f"{opened.parent}/web-browser"
    shown = amr("browser", BROWSER=web)
    fields = json.loads(amr("browser", "--json", BROWSER=web, DISPLAY=":0"))
    assert opened.read_text() == ""
    assert fields["user"] == "ann"
    assert Path(fields["style"]).is_file()
    assert [*Path(fields["scripts"]).glob("*.cypher")]
    assert [*Path(fields["analytics"]).glob("*.cypher")]
    assert "hush" not in shown + str(fields)


def test_the_style_sheet_has_a_colour_for_each_channel_and_a_caption_for_each_node() -> None:
    """Browser's parser knows no comments, and drops a line with more than one colon."""
    text = (Memory.browser_folder() / "style.grass").read_text()
    rules = dict(re.findall(r"^([\w.]+) \{\n(.*?)\n\}", text, re.MULTILINE | re.DOTALL))
    assert "".join(f"{name} {{\n{body}\n}}\n" for name, body in rules.items()) == text
    colours = {re.search(r"  color: (#\w+);", rules[f"relationship.{channel.value}"])[1] for channel in Channel}
    assert len(colours) == len(Channel)
    captions = {
        "Event": "title",
        "Person": "name",
        "Object": "words",
        "Clip": "clip_id",
        "Video": "video_id",
    }
    for label, caption in captions.items():
        assert f'caption: "{{{caption}}}";' in rules[f"node.{label}"]
    assert all(line.count(":") == 1 for body in rules.values() for line in body.splitlines())


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (
            Connection("bolt://127.0.0.1:20001", "neo4j", "x", "neo4j", "http://127.0.0.1:20002/browser/"),
            "http://127.0.0.1:20002/browser/?dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A20001&db=neo4j",
        ),
        (
            Connection("bolt://[::1]:7687", "u", ""),
            "http://[::1]:7474/browser/?dbms=bolt%3A%2F%2Fu%40%5B%3A%3A1%5D%3A7687",
        ),
    ],
)
def test_the_address_contains_the_login(where: Connection, expected: str) -> None:
    assert _address(where) == expected


@pytest.mark.parametrize("uri", ["graph", "bolt://", "bolt://[oops"])
def test_an_invalid_address_is_refused(uri: str) -> None:
    with pytest.raises(ConfigError, match="not a Neo4j address"):
        _address(Connection(uri, "neo4j", ""))


def test_the_password_is_printed_only_when_asked() -> None:
    assert json.loads(amr("browser", "--show-password", "--json"))["password"] == "hush"
