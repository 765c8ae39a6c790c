"""The merging of events that the settings ask for."""

from __future__ import annotations

from amr_neo4j.domain.ports import Embedder, MergingWriter
from amr_neo4j.ingest.merging import MergeLimits, Merging
from amr_neo4j.ingest.summaries import ModelSummary, RuleSummary
from amr_neo4j.language.languages import language
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from amr_neo4j.settings import Settings


def open_merging(settings: Settings, writer: MergingWriter, embedder: Embedder, ledger: Ledger) -> Merging:
    """Merging with the limits of the settings; summaries by the role `refine` where a provider is chosen for it."""
    model = open_chat(settings, "refine", ledger) if "merged" in settings.refine.calls else None
    similarity = embedder.alike if settings.merge_similarity is None else settings.merge_similarity
    limits = MergeLimits(settings.merge_time_gap_sec, similarity, longest_sec=settings.merge_longest_sec)
    spoken = language(settings.language)
    summarise = ModelSummary(model, spoken) if model else RuleSummary(spoken)
    return Merging(writer, embedder, summarise, limits, ledger.counting)
