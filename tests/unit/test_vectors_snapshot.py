"""Snapshots of a dense index: read back unchanged, or ignored."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.vectors import snapshot
from amr_neo4j.vectors.snapshot import Snapshot
from tests.support.examples import examples

ROOT = Path(__file__).parents[2]
# Saves every second of forty snapshots, each as snapshot_of(500 + next_seq, next_seq) makes it.
SAVER = """
import sys
from pathlib import Path
import numpy as np
from amr_neo4j.vectors import snapshot
for seq in range(int(sys.argv[2]), 40, 2):
    ids = np.arange(500 + seq)
    rows = np.arange(3 * len(ids), dtype=np.float32).reshape(-1, 3)
    codes = np.arange(2 * len(ids)).astype(np.uint8).reshape(-1, 2)
    snapshot.write(Path(sys.argv[1]), snapshot.Snapshot(seq, {"ids": ids, "rows": rows, "codes": codes}))
"""


def snapshot_of(n: int, next_seq: int = 1) -> Snapshot:
    ids, codes = np.arange(n, dtype=np.int64), np.arange(2 * n).astype(np.uint8).reshape(n, 2)
    return Snapshot(next_seq, {"ids": ids, "rows": np.arange(3 * n, dtype=np.float32).reshape(n, 3), "codes": codes})


@pytest.fixture(params=["copied", "mapped"], scope="module", autouse=True)
def kept(request: pytest.FixtureRequest) -> Iterator[str]:
    """Whether arrays are copied from the file or stay in it."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "mapped":
            patch.setattr(snapshot, "_COPIED_BYTES", 0)
        yield request.param


def test_large_arrays_of_bytes_are_not_copied(kept: str, tmp_path: Path) -> None:
    snapshot.write(tmp_path / "s.npz", snapshot_of(7))
    read = snapshot.read(tmp_path / "s.npz")
    assert read
    assert [name for name, array in read.arrays.items() if isinstance(array, np.memmap)] == (
        ["codes"] if kept == "mapped" else []
    )


def test_arrays_that_lie_in_memory_by_columns_are_read_as_they_were(tmp_path: Path) -> None:
    by_columns = np.asfortranarray(np.arange(6, dtype=np.uint8).reshape(3, 2))
    written = Snapshot(1, {"codes": by_columns})
    snapshot.write(tmp_path / "s.npz", written)
    assert same(snapshot.read(tmp_path / "s.npz"), written)


@pytest.mark.timeout(20)
def test_a_pipe_in_place_of_the_file_is_damage_and_replaced(tmp_path: Path) -> None:
    """Opening one waits for a writer."""
    path = tmp_path / "event.npz"
    os.mkfifo(path)
    assert snapshot.is_damaged(path)
    snapshot.write(path, snapshot_of(3))
    assert same(snapshot.read(path), snapshot_of(3))


def same(one: Snapshot | None, other: Snapshot) -> bool:
    return (
        one is not None
        and one.next_seq == other.next_seq
        and one.arrays.keys() == other.arrays.keys()
        and all(_same(one.arrays[name], other.arrays[name]) for name in one.arrays)
    )


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and np.array_equal(one, other)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("snapshots")


@examples(push=12, soak=400)
@given(n=st.integers(0, 6), next_seq=st.integers(0, 2**62))
def test_a_written_snapshot_is_read(n: int, next_seq: int, folder: Path) -> None:
    """Arrays are returned under their names, independent of the originals."""
    path = folder / "round.npz"
    path.unlink(missing_ok=True)
    snapshot.write(path, snapshot_of(n, next_seq))
    assert same(snapshot.read(path), snapshot_of(n, next_seq))


def test_a_snapshot_of_another_version_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is rebuilt from the graph and the file replaced, whatever sequence number it claims."""
    path = tmp_path / "s.npz"
    with monkeypatch.context() as earlier:
        earlier.setattr(snapshot, "_VERSION", 1)
        snapshot.write(path, snapshot_of(3, next_seq=9))
    assert snapshot.read(path) is None
    np.savez(path, next_seq=np.int64(9), ids=np.arange(3))
    assert snapshot.read(path) is None
    snapshot.write(path, snapshot_of(1, next_seq=2))
    assert same(snapshot.read(path), snapshot_of(1, next_seq=2))


@given(data=st.data())
def test_a_damaged_file_is_ignored(data: st.DataObject, folder: Path) -> None:
    """A changed byte or a lost end is noticed, unless those bytes have no meaning. Nothing is ever raised."""
    path = folder / "damaged.npz"
    path.unlink(missing_ok=True)
    snapshot.write(path, snapshot_of(4))
    raw = bytearray(path.read_bytes())
    if data.draw(st.booleans(), label="cut short"):
        raw = raw[: data.draw(st.integers(0, len(raw) - 1))]
    else:
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(raw)
    found = snapshot.read(path)
    assert found is None or same(found, snapshot_of(4))


def test_a_flipped_encryption_bit_is_damage(tmp_path: Path) -> None:
    snapshot.write(tmp_path / "s.npz", snapshot_of(2))
    raw = bytearray((tmp_path / "s.npz").read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "s.npz").write_bytes(raw)
    assert snapshot.read(tmp_path / "s.npz") is None


@pytest.mark.parametrize("content", [b"", b"not a snapshot", b"\x80\x04N.", b"PK\x03\x04"])
def test_a_foreign_file_is_ignored(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    assert snapshot.read(path) is None
    snapshot.write(path, snapshot_of(1))
    assert same(snapshot.read(path), snapshot_of(1)), "and it does not keep one from being written"


def test_a_missing_file_is_ignored(tmp_path: Path) -> None:
    assert snapshot.read(tmp_path / "none.npz") is None


def test_an_older_snapshot_does_not_replace_a_newer_one(tmp_path: Path) -> None:
    path = tmp_path / "made" / "on the way" / "s.npz"
    snapshot.write(path, snapshot_of(3, next_seq=9))
    snapshot.write(path, snapshot_of(1, next_seq=8))
    assert same(snapshot.read(path), snapshot_of(3, next_seq=9))
    snapshot.write(path, snapshot_of(2, next_seq=9))
    assert same(snapshot.read(path), snapshot_of(2, next_seq=9)), "one as new replaces it: it may be the rebuilt one"


def test_of_two_concurrent_saves_the_newest_stays(tmp_path: Path) -> None:
    """Concurrent saves leave one complete file, the newest; readers never see a partial one."""
    path = tmp_path / "s.npz"
    writers = [subprocess.Popen([sys.executable, "-c", SAVER, path, str(first)], cwd=ROOT) for first in (0, 1)]
    seen = []
    while any(writer.poll() is None for writer in writers):
        found = snapshot.read(path)
        assert found or not seen
        if found:
            assert same(found, snapshot_of(500 + found.next_seq, found.next_seq))
            seen.append(found.next_seq)
        time.sleep(0.005)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen == sorted(seen)
    assert same(snapshot.read(path), snapshot_of(539, next_seq=39))
    assert {left.name for left in tmp_path.iterdir()} <= {"s.npz", "s.npz.lock"}
