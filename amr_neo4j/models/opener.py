"""Opens the model that serves a role, as the settings say. There is none unless a provider is chosen.

Importing this module does not load the SDK, which takes half a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from amr_neo4j.errors import ConfigError
from amr_neo4j.model_roles import LOCAL_SERVERS, NO_PROVIDER, PROVIDERS, Role, is_local
from amr_neo4j.models.endpoint import NO_KEY, Endpoint
from amr_neo4j.settings import Settings

if TYPE_CHECKING:
    from amr_neo4j.models.chat import Chat
    from amr_neo4j.models.ledger import Ledger

ChatRoleName = Literal["analyse", "refine", "text", "judge", "answer", "explore"]
RoleName = Literal[ChatRoleName, "embed"]
ROLES: tuple[RoleName, ...] = ("analyse", "refine", "text", "judge", "answer", "explore", "embed")


def endpoint(settings: Settings, name: RoleName) -> Endpoint | None:
    """Return where calls of a role go; None if no provider is chosen for it.

    Raises ConfigError: the provider requires a key and none is set.
    """
    role = getattr(settings, name)
    provider = _provider(settings, name)
    # A key alone sends nothing, because many machines have one for other purposes (decision 0066).
    if provider == NO_PROVIDER:
        return None
    server = LOCAL_SERVERS.get(provider)
    finds_model = (server is not None or provider not in PROVIDERS) and "model" not in role.model_fields_set
    model = role.model.removeprefix("openai/") if provider == "openai" else role.model
    if server and finds_model:
        model = (server.embed_model if name == "embed" else server.chat_model) or model
    base_url = PROVIDERS.get(provider, provider).rstrip("/")
    return Endpoint(
        role=name,
        base_url=base_url,
        model=model,
        api_key=_key(settings, name, provider),
        extras=_for_openrouter(settings) if is_openrouter(base_url) else {},
        finds_model=finds_model,
        max_reply_bytes=int(settings.max_reply_mb * 1_000_000),
    )


def is_openrouter(base_url: str) -> bool:
    """Return whether a base URL is OpenRouter's, by its name or in full."""
    host = urlsplit(base_url).hostname or ""
    return host == "openrouter.ai" or host.endswith(".openrouter.ai")


def _for_openrouter(settings: Settings) -> dict[str, Any]:
    """Return what OpenRouter gets with every request: it reports the cost of a call only if asked to."""
    routing = settings.routing.model_dump(exclude_none=True, mode="json")
    return {"usage": {"include": True}} | ({"provider": routing} if routing else {})


def role_of(settings: Settings, name: RoleName) -> Any:
    """Return the settings of a role. A server that computes one request at a time gets one, and more time for it."""
    role: Role = getattr(settings, name)
    server = LOCAL_SERVERS.get(_provider(settings, name))
    if server is None or not server.takes_turns:
        return role
    patient = {"timeout_s": 3 * role.timeout_s, "patience_s": 3 * role.patience_s}
    # The server itself lets questions wait for their turn.
    patient |= {"at_once": 1} if name in ("analyse", "explore", "refine") else {}
    return role.model_copy(update={key: value for key, value in patient.items() if key not in role.model_fields_set})


def sends_questions_out(settings: Settings) -> bool:
    """Return whether questions go to a model that is neither on this machine nor on a private network."""
    names: tuple[RoleName, ...] = ("text", "judge", "answer")
    if settings.embedder == "api":
        names = (*names, "embed")
    used = {_provider(settings, name) for name in names} - {NO_PROVIDER}
    return not all(is_local(PROVIDERS.get(provider, provider)) for provider in used)


def _provider(settings: Settings, name: RoleName) -> str:
    return getattr(settings, name).provider or settings.provider or NO_PROVIDER


def open_chat(
    settings: Settings, name: ChatRoleName, ledger: Ledger, *, sleep: Callable[[float], None] = time.sleep
) -> Chat | None:
    """Return the chat model of a role; None if no provider is chosen for it. Sends nothing yet.

    Raises ConfigError: the provider requires a key and none is set.
    """
    to = endpoint(settings, name)
    if to is None:
        return None
    from amr_neo4j.models.chat import Chat  # noqa: PLC0415 - loads the SDK

    return Chat(to, role_of(settings, name), ledger, sleep=sleep)


def _key(settings: Settings, name: RoleName, provider: str) -> str:
    """Return the API key for a role. No provider ever receives a key that was set for another.

    The role's own key comes first, then the shared key if the role uses the shared provider, then the provider's own
    key.
    """
    role = getattr(settings, name)
    shared = settings.api_key if role.provider in (None, settings.provider) else None
    own = {"openrouter": settings.openrouter_api_key, "openai": settings.openai_api_key}
    key = role.api_key or shared or own.get(provider)
    if key is None and provider in own:
        raise ConfigError(
            f"no API key for {provider}", hint=f"set {provider.upper()}_API_KEY, or api_key in amr.yaml"
        )
    return key.get_secret_value() if key else NO_KEY
