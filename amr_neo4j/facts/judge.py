"""One batched call of a model on the facts that rules cannot tell apart (specification 002 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from amr_neo4j.domain.belief import Belief
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import Verdict, Verdicts
from amr_neo4j.prompts.library import prompt

# Characters of a fact that the model sees.
_SHOWN = 300


@dataclass(frozen=True)
class ModelJudge:
    """Asks a chat model."""

    model: ChatModel

    def __call__(self, clusters: Sequence[Sequence[Belief]]) -> Mapping[int, Verdict]:
        """The decisions by the clusters' places; those left out or without sense in the reply are missing.

        Raises ModelError: no usable reply.
        """
        text = "\n\n".join(_shown(n, cluster) for n, cluster in enumerate(clusters, 1))
        reply = self.model.ask(prompt("facts_alike", clusters=text, count=len(clusters)), Verdicts)
        return sensible(reply, clusters)


def sensible(reply: Verdicts, clusters: Sequence[Sequence[Belief]]) -> Mapping[int, Verdict]:
    """The decisions of a reply that fit the clusters, by place; a cluster that is decided twice is left out."""
    found: dict[int, list[Verdict]] = {}
    for verdict in reply.decisions:
        place = verdict.cluster - 1
        if place < len(clusters) and (verdict.stands is None or verdict.stands <= len(clusters[place])):
            found.setdefault(place, []).append(verdict)
    return {place: verdicts[0] for place, verdicts in found.items() if len(verdicts) == 1}


def _shown(number: int, cluster: Sequence[Belief]) -> str:
    lines = [
        f"{n}. {fact.text[:_SHOWN]} (confidence {fact.confidence:.2f}, said {_day(fact.said)})"
        for n, fact in enumerate(cluster, 1)
    ]
    return "\n".join([f"Cluster {number}", *lines])


def _day(said: float) -> str:
    return datetime.fromtimestamp(said, timezone.utc).date().isoformat()
