"""What a question takes for granted must be in the evidence: who did it, what was done, to what, who spoke."""

from __future__ import annotations

import json

import numpy as np
import pytest

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

EMBEDDER = HashedWords()
EVENTS = [
    ("Rosa carries a crate of lemons into the cellar.", "Rosa", "carry", "crate", "into the cellar", []),
    ("Emil eats a pear.", "Emil", "eat", "pear", "", []),
    ("Rosa mops the floor of the bakery.", "Rosa", "mop", "floor", "", []),
    ("Emil asks about the oven.", "Emil", "ask", "oven", "", ["Is the oven hot?", "It is, since six."]),
    ("Rosa slips the letter into a blue book.", "Rosa", "slip", "letter", "into a blue book", []),
    ("Emil opens the window.", "Emil", "open", "window", "", []),
    ("Emil opens the window above the sink.", "Emil", "open", "window", "above the sink", []),
    ("Emil puts the basket on the shelf.", "Emil", "put", "basket", "on the shelf", []),
    ("Rosa burns her thumb on the tray.", "Rosa", "burn", "thumb", "on the tray", []),
]


def _line() -> str:
    people = {"Rosa": "C1", "Emil": "C2"}
    events = [
        {
            "summary": summary,
            "actors": [people[actor]],
            "objects": [{"name": thing}],
            "dialogue": said,
            "actions": [{"actor": people[actor], "verb": verb, "object": thing, "spatial_relation": where}],
            "time_start": 10.0 * n,
            "time_end": 10.0 * n + 8,
        }
        for n, (summary, actor, verb, thing, where, said) in enumerate(EVENTS)
    ]
    turns = [
        {"speaker_id": "C2", "utterance": "Is the oven hot?", "time_start": 31.0, "time_end": 33.0},
        {"speaker_id": "C1", "utterance": "It is, since six.", "time_start": 34.0, "time_end": 36.0},
    ]
    characters = [
        {"local_character_id": i, "role": "actor", "name_or_description": name} for name, i in people.items()
    ]
    analysis = {"clip_summary": "", "characters": characters, "speaker_turns": turns, "events": events}
    return json.dumps({"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 100, "analysis": analysis})


@pytest.fixture(scope="module")
def graph() -> FakeGraph:
    return graph_of_lines([_line()], EMBEDDER)


def answer(graph: FakeGraph, question: str) -> Answer:
    return ask(question, Sources(Scope("test"), graph, graph, EMBEDDER, ENGLISH))


@pytest.mark.parametrize(
    "question",
    [
        "What did Rosa eat?",  # another did it
        "Where did Emil put the letter?",
        "What did Emil put in the basket?",  # he put the basket itself somewhere
        "How many lemons did Rosa carry?",
        "Did somebody put down the pear?",  # he ate it
        "Did Rosa slip the letter into a red book?",  # the event says that the book is blue
    ],
)
def test_what_memory_does_not_state_is_declined_beside_the_nearest(graph: FakeGraph, question: str) -> None:
    found = answer(graph, question)
    assert not found.found and not found.citations, found.text
    assert found.text.startswith("Nothing in memory states")
    assert found.evidence


@pytest.mark.parametrize(
    "question",
    [
        "Who repaired the window?",
        "Was the pear put down?",  # it was eaten
        "What did Rosa say about the pear?",
        "What is the name of the bakery?",
    ],
)
def test_an_event_that_is_close_is_said_to_be_no_more_than_that(graph: FakeGraph, question: str) -> None:
    """The embedder finds the texts alike: memory may say it in other words."""
    found = answer(graph, question)
    assert found.text.startswith(("Nothing found says “", "Memory does not state the ", "Memory may not"))


def test_a_preposition_before_another_word_is_not_the_things(graph: FakeGraph) -> None:
    """ "In" belongs to the bakery, so nothing is asked about what is in the basket. A thumb is not put on a tray."""
    found = answer(graph, "Where did the man in the bakery put the basket?")
    assert found.found and "shelf" in found.text
    assert answer(graph, "How did Rosa get hurt in the thumb?").found


class IndexAway:
    """A dense index that finds nothing, as where its sidecar is away."""

    def catch_up(self) -> None:
        """Raises nothing, as in the sidecar's client."""

    def search(self, *args: object) -> list[tuple[int, float]]:
        return []

    def similarities(self, vectors: Vectors, node_ids: list[int]) -> Vectors:
        return np.full((len(vectors), len(node_ids)), np.nan, np.float32)


@pytest.mark.parametrize("question", ["Who painted the letter?", "Who carries the lemons into the attic?"])
def test_without_the_dense_index_nothing_is_declined_for_being_far_in_meaning(
    graph: FakeGraph, question: str
) -> None:
    found = ask(question, Sources(Scope("test"), graph, IndexAway(), EMBEDDER, ENGLISH))  # pyright: ignore
    assert found.found and found.citations
    assert found.text.startswith(("Nothing found says", "Memory")), "behind a caveat"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What did Emil eat?", "pear"),
        ("Who mopped the floor?", "Rosa"),
        ("Where did Rosa put the letter?", "blue book"),
        ("What did Emil put on the shelf?", "basket"),
        ("What colour is the book?", "blue"),
    ],
)
def test_what_it_states_is_answered_without_a_word_of_doubt(graph: FakeGraph, question: str, words: str) -> None:
    found = answer(graph, question)
    assert found.found and words in found.text
    assert not found.text.startswith(("Nothing", "Memory"))


def test_a_line_that_asks_is_quoted_with_its_reply(graph: FakeGraph) -> None:
    found = answer(graph, "How hot is the oven?")
    assert "Is the oven hot?" in found.text and "It is, since six." in found.text


def test_a_count_takes_only_events_with_every_thing_that_the_question_names(graph: FakeGraph) -> None:
    assert answer(graph, "How often did Emil open the window?").text.startswith("Twice")
    assert answer(graph, "How often did Emil open the window above the sink?").text.startswith("Once")


def test_steal_says_more_than_take() -> None:
    assert ENGLISH.says_more("stolen") and not ENGLISH.says_more("took")
    assert "carry" in ENGLISH.kin("delivered") | ENGLISH.kin("brought")
    assert "dog" in ENGLISH.kin("animals") and "animal" not in ENGLISH.kin("dog")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Since when is the oven hot?", "since six"),
        ("Since when is the window open?", "Nothing in memory states the beginning."),
        ("Until when is the oven hot?", "Nothing in memory states the end."),
        ("How long should the crate stay in the cellar?", "Nothing in memory states the time prescribed."),
        ("How often must the floor be mopped?", "Nothing in memory states the time prescribed."),
    ],
)
def test_what_is_asked_of_a_time_is_stated_and_not_the_time_of_an_event(
    graph: FakeGraph, question: str, text: str
) -> None:
    assert text in answer(graph, question).text
