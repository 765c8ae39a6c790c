"""From question to cited answer, over the example household in memory, with bag-of-words vectors."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.pipeline import DEFAULTS, ask, search
from amr_neo4j.recall.sources import Sources
from tests.support.analyses import ODD_TEXT, analyses
from tests.support.examples import examples
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines, kitchen

QUESTIONS = Path(__file__).parents[1] / "acceptance" / "kitchen_questions.jsonl"
ALL = Scope("test")
EMBEDDER = HashedWords()


@pytest.fixture(scope="module")
def graph() -> FakeGraph:
    return kitchen()


def answer(graph: FakeGraph, question: str, scope: Scope = ALL, limits: RecallLimits = DEFAULTS) -> Answer:
    return ask(question, Sources(scope, graph, graph, EMBEDDER, ENGLISH), limits=limits)


ASKED = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]


def test_nearly_all_of_the_household_s_questions_are_answered(graph: FakeGraph) -> None:
    """Held-out questions are asked by the acceptance test, with real vectors; one in twenty may miss here."""
    wrong = [asked["question"] for asked in ASKED if not asked.get("held_out") and not is_right(graph, asked)]
    assert len(wrong) <= len(ASKED) // 20, wrong


def is_right(graph: FakeGraph, asked: dict[str, Any]) -> bool:
    bounds = asked.get("bounds", {})
    scope = Scope("test", tuple(bounds.get("videos", ())), as_of=bounds.get("as_of"))
    found = answer(graph, asked["question"], scope)
    return found.found and all(word.casefold() in found.text.casefold() for word in asked["answer_words"])


def test_an_event_that_is_forgotten_after_the_walk_met_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its edges were read, and then it is not there: the others keep their scores."""
    graph, question = kitchen(), "Where is the coat?"
    read, whole = graph.events, search(question, Sources(ALL, graph, graph, EMBEDDER, ENGLISH))
    gone = next(hit.event.node_id for hit in whole if hit.path.edges)
    monkeypatch.setattr(graph, "events", lambda ids, scope: [e for e in read(ids, scope) if e.node_id != gone])
    found = search(question, Sources(ALL, graph, graph, EMBEDDER, ENGLISH))
    assert found and gone not in {hit.event.node_id for hit in found}


@pytest.mark.parametrize(
    ("question", "words", "clip"),
    [
        ("Where's the red mug?", "shelf above the sink, by Anna", "evening-23"),
        ("Where is the coat?", "green coat was last hung up on the hook", "evening-03"),
        ("Where was the knife at first?", "taken out from the cutlery drawer, by Ben", "morning-07"),
        ("Who put the keys in the fruit bowl?", "Anna, at", "evening-02"),
        ("Who has the keys?", "Ben, at", "evening-15"),
        ("Who broke the mug?", "Ben, at", "evening-21"),
        ("When did the mug break?", "00:08:19 of kitchen_evening", "evening-21"),
        ("What did Anna do first?", "turns on the lamp", "morning-01"),
        ("What did Ben do last?", "turns off the lamp", "evening-26"),
        ("What happened after the toaster popped up?", "After that, at 00:04:10", "morning-11"),
        ("What happened before Ben left the kitchen at noon?", "Before that, at 00:07:51", "noon-20"),
        ("What did Anna say about the meeting?", "Anna said, at", "morning-10"),
        ("Is the fridge open?", "last left open", "evening-25"),
        ("Is the lamp on?", "last turned off", "evening-26"),
        ("What was under the table?", "parcel was put on the floor under the table", "noon-12"),
        ("Who is the man in the yellow jacket?", "The man in a yellow jacket", "noon-10"),
    ],
)
def test_every_answer_type(graph: FakeGraph, question: str, words: str, clip: str) -> None:
    found = answer(graph, question)
    assert words in found.text
    assert clip in {graph.stored[cited.node_id].clip_ids[0] for cited in found.citations}


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Where is the elephant?", "elephant"),
        ("Where did Anna put the elephant?", "elephant"),
        ("What is the capital of France?", "capital"),
        ("elephant", ""),
        ("Wo ist der Elefant?", ""),
    ],
)
def test_unknown_names_are_not_answered(graph: FakeGraph, question: str, unknown: str) -> None:
    found = answer(graph, question)
    assert (found.found, found.citations) == (False, ())
    assert found.text.startswith("Nothing in memory fits") and unknown in found.text


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Did Anna feed the elephant?", "elephant"),
        ("Where did Zoe put the keys?", "Zoe"),
        ("What did the dog do after Anna came home?", "dog"),
    ],
)
def test_an_unknown_name_beside_known_ones_is_said(graph: FakeGraph, question: str, unknown: str) -> None:
    """The best match is given only as such, because no operator answers about a name that memory does not have."""
    found = answer(graph, question)
    declined = f"Nothing in memory states this with “{unknown}”; the nearest is this."
    doubted = f"Memory knows nothing of “{unknown}”; the nearest is this."
    assert found.text.startswith(doubted if found.found else declined)
    assert f"[event {found.evidence[0].event.node_id}, " in found.text
    assert found.found == bool(found.citations)


def test_a_verb_that_the_event_lacks_is_a_caveat(graph: FakeGraph) -> None:
    assert "“sell”; the nearest is this" in answer(graph, "Did Ben sell the car?").text


def test_no_caveat_says_that_a_word_is_missing_which_stands_in_the_evidence(graph: FakeGraph) -> None:
    """Ben washes something else."""
    found = answer(graph, "Did Ben wash the car?")
    assert any("wash" in hit.event.summary_text for hit in found.evidence)
    assert found.text.partition(" Ben said, ")[0] in (
        "Memory may not hold the answer; the nearest is this.",
        "Nothing in memory states this; the nearest is this.",
    )


@pytest.mark.parametrize("synonyms", [{"mobil": "phone"}, {"cup": "mug"}])
def test_a_synonym_finds_the_object(synonyms: dict[str, str]) -> None:
    """Names with similar vectors are one object, though its event shares no word with the question."""
    embedder = HashedWords(synonyms)
    graph = kitchen(embedder)
    word = {"mobil": "mobile"}.get(*synonyms, *synonyms)
    found = ask(f"Where is the {word}?", Sources(ALL, graph, graph, embedder, ENGLISH))
    assert f"{next(iter(synonyms.values()))} was last" in found.text


def test_every_claim_is_cited_and_every_citation_is_an_event(graph: FakeGraph) -> None:
    for line in QUESTIONS.read_text("utf-8").splitlines():
        found = answer(graph, json.loads(line)["question"])
        assert bool(found.citations) is found.found
        for cited in found.citations:
            event = graph.stored[cited.node_id]
            assert f"[event {cited.node_id}, {cited.video_id}, " in found.text
            assert (cited.video_id, True) == (event.video_id, event.time_start <= cited.time_start <= event.time_end)
        cited_ids = [cited.node_id for cited in found.citations]
        assert [hit.event.node_id for hit in found.evidence[: len(cited_ids)]] == cited_ids


def test_words_are_cited_by_the_cue_not_by_the_event_that_carries_it(graph: FakeGraph) -> None:
    found = answer(graph, "What did Ben say about the phone?", Scope("test", ("kitchen_noon",)))
    [cited] = found.citations
    assert (cited.start, cited.end, cited.speaker) == (24.0, 27.0, "Ben")
    assert cited.label in found.text and "00:00:24" in found.text.split("[")[0]
    assert found.evidence[0].event == graph.stored[cited.node_id]
    assert found.evidence[0].event.time_end > 27.0


def test_paths_follow_edges_of_the_graph(graph: FakeGraph) -> None:
    """The path of a hit starts at a ranked event, follows edges of the graph and is described in words."""
    found = search("What happened after the toaster popped up?", Sources(ALL, graph, graph, EMBEDDER, ENGLISH))
    walked = [hit for hit in found if hit.path and hit.path.edges]
    assert walked
    for hit in walked:
        assert hit.path and all(edge in graph.edges for edge in hit.path.edges)
        assert hit.path.node_ids[-1] == hit.event.node_id
        assert hit.trail.startswith(f"event {hit.path.node_ids[0]} (") and " -> " in hit.trail


def test_a_scope_bounds_the_answer(graph: FakeGraph) -> None:
    noon = Scope("test", ("kitchen_noon",))
    assert "cutlery drawer" in answer(graph, "Where is the phone?", noon).text
    hits = answer(graph, "What did Ben do?", noon).evidence + tuple(
        search("Ben", Sources(noon, graph, graph, EMBEDDER, ENGLISH))
    )
    assert {hit.event.video_id for hit in hits} == {"kitchen_noon"}
    assert not answer(graph, "Where is the phone?", Scope("another")).found


def test_each_hop_takes_one_round_trip(graph: FakeGraph) -> None:
    graph.calls.clear()
    answer(graph, "Where are the keys?", limits=RecallLimits(max_hops=3, convergence=-9))
    assert graph.calls["neighbours"] == 1 + 3, "once for what lies beside the ranked events"


def test_videos_without_a_clock_are_distinguished_by_order() -> None:
    """Without a wall clock, the latest event is the last of the video ingested last."""

    def line(video: str, second: float, where: str) -> str:
        action = {"actor": "Anna", "verb": "put", "object": "keys", "spatial_relation": where}
        event = {"time_start": 0, "time_end": 1, "summary": f"Anna puts the keys {where}.", "actions": [action]}
        analysis = {"clip_summary": "", "events": [event]}
        place = {"video_id": video, "clip_id": f"{second}", "t_start": second, "t_end": second + 1}
        return json.dumps(place | {"analysis": analysis})

    graph = graph_of_lines([line("old", 90, "on the hook"), line("new", 5, "in the bowl")])
    assert "in the bowl" in answer(graph, "Where are the keys?").text


def test_a_thing_is_moved_with_what_it_was_put_into() -> None:
    """From the folder to the suitcase and the car; what was put elsewhere before, or beside it, takes it nowhere."""

    def line(second: int, thing: str, where: str) -> str:
        action = {"actor": "Anna", "verb": "put", "object": thing, "spatial_relation": where}
        event = {"time_start": 0, "time_end": 1, "summary": f"Anna puts the {thing} {where}.", "actions": [action]}
        place = {"video_id": "v", "clip_id": f"{second}", "t_start": second, "t_end": second + 1}
        return json.dumps(place | {"analysis": {"clip_summary": "", "events": [event]}})

    moves = [("folder", "on the desk"), ("passport", "in the folder"), ("folder", "into the grey suitcase")]
    moves += [("ticket", "next to the suitcase"), ("suitcase", "in the car"), ("spoon", "in car cup on the desk")]
    moves += [("car", "in the garage")]
    graph = graph_of_lines([line(20 * n, *move) for n, move in enumerate(moves)])
    said = answer(graph, "Where is the passport?")
    assert [cited.time_start for cited in said.citations] == [20, 40, 80, 120]
    assert "in the folder" in said.text and "grey suitcase" in said.text and "in the car" in said.text
    assert [cited.time_start for cited in answer(graph, "Where is the ticket?").citations] == [60]
    assert [cited.time_start for cited in answer(graph, "Where is the spoon?").citations] == [100]  # in no car
    assert "suitcase" not in answer(graph, "Where was the passport at first?").text


def test_search_finds_by_words_and_drops_unrelated_events(graph: FakeGraph) -> None:
    hits = search("green coat", Sources(ALL, graph, graph, EMBEDDER, ENGLISH))
    assert "green coat" in hits[0].event.summary_text
    scores = [hit.score for hit in hits]
    # The best of each scene, then the others.
    assert sum(later > earlier for earlier, later in pairwise(scores)) <= 1
    assert search("elephant", Sources(ALL, graph, graph, EMBEDDER, ENGLISH)) == []


def test_within_videos_that_are_named_search_finds_the_nearest_whatever_is_asked(graph: FakeGraph) -> None:
    named = replace(ALL, video_ids=tuple({event.video_id for event in graph.events([1], ALL)}))
    assert search("elephant", Sources(named, graph, graph, EMBEDDER, ENGLISH))


@pytest.mark.parametrize("text", ["", "?!", "x" * 100_000])
def test_an_empty_question_is_refused(graph: FakeGraph, text: str) -> None:
    for asking in (lambda: answer(graph, text), lambda: search(text, Sources(ALL, graph, graph, EMBEDDER, ENGLISH))):
        with pytest.raises(InputError):
            asking()


ASKED_OF_ANYTHING = [
    "Where is the cup?",
    "What's on the table?",
    "What is in the drawer?",
    "Who opened the drawer?",
    "What happened to the mug?",
    "Is the drawer open?",
    "What did Anna say about the keys?",
    "What did Ben do after Anna picked up the phone?",
    "In what order did Anna use the cup and the phone?",
    "When was the phone last used?",
    "What happened?",
]
TYPED = ["keys", "Anna", "after", "AND", '"a/b"', "(c:d)", "?", "where", "who", "in", *ODD_TEXT]
typed = st.text(max_size=60) | st.lists(st.sampled_from(TYPED), max_size=8).map(" ".join)
in_one_video = st.lists(analyses(), min_size=1, max_size=4).map(
    lambda drawn: [
        {"video_id": "v", "clip_id": f"c{n}", "t_start": n * 10.0, "t_end": n * 10.0 + 10, "analysis": analysis}
        for n, analysis in enumerate(drawn)
    ]
)


@examples(push=20, soak=600, deadline=None)
@given(typed)
def test_any_text_is_answered_or_refused(text: str) -> None:
    """For any text: an answer that cites its claims, nothing found, or an InputError."""
    try:
        _lawful(answer(THE_KITCHEN, text))
    except InputError:
        assert len(text) > 2000 or not any(letter.isalnum() for letter in text)


@examples(push=12, soak=400, deadline=None)
@given(in_one_video, st.sampled_from(ASKED_OF_ANYTHING))
def test_any_memory_answers(lines: list[dict], question: str) -> None:
    """For any analyses: an answer that cites its claims, or nothing found."""
    _lawful(answer(graph_of_lines(map(json.dumps, lines)), question))


def _lawful(found: Answer) -> None:
    assert found.text
    assert found.found == bool(found.citations)
    assert bool(found.evidence) or not found.found
    assert all(f"[event {cited.node_id}, {cited.video_id}, " in found.text for cited in found.citations)


THE_KITCHEN = kitchen()


def test_a_person_whose_name_contains_no_word_is_handled() -> None:
    event = {"summary": "Where are my keys?", "actors": ["_"], "time_start": 0.0, "time_end": 1.0}
    line = {
        "video_id": "v",
        "clip_id": "c",
        "t_start": 0,
        "t_end": 10,
        "analysis": {"clip_summary": "", "events": [event]},
    }
    _lawful(answer(graph_of_lines([json.dumps(line)]), "Where is the cup?"))


def test_an_answer_has_its_trace_and_scores(graph: FakeGraph) -> None:
    """Each stage has its time by the given clock, each event the parts of its score."""
    ticks = iter(range(100))
    found = ask(
        "Where are the keys?", Sources(ALL, graph, graph, EMBEDDER, ENGLISH), clock=lambda: float(next(ticks))
    )
    assert found.trace and dict(found.trace.stages) == dict.fromkeys(
        ["classify", "anchor", "navigate", "verify", "answer"], 1.0
    )
    assert found.trace.frontiers[0] == DEFAULTS.anchors and found.trace.stopped in {"hops", "converged", "exhausted"}
    for hit in found.evidence:
        assert hit.scores.keys() == {"fused", "cosine", "reach"} and 0 <= hit.scores["fused"] <= 1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Ben's phone number?", "Nothing in memory states the number."),
        ("What colour is the parcel?", "Nothing in memory states the colour."),
        ("How much did the umbrella cost?", "Nothing in memory states the price."),
        ("What brand is the kettle?", "Nothing in memory states the brand."),
        ("How old is Anna?", "Nothing in memory states the age."),
        ("What is Anna's email address?", "Nothing in memory states the email address."),
    ],
)
def test_an_attribute_that_no_event_states_is_declined(graph: FakeGraph, question: str, text: str) -> None:
    found = answer(graph, question)
    assert (found.found, found.text) == (False, text)


@pytest.mark.parametrize(
    ("question", "word"),
    [("What colour is the mug that Anna filled?", "red"), ("What colour was the man's jacket?", "yellow")],
)
def test_an_attribute_is_answered_from_an_event_that_states_it(graph: FakeGraph, question: str, word: str) -> None:
    found = answer(graph, question)
    assert found.found and word in found.text


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("Why did Ben close the door?", "reason"),
        ("What is the name of the man in the yellow jacket?", "name"),
    ],
)
def test_what_texts_may_imply_is_a_caveat(graph: FakeGraph, question: str, attribute: str) -> None:
    found = answer(graph, question)
    assert found.text.startswith(f"Memory does not state the {attribute}; the nearest is this.") and found.citations
