# pyright: basic
"""Where the cells of an inverted file lie, and how many of the vectors a search must see. Learnt from a sample."""

from __future__ import annotations

import faiss
import numpy as np

from amr_neo4j.domain.ports import Vectors

SAMPLE = 50_000
_ROUNDS = 5
_QUESTIONS = 200
_NEAREST = 10
_RECALL = 0.98
_THINGS = 3


def cells_for(vectors: int) -> int:
    """How many cells so many vectors are kept in: more would be quicker to search and take longer to learn."""
    return max(2, int(3 * vectors**0.5))


def centroids(sample: Vectors, cells: int) -> Vectors:
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


def share_to_see(sample: Vectors, middles: Vectors, random: np.random.Generator) -> float:
    """The share of all vectors that a search must see to find 98 of 100 that are among the ten nearest.

    Measured within the sample, on questions in the midst of three of its vectors: what people ask lies further from
    all that is stored than its own vectors do, which would make too little look enough.
    """
    questions = _in_the_midst(sample, random)
    _, nearest = faiss.knn(questions, sample, min(_NEAREST, len(sample)), metric=faiss.METRIC_INNER_PRODUCT)
    _, cell = faiss.knn(sample, middles, 1, metric=faiss.METRIC_INNER_PRODUCT)
    order = np.argsort(-(questions @ middles.T), axis=1)
    seen = np.cumsum(np.bincount(cell[:, 0], minlength=len(middles))[order], axis=1)
    place = np.argsort(order, axis=1)
    needed = np.take_along_axis(seen, np.take_along_axis(place, cell[nearest, 0], axis=1), axis=1)
    return float(np.quantile(needed, _RECALL)) / len(sample)


def _in_the_midst(sample: Vectors, random: np.random.Generator) -> Vectors:
    midst = sample[random.integers(len(sample), size=(_THINGS, _QUESTIONS))].sum(axis=0)
    lengths = np.linalg.norm(midst, axis=1, keepdims=True)
    return (midst / np.maximum(lengths, 1e-9)).astype(np.float32)
