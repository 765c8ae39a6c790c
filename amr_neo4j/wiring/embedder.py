"""Opens the embedder that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from amr_neo4j.domain.ports import Embedder
from amr_neo4j.errors import ConfigError
from amr_neo4j.extras import needs
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import endpoint, role_of
from amr_neo4j.settings import Settings

Stored = Callable[[], tuple[str, int] | None]
"""Return (model, dimension) that a group was embedded with; None if that is not known."""

# The local embedders that this process has open, by folder. All memories share them, since loading one takes a tenth
# of a second and up to half a gigabyte. The references are weak: when the last memory closes, its embedder is freed.
_opened: WeakValueDictionary[Path, Embedder] = WeakValueDictionary()
_opening = Lock()


def open_embedder(settings: Settings, ledger: Ledger | None = None, stored: Stored = lambda: None) -> Embedder:
    """Load the embedder of the settings: e5 (English, the default), use (16 languages) or api (the role embed).

    ledger: records the calls of `api`. stored: used while the server of `api` does not answer.
    Raises ModelMissing: the model, or a package that it needs, is not installed. Raises ConfigError: no provider is
    set, or no key for it.
    """
    if settings.embedder == "api":
        return _open_api(settings, ledger or Ledger(), stored)
    folder = model_dir(settings, settings.embedder)
    with _opening:
        embedder = _opened.get(folder)
        if embedder is None:
            embedder = _opened[folder] = _open_local(settings.embedder, folder)
        return embedder


def _open_local(name: str, folder: Path) -> Embedder:
    if name == "use":
        from amr_neo4j.embedders.sentence_encoder import SentenceEncoder  # noqa: PLC0415 - heavy

        return SentenceEncoder(folder)
    with needs("local"):
        from amr_neo4j.embedders.e5 import E5  # noqa: PLC0415 - heavy
    return E5(folder)


def open_question_embedder(settings: Settings, embedder: Embedder) -> Embedder:
    """Return the embedder of questions, whose vectors are compared with those of `embedder`.

    E5 was trained to tell questions from passages, so it has a mode for each. Other embedders are used as they are;
    one behind a server has less time.
    """
    if settings.embedder == "api":
        return open_brief_embedder(settings, embedder)
    if settings.embedder != "e5":
        return embedder
    with needs("local"):
        from amr_neo4j.embedders.e5 import E5  # noqa: PLC0415 - heavy
    return embedder.asking() if isinstance(embedder, E5) else embedder


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
