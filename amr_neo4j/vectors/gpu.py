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
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from amr_neo4j.domain.ports import Notify, Vectors
from amr_neo4j.errors import ConfigError
from amr_neo4j.vectors.cells import Cells, Subset, faiss
from amr_neo4j.vectors.row_metadata import Ids

_log = logging.getLogger(__name__)

# FAISS visits at most this many cells on a GPU.
_MOST_VISITED = 2048
# More dimensions do not fit into the table that 8 bits a number need on a GPU.
_MOST_DIMS_8_BITS = 4096
# Rows that are asked for beyond twice those needed, because the copy is less precise than the vectors in memory.
_SPARE = 32
# A subset of fewer rows is searched in memory within 2 ms.
_LEAST_SEARCHED = 5000
_VECTORS_PER_COPY = 50_000
_SAMPLE = 100_000

# The first use of a GPU takes some seconds; a driver that hangs should not hang the sidecar.
_PROBE_SECONDS = 120
PROBE = (sys.executable, "-c", "from amr_neo4j.vectors.gpu import search_once; search_once()")

Found = list[tuple[Ids, Vectors]]


@dataclass(frozen=True)
class _Form:
    """How the rows are stored on the GPU.

    most_returned: how many rows a search can return.
    quantizer: FAISS's number for how rows are encoded within cells; None if there are no cells.
    """

    bytes_a_number: int
    most_returned: int
    quantizer: int | None = None


_FLAT = _Form(2, 2048)
_FLOAT16 = _Form(2, 2048, faiss.ScalarQuantizer.QT_fp16)
# The 48 KB of shared memory hold a table with a row per dimension and the rows to return. FAISS ends the process if
# they do not fit: https://github.com/facebookresearch/faiss/issues/4509.
_EIGHT_BITS = _Form(1, 256, faiss.ScalarQuantizer.QT_8bit)


def has_gpu() -> bool:
    """Return whether this build of FAISS can use GPUs and sees one."""
    return hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus() > 0


def first_gpu() -> Callable[[Any], Any]:
    """Return a function that moves a FAISS index to the first GPU.

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
    """Search on the GPU in a child process, because FAISS aborts the process if it has no code for this GPU.

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
    """Search every form of `GpuCopy` as widely as it allows. FAISS ends the process if the GPU cannot."""
    rows = np.random.default_rng(1).normal(size=(2000, _MOST_DIMS_8_BITS)).astype(np.float32)
    cells = Cells(rows[:16])
    cells.add(rows)
    for form in (_FLAT, _FLOAT16, _EIGHT_BITS):
        index = _mover()(_empty(cells, form))
        index.add(rows)
        index.search(rows[:4], form.most_returned)


def _mover() -> Callable[[Any], Any]:
    resources = faiss.StandardGpuResources()
    options = faiss.GpuClonerOptions()
    # GpuCopy counts two bytes per number.
    options.useFloat16 = True
    return lambda index: faiss.index_cpu_to_gpu(resources, 0, index, options)


class GpuCopy:
    """The rows of Cells on a GPU.

    They are in the same cells, in float16 while they fit, else with 8 bits a number. If they do not fit at all, or
    the GPU fails, the copy is given up with one notice, and searches go on in memory.
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
        self._form = _FLAT
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
            if cells is not self._of or not self._fit(cells, self._form):
                self._start(cells)
            if self._index is not None:
                for begin in range(self.rows, len(cells), _VECTORS_PER_COPY):
                    self._index.add(cells.vectors(np.arange(begin, min(begin + _VECTORS_PER_COPY, len(cells)))))
        except RuntimeError as error:  # raised by FAISS, for example when the GPU runs out of memory
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
        visited = cells.to_visit(len(subset))
        if fetch > self._form.most_returned or visited > _MOST_VISITED:
            return None
        params = faiss.SearchParametersIVF(nprobe=visited) if cells.count > 1 else None
        try:
            _, rows = self._index.search(np.ascontiguousarray(vectors, np.float32), fetch, params=params)
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

    def _start(self, cells: Cells) -> None:
        """Make an empty index on the GPU for these cells, in the most precise form in which they fit."""
        # FAISS's graph index CAGRA is not used: rows cannot be appended to it (decision 0101).
        self._of, self._index = cells, None
        for form in _forms(cells):
            if self._fit(cells, form):
                self._form, self._index = form, self._to_gpu(_empty(cells, form))
                return
        self._give_up(f"{len(cells):,} vectors do not fit in {self._most_bytes / 2**30:.1f} GiB")

    def _fit(self, cells: Cells, form: _Form) -> bool:
        return form.bytes_a_number * cells.dim * len(cells) <= self._most_bytes

    def _give_up(self, why: str) -> None:
        self._given_up, self._index, self._of = True, None, None
        self._notify(f"the GPU is not used for this index ({why}); searches go on in memory")


def _forms(cells: Cells) -> list[_Form]:
    """Return the forms in which these cells can be copied, the more precise one first."""
    if cells.count == 1:
        return [_FLAT]
    return [_FLOAT16, _EIGHT_BITS] if cells.dim <= _MOST_DIMS_8_BITS else [_FLOAT16]


def _empty(cells: Cells, form: _Form) -> Any:
    """Return an empty index in memory with the same cells, trained on some of their rows."""
    coarse = faiss.IndexFlatIP(cells.dim)
    if form.quantizer is None:
        return coarse
    coarse.add(cells.centroids)
    metric = faiss.METRIC_INNER_PRODUCT
    index = faiss.IndexIVFScalarQuantizer(coarse, cells.dim, cells.count, form.quantizer, metric, False)
    index.train(cells.vectors(np.random.default_rng(1).permutation(len(cells))[:_SAMPLE]))
    return index
