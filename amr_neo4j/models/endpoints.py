"""Where the calls of a role go, by the settings: nowhere, unless a provider is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from amr_neo4j.errors import ConfigError
from amr_neo4j.model_roles import NOBODY, PROVIDERS
from amr_neo4j.settings import Settings

RoleName = Literal["analyse", "refine", "text", "judge", "answer", "embed"]
# What a server on this machine is told, which asks for no key; the client wants some text.
_NO_KEY = "none"
# OpenRouter tells what a call cost where it is asked to.
_EXTRAS: dict[str, dict[str, Any]] = {"openrouter": {"usage": {"include": True}}}


@dataclass(frozen=True)
class Endpoint:
    """A model at a provider. extras: what every request to it carries besides."""

    role: str
    base_url: str
    model: str
    api_key: str = field(default=_NO_KEY, repr=False)
    extras: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        return f"{self.model} at {self.base_url}"


def endpoint(settings: Settings, name: RoleName) -> Endpoint | None:
    """Where the calls of a role go; None where no provider is chosen for it.

    Raises ConfigError: the provider wants a key and there is none.
    """
    role = getattr(settings, name)
    provider = role.provider or settings.provider or NOBODY
    if provider == NOBODY:
        return None
    return Endpoint(
        role=name,
        base_url=PROVIDERS.get(provider, provider).rstrip("/"),
        model=role.model.removeprefix("openai/") if provider == "openai" else role.model,
        api_key=_key(settings, name, provider),
        extras=_EXTRAS.get(provider, {}),
    )


def _key(settings: Settings, name: RoleName, provider: str) -> str:
    """The role's own key, the shared one where the role goes to the shared provider, or the provider's by its name.

    So no provider is ever shown the key for another.
    """
    role = getattr(settings, name)
    shared = settings.api_key if role.provider in (None, settings.provider) else None
    own = {"openrouter": settings.openrouter_api_key, "openai": settings.openai_api_key}
    key = role.api_key or shared or own.get(provider)
    if key is None and provider in own:
        raise ConfigError(f"{provider} wants a key", hint=f"set {provider.upper()}_API_KEY, or api_key in amr.yaml")
    return key.get_secret_value() if key else _NO_KEY
