"""A copy of an index's vectors on a GPU, which is faster than memory when most of the index is searched.

FAISS has no filter on a GPU. So the copy returns more neighbours than needed, and those outside the subset are
dropped. The cosines of the rest are computed again from the vectors in memory, so that results do not depend on where
they were found. A search that the copy cannot answer in full goes to the index in memory.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from amr_neo4j.domain.ports import Notify, Vectors
from amr_neo4j.errors import ConfigError
from amr_neo4j.vectors.cells import Cells, Subset, faiss
from amr_neo4j.vectors.row_metadata import Ids

_log = logging.getLogger(__name__)

# FAISS returns at most this many rows from a GPU.
_MOST_RETURNED = 2048
# Rows that are asked for beyond twice those needed, because the copy is less precise than the vectors in memory.
_SPARE = 32
# A subset of fewer rows is searched in memory within 2 ms.
_LEAST_SEARCHED = 5000
_PAGE = 50_000
_SAMPLE = 100_000

# The first use of a GPU takes some seconds; a driver that hangs should not hang the sidecar.
_PROBE_SECONDS = 120
PROBE = (sys.executable, "-c", "from amr_neo4j.vectors.gpu import search_once; search_once()")

Found = list[tuple[Ids, Vectors]]


def has_gpu() -> bool:
    """Returns whether this build of FAISS can use GPUs and sees one."""
    return hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus() > 0


def first_gpu() -> Callable[[Any], Any]:
    """Returns a function that moves a FAISS index to the first GPU.

    Raises ConfigError: FAISS has no GPU, or cannot search on it.
    """
    if not hasattr(faiss, "StandardGpuResources"):
        raise ConfigError(
            "this FAISS is the CPU build",
            hint="pip uninstall faiss-cpu, then pip install faiss-gpu-cu12: not both",
        )
    if not has_gpu():
        raise ConfigError("FAISS sees no GPU", hint="look at nvidia-smi, or serve with --device cpu")
    try_gpu()
    return _mover()


def try_gpu(command: Sequence[str] = PROBE) -> None:
    """Search on the GPU in a child process, because FAISS ends the process where it has no code for the GPU.

    command: a program that searches once.
    Raises ConfigError: the search failed.
    """
    try:
        tried = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        why = f"a search did not end within {_PROBE_SECONDS} s"
    else:
        if tried.returncode == 0:
            return
        said = [line for line in tried.stderr.splitlines() if "CUDA" in line] or tried.stderr.splitlines()
        why = said[0].rpartition("details: ")[2][:200] if said else f"the search ended with {tried.returncode}"
    raise ConfigError(
        f"this build of FAISS cannot search on the GPU: {why}",
        hint="faiss-gpu-cu12 has code for GPUs of compute capability 7 and 8; for newer ones: "
        "pip uninstall faiss-gpu-cu12, then pip install faiss-gpu",
    )


def search_once() -> None:
    """Search both kinds of index that `GpuCopy` makes, on the first GPU. FAISS ends the process if it cannot."""
    rows = np.random.default_rng(1).normal(size=(2000, 64)).astype(np.float32)
    cells = Cells(rows[:16])
    cells.add(rows)
    for index in (faiss.IndexFlatIP(cells.dim), _in_eight_bits(cells)):
        there = _mover()(index)
        there.add(rows)
        there.search(rows[:4], 3)


def _mover() -> Callable[[Any], Any]:
    resources = faiss.StandardGpuResources()
    options = faiss.GpuClonerOptions()
    # `GpuCopy` relies on it: it reckons with two bytes per number.
    options.useFloat16 = True
    return lambda index: faiss.index_cpu_to_gpu(resources, 0, index, options)


class GpuCopy:
    """The rows of Cells on a GPU.

    They are searched exhaustively in float16 while they fit, else in the same cells with 8 bits a number. If they do
    not fit at all, or the GPU fails, the copy is given up with one notice, and searches go on in memory.
    """

    def __init__(
        self,
        to_gpu: Callable[[Any], Any],
        most_bytes: int,
        *,
        notify: Notify = _log.warning,
        least: int = _LEAST_SEARCHED,
    ) -> None:
        """most_bytes: the limit on the GPU memory of this copy.
        least: subsets with fewer rows are searched in memory.
        """
        self._to_gpu = to_gpu
        self._most_bytes = most_bytes
        self._notify = notify
        self._least = least
        self._of: Cells | None = None
        self._index: Any = None
        self._given_up = False

    @property
    def rows(self) -> int:
        """How many rows it holds, including rows that the graph has dropped since."""
        return self._index.ntotal if self._index is not None else 0

    def follow(self, cells: Cells) -> None:
        """Copy the rows added since the last call, or all rows if the cells were trained again."""
        if self._given_up:
            return
        try:
            if cells is not self._of or not self._has_room(len(cells)):
                self._of, self._index = cells, self._empty(cells)
            if self._index is not None:
                for begin in range(self.rows, len(cells), _PAGE):
                    self._index.add(cells.vectors(np.arange(begin, min(begin + _PAGE, len(cells)))))
        except RuntimeError as error:  # FAISS raises it when the GPU runs out of memory, among others
            self._give_up(str(error).splitlines()[0][:200])

    def search(self, cells: Cells, vectors: Vectors, k: int, *, subset: Subset) -> Found | None:
        """Do a search as Cells.search does.

        Returns None if the copy does not hold these cells, or does not find k rows of the subset.
        """
        if self._index is None or cells is not self._of or self.rows < len(cells) or len(subset) < self._least:
            return None
        # The subset has len(subset) / len(cells) of the rows, so k of its rows are among this many on average; twice
        # that to be sure.
        fetch = min(len(cells), ceil(2 * k * len(cells) / len(subset)) + _SPARE)
        if fetch > _MOST_RETURNED:
            return None
        try:
            _, rows = self._index.search(np.ascontiguousarray(vectors, np.float32), fetch)
        except RuntimeError as error:
            self._give_up(str(error).splitlines()[0][:200])
            return None
        found: Found = []
        for vector, each in zip(vectors, rows, strict=True):
            inside = subset.inside(each[each >= 0])
            if len(inside) < k:
                return None
            [cosines] = cells.cosines(vector[np.newaxis], inside)
            best = np.argsort(-cosines, kind="stable")[:k]
            found.append((inside[best], cosines[best]))
        return found

    def _empty(self, cells: Cells) -> Any:
        """Returns an empty index on the GPU for these cells; None if they do not fit."""
        dim = cells.dim
        # FAISS's graph index CAGRA is not used: the packaged build lacks it, and rows cannot be appended (decision
        # 0101).
        if self._fits(2 * dim, len(cells)):
            return self._to_gpu(faiss.IndexFlatIP(dim))
        if cells.count > 1 and self._fits(dim, len(cells)):
            return self._to_gpu(_in_eight_bits(cells))
        self._give_up(f"{len(cells):,} vectors do not fit in {self._most_bytes / 2**30:.1f} GiB")
        return None

    def _has_room(self, rows: int) -> bool:
        """Returns whether this number of rows fits, in the form in which the index stores them."""
        exhaustive = self._index is None or not hasattr(self._index, "nlist")
        return self._of is None or self._fits((2 if exhaustive else 1) * self._of.dim, rows)

    def _fits(self, bytes_a_row: int, rows: int) -> bool:
        return bytes_a_row * rows <= self._most_bytes

    def _give_up(self, why: str) -> None:
        self._given_up, self._index, self._of = True, None, None
        self._notify(f"the GPU is not used for this index ({why}); searches go on in memory")


def _in_eight_bits(cells: Cells) -> Any:
    """Returns an empty inverted file with the same cells and 8 bits a number, trained on some of their rows."""
    coarse = faiss.IndexFlatIP(cells.dim)
    coarse.add(cells.centroids)
    kind = faiss.ScalarQuantizer.QT_8bit
    index = faiss.IndexIVFScalarQuantizer(coarse, cells.dim, cells.count, kind, faiss.METRIC_INNER_PRODUCT, False)
    rows = np.random.default_rng(1).permutation(len(cells))[:_SAMPLE]
    index.train(cells.vectors(rows))
    index.nprobe = min(cells.count, 1 + ceil(2 * cells.share * cells.count))
    return index
