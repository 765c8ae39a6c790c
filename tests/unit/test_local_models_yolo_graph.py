"""YOLOv8's export for squares, opened for pictures of any sides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra [local] is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")

from amr_neo4j.errors import InputError  # noqa: E402
from amr_neo4j.local_models.yolo_graph import convert, open_sides  # noqa: E402
from tests.support.onnx_exports import LAYOUTS, export, square_yolo8  # noqa: E402


def _run(model: Any, height: int, width: int) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"images": np.zeros((1, 3, height, width), np.float32)})[0]


def test_a_square_gives_what_it_gave(tmp_path: Path) -> None:
    onnx.save(square_yolo8(), tmp_path / "yolov8n.onnx")
    convert(tmp_path, tmp_path)
    np.testing.assert_allclose(_run(onnx.load(tmp_path / "model.onnx"), 640, 640), _run(square_yolo8(), 640, 640))


def test_other_sides_have_a_grid_of_their_own() -> None:
    model = square_yolo8()
    open_sides(model)
    (found,) = _run(model, 384, 640)
    cells = 80 * 48 + 40 * 24 + 20 * 12
    assert found.shape == (84, cells)
    # left to right, then down; the size is seven cells each way
    assert found[:4, 0] == pytest.approx([4, 4, 56, 56])
    assert found[:4, 80] == pytest.approx([4, 12, 56, 56])
    assert found[:4, cells - 1] == pytest.approx([640 - 16, 384 - 16, 224, 224])


def test_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another form"):
        open_sides(onnx.load(export(tmp_path, LAYOUTS["YOLOv8"])))
