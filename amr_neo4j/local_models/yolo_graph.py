"""Makes YOLOv8's graph accept pictures of other sizes, once, when the model is installed.

The export takes only pictures of 640 x 640. Films are wider than high, so two fifths of the work would be spent on
grey bars. The network itself takes any multiple of 32. Only its last part depends on a picture's number of cells.

model.onnx   input  `images`  (1, 3, height, width) float32: R, G, B from 0 to 1; height and width multiples of 32
             output `output0` (1, 84, cells) float32: centre x, centre y, width and height in pixels, then the scores
                              of COCO's 80 classes; the cells are those of the grids of 8, 16 and 32 pixels, one grid
                              after the other, row by row
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from amr_neo4j.errors import InputError

STRIDES = (8, 16, 32)
SIDE = 640
"""The side of the pictures that the export takes, in pixels."""


def convert(sources: Path, folder: Path) -> None:
    """Write model.onnx. Raises InputError: the export has another form."""
    model = onnx.load(sources / "yolov8n.onnx")  # pyright: ignore[reportUnknownMemberType]
    open_sides(model)
    onnx.save(model, folder / "model.onnx")  # pyright: ignore[reportUnknownMemberType]


def open_sides(model: onnx.ModelProto) -> None:
    """Change a YOLOv8 export for one size of pictures, in place, so that it takes any size.

    The export has the places of its cells as constants: their centres, shape (1, 2, cells), in cells, and their
    strides, shape (1, cells). The changed graph computes both from the feature maps.
    Raises InputError: the export has another form.
    """
    graph = model.graph
    cells = sum((SIDE // stride) ** 2 for stride in STRIDES)
    constants = {node.output[0]: numpy_helper.to_array(node.attribute[0].t) for node in _nodes(graph, "Constant")}
    places = {name: "strides" for name, value in constants.items() if value.shape == (1, cells)}
    places |= {name: "centres" for name, value in constants.items() if value.shape == (1, 2, cells)}
    maps = [node.input[0] for node in _nodes(graph, "Reshape") if constants[node.input[1]].tolist() == [1, 144, -1]]
    if set(places.values()) != {"strides", "centres"} or len(maps) != len(STRIDES):
        raise InputError("this YOLOv8 export has another form")
    rest = {name: np.where(value == cells, -1, value) for name, value in constants.items() if cells in value.ravel()}
    first = min(n for n, node in enumerate(graph.node) if node.output[0] in places)
    nodes = [*graph.node[:first], *_grid(maps), *graph.node[first:]]
    kept = [_changed(node, places, rest) for node in nodes if node.output[0] not in places]
    del graph.node[:]
    graph.node.extend(kept)
    sides = graph.input[0].type.tensor_type.shape.dim
    sides[2].dim_param, sides[3].dim_param = "height", "width"
    graph.output[0].type.tensor_type.shape.dim[2].dim_param = "cells"


def _nodes(graph: onnx.GraphProto, kind: str) -> Iterator[onnx.NodeProto]:
    return (node for node in graph.node if node.op_type == kind)


def _changed(node: onnx.NodeProto, names: dict[str, str], values: dict[str, np.ndarray]) -> onnx.NodeProto:
    """Return the node with its inputs renamed, or with the value of its constant replaced."""
    if node.op_type == "Constant" and node.output[0] in values:
        return _constant(node.output[0], values[node.output[0]])
    node.input[:] = [names.get(name, name) for name in node.input]
    return node


def _constant(name: str, value: np.ndarray) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(value))


def _grid(maps: Sequence[str]) -> Iterator[onnx.NodeProto]:
    """Yield the nodes that compute `centres` and `strides` of the cells of these maps.

    A map has the shape (1, channels, rows, columns).
    """
    constants = {
        "grid_0": np.array([0]), "grid_1": np.array([1]), "grid_row": np.array(2), "grid_column": np.array(3),
        "grid_half": np.float32(0.5), "grid_one": np.float32(1), "grid_none": np.float32(0),
        "grid_of_two": np.array([1, 2, -1]), "grid_of_one": np.array([1, -1]),
    }  # fmt: skip
    for name, value in constants.items():
        yield _constant(name, np.asarray(value))
    for stride, name in zip(STRIDES, maps, strict=True):
        at = f"grid_{stride}px"
        yield _constant(f"{at}_stride", np.asarray(np.float32(stride)))
        # A map of ones. Its cumulative sums number the columns and the rows from 1.
        yield helper.make_node("Slice", [name, "grid_0", "grid_1", "grid_1"], [f"{at}_any"])
        yield helper.make_node("Mul", [f"{at}_any", "grid_none"], [f"{at}_zeros"])
        yield helper.make_node("Add", [f"{at}_zeros", "grid_one"], [f"{at}_ones"])
        yield helper.make_node("CumSum", [f"{at}_ones", "grid_column"], [f"{at}_x"])
        yield helper.make_node("CumSum", [f"{at}_ones", "grid_row"], [f"{at}_y"])
        yield helper.make_node("Concat", [f"{at}_x", f"{at}_y"], [f"{at}_ends"], axis=1)
        yield helper.make_node("Sub", [f"{at}_ends", "grid_half"], [f"{at}_middles"])
        yield helper.make_node("Reshape", [f"{at}_middles", "grid_of_two"], [f"{at}_centres"])
        yield helper.make_node("Mul", [f"{at}_ones", f"{at}_stride"], [f"{at}_pixels"])
        yield helper.make_node("Reshape", [f"{at}_pixels", "grid_of_one"], [f"{at}_strides"])
    yield helper.make_node("Concat", [f"grid_{stride}px_centres" for stride in STRIDES], ["centres"], axis=2)
    yield helper.make_node("Concat", [f"grid_{stride}px_strides" for stride in STRIDES], ["strides"], axis=1)
