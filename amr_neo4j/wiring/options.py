"""Translates settings into the options of recall and of live conversations, and chooses the token counter."""

from __future__ import annotations

import hashlib
import os
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from amr_neo4j.domain.budget import Budget, CountTokens, estimated_tokens
from amr_neo4j.domain.hot_options import HotOptions, Weights
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.search_limits import SearchLimits
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.files import read_regular
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.weights import CHANNELS, FUSION
from amr_neo4j.settings import Settings
from amr_neo4j.tables import AnyTable, user_copy

_LARGEST = 2**20  # bytes of a table
_ENCODING = "o200k_base"
_ENCODING_FILE = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
# The variables in which tiktoken looks for its cache folder, in its order.
_CACHES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")


def recall_limits(settings: Settings) -> RecallLimits:
    """Return the limits of recall. Raises ConfigError: a table of the user's own cannot be read."""
    return RecallLimits(
        **picked(settings, *(each.name for each in fields(SearchLimits))),
        channels=_table(settings.channels_file, CHANNELS),
        fusion=_table(settings.fusion_file, FUSION),
    )


def _table(file: Path | None, ours: AnyTable) -> AnyTable:
    """Return the user's own copy of a table if the settings name one, else ours."""
    if file is None:
        return ours
    try:
        return user_copy(read_regular(file, at_most=_LARGEST).decode(), ours)
    except InputError as error:
        raise ConfigError(error.message, hint=error.hint) from error
    except ValueError as error:
        hint = "begin with a copy of amr_neo4j/recall/rank/channels.yaml or fusion.yaml, whole"
        raise ConfigError(f"{file}: {error}", hint=hint) from error


def hot_options(settings: Settings) -> HotOptions:
    """Return the options of live conversations. Raises InputError: the weights are not four numbers."""
    parts = settings.hot_score_weights.split(",")
    try:
        weights = Weights(*(float(part) for part in parts))
    except (ValueError, TypeError) as error:
        hint = "give four numbers: priority, recency, overlap, weight, such as 0.4,0.2,0.3,0.1"
        raise InputError(f"HOTMEM_SCORE_WEIGHTS is {settings.hot_score_weights!r}", hint=hint) from error
    same_names = [each.name for each in fields(HotOptions) if f"hot_{each.name}" in Settings.model_fields]
    given: dict[str, Any] = {name: getattr(settings, f"hot_{name}") for name in same_names} | {
        "languages": settings.languages,
        "weights": weights,
        "injects": not settings.hot_disable_injection,
        "extracts": not settings.hot_disable_extraction,
        "mask_secrets": settings.mask_secrets,
        "speakers": Speakers.with_agents(settings.agent_names),
    }
    return HotOptions(**given)


def budget_of(settings: Settings) -> Budget:
    """Return how the tokens of a prompt are divided."""
    return Budget(
        total=settings.context_budget,
        recent=settings.context_recent,
        tools=settings.context_tools,
        facts=settings.context_facts,
        episodes=settings.context_episodes,
    )


def token_counter() -> CountTokens:
    """Return a function that counts tokens as OpenAI's models do, or one that estimates.

    The exact one needs tiktoken and its encoding file in TIKTOKEN_CACHE_DIR. Nothing is downloaded.
    """
    folder = next((os.environ[name] for name in _CACHES if os.environ.get(name)), "")
    if (
        # tiktoken names a cached file by the SHA-1 of its URL, and would download a missing one.
        not folder
        or not (Path(folder) / hashlib.sha1(_ENCODING_FILE.encode(), usedforsecurity=False).hexdigest()).is_file()
    ):
        return estimated_tokens
    try:
        tiktoken: Any = import_module("tiktoken")
    except ImportError:
        return estimated_tokens
    encoding = tiktoken.get_encoding(_ENCODING)
    # Text that looks like a special token, such as <|endoftext|>, would raise ValueError by default.
    return lambda text: len(encoding.encode(text, disallowed_special=()))
