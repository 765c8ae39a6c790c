"""Makes an ONNX graph of Resemblyzer's voice encoder, once, when the model is installed.

voice.onnx   input  `mels` (n, 160, 40) float32: the power in 40 mel bands of 160 windows of 25 ms, one every 10 ms
             output `voices` (n, 256) float32: unit vectors, whose cosine tells how alike two voices are
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper

from amr_neo4j.errors import InputError
from amr_neo4j.local_models.onnx_graph import GraphBuilder

LAYERS, SIZE = 3, 256
Weights = Mapping[str, npt.NDArray[np.float32]]


def convert(sources: Path, folder: Path) -> None:
    """Write voice.onnx. Raises InputError: the checkpoint has an unexpected format."""
    onnx.save(_graph(_checkpoint(sources / "pretrained.pt")), folder / "voice.onnx")  # pyright: ignore[reportUnknownMemberType]


def _graph(weights: Weights) -> onnx.ModelProto:
    builder = GraphBuilder()
    # ONNX wants the time first.
    value = builder.node("Transpose", "mels", perm=[1, 0, 2])
    for layer in range(LAYERS):
        of_input, of_state = (_gates(weights[f"lstm.weight_{each}_l{layer}"])[None] for each in ("ih", "hh"))
        bias = np.concatenate([_gates(weights[f"lstm.bias_{each}_l{layer}"]) for each in ("ih", "hh")])[None]
        tensors = [builder.constant(each) for each in (of_input, of_state, bias)]
        value = builder.node("LSTM", value, *tensors, hidden_size=SIZE)
        # Without the axis of the directions, of which there is one.
        value = builder.node("Squeeze", value, builder.constant([1], np.int64))
    last = builder.node("Gather", value, builder.constant(-1, np.int64), axis=0)
    linear = builder.node(
        "Gemm", last, builder.constant(weights["linear.weight"]), builder.constant(weights["linear.bias"]), transB=1
    )
    voices = builder.node("LpNormalization", builder.node("Relu", linear), axis=1, p=2)
    mels = helper.make_tensor_value_info("mels", TensorProto.FLOAT, ["n", 160, 40])
    return builder.model([mels], {"voices": voices})


def _gates(given: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the gates of an LSTM in the order of ONNX (input, output, forget, cell), from torch's (i, f, c, o)."""
    one, forget, cell, out = np.split(given, 4)
    return np.concatenate([one, out, forget, cell])


class _Reader(pickle.Unpickler):
    """Reads a checkpoint and runs nothing of it: every class is replaced by a tuple of what it was made of."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) == ("collections", "OrderedDict"):
            return OrderedDict
        return _parts

    def persistent_load(self, pid: Any, /) -> Any:
        return pid


def _parts(*made_of: Any) -> tuple[Any, ...]:
    return made_of


def _checkpoint(file: Path) -> Weights:
    """Return the tensors of a checkpoint in the form that torch wrote before version 1.6.

    It has five pickles (magic number, protocol, system, content, keys of the storages), and then, for each key, the
    count of numbers and the numbers.
    """
    with file.open("rb") as opened:
        _, _, _, content, keys = (_Reader(opened).load() for _ in range(5))
        storages = {key: _numbers(opened) for key in keys}
    try:
        tensors: Mapping[str, Any] = content["model_state"]
        return {name: _tensor(given, storages) for name, given in tensors.items() if len(given) > 3}
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise InputError("this checkpoint has another form") from error


def _numbers(opened: IO[bytes]) -> npt.NDArray[np.float32]:
    count = int.from_bytes(opened.read(8), "little")
    return np.frombuffer(opened.read(4 * count), np.float32)


def _tensor(given: Any, storages: Mapping[str, npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    """Return a tensor. given: (its storage, of which the third part is the key, its first number, its sizes ...)."""
    storage: tuple[Any, ...] = given[0]
    start: int = given[1]
    sizes: tuple[int, ...] = given[2]
    return storages[storage[2]][start : start + prod(sizes)].reshape(sizes)
