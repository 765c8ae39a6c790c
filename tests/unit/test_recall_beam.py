"""The beam search, on random graphs."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import Channel, Edge
from amr_neo4j.recall.retrieve.beam import Step, Walk, walk

NODES = 30
node_ids = st.integers(0, NODES - 1)
payloads = st.sampled_from([{}, {"object": "key"}, {"object": "mug"}])
edges_of = st.lists(
    st.builds(Edge, node_ids, node_ids, st.sampled_from(Channel), payloads), max_size=120, unique_by=repr
)
anchors_of = st.lists(node_ids, min_size=1, max_size=8, unique=True).map(lambda ids: [(i, 1.0) for i in ids])
bounds = st.fixed_dictionaries(
    {"width": st.integers(1, 6), "hops": st.integers(0, 5), "limit": st.integers(1, 25), "convergence": st.just(-9.0)}
)
relevances = st.lists(st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0]), min_size=NODES, max_size=NODES)


class Graph:
    """Edges with the interface of the store that record the queries."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = edges
        self.asked: list[list[int]] = []

    def neighbours(self, node_ids: Sequence[int]) -> list[Edge]:
        self.asked.append(list(node_ids))
        return [edge for edge in self.edges if edge.src in node_ids or edge.dst in node_ids]


def by_target(relevance: Sequence[float]):
    return lambda steps: [relevance[step.target] for step in steps]


def wander(edges, anchors, relevance, bound) -> tuple[Walk, Graph]:
    graph = Graph(edges)
    return walk(anchors, graph.neighbours, by_target(relevance), **bound), graph


@given(edges_of, anchors_of, relevances, bounds)
def test_the_bounds_hold(edges, anchors, relevance, bound):
    """No hop keeps more than the width, all hops together no more than the limit, in at most `hops` hops."""
    found, graph = wander(edges, anchors, relevance, bound)
    assert max(found.frontiers) <= bound["width"]
    assert len(found.paths) == sum(found.frontiers) <= bound["limit"]
    assert len(graph.asked) <= bound["hops"]
    assert all(len(path.node_ids) <= bound["hops"] + 1 for path in found.paths)


@given(edges_of, anchors_of, relevances, bounds)
def test_every_path_exists_in_the_graph(edges, anchors, relevance, bound):
    """A path starts at an anchor, follows edges of the graph, visits nothing twice; no event has two paths."""
    found, _ = wander(edges, anchors, relevance, bound)
    ends = [path.node_ids[-1] for path in found.paths]
    assert len(set(ends)) == len(ends)
    for path in found.paths:
        assert path.node_ids[0] in dict(anchors)
        assert len(set(path.node_ids)) == len(path.node_ids) == len(path.edges) + 1
        assert path.channels == tuple(edge.channel for edge in path.edges)
        for here, there, edge in zip(path.node_ids, path.node_ids[1:], path.edges, strict=False):
            assert edge in edges and {edge.src, edge.dst} == {here, there}


@given(edges_of, anchors_of, relevances, bounds, st.randoms(use_true_random=False))
def test_the_walk_is_deterministic(edges, anchors, relevance, bound, random):
    """The order in which the database returns the edges changes nothing."""
    shuffled = random.sample(edges, len(edges))
    assert wander(edges, anchors, relevance, bound)[0] == wander(shuffled, anchors, relevance, bound)[0]


@given(edges_of, anchors_of, relevances)
def test_an_unbounded_walk_reaches_every_event(edges, anchors, relevance):
    """Without bounds, the walk finds exactly the component of the anchors."""
    room = {"width": NODES, "hops": NODES, "limit": NODES, "convergence": -9.0}
    found, _ = wander(edges, anchors, relevance, room)
    reached = set(dict(anchors))
    while more := {b for e in edges for a, b in ((e.src, e.dst), (e.dst, e.src)) if a in reached} - reached:
        reached |= more
    assert {path.node_ids[-1] for path in found.paths} == reached


def chain(length: int) -> list[Edge]:
    return [Edge(i, i + 1, Channel.TEMPORAL, {}) for i in range(length)]


def test_the_walk_stops_when_scores_converge():
    found, graph = wander(
        chain(9), [(0, 1.0)], [0.5] * NODES, {"width": 3, "hops": 9, "limit": 9, "convergence": 0.001}
    )
    assert (found.stopped, len(graph.asked)) == ("converged", 2)


def test_the_walk_continues_while_scores_rise():
    rising = [i / 100 for i in range(NODES)]
    found, _ = wander(chain(9), [(0, 1.0)], rising, {"width": 3, "hops": 4, "limit": 9, "convergence": 0.001})
    assert (found.stopped, found.frontiers) == ("hops", (1, 1, 1, 1, 1))


def test_edges_are_followed_in_both_directions():
    found, _ = wander(chain(9), [(5, 1.0)], [0.0] * NODES, {"width": 9, "hops": 1, "limit": 9})
    assert [path.node_ids for path in found.paths] == [(5,), (5, 4), (5, 6)]


def test_the_better_of_two_paths_is_kept():
    edges = [Edge(0, 2, Channel.TEMPORAL, {}), Edge(1, 2, Channel.OBJECT_LIFECYCLE, {})]

    def by_channel(steps: Sequence[Step]) -> list[float]:
        return [1.0 if step.edge.channel is Channel.OBJECT_LIFECYCLE else 0.5 for step in steps]

    found = walk([(0, 1.0), (1, 1.0)], Graph(edges).neighbours, by_channel, width=5, hops=1, limit=5)
    assert found.paths[-1].node_ids == (1, 2)
