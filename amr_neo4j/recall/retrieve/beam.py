"""Beam search over the channels of the graph. The caller passes functions that read edges and score steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from amr_neo4j.domain.event import Edge
from amr_neo4j.domain.recall import Path

Stop = Literal["hops", "limit", "converged", "exhausted"]
Neighbours = Callable[[Sequence[int]], Iterable[Edge]]


class Step(NamedTuple):
    """A move along an edge, in either direction, from an event of the frontier to a new event."""

    origin: int
    target: int
    edge: Edge


@dataclass(frozen=True)
class Walk:
    """The paths to every event that the walk kept: anchors first, then hop by hop, best first.

    frontiers: how many events each hop kept; the first number is that of the anchors.
    """

    paths: tuple[Path, ...]
    frontiers: tuple[int, ...]
    stopped: Stop


Score = Callable[[Sequence[Step]], Sequence[float]]


def walk(
    anchors: Sequence[tuple[int, float]],
    neighbours: Neighbours,
    score: Score,
    *,
    width: int,
    hops: int,
    limit: int,
    convergence: float = 0.0,
) -> Walk:
    """Walk from the anchors, keeping the `width` best new events at each hop and at most `limit` in all.

    The walk ends after `hops` hops, at `limit` events, when it reaches nothing new, or when the best score of the
    frontier changes by less than `convergence`. The first hop is not compared with the anchors, because their scores
    are on another scale.

    anchors: (node_id, score), best first.
    neighbours: returns every edge that touches the given events; called once a hop.
    score: returns the scores of the steps; higher is better.
    """
    # `kept` also holds the events of earlier hops, so the walk never returns to one.
    kept = {node_id: Path((node_id,), (), value, scores=(value,)) for node_id, value in anchors[: min(width, limit)]}
    frontiers = [list(kept.values())]
    while not (stopped := _reason_to_stop(frontiers, len(kept), hops, limit, convergence)):
        steps = _steps(frontiers[-1], neighbours, kept)
        room = min(width, limit - len(kept))
        frontiers.append([_extend(kept[step.origin], step, value) for value, step in _best(steps, score)[:room]])
        kept.update((path.node_ids[-1], path) for path in frontiers[-1])
    return Walk(tuple(kept.values()), tuple(len(frontier) for frontier in frontiers if frontier), stopped)


def _reason_to_stop(
    frontiers: Sequence[Sequence[Path]], visited: int, hops: int, limit: int, convergence: float
) -> Stop | None:
    if not frontiers[-1]:
        return "exhausted"
    if visited >= limit:
        return "limit"
    if len(frontiers) > hops:
        return "hops"
    # Compared from the second hop on: the scores of the anchors, frontiers[0], are on another scale.
    if len(frontiers) > 2 and abs(frontiers[-1][0].score - frontiers[-2][0].score) < convergence:
        return "converged"
    return None


def _steps(frontier: Sequence[Path], neighbours: Neighbours, kept: dict[int, Path]) -> list[Step]:
    """Return the moves from the frontier to events that were not kept before."""
    here = {path.node_ids[-1] for path in frontier}
    steps: list[Step] = []
    # One read per hop. A single path query over all hops would return six times the edges that the walk looks at
    # (decision 0080).
    for edge in neighbours(sorted(here)):
        # Edges are walked both ways, because an answer lies before an anchor as often as after it.
        ways = ((edge.src, edge.dst), (edge.dst, edge.src))
        steps += [Step(origin, target, edge) for origin, target in ways if origin in here and target not in kept]
    return steps


def _best(steps: Sequence[Step], score: Score) -> list[tuple[float, Step]]:
    """Return (score, step) of the best step to each event, best first.

    Ties are broken by ids and not by the order of the edges, so that the database's order does not change a walk.
    """
    ranked = sorted(zip(score(steps), steps, strict=True), key=_order)
    best: dict[int, tuple[float, Step]] = {}
    for value, step in ranked:
        best.setdefault(step.target, (value, step))
    return list(best.values())


def _order(scored: tuple[float, Step]) -> tuple[float, int, int, str, _ByPayload]:
    value, step = scored
    return -value, step.target, step.origin, step.edge.channel.value, _ByPayload(step.edge)


class _ByPayload:
    """Sorts parallel edges by their payload.

    The payload is only written out when two edges are compared, because that is slow and few edges are parallel.
    """

    __slots__ = ("_edge",)

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    def __lt__(self, other: _ByPayload) -> bool:
        return self._written < other._written

    @property
    def _written(self) -> str:
        return repr(sorted(self._edge.payload.items()))


def _extend(path: Path, step: Step, value: float) -> Path:
    return Path(
        node_ids=(*path.node_ids, step.target),
        channels=(*path.channels, step.edge.channel),
        score=value,
        edges=(*path.edges, step.edge),
        scores=(*path.scores, value),
    )
