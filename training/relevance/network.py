"""The network: multilingual-e5-small over a question and a turn together, with a head that tells whether one helps.

Pieces of words that stand in both texts have segments of their own. The head sees the first token and the means of
both texts; at first it gives little more than the cosine of these means.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from training.e5 import BREAK, MASK, START, WIDTH, Layer, Published, embedded

HIDDEN = 256
QUESTION, TURN = 60, 120
"""The most tokens of each."""
_PRODUCT = 4.0  # as in amr_neo4j/local_models/reader_graph.py


class Network(nn.Module):
    """The whole network. layers: published tensors by layer."""

    def __init__(
        self, layers: list[dict[str, torch.Tensor]], embedding: dict[str, torch.Tensor], *, dropout: float
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(each, dropout) for each in layers)
        for name, value in embedding.items():
            self.register_buffer(name, value)
        self._dropout = dropout
        self.head = nn.ParameterDict(
            {
                "seg": nn.Parameter(torch.zeros(5, WIDTH)),
                "w1": nn.Parameter(torch.randn(HIDDEN, 4 * WIDTH) * 0.5 * (4 * WIDTH) ** -0.5),
                "b1": nn.Parameter(torch.zeros(HIDDEN)),
                "w2": nn.Parameter(torch.zeros(1, HIDDEN)),
                "b2": nn.Parameter(torch.full((1,), -1.0)),
                "near": nn.Parameter(torch.tensor([10.0, 0.85])),
            }
        )

    def forward(self, words: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        """Return the logit of each pair. segments: -1 for padding."""
        head = self.head
        rows = embedded(words, self) + head["seg"][segments.clamp(min=0)]
        mask = torch.where(segments >= 0, 0.0, -1e9)[:, None, None, :]
        for layer in self.layers:
            rows = layer(rows, mask)
        asked, said = (_mean(rows, (segments == part) | (segments == part + 2)) for part in (1, 2))
        both = torch.cat([rows[:, 0], asked * said * _PRODUCT, (asked - said).abs(), asked + said], -1)
        both = functional.dropout(both, self._dropout, self.training)
        hidden = functional.gelu(functional.linear(both, head["w1"], head["b1"]))
        near = functional.cosine_similarity(asked, said, dim=-1)
        return functional.linear(hidden, head["w2"], head["b2"])[:, 0] + head["near"][0] * (near - head["near"][1])


def _mean(rows: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    weights = chosen.float()[..., None]
    return (rows * weights).sum(1) / weights.sum(1).clamp(min=1)


class Coder:
    """Makes tensors of texts."""

    def __init__(self, published: Published) -> None:
        self._published = published
        self._words = published.matrix("emb.word", WIDTH)
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text, kept for the next time."""
        if text not in self._known:
            self._known[text] = self._published.tokens(text)[0]
        return self._known[text]

    def length(self, question: str, turn: str) -> int:
        """Return the number of tokens of a pair."""
        return min(QUESTION, len(self.ids(question))) + min(TURN, len(self.ids(turn))) + 3

    def pairs(
        self, pairs: list[tuple[str, str]], masked: float, chance: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (words, segments) of (question, turn) pairs. masked: the share of tokens that are hidden."""
        coded = [self._pair(*pair) for pair in pairs]
        length = max(len(ids) for ids, _ in coded)
        words = np.zeros((len(coded), length, WIDTH), np.float32)
        segments = np.full((len(coded), length), -1)
        for number, (ids, parts) in enumerate(coded):
            hidden = (chance.random(len(ids)) < masked) & (np.array(parts) > 0)
            words[number, : len(ids)] = self._words[np.where(hidden, MASK, ids)]
            segments[number, : len(ids)] = parts
        return torch.as_tensor(words), torch.as_tensor(segments)

    def texts(self, texts: list[str], prefix: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (words, segments) of single texts, for the published network."""
        coded = [[START, *self._published.tokens(prefix + text)[0][:TURN], BREAK] for text in texts]
        length = max(map(len, coded))
        words = np.zeros((len(coded), length, WIDTH), np.float32)
        segments = np.full((len(coded), length), -1)
        for number, ids in enumerate(coded):
            words[number, : len(ids)] = self._words[ids]
            segments[number, : len(ids)] = 0
        return torch.as_tensor(words), torch.as_tensor(segments)

    def _pair(self, question: str, turn: str) -> tuple[list[int], list[int]]:
        asked, said = self.ids(question)[:QUESTION], self.ids(turn)[:TURN]
        both = set(asked).intersection(said)
        of_question = [3 if each in both else 1 for each in asked]
        of_turn = [4 if each in both else 2 for each in said]
        return [START, *asked, BREAK, *said, BREAK], [0, *of_question, 0, *of_turn, 0]
