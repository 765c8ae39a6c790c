"""What the installation adds to the graph of E5: mean of tokens, less part of the mean of many texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra [local] is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")

from amr_neo4j.local_models import e5_graph  # noqa: E402 - needs the extra

WIDTH = 384


def _tokens_as_vectors(table: np.ndarray) -> onnx.ModelProto:
    """The inputs and the output of the published graph; a token's vector is its row of the table and its type's."""
    helper, types = onnx.helper, onnx.TensorProto
    names = ("input_ids", "attention_mask", "token_type_ids")
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("Gather", ["table", "token_type_ids"], ["types"]),
        helper.make_node("Add", ["words", "types"], ["last_hidden_state"]),
    ]
    inputs = [helper.make_tensor_value_info(name, types.INT64, ["texts", "tokens"]) for name in names]
    output = helper.make_tensor_value_info("last_hidden_state", types.FLOAT, ["texts", "tokens", WIDTH])
    graph = helper.make_graph(nodes, "tokens", inputs, [output], [onnx.numpy_helper.from_array(table, "table")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=6)


def test_the_added_steps_are_those_of_the_description(tmp_path: Path) -> None:
    """Padding counts for nothing; the result has length 1 before and after the mean is taken away."""
    table = np.random.default_rng(0).normal(size=(9, WIDTH)).astype(np.float32)
    onnx.save(_tokens_as_vectors(table), tmp_path / e5_graph.SOURCE)
    e5_graph.convert(tmp_path, tmp_path)
    ids, mask = np.array([[3, 5, 7], [8, 2, 0]]), np.array([[1, 1, 1], [1, 1, 0]])
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    found = session.run(["embeddings"], {"ids": ids, "mask": mask})[0]
    for row, tokens in zip(found, ([3, 5, 7], [8, 2]), strict=True):
        mean = (table[tokens] + table[0]).sum(axis=0)
        less = mean / np.linalg.norm(mean) - e5_graph.PART * e5_graph.mean_of_texts()
        np.testing.assert_allclose(row, less / np.linalg.norm(less), atol=1e-5)


def test_the_mean_of_texts_is_nearly_as_long_as_their_vectors() -> None:
    """They lie in a narrow cone; that is why it is taken away."""
    assert e5_graph.mean_of_texts().shape == (WIDTH,)
    assert 0.8 < np.linalg.norm(e5_graph.mean_of_texts()) < 0.95
