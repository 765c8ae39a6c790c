"""Train the reader of turns, and write what training changed.

Usage: python -m training.reader.train e5-small-q4.bin reader_weights.npz [--epochs 8] [--threads 2]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import time
import unicodedata
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from training.e5 import MASK, WIDTH, Published, changes, published_tensors, save
from training.reader.network import Network
from training.reader.rows import Labels, Statement, Tokens, labels_of, read_rows, statements_of, tokens_of

TOKENS = 768  # in a batch
LENGTHS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 320)
LONGEST = 12  # tokens of a span
STATEMENTS = 6  # of a row, at most
RATE, HEAD_RATE = 2e-4, 1.5e-3
DROPOUT, MASKED = 0.1, 0.06
# Shares of rows, in each epoch, that are changed before they are read.
SWAPPED, LOWERED, UNACCENTED, UNMARKED, UNQUOTED = 0.4, 0.2, 0.12, 0.12, 0.08
_NEVER = -1e9
_SWAPPED_AS = {
    **dict.fromkeys(("lives_in", "born_in", "moved_from"), "place"),
    "works_at": "firm",
    **dict.fromkeys(("dog", "cat", "pet"), "pet"),
    **dict.fromkeys(("name", "friend_of"), "person"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--epochs", type=float, default=8)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.set_flush_denormal(True)
    torch.set_num_threads(given.threads)
    published = Published(given.published)
    rows, digest = read_rows()
    labels = labels_of(rows)
    layers, embedding = published_tensors(published)
    network = Network(layers, embedding, types=len(labels.types), which=len(labels.which), dropout=DROPOUT)
    training = Training(published, rows, labels, network)
    training.run(given.epochs)
    about = {"types": labels.types, "which": labels.which, "trained_on": digest}
    save(given.weights, {**changes(network, layers), "labels": np.array(json.dumps(about))})
    print(f"{given.weights}: {given.weights.stat().st_size / 1e6:.1f} MB")


class Training:
    """Trains a network on rows, each epoch in another form and order."""

    def __init__(self, published: Published, rows: list[dict], labels: Labels, network: Network) -> None:
        self._published, self._rows, self._labels, self._network = published, rows, labels, network
        self._words = published.matrix("emb.word", WIDTH)
        self._chance = random.Random(0)
        self._numbers = np.random.default_rng(0)
        self._names: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in rows:
            for _, relation, named in row["triples"]:
                place = row["text"].lower().find(named) if self._kind(relation) else -1
                if place >= 0 and named != "you" and not any(map(str.isdigit, named)):
                    self._names[row["lang"], self._kind(relation)].append(row["text"][place : place + len(named)])

    def run(self, epochs: float) -> None:
        """Train. Prints the loss every 40 steps."""
        head = list(self._network.head.parameters())
        rest = list(self._network.layers.parameters())
        groups = [{"params": head, "lr": HEAD_RATE}, {"params": rest, "lr": RATE}]
        optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
        total = int(len(self._batches(self._rows)) * epochs)
        self._network.train()
        start, losses = time.time(), []
        while len(losses) < total:
            rows = [self._changed(row) for row in self._rows] if losses else self._rows
            for batch in self._batches(rows):
                done = len(losses) / total
                rate = min(1.0, (len(losses) + 1) / (0.08 * total)) * (0.02 + 0.49 * (1 + math.cos(math.pi * done)))
                for group, full in zip(optimiser.param_groups, (HEAD_RATE, RATE), strict=True):
                    group["lr"] = full * rate
                loss = self._loss(batch)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_([*head, *rest], 5.0)
                optimiser.step()
                losses.append(float(loss))
                if len(losses) % 40 == 0:
                    spent = time.time() - start
                    print(f"{len(losses)} of {total}: {np.mean(losses[-40:]):.3f}, {spent:.0f} s", flush=True)
                if len(losses) == total:
                    return

    # --- other forms of a row

    def _kind(self, relation: str) -> str:
        """Return which names may stand for an object of this relation; empty for none."""
        is_role = relation in self._labels.which and not relation.startswith("favorite_")
        return _SWAPPED_AS.get(relation, "person" if is_role else "")

    def _changed(self, row: dict) -> dict:
        chance = self._chance
        text, context = row["text"], list(row["context"])
        triples, retracts = ([list(each) for each in row.get(key) or []] for key in ("triples", "retracts"))
        if chance.random() < SWAPPED:
            for _, relation, named in [list(each) for each in triples]:
                names = self._names.get((row["lang"], self._kind(relation)), [])
                if named == "you" or not names or chance.random() >= 0.7:
                    continue
                other = chance.choice(names)
                if other.lower() in text.lower():
                    continue
                text, *context = (_swapped(each, named, other) for each in (text, *context))
                for triple in (*triples, *retracts):
                    triple[:] = [other.lower() if each == named else each for each in triple]
        if chance.random() < LOWERED:
            text, *context = (each.lower() for each in (text, *context))
        if chance.random() < UNACCENTED:
            text, *context = (_unaccented(each) for each in (text, *context))
            triples, retracts = ([[*map(_unaccented, each)] for each in some] for some in (triples, retracts))
        if chance.random() < UNMARKED:
            text = re.sub(r"[,;:!?]|\.(?=\s|$)", "", text)
        if chance.random() < UNQUOTED:
            text = re.sub(r"['’]", "", text)
        return {**row, "text": text, "context": context, "triples": triples, "retracts": retracts}

    # --- batches

    def _batches(self, rows: list[dict]) -> list[list[tuple[Tokens, list[Statement]]]]:
        """Return batches of rows of about one length, in random order."""
        of_length: dict[int, list[tuple[Tokens, list[Statement]]]] = defaultdict(list)
        for row in rows:
            tokens = tokens_of(self._published, row["text"], row["context"])
            length = next(each for each in LENGTHS if each >= len(tokens.ids))
            of_length[length].append((tokens, statements_of(tokens, row, self._labels)))
        batches = []
        for length, some in of_length.items():
            self._chance.shuffle(some)
            size = max(2, TOKENS // length)
            batches += [some[start : start + size] for start in range(0, len(some), size)]
        self._chance.shuffle(batches)
        return batches

    def _loss(self, batch: list[tuple[Tokens, list[Statement]]]) -> torch.Tensor:
        length = next(each for each in LENGTHS if each >= max(len(tokens.ids) for tokens, _ in batch))
        size, types = len(batch), len(self._labels.types)
        words = np.zeros((size, length, WIDTH), np.float32)
        turn_of = np.full((size, length), -2)
        wanted = np.zeros((size, length, length, types), bool)
        objects = np.zeros((size, STATEMENTS, 3), np.int64)
        links = np.zeros((size, STATEMENTS, length), bool)
        which = np.full((size, STATEMENTS), -1, np.int64)
        subjects = np.zeros((size, STATEMENTS, 2), np.int64)
        for number, (tokens, statements) in enumerate(batch):
            count = len(tokens.ids)
            ids = np.array(tokens.ids)
            is_masked = (self._numbers.random(count) < MASKED) & (np.array(tokens.turn_of) >= 0)
            is_masked[0] = False
            words[number, :count] = self._words[np.where(is_masked, MASK, ids)]
            turn_of[number, :count] = tokens.turn_of
            by_object: dict[tuple[tuple[int, int], int, int], list[tuple[int, int]]] = {}
            for each in statements:
                wanted[(number, *each.object, each.type)] = True
                wanted[(number, *each.object, types - 1)] |= each.is_retracted
                by_object.setdefault((each.object, each.type, each.which), []).append(each.subject)
            for place, ((span, kind, label), whose) in enumerate(list(by_object.items())[:STATEMENTS]):
                objects[number, place] = (*span, kind)
                which[number, place] = label
                subjects[number, place] = whose[0]
                links[number, place, [first for first, _ in whose]] = True
        places = np.arange(length)
        distance = places[None] - places[:, None]
        is_turn = turn_of >= 0
        is_turn[:, 0] = False
        is_same = turn_of[:, :, None] == turn_of[:, None]
        spans = (distance >= 0) & (distance < LONGEST) & is_turn[:, :, None] & is_same
        spans[:, 0, 0] = True
        segments = np.where(is_turn, np.minimum(turn_of, 1) + 1, 0)
        tensors = (torch.as_tensor(each) for each in (words, segments, turn_of > -2))
        return self._scored(
            self._network(*tensors),
            spans=torch.as_tensor(spans),
            wanted=torch.as_tensor(wanted),
            objects=torch.as_tensor(objects),
            links=torch.as_tensor(links),
            linkable=torch.as_tensor(turn_of >= 0),
            which=torch.as_tensor(which),
            subjects=torch.as_tensor(subjects),
        )

    def _scored(
        self,
        outputs: tuple[torch.Tensor, ...],
        *,
        spans: torch.Tensor,
        wanted: torch.Tensor,
        objects: torch.Tensor,
        links: torch.Tensor,
        linkable: torch.Tensor,
        which: torch.Tensor,
        subjects: torch.Tensor,
    ) -> torch.Tensor:
        """Return the loss a row: of objects, of links, of roles and favourites, and of the ends of subjects."""
        scores, subject_scores, begin, end, to = outputs
        head, (size, length, _, types) = self._network.head, scores.shape
        zero = torch.zeros(size, 1, types)
        others = scores.masked_fill(~spans[..., None] | wanted, _NEVER).reshape(size, length * length, types)
        loss = torch.logsumexp(torch.cat([zero, others], 1), 1).sum()
        row, first, last, kind = wanted.nonzero().T
        missed = torch.exp(-scores[row, first, last, kind].clamp(-30, 30))
        loss = loss + torch.log1p(torch.zeros(size, types).index_put((row, kind), missed, accumulate=True)).sum()
        rows = torch.arange(size)[:, None]
        link = begin[rows, objects[..., 0]] + end[rows, objects[..., 1]] + head["lt"][objects[..., 2]]
        towards = torch.matmul(link, to.transpose(1, 2)) / 16 + head["lb"]
        none = torch.zeros(size, STATEMENTS, 1)
        wrong = towards.masked_fill(~linkable[:, None] | links, _NEVER)
        right = (-towards).masked_fill(~links, _NEVER)
        of_links = sum(torch.logsumexp(torch.cat([none, each], -1), -1) for each in (wrong, right))
        loss = loss + (of_links * links.any(-1)).sum()
        labels = functional.linear(functional.gelu(link), head["sub"], head["subb"]).reshape(
            -1, len(self._labels.which)
        )
        loss = loss + functional.cross_entropy(labels, which.reshape(-1), ignore_index=-1, reduction="sum")
        ends = subject_scores[rows, subjects[..., 0]].masked_fill(~spans[rows, subjects[..., 0]], _NEVER)
        of_ends = -functional.log_softmax(ends, -1).gather(-1, subjects[..., 1:])[..., 0]
        return (loss + 0.5 * (of_ends * (subjects[..., 0] > 0)).sum()) / size


def _swapped(text: str, name: str, other: str) -> str:
    """Return a text with another name, in lower case where the old one was."""

    def replaced(match: re.Match[str]) -> str:
        return other if match[0][0].isupper() else other.lower()

    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", replaced, text, flags=re.IGNORECASE)


def _unaccented(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


if __name__ == "__main__":
    main()
