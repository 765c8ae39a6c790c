"""Reads graphs in onnxruntime's own format, by the schema that onnxruntime brings with it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

# Kinds of attributes, by the numbers of ONNX.
_TENSOR, _GRAPH = 4, 5


def read_ort(file: Path) -> onnx.GraphProto:
    """Return the graph of a .ort file, without the types of its inputs and outputs."""
    schema: Any = import_module("onnxruntime.tools.ort_format_model.ort_flatbuffers_py.fbs.InferenceSession")
    session = schema.InferenceSession.GetRootAsInferenceSession(file.read_bytes(), 0)
    return _graph(session.Model().Graph())


def _graph(given: Any) -> onnx.GraphProto:
    return helper.make_graph(
        [_node(each) for each in _each(given, "Nodes")],
        "graph",
        [],
        [helper.make_empty_tensor_value_info(name) for name in _names(given, "Outputs")],
        [_tensor(each) for each in _each(given, "Initializers")],
    )


def _node(given: Any) -> onnx.NodeProto:
    kind, name, domain = (_text(each) for each in (given.OpType(), given.Name(), given.Domain()))
    node = helper.make_node(kind, _names(given, "Inputs"), _names(given, "Outputs"), name=name, domain=domain)
    node.attribute.extend(_attribute(each) for each in _each(given, "Attributes"))
    return node


def _attribute(given: Any) -> onnx.AttributeProto:
    kind = given.Type()
    if kind == _TENSOR:
        value = _tensor(given.T())
    elif kind == _GRAPH:
        value = _graph(given.G())
    else:
        # Float, integer, text, floats, integers.
        read = {1: given.F, 2: given.I, 3: given.S, 6: given.FloatsAsNumpy, 7: given.IntsAsNumpy}
        value = read[kind]()
        value = value.tolist() if isinstance(value, np.ndarray) else value
    return helper.make_attribute(_text(given.Name()), value, attr_type=kind)


def _tensor(given: Any) -> TensorProto:
    raw = given.RawDataAsNumpy()
    # For a tensor without elements the reader returns 0 instead of an array.
    content = raw.tobytes() if isinstance(raw, np.ndarray) else b""
    sizes = [given.Dims(at) for at in range(given.DimsLength())]
    return helper.make_tensor(_text(given.Name()), given.DataType(), sizes, content, raw=True)


def _each(given: Any, field: str) -> Iterator[Any]:
    return (getattr(given, field)(at) for at in range(getattr(given, f"{field}Length")()))


def _names(given: Any, field: str) -> list[str]:
    return [_text(each) for each in _each(given, field)]


def _text(given: bytes | None) -> str:
    return (given or b"").decode("utf-8")
