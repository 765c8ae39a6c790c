"""A chat model's answer is split into claims, whichever way it writes its citations."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.ports import Shape
from amr_neo4j.errors import ModelFailed
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
        ("The girl picks up the phone (#55).", [PHONE]),
        (json.dumps({"claims": [{"statement": PHONE[0], "evidence_ids": [55]}]}), [PHONE]),
        ("Según el evento 55, the girl picks up the phone.", [("the girl picks up the phone", [55])]),
        ("Selon l'événement 55, the girl picks up the phone.", [("the girl picks up the phone", [55])]),
        ("In 1955, the girl picks up the phone.", []),
        ("In event 55, the girl picks up the phone.", [("the girl picks up the phone", [55])]),
        ("Laut Ereignis 55, the girl picks up the phone.", [("the girl picks up the phone", [55])]),
        ("Laut Ereignis 55 hebt das Mädchen ab.", [("hebt das Mädchen ab", [55])]),
        ("Dans l'événement 55, the girl picks up the phone.", [("the girl picks up the phone", [55])]),
        ("In event 55 (00:10), the girl picks up the phone.", [("the girl picks up the phone", [55])]),
        ("In events 55 and 56, the girl is at home.", [("the girl is at home", [55, 56])]),
        ("In event 55, she calls. She comes back [event 56].", [("she calls", [55]), ("She comes back", [56])]),
        ("She calls [event 55]. In event 56, she comes back.", [("She calls", [55]), ("she comes back", [56])]),
        ("In event 55, Dr. Weber picks up the phone.", [("Dr. Weber picks up the phone", [55])]),
        (
            "In event 55, she calls Ana. She comes back [event 56].",
            [("she calls Ana", [55]), ("She comes back", [56])],
        ),
        (
            "In event 55, Mme. Roy calls. She comes back [event 56].",
            [("Mme. Roy calls", [55]), ("She comes back", [56])],
        ),
        (
            "— L'évènement n° 55 : elle décroche.\n— L'événement n° 56 : elle sort.",
            [("elle décroche", [55]), ("elle sort", [56])],
        ),
        ("– Das Ereignis 55: sie hebt ab.\n– Event 56: sie geht.", [("sie hebt ab", [55]), ("sie geht", [56])]),
        (
            "| Claim | Source |\n|---|:-:|\n| She calls | [event 55] |\n| She leaves | [event 56] |",
            [("She calls", [55]), ("She leaves", [56])],
        ),
        ('{"claims": [{"text": "Ella llama.", "evidencia": ["evento 55"]}]}', [("Ella llama", [55])]),
        ("She calls (siehe Ereignis 55, 56:10).", [("She calls", [55])]),
        ("She calls (événement 55, 56 secondes).", [("She calls", [55])]),
        (
            "She calls [event 55](#e55). She leaves [event 56](https://x/y).",
            [("She calls", [55]), ("She leaves", [56])],
        ),
        ("In event 55, she runs 3.5 km to the phone.", [("she runs 3.5 km to the phone", [55])]),
        (
            "In event 55, Dr. Weber calls. He comes back [event 56].",
            [("Dr. Weber calls", [55]), ("He comes back", [56])],
        ),
        ("In event 55, the girl picks up the phone [event 55].", [("the girl picks up the phone", [55])]),
        (
            "- In event 55, she calls [event 55].\n- In event 56, she leaves.",
            [("she calls", [55]), ("she leaves", [56])],
        ),
        ("In event 55 and event 56, the girl is at home.", [("the girl is at home", [55, 56])]),
        ("1. She calls [event 55].\n1. She leaves [event 56].", [("She calls", [55]), ("She leaves", [56])]),
        ("10. Juli war es (event 55).", [("10. Juli war es", [55])]),
        (
            '{"answerable": true, "claims": {"2": "She leaves [event 56]", "1": "She calls [event 55]"}}',
            [("She calls", [55]), ("She leaves", [56])],
        ),
        ('{"answerable": true, "claims": {"1": "She calls [event 55]", "2": null}}', [("She calls", [55])]),
        ("1. The girl picks up the phone (event 55)\n2. She leaves the room (event 56)", [PHONE, ROOM]),
        (
            json.dumps(
                {"claims": {"1": {"text": PHONE[0], "events": ["event 55"]}, "2": {"text": ROOM[0], "events": [56]}}}
            ),
            [PHONE, ROOM],
        ),
        ("[event 55] The girl picks up the phone. [event 56] She leaves the room.", [PHONE, ROOM]),
        ("- [event 55] The girl picks up the phone.\n- [event 56] She leaves the room.", [PHONE, ROOM]),
        ("This is what I found:\n1. [event 55] The girl picks up the phone.", [PHONE]),
        ("It was dark. [event 55] The girl picks up the phone.", [PHONE]),
        ("The girl picks up the phone. [event 55] She leaves the room. [event 56] I hope this helps!", [PHONE, ROOM]),
        ("The girl picks up the phone.\n[event 55]\nShe leaves the room.\n[event 56]", [PHONE, ROOM]),
        ("On the fridge [event 61]. I also like tea.", [FRIDGE]),
        ("[event 55]: The girl picks up the phone.", [PHONE]),
        ("**Event 55**: The girl picks up the phone.\nEvent 56: She leaves the room.", [PHONE, ROOM]),
        ("| The girl picks up the phone | [event 55] |\n| She leaves the room | [event 56] |", [PHONE, ROOM]),
        ("They met at event 12:31:05.", []),
        (
            'The girl picks up the phone [event 55]. She says "claims" [event 56].',
            [PHONE, ('She says "claims"', [56])],
        ),
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
        *("[home, event 61]", "[event 61 | home]", "(event 61; home)", "*(event 61)*", "(Evidence: event 61)"),
        *("(as seen in event 61)", "Sources: [event 61]", "[event 61 at 00:01:01]"),
        *(
            "Fonti: [event 61]",
            "Belege: [event 61]",
            "Referencia: [event 61]",
            "Preuve : [event 61]",
            "(Fonti: event 61)",
        ),
        *("(see event 61)", "(cf. [event 61])", "(Source: event 61, home)", "(Ereignis 61)", "[evento n. 61]"),
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
    for both in ("[event 55] and [event 56]", "[événements 55 et 56]", "(eventi 55 e 56)", "[Ereignisse 55 und 56]"):
        assert claims(f"Both {both}.") == [("Both", [55, 56])]
    assert claims(json.dumps({"claims": [{"text": "Both", "events": [labels]}]})) == [("Both", [55, 56])]
    [claim] = checked(["Both [events 55, 99]."], CONTEXT, read)
    assert claim.removed == ("[events 55, 99]",) and len(claim.events) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "In event 55, the girl picks up the phone [event 55].",
        "- In event 55, she calls [event 55].\n- In event 56, she leaves.",
        "1. [event 55] The girl picks up the phone.",
    ],
)
def test_what_only_leads_to_a_claim_is_no_claim(reply: str) -> None:
    assert all(claim.events for claim in checked([reply], CONTEXT, read))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Event 55 shows {c}. {d} in event 56.", [[55], [56]]),
        ("Event 55 shows {c}, and event 56 confirms it.", [[55, 56]]),
        ("{c}, as event 55 and event 56 show.", [[55, 56]]),
        ("{c} (see 55).", [[55]]),
        ("{c} (ev. 55).", [[55]]),
        ("In event [55], {c}.", [[55]]),
        ("In events 55, 56 and 61, {c}.", [[55, 56, 61]]),
        ("In event 55, 56 people call.", [[55]]),
        ("Event number 55 shows {c}.", [[55]]),
        ("**Event 55** shows {c}. **Event 56** shows {d}.", [[55], [56]]),
        ("- **Event 55 (home, 00:00:55-00:00:56):** {c}.", [[55]]),
        ("Event 55 – {c}.", [[55]]),
        ("Event 55 shows {c}. In event 56, {d}.", [[55], [56]]),
        ("{c} [event 55]. Event 56 shows {d}.", [[55], [56]]),
        ("The girl in event 55 calls. [event 55] {d}. [event 56]", [[55], [56]]),
        ("Event 55 shows {c}.\n[event 55]\n{d}.\n[event 56]", [[55], [56]]),
        ("Event 55 shows the girl\npicking up the phone.", [[55]]),
        ('{{"answerable": true, "claims": [{{"text": "Event 55 shows {c}.", "events": []}}]}}', [[55]]),
        ('{{"answerable": true, "claims": [{{"text": "Event 55 shows {c}.", "events": [56]}}]}}', [[56]]),
        ("Ereignis Nr. 55 zeigt, wie sie abhebt.", [[55]]),
        ("In den Ereignissen 55 und 56 ist sie da.", [[55, 56]]),
        ("Elle décroche (voir 55), comme le montre l'événement 56.", [[55]]),
        ("Comme le montrent les événements 55 et 56, elle est là.", [[55, 56]]),
        ("El evento 55 la muestra. El evento 56 también.", [[55], [56]]),
        ("Come si vede nell'evento 55, la ragazza risponde.", [[55]]),
        ("Events 55 to 61 show {c}.", [[55, 56, 61]]),
        ("Comme le montrent les événements 55 à 56, elle est là.", [[55, 56]]),
        ("Die Ereignisse 55 bis 61 zeigen sie.", [[55, 56, 61]]),
        ("Los eventos del 55 al 61 la muestran.", [[55, 56, 61]]),
        ("Gli eventi da 55 a 61 la mostrano.", [[55, 56, 61]]),
        ("{c} [events 55-61].", [[55, 56, 61]]),
        ("Events 55, 56, and 61 show {c}.", [[55, 56, 61]]),
        ("Events 55 to 9000000 show {c}.", [[55]]),
        ("> Laut den Ereignissen 55–56 hebt sie ab.\n\n*Quelle: Ereignis 61*: Dort liegen sie.", [[55, 56], [61]]),
        ("Event 55 to event 56 show {c}.", [[55, 56]]),
        ("Event 99 shows {c}.", []),
        ("The event in 55 BC was odd.", []),
    ],
)
def test_an_event_in_the_words_of_a_sentence_is_cited(reply: str, expected: list[list[int]]) -> None:
    """A citation in another form, where the sentence has one, is the only one."""
    assert [events for _, events in claims(reply.format(c=PHONE[0], d=ROOM[0]))] == expected


@pytest.mark.parametrize("goes_on", ["", " She leaves the room [event 56]."])
def test_a_citation_within_a_sentence_cites_its_claim(goes_on: str) -> None:
    """The words before it are no claim of the event, and those after it are."""
    first, *_ = checked([f"According to [event 55], the girl picks up the phone.{goes_on}"], CONTEXT, read)
    label = "[event 55, home, 00:00:55-00:00:56.5]"
    assert first.text == f"According to {label}, the girl picks up the phone." and first.events == (CONTEXT[55],)


def test_a_source_that_is_named_without_brackets_is_no_part_of_the_claim() -> None:
    for source in ("Source: event 55", "*Source: event 55*", "Quelle: Ereignis 55"):
        assert claims(f"{PHONE[0]}. {source}") == claims(f"{PHONE[0]}.\n\n{source}.") == [PHONE]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Laut Ereignis 55 bis 61 Uhr schläft sie.", [("bis 61 Uhr schläft sie", [55])]),
        ("En el evento 55 a 61 metros de la puerta, cae.", [("a 61 metros de la puerta, cae", [55])]),
        ("En el evento 55 a 56 metros de la puerta, cae.", [("a 56 metros de la puerta, cae", [55])]),
        ("El evento 55 a 61 metros la muestra.", [("El evento 55 a 61 metros la muestra", [55])]),
        ("L'événement 55 à 56 h la montre.", [("L'événement 55 à 56 h la montre", [55])]),
        ("Event 55 to 61 pm shows it.", [("Event 55 to 61 pm shows it", [55])]),
        ("Event 55 through 61 doors shows it.", [("Event 55 through 61 doors shows it", [55])]),
        ("It rings (event 55 - 61 pm).", [("It rings", [55])]),
        ("It rings [event 55, 56-61 pm].", [("It rings", [55])]),
        ("At [55-61] degrees she calls [event 61].", [("At", [61])]),
        ("She is [55 to 61] years old [event 61].", [("She is", [61])]),
        ("She asks the source: event 55 is on Friday.", [("She asks the source: event 55 is on Friday", [55])]),
        ("She names a reference: event 55.", [("She names a reference: event 55", [55])]),
        ("She leaves. **Source**: event 55, home", [("She leaves", [55])]),
        ("- She leaves.\n- Source: event 55", [("She leaves", [55])]),
    ],
)
def test_what_follows_an_event_and_what_only_looks_like_a_citation_stays(
    reply: str, expected: list[tuple[str, list[int]]]
) -> None:
    assert claims(reply) == expected


def test_each_clause_has_its_own_citation() -> None:
    first, second = checked(
        ["In [event 55] the girl picks up the phone, and in [event 56] she leaves the room."], CONTEXT, read
    )
    assert first.text == "In [event 55, home, 00:00:55-00:00:56.5] the girl picks up the phone"
    assert second.text == "and in [event 56, home, 00:00:56-00:00:57.5] she leaves the room."


def test_a_year_in_round_brackets_is_no_citation() -> None:
    assert claims("He wrote it in his youth (61) [event 55].") == [("He wrote it in his youth (61)", [55])]


@pytest.mark.parametrize("start", ["(", "[see", "[turn 4, ", "(turn 4, x"])
def test_a_run_of_spaces_after_a_bracket_ends(start: str) -> None:
    """It took minutes where it takes a tenth of a second; the bound is far from both."""
    began = time.monotonic()
    assert claims(start + " " * 3000) == []
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    "reply",
    [
        '<answer>\n<claim events="55">{c}.</claim>\n<claim events="event 56">{d}.</claim>\n</answer>',
        "<claim><text>{c}.</text><events>55</events></claim><claim><text>{d}.</text><event>56</event></claim>",
        "<final_answer>{c} [event 55]. {d} [event 56].</final_answer>",
    ],
)
def test_a_reply_in_tags_is_read(reply: str) -> None:
    assert claims(reply.format(c=PHONE[0], d=ROOM[0])) == [PHONE, ROOM]


def test_a_long_list_of_events_in_words_ends() -> None:
    began = time.monotonic()
    assert len(list(checked(["Events " + "55 and " * 3000 + "56 show her."], CONTEXT, read))) == 1
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("end", ["", " (home)).", ", x].", " show it."])
@pytest.mark.parametrize("begin", ["She leaves [events ", "She leaves (events ", "The numbers are ["])
def test_a_bracketed_list_that_does_not_end_as_one_ends(begin: str, end: str) -> None:
    """Each further number took twice as long."""
    began = time.monotonic()
    assert isinstance(claims(begin + ", ".join(map(str, range(5, 45))) + end), list)
    assert time.monotonic() - began < 30


def turn(node_id: int, session_id: str, number: int, actor: str) -> Event:
    said = Turn(f"{session_id}_{number}", session_id, number, f"turn_{number}", actor)
    return Event(node_id, "g", session_id, (), number, 0, 0, "I moved to Porto", turn=said)


TURNS = {
    each.node_id: each
    for each in (
        turn(70, "s_1", 4, "Anna"),
        turn(71, "s_2", 4, "Ben"),
        turn(72, "s_2", 6, "Anna"),
        turn(73, "talk [1]", 3, "Anna"),
        CONTEXT[61],
        replace(CONTEXT[61], node_id=2),
    )
}


def cited_turns(reply: str) -> list[int]:
    return [event.node_id for claim in checked(list(reply), TURNS, read) for event in claim.events]


@pytest.mark.parametrize(
    ("label", "cited"),
    [
        ("[turn 4, s_1, Anna]", [70]),
        ("[turn 4, s_2]", [71]),
        ("[turn 4, ben]", [71]),
        ("[turn 6]", [72]),
        ("(turn 6)", [72]),
        ("(see turn 6, s_2)", [72]),
        ("【Turn 6】", [72]),
        ("[turn_6]", [72]),
        ("[turns 4 and 6, s_2]", [71, 72]),
        ("[turn 4, s_1, Anna; turn 6, s_2, Anna]", [70, 72]),
        ("[turn 4, s_1, Anna, turn 6, s_2, Anna]", [70, 72]),
        ("[turn 4, s_1, Anna; event 61]", [70, 61]),
        ("[s_2, turn 4]", [71]),
        ("[turn 4, Ben, s_2]", [71]),
        ("[Ben; turn 4; s_2]", [71]),
        ("(s_2, turn 4)", [71]),
        ("[S 2; turn 6]", [72]),
        ("[session 61; turn 6]", []),
        ("[see turn 4, s_1; turn 6, s_2]", [70, 72]),
        ("[turn 3, talk (1), Anna]", [73]),
        ("[turn 4]", []),
        ("[turn 6, s_1]", []),
        ("[turn 5]", []),
    ],
)
def test_near_forms_of_the_citation_of_a_turn_are_read(label: str, cited: list[int]) -> None:
    """[turn 4] alone would be a turn of either session."""
    assert cited_turns(f"She lives in Porto {label}.") == cited
    assert cited_turns(json.dumps({"claims": [{"text": "She lives in Porto.", "events": [label]}]})) == cited
    if label[0] == "[":
        assert cited_turns(json.dumps({"claims": [{"text": "In Porto.", "events": [label.strip("[]")]}]})) == cited


@pytest.mark.parametrize(
    ("reply", "cited"),
    [
        ("In turn 6, Anna says it.", [72]),
        ("She moved, as Anna says in turn 6.", [72]),
        ("Turn 6 states it.", [72]),
        ("They turn 6 pages.", []),
    ],
)
def test_a_turn_in_the_words_of_a_sentence_is_cited(reply: str, cited: list[int]) -> None:
    assert cited_turns(reply) == cited


@pytest.mark.parametrize(
    "keys",
    [
        {"events": [{"turn": 4, "session": "s_2", "speaker": "Ben"}]},
        {"turns": ["turn 4, s_2, Ben"]},
        {"turn": "turn 4, Ben"},
        {"sources": [{"turn": 4, "session_id": "s_2"}]},
        {"events": [{"speaker": "Ben", "session": "s_2", "turn": 4}]},
        {"turn": 4, "session": "s_2"},
        {"speaker": "Ben", "events": ["turn 4"]},
    ],
)
def test_turns_are_cited_under_keys_of_their_own(keys: dict[str, object]) -> None:
    assert cited_turns(json.dumps({"claims": [{"text": "He lives in Porto.", **keys}]})) == [71]


def test_several_turns_under_one_key_are_all_cited() -> None:
    assert cited_turns(json.dumps({"claims": [{"text": "In Porto.", "turns": "4, 6", "session": "s_2"}]})) == [71, 72]


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
        '{"answerable": true, "claims": [{"claim": "On the fridge.", "citations": ["event 61"]}]}',
        '{"answerable": true, "claims": [{"text": "On the fridge.", "events": [], "sources": ["event 61"]}]}',
        '{"answerable": true, "claims": [{"text": "On the fridge.", "sources": [], "events": ["event 61"]}]}',
        '{"answerable": true, "claims": [{"text": "On the fridge.", "event_ids": [61], "events": [61]}]}',
        '{"answerable": true, "claims": [{"text": "On the fridge.", "supporting_events": 61}]}',
        '{"answerable": true, "claims": [{"text": "On the fridge.", "eventIds": ["61"], "confidence": 0.9}]}',
        '{"answerable": true, "claims": [{"Text": "On the fridge.", "Refs": [], "References": [{"event": 61}]}]}',
        '{"claims": [{"text": "On the fridge.", "events": null, "source": "event 61"}], "answerable": true}',
        '{"answerable": true, "answer": "On the fridge.", "event": 61}',
        "```\nOn the fridge [event 61].\n```",
        '{"answerable": true, "claims": [{"text": "On the fridge.", "events": ["event 61 (home)", 61.0]}]}',
        '{"Answerable": true, "Claims": [{"Text": "On the fridge.", "Events": [61]}]}',
        '"answerable": true, "claims": [{"text": "On the fridge.", "events": [61]}]',
    ],
)
def test_json_is_read_in_its_forms(reply: str) -> None:
    assert claims(reply) == [FRIDGE]


@pytest.mark.parametrize(
    "other",
    [
        {"citation_count": 56},
        {"evidence_score": 55},
        {"capacity": 56, "city": 55},
        {"sources": 56},
        {"source_count": "56"},
        {"evidence": [55, "56"]},
        {"references": [{"number": 55}]},
    ],
)
def test_a_number_beside_the_citations_cites_nothing(other: dict[str, object]) -> None:
    reply = {"answerable": True, "claims": [{"text": "On the fridge.", "events": [61], **other}]}
    assert claims(json.dumps(reply)) == [FRIDGE]


@pytest.mark.parametrize(
    "cited", [{"Cited_Events": [61]}, {"evidence": ["event 61"]}, {"source": {"eventId": 61}}, {"IDs": [61]}]
)
def test_citations_are_read_under_the_keys_that_models_use(cited: dict[str, object]) -> None:
    assert claims(json.dumps({"answerable": True, "claims": [{"text": "On the fridge.", **cited}]})) == [FRIDGE]


@pytest.mark.parametrize("cited", ["55-56", "55 – 56", "#55-#56"])
def test_a_range_under_a_key_of_events_cites_them_all(cited: str) -> None:
    reply = {"answerable": True, "claims": [{"text": PHONE[0], "events": [cited]}]}
    assert claims(json.dumps(reply)) == [(PHONE[0], [55, 56])]


def test_each_claim_of_json_is_yielded_as_soon_as_it_is_complete() -> None:
    reply = ['{"answerable": true, "claims": [{"text": "On the fridge.", "events": [61]}', ', {"text": "more']
    assert next(checked(iter(reply[:1]), CONTEXT, read)).events and claims("".join(reply)) == [FRIDGE]


@pytest.mark.parametrize("end", ["", "</think>"])
def test_what_a_model_thinks_before_its_answer_is_no_claim(end: str) -> None:
    thought = f"The girl may have them [event 55]. She left [event 56]. {end}"
    answer = {"answerable": True, "claims": [{"text": "On the fridge.", "events": [61]}]}
    assert claims(thought + json.dumps(answer)) == [FRIDGE]
    if end:
        assert claims(f"{thought}On the fridge [event 61].") == [FRIDGE]


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


def test_of_prose_that_breaks_off_the_complete_claims_are_kept() -> None:
    def pieces() -> Iterator[str]:
        yield "Keys lie on the fridge [event 61]. Then she"
        raise ModelFailed("the connection was lost")

    claims = checked(pieces(), CONTEXT, read)
    assert [event.node_id for event in next(claims).events] == [61]
    with pytest.raises(ModelFailed):
        next(claims)


@pytest.mark.parametrize("piece", [".", "*", "Event 55 shows x. ", "[event 55] ", "a. ", "(see ", "event "])
def test_a_reply_that_repeats_itself_ends(piece: str) -> None:
    """Some took half a minute or more, since the end of each sentence was looked for from every place."""
    assert isinstance(claims(piece * (40_000 // len(piece))), list)


@pytest.mark.parametrize(
    "said",
    [
        "She won in turn 3 rounds.",
        "The event 5 years ago was sad.",
        "The events 2 and 3 weeks ago were loud.",
        "At the event 3 people danced.",
        "Das Ereignis 3 Tage vorher war laut.",
        "L'événement 5 jours avant était triste.",
    ],
)
def test_a_number_of_what_is_counted_cites_nothing(said: str) -> None:
    assert all(not each[1] for each in claims(said))
