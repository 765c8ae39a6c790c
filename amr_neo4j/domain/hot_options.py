"""The options of live conversations (specification 001 5). The defaults are those of the settings `hot_...`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from amr_neo4j.domain.speakers import Speakers


class Weights(NamedTuple):
    """The weights of the parts of a hint's score."""

    priority: float = 0.4
    recency: float = 0.2
    overlap: float = 0.3
    weight: float = 0.1


@dataclass(frozen=True)
class HotOptions:
    """Settings of a live conversation. The defaults are those of specification 001.

    languages: codes; the first one is used until a turn shows another.
    inject_role, inject_header: the role and the first line of the added message.
    stream_header: the line before the episodes that are recalled in passing.
    hint_window: the hints of this many turns stay in the prompt.
    bullets_max: how many hints the whole prompt may have.
    novelty_turns: a hint is not injected again for this many turns.
    recency_days: a fact's recency is exp(-age / recency_days).
    weights: the weights of the parts of a hint's score.
    full_text_boost: added to the score of a fact in proportion to the rarity of the turn's rarest word in it.
    ttl_days: {relation: days after which a fact that was not repeated is left out}.
    per_turn_messages: add a message for each turn, instead of replacing one.
    injects, extracts: whether hints are chosen, and whether turns are read for facts.
    redact_logs: keep e-mail addresses and phone or card numbers out of logs.
    mask_secrets: mask secrets in turns before anything is stored.
    speakers: tells the user, other people and programs apart.
    """

    languages: tuple[str, ...] = ("en", "es", "fr", "de", "it")
    inject_role: str = "system"
    inject_header: str = "Use the following factual context if helpful:"
    stream_header: str = "Earlier, if it helps:"
    hint_window: int = 10
    bullets_max: int = 5
    novelty_turns: int = 3
    recency_days: float = 3.0
    weights: Weights = field(default_factory=Weights)
    full_text_boost: float = 0.0
    ttl_days: Mapping[str, float] = field(default_factory=dict[str, float])
    per_turn_messages: bool = False
    injects: bool = True
    extracts: bool = True
    redact_logs: bool = True
    mask_secrets: bool = False
    speakers: Speakers = field(default_factory=Speakers)
