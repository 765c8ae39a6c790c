"""A builder of ONNX graphs, for the conversions that make new graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
IR_VERSION = 9


class GraphBuilder:
    """Collects nodes and constants. Values are referred to by their names."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[TensorProto] = []

    def constant(self, value: Any, dtype: type[np.generic] = np.float32) -> str:
        """Add a constant of this type; returns its name."""
        name = f"constant_{len(self._constants)}"
        return self.stored(numpy_helper.from_array(np.array(value, dtype, order="C"), name))

    def halved(self, value: np.ndarray) -> str:
        """Add a float32 constant stored as float16 (half the file size), cast back when the model is loaded."""
        return self.node("Cast", self.constant(value, np.float16), to=TensorProto.FLOAT)

    def stored(self, tensor: TensorProto) -> str:
        """Add a tensor as a constant; returns its name."""
        self._constants.append(tensor)
        return tensor.name

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator with one output; returns the name of the output."""
        output = f"{op}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(op, list(inputs), [output], **attributes))
        return output

    def model(self, inputs: Sequence[onnx.ValueInfoProto], outputs: Mapping[str, str]) -> onnx.ModelProto:
        """Return the whole graph. outputs: {name of an output: name of its value}."""
        names = [helper.make_node("Identity", [value], [name]) for name, value in outputs.items()]
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph([*self._nodes, *names], "graph", list(inputs), infos, self._constants)
        domains = {node.domain for node in graph.node} - {""}
        versions = [helper.make_opsetid("", OPSET), *(helper.make_opsetid(each, 1) for each in sorted(domains))]
        return helper.make_model(graph, opset_imports=versions, ir_version=IR_VERSION)
