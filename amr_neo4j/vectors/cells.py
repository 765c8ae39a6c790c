"""A FAISS inverted file: each vector is stored in the cell of its nearest centroid, and a search visits few cells.

With a single cell it is a flat index, and every search is exact. Only this module imports FAISS. The others take
`faiss` from here, because its bindings are untyped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any

import faiss as untyped_faiss
import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.vectors.row_metadata import Column, Ids, Mask

faiss: Any = untyped_faiss

# Every search compares at least this many vectors. That takes 2 ms, so visiting fewer would gain nothing.
_MIN_COMPARED = 12_000
# FAISS skips cells with this number.
_NO_CELL = -1

SAMPLE = 50_000
"""Centroids are trained on at most this many vectors."""
# Rounds of k-means.
_ROUNDS = 5
# `share_to_visit` searches with this many queries, each the mean of some vectors. The share must be large enough to
# find _RECALL of their _NEAREST vectors.
_QUERIES = 200
_NEAREST = 10
_RECALL = 0.98
_VECTORS_PER_QUERY = 3


@dataclass(frozen=True)
class Subset:
    """The rows that a search may return.

    held: how many of them each cell has, shape (cells,).
    bits: one bit a row, lowest first; None for all rows.
    """

    held: npt.NDArray[np.int64]
    bits: npt.NDArray[np.uint8] | None

    def __len__(self) -> int:
        return int(self.held.sum())

    @cached_property
    def selector(self) -> Any:
        """The rows as FAISS's IDSelector; None for all rows."""
        return None if self.bits is None else faiss.IDSelectorBitmap(self.bits)

    def inside(self, rows: Ids) -> Ids:
        """Return those of `rows` that belong to the subset, in the order given."""
        return rows if self.bits is None else rows[(self.bits[rows >> 3] >> (rows & 7) & 1).astype(np.bool_)]


class Cells:
    """Vectors numbered by row: 0, 1, 2 ... in the order they were added.

    A single cell stores float32 and is searched exhaustively. Several cells store bfloat16: half the memory, and
    cosines accurate to 0.001. A search then visits the nearest cells until they hold enough rows of the subset: at
    least k, and all rows of a small subset.
    """

    def __init__(self, centroids: Vectors, share: float = 1.0) -> None:
        """centroids: shape (cells, dim).

        share: from 0 to 1, as `share_to_visit` returns it.
        """
        cells, dim = centroids.shape
        self.centroids = centroids
        self.share = share
        # The centroids are trained outside, so FAISS only needs to know them.
        coarse = faiss.IndexFlatIP(dim)
        coarse.add(centroids)
        if cells == 1:
            self._index = faiss.IndexIVFFlat(coarse, dim, cells, faiss.METRIC_INNER_PRODUCT)
        else:
            kind = faiss.ScalarQuantizer.QT_bf16
            self._index = faiss.IndexIVFScalarQuantizer(coarse, dim, cells, kind, faiss.METRIC_INNER_PRODUCT, False)
        self._index.is_trained = True
        self._cell_of = np.empty(0, np.int32)
        self._rebuild_row_map()

    @classmethod
    def flat(cls, dim: int) -> Cells:
        """Return an empty index with a single cell."""
        return cls(np.zeros((1, dim), np.float32))

    def __len__(self) -> int:
        return self._index.ntotal

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self.centroids.shape[1]

    @property
    def count(self) -> int:
        """The number of cells."""
        return len(self.centroids)

    def add(self, vectors: Vectors) -> None:
        """Append vectors, shape (n, dim). NaN is stored as 0, because no cell is nearest to NaN."""
        _one_thread()
        self._index.add(np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0))

    def vectors(self, rows: Ids) -> Vectors:
        """Return the vectors of these rows, shape (len(rows), dim)."""
        _one_thread()
        return self._index.reconstruct_batch(rows)

    def cosines(self, vectors: Vectors, rows: Ids) -> list[Vectors]:
        """Return one array per vector: its cosine to each of the rows. vectors: shape (n, dim)."""
        there = self.vectors(rows)
        return [_products(there, vector) for vector in vectors]

    def subset(self, rows: Mask) -> Subset:
        """Return the rows of a mask in the form that `search` takes."""
        # Selecting by row numbers is three times as fast as by the mask itself.
        held = np.bincount(self._cells_of_rows().take(np.flatnonzero(rows)), minlength=self.count)
        return Subset(held, None if rows.all() else np.packbits(rows, bitorder="little"))

    def search(self, vectors: Vectors, k: int, subset: Subset) -> list[tuple[Ids, Vectors]]:
        """Return for each vector (rows, cosines) of the k nearest rows of the subset, best first.

        vectors: shape (n, dim).
        k: from 1 to len(subset).
        """
        _one_thread()
        number, nearest = len(vectors), [self._nearest(vector, subset, k) for vector in vectors]
        cells = np.full((number, max(map(len, nearest))), _NO_CELL, np.int64)
        # The searches of a batch visit different numbers of cells. FAISS takes a rectangle, so the rest has _NO_CELL.
        for row, each in zip(cells, nearest, strict=True):
            row[: len(each)] = each
        vectors, unused = np.ascontiguousarray(vectors, np.float32), np.zeros(cells.shape, np.float32)
        params = faiss.SearchParametersIVF(sel=subset.selector, nprobe=cells.shape[1])
        rows, cosines = np.empty((number, k), np.int64), np.empty((number, k), np.float32)
        arrays = [faiss.swig_ptr(array) for array in (vectors, cells, unused, cosines, rows)]
        self._index.search_preassigned_c(number, arrays[0], k, *arrays[1:], False, params)
        found = rows >= 0  # FAISS returns -1 where the cosine is NaN
        return [(rows[n, found[n]], cosines[n, found[n]]) for n in range(number)]

    def arrays(self, rows: Ids) -> tuple[Ids, dict[str, Column]]:
        """Return (these rows ordered by cell, their data as named arrays for `loaded`)."""
        wanted = np.zeros(len(self), np.bool_)
        wanted[rows] = True
        order, sizes = np.empty(len(rows), np.int64), np.zeros(self.count, np.int64)
        codes = np.empty((len(rows), self._index.code_size), np.uint8)
        for cell, (held, packed) in enumerate(self._lists()):
            here = wanted[held]
            begin, sizes[cell] = sizes.sum(), here.sum()
            order[begin : begin + sizes[cell]] = held[here]
            codes[begin : begin + sizes[cell]] = packed[here]
        trained: dict[str, Column] = {"centroids": self.centroids, "share": np.asarray(self.share)}
        return order, trained | {"sizes": sizes, "codes": codes}

    @classmethod
    def loaded(cls, arrays: Mapping[str, Column]) -> Cells:
        """Return an index made of what `arrays` returned."""
        loaded = cls(arrays["centroids"], float(arrays["share"]))
        bounds: list[int] = np.concatenate([[0], np.cumsum(arrays["sizes"])]).tolist()
        for cell, (begin, end) in enumerate(pairwise(bounds)):
            rows = np.arange(begin, end)
            codes = arrays["codes"][begin:end]
            # The codes are stored as they are: adding vectors would assign and encode each of them again.
            loaded._index.invlists.add_entries(cell, end - begin, faiss.swig_ptr(rows), faiss.swig_ptr(codes))
        loaded._index.ntotal = bounds[-1]
        loaded._rebuild_row_map()
        return loaded

    def to_visit(self, size: int) -> int:
        """Return how many of the nearest cells to visit on a GPU for a subset of this size.

        It is twice what `share` says, because cells differ in size.
        """
        return min(self.count, 1 + ceil(2 * self.share * (len(self) / size) ** 0.5 * self.count))

    def _nearest(self, vector: Vectors, subset: Subset, k: int) -> Ids:
        """Return the cells to visit, nearest first: as many with rows of the subset as hold enough rows."""
        order = np.argsort(-_products(self.centroids, vector))
        order = order[subset.held[order] > 0]
        reached = np.cumsum(subset.held[order])
        # 1 more, because the cell that reaches the number is visited too.
        return order[: 1 + np.searchsorted(reached, max(k, self._enough(len(subset))))]

    def _enough(self, size: int) -> float:
        """Return how many rows to compare in a subset of this size.

        The neighbours of a smaller subset lie further apart, so a larger share of it is compared.
        """
        return max(_MIN_COMPARED, self.share * (size * len(self)) ** 0.5)

    def _cells_of_rows(self) -> npt.NDArray[np.int32]:
        """Return the cell of each row.

        FAISS stores a row's cell and its offset in the cell as the halves of one number.
        """
        if (known := len(self._cell_of)) < len(self):
            places = faiss.rev_swig_ptr(self._index.direct_map.array.data(), len(self))
            self._cell_of = np.concatenate([self._cell_of, (places[known:] >> 32).astype(np.int32)])
        return self._cell_of

    def _lists(self) -> Iterator[tuple[Ids, Column]]:
        """Yield (rows, codes) of each cell, in the order they are stored."""
        lists, width = self._index.invlists, self._index.code_size
        for cell in range(self.count):
            if size := lists.list_size(cell):
                codes = faiss.rev_swig_ptr(lists.get_codes(cell), size * width)
                yield faiss.rev_swig_ptr(lists.get_ids(cell), size), codes.reshape(size, width)
            else:
                yield np.empty(0, np.int64), np.empty((0, width), np.uint8)

    def _rebuild_row_map(self) -> None:
        """Map each row to its cell and offset, which FAISS forgets when entries are added directly."""
        self._index.set_direct_map_type(faiss.DirectMap.NoMap)
        self._index.set_direct_map_type(faiss.DirectMap.Array)


def _one_thread() -> None:
    """Make FAISS use one thread. Small calls take well under 1 ms, and starting a team of threads takes 10 ms."""
    faiss.omp_set_num_threads(1)


def _products(rows: Vectors, vector: Vectors) -> Vectors:
    """Return the dot product of each row, shape (n, dim), with the vector, shape (dim,).

    einsum is used because a matrix product would start threads.
    """
    return np.einsum("ij,j->i", rows, vector)


def cells_for(vectors: int) -> int:
    """Return the number of cells for this number of vectors. More cells would search faster but train longer."""
    return max(2, int(3 * vectors**0.5))


def trained_centroids(sample: Vectors, cells: int) -> Vectors:
    """Return centroids, (cells, dim), by spherical k-means over unit vectors, (n, dim).

    50,000 vectors and 2,000 cells take 5 s of one core.
    """
    means = faiss.Kmeans(
        sample.shape[1],
        cells,
        niter=_ROUNDS,
        spherical=True,
        seed=1,
        # Without these limits FAISS would take a sample of its own, or warn that a cell has few vectors.
        min_points_per_centroid=1,
        max_points_per_centroid=len(sample),
    )
    means.train(sample)
    return np.asarray(means.centroids, np.float32)


def share_to_visit(sample: Vectors, centroids: Vectors, random: np.random.Generator) -> float:
    """Return the share of all vectors that a search has to visit for a recall@10 of 0.98.

    It is measured on the sample, with means of three of its vectors as queries. Real queries lie further from the
    stored vectors than these lie from one another; the vectors themselves as queries would give too small a share.
    """
    queries = _mean_queries(sample, random)
    _, nearest = faiss.knn(queries, sample, min(_NEAREST, len(sample)), metric=faiss.METRIC_INNER_PRODUCT)
    _, cell = faiss.knn(sample, centroids, 1, metric=faiss.METRIC_INNER_PRODUCT)
    # For each query: the cells by nearness, and how many vectors it has seen after each of them.
    order = np.argsort(-(queries @ np.transpose(centroids)), axis=1)
    seen = np.cumsum(np.bincount(cell[:, 0], minlength=len(centroids))[order], axis=1)
    place = np.argsort(order, axis=1)
    # For each true neighbour: how many vectors must be visited until its cell is reached.
    needed = np.take_along_axis(seen, np.take_along_axis(place, cell[nearest, 0], axis=1), axis=1)
    return float(np.quantile(needed, _RECALL)) / len(sample)


def _mean_queries(sample: Vectors, random: np.random.Generator) -> Vectors:
    sums = sample[random.integers(len(sample), size=(_VECTORS_PER_QUERY, _QUERIES))].sum(axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.maximum(lengths, 1e-9)).astype(np.float32)
