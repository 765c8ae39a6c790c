"""The libraries that we load report nothing to their makers: no look-up, no connection, no file of theirs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from amr_neo4j.cli.checks import telemetry
from amr_neo4j.local_models.registry import installed
from amr_neo4j.local_models.speech_model import installed_speech
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import EARS, local_ears
from tests.support import traced
from tests.support.films import make, source
from tests.support.traced import ROOT

_CONTROL = """
import pathlib, socket
pathlib.Path.home().joinpath("deviceid").touch()
brief = pathlib.Path.home() / "brief"
brief.touch()
brief.unlink()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
    line.connect(("192.0.2.1", 443))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as resolver:
    resolver.connect(("127.0.0.1", 53))
"""
# A worker that is started anew, as those of a process pool are.
_WORKER = """
import subprocess, sys
import amr_neo4j
subprocess.run([sys.executable, "-c", "import onnxruntime"], check=True)
"""
_RAY = """
from os.path import expanduser
from amr_neo4j.ray_tasks import LOCAL, run_each
print(*(done.result for done in run_each(LOCAL, expanduser, ["~"], print)))
"""
_MODELS = """
import sys
from pathlib import Path
import numpy as np
from amr_neo4j.domain.fact import TurnContext
from amr_neo4j.errors import AmrError
from amr_neo4j.settings import load
from amr_neo4j.wiring import analyser
from amr_neo4j.wiring.embedder import open_embedder

picture = np.random.default_rng(0).integers(0, 255, (360, 640, 3), np.uint8)

def embed(name):
    settings = load(embedder=name)
    open_embedder(settings).asking().embed(["Anna finds the keys."])

def hog():
    from amr_neo4j.perception.detector import HogPeople
    HogPeople()(picture)

def transcribe():
    from amr_neo4j.media.transcriber import Transcriber
    Transcriber(analyser._speech_folder(load())).turns(sys.argv[1], 0, 1)

def hear():
    ears = analyser.local_ears(load())
    for speak in (ears.words, ears.voices):
        speak(np.zeros(16000, np.float32))
    list(ears.activity.segments([np.zeros(16000, np.float32)]))

def read():
    from amr_neo4j.wiring.openers import open_statement_reader
    assert open_statement_reader(load())("I live in Porto.", "en", TurnContext()).facts

models = {
    "reader": read,
    "e5": lambda: embed("e5"),
    "multilingual-e5": lambda: embed("multilingual-e5"),
    "ssdlite": lambda: analyser.open_detector(load(detector="ssdlite"))(picture),
    "yolov8n": lambda: analyser.open_detector(load(detector="yolov8n"))(picture),
    "hog": hog,
    "ocr": lambda: analyser._reading(load(read_text="on"))(picture),
    "speech": transcribe,
    "ears": hear,
}
for name in sys.argv[2:]:
    models[name]()
    print(name)
"""


def _own(folder: Path) -> dict[str, str]:
    return {"AMR_DATA_DIR": str(folder / "data"), "AMR_CACHE_DIR": str(load().cache_dir)}


def _runnable() -> list[str]:
    """The local models that are installed here, with what they need."""
    names = [model.name for model in installed(load()) if model.installed and model.name not in ("wordnet", *EARS)]
    names += ["ears"] * (local_ears(load()) is not None)
    extras = [("ocr", "rapidocr_onnxruntime"), ("speech", "faster_whisper")]
    has_speech = installed_speech(load()) is not None
    return [*names, "hog", *(name for name, of in extras if find_spec(of) and (name == "ocr" or has_speech))]


def test_what_reaches_out_is_seen(tmp_path: Path) -> None:
    found = traced.python(_CONTROL, tmp_path, [])
    assert found.addresses == {"192.0.2.1"} and found.left == {str(tmp_path / "home" / "deviceid")}
    assert found.names and found.passing == {str(tmp_path / "home" / "brief")}


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="the extra [local] is not installed")
def test_a_worker_that_is_started_anew_reports_nothing(tmp_path: Path) -> None:
    assert traced.python(_WORKER, tmp_path, []).reached == []


@pytest.mark.skipif(find_spec("ray") is None, reason="the extra [ray] is not installed")
def test_a_local_ray_reports_nothing_and_asks_no_cloud_what_machine_this_is(tmp_path: Path) -> None:
    """Its workers have the user's home folder all the same."""
    found = traced.python(_RAY, tmp_path, [])
    assert found.output == f"{tmp_path / 'home'}\n"
    assert found.reached == []


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="the extra [local] is not installed")
def test_no_local_model_reports_anything(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    sound, names = make(tmp_path / "data" / "sound.wav", *source("sine=d=2")), _runnable()
    found = traced.traced(
        [sys.executable, "-c", _MODELS, sound, *names],
        tmp_path,
        [tmp_path / "data", load().cache_dir],
        **_own(tmp_path),
    )
    assert found.output.split() == names
    assert found.reached == []


def test_no_version_of_onnxruntime_is_allowed_that_was_not_tested() -> None:
    """These tests ran with the newest one that is allowed."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = declared["optional-dependencies"]
    for name in ("local", "speech", "ocr"):
        [wanted] = [one for one in map(Requirement, extras[name]) if one.name == "onnxruntime"]
        assert not wanted.specifier.contains("1.32.1") and not wanted.specifier.contains("1.33")
    assert metadata.version("onnxruntime") in wanted.specifier


@pytest.mark.parametrize(("first", "given", "warned"), [(True, "0", 1), (True, "True", 0), (False, "", 0)])
def test_a_program_that_imported_onnxruntime_first_is_warned_once(
    first: bool, given: str, warned: int, tmp_path: Path
) -> None:
    """The module here is a stand-in: the real one would report."""
    (tmp_path / "onnxruntime.py").touch()
    code = f"{'import onnxruntime; ' * first}import amr_neo4j, amr_neo4j.errors"
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "ORT_DISABLE_TELEMETRY": given}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.count("onnxruntime was imported before amr_neo4j") == warned


@pytest.mark.parametrize(
    "file", ["docker-compose.yml", "scripts/neo4j-image/neo4j.conf", "amr_neo4j/localdb/server.py"]
)
def test_every_neo4j_that_we_start_has_its_usage_reports_off(file: str) -> None:
    """tests/integration/test_localdb.py asks a running one."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    [said] = [line for line in lines if re.search(r"usage_{1,2}report[._]enabled", line)]
    assert re.search(r"[=:] *\"?false\"?$", said)


def test_doctor_names_what_an_earlier_version_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("platform.system", lambda: "Linux")
    assert telemetry(load()) == "onnxruntime left no device id"
    folder = tmp_path / "cache" / "Microsoft" / "DeveloperTools" / ".onnxruntime"
    folder.mkdir(parents=True)
    (folder / "deviceid").touch()
    assert telemetry(load()).startswith(f"{folder} has a device id of onnxruntime")
    assert (folder / "deviceid").exists()
