"""Which events merge, the merged event, and its summary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j import settings
from amr_neo4j.domain.event import Action, EventDraft, Involvement, Use
from amr_neo4j.errors import CostLimit, ModelDenied
from amr_neo4j.ingest.merging import MergeLimits, merge_candidates, merged
from amr_neo4j.ingest.summaries import ModelSummary, RuleSummary
from amr_neo4j.language.en.content import words_of
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from tests.support.model_server import ModelServer

ANNA = (Involvement("anna", "actor"),)


def event(start: float, end: float, text: str = "Anna walks.", **rest) -> EventDraft:
    return EventDraft(0, start, end, text, **({"involvements": ANNA} | rest))


def groups(*events: EventDraft, new_from: int = 1, vectors=None, **limits) -> list[tuple[int, ...]]:
    """Vectors are all the same where none are given."""
    same = np.tile(np.asarray([1.0, 0.0], np.float32), (len(events), 1))
    rows = same if vectors is None else np.asarray(vectors, np.float32)
    return merge_candidates(events, rows, new_from=new_from, limits=MergeLimits(**limits))


def at(degrees: float) -> tuple[float, float]:
    return float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))


@pytest.mark.parametrize(
    ("other", "one"),
    [
        (event(12.0, 13.0), True),
        (event(12.001, 13.0), False),
        (event(5.0, 6.0), True),
        (event(11.0, 12.0, involvements=()), False),
        (event(11.0, 12.0, involvements=(Involvement("anna", "mentioned"),)), True),
        (event(11.0, 12.0, involvements=(Involvement("anna", "actor", "film"),)), False),
        (event(11.0, 12.0, involvements=(), scene_type="kitchen"), True),
        (event(11.0, 12.0, involvements=(), scene_type=""), False),
        (event(11.0, 12.0, heard=True), False),
    ],
)
def test_events_within_two_seconds_sharing_a_person_or_scene_continue(other: EventDraft, one: bool) -> None:
    assert bool(groups(event(3.0, 10.0, scene_type="kitchen"), other)) is one


def test_the_cosine_must_exceed_the_threshold() -> None:
    pair = [event(0, 1), event(1, 2)]
    assert groups(*pair, vectors=[at(0), at(40)], similarity=0.76) == [(0, 1)]
    assert groups(*pair, vectors=[at(0), at(40)], similarity=0.77) == []
    assert groups(*pair, vectors=[at(0), at(0)], similarity=1.0) == []


def test_a_chain_becomes_one_event_and_each_event_joins_the_most_similar() -> None:
    """0 and 3 differ, but 1 continues 0, 2 continues 1 and 3 continues 2; 4 is another, and 5 continues it."""
    events = [event(n, n + 1) for n in range(6)]
    vectors = [at(0), at(25), at(50), at(75), at(200), at(201)]
    assert groups(*events, vectors=vectors) == [(0, 1, 2, 3), (4, 5)]


def test_stored_events_never_merge_with_one_another() -> None:
    """A new event that continues both joins the nearer."""
    events = [event(0, 1), event(1, 2), event(2, 3)]
    assert groups(*events, new_from=2, vectors=[at(0), at(25), at(13)]) == [(1, 2)]
    assert groups(*events, new_from=3) == []


def test_only_the_latest_ending_events_are_compared() -> None:
    """However many shorter events began since, the one still running is among them."""
    events = [event(0, 1.5), *(event(n, n + 1, involvements=()) for n in range(1, 4)), event(3, 4)]
    assert groups(*events, new_from=4, recent=4) == [(0, 4)]
    assert groups(*events, new_from=4, recent=3) == []
    assert groups(event(0, 9), *events[1:], new_from=4, recent=1) == [(0, 4)]


def test_a_very_long_event_is_split() -> None:
    """Otherwise a clip might have to rewrite an event of a whole day."""
    events = [event(n * 10, n * 10 + 10) for n in range(7)]
    assert groups(*events, longest_sec=30) == [(0, 1, 2), (3, 4, 5)]


@pytest.mark.parametrize(
    ("other", "one"),
    [
        (event(2, 3, involvements=(Involvement("anna", "speaker"),)), False),
        (event(2, 3, involvements=(Involvement("anna", "speaker"), *ANNA)), True),
        (event(2, 3, involvements=(Involvement("ben", "speaker"),)), True),
        (event(2, 3, involvements=(Involvement("anna", "mentioned"),)), True),
    ],
)
def test_a_voice_is_not_merged_with_the_sight_of_its_person(other: EventDraft, one: bool) -> None:
    """Otherwise a person who is only heard would count as seen. CROSS_MODAL links the two instead."""
    assert bool(groups(event(0, 2, scene_type="hall"), replace(other, scene_type="hall"))) is one


def test_each_action_keeps_its_time_in_any_order_of_clips() -> None:
    """A door closed at 20 s is closed, even if its opening at 10 s arrives late."""

    def door(verb: str, state: str) -> dict[str, tuple]:
        return {"actions": (Action("anna", verb, "door"),), "uses": (Use(0, "door", verb, to_state=state),)}

    early = merged([event(0, 5), event(20, 25, **door("close", "closed"))], 1, "first")
    late = merged([early, event(10, 15, **door("open", "open"))], 2, "then")
    assert [(action.verb, action.time) for action in late.actions] == [("open", 10), ("close", 20)]
    assert [(use.seq, use.to_state, use.time) for use in late.uses] == [(0, "open", 10), (1, "closed", 20)]


def test_a_merged_event_is_the_union() -> None:
    opened = Use(0, "door", "open", from_state="closed", to_state="open", spatial_description="left of the sofa")
    closed = Use(1, "door", "close", from_state="open", to_state="closed")
    parts = [
        event(0, 3, persons=("Anna",), objects=("door", "cup"), dialogue_snippets=("Anna: hm",), scene_type="hall",
              actions=(Action("anna", "open", "door"), Action("anna", "close", "door")),
              involvements=(*ANNA, Involvement("ben", "mentioned")), uses=(opened, closed, Use(2, "cup"))),
        event(2, 9, persons=("Anna", "Ben"), objects=("cup",), dialogue_snippets=("Anna: hm", "Ben: oh"),
              actions=(Action("anna", "open", "door"),),
              involvements=(Involvement("ben", "speaker"),),
              uses=(replace(opened, spatial_description=""), Use(1, "cup", spatial_description="on the table"))),
        event(4, 5, scene_type=""),
    ]  # fmt: skip
    one = merged(parts, 7, "what they tell")
    assert (one.ordinal, one.time_start, one.time_end, one.summary_text) == (7, 0, 9, "what they tell")
    assert (one.persons, one.objects, one.scene_type) == (("Anna", "Ben"), ("door", "cup"), "hall")
    assert one.dialogue_snippets == ("Anna: hm", "Ben: oh")
    assert one.actions == (Action("anna", "close", "door", time=0), Action("anna", "open", "door", time=2))
    assert [(use.seq, use.name, use.to_state) for use in one.uses] == [
        (0, "door", "closed"),
        (1, "door", "open"),
        (2, "cup", None),
    ]
    assert one.uses[2].spatial_description == "on the table"
    assert one.involvements == (*ANNA, Involvement("ben", "speaker"))


def test_a_merged_event_knows_of_somebody_mentioned_what_its_parts_know_best() -> None:
    told, addressed, seen = (Involvement("ana", "mentioned", evidence=how) for how in ("told", "addressed", None))
    for parts in ([told, addressed, seen], [seen, addressed, told]):
        events = [event(n, n + 1, involvements=(part,)) for n, part in enumerate(parts)]
        assert merged(events, 1, "all").involvements == (seen,)
        assert merged([one for one in events if one.involvements != (seen,)], 1, "talk").involvements == (addressed,)


def summarised(*texts: str) -> str:
    return RuleSummary(ENGLISH)([event(n, n + 1, text) for n, text in enumerate(texts)])[0]


@pytest.mark.parametrize(
    ("texts", "summary"),
    [
        (["Anna walks.", "Anna walks."], "Anna walks."),
        (["Anna stirs the soup.", "Anna is stirring the soup."], "Anna stirs the soup."),
        (["Anna takes the cup.", "Anna puts the cup down."], "Anna takes the cup. Anna puts the cup down."),
        (
            [
                "Anna walks to the door.",
                "Anna walks on to the door.",
                "Anna walks to the door and opens it. Ben calls.",
            ],
            "Anna walks to the door and opens it. Ben calls.",
        ),
        (['Anna says: "No. In the drawer."', "Anna."], 'Anna says: "No. In the drawer."'),
        (["彼は歩く。", "彼は鍵を取る。"], "彼は歩く。 彼は鍵を取る。"),
        ([" ", " "], " "),
    ],
)
def test_a_summary_states_the_common_and_the_new_in_two_sentences(texts: list[str], summary: str) -> None:
    assert summarised(*texts) == summary


sentences = st.lists(st.sampled_from(["Anna walks.", "Ben opens the door!", "A cat sleeps?", 'She says: "Go. Now."']))


@given(st.lists(sentences.map(" ".join).filter(bool), min_size=2, max_size=6))
def test_a_summary_uses_the_words_of_its_sources_and_stays_short(texts: list[str]) -> None:
    """At most two sentences from any sources; a summary of a summary is that summary."""
    summary = summarised(*texts)
    assert set(words_of(summary)) <= set(words_of(" ".join(texts)))
    assert len(summary) <= 2 * len('She says: "Go. Now."') + 1
    assert summarised(summary, summary) == summary


def by_model(server: ModelServer, parts: list[EventDraft], limit: float | None = None) -> tuple[str, tuple[str, ...]]:
    """Summarised by a model of the role `refine` on a scripted server. limit: dollars."""
    role = {"model": "some/words", "patience_s": 1.0, "price_in": 1.0, "price_out": 1.0}
    given = settings.load(provider=server.url, api_key="sk-test", refine=role)
    model = open_chat(given, "refine", Ledger(lambda line: None, limit), sleep=lambda seconds: None)
    assert model
    return ModelSummary(model, ENGLISH)(parts)


def test_the_model_receives_the_events_dialogue_actions_and_places(model_server: ModelServer) -> None:
    parts = [
        event(1, 2, "Anna waves.", dialogue_snippets=("Anna: hello",)),
        event(2, 3.5, "Ben sits.", actions=(Action("ben", "sit down", "chair", "next to her"),)),
        event(3.5, 4, "Ben waits.", spatial_descriptions=("mug: to the left of the phone",)),
    ]
    model_server.then({"summary": "Anna greets Ben, who sits down next to her."})
    assert by_model(model_server, parts) == ("Anna greets Ben, who sits down next to her.", ())
    asked = model_server.requests[0].prompt
    for words in ("1-2 s: Anna waves.", "Anna: hello", "2-3.5 s: Ben sits.", "ben sit down chair next to her"):
        assert words in asked
    assert "where: mug: to the left of the phone" in asked


@pytest.mark.parametrize("fault", ["server_error", "truncated", "empty", "declines", "moderated", "hang"])
def test_a_failed_call_falls_back_to_the_rules(fault: str, model_server: ModelServer) -> None:
    parts = [event(1, 2, "Anna waves."), event(2, 3, "Anna waves.")]
    model_server.then({"summary": "Anna waves twice."}, fault=fault, message="No.", times=None)
    summary, [note] = by_model(model_server, parts)
    assert summary == "Anna waves." and note.startswith("2 merged events are summarised by rules: ")


@pytest.mark.parametrize("fault", ["wrong_key", "no_credit"])
def test_what_the_user_must_correct_is_raised(fault: str, model_server: ModelServer) -> None:
    model_server.then(fault=fault, times=None)
    with pytest.raises(ModelDenied):
        by_model(model_server, [event(1, 2), event(2, 3)])


def test_the_limit_of_cost_ends_the_run(model_server: ModelServer) -> None:
    with pytest.raises(CostLimit):
        by_model(model_server, [event(1, 2), event(2, 3)], limit=0.0)
    assert model_server.requests == []


@pytest.mark.parametrize(
    "odd",
    [
        '```json\n{"summary": "Anna walks on."}\n```',
        "Here it is: {'summary': 'Anna walks on.',}",
        {"Summary": "Anna walks on.", "reason": "the same"},
    ],
)
def test_a_reply_of_odd_form_is_read(odd: str | dict[str, str], model_server: ModelServer) -> None:
    model_server.then(odd)
    summary, _ = by_model(model_server, [event(1, 2), event(2, 3)])
    assert summary == "Anna walks on." and len(model_server.requests) == 1


def test_a_concatenation_by_a_model_is_no_summary(model_server: ModelServer) -> None:
    """One summary was requested: the rules choose instead, and the note says why."""
    parts = [event(1, 2, "Anna takes the red cup."), event(2, 3, "Anna puts the red cup down.")]
    model_server.then({"summary": "Anna takes the red cup; Anna puts the red cup down."})
    summary, [note] = by_model(model_server, parts)
    assert summary == "Anna takes the red cup. Anna puts the red cup down."
    assert "is a concatenation of the fields" in note
