"""amr analytics without a database: the list, user errors, and the CSV format."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from amr_neo4j.cli.browse import _print_csv, _show_counts
from amr_neo4j.cli.main import app

Capture = pytest.CaptureFixture[str]


def test_without_a_name_it_lists_the_queries_and_their_parameters() -> None:
    listed = json.loads(CliRunner().invoke(app, ["analytics", "--json"]).stdout)
    takes = {row["name"]: row["takes"] for row in listed}
    assert takes == {
        "busiest_times": "window=60",
        "channel_degrees": "",
        "hand_overs": "",
        "left_open_or_on": "",
        "object_timeline": "object=key",
        "orphans": "",
        "person_across_videos": "person=anna",
        "state_durations": "object=lamp",
        "stated_relations": "user_id=anna",
        "who_met_whom": "",
    }
    assert all(row["tells"].endswith(".") for row in listed)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hand_overs", "--csv", "--json"], "--csv or --json"),
        (["--param", "object=keys"], "NAME"),
        (["object_timeline", "--param", "object"], "object=keys"),
        (["object_timeline", "--param", "object="], "object=keys"),
        (["object_timeline", "--param", "=keys"], "object=keys"),
    ],
)
def test_an_invalid_command_line_exits_with_2(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["analytics", *arguments])
    assert result.exit_code == 2
    assert said in result.output


def test_csv_keeps_times_exact_and_text_complete(capsys: Capture) -> None:
    moment = datetime(2026, 3, 1, 9, 0, 0, 500_000, tzinfo=UTC)
    _print_csv([{"at": moment, "verb": None, "summary": 'a "b",\nc', "seconds": 0.0}])
    assert capsys.readouterr().out == 'at,verb,summary,seconds\n2026-03-01T09:00:00.500000+00:00,,"a ""b"",\nc",0.0\n'


def test_csv_of_no_rows_is_empty(capsys: Capture) -> None:
    _print_csv([])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("by", "said"), [("day", "--recorded-at"), ("person", "no persons yet"), ("place", "no places yet")]
)
def test_counts_of_nothing_say_why(by: str, said: str, capsys: Capture) -> None:
    _show_counts(by, [])
    [line] = capsys.readouterr().out.splitlines()
    assert said in line
