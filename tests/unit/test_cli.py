"""amr as a user types it: help, options, user errors and internal errors."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from amr_neo4j import __version__
from amr_neo4j.cli.main import app, main
from amr_neo4j.cli.typer_app import options_first
from amr_neo4j.domain.analysis import ClipLine
from amr_neo4j.memory import Memory

Capture = pytest.CaptureFixture[str]
TOP = Path(__file__).parents[2]
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted(TOP.glob("docs/*.md"))]
ROOT: Any = get_command(app)
HEAVY = ["rich", "pydantic", "numpy", "yaml", "neo4j", "faiss", "onnxruntime", "cv2", "scipy", "tokenizers"]


def _commands(command: Any = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    inner = getattr(command, "commands", {})
    if not inner or not path:
        yield path
    for name, sub in inner.items():
        yield from _commands(sub, (*path, name))


COMMANDS = list(_commands())


def amr(*arguments: str) -> int:
    """Run `amr` here; the exit code."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@cache
def help_of(path: tuple[str, ...]) -> str:
    """What `amr ... --help` prints."""
    # `invoke` would make the parser of all commands anew.
    with CliRunner().isolation() as (shown, *_):
        with pytest.raises(SystemExit) as ended:
            ROOT.main([*path, "--help"], prog_name=ROOT.name)
        sys.stdout.flush()
        assert ended.value.code == 0
        return shown.getvalue().decode()


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_help_shows_examples_of_real_commands_and_options(path: tuple[str, ...]) -> None:
    _, _, shown = help_of(path).rpartition("Example")
    examples = re.split(r"(?=\bamr )", " ".join(shown.split()))[1:]
    assert examples, f"amr {' '.join(path)} --help shows no example"
    for example in examples:
        named = _resolve(shlex.split(re.sub(r"[|>].*", "", example))[1:])
        assert named[: len(path)] == path or not path, f"{example} is no example of amr {' '.join(path)}"
    assert not re.search(r"   \|   ", shown), "one example a line: a bar would be a pipe"


@pytest.mark.parametrize("path", [(), *sorted({path[:1] for path in COMMANDS if len(path) > 1})], ids=" ".join)
def test_a_group_lists_each_command_in_whole_words(path: tuple[str, ...]) -> None:
    """Not cut off at the width of the terminal."""
    assert "..." not in help_of(path).replace("[ARGS]...", "")


def _resolve(words: list[str]) -> tuple[str, ...]:
    """The command named by the words of an example; each option must exist on it."""
    command, path = ROOT, ()
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            [option] = [each for each in command.params if word in each.opts]
            if not option.is_flag:
                next(rest)
        elif hasattr(command, "commands"):
            command, path = command.commands[word], (*path, word)
    assert not hasattr(command, "commands"), f"{words} name no command"
    return path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_real_commands_only(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    for line in [line for block in blocks for line in block.splitlines() if line.startswith("amr ")]:
        assert _resolve(shlex.split(line, comments=True)[1:])
    for name, subcommands in re.findall(r"`amr ([a-z]+)(?: ([a-z\\|]+))?", text):
        inner = getattr(ROOT.commands[name], "commands", None)
        assert not inner or all(each in inner for each in subcommands.split(r"\|") if each)


@pytest.mark.parametrize(
    "path",
    [path for path in COMMANDS if path not in {(), ("config", "schema"), ("mcp",), ("serve",), ("sidecar", "serve")}],
    ids=" ".join,
)
def test_every_command_takes_json(path: tuple[str, ...]) -> None:
    assert "--json" in help_of(path)


@pytest.mark.parametrize(
    ("arguments", "sorted_out"),
    [
        (["stats", "--group", "home"], ["--group", "home", "stats"]),
        (["stats", "--group=home", "-v"], ["--group=home", "-v", "stats"]),
        (
            ["chat", "say", "Hello.", "--config", "a.yaml", "--user", "me"],
            ["--config", "a.yaml", "chat", "say", "Hello.", "--user", "me"],
        ),
        (["ask", "--", "--group"], ["ask", "--", "--group"]),
        (["ask", "--person=--group", "Who?"], ["ask", "--person=--group", "Who?"]),
        (["stats", "--group"], ["--group", "stats"]),
    ],
)
def test_options_of_amr_may_follow_the_command(arguments: list[str], sorted_out: list[str]) -> None:
    assert options_first(arguments) == sorted_out


def test_options_of_amr_count_after_the_command(capsys: Capture) -> None:
    assert amr("stats", "--config", "/nowhere/amr.yaml") == 78
    assert "/nowhere/amr.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_shows_no_python_types(path: tuple[str, ...]) -> None:
    assert not re.search(r"<(str|int|float|path|file|list)", help_of(path))


def test_uninstall_removes_what_amr_wrote_and_nothing_else(tmp_path: Path, capsys: Capture) -> None:
    data, cache = tmp_path / "data", tmp_path / "cache"
    for path in (
        data / "vectors" / "a.npz",
        data / "spool.sqlite",
        data / "live" / "0a1b" / "c0.mp4",
        data / "explorer" / "tree.json",
        data / "server.key",
        data / "holiday.mp4",
        cache / "models" / "m" / "f",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    settings = tmp_path / "amr.yaml"
    settings.write_text(f"cache_dir: {cache}\n")
    assert amr("--config", str(settings), "--data-dir", str(data), "uninstall", "--yes", "--json") == 0
    removed = json.loads(capsys.readouterr().out)
    assert {Path(path).name for path in removed} == {
        *("vectors", "spool.sqlite", "live", "explorer", "server.key", "models")
    }
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["amr.yaml", "holiday.mp4"]
    assert amr("--config", str(settings), "--data-dir", str(data), "uninstall", "--yes") == 0
    assert f"left: {data / 'holiday.mp4'}" in capsys.readouterr().out


def test_help_imports_nothing_heavy() -> None:
    """Keeps `amr --help` well under 0.3 s."""
    code = f"""
import sys
from amr_neo4j.cli.main import main
try:
    main(["--help"])
finally:
    print([name for name in {HEAVY} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("loaded", "unneeded"),
    [
        ("amr_neo4j.memory", ["amr_neo4j.language.languages"]),
        (
            "amr_neo4j.memory, amr_neo4j.recall.pipeline, amr_neo4j.app.asking",
            ["amr_neo4j.domain.analysis", "amr_neo4j.domain.replies", "amr_neo4j.prompts", "amr_neo4j.hearing"],
        ),
    ],
    ids=["opening", "asking"],
)
def test_commands_load_only_what_they_need(loaded: str, unneeded: list[str]) -> None:
    """So they start sooner. The shape of a model's reply, for example, is needed only if a model is configured."""
    code = f"""
import sys
import {loaded}
print([name for name in {unneeded} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout == f"amr {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "nonsense"),
        (["show", "event", "first"], "ID"),
        (["search", "keys", "--limit", "0"], "--limit"),
        (["ingest"], "PLACE"),
        (["ingest", "-", "more.jsonl"], "cannot be combined"),
        (["ingest", "-", "--place", "home"], "cannot be combined"),
        (["ingest", "a.mp4", "--recorded-at", "2026-03-01T09:00:00"], "offset"),
        (["ingest", "a.mp4", "--recorded-at", "soon"], "write it like"),
    ],
)
def test_an_invalid_command_line_exits_with_2(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_an_error_is_printed_with_advice_and_sets_the_exit_code(capsys: Capture) -> None:
    assert amr("stats") == 69
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "amr: no Neo4j is running here\n     run: amr db start, or set NEO4J_URI\n"


def test_invalid_settings_exit_with_78(capsys: Capture) -> None:
    assert amr("--config", "/nowhere/amr.yaml", "stats") == 78
    assert "/nowhere/amr.yaml" in capsys.readouterr().err


def test_an_impossible_folder_is_an_input_error(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").touch()
    assert amr("--data-dir", str(tmp_path / "file"), "db", "status") == 74
    said = capsys.readouterr().err
    assert str(tmp_path / "file") in said
    assert "internal error" not in said


def test_an_internal_error_shows_its_traceback_only_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr(Memory, "open", broken)
    assert amr("stats") == 70
    said = capsys.readouterr().err
    assert "internal error" in said
    assert "surprise" in said
    assert "Traceback" not in said
    with pytest.raises(KeyError):
        main(["-v", "stats"])


def test_an_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "open", interrupted)
    assert amr("ingest", "a.mp4") == 130
    assert "committed clips are kept" in capsys.readouterr().err


def test_options_before_the_command_reach_it(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "own.yaml").write_text("group: file\nmax_hops: 3\nneo4j_password: hush\n")
    arguments = ["--config", str(tmp_path / "own.yaml"), "--data-dir", str(tmp_path), "--json"]
    assert amr(*arguments, "config", "show") == 0
    printed = capsys.readouterr().out
    rows = {row["setting"]: (row["value"], row["origin"]) for row in json.loads(printed)}
    assert rows["group"] == ("file", str(tmp_path / "own.yaml"))
    assert rows["max_hops"] == (3, str(tmp_path / "own.yaml"))
    assert rows["data_dir"] == (str(tmp_path), "argument")
    assert rows["neo4j_uri"] == (None, "default")
    assert "hush" not in printed
    assert amr(*arguments, "db", "status") == 0
    assert json.loads(capsys.readouterr().out)["home"] == str(tmp_path / "neo4j")


def test_config_show_hides_secrets_in_the_table_too(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "hush")
    assert amr("config", "show") == 0
    printed = capsys.readouterr()
    [line] = [line for line in printed.out.splitlines() if line.startswith("neo4j_password")]
    assert line.split() == ["neo4j_password", "**********", "NEO4J_PASSWORD"]
    assert "max_hops" not in printed.out and "--all" in printed.err
    assert amr("config", "show", "--all") == 0
    assert "max_hops" in capsys.readouterr().out


def test_config_show_lists_every_role_and_hides_its_key(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("AMR_JUDGE__API_KEY", "hush")
    assert amr("config", "show", "--json") == 0
    printed = capsys.readouterr().out
    rows = {row["setting"]: (row["value"], row["origin"]) for row in json.loads(printed)}
    assert rows["judge.api_key"] == ("**********", "AMR_JUDGE__API_KEY")
    assert rows["judge.model"] == ("openai/gpt-6.1-sol", "default")
    assert "hush" not in printed


def test_the_schema_in_docs_is_generated_from_the_model(capsys: Capture) -> None:
    """Made by: amr config schema > docs/clip-line.schema.json"""
    assert amr("config", "schema") == 0
    printed = capsys.readouterr().out
    assert (Path(__file__).parents[2] / "docs" / "clip-line.schema.json").read_text() == printed
    assert set(json.loads(printed)["properties"]) == set(ClipLine.model_fields)


def test_doctor_names_what_is_missing_and_omits_dependent_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("AMR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    assert amr("doctor", "--json") == 69
    findings = {row["check"]: row for row in json.loads(capsys.readouterr().out)}
    assert [name for name, row in findings.items() if row["exit_code"]] == ["ffmpeg", "models", "database"]
    assert findings["models"]["hint"].endswith(" MB; run: amr models install")
    assert "amr db start" in findings["database"]["hint"]
    assert "schema" not in findings, "a check of the database is no use without one"
    assert amr("doctor") == 69
    assert re.search(r"^FAILS +models .*\n +\d+ MB; run: amr models install$", capsys.readouterr().out, re.MULTILINE)
