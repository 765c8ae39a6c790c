"""Train the network that tells whether a turn helps with a question, and write what training changed.

Usage: python -m training.relevance.train e5-small-q4.bin relevance_weights.npz [--steps 2400] [--threads 2]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import re
import time
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from training.e5 import Published, changes, embedded, published_tensors, save
from training.relevance.network import Coder, Network

GOLD = Path(__file__).parents[2] / "tests" / "gold" / "relevance"
TOKENS = 1024  # in a batch
RATE, HEAD_RATE = 1.5e-4, 1e-3
DROPOUT, MASKED = 0.1, 0.05
LIKELIER = 2.0  # how much more a pair that helps weighs than one that does not
NEAREST = 16  # of the nearest other turns, those that are taken for a question are drawn from so many
# How many other turns: near ones for a question that is answered, near ones for one that is not, and any.
NEAR_ASKED, NEAR_OTHER, ANY = 3, 1, 1
LOWERED, UNACCENTED, UNMARKED = 0.15, 0.1, 0.15  # shares of texts that are changed
HELD = 10  # one turn of so many chooses nothing and is only measured, with --check


@dataclass
class Row:
    """A turn. asks: questions that it answers; near: questions of its topic that it does not answer.

    others: {question: other turns of the same writer and language, the nearest in meaning first}.
    """

    turn: str
    asks: list[str]
    near: list[str]
    any: list[str] = field(default_factory=list)
    others: dict[str, list[str]] = field(default_factory=dict)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--gold", type=Path, default=GOLD)
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="leave out one turn of ten, and measure it")
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.set_flush_denormal(True)
    torch.set_num_threads(given.threads)
    published = Published(given.published)
    layers, embedding = published_tensors(published)
    network = Network(layers, embedding, dropout=DROPOUT)
    files, digest = read_rows(given.gold)
    coder = Coder(published)
    held: list[Row] = []
    for rows in files:
        aside = [row for row in rows if given.check and _is_held(row)]
        rows[:] = [row for row in rows if row not in aside]
        for some in (rows, aside):
            add_others(some, network, coder)
        held += aside
    training = Training(network, coder, [row for rows in files for row in rows], held)
    training.run(given.steps)
    save(given.weights, {**changes(network, layers), "trained_on": np.array(digest)})
    print(f"{given.weights}: {given.weights.stat().st_size / 1e6:.1f} MB")


def read_rows(folder: Path) -> tuple[list[list[Row]], str]:
    """Return (the rows of each file, the SHA-256 of all). A file has one writer and one language."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.jsonl"))]
    files = [[json.loads(line) for line in text.splitlines()] for text in texts]
    rows = [[Row(each["turn"], each["asks"], each["near"]) for each in file] for file in files]
    return rows, hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _is_held(row: Row) -> bool:
    return int(hashlib.md5(row.turn.encode()).hexdigest(), 16) % HELD == 0


@torch.no_grad()
def add_others(rows: list[Row], network: Network, coder: Coder) -> None:
    """Find the other turns of a file, the nearest first, by the published network."""
    if not rows:
        return
    network.eval()
    questions = [question for row in rows for question in (*row.asks, *row.near)]
    said = vectors(network, coder, [row.turn for row in rows], "passage: ")
    asked = vectors(network, coder, questions, "query: ")
    order = dict(zip(questions, np.argsort(-(asked @ said.T), 1), strict=True))
    for number, row in enumerate(rows):
        row.any = [other.turn for other in rows if other is not row]
        for question in (*row.asks, *row.near):
            row.others[question] = [rows[each].turn for each in order[question][: NEAREST + 1] if each != number]


def vectors(network: Network, coder: Coder, texts: list[str], prefix: str) -> np.ndarray:
    """Return the vectors of texts as the published network gives them, shape (texts, 384)."""
    found = []
    for start in range(0, len(texts), 16):
        words, segments = coder.texts(texts[start : start + 16], prefix)
        rows, real = embedded(words, network), (segments >= 0).float()
        for layer in network.layers:
            rows = layer(rows, torch.where(segments >= 0, 0.0, -1e9)[:, None, None, :])
        mean = (rows * real[..., None]).sum(1) / real.sum(1, keepdim=True)
        found.append(functional.normalize(mean, dim=-1).numpy())
    return np.concatenate(found)


class Training:
    """Trains a network on rows, each epoch in other forms, with other turns and in another order."""

    def __init__(self, network: Network, coder: Coder, rows: list[Row], held: list[Row]) -> None:
        self._network, self._coder, self._rows, self._held = network, coder, rows, held
        self._chance = random.Random(0)
        self._numbers = np.random.default_rng(0)

    def run(self, steps: int) -> None:
        """Train. Prints the loss every 50 steps."""
        head, rest = list(self._network.head.parameters()), list(self._network.layers.parameters())
        groups = [{"params": head, "lr": HEAD_RATE}, {"params": rest, "lr": RATE}]
        optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
        start, losses = time.time(), []
        self._measure()
        self._network.train()
        while len(losses) < steps:
            batches = self._batches()
            for batch in batches[: steps - len(losses)]:
                done = len(losses) / steps
                rate = min(1.0, (len(losses) + 1) / (0.08 * steps)) * (0.02 + 0.49 * (1 + math.cos(math.pi * done)))
                for group, full in zip(optimiser.param_groups, (HEAD_RATE, RATE), strict=True):
                    group["lr"] = full * rate
                pairs = [(question, turn) for question, turn, _ in batch]
                helps = torch.tensor([float(each) for *_, each in batch])
                logits = self._network(*self._coder.pairs(pairs, MASKED, self._numbers))
                weight = torch.tensor(LIKELIER)
                loss = functional.binary_cross_entropy_with_logits(logits, helps, pos_weight=weight)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_([*head, *rest], 5.0)
                optimiser.step()
                losses.append(float(loss))
                if len(losses) % 50 == 0:
                    mean = np.mean(losses[-50:])
                    print(f"{len(losses)} of {steps}: {mean:.3f}, {time.time() - start:.0f} s", flush=True)
                if len(losses) % 300 == 0:
                    self._measure()
        self._measure()

    def _batches(self) -> list[list[tuple[str, str, bool]]]:
        """Return batches of pairs of about one length, in random order."""
        pairs = [pair for row in self._rows for pair in self._pairs(row)]
        pairs.sort(key=lambda pair: self._coder.length(*pair[:2]) + 8 * self._chance.random())
        batches, batch, longest = [], [], 0
        for pair in pairs:
            length = self._coder.length(*pair[:2])
            if batch and max(longest, length) * (len(batch) + 1) > TOKENS:
                batches.append(batch)
                batch, longest = [], 0
            batch.append(pair)
            longest = max(longest, length)
        batches.append(batch)
        self._chance.shuffle(batches)
        return batches

    def _pairs(self, row: Row) -> list[tuple[str, str, bool]]:
        """Return (question, turn, whether it helps)."""
        chance, pairs = self._chance, []
        for question in row.asks:
            pairs.append((question, row.turn, True))
            others = [*_drawn(chance, row.others[question], NEAR_ASKED), *_drawn(chance, row.any, ANY)]
            pairs += [(question, other, False) for other in others]
        for question in row.near:
            pairs.append((question, row.turn, False))
            pairs += [(question, other, False) for other in _drawn(chance, row.others[question], NEAR_OTHER)]
        return [(*self._changed(question, turn), helps) for question, turn, helps in pairs]

    def _changed(self, question: str, turn: str) -> tuple[str, str]:
        chance = self._chance
        if chance.random() < LOWERED:
            question = question.lower()
        if chance.random() < LOWERED:
            turn = turn.lower()
        if chance.random() < UNACCENTED:
            question, turn = _unaccented(question), _unaccented(turn)
        if chance.random() < UNMARKED:
            question = re.sub(r"[?¿!¡.,]", "", question)
        return question, turn

    @torch.no_grad()
    def _measure(self) -> None:
        """Print what the network gives to turns that it never saw."""
        if not self._held:
            return
        self._network.eval()
        answers = self._logits([(question, row.turn) for row in self._held for question in row.asks])
        near = self._logits([(question, row.turn) for row in self._held for question in row.near])
        others = [row.others[question][:6] for row in self._held for question in row.asks]
        questions = [question for row in self._held for question in row.asks]
        other = self._logits(
            [(question, turn) for question, some in zip(questions, others, strict=True) for turn in some]
        )
        parts = np.split(other, np.cumsum([len(some) for some in others])[:-1])
        first = np.mean([answer > part.max() for answer, part in zip(answers, parts, strict=True)])
        print(
            f"  above near questions {_above(answers, near):.3f}, above other turns {_above(answers, other):.3f}, "
            f"first of 7 {first:.3f}",
            flush=True,
        )
        self._network.train()

    def _logits(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        order = sorted(range(len(pairs)), key=lambda number: self._coder.length(*pairs[number]))
        found = np.zeros(len(pairs))
        for start in range(0, len(order), 24):
            some = order[start : start + 24]
            found[some] = self._network(*self._coder.pairs([pairs[each] for each in some], 0, self._numbers)).numpy()
        return found


def _above(answers: np.ndarray, others: np.ndarray) -> float:
    return float((answers[:, None] > others[None]).mean())


def _drawn(chance: random.Random, turns: list[str], count: int) -> list[str]:
    return chance.sample(turns, min(count, len(turns)))


def _unaccented(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


if __name__ == "__main__":
    main()
