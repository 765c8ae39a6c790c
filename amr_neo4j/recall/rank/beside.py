"""What lies before, after or during an event that the question counts from."""

from __future__ import annotations

import numpy as np

from amr_neo4j.recall.evidence.pool import Pool, Values
from amr_neo4j.recall.question.parsed import Order

# An event this much further from the one that time is counted from gains an e-th of what the nearer one gains.
DECAY_SEC = 15.0


def beside_reference(pool: Pool, reference: Values, order: Order | None) -> Values:
    """For each candidate the best that another event of its recording matches the reference, less the further away.

    reference: how well each candidate matches the clause that time is counted from, 0 to 1, (candidates,). The other
    event ends up before a candidate that is asked for after it, and the other way round; during it, it overlaps.
    """
    found = np.zeros(len(pool))
    if order not in (Order.BEFORE, Order.AFTER, Order.DURING) or not len(pool):
        return found
    candidate, other = np.nonzero(pool.recordings[:, None] == pool.recordings[None, :])
    times = np.array([(event.time_start, event.time_end) for event in pool.events.values()], np.float64)
    start, end = times[:, 0], times[:, 1]
    later = start[candidate] - start[other]
    if order is Order.DURING:
        beside = np.where((start[candidate] <= end[other]) & (start[other] <= end[candidate]), 1.0, 0.0)
    else:
        asked = later > 0 if order is Order.AFTER else later < 0
        beside = np.where(asked, np.exp(-np.abs(later) / DECAY_SEC), 0.0)
    np.maximum.at(found, candidate, beside * reference[other])
    return found
