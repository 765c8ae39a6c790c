"""Topics put to a chat model over a real socket: a broken reply states nothing, or what rests on what was shown."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from amr_neo4j.domain.belief import EventsRead, HeardTurn, NewEvent, TurnsRead
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.ports import ChatModel, Vectors
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.topics import facts_of_events, facts_of_topics, supporting, topics
from amr_neo4j.turn_reader.understand import may_state
from tests.support.model_server import ModelServer
from tests.support.text_model import text_model

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = [f"{said} {n}." for said in ("Ann and I walked for hours", "The choir sang") for n in range(5)]
GOOD_TURNS = {"facts": [{"text": "You like walking", "relation": "likes", "object": "walking", "turns": [1, 2]}]}
GOOD_EVENTS = {
    "facts": [{"text": "Ann walks", "subject": "Ann", "relation": "likes", "object": "walking", "events": [1, 3]}]
}
Read = Callable[[ChatModel], list[tuple[Triple, str, set[int]]]]


@pytest.fixture
def model(model_server: ModelServer) -> ChatModel:
    return text_model(model_server)


def vectors() -> Vectors:
    """Two topics, of five texts each."""
    made = np.zeros((len(TEXTS), 4), np.float32)
    for row in range(len(TEXTS)):
        made[row, row // 5] = 1
        made[row, 2 + row % 2] = 0.01 * (row % 5)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def heard(texts: list[str]) -> list[HeardTurn]:
    return [HeardTurn(n, str(n), "s", "user", "user", text, MARCH, states=False) for n, text in enumerate(texts)]


def read_turns(model: ChatModel) -> TurnsRead:
    return facts_of_topics(
        heard(TEXTS),
        vectors(),
        model,
        unrelated=0.5,
        language_of=lambda turn: "en",
        may_state=lambda turn, triple: may_state(turn.text, "en", triple),
    )


def of_turns(model: ChatModel) -> list[tuple[Triple, str, set[int]]]:
    stated = read_turns(model).stated
    return [(c.triple, c.text, {int(episode)}) for episode, changes in stated.items() for c in changes]


def read_events(model: ChatModel) -> EventsRead:
    events = [NewEvent(n, text, MARCH, (), b"") for n, text in enumerate(TEXTS)]
    return facts_of_events(events, vectors(), model, unrelated=0.5, language="en")


def of_events(model: ChatModel) -> list[tuple[Triple, str, set[int]]]:
    return [(f.triple, f.text, set(f.node_ids)) for f in read_events(model).stated]


BOTH = pytest.mark.parametrize(("read", "good"), [(of_turns, GOOD_TURNS), (of_events, GOOD_EVENTS)])


@BOTH
def test_a_good_reply_states_its_facts(
    read: Read, good: dict[str, Any], model: ChatModel, model_server: ModelServer
) -> None:
    model_server.then(good)
    found = read(model)
    assert {triple.object for triple, _, _ in found} == {"walking"}
    assert len({row for _, _, rows in found for row in rows}) == 2


@BOTH
def test_broken_replies_state_nothing_that_was_not_shown(
    read: Read, good: dict[str, Any], model: ChatModel, model_server: ModelServer
) -> None:
    _hold(read, good, model, model_server, replies=60, seed=1)


@BOTH
@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_ten_thousand_broken_replies(
    read: Read, good: dict[str, Any], model: ChatModel, model_server: ModelServer
) -> None:
    _hold(read, good, model, model_server, replies=10_000, seed=2)


def _hold(
    read: Read, good: dict[str, Any], model: ChatModel, server: ModelServer, *, replies: int, seed: int
) -> None:
    chance, failed = random.Random(seed), 0
    for _ in range(replies // 2):
        # A reply that cannot be used is asked for once more.
        server.then(_broken(chance, good)).then(_broken(chance, good))
        try:
            found = read(model)
        except ModelFailed:
            failed += 1
        else:
            for triple, text, rows in found:
                assert all(part.strip() for part in (*triple, text))
                assert rows <= set(range(len(TEXTS)))
        server._socket.script.steps.clear()
        if len(server.requests) > 500:
            server.requests.clear()
    assert failed > replies / 20


def _broken(chance: random.Random, good: dict[str, Any]) -> str:
    """The good reply with something wrong in it, or another shape altogether."""
    text = json.dumps(good)
    wrong = chance.randrange(6)
    if wrong == 0:
        return text[: chance.randrange(1, len(text))]
    if wrong == 1:
        at = chance.randrange(len(text))
        return text[:at] + chance.choice('{}[]",:x0\\') + text[at + 1 :]
    if wrong == 2:
        number = chance.choice(["0", "-1", "99", "1.5", "null", "1e999", '"2"', "[]"])
        return text.replace("[1, ", f"[{number}, ")
    if wrong == 3:
        return text.replace(chance.choice(['"walking"', '"likes"']), chance.choice(['""', "null", '" "', "7", "[]"]))
    if wrong == 4:
        return json.dumps(chance.choice([[], {}, None, 7, "facts", {"facts": {}}, {"facts": [1]}, [good]]))
    return "".join(chr(chance.randrange(32, 1000)) for _ in range(chance.randrange(1, 200)))


# --- what supports a fact

# (language, relation, object, what the cited turns say, how many of them support it)
CITED = [
    ("en", "lives_in", "mars", ["Coffee again, and then another coffee.", "I had a coffee by the river."], 0),
    ("en", "lives_in", "rome", ["We saw Rome on the news.", "Rome was hot."], 0),
    ("en", "lives_in", "rome", ["My flat here in Rome is tiny.", "Rome was hot."], 2),
    ("en", "likes", "coffee", ["Coffee again, and then another coffee.", "The trains were late."], 1),
    ("en", "likes", "river strolls", ["Another stroll this evening.", "By the river once more."], 2),
    ("en", "likes", "coffee", ["No coffee for me, thanks."], 0),
    ("en", "dislikes", "coffee", ["No coffee for me, thanks."], 1),
    ("es", "likes", "café", ["Otro cafe por la mañana.", "El tren llegó tarde."], 1),
    ("es", "lives_in", "marte", ["Otro café por la mañana."], 0),
    ("fr", "likes", "les promenades", ["Encore une promenade ce soir."], 1),
    ("fr", "likes", "café", ["Je ne bois pas de café."], 0),
    ("fr", "lives_in", "mars", ["Encore un café ce matin."], 0),
    ("de", "likes", "lange Spaziergänge", ["Wieder ein langer Spaziergang.", "Der Zug war spät."], 1),
    ("de", "works_at", "Siemens", ["Siemens stand in der Zeitung."], 0),
    ("de", "works_at", "Siemens", ["Im Büro bei Siemens war es laut."], 1),
    ("it", "likes", "passeggiate", ["Un'altra passeggiata stasera."], 1),
    ("it", "likes", "caffè", ["Non bevo mai caffè."], 0),
]


@pytest.mark.parametrize(("code", "relation", "object", "said", "expected"), CITED)
def test_only_what_the_cited_turns_say_is_a_fact(
    code: str, relation: str, object: str, said: list[str], expected: int
) -> None:
    found = supporting(Triple("you", relation, object.casefold()), said, [code] * len(said))
    assert len(found) == expected


# What a model may take for a fact of the user's (language, relation, object, turn): wishes, the past, other people's.
NOT_THE_USERS = [
    ("en", "lives_in", "oslo", "I would love to live in Oslo one day."),
    ("en", "lives_in", "oslo", "If only I had a home in Oslo."),
    ("en", "lives_in", "oslo", "Ann's flat in Oslo is lovely."),
    ("en", "lives_in", "oslo", "The Oslo flat of my parents was home for us all."),
    ("en", "lives_in", "oslo", "I used to have a flat in Oslo."),
    ("en", "lives_in", "kent", "My neighbour's house in Kent was sold."),
    ("en", "works_at", "bosch", "My sister loves her office at Bosch."),
    ("en", "likes", "coffee", "My brother drinks coffee all day."),
    ("de", "lives_in", "bremen", "Ich würde gern in Bremen wohnen."),
    ("de", "lives_in", "bremen", "Evas Wohnung in Bremen ist schön."),
    ("de", "likes", "kaffee", "Mein Bruder trinkt den ganzen Tag Kaffee."),
    ("fr", "lives_in", "lyon", "J'aimerais vivre à Lyon."),
    ("fr", "lives_in", "lyon", "La maison de ma sœur à Lyon est belle."),
    ("es", "lives_in", "sevilla", "La casa de mi hermana está en Sevilla."),
    ("es", "lives_in", "sevilla", "Me gustaría vivir en Sevilla."),
    ("it", "lives_in", "torino", "Vorrei vivere a Torino."),
    ("it", "lives_in", "torino", "La casa di mia sorella è a Torino."),
    ("en", "lives_in", "oslo", "His flat in Oslo is lovely to me."),
    ("de", "lives_in", "bremen", "Ihre Wohnung in Bremen gefällt mir."),
    ("fr", "lives_in", "lyon", "Son appartement à Lyon me plaît."),
    ("es", "lives_in", "sevilla", "Su casa en Sevilla me gusta."),
    ("it", "lives_in", "torino", "La sua casa a Torino mi piace."),
    ("en", "likes", "coffee", "They all drink coffee."),
    ("de", "likes", "kaffee", "Ihnen allen schmeckt Kaffee."),
    ("fr", "likes", "café", "Elles boivent toutes du café."),
    ("es", "likes", "café", "Ellos beben café."),
    ("it", "likes", "caffè", "Loro bevono caffè."),
]
THE_USERS = [
    ("en", "lives_in", "rome", "My flat here in Rome is tiny."),
    ("en", "likes", "coffee", "Coffee again, and then another coffee."),
    ("en", "likes", "coffee", "I had coffee with Ann."),
    ("en", "likes", "walking", "Ann and I walked for hours."),
    ("de", "works_at", "siemens", "Im Büro bei Siemens ist es mir zu laut."),
    ("de", "lives_in", "bremen", "Die Wohnung in Bremen ist mir zu klein."),
    ("fr", "likes", "les promenades", "Encore une promenade ce soir."),
    ("es", "lives_in", "sevilla", "Mi piso de Sevilla tiene el mejor sol."),
    ("es", "likes", "café", "Otro cafe por la mañana."),
    ("it", "lives_in", "torino", "La mia casa a Torino è piccola."),
]


@pytest.mark.parametrize(
    ("code", "relation", "object", "said", "expected"),
    [*((*row, False) for row in NOT_THE_USERS), *((*row, True) for row in THE_USERS)],
)
def test_a_wish_or_what_others_have_is_no_fact_of_the_users(
    code: str, relation: str, object: str, said: str, *, expected: bool
) -> None:
    assert may_state(said, code, Triple("you", relation, object)) is expected


def test_what_a_model_concludes_replaces_nothing_that_was_said_plainly(
    model: ChatModel, model_server: ModelServer
) -> None:
    """One turn states a home, in passing: two in passing would count as said plainly."""
    home = {"text": "You live by the river", "relation": "lives_in", "object": "river", "turns": [1, 2, 3]}
    model_server.then({"facts": [home]})
    turns = heard([f"My home by the river again, number {number}." for number in range(len(TEXTS))])
    read = facts_of_topics(
        turns, vectors(), model, unrelated=0.5, language_of=lambda turn: "en", may_state=lambda turn, triple: True
    )
    assert [[change.strength for change in changes] for changes in read.stated.values()] == [["passing"]]


def test_a_fact_that_its_turns_do_not_support_is_refused_and_named(
    model: ChatModel, model_server: ModelServer
) -> None:
    mars = {"text": "You live on Mars", "relation": "lives_in", "object": "mars", "turns": [1, 2]}
    model_server.then({"facts": [mars, *GOOD_TURNS["facts"]]})
    read = read_turns(model)
    assert {change.triple.object for changes in read.stated.values() for change in changes} == {"walking"}
    assert len(read.refused) == 1 and "Mars" in read.refused[0]


def test_events_support_who_and_what_a_fact_names(model: ChatModel, model_server: ModelServer) -> None:
    robber = {"text": "Zoe walks", "subject": "Zoe", "relation": "likes", "object": "walking", "events": [1, 3]}
    model_server.then({"facts": [robber]})
    read = read_events(model)
    assert (read.stated, len(read.refused)) == ((), 1)


# --- what is a topic


def test_one_topic_alone_is_a_topic() -> None:
    near = np.eye(8, dtype=np.float32)[[0, 1, 2]] * 0.4 + np.eye(8, dtype=np.float32)[7]
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    assert topics(near, 0.5) == [[0, 1, 2]]
    apart = np.eye(8, dtype=np.float32)
    assert topics(apart, 0.5) == []
    assert topics(np.vstack([apart[:2], near]), 0.5) == [[2, 3, 4]]
