"""Train what finds wishes to forget, and write amr_neo4j/turn_reader/wish_weights.npz.

    python -m training.reader.wishes

It needs the installed models `reader` and `multilingual-e5`, and takes a minute. It is trained on
tests/gold/acts/open.jsonl and, as turns that wish nothing, on tests/gold/acts/lookalikes.jsonl and a third of
tests/gold/dev, but for the files `chat` and `ends`: with them, 85 of 204 wishes are above the score that 2 everyday
turns reach, without them 90. Printed for each writer, trained without them: how many of their wishes, and of their
other turns, are above the score that N everyday turns of tests/gold/held reach.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from amr_neo4j.embedders.pieces import Pieces
from amr_neo4j.embedders.span_model import SpanModel
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.settings import load

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "tests" / "gold"
WEIGHTS = ROOT / "amr_neo4j" / "turn_reader" / "wish_weights.npz"
PENALTY, STEPS = 0.1, 12
SHARE = 3
"""One turn of so many of tests/gold/dev is used."""
ALARMS = (0, 2, 12)


def main() -> None:
    settings = load()
    model = SpanModel(Pieces(model_dir(settings, "reader")), model_dir(settings, "multilingual-e5"))
    acts = _lines([GOLD / "acts" / "open.jsonl"])
    files = [each for each in sorted((GOLD / "dev").glob("*.jsonl")) if not each.stem.endswith(("-chat", "-ends"))]
    everyday = sorted((GOLD / "held").glob("*.jsonl"))
    wrote = _vectors(model, [each["turn"] for each in acts])
    alike = [GOLD / "acts" / "lookalikes.jsonl"]
    others = _vectors(model, [each["text"] for each in [*_lines(files)[::SHARE], *_lines(alike)]])
    held = _vectors(model, [each["text"] for each in _lines(everyday) if not each.get("retracts")])
    is_wish = np.array([each["act"] == "forget" for each in acts])
    writers = np.array([each["writer"] for each in acts])
    for writer in sorted({*writers[is_wish]}):
        own = writers == writer
        weights, bias = trained(wrote[~own], is_wish[~own], others)
        scores, least = wrote[own] @ weights + bias, np.sort(held @ weights + bias)[::-1]
        for number in ALARMS:
            found = scores > least[number]
            right, wrong = int((found & is_wish[own]).sum()), int((found & ~is_wish[own]).sum())
            print(f"without {writer}, {number} of held: {right} of {int(is_wish[own].sum())} wishes, {wrong} others")
    weights, bias = trained(wrote, is_wish, others)
    print("held, the highest:", np.sort(held @ weights + bias)[::-1][: max(ALARMS)].round(2))
    digest = hashlib.sha256(
        b"".join(each.read_bytes() for each in (GOLD / "acts" / "open.jsonl", *alike, *files))
    ).hexdigest()
    np.savez(WEIGHTS, weights=weights.astype(np.float32), bias=np.float32(bias), trained_on=digest)


def _lines(files: list[Path]) -> list[dict[str, str]]:
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def _vectors(model: SpanModel, turns: list[str]) -> np.ndarray:
    return np.array([model.meaning(turn) for turn in turns], np.float64)


def trained(wrote: np.ndarray, is_wish: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, float]:
    """Return (weights, bias) of a logistic regression with an L2 penalty, by Newton's method.

    wrote: vectors of written turns. is_wish: whether each is a wish. others: vectors of turns that wish nothing.
    """
    rows = np.vstack([wrote, others])
    labels = np.concatenate([is_wish.astype(float), np.zeros(len(others))])
    mean, scale = rows.mean(axis=0), (rows.std(axis=0) + 1e-6) * rows.shape[1] ** 0.5
    inputs = np.hstack([(rows - mean) / scale, np.ones((len(rows), 1))])
    values, penalty = np.zeros(inputs.shape[1]), np.full(inputs.shape[1], PENALTY)
    values[-1], penalty[-1] = -3.0, 1e-3
    for _ in range(STEPS):
        shares = 1 / (1 + np.exp(-np.clip(inputs @ values, -30, 30)))
        slope = inputs.T @ (shares - labels) + penalty * values
        curvature = (inputs * np.maximum(shares * (1 - shares), 1e-4)[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        values -= step * min(1.0, 5 / np.abs(step).max())
    weights = values[:-1] / scale
    return weights, float(values[-1] - mean @ weights)


if __name__ == "__main__":
    main()
