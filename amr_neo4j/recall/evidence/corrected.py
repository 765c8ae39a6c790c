"""Which of the best turns a later one corrects that does not say of what: "No, I meant Friday"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from amr_neo4j.domain.event import Channel, Event
from amr_neo4j.domain.ports import EventReader
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.replacement import Replacement
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.dialogue import speaker_and_words

# Of so many, the best, a correction is looked for.
LOOKED_AFTER = 3
# So many turns later, those of the other side among them.
WITHIN = 6

Corrected = Callable[[Sequence[str]], Mapping[int, int]]
"""Of turns of one speaker, the oldest first: the place of each that corrects one, with the place of that one."""


def corrections(
    ranked: Sequence[Candidate], corrected: Corrected, reader: EventReader, scope: Scope
) -> list[Replacement]:
    """For each of the best turns of the user the last of those that correct it. ranked: best first."""
    turns = [c.event for c in ranked if c.event.turn and not c.event.turn.by_assistant][:LOOKED_AFTER]
    found: list[Replacement] = []
    for stretch in _followed(turns, reader, scope):
        said = corrected([speaker_and_words(event.summary_text)[1] for event in stretch])
        last = stretch[max((place for place, first in said.items() if first == 0), default=0)]
        if last is not stretch[0] and last.at:
            found.append(Replacement(stretch[0].node_id, last.node_id, last.at, whole=True, inferred=True))
    return found


def _followed(turns: Sequence[Event], reader: EventReader, scope: Scope) -> list[list[Event]]:
    """Each turn, and after it those of its speaker that follow in its session."""
    chains = [[event.node_id] for event in turns]
    for _ in range(WITHIN):
        ends = [chain[-1] for chain in chains]
        after = {edge.src: edge.dst for edge in reader.neighbours(ends, [Channel.TEMPORAL], scope)}
        growing = [chain for chain in chains if chain[-1] in after]
        for chain in growing:
            chain.append(after[chain[-1]])
        if not growing:
            break
    later = list(dict.fromkeys(node_id for chain in chains for node_id in chain[1:]))
    there = {event.node_id: event for event in (*turns, *(reader.events(later, scope) if later else ()))}
    stretches = [[there[node_id] for node_id in chain if node_id in there] for chain in chains]
    return [[event for event in stretch if _is_by(event, stretch[0])] for stretch in stretches]


def _is_by(event: Event, first: Event) -> bool:
    return bool(event.turn and first.turn and event.turn.actor == first.turn.actor)
