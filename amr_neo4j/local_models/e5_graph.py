# pyright: basic
"""Complete the graph of e5-small-v2 (Wang et al. 2022), once, when the model is installed.

The published graph ends with a vector for each token. Added: the mean of those that are not padding, of length 1,
less part of the mean of many texts, of length 1 again. Vectors of E5 lie in a narrow cone: without the latter step
even unrelated texts have a cosine of .7, and thresholds tell little (Mu and Viswanath 2018, "All-but-the-Top").

model.onnx  inputs `ids` and `mask` (texts, tokens) int64; output `embeddings` (texts, 384) float32
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOURCE = "e5-small-v2-q.onnx"
MEAN = "e5_mean.txt"
# How much of the mean is taken away. At .8 cosines have the range of MiniLM's; ranking is the same from .8 to 1.
PART = 0.8
_INPUTS = {"input_ids": "ids", "attention_mask": "mask"}


def convert(sources: Path, folder: Path) -> None:
    """Write model.onnx."""
    model = onnx.load(sources / SOURCE)
    _complete(model.graph, mean_of_texts())
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")


def mean_of_texts() -> np.ndarray:
    """The mean vector of many texts, (384,): benchmarks/embedder_mean.py made it."""
    with resources.files("amr_neo4j.local_models").joinpath(MEAN).open(encoding="utf-8") as lines:
        return np.loadtxt(lines, dtype=np.float32)


def _complete(graph: onnx.GraphProto, mean: np.ndarray) -> None:
    """Rename the inputs, derive the token types, which are all 0, and add what follows the last layer."""
    for node in graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = _INPUTS.get(name, name)
    hidden, node = graph.output[0].name, helper.make_node
    graph.initializer.extend(
        [
            numpy_helper.from_array(np.array([-1, len(mean)], np.int64), "amr_rows"),
            numpy_helper.from_array(PART * mean, "amr_mean"),
        ]
    )
    graph.node.insert(0, node("Sub", ["ids", "ids"], ["token_type_ids"]))
    graph.node.extend(
        [
            node("Cast", ["mask"], ["amr_mask"], to=TensorProto.FLOAT),
            node("Unsqueeze", ["amr_mask"], ["amr_kept"], axes=[1]),
            node("MatMul", ["amr_kept", hidden], ["amr_sums"]),
            node("Reshape", ["amr_sums", "amr_rows"], ["amr_sum"]),
            node("LpNormalization", ["amr_sum"], ["amr_unit"], axis=-1, p=2),
            node("Sub", ["amr_unit", "amr_mean"], ["amr_centred"]),
            node("LpNormalization", ["amr_centred"], ["embeddings"], axis=-1, p=2),
        ]
    )
    del graph.input[:], graph.output[:]
    graph.input.extend(
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in _INPUTS.values()
    )
    graph.output.append(helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, ["texts", len(mean)]))
