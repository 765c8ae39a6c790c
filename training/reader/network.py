"""The network: multilingual-e5-small with heads that score spans as objects of a relation, and link them to subjects.

Objects by "Global Pointer" (Su et al. 2022): the score of a span is a product of vectors of its ends, turned by their
positions, and a part for each type of statement.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from training.e5 import WIDTH, Layer, embedded, product

SPAN, LINK = 64, 256
"""Widths of what spans and links are scored by."""


def turned(rows: torch.Tensor) -> torch.Tensor:
    """Turn pairs of columns by an angle that grows with the position."""
    _, length, width = rows.shape
    rates = 1e4 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(length)[:, None] * rates[None]
    sine, cosine = angles.sin(), angles.cos()
    even, odd = rows[..., 0::2], rows[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).reshape(rows.shape)


class Network(nn.Module):
    """The whole network. layers: published tensors by layer. types, which: how many labels there are."""

    def __init__(
        self,
        layers: list[dict[str, torch.Tensor]],
        embedding: dict[str, torch.Tensor],
        *,
        types: int,
        which: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(each, dropout) for each in layers)
        for name, value in embedding.items():
            self.register_buffer(name, value)
        self._dropout = dropout

        def random(out: int, into: int, scale: float = 1.0) -> nn.Parameter:
            return nn.Parameter(torch.randn(out, into) * scale * into**-0.5)

        self.head = nn.ParameterDict(
            {
                "seg": nn.Parameter(torch.zeros(3, WIDTH)),
                "w1": random(LINK, WIDTH),
                "b1": nn.Parameter(torch.zeros(LINK)),
                "oq": random(SPAN, WIDTH),
                "ok": random(SPAN, WIDTH),
                "ts": random(types, LINK, 0.3),
                "te": random(types, LINK, 0.3),
                "tb": nn.Parameter(torch.full((types,), -2.0)),
                "sq": random(SPAN, WIDTH),
                "sk": random(SPAN, WIDTH),
                "l1": random(LINK, WIDTH, 0.7),
                "l2": random(LINK, WIDTH, 0.7),
                "lt": nn.Parameter(torch.zeros(types, LINK)),
                "ls": random(LINK, WIDTH),
                "lb": nn.Parameter(torch.zeros(1)),
                "sub": random(which, LINK, 0.5),
                "subb": nn.Parameter(torch.zeros(which)),
            }
        )

    def forward(
        self, words: torch.Tensor, segments: torch.Tensor, real: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return scores of object spans by type, of subject spans, and the two sides of links (begin, end, to)."""
        head = self.head
        rows = embedded(words, self) + head["seg"][segments]
        mask = torch.where(real, 0.0, -1e9)[:, None, None, :]
        for layer in self.layers:
            rows = layer(rows, mask)
        rows = functional.dropout(rows, self._dropout, self.training)

        def scored(begin: str, end: str) -> torch.Tensor:
            both = (turned(product(rows, head[name]).float()) for name in (begin, end))
            return torch.matmul(next(both), next(both).transpose(1, 2)) / 8

        typed = functional.gelu(product(rows, head["w1"], head["b1"]))
        begins, ends = product(typed, head["ts"]).float(), product(typed, head["te"], head["tb"]).float()
        objects = scored("oq", "ok")[..., None] + begins[:, :, None] + ends[:, None]
        links = (product(rows, head[name]).float() for name in ("l1", "l2", "ls"))
        return (objects, scored("sq", "sk"), *links)
