"""Alerts: stored questions that are tried against each clip as it is committed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

Channel = Literal["exec", "webhook", "kept"]


@dataclass(frozen=True)
class Alert:
    """A question, and where its matches are sent.

    target: a command, which is run without a shell, or a URL; empty if matches are kept until somebody fetches them.
    cursor: the node_id of the last event that was tried; -1 before the first.
    alert_id: always set: twelve hex digits of a hash over group, question, channel and target.
    """

    group_id: str
    question: str
    channel: Channel
    target: str
    cursor: int = -1
    alert_id: str = ""

    def __post_init__(self) -> None:
        # NUL keeps the parts apart: ("ab", "c") and ("a", "bc") get different ids.
        key = "\0".join((self.group_id, self.question, self.channel, self.target))
        object.__setattr__(self, "alert_id", hashlib.sha256(key.encode()).hexdigest()[:12])

    @property
    def shown(self) -> str:
        """The target in a form that may be printed.

        A URL is cut to scheme and host, since its path often holds a secret.
        """
        if self.channel != "webhook":
            return self.target
        parts = urlsplit(self.target)
        return f"{parts.scheme}://{parts.hostname}/..."


@dataclass(frozen=True)
class Delivery:
    """A match that is to be delivered.

    evidence: what is sent, as JSON.
    attempts: how many deliveries have failed so far.
    error: why the last one failed.
    """

    alert: Alert
    video_id: str
    clip_id: str
    evidence: Mapping[str, Any]
    attempts: int = 0
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class AlertMatch:
    """A clip that an alert matches, and that nobody has acknowledged.

    evidence: what a command or a webhook is sent.
    """

    alert_id: str
    video_id: str
    clip_id: str
    matched_at: datetime
    evidence: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class AlertStatus:
    """The state of an alert.

    target: as in `Alert.shown`.
    matched: how many clips matched.
    delivered: how many of these were delivered and acknowledged.
    waiting: how many of these still wait for their delivery.
    error: why the last delivery of a waiting one failed.
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
