"""What an answer is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amr_neo4j.recall.evidence.candidate import Candidate


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
    found: everything that may be relevant; the best of it is listed after what the answer cites.
    """

    selection: Selection
    candidates: Sequence[Candidate]
    found: Sequence[Candidate]

    @property
    def events(self) -> Sequence[Candidate]:
        """Those that may answer, the likeliest first."""
        return self.selection.events
