"""Counts, durations and ordinals over everything in memory, not only the best-ranked events."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.recall import Answer, Citation, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.examples import examples
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines, kitchen

ALL = Scope("test")
EMBEDDER = HashedWords()
Done = tuple[float, str, str, str, str]


def memory(actions: Iterable[Done], **video: str) -> FakeGraph:
    """(second, who, verb, thing, where), each an event of two seconds in a clip of its own."""
    return graph_of_lines([_line(*action, **video) for action in actions])


def _line(second: float, who: str, verb: str, thing: str, where: str, **video: str) -> str:
    action = {"actor": who, "verb": verb, "object": thing, "spatial_relation": where}
    event = {"time_start": 0, "time_end": 2, "summary": f"{who} {verb}s the {thing} {where}.", "actions": [action]}
    clip = {"video_id": "v", "clip_id": f"c{second}", "t_start": second, "t_end": second + 2} | video
    return json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}})


def answer(graph: FakeGraph, question: str, scope: Scope = ALL) -> Answer:
    return ask(question, Sources(scope, graph, graph, EMBEDDER, ENGLISH))


OPENINGS = 150
FRIDGE = memory(
    (10.0 * n, "Anna" if n % 3 else "Ben", verb, "fridge", "") for n, verb in enumerate(["open", "close"] * OPENINGS)
)


@pytest.mark.parametrize(
    ("question", "scope", "times"),
    [
        ("How often was the fridge opened?", ALL, 150),
        ("How many times did Ben open the fridge?", ALL, 50),
        ("How often was the fridge closed?", ALL, 150),
        ("How often was the fridge used?", ALL, 300),
        ("How often was the fridge opened?", Scope("test", as_of=1502.0), 76),
        ("How often was the fridge opened?", Scope("test", since=100.0, until=199.0), 5),
    ],
)
def test_a_count_is_over_everything_in_the_scope(question: str, scope: Scope, times: int) -> None:
    """There are more events than the rankings return. The first and the last are cited."""
    found = answer(FRIDGE, question, scope)
    assert found.text.startswith(f"{times} times: ")
    assert len(found.citations) == (5 if times == 5 else 2)


def test_the_graph_is_queried_again_only_where_the_rankings_may_be_incomplete() -> None:
    FRIDGE.calls.clear()
    answer(FRIDGE, "How often was the fridge opened?")
    assert FRIDGE.calls["life"] == 1
    graph = kitchen()
    for question in ("How often was the fridge opened?", "Where are the keys?", "Who opened the door?"):
        answer(graph, question)
    assert graph.calls["life"] == 0


def test_a_thing_is_not_moved_with_what_is_called_alike_at_another_place() -> None:
    """The folder in the kitchen is not the one in the office, however often that one was moved since."""
    put = _line(10, "Anna", "put", "passport", "in the folder", video_id="a", place="kitchen")
    office = [
        _line(20 * n, "Ben", "put", "folder", f"on the {where}", video_id="b", place="office")
        for n, where in enumerate(["desk", "shelf"] * 15)
    ]
    found = answer(graph_of_lines([put, *office]), "Where is the passport?")
    assert [each.video_id for each in found.citations if isinstance(each, Citation)] == ["a"]
    moved = _line(900, "Ben", "put", "folder", "in the suitcase", video_id="a", place="kitchen")
    found = answer(graph_of_lines([put, moved, *office]), "Where is the passport?")
    assert "in the suitcase" in found.text and "shelf" not in found.text


def test_an_event_that_never_happened_is_not_counted() -> None:
    found = answer(kitchen(), "How often was the parcel washed?")
    assert found.text.startswith("No such event in memory; the nearest is this.") and not found.found


def test_fewer_times_than_asked_are_reported() -> None:
    found = answer(kitchen(), "Who opened the window the third time?")
    assert found.text.startswith("It happened fewer than 3 times in memory. Once: at 00:11:38 of kitchen_morning")


@pytest.mark.parametrize(
    ("question", "words", "cited"),
    [
        ("How long was the oven on?", "1 min: the oven was turned on, by Anna, at 00:00:10 of v", 2),
        ("How long was the lamp on?", "2 min in all, twice from 30 s to 1 min 30 s; first and last 30 s", 4),
        ("How long has the lamp been on?", "1 min 30 s: the lamp", 2),
        ("How long is the tap on?", "Nothing later says that it ended; the tap was turned on", 1),
        ("How long was the pan in the sink?", "40 s: the pan was put in the sink", 2),
        ("How long did Anna stir the soup?", "4 s in all, twice: ", 2),
        ("How much time passed between turning on the oven and turning it off?", "58 s from the end of this: ", 2),
    ],
)
def test_durations(question: str, words: str, cited: int) -> None:
    graph = memory(
        [
            (10, "Anna", "turn on", "oven", ""),
            (20, "Anna", "turn on", "lamp", ""),
            (25, "Anna", "stir", "soup", ""),
            (50, "Ben", "turn off", "lamp", ""),
            (60, "Anna", "stir", "soup", ""),
            (70, "Ben", "turn off", "oven", ""),
            (80, "Ben", "turn on", "lamp", ""),
            (85, "Anna", "put", "pan", "in the sink"),
            (125, "Anna", "take", "pan", "from the sink"),
            (170, "Ben", "turn off", "lamp", ""),
            (180, "Ben", "turn on", "tap", ""),
        ]
    )
    found = answer(graph, question)
    assert found.text.startswith(words), found.text
    assert len(found.citations) == cited


def test_an_interval_over_two_videos_without_a_clock_has_no_length() -> None:
    lines = [
        _line(10, "Anna", "turn on", "oven", "", video_id="first", place="kitchen"),
        _line(20, "Ben", "turn off", "oven", "", video_id="second", place="kitchen"),
    ]
    assert answer(graph_of_lines(lines), "How long was the oven on?").text.startswith("Nobody knows how long: ")


def test_the_oven_of_another_kitchen_is_another_oven() -> None:
    """A change of one ends no interval of the other, though their clocks are comparable."""
    clock = {"recorded_at": "2026-03-17T10:00:00+01:00"}
    lines = [
        _line(10, "Anna", "turn on", "oven", "", video_id="ours", place="ours", **clock),
        _line(20, "Ben", "turn off", "oven", "", video_id="theirs", place="theirs", **clock),
        _line(30, "Anna", "turn off", "oven", "", video_id="ours", place="ours", **clock),
    ]
    assert answer(graph_of_lines(lines), "How long was the oven on?").text.startswith("20 s: the oven was turned on")


def test_everything_between_two_events_is_listed() -> None:
    actions = [(10.0 * n, "Anna", "wash", f"cup{n}", "") for n in range(1, 40)]
    graph = memory([(0, "Ben", "ring", "bell", ""), *actions, (500, "Ben", "lock", "door", "")])
    found = answer(graph, "What happened between Ben ringing the bell and Ben locking the door?")
    assert "39 events, of which the first 5" in found.text and "Until, at 00:08:20" in found.text


def test_a_day_without_recording_dates_is_left_out() -> None:
    graph = memory([(0, "Ben", "ring", "bell", "")])
    found = answer(graph, "Who rang the bell on Tuesday?")
    assert found.found and "“on Tuesday” is left out" in found.text
    assert "its day is not known" in answer(graph, "On which day was the bell rung?").text


def test_an_empty_time_span_is_reported() -> None:
    for question in ("What happened between 3:00 am and 3:05 am?", "What did Anna do on Friday?"):
        found = answer(kitchen(), question)
        assert not found.found and found.text == "Nothing in memory fits that time."


@examples(push=10, soak=300, deadline=None)
@given(st.lists(st.sampled_from(["open", "close"]), min_size=1, max_size=30), st.integers(0, 30))
def test_counts_add_up(verbs: list[str], cut: int) -> None:
    """A count as of a moment holds what was done until then, never more."""
    graph = memory((10.0 * n, "Anna", verb, "door", "") for n, verb in enumerate(verbs))
    known = verbs[:cut]
    found = answer(graph, "How often was the door opened?", Scope("test", as_of=10.0 * cut - 1))
    expected = {0: "", 1: "Once", 2: "Twice"}.get(known.count("open"), f"{known.count('open')} times")
    assert found.text.startswith(expected) if expected else "Once" not in found.text
    assert all(cited.time_end <= 10.0 * cut - 1 for cited in found.citations if isinstance(cited, Citation))


def reported(second: float, summary: str, verb: str, thing: str, where: str = "") -> str:
    """A line whose event says more than its one action, which Anna does."""
    action = {"actor": "Anna", "verb": verb, "object": thing, "spatial_relation": where}
    event = {"time_start": 0, "time_end": 2, "summary": summary, "actions": [action]}
    clip = {"video_id": "v", "clip_id": f"c{second}", "t_start": second, "t_end": second + 2}
    return json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}})


EVENING = graph_of_lines(
    [
        reported(0, "Anna leaves the fridge open.", "leave open", "fridge"),
        reported(10, "Anna leaves the kitchen.", "leave", "kitchen"),
        reported(20, "Anna puts the cup in the sink.", "put", "cup", "in the sink"),
        reported(30, "Anna puts the cup on the table and looks at the sink.", "put", "cup", "on the table"),
        reported(40, "Anna puts the cup down.", "put", "cup"),
    ]
)


@pytest.mark.parametrize(
    ("question", "second"),
    [("How often did Anna leave?", 10), ("How often did Anna put the cup in the sink?", 20)],
    ids=["what is left open is not left", "what is put elsewhere, or nobody says where"],
)
def test_a_count_is_of_the_deed_asked_for(question: str, second: int) -> None:
    assert answer(EVENING, question).text.startswith(f"Once: at 00:00:{second}")


@pytest.mark.parametrize(
    ("code", "asked", "denied"),
    [
        ("en", "Who opened the door?", "Who didn't open the door?"),
        ("en", "Who opened the door?", "Who never opened the door?"),
        ("en", "When did Ben open the door?", "When did Ben not open the door?"),
        ("en", "Did somebody open the door?", "Did nobody open the door?"),
        ("en", "Who opened the door?", "Who opened the door without Ben?"),
        ("de", "Wer hat die Tür geöffnet?", "Wer hat die Tür nicht geöffnet?"),
        ("fr", "Qui a ouvert la porte ?", "Qui n'a pas ouvert la porte ?"),
        ("es", "¿Quién abrió la puerta?", "¿Quién no abrió la puerta?"),
        ("it", "Chi ha aperto la porta?", "Chi non ha aperto la porta?"),
        ("en", "Who opened the door?", "Who hasn't opened the door?"),
        ("en", "Who opened the door?", "Who can't open the door?"),
        ("en", "Who opened the door?", "Who cannot open the door?"),
        ("en", "Who opened the door?", "Who mustn't open the door?"),
        ("en", "Who opened the door?", "Who didnt open the door?"),
        ("en", "Who opened the door?", "Who ain't opening the door?"),
        ("en", "Who opened the door?", "Who refused to open the door?"),
        ("en", "Who opened the door?", "Who avoided opening the door?"),
        ("en", "Who opened the door?", "Who has yet to open the door?"),
        ("en", "Who opened the door?", "Who forgot to open the door?"),
        ("en", "Who opened the door?", "Did anybody not open the door?"),
        ("en", "Who opened the door?", "Who besides Ben opened the door?"),
        ("en", "Who opened the door?", "Who opened the door, other than Ben?"),
        ("en", "Who opened the door?", "Did anyone but Ben open the door?"),
        ("en", "When did Ben open the door?", "When hasn't Ben opened the door?"),
        ("de", "Wer hat die Tür geöffnet?", "Wer hat vergessen, die Tür zu öffnen?"),
        ("de", "Wer hat die Tür geöffnet?", "Wer außer Ben hat die Tür geöffnet?"),
        ("de", "Wer hat die Tür geöffnet?", "Hat niemand die Tür geöffnet?"),
        ("fr", "Qui a ouvert la porte ?", "Qui n'a ouvert aucune porte ?"),
        ("fr", "Qui a ouvert la porte ?", "Personne n'a ouvert la porte ?"),
        ("fr", "Qui a ouvert la porte ?", "Qui n'a plus ouvert la porte ?"),
        ("fr", "Qui a ouvert la porte ?", "Qui a oublié d'ouvrir la porte ?"),
        ("fr", "Qui a ouvert la porte ?", "Qui, sauf Ben, a ouvert la porte ?"),
        ("fr", "Qui a ouvert la porte ?", "Qui d'autre que Ben a ouvert la porte ?"),
        ("es", "¿Quién abrió la puerta?", "¿Quién no abrió ninguna puerta?"),
        ("es", "¿Quién abrió la puerta?", "¿Quién jamás abrió la puerta?"),
        ("es", "¿Quién abrió la puerta?", "¿Quién tampoco abrió la puerta?"),
        ("es", "¿Quién abrió la puerta?", "¿Quién olvidó abrir la puerta?"),
        ("es", "¿Quién abrió la puerta?", "¿Quién abrió la puerta excepto Ben?"),
        ("it", "Chi ha aperto la porta?", "Chi non ha aperto nessuna porta?"),
        ("it", "Chi ha aperto la porta?", "Chi ha dimenticato di aprire la porta?"),
        ("it", "Chi ha aperto la porta?", "Chi ha aperto la porta tranne Ben?"),
        ("en", "Who opened the door?", "Who opens the door no more?"),
        ("en", "Who opened the door?", "Who no longer opens the door?"),
        ("en", "Who opened the door?", "Who opened the door? Not Ben."),
        ("en", "Who opened the door?", "Who arent opening the door?"),
        ("de", "Wer hat die Tür geöffnet?", "Wer öffnet die Tür nicht mehr?"),
        ("it", "Chi ha aperto la porta?", "Chi non apre più la porta?"),
    ],
)
def test_who_did_it_is_no_answer_to_who_did_not(code: str, asked: str, denied: str) -> None:
    graph = memory([(10.0, "Ben", "open", "door", ""), (20.0, "Anna", "close", "window", "")])
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    sure, doubted = (ask(text, Sources(ALL, graph, graph, EMBEDDER, language)) for text in (asked, denied))
    assert "Ben opens the door" in sure.text and sure.confidence > 0.7
    assert not doubted.text.startswith(sure.text[:20]) and doubted.confidence < 0.7


@pytest.mark.parametrize(
    ("code", "first", "second"),
    [
        ("en", "Who was the first to open the door?", "Who was the second to open the door?"),
        ("en", "Who opened the door first?", "Who opened the door second?"),
        ("en", "Who opened the door last?", "Who was next to last to open the door?"),
        ("de", "Wer hat als Erster die Tür geöffnet?", "Wer hat als Zweiter die Tür geöffnet?"),
        ("fr", "Qui a ouvert la porte en premier ?", "Qui a ouvert la porte en deuxième ?"),
        ("es", "¿Quién abrió la puerta por primera vez?", "¿Quién fue el segundo en abrir la puerta?"),
        ("it", "Chi ha aperto la porta per primo?", "Chi ha aperto la porta per secondo?"),
    ],
)
def test_who_was_the_second_is_not_counted_and_in_doubt(code: str, first: str, second: str) -> None:
    graph = memory([(10.0, "Ben", "open", "door", ""), (20.0, "Anna", "open", "door", "")])
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    sure, doubted = (ask(text, Sources(ALL, graph, graph, EMBEDDER, language)) for text in (first, second))
    assert sure.confidence > 0.7
    assert not doubted.text.startswith(sure.text[:20]) and doubted.confidence < 0.7


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Didn't Ben open the door?"),
        ("en", "Did Ben not open the door?"),
        ("en", "Ben opened the door, didn't he?"),
        ("en", "Did Ben open the door or not?"),
        ("en", "I don't know who opened the door"),
        ("en", "I didn't see who opened the door"),
        ("en", "No, who opened the door?"),
        ("en", "Who not only opened the door?"),
        ("de", "Ben hat die Tür geöffnet, nicht wahr?"),
        ("de", "Ich weiß nicht, wer die Tür geöffnet hat"),
        ("de", "Weißt du nicht, wer die Tür geöffnet hat?"),
        ("de", "Wer hat nicht nur die Tür geöffnet?"),
        ("fr", "Ben a ouvert la porte, n'est-ce pas ?"),
        ("fr", "Je sais pas qui a ouvert la porte"),
        ("fr", "Qui n'a ouvert que la porte ?"),
        ("es", "Ben abrió la puerta, ¿no?"),
        ("es", "No sé quién abrió la puerta"),
        ("it", "Ben ha aperto la porta, no?"),
        ("it", "Non so chi ha aperto la porta"),
    ],
)
def test_a_question_that_denies_only_in_its_form_is_answered_plainly(code: str, question: str) -> None:
    graph = memory([(10.0, "Ben", "open", "door", ""), (20.0, "Anna", "close", "window", "")])
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    plain = ask(question, Sources(ALL, graph, graph, EMBEDDER, language))
    assert plain.found and "Ben opens the door" in plain.text and plain.confidence > 0.7


@pytest.mark.parametrize(
    ("question", "where", "is_sure"),
    [
        ("Who didn't open the door?", "without a key", False),
        ("Who didn't open the door?", "of room no 5", False),
        ("Who didn't open the door?", "when nobody looks", False),
        ("Who opened the door without a key?", "without a key", True),
        ("Who opened the door?", "without a key", True),
    ],
)
def test_only_an_event_that_denies_the_deed_answers_who_did_not(question: str, where: str, is_sure: bool) -> None:
    graph = memory([(10.0, "Ben", "open", "door", where), (20.0, "Anna", "close", "window", "")])
    found = ask(question, Sources(ALL, graph, graph, EMBEDDER, ENGLISH))
    assert "Ben opens the door" in found.text and (found.confidence > 0.7) == is_sure


@pytest.mark.parametrize(
    ("code", "question", "quoted"),
    [
        ("de", "Wer hat zu Pfingsten die Tür geöffnet?", "„zu Pfingsten“"),
        ("fr", "Qui a ouvert la porte à la Pentecôte ?", "« à la Pentecôte »"),
        ("es", "¿Quién abrió la puerta al día siguiente?", "«al día siguiente»"),
        ("it", "Chi ha aperto la porta a Ferragosto?", "«a Ferragosto»"),
    ],
)
def test_a_time_that_is_left_out_is_quoted_as_it_was_asked(code: str, question: str, quoted: str) -> None:
    graph = memory([(10.0, "Ben", "open", "door", ""), (20.0, "Anna", "close", "window", "")])
    found = ask(question, Sources(ALL, graph, graph, EMBEDDER, AskedLanguage(code, "en")))
    assert found.text.startswith(quoted) and "Ben opens the door" in found.text
