"""Asks model servers what they serve: whether the models of the settings are there, what they take and cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from amr_neo4j.errors import ConfigError, ModelError, ModelGarbled, NoSuchModel, RequestRefused
from amr_neo4j.model_roles import LOCAL_SERVERS, PROVIDERS, Routing
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.opener import ROLES, RoleName, endpoint, is_openrouter, role_of
from amr_neo4j.models.responses import ServedModel
from amr_neo4j.settings import Settings

# Imports inside the functions load the SDK, which takes half a second, only when a server is asked.
# ruff: noqa: PLC0415

_LIST_S, _PROBE_S = 20.0, 1.0


@dataclass(frozen=True)
class CheckedModel:
    """A role and its model, by what its server and the catalogue tell.

    found: whether the server lists it; None if it lists no models.
    takes: what a request may show beside text; None if that is not known.
    price_in, price_out: dollars per million tokens; None if not known.
    context, output: limits in tokens.
    notes: a line for each thing to correct now or within 60 days.
    exit_code: 0 if the role works now.
    """

    role: str
    server: str
    model: str
    found: bool | None = None
    takes: tuple[str, ...] | None = None
    price_in: float | None = None
    price_out: float | None = None
    context: int | None = None
    output: int | None = None
    notes: tuple[str, ...] = ()
    exit_code: int = 0


def check_models(settings: Settings, day: date) -> list[CheckedModel]:
    """Check the model of every role that has a provider. Sends names of models, and nothing of what is stored.

    Raises ConfigError: a provider requires a key and none is set.
    """
    lists, asked = _Lists(), _asked_roles(settings)
    return [_checked(settings, role, to, lists, day) for role in asked if (to := endpoint(settings, role))]


def unused_keys(settings: Settings) -> list[str]:
    """Return a line for each provider's key that is set in its variable, though no role uses the provider."""
    keys = {"openai": settings.openai_api_key, "openrouter": settings.openrouter_api_key}
    used = {_provider(settings, role) for role in _asked_roles(settings)}
    return [
        f"{name.upper()}_API_KEY is set and not used; to use it: provider: {name} in amr.yaml, or AMR_PROVIDER={name}"
        for name, key in keys.items()
        if key and not used & {name, PROVIDERS[name]}
    ]


def _asked_roles(settings: Settings) -> list[RoleName]:
    """Return the roles that ask a model server, if a provider is set."""
    return [role for role in ROLES if role != "embed" or settings.embedder == "api"]


def _provider(settings: Settings, role: RoleName) -> str | None:
    return getattr(settings, role).provider or settings.provider


class _Lists:
    """The lists of servers, each asked for once."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str, str], list[ServedModel] | ModelError] = {}

    def rows(self, to: Endpoint) -> list[ServedModel]:
        """Return the models that a server lists for a role; none if it lists none. Raises ModelError."""
        from amr_neo4j.models.client import list_paths

        return [row for path in list_paths(to) for row in self._asked(to, path)]

    def _asked(self, to: Endpoint, path: str) -> list[ServedModel]:
        from amr_neo4j.models.connection import EndpointClient

        key = to.base_url, to.api_key, path
        if key not in self._told:
            try:
                self._told[key] = EndpointClient(replace(to, model="the list of models")).models(_LIST_S, path=path)
            except (ModelGarbled, NoSuchModel, RequestRefused):
                self._told[key] = []
            except ModelError as error:
                self._told[key] = error
        found = self._told[key]
        if isinstance(found, ModelError):
            raise found
        return found


def _checked(settings: Settings, name: RoleName, to: Endpoint, lists: _Lists, day: date) -> CheckedModel:
    from amr_neo4j.models.catalogue import end_of
    from amr_neo4j.models.client import is_row, served
    from amr_neo4j.models.connection import EndpointClient

    try:
        rows = lists.rows(to)
        to = served(to, rows) if to.finds_model else to
        row = next((row for row in rows if is_row(row, to)), None)
        if row and to.is_local and not row.takes:
            row = EndpointClient(to).detailed(row, _LIST_S)
    except (ModelError, ConfigError) as error:
        why = f"{error.message}; {error.hint}" if error.hint else error.message
        return CheckedModel(name, to.base_url, to.model, notes=(why,), exit_code=error.exit_code)
    known, told = to.known, row or ServedModel()
    takes = known.takes if told.takes is None and known else told.takes
    listed = told.price or (known.price_on(day) if known else None)
    if to.is_local:
        listed = (0.0, 0.0)
    price = role_of(settings, name).priced(listed)
    wrong = [
        *(["the server does not list it"] if rows and not row else []),
        *(["it takes no pictures"] if takes == () and _shows_pictures(settings, name) else []),
    ]
    ends = told.ends or (known.ends if known else None)
    is_unrouted = settings.routing != Routing() and not (is_openrouter(to.base_url) or to.is_local)
    unrouted = ["routing has no effect: it is OpenRouter's"] if is_unrouted else []
    end = end_of(to.model, ends, known.successor if known else "", day)
    return CheckedModel(
        name,
        to.base_url,
        to.model,
        found=row is not None if rows else None,
        takes=takes,
        price_in=price[0] if price else None,
        price_out=price[1] if price else None,
        context=told.context or (known.context if known else None),
        output=told.output or (known.output if known else None),
        notes=(*wrong, *unrouted, *([end] if end else [])),
        exit_code=NoSuchModel.exit_code if wrong else 0,
    )


def _shows_pictures(settings: Settings, name: RoleName) -> bool:
    if name == "explore":
        return settings.explore.vision == "self"
    return name == "analyse" and settings.analyser != "local"


@dataclass(frozen=True)
class FoundServer:
    """A model server of this machine that answers. models: their names, at most a few."""

    provider: str
    title: str
    base_url: str
    models: tuple[str, ...]


def local_servers() -> list[FoundServer]:
    """Return the model servers that answer at their usual ports of this machine."""
    from amr_neo4j.models.connection import EndpointClient

    found: list[FoundServer] = []
    for provider, server in LOCAL_SERVERS.items():
        client = EndpointClient(Endpoint("text", server.base_url, ""))
        try:
            names = tuple(row.id for row in client.models(_PROBE_S))
        except ModelError:  # nothing is there, or another program
            continue
        found.append(FoundServer(provider, server.title, server.base_url, names))
    return found


def local_providers(settings: Settings) -> dict[str, str]:
    """Return {provider: a role that uses it} for the model servers of this machine that the settings name."""
    used: dict[str, str] = {}
    for role in _asked_roles(settings):
        if (provider := _provider(settings, role)) in LOCAL_SERVERS:
            used.setdefault(provider, role)
    return used
