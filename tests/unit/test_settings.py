"""Settings: precedence of sources, the source of each value, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.cli.main import main
from amr_neo4j.errors import ConfigError, NotInMemory
from amr_neo4j.model_roles import ENGLISH, LOCAL_EMBEDDERS, MULTILINGUAL
from amr_neo4j.settings import load, origins
from amr_neo4j.wiring.embedder import local_name


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "amr.yaml"
    monkeypatch.setenv("AMR_CONFIG", str(path))
    return path


def test_arguments_override_the_environment_and_the_environment_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("group: file\nTARGET_CLIP_SEC: 5\nNEO4J_USERNAME: file\nmax_hops: 2\n")
    monkeypatch.setenv("TARGET_CLIP_SEC", "6")
    monkeypatch.setenv("NEO4J_USERNAME", "environment")
    settings = load(target_clip_sec=7.0, group="argument")
    assert (settings.group, settings.target_clip_sec) == ("argument", 7.0)
    assert (settings.neo4j_username, settings.max_hops) == ("environment", 2)


def test_every_setting_reports_its_source(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("group: file\nTARGET_CLIP_SEC: 5\n")
    monkeypatch.setenv("NEO4J_USERNAME", "environment")
    monkeypatch.setenv("NEO4J_URI", "")
    found = origins(load(max_hops=1), max_hops=1, embedder=None)
    assert (found["group"], found["target_clip_sec"]) == (str(file), str(file))
    assert (found["neo4j_username"], found["max_hops"]) == ("NEO4J_USERNAME", "argument")
    assert (found["neo4j_uri"], found["embedder"]) == ("default", "default")


def test_a_file_given_as_an_argument_overrides_the_one_of_the_environment(file: Path, tmp_path: Path) -> None:
    file.write_text("group: environment")
    other = tmp_path / "other.yaml"
    other.write_text("group: argument")
    assert load(config=other).group == "argument"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grup: home", "unknown setting grup"),
        ("max_hops: many", "setting max_hops"),
        ("TARGET_CLIP_SEC: 0.0001", "setting TARGET_CLIP_SEC"),
        ("TARGET_CLIP_SEC: .nan", "setting TARGET_CLIP_SEC"),
        ("group: [", "cannot read"),
        ("- group", "is not a table of settings"),
        ("3: 4", "unknown setting 3"),
        ("group: \x00", "cannot read"),
        ("group: a\nmax_hops: 2\ngroup: b", "line 3: group is there twice"),
        ("judge:\n  model: a\n  model: b", "line 3: model is there twice"),
        ("TARGET_CLIP_SEC: 5\ntarget_clip_sec: 6", "one setting twice: TARGET_CLIP_SEC and target_clip_sec"),
        ("NEO4J_USERNAME: a\nneo4j_username: b", "one setting twice: NEO4J_USERNAME and neo4j_username"),
        ("neo4j_uri: bolt://neo4j:tiger@localhost", "holds a user name or a password"),
        ("NEO4J_DATABASE: System", "is Neo4j's own database"),
        ("group: " + "[" * 1500, "nested too deeply"),
    ],
)
def test_an_invalid_file_is_one_line(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        load()
    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("value", [0, -1])
@pytest.mark.parametrize("name", ["beam_width", "groups"])
def test_a_beam_width_of_0_is_one_line(name: str, value: int) -> None:
    """No hops at all are fine, fewer are not."""
    with pytest.raises(ConfigError, match=f"setting {name}: Input should be greater than or equal to 1"):
        load(**{name: value})
    assert load(max_hops=0).max_hops == 0
    with pytest.raises(ConfigError, match="setting max_hops: Input should be greater than or equal to 0"):
        load(max_hops=-1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "judge: {modle: x}",
            "unknown setting judge.modle .known: judge.provider, judge.api_key, judge.model",
        ),
        ("judge: gpt", "setting judge: Input should be a valid dictionary"),
        ("judge: {max_tokens: 0}", "setting judge.max_tokens"),
        ("provider: openruter", "setting provider: should be one of openrouter, openai"),
        ("answer: {provider: 'https://me:hush@example.org/v1'}", "setting answer.provider"),
    ],
)
def test_an_invalid_model_setting_is_one_line(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        load()
    assert "\n" not in str(caught.value)
    assert "hush" not in str(caught.value)


def test_a_role_combines_its_parts_from_every_source(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("provider: openrouter\njudge:\n  model: file\n  timeout_s: 5\n  max_tokens: 9\n")
    monkeypatch.setenv("AMR_JUDGE__MODEL", "environment")
    monkeypatch.setenv("OPENROUTER_API_KEY", "hush")
    arguments = {"judge": {"max_tokens": 7}, "embed": None}
    settings = load(**arguments)
    found = origins(settings, **arguments)
    assert (settings.judge.model, settings.judge.timeout_s, settings.judge.max_tokens) == ("environment", 5, 7)
    assert (found["judge.model"], found["judge.timeout_s"]) == ("AMR_JUDGE__MODEL", str(file))
    assert (found["judge.max_tokens"], found["judge.temperature"]) == ("argument", "default")
    assert (found["provider"], found["openrouter_api_key"]) == (str(file), "OPENROUTER_API_KEY")
    assert "hush" not in repr(settings)


def test_a_role_in_one_variable_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.touch()
    monkeypatch.setenv("AMR_JUDGE", '{"api_key": "hush"}')
    with pytest.raises(ConfigError, match="setting judge: Input should be a valid dictionary") as caught:
        load()
    assert "hush" not in str(caught.value)


def test_a_named_file_must_exist(file: Path) -> None:
    with pytest.raises(ConfigError, match="no file"):
        load()


def test_an_error_about_a_secret_does_not_contain_it(file: Path) -> None:
    file.write_text("neo4j_password: 12345678")
    with pytest.raises(ConfigError) as caught:
        load()
    assert "12345678" not in str(caught.value)


def test_the_embedder_is_that_of_the_group_or_follows_the_language_unless_it_is_named() -> None:
    assert local_name(load()) == "e5"
    assert local_name(load(language="de")) == "multilingual-e5"
    assert local_name(load(language="de"), LOCAL_EMBEDDERS[ENGLISH]) == "e5"
    assert local_name(load(), LOCAL_EMBEDDERS[MULTILINGUAL]) == "multilingual-e5"
    assert local_name(load(), ("of another program", 4)) == "e5"
    assert local_name(load(language="de", embedder="e5"), LOCAL_EMBEDDERS[MULTILINGUAL]) == "e5"


@pytest.mark.parametrize(
    "text", ["neo4j_password: 'tiger\ngroup: a", "neo4j_password: tiger: cat", "a: &tiger\nb: *x"]
)
def test_an_error_in_the_file_quotes_none_of_its_values(text: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load()
    assert "tiger" not in str(raised.value) and "line " in str(raised.value)


@pytest.mark.parametrize("arguments", [["config", "show"], ["groups"], ["doctor"], ["db", "status"], ["-v", "stats"]])
@pytest.mark.parametrize("name", ["NEO4J_URI", "AMR_SIDECAR_URL"])
def test_no_command_shows_a_password_of_an_address(
    name: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "bolt://neo4j:tiger@localhost:1")
    with pytest.raises(SystemExit):
        main(arguments)
    said = capfd.readouterr()
    assert said.out + said.err and "tiger" not in said.out + said.err


def test_an_error_shows_no_password_of_an_address() -> None:
    error = ConfigError("cannot reach http://a:tiger@host:1", hint="check rtsp://tiger@camera")
    assert (error.message, error.hint) == ("cannot reach http://***@host:1", "check rtsp://***@camera")
    assert str(error) == "cannot reach http://***@host:1 (check rtsp://***@camera)" == f"{error}"


@pytest.mark.parametrize("name", ["password", "pwd", "access_token", "X-Api-Key", "client_secret", "sig"])
def test_secrets_in_the_query_of_an_address_are_starred(name: str) -> None:
    error = ConfigError(f"http://h:1/v1?page=2&{name}=s3cr%2F:et#top and neo4j://h?{name}=s3cret: no answer")
    assert error.message == f"http://h:1/v1?page=2&{name}=***#top and neo4j://h?{name}=***: no answer"


def test_an_error_is_one_line_whatever_it_quotes() -> None:
    error = NotInMemory("no session a\nb\x1b[31m\u2028c", hint="say\r\nwhich")
    assert (error.message, str(error)) == ("no session a b [31m c", "no session a b [31m c (say which)")


def test_languages_of_conversations_are_codes_without_the_spaces_between_them() -> None:
    assert load(hot_languages="en, de ,,fr").languages == ("en", "de", "fr")
