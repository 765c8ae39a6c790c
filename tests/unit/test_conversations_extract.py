"""Validation of extraction replies, extraction by rules, and the JSON of episodes: without a graph."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j import settings
from amr_neo4j.app.fact_reading import RuleReader
from amr_neo4j.conversations.export import from_json, to_json
from amr_neo4j.conversations.extract_by_model import by_model, supported
from amr_neo4j.conversations.extract_by_rules import by_rules
from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.mention import Extracted, Mention, Relation, Window, mention_in, stated_in
from amr_neo4j.domain.replies import Statements
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.errors import InputError
from amr_neo4j.language.en.identities import person_key
from amr_neo4j.language.en.mentions import is_pronoun
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from tests.support.examples import examples
from tests.support.model_server import ModelServer
from tests.support.orwell import ABRIDGED, DOCUMENT, MENTIONS, RELATIONS, TURNS

NOW = datetime(2025, 2, 12, 10, 32, tzinfo=UTC)
SESSION = Session("g", "u", "s")


def episode(turn: int, content: str, actor: str = "user") -> Episode:
    who = person_key(actor).person_id
    return Episode(SESSION, f"ep_{turn}", "message", actor, who, content, NOW.replace(minute=turn), turn)


def read(*turns: tuple[str, str]) -> list[Extracted]:
    """By rules, turn for turn, each with the three before it."""
    episodes = [episode(n, content, actor) for n, (actor, content) in enumerate(turns)]
    found: list[Extracted] = []
    for n in range(len(episodes)):
        before = tuple(mention for one in found[max(0, n - 3) : n] for mention in one.mentions)
        found.append(by_rules(Window(tuple(episodes[max(0, n - 3) : n + 1]), before), ENGLISH))
    return found


READER = RuleReader(("en", "es", "fr", "de", "it"), Speakers())


def read_facts(*turns: tuple[str, str]) -> list[Extracted]:
    """As `read`, with the facts of each turn."""
    episodes = [episode(n, content, actor) for n, (actor, content) in enumerate(turns)]
    found: list[Extracted] = []
    for n in range(len(episodes)):
        before = tuple(mention for one in found[max(0, n - 3) : n] for mention in one.mentions)
        window = Window(tuple(episodes[max(0, n - 3) : n + 1]), before)
        understood, _ = READER.read(window)
        found.append(by_rules(window, ENGLISH if understood.language in ("", "en") else None, understood.facts))
    return found


def named(found: Extracted) -> set[tuple[str, str]]:
    return {(mention.type, mention.text) for mention in found.mentions}


def stated(found: Extracted) -> set[tuple[str, str, str]]:
    return {(relation.source.text, relation.type, relation.target.text) for relation in found.relations}


def test_the_rules_extract_the_example() -> None:
    found = read(*((turn["actor"], turn["content"]) for turn in TURNS))
    assert sorted((m.turn, m.type, m.text) for one in found for m in one.mentions) == MENTIONS
    assert [(r.type, r.source.text, r.target.text, r.turn) for one in found for r in one.relations] == RELATIONS


@pytest.mark.parametrize(
    ("said", "states"),
    [
        ("My name is Clara and I work at Siemens.", ("Clara", "WORKS_AT", "Siemens")),
        ("Yesterday George Orwell moved to Burma.", ("George Orwell", "MOVED_TO", "Burma")),
        ("I think Maria lives in Paris.", ("Maria", "LIVES_IN", "Paris")),
        ("Clara's sister Maria called.", ("Maria", "SISTER_OF", "Clara")),
        ("Maria is Clara's sister.", ("Maria", "SISTER_OF", "Clara")),
        ("Ben and Clara are old friends.", ("Ben", "FRIEND_OF", "Clara")),
        ("Clara has a small dog named Bello.", ("Clara", "OWNS", "Bello")),
        ("George Orwell, also known as Eric Blair, came.", ("George Orwell", "ALSO_KNOWN_AS", "Eric Blair")),
        ("Burmese Days is a novel.", ("Burmese Days", "IS_A", "novel")),
        ("George Orwell wrote Burmese Days.", ("George Orwell", "WROTE", "Burmese Days")),
    ],
)
def test_relations_found_in_a_sentence(said: str, states: tuple[str, str, str]) -> None:
    [found] = read(("user", said))
    assert stated(found) == {states}


@pytest.mark.parametrize(
    "said",
    [
        "Does Maria live in Paris?",
        "Is George Orwell a British author?",
        "Maria doesn't live in Paris.",
        "If Maria lives in Paris, good.",
        "Dinner is a mess.",
        "It is also known as a mess.",
        "He is a teacher.",
        "I work at home.",
        "Clara was born in May.",
        "Clara wrote Maria a letter.",
        "George Orwell wrote Homage to Catalonia.",
    ],
)
def test_sentences_without_a_relation(said: str) -> None:
    [found] = read(("user", said))
    assert not found.relations


def test_a_pronoun_refers_to_a_name_in_the_window() -> None:
    """I: the person who gave their name; she: the only other person; with two others, nobody."""
    found = read(
        ("Anna", "My name is Anna and my sister Maria lives in Paris."),
        ("Anna", "She works at Siemens. I work at Bosch."),
        ("Ben", "She was born in Rome."),
    )
    assert stated(found[1]) == {("Maria", "WORKS_AT", "Siemens"), ("Anna", "WORKS_AT", "Bosch")}
    assert not found[2].relations and named(found[2]) == {("LOCATION", "Rome")}
    assert not any(is_pronoun(mention.text) for one in found for mention in one.mentions)


def test_names_of_other_things_are_not_persons() -> None:
    [found] = read(("user", "I liked Animal Farm and the Louvre, says George Orwell's cousin. I live in Munich."))
    assert named(found) == {("PERSON", "George Orwell"), ("LOCATION", "Munich")}


def test_a_hedge_halves_the_confidence() -> None:
    [sure], [unsure] = read(("u", "Maria lives in Paris.")), read(("u", "I think Maria lives in Paris."))
    assert sure.relations[0].confidence == 2 * (unsure.relations[0].confidence or 0) > 0


@pytest.mark.parametrize(
    ("said", "states"),
    [
        ("Ich wohne in Köln und arbeite bei Bosch.", {("Ann", "LIVES_IN", "Köln"), ("Ann", "WORKS_AT", "Bosch")}),
        ("Ma soeur s'appelle Léa.", {("Léa", "SISTER_OF", "Ann")}),
        ("Me encanta el jazz.", {("Ann", "LIKES", "jazz")}),
        ("Sono nato a Torino.", {("Ann", "BORN_IN", "Torino")}),
        ("My dad is 62.", {("dad", "AGE", "62")}),
        ("My name is Ann.", set[tuple[str, str, str]]()),
    ],
)
def test_facts_become_relations(said: str, states: set[tuple[str, str, str]]) -> None:
    """In five languages. The speaker is the actor of the turn; "my sister" is stated as a relation of the sister."""
    [found] = read_facts(("Ann", said))
    assert stated(found) == states


def test_facts_add_nothing_to_what_a_pattern_relates() -> None:
    found = read_facts(*((turn["actor"], turn["content"]) for turn in TURNS))
    assert sorted((m.turn, m.type, m.text) for one in found for m in one.mentions) == MENTIONS
    assert [(r.type, r.source.text, r.target.text, r.turn) for one in found for r in one.relations] == RELATIONS


def test_ends_of_facts_are_words_of_the_window() -> None:
    """A pronoun's referent is the mention of the turn that named it; an assistant states nothing."""
    _, second, third = read_facts(
        ("Ann", "My sister Maria has two cats."), ("Ann", "She loves jazz."), ("assistant", "I live in Porto.")
    )
    [likes] = second.relations
    assert (likes.source.text, likes.source.turn, likes.target.text, likes.turn) == ("Maria", 0, "jazz", 1)
    assert not third.relations


WORDS = st.sampled_from(["George Orwell", "Eric Blair", "Paris", "He", "I", "turn 0", ""])
POINTERS = st.fixed_dictionaries({"turn": st.integers(0, 9), "text": WORDS})
REPLY = st.fixed_dictionaries(
    {
        "mentions": st.lists(st.fixed_dictionaries({"text": WORDS.filter(bool), "type": st.just("person")})),
        "relations": st.lists(
            st.fixed_dictionaries(
                {"type": st.just("Is a"), "source": POINTERS, "target": POINTERS, "confidence": st.just(0.5)}
            )
        ),
    }
)


@given(reply=REPLY)
def test_mentions_of_a_model_occur_in_the_window(reply: dict[str, Any]) -> None:
    """A mention's words occur in the last turn, each once, no pronoun; both ends of a relation are in the window.

    The speaker of the turn may be mentioned, too, by the name of the actor.
    """
    turns = (episode(4, "George Orwell"), episode(5, "He is Eric Blair"))
    before = (mention_in(turns[0], "PERSON", "George Orwell"),)
    found = supported(Window(turns, before), Statements.model_validate(reply), ENGLISH)
    assert len(set(found.mentions)) == len(found.mentions)
    assert all(m.turn == 5 for m in found.mentions)
    texts = {m.text for m in found.mentions} - {turns[1].actor}
    assert all(text in turns[1].content and not is_pronoun(text) for text in texts)
    assert all({r.source, r.target} <= {*before, *found.mentions} for r in found.relations)
    assert all((r.turn, r.valid_at, r.episode_id) == (5, turns[1].valid_at, "ep_5") for r in found.relations)
    wanted = {(s["text"]) for s in reply["mentions"]} & {"Eric Blair"}
    assert texts == wanted


@pytest.mark.parametrize(
    ("content", "kind", "words", "text", "start"),
    [
        ("Ann-Kathrin lives here.", "PERSON", "Ann", "", None),
        ("Ann-Kathrin lives here.", "PERSON", "ann-kathrin", "Ann-Kathrin", 0),
        ("Ann-Kathrin lives here.", "PERSON", "Kathrin", "", None),
        ("Ann-Kathrin met Ann.", "PERSON", "ann", "Ann", 16),
        ("i met ann-kathrin", "PERSON", "Ann", "", None),
        ("Jean\u2011Luc a téléphoné.", "PERSON", "Luc", "", None),
        ("Frau Müller-Lüdenscheidt kam.", "PERSON", "Müller", "", None),
        ("j'ai vu anna-là", "PERSON", "anna", "anna", 8),
        ("j'ai vu anna-ci", "PERSON", "Anna", "anna", 8),
        ("Wo ist die Anna-Party?", "PERSON", "Anna", "Anna", 11),
        ("Give me Anna-Party pictures.", "PERSON", "Anna", "Anna", 8),
        ("J'ai vu Me Anna-Roche.", "PERSON", "Anna", "", None),
        ("Ich sah das Merkel-Interview.", "PERSON", "Merkel", "Merkel", 12),
        ("Die Müller-Familie kam.", "PERSON", "Müller", "Müller", 4),
        ("the smith-led team won", "PERSON", "Smith", "smith", 4),
        ("Gestern kam Karl-Heinz.", "PERSON", "Karl", "", None),
        ("Anna Müller-Lüdenscheidt kam.", "PERSON", "Lüdenscheidt", "", None),
        ("The Smith-led team won.", "PERSON", "smith", "Smith", 4),
        ("The anti-Smith camp won.", "PERSON", "Smith", "Smith", 9),
        ("Anna - Ben is late.", "PERSON", "Ben", "Ben", 7),
        ("I live in Berlin-Mitte.", "LOCATION", "Berlin", "Berlin", 10),
    ],
)
def test_half_of_a_hyphenated_name_is_not_that_person(
    content: str, kind: str, words: str, text: str, start: int | None
) -> None:
    reply = {"mentions": [{"text": words, "type": kind}], "relations": []}
    found = supported(Window((episode(0, content),)), Statements.model_validate(reply), ENGLISH)
    assert [(m.text, m.start) for m in found.mentions] == ([(text, start)] if text else [])


def test_words_alone_point_at_the_only_turn_that_mentions_them() -> None:
    turns = (episode(0, "Anna is here."), episode(1, "I live in Porto.", actor="ben"))
    reply = {"mentions": [{"text": "Porto", "type": "LOCATION"}], "relations": []}
    reply["relations"] = [
        {"type": "LIVES_IN", "source": source, "target": "Porto", "confidence": 0.9}
        for source in ("I", "turn 0: Anna (PERSON)")
    ]
    window = Window(turns, (mention_in(turns[0], "PERSON", "Anna"),))
    found = supported(window, Statements.model_validate(reply), ENGLISH)
    assert [(r.source.text, r.target.text) for r in found.relations] == [("ben", "Porto"), ("Anna", "Porto")]


def test_the_speaker_is_who_speaks() -> None:
    reply = {"mentions": [{"text": "Porto", "type": "LOCATION"}], "relations": []}
    ends = {"source": {"turn": 0, "text": "The speaker"}, "target": {"turn": 0, "text": "Porto"}}
    reply["relations"] = [{"type": "LIVES_IN", **ends, "confidence": 0.9}]
    found = supported(
        Window((episode(0, "I live in Porto.", actor="anna"),)), Statements.model_validate(reply), ENGLISH
    )
    assert [(r.source.text, r.target.text) for r in found.relations] == [("anna", "Porto")]


def test_i_in_an_earlier_turn_is_not_who_speaks_now() -> None:
    turns = (episode(4, "I am Ben", actor="ben"), episode(5, "Eric Blair is my friend"))
    end = {"text": "Eric Blair", "turn": 5}
    reply = {"mentions": [{"type": "PERSON", "text": "Eric Blair"}], "relations": []}
    reply["relations"] = [{"type": "KNOWS", "source": {"text": "I", "turn": 4}, "target": end, "confidence": 0.9}]
    assert supported(Window(turns), Statements.model_validate(reply), ENGLISH).relations == ()


def test_relations_to_later_or_other_turns_are_dropped() -> None:
    early, late = (mention_in(episode(turn, "x"), "PERSON", "Anna") for turn in (0, 1))
    with pytest.raises(ValueError, match="comes later"):
        stated_in(episode(0, "x"), early, late, kind="KNOWS")
    other = Mention(Session("g", "u", "other"), 0, "PERSON", "Ben", "e", NOW)
    with pytest.raises(ValueError, match="one session"):
        Relation(early, other, "KNOWS", 1, "ep_1", NOW)


def test_both_forms_of_the_example_document_are_read() -> None:
    other = copy.deepcopy(DOCUMENT)
    for node in other["nodes"]:
        turn = int(node.pop("episode_id")[-1])
        node["content"] = {"mention": node.pop("mention"), "turn": turn}
        node["metadata"] = {"turn": str(turn), "timestamp": node.pop("validAt")}
    for edge in other["edges"]:
        edge["source"], edge["target"] = edge.pop("sourceId"), edge.pop("targetId")
        edge["episode_id"] = edge.pop("metadata")["episode_id"]
    assert from_json(other, "g", "u", NOW, ENGLISH) == from_json(DOCUMENT, "g", "u", NOW, ENGLISH)
    _, found = from_json(DOCUMENT, "g", "u", NOW, ENGLISH)
    assert [(r.type, r.source.text, r.target.text, r.turn) for r in found.relations] == [
        ("wrote", "George Orwell", "Animal Farm", 1),
        ("wrote", "George Orwell", "1984", 1),
    ]


@pytest.mark.parametrize(
    ("part", "change", "says"),
    [
        ("nodes", {"id": "mention_2"}, "same id"),
        ("nodes", {"episode_id": "nowhere"}, "exactly one episode"),
        ("nodes", {"mention": None}, "node 1: mention"),
        ("nodes", {"validAt": "2020-01-01T00:00:00Z"}, "another time"),
        ("edges", {"sourceId": "mention_9"}, "no node is called"),
        ("edges", {"metadata": {"episode_id": "ep_turn_session_0_0"}}, "another time"),
        ("edges", {"confidence": 1.5}, "from 0 to 1"),
        ("episodes", {"metadata": {}}, "session_id"),
        ("episodes", {"validAt": "2024-01-01T10:00:00"}, "offset"),
    ],
)
def test_an_invalid_part_is_named(part: str, change: dict[str, Any], says: str) -> None:
    wrong = copy.deepcopy(DOCUMENT)
    wrong[part][0] |= change
    with pytest.raises(InputError, match=says):
        from_json(wrong, "g", "u", NOW, ENGLISH)


@pytest.mark.parametrize(
    ("document", "lacks"),
    [(ABRIDGED[0], r"no node is called.*mention_2"), (ABRIDGED[1], "episodes: Field required")],
)
def test_the_abridged_examples_of_the_specification_name_what_they_lack(document: dict[str, Any], lacks: str) -> None:
    """Specification 004 shows a node and an edge whose other end, mention_2, it leaves out."""
    with pytest.raises(InputError, match=lacks):
        from_json(document, "g", "u", NOW, ENGLISH)
    [node] = document["nodes"]
    content = {"content": "Raw message text...", "metadata": {"session_id": "session_0", "turn_id": "turn_0"}}
    turn = {"id": node["episode_id"], "type": "message", "actor": "user", "validAt": node["validAt"], **content}
    [episode], found = from_json({"nodes": [node], "edges": [], "episodes": [turn]}, "g", "u", NOW, ENGLISH)
    [mention] = found.mentions
    stated = (mention.id, mention.type, mention.text, mention.episode_id, mention.valid_at)
    assert stated == (
        "mention_1",
        "Person",
        node["mention"],
        "ep_turn_session_0_0",
        datetime(2024, 1, 1, 10, tzinfo=UTC),
    )
    assert (episode.session.session_id, episode.turn, episode.content) == ("session_0", 0, "Raw message text...")


# All are before NOW, because a moment more than a day ahead counts as now.
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2025, 2, 12), timezones=st.just(UTC))


@given(
    contents=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip)
    ),
    at=TIMES,
)
def test_export_and_import_round_trip(contents: list[str], at: datetime) -> None:
    """Any texts at any time survive export and import, with their mentions and relations."""
    turns = [{"content": text, "id": f"e{n}", "metadata": {"session_id": "s"}} for n, text in enumerate(contents)]
    stamped = [turn | {"type": "message", "actor": "Anna", "validAt": at.isoformat()} for turn in turns]
    episodes, _ = from_json({"episodes": stamped}, "g", "u", NOW, ENGLISH)
    mentions = [
        mention_in(one, "THING", one.content[:9] or "x", mention_id=one.episode_id)
        for one in episodes
        if one.content[:9].strip()
    ]
    relations = [
        stated_in(episodes[-1], a, b, kind="is", content="so", confidence=0.5, relation_id=a.id)
        for a, b in pairwise(mentions)
    ]
    found = Extracted(tuple(mentions), tuple(relations))
    assert from_json(json.loads(json.dumps(to_json(episodes, found))), "g", "u", NOW, ENGLISH) == (episodes, found)


@pytest.mark.parametrize(
    ("said", "mentioned"),
    [
        ("I met Dr. Smith in St. Louis.", {("PERSON", "Dr. Smith"), ("LOCATION", "St. Louis")}),
        ("Dr. Smith works at AT&T.", {("PERSON", "Dr. Smith"), ("ORGANISATION", "AT&T")}),
        ("She moved to St. Petersburg.", {("LOCATION", "St. Petersburg")}),
        ("I met Prof. Miller at 5.", {("PERSON", "Prof. Miller")}),
        ("Clara Schumann played.", {("PERSON", "Clara Schumann")}),
        ("Giulia called.", {("PERSON", "Giulia")}),
        ("Will you come?", set()),
        ("We shop at Marks & Spencer.", {("ORGANISATION", "Marks & Spencer")}),
        ("Anna works at Ben & Jerry's.", {("PERSON", "Anna"), ("ORGANISATION", "Ben & Jerry's")}),
        ("J. P. Morgan & Co. wrote to Tom & Anna.", {("ORGANISATION", "J. P. Morgan & Co."), ("PERSON", "Anna")}),
        ("When J. R. Smith came, J.K. Rowling left.", {("PERSON", "J. R. Smith"), ("PERSON", "J.K. Rowling")}),
        (
            "Martin Luther King Jr. met John F. Kennedy.",
            {("PERSON", "Martin Luther King Jr."), ("PERSON", "John F. Kennedy")},
        ),
        ("Anna lives in St. John's.", {("PERSON", "Anna"), ("LOCATION", "St. John's")}),
        (
            "We saw St. John's harbour and St. John's College.",
            {("LOCATION", "St. John"), ("LOCATION", "St. John's College")},
        ),
        ("We stayed at Anna's, then went to McDonald's.", {("PERSON", "Anna"), ("ORGANISATION", "McDonald's")}),
        (
            "We flew to Mt. Everest with Capt. Frank O'Neill-Smith.",
            {("LOCATION", "Mt. Everest"), ("PERSON", "Capt. Frank O'Neill-Smith")},
        ),
        ("We chose plan B. Anna knew.", set()),
        ("The U.S. Army came.", {("LOCATION", "U.S.")}),
        ("She lives in the U.S. My brother stays.", {("LOCATION", "U.S.")}),
        ("I flew to D.C. Anna drove.", {("LOCATION", "D.C."), ("PERSON", "Anna")}),
        ("We stay in Washington D.C. He likes it.", {("LOCATION", "Washington D.C.")}),
        ("I met Martin King Jr. Anna left.", {("PERSON", "Martin King Jr."), ("PERSON", "Anna")}),
        ("We use Vitamin D. Anna takes it.", set()),
        ("I saw Grade A. Berlin is nice.", set()),
        ("We saw Franklin D. Roosevelt.", {("PERSON", "Franklin D. Roosevelt")}),
        ("I know Col. Anna left.", set()),
        ("I know Col. Anna Smith.", {("PERSON", "Col. Anna Smith")}),
        ("I gave Anna a Pt. Bob laughed.", {("PERSON", "Anna")}),
        ("We walked down Oak St. Anna waved.", set()),
        ("I went to St. Then Anna left.", {("PERSON", "Anna")}),
        ("We stayed at Mom's for dinner.", set()),
        ("We ate at Grandma's, then at McDonald's.", {("ORGANISATION", "McDonald's")}),
        ("Google & Anna helped.", {("PERSON", "Anna")}),
        ("I called Johnson & Johnson & Anna left.", {("ORGANISATION", "Johnson & Johnson"), ("PERSON", "Anna")}),
        ("I called Google & Monday we met.", set()),
        # A rank before a first name is a name, where no verb begins a sentence with it.
        ("I met Sen. Warren yesterday.", {("PERSON", "Sen. Warren")}),
        ("Rev. Martin called.", {("PERSON", "Rev. Martin")}),
        # A title ends no sentence.
        ("I know Dr. So, Mr. Then and Mrs. Friday.", {("PERSON", n) for n in ("Dr. So", "Mr. Then", "Mrs. Friday")}),
        ("Mr. And Mrs. Smith came.", set()),
        ("We shop at Smith & Nelson in London.", {("ORGANISATION", "Smith & Nelson")}),
        ("My wife works at Johnson & Tom, a shop.", {("ORGANISATION", "Johnson & Tom")}),
        ("We moved to East St. Louis.", {("LOCATION", "East St. Louis")}),
        ("I am from Stone Mt. Vernon.", {("LOCATION", "Mt. Vernon")}),
        ("I live in Main St.", set()),
        ("Rose T. Fisher called.", {("PERSON", "Rose T. Fisher")}),
        ("We ate at Papa John's.", {("ORGANISATION", "Papa John's")}),
    ],
)
def test_a_mention_is_the_turns_own_text_at_its_place(said: str, mentioned: set[tuple[str, str]]) -> None:
    [found] = read(("user", said))
    assert {(kind.replace("COMPANY", "ORGANISATION"), text) for kind, text in named(found)} == mentioned
    assert all(said[mention.start : mention.end] == mention.text for mention in found.mentions)


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("Maria lives in the U.S. My brother stays.", "U.S."),
        ("We moved to L.A. My sister stayed.", "L.A."),
        ("I work at Google & Anna works for money.", "Google"),
        ("I work at Google & Monday I start.", "Google"),
        ("I work at Marks & Spencer in London.", "Marks & Spencer"),
        ("I live in Port St. Lucie.", "Port St. Lucie"),
        ("I work at U.S. Bank. Anna left.", "U.S. Bank"),
        ("I live in the U.S. Virgin Islands.", "U.S. Virgin Islands"),
        ("We work at Papa Murphy's.", "Papa Murphy's"),
    ],
)
def test_a_relation_ends_where_the_next_sentence_or_clause_begins(said: str, target: str) -> None:
    assert [relation.target.text for relation in ENGLISH.stated_relations(said)] == [target]


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("My boss is Sen. Warren.", "Sen. Warren"),
        ("My boss is Mr. So.", "Mr. So"),
        ("Dr. He works at Google.", "Dr. He"),
        ("Sen. Warren works at Google.", "Sen. Warren"),
        ("Rich P. Miller is my boss.", "Rich P. Miller"),
    ],
)
def test_a_relation_has_the_whole_name(said: str, source: str) -> None:
    assert [relation.source.text for relation in ENGLISH.stated_relations(said)] == [source]


@pytest.mark.parametrize("said", ["I work at Mother's now.", "I live in East St.", "My boss is Capt. And so on."])
def test_half_a_name_is_no_end_of_a_relation(said: str) -> None:
    assert ENGLISH.stated_relations(said) == []


@pytest.mark.parametrize(
    ("said", "mentioned"),
    [
        ("I work at Marks & Spencer.", "Marks & Spencer"),
        ("Ich arbeite bei Marks & Spencer.", "Marks & Spencer"),
        ("Je travaille chez Procter & Gamble à Lyon.", "Procter & Gamble"),
        ("Trabajo en Marks & Spencer.", "Marks & Spencer"),
        ("Lavoro da Ben & Jerry's.", "Ben & Jerry's"),
        ("I live in St. John's.", "St. John's"),
        ("Ich wohne in St. John's.", "St. John's"),
        ("J'habite à St. Malo.", "St. Malo"),
        ("Vivo en St. Louis.", "St. Louis"),
        ("Vivo a St. John's.", "St. John's"),
        ("Mein Chef heißt J. R. Müller.", "J. R. Müller"),
        ("Mon dentiste est le Dr. Martin.", "Dr. Martin"),
        ("Mi jefe se llama J. R. Gómez.", "J. R. Gómez"),
        ("Il mio dentista è il Dott. Rossi.", "Dott. Rossi"),
    ],
)
def test_names_with_marks_are_mentioned_whole_in_each_language(said: str, mentioned: str) -> None:
    [found] = read_facts(("user", said))
    [mention] = [each for each in found.mentions if each.text != "user"]
    assert mention.text == mentioned == said[mention.start : mention.end]


@examples(push=15, soak=500)
@given(said=st.text(alphabet="AnDrSt. Loui&T,bé'sJ", max_size=40))
def test_whatever_is_said_a_mention_is_a_stretch_of_it(said: str) -> None:
    """Each mention by rules is the characters of its turn from start to end."""
    for mention in read(("user", f"I met {said} at AT&T."))[0].mentions:
        assert mention.start is not None and f"I met {said} at AT&T."[mention.start : mention.end] == mention.text


def model_said(
    window: Window, mentions: list[str], *relations: tuple[str, tuple[int, str], tuple[int, str]]
) -> Extracted:
    stated = [
        {
            "type": kind,
            "source": {"turn": s[0], "text": s[1]},
            "target": {"turn": t[0], "text": t[1]},
            "confidence": 0.9,
        }
        for kind, s, t in relations
    ]
    reply = {"mentions": [{"text": text, "type": "PERSON"} for text in mentions], "relations": stated}
    return supported(window, Statements.model_validate(reply), ENGLISH)


def test_with_a_model_the_speaker_is_a_mention_of_what_i_states() -> None:
    window = Window((episode(0, "I live with Maria.", "Anna"),))
    found = model_said(window, ["Maria", "I"], ("LIVES_WITH", (0, "I"), (0, "Maria")))
    assert stated(found) == {("Anna", "LIVES_WITH", "Maria")} and found.refused == ()
    assert {(mention.text, mention.start) for mention in found.mentions} == {("Maria", 12), ("Anna", None)}


@pytest.mark.parametrize("said", ["me", "Ich", "je", "yo", "Io", "anna"])
def test_the_speaker_is_known_in_each_language_and_by_name(said: str) -> None:
    window = Window((episode(0, "Maria.", "Ben"), episode(1, "Ich wohne mit Maria.", "Anna")))
    found = model_said(window, ["Maria"], ("LIVES_WITH", (1, said), (1, "Maria")))
    assert stated(found) == {("Anna", "LIVES_WITH", "Maria")}


def test_a_reply_with_slips_of_form_is_read_and_what_it_lacks_is_refused_alone(model_server: ModelServer) -> None:
    """As other replies are: an explanation, numbers in quotes, a trailing comma."""
    ends = '"source": {"turn": "0", "text": "I"}, "target": {"turn": 0, "text": "Maria"}'
    model_server.then(
        f"""Here: {{'mentions': [{{"text": "Maria", "type": "person"}}], "reason": "she is named",
        "relations": [{{"type": "lives with", {ends}, "confidence": "0.9"}}, {{"type": "knows"}},]}}"""
    )
    model = open_chat(settings.load(provider=model_server.url, text={"model": "text"}), "text", Ledger())
    assert model
    found = by_model(Window((episode(0, "I live with Maria.", "Anna"),)), model, ENGLISH)
    assert stated(found) == {("Anna", "LIVES_WITH", "Maria")} and len(model_server.requests) == 1
    assert len(found.refused) == 1 and "relations.1" in found.refused[0]


def test_a_models_small_slips_are_mended_and_a_part_of_a_word_is_refused() -> None:
    before = episode(0, "George Orwell is an author.")
    now = episode(1, "He wrote Animal Farm, says the Annual Review.")
    window = Window((before, now), (mention_in(before, "PERSON", "George Orwell"),))
    found = model_said(window, ["animal farm", "Ann"], ("WROTE", (1, "george orwell"), (1, "ANIMAL FARM")))
    assert named(found) == {("PERSON", "Animal Farm")}
    assert stated(found) == {("George Orwell", "WROTE", "Animal Farm")}
    assert found.relations[0].source.turn == 0
    assert found.refused == ("“Ann” is not in the turn",)
