"""An episode to be spooled."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.language.languages import ENGLISH

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=30)))


def episode(content: str, turn: int | None = 0, user: str = "anna", session: str = "monday") -> Episode:
    turned = {"content": content, "turn": turn, "metadata": {"mood": ["é", 1]}, "shown": "a dog"}
    return one_episode(turned, Session("home", user, session), NOW, ENGLISH)
