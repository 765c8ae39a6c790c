"""The chat model that the settings name for a role."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.models.endpoints import endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import Settings

ChatRoleName = Literal["analyse", "refine", "text", "judge", "answer"]


def open_chat(
    settings: Settings, name: ChatRoleName, ledger: Ledger, sleep: Callable[[float], None] = time.sleep
) -> ChatModel | None:
    """The model for a role; None where no provider is chosen for it. Nothing is sent yet.

    Raises ConfigError: the provider wants a key and there is none.
    """
    to = endpoint(settings, name)
    if to is None:
        return None
    from amr_neo4j.models.chat import Chat  # noqa: PLC0415 - heavy

    return Chat(to, getattr(settings, name), ledger, sleep)
