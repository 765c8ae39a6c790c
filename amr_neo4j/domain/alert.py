"""Questions that are kept and tried against each clip as it is committed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

Channel = Literal["exec", "webhook"]


@dataclass(frozen=True)
class Alert:
    """A question and whom to notify. target: a command, run without a shell, or a URL. cursor: last event tried."""

    group_id: str
    question: str
    channel: Channel
    target: str
    cursor: int = -1

    @property
    def alert_id(self) -> str:
        """Twelve hex digits, the same for the same alert."""
        key = "\0".join((self.group_id, self.question, self.channel, self.target))
        return hashlib.sha256(key.encode()).hexdigest()[:12]

    @property
    def shown(self) -> str:
        """The target as it may be printed: of a URL scheme and host, since the rest often gives access."""
        if self.channel == "exec":
            return self.target
        parts = urlsplit(self.target)
        return f"{parts.scheme}://{parts.hostname}/..."


@dataclass(frozen=True)
class Delivery:
    """A match to be delivered. evidence: what is reported, as JSON. attempts: how often it was tried in vain."""

    alert: Alert
    video_id: str
    clip_id: str
    evidence: Mapping[str, Any]
    attempts: int = 0
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class AlertStatus:
    """How an alert stands. target: as `Alert.shown`. matched: clips; delivered: acknowledged ones; waiting: others,
    with the last error.
    """

    alert_id: str
    question: str
    channel: str
    target: str
    matched: int
    delivered: int
    waiting: int
    last_match_at: datetime | None
    error: str
