"""ONNX exports of each known layout of a detector, which find one forklift in a picture of 640 x 360."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# left, top, right, bottom in the picture, which a square input of 640 shows between its rows 140 and 500
BOX = (100.0, 60.0, 300.0, 160.0)
CENTRED, CORNERED, STRETCHED = (100, 200, 300, 300), BOX, (100, 60 * 640 / 360, 300, 160 * 640 / 360)


def export(path: Path, outputs: dict[str, Any], *, uint8: bool = False) -> Path:
    """A network that gives these values for every picture."""
    values = {name: np.asarray(value) for name, value in outputs.items()}
    constants = [numpy_helper.from_array(value, f"{name}_") for name, value in values.items()]
    nodes = [helper.make_node("Identity", [f"{name}_"], [name]) for name in values]
    kinds = {name: helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in values.items()}
    infos = [helper.make_tensor_value_info(name, kinds[name], None) for name in values]
    image = (
        helper.make_tensor_value_info("image", TensorProto.UINT8, [1, 640, 640, 3])
        if uint8
        else helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 640, 640])
    )
    graph = helper.make_graph(nodes, "fixed", [image], infos, constants)
    file = path / "my.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), file)
    return file


def centre_and_size(box: tuple[float, ...]) -> list[float]:
    left, top, right, bottom = box
    return [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]


def rows(number: int, width: int, row: list[float], at: int = 0) -> Any:
    found = np.zeros((1, number, width), np.float32)
    found[0, at] = row
    return found


def yolox() -> Any:
    """The cell of the coarse grid that holds the box's centre, with offsets in strides of 32."""
    x, y, wide, high = centre_and_size(CORNERED)
    column, row = int(x // 32), int(y // 32)
    offsets = [x / 32 - column, y / 32 - row, np.log(wide / 32), np.log(high / 32)]
    return rows(8400, 8, [*offsets, 0.9, 0, 1, 0], at=6400 + 1600 + 20 * row + column)


def square_yolo8() -> onnx.ModelProto:
    """An export of YOLOv8 for pictures of 640 x 640 alone, with the real one's last part: in each cell a person.

    Its box reaches 3.5 cells from the centre to each side: the expected value of 8 even shares, 0 to 7.
    """
    nodes, constants, maps = [], [], []

    def add(op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def constant(name: str, value: Any) -> str:
        return add("Constant", [], name, value=numpy_helper.from_array(np.asarray(value), name))

    def weight(name: str, value: Any) -> str:
        constants.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
        return name

    bias = np.full(144, -9.0)
    bias[:64] = np.tile([0.0] * 8 + [-99.0] * 8, 4)
    bias[64] = 9.0
    for stride in (8, 16, 32):
        kernel = weight(f"w{stride}", np.zeros((144, 3, stride, stride)))
        features = add("Conv", ["images", kernel, weight(f"b{stride}", bias)], f"f{stride}", strides=[stride, stride])
        maps.append(add("Reshape", [features, constant(f"s{stride}", [1, 144, -1])], f"m{stride}"))
    grids = [np.stack(np.meshgrid(np.arange(n), np.arange(n)), 0).reshape(2, -1) + 0.5 for n in (80, 40, 20)]
    centres = np.concatenate(grids, 1).astype(np.float32)[None]
    strides = np.repeat([8, 16, 32], [6400, 1600, 400]).astype(np.float32)[None]
    every = add("Concat", maps, "all", axis=2)
    nodes.append(helper.make_node("Split", [every, constant("parts", [64, 80])], ["reach", "class"], axis=1))
    reach = add("Reshape", ["reach", constant("s1", [1, 4, 16, 8400])], "r1")
    shares = add("Softmax", [add("Transpose", [reach], "r2", perm=[0, 2, 1, 3])], "r3", axis=1)
    mean = add("Conv", [shares, weight("w", np.arange(16).reshape(1, 16, 1, 1))], "r4")
    mean = add("Reshape", [mean, constant("s2", [1, 4, 8400])], "r5")
    nodes.append(helper.make_node("Split", [mean, constant("halves", [2, 2])], ["before", "after"], axis=1))
    low = add("Sub", [constant("c1", centres), "before"], "low")
    high = add("Add", [constant("c2", centres), "after"], "high")
    middle = add("Div", [add("Add", [low, high], "sum"), constant("two", np.float32(2))], "middle")
    box = add("Concat", [middle, add("Sub", [high, low], "size")], "box", axis=1)
    box = add("Mul", [box, constant("strides_", strides)], "pixels")
    add("Concat", [box, add("Sigmoid", ["class"], "scores")], "output0", axis=1)
    image = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 640, 640])
    found = helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, 84, 8400])
    graph = helper.make_graph(nodes, "yolo8", [image], [found], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


SHARES = [each / 640 for each in STRETCHED]
LAYOUTS: dict[str, dict[str, Any]] = {
    "YOLOv5": {"output0": rows(25200, 8, [*centre_and_size(CENTRED), 0.9, 0, 1, 0])},
    "YOLOv8": {"output0": rows(8400, 7, [*centre_and_size(CENTRED), 0, 0.9, 0]).transpose(0, 2, 1)},
    "YOLOv10": {"output0": rows(300, 6, [*CENTRED, 0.9, 1])},
    "YOLOX": {"output": yolox()},
    "RT-DETR": {"output0": rows(300, 7, [*centre_and_size(tuple(SHARES)), 0, 0.9, 0])},
    "RT-DETR, three outputs": {
        "labels": np.array([[1]], np.int64),
        "boxes": np.array([[STRETCHED]], np.float32),
        "scores": np.array([[0.9]], np.float32),
    },
    "DETR": {
        "logits": np.array([[[-9, np.log(9), -9]]], np.float32),
        "pred_boxes": np.array([[centre_and_size(tuple(SHARES))]], np.float32),
    },
    "SSD": {
        "detection_boxes": np.array([[[SHARES[1], SHARES[0], SHARES[3], SHARES[2]]]], np.float32),
        "detection_classes": np.array([[2]], np.float32),
        "detection_scores": np.array([[0.9]], np.float32),
        "num_detections": np.array([1], np.float32),
    },
}
