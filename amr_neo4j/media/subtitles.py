"""Reads subtitles as speaker turns, from a file beside the video or a stream inside it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Literal

import pysubs2
from charset_normalizer import CharsetMatch, from_bytes
from pysubs2.exceptions import Pysubs2Error

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.episode import LONGEST_NAME
from amr_neo4j.domain.speakers import is_numbered_voice
from amr_neo4j.domain.views import Said
from amr_neo4j.errors import InputError
from amr_neo4j.media import ffmpeg

SUFFIXES = (".srt", ".vtt")
LARGEST = 16 * 2**20
"""The largest subtitle file that is read, in bytes. A day of dense subtitles has about 3 MB."""
PAUSE = 0.5
"""Cues that split a sentence of one speaker become one turn, if they are at most this many seconds apart."""

LONGEST_TURN = 30.0
"""A turn is not continued beyond this many seconds. Recognised speech often has no full stop at all."""
_ROLLING = 0.3
"""Captions roll if at least this share of the cues repeats lines of the cue before."""

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_TIME_OF_WORD = re.compile(r"<[\d:.]+>")
_TIME = r"(-?)(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?"
_TIMING = re.compile(rf"^[ \t]*{_TIME}[ \t]*-{{1,2}}>[ \t]*{_TIME}.*$", re.MULTILINE)
_FORCED = re.compile(r"[.\-_ ](?:forced|signs)\b", re.IGNORECASE)
_NAMED = re.compile(r"(?:[-–] ?)?([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}(?: \d{1,3})?): +(\S.*)", re.DOTALL)
_SENTENCE_END = (".", "!", "?", "…", ":", '"', "”", "♪", ")", "]")


@dataclass(frozen=True)
class Subtitles:
    """The subtitles of a video.

    turns: in order of time.
    name: where they are from.
    notes: what was doubtful, or passed over.
    is_forced: whether they are marked as forced: then they contain only signs and foreign words.
    """

    turns: tuple[SpeakerTurn, ...] = ()
    name: str = ""
    notes: tuple[str, ...] = ()
    is_forced: bool = False


def read(video: Path | str) -> Subtitles:
    """Return the first of the video's subtitles that have words.

    A file beside it (film.srt, film.en.vtt) comes before a stream inside. Those that are marked as forced come last:
    they contain only signs and foreign words. What cannot be read is noted and passed over.
    Raises NoSuchFile, InputError: the video cannot be read.
    """
    video = ffmpeg.readable(video)
    notes: list[str] = []
    for source in _sources(video):
        name = source.name if isinstance(source, Path) else f"the subtitle stream {source.index} of {video.name}"
        try:
            if isinstance(source, Path):
                text, doubt = _decoded(_content(source))
            else:
                text, doubt = ffmpeg.subtitles(video, source), ""
            turns = parse(text, name)
        except InputError as error:
            notes.append(f"{name} was not read: {error.message}")
            continue
        if doubt:
            notes.append(f"{name} {doubt}")
        if turns:
            is_forced = _is_forced(source, video) if isinstance(source, Path) else source.is_forced
            return Subtitles(tuple(turns), name, tuple(notes), is_forced)
        notes.append(f"{name} has no words")
    return Subtitles(notes=tuple(notes))


def _sources(video: Path) -> Iterator[Path | ffmpeg.SubtitleStream]:
    """Yield what may hold subtitles, the most likely first."""
    files = beside(video)
    yield from (file for file in files if not _is_forced(file, video))
    streams = [stream for stream in ffmpeg.probe(video).subtitle_streams if stream.format]
    streams.sort(key=lambda stream: not stream.is_default)
    yield from (stream for stream in streams if not stream.is_forced)
    yield from (file for file in files if _is_forced(file, video))
    yield from (stream for stream in streams if stream.is_forced)


def beside(video: Path) -> list[Path]:
    """Return film.srt and film.vtt, then film.LANGUAGE.srt and .vtt, by name; film.en.forced.srt too."""
    stem = video.stem.casefold()
    files = sorted(path for path in video.parent.iterdir() if path.suffix.casefold() in SUFFIXES)
    exact = [path for path in files if path.stem.casefold() == stem]
    tag = re.compile(re.escape(stem) + r"(?:\.[\w-]{2,12}){1,2}")
    return exact + [path for path in files if tag.fullmatch(path.stem.casefold())]


def _is_forced(file: Path, video: Path) -> bool:
    """Return whether the tags after the video's name say so: a film may be called "Road Signs"."""
    return _FORCED.search(file.stem[len(video.stem) :]) is not None


def parse(text: str, name: str) -> list[SpeakerTurn]:
    """Return the turns in the text of a subtitle file.

    "Anna: words" and <v Anna> name the speaker. A cue that continues a sentence is joined to the turn before it.
    Captions that roll repeat lines and may have a time for each word: each line becomes a turn, once, at its time.
    name: the name of the file, for errors.
    Raises InputError: not a subtitle format.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain, times_of_words = _TIME_OF_WORD.subn("", text)
    plain, timings = _TIMING.subn(_canonical, plain)
    try:
        # Both formats in one, which allows for hours of three digits.
        file = pysubs2.SSAFile.from_string(plain, "vtt" if timings else None, keep_unknown_html_tags=True)
    except (Pysubs2Error, ValueError) as error:
        raise InputError(
            f"{name} holds no valid subtitles", hint="rename the file if it is not for this video"
        ) from error
    # A cue that ends at 0 lies before the film.
    events = sorted((event for event in file if event.type == "Dialogue" and event.end > 0), key=attrgetter("start"))
    cues = list(_grown([_Cue(event, tuple(_lines(event))) for event in events]))
    if times_of_words or _rolls(cues):
        return [turn for cue in _unrolled(cues) for turn in _turns(cue)]
    return _joined(turn for cue in cues for turn in _turns(cue))


def as_subtitles(said: Iterable[Said], form: Literal["srt", "vtt"]) -> str:
    """Return words as the text of a subtitle file. A speaker stands before the words, in WebVTT as its voice."""
    file = pysubs2.SSAFile()
    for each in said:
        named = f"<v {each.speaker}>" if form == "vtt" else f"{each.speaker}: "
        start, end = (pysubs2.make_time(s=second) for second in (each.time_start, each.time_end))
        file.append(pysubs2.SSAEvent(start, end, f"{named if each.speaker else ''}{each.utterance}"))
    return file.to_string(form)


def _canonical(timing: re.Match[str]) -> str:
    """Return a line of times as WebVTT has it. Times before the film become 0."""
    ends: list[str] = []
    for sign, hour, minute, second, part in (timing.groups()[:5], timing.groups()[5:]):
        at = 0 if sign else int(hour or 0) * 3600 + int(minute) * 60 + int(second)
        part = "0" if sign or not part else part  # noqa: PLW2901
        ends.append(f"{min(at // 3600, 9999):02d}:{at // 60 % 60:02d}:{at % 60:02d}.{part:0<3}")
    return " --> ".join(ends)


@dataclass(frozen=True)
class _Cue:
    """lines: what it shows, without blank lines at the end."""

    event: pysubs2.SSAEvent
    lines: tuple[str, ...]


def _lines(event: pysubs2.SSAEvent) -> list[str]:
    # A blank line ends a cue. What pysubs2 leaves after it is a NOTE, or the name of the next cue.
    return [line for line in event.plaintext.split("\n\n")[0].splitlines() if line.strip()]


def _shared(before: _Cue, cue: _Cue) -> int:
    """Return how many lines at the start of a cue the cue before showed at its end."""
    if cue.event.start - before.event.end > PAUSE * 1000:
        return 0
    most = min(len(before.lines), len(cue.lines))
    shown, now = ([_clean(line) for line in each.lines] for each in (before, cue))
    return next((count for count in range(most, 0, -1) if shown[-count:] == now[:count]), 0)


def _grown(cues: Sequence[_Cue]) -> Iterator[_Cue]:
    """Yield the cues. If captions grow word by word, only the last form is yielded, at the time of the first."""
    last: _Cue | None = None
    for cue in cues:
        if last and _grows(last, cue):
            cue.event.start = last.event.start
        elif last:
            yield last
        last = cue
    if last:
        yield last


def _grows(before: _Cue, cue: _Cue) -> bool:
    if not before.lines or len(before.lines) != len(cue.lines) or before.lines[:-1] != cue.lines[:-1]:
        return False
    is_longer = len(before.lines[-1]) < len(cue.lines[-1]) and cue.lines[-1].startswith(before.lines[-1])
    return is_longer and cue.event.start - before.event.end <= PAUSE * 1000


def _rolls(cues: Sequence[_Cue]) -> bool:
    """Return whether most cues show lines of the cue before, beside others."""
    shared = 0
    for before, cue in pairwise(cues):
        count = _shared(before, cue)
        # Where a cue is the same as the one before, somebody may have said it twice.
        shared += bool(count) and max(len(before.lines), len(cue.lines)) > count
    return shared >= 2 and shared >= _ROLLING * len(cues)


def _unrolled(cues: Sequence[_Cue]) -> Iterator[_Cue]:
    """Yield the cues with the lines that are new, up to where these are still shown alone."""
    for before, cue in pairwise([None, *cues]):
        assert cue  # noqa: S101 - only the first is None
        if new := cue.lines[_shared(before, cue) if before else 0 :]:
            yield _Cue(cue.event, new)


def _turns(cue: _Cue) -> Iterator[SpeakerTurn]:
    """Yield the turns of one cue; several if its lines have different speakers."""
    event = cue.event
    start, end = event.start / 1000, max(event.start, event.end) / 1000
    for speaker, words in _spoken("\n".join(cue.lines), event.name):
        if words:
            known = speaker if len(speaker) <= LONGEST_NAME else ""  # longer than any name: a damaged tag
            yield SpeakerTurn(speaker_id=known, utterance=words, time_start=start, time_end=end)


def _spoken(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield (speaker, words) for each part of a cue. The speaker is empty if the cue names none."""
    before, *voices = _VOICE.split(text)
    yield _named(before, name)
    for speaker, words in zip(voices[::2], voices[1::2], strict=True):
        yield _clean(speaker), _clean(words)


def _named(text: str, name: str) -> tuple[str, str]:
    words = _clean(text)
    found = None if name else _NAMED.fullmatch(words)
    # Names have capitals and no number. "Look here: a key" and "Step 2: the key" name no speaker.
    is_name = found and not any(part[0].islower() or part.isdecimal() for part in found[1].split())
    if found and (is_name or is_numbered_voice(found[1])):
        return found[1], found[2]
    return name, words


def _clean(text: str) -> str:
    """Return the text without tags, entities, line breaks, and what marks a change of speaker: "- " and ">> "."""
    return " ".join(html.unescape(_TAG.sub("", text)).split()).removesuffix(" -").removeprefix("- ").lstrip("> ")


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
        and following.time_end - turn.time_start <= LONGEST_TURN
        and not turn.utterance.endswith(_SENTENCE_END)
    )


def _content(file: Path) -> bytes:
    """Return the bytes of a subtitle file. Raises InputError: no regular file, or too large; NoSuchFile."""
    with ffmpeg.readable(file).open("rb") as opened:
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        message = f"{file.name} is larger than {LARGEST // 2**20} MB"
        raise InputError(message, hint="rename the file if it does not hold the subtitles of this video")
    return data


# The encodings of subtitles in scripts with Latin letters, and in others. The first of them is the most common.
_LATIN = ["cp1252", "cp1250", "cp1254", "cp1257", "cp1258", "iso8859_2"]
_OTHERS = ["cp1251", "cp1253", "cp1255", "cp1256", "cp874", "koi8_r", "gb18030", "big5", "cp932", "cp949", "euc_jp"]


def _decoded(data: bytes) -> tuple[str, str]:
    """Return (the text of a file, a note if its encoding had to be guessed; else an empty text)."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), ""
    if zeros := data.count(b"\0"):
        # Without a mark. Times are made of characters below U+0100, and one byte of each such character is zero.
        order = "le" if 2 * data[1::2].count(b"\0") > zeros else "be"
        return data.decode(
            f"utf-16-{order}", "replace"
        ), f"has no mark of its encoding; it was read as UTF-16-{order.upper()}"
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        encoding = _guessed(data)
        return data.decode(
            encoding, "replace"
        ), f"is not UTF-8; it was read as {encoding} (if wrong, save it as UTF-8)"


def _guessed(data: bytes) -> str:
    """Return the most likely encoding of a subtitle file that is not Unicode."""
    lines = data.replace(b"\r", b"\n").split(b"\n")
    words = b"\n".join(line for line in lines if line.strip() and b"-->" not in line and not line.strip().isdigit())
    letters, high = sum(chr(byte).isalpha() and byte < 128 for byte in words), sum(byte > 127 for byte in words)
    among = _LATIN if high < letters else _OTHERS
    found = list(from_bytes(words, cp_isolation=among, threshold=0.5))
    if not found:
        return among[0]
    # The library's order, but of short texts it knows little: a wrong table often gives capitals within words.
    best = min(found, key=_capitals_within)
    usual = next((each for each in found if among[0] in each.could_be_from_charset), None)
    if among is _LATIN and usual and usual.chaos <= best.chaos + 0.02 and usual.coherence >= best.coherence - 0.2:
        return among[0]
    return best.encoding


def _capitals_within(match: CharsetMatch) -> int:
    return sum(one.islower() and other.isupper() for one, other in pairwise(str(match)))
