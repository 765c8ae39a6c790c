"""The embedder that the settings name."""

from __future__ import annotations

from amr_neo4j.clients.extras import needs
from amr_neo4j.clients.models import model_dir
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.settings import Settings


def open_embedder(settings: Settings) -> Embedder:
    """Load settings.embedder: minilm (English, the default) or use (16 languages).

    Raises ModelMissing: its model or a package it needs is not installed.
    """
    folder = model_dir(settings, settings.embedder)
    if settings.embedder == "use":
        from amr_neo4j.clients.sentence_encoder import SentenceEncoder  # noqa: PLC0415 - heavy

        return SentenceEncoder(folder)
    with needs("local"):
        from amr_neo4j.clients.minilm import MiniLM  # noqa: PLC0415 - heavy
    return MiniLM(folder)
