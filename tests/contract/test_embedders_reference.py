"""MiniLM against BERT's forward pass written out in numpy from the papers, on the same weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j import settings
from amr_neo4j.errors import ModelMissing
from amr_neo4j.local_models.registry import model_dir

load_file = pytest.importorskip("safetensors.numpy", reason="the extra [local] is not installed").load_file
erf = pytest.importorskip("scipy.special", reason="the extra [local] is not installed").erf
tokenizers = pytest.importorskip("tokenizers", reason="the extra [local] is not installed")

Weights = dict[str, np.ndarray]
TEXTS = [
    "",
    "Hi",
    "A man in a dark suit walks past a taxi.",
    "Caroline: I went to a support group yesterday, and it was so powerful!",
    "naïve café 日本語 🙂 don't",
    "the cup stands on the table next to the plate and " * 60,
]


@pytest.fixture(scope="module")
def folder() -> Path:
    try:
        return model_dir(settings.load(), "minilm")
    except ModelMissing as error:
        pytest.skip(str(error))


def _reference(ids: list[int], weights: Weights) -> np.ndarray:
    """The unit embedding of one text, in float64."""
    hidden = weights["embeddings.word_embeddings.weight"][ids]
    hidden = hidden + weights["embeddings.position_embeddings.weight"][: len(ids)]
    hidden = _normalise(
        hidden + weights["embeddings.token_type_embeddings.weight"][0], weights, "embeddings.LayerNorm"
    )
    for layer in range(6):
        hidden = _layer(hidden, weights, f"encoder.layer.{layer}")
    mean = hidden.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _layer(hidden: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    attended = _linear(_attention(hidden, weights, name), weights, f"{name}.attention.output.dense")
    hidden = _normalise(hidden + attended, weights, f"{name}.attention.output.LayerNorm")
    wide = _linear(hidden, weights, f"{name}.intermediate.dense")
    wide = wide * (1 + erf(wide / np.sqrt(2))) / 2
    return _normalise(hidden + _linear(wide, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")


def _attention(hidden: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    projected = [_linear(hidden, weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    heads = []
    for query, key, value in zip(*(np.split(each, 12, axis=1) for each in projected), strict=True):
        scores = np.exp(query @ key.T / np.sqrt(32))
        heads.append(scores / scores.sum(axis=1, keepdims=True) @ value)
    return np.hstack(heads)


def _linear(rows: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    return rows @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _normalise(rows: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    centred = rows - rows.mean(axis=1, keepdims=True)
    scaled = centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-12)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def test_vectors_equal_those_of_the_reference_implementation(folder: Path) -> None:
    from amr_neo4j.embedders.transformers import MiniLM

    weights = {name: value.astype(np.float64) for name, value in load_file(folder / "model.safetensors").items()}
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    expected = np.array([_reference(tokenizer.encode(text).ids, weights) for text in TEXTS])
    np.testing.assert_allclose(MiniLM(folder).embed(TEXTS), expected, atol=1e-5)
    np.testing.assert_allclose(MiniLM(folder, threads=1).embed(TEXTS), expected, atol=1e-5)


def test_a_text_is_truncated_to_256_tokens(folder: Path) -> None:
    from amr_neo4j.embedders.transformers import MiniLM

    words = ["cup", "dog", "red", "sun"]
    text = [words[number % 4] for number in range(300)]
    whole, first, shorter = MiniLM(folder).embed([" ".join(text[:end]) for end in (300, 254, 250)])
    np.testing.assert_allclose(whole, first, atol=1e-5)  # 254 words and the two marks at the ends
    assert np.abs(whole - shorter).max() > 1e-4


def test_questions_embedded_with_8_bits_lie_near_the_same_text_in_full(tmp_path: Path, folder: Path) -> None:
    """The derived graph needs no download, and its vectors rank texts as those of the full one do."""
    from amr_neo4j.embedders.transformers import MiniLM
    from amr_neo4j.local_models.minilm_graph import QUESTIONS, derive

    shutil.copytree(folder, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(QUESTIONS))
    derive(tmp_path)
    made = (tmp_path / QUESTIONS).stat()
    derive(tmp_path)
    assert (tmp_path / QUESTIONS).stat().st_mtime_ns == made.st_mtime_ns  # kept
    whole, small = MiniLM(folder).embed(TEXTS), MiniLM(tmp_path, graph=QUESTIONS, alone=True).embed(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(small, axis=1), 1, atol=1e-5)
    near = small @ whole.T
    assert (near.argmax(axis=1) == np.arange(len(TEXTS))).all()
    assert near.diagonal().min() > 0.97
    one = MiniLM(tmp_path, graph=QUESTIONS, alone=True).embed(TEXTS[:1])
    np.testing.assert_array_equal(one[0], small[0])  # whatever else is embedded with it
