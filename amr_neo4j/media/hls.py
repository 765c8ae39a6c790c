"""The list of a live HLS source: which segments are new after a lost connection, and whether the source has ended."""

from __future__ import annotations

import base64
import re
import time
from collections import deque
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

import urllib3

# The recording waits for the list in the meantime.
_TIMEOUT_S = 3.0
_LARGEST = 2**20
_MISSED_S = 10.0
"""A segment that is listed and not there is awaited for at least this many seconds."""
_MOST_LATE = 5
"""How many connections in a row are given up because they begin after the first new segment. The next one is kept."""
_MOST_UNMATCHED = 50
# Without it ffmpeg opens the next segment while it still reads one, and "opened" would not mean "read".
ONE_AT_A_TIME = ("-http_multiple", "0")


@dataclass(frozen=True)
class _Segment:
    number: int
    url: str
    start: float


@dataclass(frozen=True)
class Resume:
    """How to continue after a lost connection.

    options: the arguments for ffmpeg to begin at the first new segment; None if there is none yet.
    why: what is awaited.
    is_over: the list is complete, and all of it was read.
    notes: what is missing.
    """

    options: tuple[str, ...] | None = ()
    why: str = ""
    is_over: bool = False
    notes: tuple[str, ...] = ()


class HlsList:
    """The list of one source. A segment is known by its sequence number: its name may come again.

    target_s: the longest segment, in seconds.
    late_by: how many segments were gone when the present connection began; the reader of it sets it back.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._segments: list[_Segment] = []
        self._is_complete = False
        self._read_to: int | None = None
        self._resumed_at: int | None = None
        self._unmatched: deque[str] = deque(maxlen=_MOST_UNMATCHED)
        self._first_new: int | None = None
        self._late = 0
        self._missed: tuple[int, float] | None = None
        # The certificate is not checked, as ffmpeg does not check it either.
        self._pool = urllib3.PoolManager(cert_reqs="CERT_NONE", retries=urllib3.Retry(0, redirect=3))
        self.target_s = 0.0
        self.late_by = 0

    def opened(self, url: str) -> bool:
        """Note that ffmpeg has opened a file: a segment, or something else, such as a key.

        Returns False if the connection begins too late and has to be given up. That happens if the list has moved on
        between `resume` and ffmpeg's look at it.
        """
        self._unmatched.append(url)
        if self._number(url) is None and self._load():
            return True  # the list cannot be read just now; the address is looked for again later
        first_new, number = self._first_new, self._match()
        if number is None:
            return True
        # The first of them: while the list could not be read, others may have opened after it.
        is_late = first_new is not None and number > first_new
        if first_new is not None and is_late:
            self.late_by = number - first_new
        self._first_new, self._late = None, self._late + 1 if is_late else 0
        return not is_late or self._late > _MOST_LATE

    def missed(self, number: int) -> None:
        """Note that a segment is listed and could not be opened."""
        if self._missed is None or self._missed[0] != number:
            self._missed = number, time.monotonic()
        if self._read_to is not None:
            self._read_to = min(self._read_to, number - 1)

    def undo(self) -> None:
        """Note that the last connection brought no pictures of the segments that it opened."""
        self._read_to = self._resumed_at
        self._unmatched.clear()
        self.late_by = 0

    def resume(self) -> Resume:
        """Return how to go on, from the list as it is now."""
        if self._read_to is None and not self._unmatched:
            return Resume()
        if error := self._load():
            return Resume(None, error)
        self._match()
        if self._read_to is None:
            return Resume()
        self._resumed_at = self._read_to
        if self._segments and self._segments[-1].number < self._read_to:
            self._read_to = -1  # the sender was started again, and counts from 0
        new = [each for each in self._segments if each.number > self._read_to]
        notes: list[str] = []
        if new and self._missed and new[0].number == self._missed[0] and not self._is_there(new[0].url):
            if time.monotonic() - self._missed[1] < max(_MISSED_S, 3 * self.target_s):
                return Resume(None, f"segment {new[0].number} of the list is not there yet")
            self._read_to = new.pop(0).number
            notes.append(f"segment {self._read_to} of the list was missing")
        if not new:
            return Resume(None, "the list has no new segment", is_over=self._is_complete)
        if self._read_to >= 0 and (gone := new[0].number - self._read_to - 1):
            notes.append(f"{gone} segments of the list were gone before they were read")
        self._first_new = new[0].number
        begin = ("-live_start_index", str(self._segments.index(new[0])))
        if self._is_complete:
            # ffmpeg would begin a complete list at its start. It drops what comes before the second of -ss, so that
            # second is a little earlier than the segment.
            begin = ("-ss", f"{max(0.0, new[0].start - 0.3):.3f}")
        return Resume((*ONE_AT_A_TIME, *begin), notes=tuple(notes))

    def _match(self) -> int | None:
        """Note the opened files that the list names as read. Returns the number of the first one.

        The others are keys, or segments that have left the list. They are not looked for again, because their names
        may come again.
        """
        first: int | None = None
        while self._unmatched:
            number = self._number(self._unmatched.popleft())
            if number is not None:
                self._read_to = number
                first = number if first is None else first
        return first

    def _number(self, url: str) -> int | None:
        """Return the number of the unread segment with this URL, or None."""
        read_to = -1 if self._read_to is None else self._read_to
        return next((each.number for each in self._segments if each.url == url and each.number > read_to), None)

    def _is_there(self, url: str) -> bool:
        try:
            answer = self._get(url)
            answer.close()
        except urllib3.exceptions.HTTPError:
            return False
        return answer.status < 400

    def _load(self) -> str | None:
        """Read the list. Returns why that failed, else None."""
        url = self._url
        for _ in range(3):
            try:
                answer = self._get(url)
                text = answer.read(_LARGEST).decode("utf-8", "replace")
                answer.close()
            except urllib3.exceptions.HTTPError as error:
                return f"the list cannot be read ({type(error).__name__})"
            if answer.status >= 400:
                return f"the list cannot be read (HTTP {answer.status})"
            try:  # an address in a list may be none
                base = urljoin(url, answer.geturl() or "")
                # ffmpeg takes the pictures of the first variant.
                if found := re.search(r"^#EXT-X-STREAM-INF.*\n(?:#.*\n)*([^#\s].*)$", text, re.MULTILINE):
                    url = urljoin(base, found[1].strip())
                    continue
                self._take(text, base)
            except ValueError:
                return "the list is damaged"
            break
        return None

    def _take(self, text: str, base: str) -> None:
        first, start, seconds = 0, 0.0, 0.0
        self._segments, self._is_complete = [], False
        for line in map(str.strip, text.splitlines()):
            name, _, value = line.partition(":")
            if name == "#EXT-X-MEDIA-SEQUENCE":
                first = int(value)
            elif name == "#EXT-X-TARGETDURATION":
                self.target_s = float(value)
            elif name == "#EXT-X-ENDLIST":
                self._is_complete = True
            elif name == "#EXTINF":
                seconds = float(value.partition(",")[0])
            elif line and not line.startswith("#"):
                self._segments.append(_Segment(first + len(self._segments), urljoin(base, line), start))
                start += seconds

    def _get(self, url: str) -> urllib3.BaseHTTPResponse:
        parts = urlsplit(url)
        secret = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        # Not by urllib3.make_headers, which knows only Latin-1. ffmpeg sends UTF-8, too.
        basic = f"Basic {base64.b64encode(secret.encode()).decode()}"
        headers = {"authorization": basic} if parts.username else {}
        bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        return self._pool.request("GET", bare, headers=headers, timeout=_TIMEOUT_S, preload_content=False)
