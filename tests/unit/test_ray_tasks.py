"""Ray where it is not installed, and what is refused before it starts."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from threading import Event

import pytest

from amr_neo4j.domain.arguments import Workers, checked
from amr_neo4j.domain.receipt import IngestOptions
from amr_neo4j.errors import ConfigError, InputError, ModelMissing
from amr_neo4j.ray_tasks import LOCAL, run_each
from amr_neo4j.settings import load
from amr_neo4j.wiring.ray_worker import VideoTask, _tasks, ingest_by_workers, take_in


@checked
def _takes(on: Workers = "") -> str:
    return on


def _ingest(tmp_path: Path, on: str, place: str | Path) -> None:
    ingest_by_workers(
        load(data_dir=tmp_path), on, [place], IngestOptions(), watch=lambda progress: None, notify=print
    )


def test_without_ray_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModelMissing) as caught:
        list(run_each("ray://127.0.0.1:1", abs, [1], lambda line: None))
    assert "[ray]" in caught.value.hint


@pytest.mark.parametrize("where", ["ray://head", "head:10001", "remote"])
def test_workers_have_an_address_of_one_form(where: str) -> None:
    assert [_takes(on=right) for right in ("", "local", "ray://head:10001")]
    with pytest.raises(InputError, match="on is"):
        _takes(on=where)


def test_live_sources_and_standard_input_are_refused(tmp_path: Path) -> None:
    for place in ("-", "rtsp://127.0.0.1/x"):
        with pytest.raises(InputError, match="complete"):
            _ingest(tmp_path, LOCAL, place)


def test_workers_elsewhere_need_the_address_of_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    lines = tmp_path / "a.jsonl"
    lines.write_text("")
    with pytest.raises(ConfigError, match="address"):
        _ingest(tmp_path, "ray://127.0.0.1:1", lines)


def test_a_worker_of_another_version_takes_nothing_in(tmp_path: Path) -> None:
    done = take_in(VideoTask("a.jsonl", IngestOptions(), load(data_dir=tmp_path), is_here=True, version="0.0.1"))
    assert isinstance(done.error, ConfigError)
    assert done.clips == ()


def test_what_only_live_sources_need_is_not_sent_to_workers(tmp_path: Path) -> None:
    tasks = _tasks(load(data_dir=tmp_path), LOCAL, {"a.jsonl": True}, IngestOptions(stop=Event()))
    assert pickle.loads(pickle.dumps(tasks))[0].place == "a.jsonl"
