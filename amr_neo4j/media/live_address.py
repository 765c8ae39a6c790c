"""The address of a live source, and the arguments with which ffmpeg opens it and nothing else."""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from amr_neo4j.errors import InputError
from amr_neo4j.media.ffmpeg import CONTAINERS, version
from amr_neo4j.media.hls import ONE_AT_A_TIME

Kind = Literal["network", "device", "stdin"]

STDIN = "-"


@dataclass(frozen=True)
class _Scheme:
    """How ffmpeg opens the addresses of a scheme.

    protocols: those it may use. None includes `file`, so that a playlist from a server cannot name local files.
    formats: the formats of streams that it may open beside CONTAINERS.
    scripted: an address with a secret reaches ffmpeg on standard input, since other users can read its arguments
        (ps). This needs ffmpeg 5. The other schemes may be films, and such an input does not state their length and
        date.
    for_clients: a client of `amr serve` may name such an address. Not http, where ffmpeg follows redirects.
    has_lists: an address may be a list of segments (HLS).
    over_tcp: RTSP, of which ffmpeg is asked for TCP. Over UDP, lost packets would damage pictures.
    needs_host: an address without a host is refused. For udp, it means all of this machine's.
    """

    protocols: str
    formats: tuple[str, ...] = ()
    scripted: bool = False
    for_clients: bool = False
    has_lists: bool = False
    over_tcp: bool = False
    needs_host: bool = True


_SCHEMES = {
    "http": _Scheme("http,tcp,crypto", ("hls", "mpjpeg"), has_lists=True),
    "https": _Scheme("https,tls,tcp,crypto", ("hls", "mpjpeg"), has_lists=True),
    "rtsp": _Scheme("rtp,udp,tcp", ("rtsp", "sdp", "rtp"), scripted=True, for_clients=True, over_tcp=True),
    "rtsps": _Scheme("rtp,udp,tls,tcp", ("rtsp", "sdp", "rtp"), scripted=True, for_clients=True, over_tcp=True),
    "rtmp": _Scheme("rtmp,tcp", for_clients=True),
    "rtmps": _Scheme("rtmps,tls,tcp", for_clients=True),
    "srt": _Scheme("srt,udp", scripted=True, for_clients=True),
    "udp": _Scheme("udp", needs_host=False),
    "tcp": _Scheme("tcp"),
}
FOR_CLIENTS = tuple(name for name, scheme in _SCHEMES.items() if scheme.for_clients)
"""The schemes that a client of `amr serve` may name."""
# How many times ffmpeg polls a playlist that has no new segment. It polls twice per segment length.
_LOOKS = "5"
_LONGEST_URL = 2_000
_NAME_LETTERS = 40


_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)(?:[^\s/'\"]*@)?([^\s?#'\"]*)(?:[?#][^\s'\"]*)?")


@dataclass(frozen=True)
class Address:
    """A live source.

    opened: the address that ffmpeg opens, with the password.
    shown: the address without the password.
    name: a short name, for ids.
    key: eight hex digits that identify the source, whatever its password.
    """

    kind: Kind
    opened: str = field(repr=False)
    shown: str
    name: str
    key: str

    @property
    def is_encoded(self) -> bool:
        """Whether it delivers compressed pictures, which are stored as they come. A device delivers raw ones."""
        return self.kind != "device"

    @property
    def is_list(self) -> bool:
        """Whether its name says that it is a list of segments (HLS)."""
        has_lists = self.kind == "network" and _SCHEMES[self._scheme].has_lists
        return has_lists and urlsplit(self.opened).path.lower().endswith((".m3u8", ".m3u"))

    @property
    def script(self) -> str:
        """What ffmpeg reads from standard input to open the source; empty if its arguments are enough."""
        is_secret = self.kind == "network" and self.opened != self.shown
        if not is_secret or not _SCHEMES[self._scheme].scripted or version() < (5,):
            return ""
        # ffconcat quotes as a shell does: a quote ends the text, is escaped, and begins it again.
        quoted = self.opened.replace("'", r"'\''")
        over_tcp = "option rtsp_transport tcp\n" if _SCHEMES[self._scheme].over_tcp else ""
        return f"ffconcat version 1.0\nfile '{quoted}'\n{over_tcp}"

    @property
    def _scheme(self) -> str:
        return urlsplit(self.opened).scheme.lower()

    def input_arguments(self) -> list[str]:
        """Return the arguments with which ffmpeg opens the source and nothing else."""
        if self.kind == "device":
            return ["-f", "v4l2", "-protocol_whitelist", "file", "-i", self.opened]
        if self.kind == "stdin":
            safe = ["-protocol_whitelist", "pipe", "-format_whitelist", ",".join(CONTAINERS)]
            return [*safe, "-i", "pipe:0"]
        scheme, of_scheme = self._scheme, _SCHEMES[self._scheme]
        formats = ",".join((*CONTAINERS, *of_scheme.formats))
        if self.script:
            outer = ["-f", "concat", "-safe", "0", "-auto_convert", "0"]
            protocols = f"pipe,{scheme},{of_scheme.protocols}"
            safe = ["-protocol_whitelist", protocols, "-format_whitelist", f"concat,{formats}"]
            return [*outer, *safe, "-i", "pipe:0"]
        safe = ["-protocol_whitelist", of_scheme.protocols, "-format_whitelist", formats]
        over_tcp = ["-rtsp_transport", "tcp"] if of_scheme.over_tcp else []
        # So a list that stands still ends the connection in order. A signal while it waits would cost the last file.
        of_list = [*ONE_AT_A_TIME, "-m3u8_hold_counters", _LOOKS] if self.is_list else []
        return [*over_tcp, *safe, *of_list, "-i", self.opened]


def is_live(place: str | Path) -> bool:
    """Return whether a place names a live source: a URL of a stream, a device, or standard input."""
    if str(place) == STDIN:
        return True
    if isinstance(place, str) and _scheme(place):
        return True
    return _is_device(Path(place)) if str(place) else False


def address(place: str | Path) -> Address:
    """Return the live source that a place names. Raises InputError: an unknown scheme, or no host."""
    if str(place) == STDIN:
        return Address("stdin", STDIN, "stdin", "stdin", _key(STDIN))
    text = str(place)
    if not _scheme(text):
        path = Path(place).absolute()
        return Address("device", str(path), str(path), _short(path.name), _key(str(path)))
    if len(text) > _LONGEST_URL or not text.isprintable() or " " in text:
        raise InputError("the address of a source is too long or has spaces in it", hint="check the address")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InputError(f"the address of a source is not valid: {error}", hint="check the address") from error
    scheme = _SCHEMES.get(parts.scheme.lower())
    if scheme is None:
        hint = f"use one of {', '.join(_SCHEMES)}, a device, a file or -; a broker: amr watch mqtt://HOST/frigate"
        raise InputError(f"sources of {parts.scheme}:// are not opened", hint=hint)
    if not parts.hostname and scheme.needs_host:
        raise InputError(f"{_shown(parts)} names no host", hint="write it like rtsp://camera:554/stream")
    name = "-".join(filter(None, (parts.hostname, str(port or ""), parts.path)))
    return Address("network", text, _shown(parts), _short(name), _key(f"{_shown(parts)}?{parts.query}"))


def without_secrets(text: str) -> str:
    """Return the text with user, password and query removed from each URL. A query may hold a token."""
    return _URL.sub(r"\1\2", text)


def _scheme(text: str) -> str:
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+)://", text)
    return found[1].lower() if found and found[1].lower() != "file" else ""


def _is_device(path: Path) -> bool:
    try:
        return stat.S_ISCHR(path.stat().st_mode) or path.as_posix().startswith("/dev/video")
    except OSError:
        return path.as_posix().startswith("/dev/video")


def _shown(parts: SplitResult) -> str:
    """Return the address without user, password and query."""
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _short(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:_NAME_LETTERS].strip("-") or "source"
