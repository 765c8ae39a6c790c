"""Subtitles as speaker turns: a file beside the video, or a stream inside it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pysubs2
from pysubs2.exceptions import Pysubs2Error

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.errors import InputError
from amr_neo4j.media import ffmpeg

SUFFIXES = (".srt", ".vtt")
PAUSE = 0.5
"""Cues of one speaker that follow within this many seconds, mid-sentence, are one turn."""

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_NAMED = re.compile(r"(?:[-–] ?)?([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}): +(\S.*)", re.DOTALL)
_SENTENCE_END = (".", "!", "?", "…", ":", '"', "”", "♪", ")", "]")


def turns_of(video: Path | str) -> list[SpeakerTurn]:
    """What the video's subtitles say, in time order; empty where it has none.

    A file beside it (film.srt, film.en.vtt) wins over a stream inside.
    Raises InputError: a subtitle file that is none.
    """
    video = ffmpeg.readable(video)
    if file := beside(video):
        return parse(_decoded(file.read_bytes()), file.name)
    texts = [stream for stream in ffmpeg.probe(video).subtitle_streams if stream.format]
    return parse(ffmpeg.subtitles(video, texts[0]), f"{video.name}, its subtitles") if texts else []


def beside(video: Path) -> Path | None:
    """film.srt or film.vtt, else film.LANGUAGE.srt or .vtt, first by name."""
    stem = video.stem.casefold()
    files = sorted(path for path in video.parent.iterdir() if path.suffix.casefold() in SUFFIXES)
    exact = [path for path in files if path.stem.casefold() == stem]
    tagged = [path for path in files if re.fullmatch(re.escape(stem) + r"\.[\w-]{2,12}", path.stem.casefold())]
    return next(iter(exact + tagged), None)


def parse(text: str, name: str) -> list[SpeakerTurn]:
    """Turns from the text of a subtitle file; `name` is for the error.

    "Anna: words" and <v Anna> say who speaks; cues that go on with a sentence join the turn before.
    Raises InputError: no subtitles in it.
    """
    try:
        file = pysubs2.SSAFile.from_string(text, keep_unknown_html_tags=True)
    except (Pysubs2Error, ValueError) as error:
        raise InputError(f"{name} holds no subtitles", hint="give it another name if it is none") from error
    events = sorted((event for event in file if event.type == "Dialogue"), key=lambda event: event.start)
    return _joined(turn for event in events for turn in _turns(event))


def _turns(event: pysubs2.SSAEvent) -> Iterator[SpeakerTurn]:
    """The turns of one cue: several where lines are by different voices."""
    start, end = event.start / 1000, max(event.start, event.end) / 1000
    # a blank line ends a cue; what pysubs2 leaves after it is a NOTE or the next cue's name
    for speaker, words in _spoken(event.plaintext.split("\n\n")[0], event.name):
        if words:
            yield SpeakerTurn(speaker_id=speaker, utterance=words, time_start=start, time_end=end)


def _spoken(text: str, name: str) -> Iterator[tuple[str, str]]:
    """(speaker, words) of a cue; the speaker empty where nobody is named."""
    before, *voices = _VOICE.split(text)
    yield _named(before, name)
    for speaker, words in zip(voices[::2], voices[1::2], strict=True):
        yield _clean(speaker), _clean(words)


def _named(text: str, name: str) -> tuple[str, str]:
    words = _clean(text)
    found = None if name else _NAMED.fullmatch(words)
    if found and not any(part[0].islower() for part in found[1].split()):
        return found[1], found[2]
    return name, words


def _clean(text: str) -> str:
    """Without tags, entities and line breaks; a dash that only marks a voice goes too."""
    return " ".join(html.unescape(_TAG.sub("", text)).split()).removesuffix(" -").removeprefix("- ")


def _joined(turns: Iterable[SpeakerTurn]) -> list[SpeakerTurn]:
    joined: list[SpeakerTurn] = []
    for turn in turns:
        if joined and _goes_on(joined[-1], turn):
            first = joined.pop()
            whole = {"utterance": f"{first.utterance} {turn.utterance}", "time_end": turn.time_end}
            turn = first.model_copy(update=whole)  # noqa: PLW2901
        joined.append(turn)
    return joined


def _goes_on(turn: SpeakerTurn, following: SpeakerTurn) -> bool:
    return (
        following.speaker_id in ("", turn.speaker_id)
        and following.time_start > turn.time_start
        and following.time_start - turn.time_end <= PAUSE
        and not turn.utterance.endswith(_SENTENCE_END)
    )


def _decoded(data: bytes) -> str:
    """UTF-8 or UTF-16 where it says so or fits, else the Western European of old subtitle files."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
