"""Detectors of the user's own: exports of each known layout, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from amr_neo4j.errors import ConfigError
from amr_neo4j.perception.onnx_detector import OnnxDetector, read_labels
from tests.support.onnx_exports import BOX, LAYOUTS, export, rows

LABELS = ["person", "forklift", "dining table"]
PICTURE = np.zeros((360, 640, 3), np.uint8)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_is_recognised(tmp_path: Path, layout: str) -> None:
    detector = OnnxDetector(export(tmp_path, LAYOUTS[layout], uint8=layout == "SSD"), LABELS)
    (found,) = detector(PICTURE)
    assert (found.label, found.score) == ("forklift", pytest.approx(0.9, abs=0.01))
    assert found.box == pytest.approx(BOX, abs=1.0)


def test_an_unknown_layout_is_an_error_that_names_it(tmp_path: Path) -> None:
    odd = export(tmp_path, {"heat": np.zeros((1, 17, 48), np.float32)})
    with pytest.raises(ConfigError, match=r"heat \(1, 17, 48\) for 3 labels"):
        OnnxDetector(odd, LABELS)
    with pytest.raises(ConfigError, match="80 labels"):
        OnnxDetector(export(tmp_path, LAYOUTS["YOLOv8"]), read_labels(None))


def test_what_is_no_network_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "my.onnx").write_text("not a network")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        OnnxDetector(tmp_path / "my.onnx", LABELS)
    with pytest.raises(ConfigError, match="there is no file"):
        OnnxDetector(tmp_path / "none.onnx", LABELS)


def test_a_network_that_takes_other_inputs_is_an_error(tmp_path: Path) -> None:
    """Here one of six channels."""
    file = export(tmp_path, LAYOUTS["YOLOv8"])
    model = onnx.load(file)
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 6
    onnx.save(model, file)
    with pytest.raises(ConfigError, match="takes no picture"):
        OnnxDetector(file, LABELS)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_box_without_a_place_is_left_out(tmp_path: Path, wrong: float) -> None:
    outputs = {"output0": rows(25200, 8, [wrong, 1, 1, 1, 0.9, 0, 1, 0])}
    assert OnnxDetector(export(tmp_path, outputs), LABELS)(PICTURE) == []


def test_labels_are_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("person\n\nforklift \n")
    assert read_labels(tmp_path / "labels.txt") == ["person", "forklift"]
    assert len(read_labels(None)) == 80
