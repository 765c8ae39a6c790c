"""Opens the embedder of a group.

What `auto` means for the setting `embedder` stands here; when a group counts as not English: app/group_language.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from amr_neo4j.domain.ports import Embedder
from amr_neo4j.errors import ConfigError
from amr_neo4j.extras import needs
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.model_roles import ENGLISH, LOCAL_EMBEDDERS, MULTILINGUAL
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import endpoint, role_of
from amr_neo4j.settings import Settings

Stored = Callable[[], tuple[str, int] | None]
"""Returns (model, dimension) that a group was embedded with; None if that is not known."""
_NAMES = {stored: name for name, stored in LOCAL_EMBEDDERS.items()}

# The local embedders that this process has open, by folder. All memories share them, since loading one takes up to a
# second and 320 megabytes. The references are weak: when the last memory closes, its embedder is freed.
_opened: WeakValueDictionary[Path, Embedder] = WeakValueDictionary()
_opening = Lock()


def local_name(settings: Settings, stored: tuple[str, int] | None = None) -> str:
    """Return the name of the local embedder: the one in the settings or, if they say auto, the one of the group.

    stored: (model, dimension) that embedded the group. For a new group, the language in the settings decides.
    """
    if settings.embedder != "auto":
        return settings.embedder
    new = ENGLISH if settings.language == "en" else MULTILINGUAL
    return _NAMES.get(stored, new) if stored else new


def open_embedder(settings: Settings, ledger: Ledger | None = None, stored: Stored = lambda: None) -> Embedder:
    """Load the embedder of a group: e5 (English), multilingual-e5, or api (the role embed).

    ledger: records the calls of `api`.
    stored: what embedded the group; of `api`, used while its server does not answer.
    Raises ModelMissing: the model, or a package that it needs, is not installed. Raises ConfigError: no provider is
    set, or no key for it.
    """
    if settings.embedder == "api":
        return _open_api(settings, ledger or Ledger(), stored)
    return open_local(settings, local_name(settings, stored() if settings.embedder == "auto" else None))


def open_local(settings: Settings, name: str) -> Embedder:
    """Load a local embedder. Raises ModelMissing."""
    folder = model_dir(settings, name)
    with _opening:
        embedder = _opened.get(folder)
        if embedder is None:
            with needs("local"):
                from amr_neo4j.embedders import e5  # noqa: PLC0415 - heavy
            opened: dict[str, type[e5.E5]] = {ENGLISH: e5.E5, MULTILINGUAL: e5.MultilingualE5}
            embedder = _opened[folder] = opened[name](folder)
        return embedder


def follows(settings: Settings, used: Embedder, stored: tuple[str, int]) -> str:
    """Return the local embedder of a group, if the settings leave the choice to the group; else an empty text."""
    return _NAMES.get(stored, "") if settings.embedder == "auto" and is_local(used) else ""


def is_local(embedder: Embedder) -> bool:
    """Return whether it is one of the local embedders."""
    return (embedder.model, embedder.dim) in _NAMES


def is_for_english(settings: Settings, used: Embedder) -> bool:
    """Return whether a group has the embedder for English and may be given the one for all languages (`auto`)."""
    return settings.embedder == "auto" and (used.model, used.dim) == LOCAL_EMBEDDERS[ENGLISH]


def open_for_all_languages(settings: Settings) -> tuple[Embedder, tuple[str, int]]:
    """Load the embedder to which `auto` changes a group that is not English. Raises ModelMissing.

    Returns (embedder, (model, dimension) as the group stores it).
    """
    return open_local(settings, MULTILINGUAL), LOCAL_EMBEDDERS[MULTILINGUAL]


def open_brief_embedder(settings: Settings, embedder: Embedder) -> Embedder:
    """Return an embedder that nobody waits for longer than embed.wait_s; a local one as it is."""
    if settings.embedder != "api":
        return embedder
    from amr_neo4j.models.embedder import ApiEmbedder, BriefEmbedder  # noqa: PLC0415 - heavy

    return BriefEmbedder(embedder, settings.embed.wait_s) if isinstance(embedder, ApiEmbedder) else embedder


def _open_api(settings: Settings, ledger: Ledger, stored: Stored) -> Embedder:
    to = endpoint(settings, "embed")
    if to is None:
        raise ConfigError(
            "embedder api needs a provider", hint="set provider, or provider under embed: docs/models.md"
        )
    from amr_neo4j.models.embedder import ApiEmbedder  # noqa: PLC0415 - heavy

    return ApiEmbedder(to, role_of(settings, "embed"), ledger, stored=stored)
