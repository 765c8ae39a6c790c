# pyright: basic
"""Building an ONNX graph by hand: what the two conversions share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
IR_VERSION = 9


class GraphBuilder:
    """Collects nodes and constants; every value is known by its name."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[TensorProto] = []

    def constant(self, value: Any, dtype: type[np.generic] = np.float32) -> str:
        """A constant of this type."""
        name = f"constant_{len(self._constants)}"
        return self.stored(numpy_helper.from_array(np.ascontiguousarray(value, dtype=dtype), name))

    def halved(self, value: np.ndarray) -> str:
        """A float32 constant that is stored as float16: half the file, cast back when the model is loaded."""
        return self.node("Cast", self.constant(value, np.float16), to=TensorProto.FLOAT)

    def stored(self, tensor: TensorProto) -> str:
        """A constant that is a tensor already."""
        self._constants.append(tensor)
        return tensor.name

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        """One operator with one output, whose name is returned."""
        output = f"{op}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(op, list(inputs), [output], **attributes))
        return output

    def model(self, inputs: Sequence[onnx.ValueInfoProto], outputs: Mapping[str, str]) -> onnx.ModelProto:
        """The whole graph. outputs: the name a caller asks for -> the value it is."""
        names = [helper.make_node("Identity", [value], [name]) for name, value in outputs.items()]
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph([*self._nodes, *names], "graph", list(inputs), infos, self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
