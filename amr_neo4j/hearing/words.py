"""Turns speech into English words with times: Moonshine on onnxruntime."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.hearing.limits import RATE, limits
from amr_neo4j.hearing.voice_activity import Samples
from amr_neo4j.onnx_session import open_session

_BEGIN, _END = 1, 2
_LAYERS, _HEADS, _WIDTH = 8, 8, 52
_FRAME_S = 64 * 3 * 2 / RATE
"""Seconds for each frame of the encoder: the product of its strides."""
# A sound has at least as many samples as make one frame.
_FEWEST = RATE // 4
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*$")
_ABBREVIATION = re.compile(r"(?:\w\.){2,}$")
# Letters that are repeated within a word, but no digits: 1000000 is a number. "AAAA" and "XXXXL" are sizes.
_LONG_SOUND = re.compile(r"(?i:([^\W\d_]{1,6}?)\1{3,})(?<=[a-zà-ÿ])")


@dataclass(frozen=True)
class Word:
    """A word with its punctuation. start, end: in seconds from the start of the sound."""

    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Recognition:
    """What was recognised in a sound.

    certainty: the geometric mean of the probabilities of its tokens, from 0 to 1.
    """

    words: tuple[Word, ...]
    certainty: float

    @property
    def text(self) -> str:
        """The words, with a space between."""
        return " ".join(word.text for word in self.words)

    def sentences(self) -> list[tuple[Word, ...]]:
        """Return the words of each sentence. The last one may have no end."""
        found: list[list[Word]] = [[]]
        for word, following in zip_longest(self.words, self.words[1:]):
            before = found[-1][-1].text if found[-1] else ""
            found[-1].append(word)
            # "5 p.m. on Friday". The model also begins sentences in lower case.
            is_within = following and following.text[0].islower() and _ABBREVIATION.match(word.text)
            is_title = following and _is_title(word.text.lstrip("\"'(["), before)
            if _SENTENCE_END.search(word.text) and not is_within and not is_title:
                found.append([])
        return [tuple(sentence) for sentence in found if sentence]


def _is_title(text: str, before: str) -> bool:
    """Return whether the full stop of a word belongs to a title: not in "on Main St." and "ask the dr."."""
    if text.casefold() == "st.":
        return not before[:1].isupper()
    return text.casefold() in limits().titles and not (text.islower() and before.casefold() in limits().articles)


class SpeechToText:
    """Moonshine base, English. Thread-safe. One second of speech takes about 50 ms of one thread."""

    name = "moonshine-base-en"

    def __init__(self, folder: Path) -> None:
        """folder: has encoder.onnx, decoder.onnx and tokenizer.bin, as `amr models install` leaves them."""
        self._encoder, self._decoder = (open_session(folder / f"{name}.onnx") for name in ("encoder", "decoder"))
        self._tokens = _tokens((folder / "tokenizer.bin").read_bytes())
        self._cross = [output.name for output in self._encoder.get_outputs()]
        self._outputs = [output.name for output in self._decoder.get_outputs()]

    def __call__(self, samples: Samples) -> Recognition:
        """Return the words that are said in a sound. samples: as in ffmpeg.audio, at most about 30 s."""
        samples = np.pad(samples, (0, max(0, _FEWEST - len(samples))))
        tokens, probabilities, attention = self._decoded(samples)
        if not tokens:
            return Recognition((), 0.0)
        times = _times(np.stack(attention), len(samples) / RATE)
        certainty = float(np.exp(np.mean(np.log(np.maximum(probabilities, 1e-6)))))
        return Recognition(without_loops(self._words(tokens, times)), certainty)

    def _decoded(self, samples: Samples) -> tuple[list[int], list[float], list[npt.NDArray[np.float32]]]:
        """Return the most likely tokens, their probabilities, and where in the sound each step looked.

        What a step gives to the next stays in onnxruntime's memory: copying it out and in would take as long as the
        step itself.
        """
        encoding = self._encoder.io_binding()
        encoding.bind_cpu_input("input_values", np.ascontiguousarray(samples[None], np.float32))
        for name in self._cross:
            encoding.bind_output(name, "cpu")
        self._encoder.run_with_iobinding(encoding)
        step = self._decoder.io_binding()
        for name, value in zip(self._cross, encoding.get_outputs(), strict=True):
            step.bind_ortvalue_input(_past(name), value)
        nothing = np.zeros((1, _HEADS, 0, _WIDTH), np.float32)
        for name in self._outputs:
            if name.startswith("present."):
                step.bind_cpu_input(_past(name), nothing)
        tokens, probabilities, attention = list[int](), list[float](), list[npt.NDArray[np.float32]]()
        token = _BEGIN
        for _ in range(max(4, round(len(samples) / RATE * limits().tokens_per_second))):
            given = self._step(step, token)
            logits = given["logits"].numpy()[0, -1]
            token = int(logits.argmax())
            if token == _END:
                break
            tokens.append(token)
            probabilities.append(float(1 / np.exp(logits - logits[token]).sum()))
            attention.append(given["attention"].numpy())
        return tokens, probabilities, attention

    def _step(self, step: Any, token: int) -> dict[str, Any]:
        """Run the decoder for one token, and bind the states that it gives for the next."""
        step.bind_cpu_input("input_ids", np.array([[token]], np.int64))
        step.clear_binding_outputs()
        for name in self._outputs:
            step.bind_output(name, "cpu")
        self._decoder.run_with_iobinding(step)
        given = dict(zip(self._outputs, step.get_outputs(), strict=True))
        for name, value in given.items():
            if name.startswith("present."):
                step.bind_ortvalue_input(_past(name), value)
        return given

    def _words(self, tokens: Sequence[int], times: npt.NDArray[np.float64]) -> list[Word]:
        """Join tokens to words. times: shape (tokens, 2), the start and end of each token."""
        found: list[tuple[bytes, float, float]] = []
        for token, (start, end) in zip(tokens, times.tolist(), strict=True):
            piece = self._tokens[token] if token > _END else b""
            begins = piece.startswith("\u2581".encode())
            piece = piece.replace("\u2581".encode(), b" ")
            if begins or not found:
                found.append((piece, start, end))
            else:
                text, since, _ = found[-1]
                found[-1] = text + piece, since, end
        words = [Word(text.decode("utf-8", "replace").strip(), start, end) for text, start, end in found]
        return [word for word in words if word.text]


def without_loops(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words without what is repeated on and on: of a phrase its first repeats and the last one.

    Punctuation makes no difference: "no, no! no" is one word three times. Several people may say "No." one after the
    other, so more repeats of such a sentence are left. Numbers may be a telephone number and stay. A word that is one
    sound, such as "hahahaha", is shortened.
    """
    most, numbers = limits().repeated, limits().numbers
    words = [replace(word, text=_LONG_SOUND.sub(lambda found: found[1] * most, word.text)) for word in words]
    bare = [re.sub(r"[^\w']", "", word.text).casefold() for word in words]
    is_number = [not numbers.isdisjoint(word.split("'")) or any(map(str.isdigit, word)) for word in bare]
    kept, at = list[Word](), 0
    while at < len(words):
        for length in range(1, (len(words) - at) // (most + 1) + 1):
            if any(is_number[at : at + length]):
                continue
            phrase, end = bare[at : at + length], at + length
            while bare[end : end + length] == phrase:
                end += length
            is_reply = length == 1 and _SENTENCE_END.search(words[at].text)
            if end - at > (limits().replies if is_reply else most) * length:
                kept += [*words[at : at + (most - 1) * length], *words[end - length : end]]
                at = end
                break
        else:
            kept.append(words[at])
            at += 1
    return tuple(kept)


def _past(name: str) -> str:
    return name.replace("present.", "past_key_values.")


def _times(attention: npt.NDArray[np.float32], seconds: float) -> npt.NDArray[np.float64]:
    """Return the start and end of each token in seconds, shape (tokens, 2), by where the decoder looked.

    attention: shape (tokens, layers, heads, frames). Dynamic time warping finds the best way through it that never
        goes back, as Whisper does.
    """
    peaked = attention.max(axis=3).mean(axis=0)
    # Most heads look everywhere. Those that look at one place follow the words.
    heads = peaked >= np.sort(peaked, axis=None)[-8]
    mean = attention[:, heads].mean(axis=1)
    cost = -np.log(np.maximum(mean, 1e-6))
    return _warped(cost) * _FRAME_S if mean.shape[1] else np.tile([0.0, seconds], (len(attention), 1))


def _warped(cost: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return for each row the first column of the cheapest way and the one after its last, shape (rows, 2)."""
    rows, columns = cost.shape
    total = np.full((rows + 1, columns + 1), np.inf)
    total[0, 0] = 0
    came = np.zeros((rows + 1, columns + 1), np.int8)
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            ways = total[row - 1, column - 1], total[row - 1, column], total[row, column - 1]
            best = int(np.argmin(ways))
            came[row, column] = best
            total[row, column] = cost[row - 1, column - 1] + ways[best]
    spans = np.zeros((rows, 2))
    row, column = rows, columns
    spans[:, 0] = columns
    while row > 0 and column > 0:
        spans[row - 1] = min(spans[row - 1, 0], column - 1), max(spans[row - 1, 1], column)
        way = came[row, column]
        row, column = row - (way != 2), column - (way != 1)
    return spans


def _tokens(content: bytes) -> list[bytes]:
    """Return the tokens of tokenizer.bin: each has its length before it, in one byte or, from 128 on, in two."""
    found, at = list[bytes](), 0
    while at < len(content):
        length = content[at]
        at += 1
        if length >= 128:
            length += content[at] * 128 - 128
            at += 1
        found.append(content[at : at + length])
        at += length
    return found
