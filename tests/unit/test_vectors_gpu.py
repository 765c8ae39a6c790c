"""The copy of an index on a GPU, with FAISS's index in memory in its place, and on a real GPU where there is one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest

from amr_neo4j.domain.ports import Search, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import ConfigError
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.gpu import GpuCopy, first_gpu, has_gpu, try_gpu
from tests.support.plain_vectors import PlainVectors, unit

DIM, ROWS = 16, 3000
NARROW, WIDE = Scope("g", ("v3",)), Scope("g")


class Watched:
    """Stands in for a GPU; counts what it is asked, and fails when told to."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.searches = 0
        self.fails = False

    def __call__(self, index: Any) -> Watched:
        self.kinds.append(type(index).__name__)
        self.index = index
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    def add(self, rows: Vectors) -> None:
        self._check()
        self.index.add(rows)

    def search(self, vectors: Vectors, k: int, params: Any = None) -> Any:
        self._check()
        self.searches += 1
        return self.index.search(vectors, k, params=params)

    def _check(self) -> None:
        if self.fails:
            raise RuntimeError("Error in void* allocMemory: CUDA error 2 out of memory\nmore of it")


@pytest.fixture
def source() -> PlainVectors:
    source = PlainVectors()
    rows = np.random.default_rng(5).normal(size=(ROWS, DIM))
    for node_id, row in enumerate(rows):
        source.write(node_id, "g", "v3" if node_id % 100 == 0 else "v", unit(row))
    return source


@pytest.fixture
def gpu() -> Watched:
    return Watched()


def opened(source: PlainVectors, gpu: Any, folder: Path, notify: Any = print, **sizes: int) -> FaissIndex:
    copy = GpuCopy(gpu, sizes.pop("most_bytes", 10**8), notify=notify, least=sizes.pop("least", 1000))
    return FaissIndex(source, "m", DIM, path=folder / "m.npz", small_group=0, gpu=copy, **sizes)


def nodes(found: list[tuple[int, float]]) -> list[int]:
    return [node_id for node_id, _ in found]


def test_it_finds_what_the_index_in_memory_finds(source: PlainVectors, gpu: Watched, tmp_path: Path) -> None:
    index, query = opened(source, gpu, tmp_path), unit(np.arange(DIM))
    index.catch_up()
    assert index.search(query, 10, WIDE) == [
        (n, pytest.approx(c, abs=1e-5)) for n, c in source.nearest(query, 10, WIDE)
    ]
    assert (gpu.searches, gpu.kinds, index.on_gpu) == (1, ["IndexFlatIP"], ROWS)


def test_a_small_part_is_searched_in_memory(source: PlainVectors, gpu: Watched, tmp_path: Path) -> None:
    index, query = opened(source, gpu, tmp_path), unit(np.arange(DIM))
    index.catch_up()
    assert nodes(index.search(query, 10, NARROW)) == nodes(source.nearest(query, 10, NARROW)) and gpu.searches == 0


def test_what_it_cannot_fill_from_a_part_memory_finds(source: PlainVectors, gpu: Watched, tmp_path: Path) -> None:
    """Only one in a hundred vectors is of the part, so that the nearest ones that a GPU returns may hold too few."""
    index, query = opened(source, gpu, tmp_path, least=1), unit(np.arange(DIM))
    index.catch_up()
    for k in (3, 10, 25):
        assert nodes(index.search(query, k, NARROW)) == nodes(source.nearest(query, k, NARROW))


def test_several_searches_reach_it_as_one(source: PlainVectors, gpu: Watched, tmp_path: Path) -> None:
    index = opened(source, gpu, tmp_path)
    index.catch_up()
    queries = [unit(row) for row in np.random.default_rng(6).normal(size=(8, DIM))]
    found = index.search_many([Search(query, 5, WIDE) for query in queries])
    assert [nodes(each) for each in found] == [nodes(source.nearest(query, 5, WIDE)) for query in queries]
    assert gpu.searches == 1


def test_it_follows_growth_replacements_and_removals(source: PlainVectors, gpu: Watched, tmp_path: Path) -> None:
    index, query = opened(source, gpu, tmp_path, flat_up_to=500), unit(np.arange(DIM))
    index.catch_up()
    for node_id, row in enumerate(np.random.default_rng(8).normal(size=(400, DIM)), start=ROWS - 200):
        source.write(node_id, "g", "v", unit(row))
    source.forget(7)
    index.catch_up()
    assert nodes(index.search(query, 20, WIDE)) == nodes(source.nearest(query, 20, WIDE)) and gpu.searches == 1
    index.rebuild()
    assert index.on_gpu == len(index) == len(source)


def test_what_does_not_fit_exhaustively_goes_in_8_bits(source: PlainVectors, gpu: Watched, tmp_path: Path) -> None:
    index, query = opened(source, gpu, tmp_path, flat_up_to=500, most_bytes=DIM * (ROWS + 10)), unit(np.arange(DIM))
    index.catch_up()
    best = nodes(source.nearest(query, 10, WIDE))
    assert len(set(best) & set(nodes(index.search(query, 10, WIDE)))) >= 9
    assert gpu.kinds[-1] == "IndexIVFScalarQuantizer" and gpu.searches == 1


def test_what_does_not_fit_at_all_is_said_once(source: PlainVectors, gpu: Watched, tmp_path: Path) -> None:
    lines: list[str] = []
    index, query = opened(source, gpu, tmp_path, lines.append, most_bytes=100), unit(np.arange(DIM))
    for _ in range(2):
        index.catch_up()
        assert nodes(index.search(query, 10, WIDE)) == nodes(source.nearest(query, 10, WIDE))
        source.write(ROWS, "g", "v", unit(np.ones(DIM)))
    assert len(lines) == 1 and "do not fit" in lines[0] and index.on_gpu == 0


@pytest.mark.parametrize("when", ["adding", "searching"])
def test_a_gpu_that_fails_is_said_once_and_given_up(
    when: str, source: PlainVectors, gpu: Watched, tmp_path: Path
) -> None:
    lines: list[str] = []
    index, query = opened(source, gpu, tmp_path, lines.append), unit(np.arange(DIM))
    gpu.fails = when == "adding"
    index.catch_up()
    gpu.fails = True
    for _ in range(2):
        assert nodes(index.search(query, 10, WIDE)) == nodes(source.nearest(query, 10, WIDE))
        index.catch_up()
    assert len(lines) == 1 and "out of memory" in lines[0] and "more of it" not in lines[0]


@pytest.mark.skipif(hasattr(faiss, "StandardGpuResources"), reason="this FAISS is built for GPUs")
def test_without_the_build_for_gpus_the_advice_names_the_extra() -> None:
    with pytest.raises(ConfigError) as refused:
        first_gpu()
    assert "CPU build" in refused.value.message and "faiss-gpu-cu12" in str(refused.value.hint)


def test_a_build_that_ends_the_process_on_this_gpu_is_an_error_with_advice() -> None:
    """FAISS prints such a line and aborts, so the sidecar would die at its first search."""
    line = "Faiss assertion 'err__ == cudaSuccess' failed in void f(); details: CUDA error 209 no kernel image"
    with pytest.raises(ConfigError) as refused:
        try_gpu([sys.executable, "-c", f"import os, sys; print({line!r}, file=sys.stderr, flush=True); os.abort()"])
    assert refused.value.message.endswith("on the GPU: CUDA error 209 no kernel image")
    assert "faiss-gpu" in str(refused.value.hint)
    try_gpu([sys.executable, "-c", "pass"])


@pytest.mark.skipif(not has_gpu(), reason="FAISS sees no GPU here")
@pytest.mark.parametrize("most_bytes", [10**8, DIM * (ROWS + 10)])
def test_on_a_real_gpu(most_bytes: int, source: PlainVectors, tmp_path: Path) -> None:
    index, query = opened(source, first_gpu(), tmp_path, flat_up_to=500, most_bytes=most_bytes), unit(np.arange(DIM))
    index.catch_up()
    best = nodes(source.nearest(query, 10, WIDE))
    assert len(set(best) & set(nodes(index.search(query, 10, WIDE)))) >= 9 and index.on_gpu == ROWS
