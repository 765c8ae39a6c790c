"""What an answer is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import WHOLE


@dataclass(frozen=True)
class Selection:
    """The events that a question means.

    events: those that may answer, the likeliest first. reference, until: the events that the question counts time
    from and up to, where it names any.
    """

    events: Sequence[Candidate]
    reference: Candidate | None = None
    until: Candidate | None = None


@dataclass(frozen=True)
class Evidence:
    """What an answer may be based on.

    selection: the events that the question means. candidates: those that may answer, best first; at least one.
    found: everything that may be relevant; the best of it is listed after what the answer cites. close: the
    cosine from which an event that does not have every word of the question may still answer it.
    """

    selection: Selection
    candidates: Sequence[Candidate]
    found: Sequence[Candidate]
    close: float = 1.0

    def is_close(self, candidate: Candidate, slack: float = 0.0) -> bool:
        """Whether an event is close enough in meaning to answer in other words. slack: of the cosine.

        One whose cosine is not known may be: the index is behind, or its sidecar is away.
        """
        cosine = candidate.cosines.get(WHOLE)
        return cosine is None or cosine >= self.close - slack

    @property
    def events(self) -> Sequence[Candidate]:
        """Those that may answer, the likeliest first."""
        return self.selection.events
