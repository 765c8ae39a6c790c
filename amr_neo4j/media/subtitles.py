"""Reads subtitles as speaker turns, from a file beside the video or a stream inside it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pysubs2
from pysubs2.exceptions import Pysubs2Error

from amr_neo4j.domain.analysis import LONGEST_NAME, SpeakerTurn
from amr_neo4j.errors import InputError
from amr_neo4j.media import ffmpeg

SUFFIXES = (".srt", ".vtt")
LARGEST = 16 * 2**20
"""The largest subtitle file that is read, in bytes. A day of dense subtitles has about 3 MB."""
PAUSE = 0.5
"""Cues that split a sentence of one speaker become one turn, if they are at most this many seconds apart."""

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_NAMED = re.compile(r"(?:[-–] ?)?([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}): +(\S.*)", re.DOTALL)
_SENTENCE_END = (".", "!", "?", "…", ":", '"', "”", "♪", ")", "]")


def turns_of(video: Path | str) -> list[SpeakerTurn]:
    """Returns the turns of the video's subtitles, in time order; none if it has no subtitles.

    A file beside it (film.srt, film.en.vtt) is preferred over a stream inside.
    Raises InputError: the subtitle file is invalid, no regular file, or larger than LARGEST.
    """
    video = ffmpeg.readable(video)
    if file := beside(video):
        return parse(_decoded(_content(file)), file.name)
    texts = [stream for stream in ffmpeg.probe(video).subtitle_streams if stream.format]
    return parse(ffmpeg.subtitles(video, texts[0]), f"the subtitle stream of {video.name}") if texts else []


def beside(video: Path) -> Path | None:
    """Returns film.srt or film.vtt, else film.LANGUAGE.srt or .vtt, the first by name; None if there is none."""
    stem = video.stem.casefold()
    files = sorted(path for path in video.parent.iterdir() if path.suffix.casefold() in SUFFIXES)
    exact = [path for path in files if path.stem.casefold() == stem]
    tagged = [path for path in files if re.fullmatch(re.escape(stem) + r"\.[\w-]{2,12}", path.stem.casefold())]
    return next(iter(exact + tagged), None)


def parse(text: str, name: str) -> list[SpeakerTurn]:
    """Returns the turns in the text of a subtitle file.

    "Anna: words" and <v Anna> name the speaker. A cue that continues a sentence is joined to the turn before it.
    name: the name of the file, for errors.
    Raises InputError: not a subtitle format.
    """
    try:
        file = pysubs2.SSAFile.from_string(text, keep_unknown_html_tags=True)
    except (Pysubs2Error, ValueError) as error:
        raise InputError(
            f"{name} holds no valid subtitles", hint="rename the file if it is not for this video"
        ) from error
    events = sorted((event for event in file if event.type == "Dialogue"), key=lambda event: event.start)
    return _joined(turn for event in events for turn in _turns(event))


def _turns(event: pysubs2.SSAEvent) -> Iterator[SpeakerTurn]:
    """Yields the turns of one cue; several if its lines have different speakers."""
    start, end = event.start / 1000, max(event.start, event.end) / 1000
    # A blank line ends a cue. What pysubs2 leaves after it is a NOTE, or the name of the next cue.
    for speaker, words in _spoken(event.plaintext.split("\n\n")[0], event.name):
        if words:
            known = speaker if len(speaker) <= LONGEST_NAME else ""  # longer than any name: a damaged tag
            yield SpeakerTurn(speaker_id=known, utterance=words, time_start=start, time_end=end)


def _spoken(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yields (speaker, words) for each part of a cue. The speaker is empty if the cue names none."""
    before, *voices = _VOICE.split(text)
    yield _named(before, name)
    for speaker, words in zip(voices[::2], voices[1::2], strict=True):
        yield _clean(speaker), _clean(words)


def _named(text: str, name: str) -> tuple[str, str]:
    words = _clean(text)
    found = None if name else _NAMED.fullmatch(words)
    # Names have capitals. "Look here: a key" names no speaker.
    if found and not any(part[0].islower() for part in found[1].split()):
        return found[1], found[2]
    return name, words


def _clean(text: str) -> str:
    """Returns the text without tags, entities, line breaks and dashes that mark a change of speaker."""
    return " ".join(html.unescape(_TAG.sub("", text)).split()).removesuffix(" -").removeprefix("- ")


def _joined(turns: Iterable[SpeakerTurn]) -> list[SpeakerTurn]:
    joined: list[SpeakerTurn] = []
    for turn in turns:
        if joined and _is_continued(joined[-1], turn):
            first = joined.pop()
            whole = {"utterance": f"{first.utterance} {turn.utterance}", "time_end": turn.time_end}
            turn = first.model_copy(update=whole)  # noqa: PLW2901
        joined.append(turn)
    return joined


def _is_continued(turn: SpeakerTurn, following: SpeakerTurn) -> bool:
    return (
        following.speaker_id in ("", turn.speaker_id)
        and following.time_start > turn.time_start
        and following.time_start - turn.time_end <= PAUSE
        and not turn.utterance.endswith(_SENTENCE_END)
    )


def _content(file: Path) -> bytes:
    """Returns the bytes of a subtitle file. Raises InputError: no regular file, or too large; NoSuchFile."""
    with ffmpeg.readable(file).open("rb") as opened:
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        message = f"{file.name} is larger than {LARGEST // 2**20} MB"
        raise InputError(message, hint="rename the file if it does not hold the subtitles of this video")
    return data


def _decoded(data: bytes) -> str:
    """Decode UTF-16 if there is a byte order mark, else UTF-8 if it is valid, else cp1252, as in old files."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
