"""The embedding cache: its calls to the wrapped embedder, and invalid cache files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.errors import ConfigError
from benchmarks.embedding_cache import CachedEmbedder


class Counting(Embedder):
    """An embedder that records its calls."""

    dim = 2
    unrelated = 0.5
    alike = 0.85

    def __init__(self, model: str = "counting") -> None:
        self.model = model
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.extend(texts)
        angles = np.array([len(text) for text in texts], np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_each_text_is_computed_once(tmp_path: Path) -> None:
    inside = Counting()
    cached = CachedEmbedder(inside, tmp_path / "cache.sqlite")
    first = cached.embed(["put cup", "take cup", "put cup"])
    again = cached.embed(["take cup", "wash cup", "put cup"])
    assert inside.asked == ["put cup", "take cup", "wash cup"]
    np.testing.assert_array_equal(again[[0, 2]], first[[1, 0]])


def test_the_cache_outlives_its_process(tmp_path: Path) -> None:
    first = CachedEmbedder(Counting(), tmp_path / "cache.sqlite")
    vectors = first.embed(["put cup"])
    first.close()
    later = Counting()
    np.testing.assert_array_equal(CachedEmbedder(later, tmp_path / "cache.sqlite").embed(["put cup"]), vectors)
    assert later.asked == []


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    CachedEmbedder(Counting("one"), tmp_path / "cache.sqlite").embed(["put cup"])
    other = Counting("two")
    CachedEmbedder(other, tmp_path / "cache.sqlite").embed(["put cup"])
    assert other.asked == ["put cup"]


def test_the_file_does_not_contain_the_text(tmp_path: Path) -> None:
    cached = CachedEmbedder(Counting(), tmp_path / "cache.sqlite")
    cached.embed(["a secret about the keys"])
    cached.close()
    assert b"secret" not in (tmp_path / "cache.sqlite").read_bytes()


def test_an_invalid_cache_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("these are notes, not a database, and must stay" * 30)
    with pytest.raises(ConfigError, match=r"notes\.txt is not a cache"):
        CachedEmbedder(Counting(), tmp_path / "notes.txt")
