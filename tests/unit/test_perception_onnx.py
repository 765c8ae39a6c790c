"""Detectors of the user's own: exports of each known layout, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.local_models.yolo_graph import open_sides
from amr_neo4j.perception import onnx_detector
from amr_neo4j.perception.classes import table, thresholds
from amr_neo4j.perception.detector import HogPeople
from amr_neo4j.perception.onnx_detector import OnnxDetector, read_labels
from amr_neo4j.settings import Settings
from amr_neo4j.wiring import analyser
from tests.support.onnx_exports import BOX, LAYOUTS, export, rows, square_yolo8

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


def _opened(folder: Path) -> Path:
    model = square_yolo8()
    open_sides(model)
    onnx.save(model, folder / "model.onnx")
    return folder


@pytest.mark.parametrize(("height", "width", "side"), [(360, 640, (640, 384)), (1280, 720, (384, 640))])
def test_open_sides_take_the_proportions_of_the_picture(
    tmp_path: Path, height: int, width: int, side: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[tuple[int, int]] = []
    decode = onnx_detector._yolo8
    monkeypatch.setattr(onnx_detector, "_yolo8", lambda out, side: (taken.append(side), decode(out, side))[1])
    detector = OnnxDetector(_opened(tmp_path) / "model.onnx", read_labels(None))
    found = detector(np.zeros((height, width, 3), np.uint8))
    assert taken == [side]
    assert max(each.box.right for each in found) == width
    assert max(each.box.bottom for each in found) == height
    assert max(each.box.width for each in found) == pytest.approx(7 * 32 * max(height, width) / 640, rel=0.01)


def test_each_network_has_its_own_thresholds(tmp_path: Path) -> None:
    (found,) = OnnxDetector(export(tmp_path, LAYOUTS["YOLOv8"]), LABELS)(PICTURE)
    assert found.network == "YOLOv8"
    assert found.limits == thresholds("forklift", "YOLOv8") != thresholds("forklift")
    (other,) = OnnxDetector(export(tmp_path, LAYOUTS["YOLOv5"]), LABELS)(PICTURE)
    assert other.limits == thresholds("forklift")
    for name in table().networks:
        for label in read_labels(None):
            limits = thresholds(label, name)
            assert limits.begin <= limits.perhaps < limits.sure


def test_the_installed_detector_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there: dict[str, Path] = {}

    def folder(_settings: Settings, name: str) -> Path:
        if name not in there:
            raise ModelMissing(f"the model {name} is not installed")
        return there[name]

    monkeypatch.setattr(analyser, "model_dir", folder)
    assert isinstance(analyser.open_detector(Settings()), HogPeople)
    there["yolov8n"] = _opened(tmp_path)
    assert analyser.open_detector(Settings()).name == "yolov8n-coco"
    with pytest.raises(ModelMissing, match="ssdlite"):
        analyser.open_detector(Settings(detector="ssdlite"))
    mine = export(tmp_path, LAYOUTS["YOLOv8"])
    (tmp_path / "labels.txt").write_text("\n".join(LABELS))
    assert analyser.open_detector(Settings(detector=mine, detector_labels=tmp_path / "labels.txt")).name == "my.onnx"
