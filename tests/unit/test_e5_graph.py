"""The graphs of E5 against the published one: mean of tokens, less part of the mean of many texts."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [local] is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")
pytest.importorskip("tokenizers", reason="the extra [local] is not installed")

from amr_neo4j.embedders.e5 import E5, FEW_TEXTS  # noqa: E402 - needs the extra
from amr_neo4j.local_models import bert_graph, e5_graph  # noqa: E402 - needs the extra
from amr_neo4j.onnx_session import open_session  # noqa: E402
from tests.support.bert_export import LONGEST, WIDTH, WORDS  # noqa: E402 - needs the extra


def _run(file: Path, **inputs: np.ndarray) -> np.ndarray:
    return onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


@pytest.mark.parametrize("tokens", [1, 2, 7, LONGEST])
def test_the_vector_is_that_of_the_published_graph_with_the_added_steps(e5_folder: Path, tokens: int) -> None:
    """The result has length 1 before and after the mean is taken away."""
    ids = np.random.default_rng(tokens).integers(0, WORDS, (1, tokens))
    ones, zeros = np.ones_like(ids), np.zeros_like(ids)
    hidden = _run(e5_folder / e5_graph.SOURCE, input_ids=ids, attention_mask=ones, token_type_ids=zeros)
    mean = hidden[0].mean(axis=0)
    less = mean / np.linalg.norm(mean) - bert_graph.PART * bert_graph.mean_of_texts("e5")
    found = _run(e5_folder / "model.onnx", ids=ids)
    np.testing.assert_allclose(found[0], less / np.linalg.norm(less), atol=1e-5)


def test_several_texts_have_the_vectors_that_they_have_alone(e5_folder: Path) -> None:
    """They are equal bit by bit. Activations of 8 bits have a scale, and each text has a scale of its own."""
    ids = np.random.default_rng(0).integers(0, WORDS, (9, 7))
    alone = np.vstack([_run(e5_folder / "model.onnx", ids=each[None]) for each in ids])
    np.testing.assert_array_equal(_run(e5_folder / "several.onnx", ids=ids), alone)


def test_texts_of_many_lengths_keep_their_order(e5_folder: Path) -> None:
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{number}" for number in random.integers(1, WORDS, n % 5 + 1)) for n in range(40)]
    embedder = E5(e5_folder)
    np.testing.assert_array_equal(embedder.embed(texts), np.vstack([embedder.embed([text]) for text in texts]))


def test_half_a_character_is_embedded_as_a_question_mark(e5_folder: Path) -> None:
    """A message may have a lone surrogate, which the tokenizer refuses."""
    embedder = E5(e5_folder)
    np.testing.assert_array_equal(embedder.embed(["a mug \ud800"]), embedder.embed(["a mug ?"]))


def test_questions_need_the_graph_for_one_text_alone(e5_folder: Path, tmp_path: Path) -> None:
    """A question and its parts are few texts, so that who asks need not wait for a second graph to be loaded."""
    for name in ("model.onnx", bert_graph.WEIGHTS, "tokenizer.json"):
        shutil.copy(e5_folder / name, tmp_path)
    assert E5(tmp_path).asking().embed(["w1 w2"] * FEW_TEXTS).shape == (FEW_TEXTS, WIDTH)


def test_threads_that_embed_at_once_load_a_graph_once(e5_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, together = list[str](), Barrier(2)

    def loading(file: Path) -> Any:
        loaded.append(file.name)
        with suppress(BrokenBarrierError):
            together.wait(0.5)  # so that a second thread that loads one would meet this one
        return open_session(file)

    monkeypatch.setattr("amr_neo4j.embedders.e5.open_session", loading)
    embedder = E5(e5_folder)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(embedder.embed, [["w1 w2"]] * 4))
    embedder.embed(["w1 w2", "w3"] * FEW_TEXTS)
    assert sorted(loaded) == ["model.onnx", "several.onnx"]


@pytest.mark.parametrize("name", ["e5", "multilingual-e5"])
def test_the_mean_of_texts_is_nearly_as_long_as_their_vectors(name: str) -> None:
    """They lie in a narrow cone; that is why it is taken away."""
    for mean in np.atleast_2d(bert_graph.mean_of_texts(name).T):
        assert mean.shape == (WIDTH,)
        assert 0.8 < np.linalg.norm(mean) < 0.95
