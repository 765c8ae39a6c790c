# pyright: basic, reportCallIssue=false, reportAttributeAccessIssue=false
"""A FAISS inverted file: vectors in cells around centroids. With one cell it is a flat, exact index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.vectors.row_metadata import Column, Ids, Mask

# Vectors compared at least per search: 2 ms.
_MIN_COMPARED = 12_000
# FAISS visits no cell of this number.
_NO_CELL = -1


@dataclass(frozen=True)
class Part:
    """The rows to search. held: their number in each cell, (cells,); bits: which, lowest first, None for all."""

    held: npt.NDArray[np.int64]
    bits: npt.NDArray[np.uint8] | None

    def __len__(self) -> int:
        return int(self.held.sum())

    @cached_property
    def selector(self) -> faiss.IDSelector | None:
        """The rows as FAISS takes them."""
        return None if self.bits is None else faiss.IDSelectorBitmap(self.bits)

    def inside(self, rows: Ids) -> Ids:
        """Those of the rows that are of the part, in their order."""
        return rows if self.bits is None else rows[(self.bits[rows >> 3] >> (rows & 7) & 1).astype(np.bool_)]


class Cells:
    """Vectors by row, 0, 1, 2 ... in the order they were added.

    One cell stores float32 and is searched exhaustively. Several cells store bfloat16 (half the memory, cosines to
    within 0.001), and a search visits the nearest cells until they hold enough rows of the searched part: at least k,
    and all rows of a small part.
    """

    def __init__(self, centroids: Vectors, share: float = 1.0) -> None:
        """centroids: (cells, dim); share: from 0 to 1, see share_to_visit."""
        cells, dim = centroids.shape
        self.centroids = centroids
        self.share = share
        coarse = faiss.IndexFlatIP(dim)
        coarse.add(centroids)
        if cells == 1:
            self._index: Any = faiss.IndexIVFFlat(coarse, dim, cells, faiss.METRIC_INNER_PRODUCT)
        else:
            kind = faiss.ScalarQuantizer.QT_bf16
            self._index = faiss.IndexIVFScalarQuantizer(coarse, dim, cells, kind, faiss.METRIC_INNER_PRODUCT, False)
        self._index.is_trained = True
        self._cell_of = np.empty(0, np.int32)
        self._rebuild_row_map()

    @classmethod
    def flat(cls, dim: int) -> Cells:
        """An empty index of one cell."""
        return cls(np.zeros((1, dim), np.float32))

    def __len__(self) -> int:
        return self._index.ntotal

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.centroids.shape[1]

    @property
    def count(self) -> int:
        """Number of cells."""
        return len(self.centroids)

    def add(self, vectors: Vectors) -> None:
        """Append rows, (n, dim). nan, which belongs to no cell, is stored as 0."""
        _one_thread()
        self._index.add(np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0))

    def vectors(self, rows: Ids) -> Vectors:
        """Returns the vectors of rows, (len(rows), dim)."""
        _one_thread()
        return self._index.reconstruct_batch(rows)

    def cosines(self, vectors: Vectors, rows: Ids) -> list[Vectors]:
        """Returns the cosine of each row to each of the vectors, (n, dim)."""
        there = self.vectors(rows)
        return [_products(there, vector) for vector in vectors]

    def part(self, rows: Mask) -> Part:
        """Returns the rows of a mask, in the form `search` takes."""
        # by row numbers: three times as fast as by the mask
        held = np.bincount(self._cells_of_rows().take(np.flatnonzero(rows)), minlength=self.count)
        return Part(held, None if rows.all() else np.packbits(rows, bitorder="little"))

    def search(self, vectors: Vectors, k: int, part: Part) -> list[tuple[Ids, Vectors]]:
        """Returns (rows, cosines) of the k nearest in the part to each of the vectors, best first.

        vectors: (n, dim); k: 1 to len(part).
        """
        _one_thread()
        number, nearest = len(vectors), [self._nearest(vector, part, k) for vector in vectors]
        cells = np.full((number, max(map(len, nearest))), _NO_CELL, np.int64)
        for row, each in zip(cells, nearest, strict=True):
            row[: len(each)] = each
        vectors, unused = np.ascontiguousarray(vectors, np.float32), np.zeros(cells.shape, np.float32)
        params = faiss.SearchParametersIVF(sel=part.selector, nprobe=cells.shape[1])
        rows, cosines = np.empty((number, k), np.int64), np.empty((number, k), np.float32)
        arrays = [faiss.swig_ptr(array) for array in (vectors, cells, unused, cosines, rows)]
        self._index.search_preassigned_c(number, arrays[0], k, *arrays[1:], False, params)
        found = rows >= 0  # -1 where the cosine is nan
        return [(rows[n, found[n]], cosines[n, found[n]]) for n in range(number)]

    def arrays(self, rows: Ids) -> tuple[Ids, dict[str, Column]]:
        """Returns the order of these rows, cell by cell, and their data as arrays by name."""
        wanted = np.zeros(len(self), np.bool_)
        wanted[rows] = True
        order, sizes = np.empty(len(rows), np.int64), np.zeros(self.count, np.int64)
        codes = np.empty((len(rows), self._index.code_size), np.uint8)
        for cell, (held, packed) in enumerate(self._lists()):
            here = wanted[held]
            begin, sizes[cell] = sizes.sum(), here.sum()
            order[begin : begin + sizes[cell]] = held[here]
            codes[begin : begin + sizes[cell]] = packed[here]
        trained = {"centroids": self.centroids, "share": np.float64(self.share)}
        return order, trained | {"sizes": sizes, "codes": codes}

    @classmethod
    def loaded(cls, arrays: Mapping[str, Column]) -> Cells:
        """Returns an index from the arrays of `arrays`."""
        loaded = cls(arrays["centroids"], float(arrays["share"]))
        bounds = np.concatenate([[0], np.cumsum(arrays["sizes"])])
        for cell, (begin, end) in enumerate(pairwise(bounds.tolist())):
            rows, codes = np.arange(begin, end), arrays["codes"][begin:end]
            loaded._index.invlists.add_entries(cell, end - begin, faiss.swig_ptr(rows), faiss.swig_ptr(codes))
        loaded._index.ntotal = int(bounds[-1])
        loaded._rebuild_row_map()
        return loaded

    def _nearest(self, vector: Vectors, part: Part, k: int) -> Ids:
        """The cells to visit, nearest first: those with rows of the part, until they hold enough of them."""
        order = np.argsort(-_products(self.centroids, vector))
        order = order[part.held[order] > 0]
        reached = np.cumsum(part.held[order])
        return order[: 1 + np.searchsorted(reached, max(k, self._enough(len(part))))]

    def _enough(self, size: int) -> float:
        """Rows to compare in a part of this size. In a smaller part neighbours lie further apart: a larger share."""
        return max(_MIN_COMPARED, self.share * (size * len(self)) ** 0.5)

    def _cells_of_rows(self) -> npt.NDArray[np.int32]:
        """The cell of each row: FAISS stores cell and offset as the halves of one number."""
        if (known := len(self._cell_of)) < len(self):
            places = faiss.rev_swig_ptr(self._index.direct_map.array.data(), len(self))
            self._cell_of = np.concatenate([self._cell_of, (places[known:] >> 32).astype(np.int32)])
        return self._cell_of

    def _lists(self) -> Iterator[tuple[Ids, Column]]:
        """Yields (rows, codes) of each cell, in stored order."""
        lists, width = self._index.invlists, self._index.code_size
        for cell in range(self.count):
            if size := lists.list_size(cell):
                codes = faiss.rev_swig_ptr(lists.get_codes(cell), size * width)
                yield faiss.rev_swig_ptr(lists.get_ids(cell), size), codes.reshape(size, width)
            else:
                yield np.empty(0, np.int64), np.empty((0, width), np.uint8)

    def _rebuild_row_map(self) -> None:
        self._index.set_direct_map_type(faiss.DirectMap.NoMap)
        self._index.set_direct_map_type(faiss.DirectMap.Array)


def _one_thread() -> None:
    """For small calls: a few vectors take well under 1 ms, synchronising threads takes 10 ms."""
    faiss.omp_set_num_threads(1)


def _products(rows: Vectors, vector: Vectors) -> Vectors:
    """Dot product of each row, (n, dim), with the vector, (dim,). Not a matrix product, which would use threads."""
    return np.einsum("ij,j->i", rows, vector)


SAMPLE = 50_000
_ROUNDS = 5
_QUERIES = 200
_NEAREST = 10
_RECALL = 0.98
_VECTORS_PER_QUERY = 3


def cells_for(vectors: int) -> int:
    """Returns the number of cells for so many vectors. More would search faster and train longer."""
    return max(2, int(3 * vectors**0.5))


def trained_centroids(sample: Vectors, cells: int) -> Vectors:
    """Spherical k-means over unit vectors (n, dim): (cells, dim). 5 s of one core for 50,000 and 2,000 cells."""
    means = faiss.Kmeans(
        sample.shape[1],
        cells,
        niter=_ROUNDS,
        spherical=True,
        seed=1,
        min_points_per_centroid=1,
        max_points_per_centroid=len(sample),
    )
    means.train(sample)
    return np.asarray(means.centroids, np.float32)


def share_to_visit(sample: Vectors, centroids: Vectors, random: np.random.Generator) -> float:
    """Returns the share of all vectors that a search has to visit for a recall@10 of 0.98.

    Measured on the sample, with queries that are means of three of its vectors: queries lie further from the stored
    vectors than those from one another, so the vectors themselves as queries would give too small a share.
    """
    queries = _mean_queries(sample, random)
    _, nearest = faiss.knn(queries, sample, min(_NEAREST, len(sample)), metric=faiss.METRIC_INNER_PRODUCT)
    _, cell = faiss.knn(sample, centroids, 1, metric=faiss.METRIC_INNER_PRODUCT)
    order = np.argsort(-(queries @ centroids.T), axis=1)
    seen = np.cumsum(np.bincount(cell[:, 0], minlength=len(centroids))[order], axis=1)
    place = np.argsort(order, axis=1)
    needed = np.take_along_axis(seen, np.take_along_axis(place, cell[nearest, 0], axis=1), axis=1)
    return float(np.quantile(needed, _RECALL)) / len(sample)


def _mean_queries(sample: Vectors, random: np.random.Generator) -> Vectors:
    sums = sample[random.integers(len(sample), size=(_VECTORS_PER_QUERY, _QUERIES))].sum(axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.maximum(lengths, 1e-9)).astype(np.float32)
