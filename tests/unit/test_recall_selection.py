"""Hits of questions about an order in time. If a question asks for the first or last, the cited events come first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Path, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.evidence.timeline import seconds_between
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.rank.selection import ends
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import HashedWords, kitchen

GRAPH, EMBEDDER, ALL = kitchen(), HashedWords(), Scope("test")


@pytest.mark.parametrize(
    "question",
    [
        "What did Ben do last?",
        "Where was the knife at first?",
        "Who last used the phone?",
        "What did Anna say first?",
        "When did I last see the phone?",
        "What was in the drawer first?",
    ],
)
def test_events_of_an_end_of_time_that_the_answer_cites_come_first(question: str) -> None:
    cited = {citation.node_id for citation in ask(question, Sources(ALL, GRAPH, GRAPH, EMBEDDER, ENGLISH)).citations}
    hits = [hit.event.node_id for hit in search(question, Sources(ALL, GRAPH, GRAPH, EMBEDDER, ENGLISH))]
    assert cited and set(hits[: len(cited)]) == cited


@pytest.mark.parametrize(
    "question",
    [
        "Who called after Ben left?",
        "What happened before Ben left the kitchen at noon?",
        "What happened to the keys after noon?",
    ],
)
def test_what_is_beside_another_event_follows_the_best_match(question: str) -> None:
    cited = {citation.node_id for citation in ask(question, Sources(ALL, GRAPH, GRAPH, EMBEDDER, ENGLISH)).citations}
    hits = [hit.event.node_id for hit in search(question, Sources(ALL, GRAPH, GRAPH, EMBEDDER, ENGLISH))]
    assert cited and cited <= set(hits[: len(cited) + 1])


@pytest.mark.parametrize("seed", range(30))
def test_the_ends_of_a_stretch_of_time_are_the_two_events_that_follow_most_closely(seed: int) -> None:
    """Checked by the seconds between each pair, in videos of which one has no clock."""
    random, noon = Random(seed), datetime(2026, 5, 1, 12, tzinfo=UTC)
    said: dict[str, list[Candidate]] = {"The bell rings": [], "Rain": [], "A mug": []}
    for n in range(14):
        video, second, text = random.choice("vwx"), random.randrange(20), random.choice(list(said))
        at = None if video == "w" else noon + timedelta(seconds=second)
        event = Event(n, "g", video, ("c",), 0, second, second + 1, text, at=at)
        said[text].append(Candidate(event, Path((n,), (), 0.0), language=ENGLISH))
    bells, rains, mugs = said.values()
    gaps = [(seconds_between(a.event, b.event), a.node_id, b.node_id) for a in bells for b in rains]
    nearest = min(((gap, *pair) for gap, *pair in gaps if gap and gap > 0), default=None)
    clauses = [Clause(text, ENGLISH.content_words(text), language=ENGLISH) for text in ("the bell rings", "rain")]
    found = ends(*clauses, [*mugs, *rains, *bells]) if bells and rains else None
    assert (found and [candidate.node_id for candidate in found]) == (nearest and list(nearest[1:]))
