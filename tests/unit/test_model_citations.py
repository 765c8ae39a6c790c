"""A chat model's answer is split into claims, whichever way it writes its citations."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.ports import Shape
from amr_neo4j.models.lenient_reply import read_leniently
from amr_neo4j.recall.answer.citations import checked

SUMMARIES = {55: "The girl picks up the phone", 56: "She leaves the room", 61: "Keys lie on the fridge"}
CONTEXT = {n: Event(n, "g", "home", ("c",), 0, n, n + 1.5, text) for n, text in SUMMARIES.items()}
PHONE, ROOM, FRIDGE = ("The girl picks up the phone", [55]), ("She leaves the room", [56]), ("On the fridge", [61])


def read(text: str, shape: type[Shape], /) -> Shape:
    return read_leniently(text, shape)[0]


def claims(reply: str) -> list[tuple[str, list[int]]]:
    """The words and node_ids of the claims that cite something."""
    found = [claim for claim in checked(list(reply), CONTEXT, read) if claim.events]
    return [(claim.text.partition(" [")[0], [event.node_id for event in claim.events]) for claim in found]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The girl picks up the phone [event 55]. She leaves the room [event 56].", [PHONE, ROOM]),
        ("The girl picks up the phone. [event 55] She leaves the room. [event 56]", [PHONE, ROOM]),
        ("[event 55] The girl picks up the phone.", [PHONE]),
        ("[event 55] The girl picks up the phone. [event 56] She leaves the room.", [PHONE, ROOM]),
        ("- [event 55] The girl picks up the phone.\n- [event 56] She leaves the room.", [PHONE, ROOM]),
        ("This is what I found:\n1. [event 55] The girl picks up the phone.", [PHONE]),
        ("It was dark. [event 55] The girl picks up the phone.", [PHONE]),
        ("The girl picks up the phone. [event 55] She leaves the room. [event 56] I hope this helps!", [PHONE, ROOM]),
        ("The girl picks up the phone.\n[event 55]\nShe leaves the room.\n[event 56]", [PHONE, ROOM]),
        ("On the fridge [event 61]. I also like tea.", [FRIDGE]),
        ("[event 55]: The girl picks up the phone.", [PHONE]),
        ("[event 55]", []),
        ("[event 55] [event 56].", []),
        ("The context does not say.", []),
    ],
)
def test_a_citation_belongs_to_its_claim(reply: str, expected: list[tuple[str, list[int]]]) -> None:
    assert claims(reply) == expected


@pytest.mark.parametrize(
    "label",
    [
        "(event 61)",
        "[61]",
        "[event 61, home]",
        "【event 61】",
        "[Event #61]",
        "[event 61, home, 00:01:01-00:01:02.5]",
        *("[event_61]", "[event: 61]", "[E61]", "[Ereignis 61]", "[Source: event 61]", "<event 61>"),
        *("**[event 61]**", "`[event 61]`", "([event 61])", "[[event 61]]"),
    ],
)
def test_near_forms_of_a_citation_are_read(label: str) -> None:
    assert claims(f"On the fridge {label}.") == [FRIDGE]
    assert claims(json.dumps({"claims": [{"text": "On the fridge.", "events": [label]}]})) == [FRIDGE]
    assert claims(json.dumps({"claims": [{"text": f"On the fridge {label}."}]})) == [FRIDGE]


def test_several_events_in_one_bracket_are_all_cited() -> None:
    assert claims("Both [events 55, 56].") == [("Both", [55, 56])]
    assert claims("Both [event 55; event 56].") == [("Both", [55, 56])]
    assert claims("Both [events 55-56].") == [("Both", [55, 56])]
    labels = "event 55, home, 00:00:55-00:00:56.5; event 56, home, 00:00:56-00:00:57.5"
    assert claims(f"Both [{labels}].") == [("Both", [55, 56])]
    assert claims(json.dumps({"claims": [{"text": "Both", "events": [labels]}]})) == [("Both", [55, 56])]
    [claim] = checked(["Both [events 55, 99]."], CONTEXT, read)
    assert claim.removed == ("[events 55, 99]",) and len(claim.events) == 1


@pytest.mark.parametrize("goes_on", ["", " She leaves the room [event 56]."])
def test_a_citation_within_a_sentence_cites_its_claim(goes_on: str) -> None:
    """The words before it are no claim of the event, and those after it are."""
    first, *_ = checked([f"According to [event 55], the girl picks up the phone.{goes_on}"], CONTEXT, read)
    label = "[event 55, home, 00:00:55-00:00:56.5]"
    assert first.text == f"According to {label}, the girl picks up the phone." and first.events == (CONTEXT[55],)


def test_a_year_in_round_brackets_is_no_citation() -> None:
    assert claims("He wrote it in his youth (61) [event 55].") == [("He wrote it in his youth (61)", [55])]


@pytest.mark.parametrize(
    "reply",
    [
        '{"answerable": true, "claims": [{"text": "On the fridge.", "events": [61]}]}',
        '```json\n{"claims": [{"text": "On the fridge", "events": "event 61"}], "answerable": true}\n```',
        '[{"text": "On the fridge.", "events": ["event 61"]}]',
        '{"answer": "On the fridge [event 61]."}',
        'Here it is:\n```json\n{"answerable": true, "claims": [{"text": "On the fridge.", "events": [61]}]}\n```',
        "{'answerable': True, 'claims': [{'text': 'On the fridge.', 'events': ['event 61']}]}",
        '{"answerable": true, "claims": [{"text": "On the fridge.", "events": ["event 61"],},],}',
        '{"answerable": true, "claims": {"text": "On the fridge.", "events": 61, "confidence": "high"}}',
        '{"answerable": true, "claims": ["On the fridge [event 61]."]}',
        '{"text": "On the fridge.", "events": ["E61"]}',
        "```\nOn the fridge [event 61].\n```",
    ],
)
def test_json_is_read_in_its_forms(reply: str) -> None:
    assert claims(reply) == [FRIDGE]


def test_each_claim_of_json_is_yielded_as_soon_as_it_is_complete() -> None:
    reply = ['{"answerable": true, "claims": [{"text": "On the fridge.", "events": [61]}', ', {"text": "more']
    assert next(checked(iter(reply[:1]), CONTEXT, read)).events and claims("".join(reply)) == [FRIDGE]


@pytest.mark.parametrize("said", ["On the fridge", "They are there"])
def test_a_claim_of_prose_is_yielded_while_the_reply_goes_on(said: str) -> None:
    def pieces() -> Iterator[str]:
        yield f"{said} [event 61]. Nobody"
        raise AssertionError("the first claim was complete")

    assert next(checked(pieces(), CONTEXT, read)).events == (CONTEXT[61],)


def test_a_near_form_before_an_exact_one_is_a_citation_of_its_own() -> None:
    reply = "On the fridge [event 61, home] and She leaves the room [event 56, home, 00:00:56-00:00:57.5]."
    assert claims(reply) == [FRIDGE, ("and She leaves the room", [56])]


@pytest.mark.parametrize(
    "reply",
    [
        '{"answerable": false, "claims": [{"text": "The fridge is not named.", "events": [61]}]}',
        '{"claims": [{"text": "The fridge is not named.", "events": [61]}], "answerable": "No"}',
        'I looked: {"answerable": False}',
    ],
)
def test_a_reply_that_is_not_answerable_makes_no_claims(reply: str) -> None:
    assert not claims(reply)
    [claim] = checked([reply], CONTEXT, read)
    assert claim.refuses and not claim.events


@pytest.mark.parametrize(
    "reply",
    ['{"answerable": true, "claims": [{"text": "On the fridge [event 61]', '{"claims": [{"text": null}]}', "{"],
)
def test_broken_json_is_never_shown(reply: str) -> None:
    assert not claims(reply)
