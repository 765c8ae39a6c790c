"""An answer by rules is plain only if its event says what is asked: of which thing, how often and where."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from amr_neo4j.domain.event import Action, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Answer, Path, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.answer.attribute import attribute_claims
from amr_neo4j.recall.answer.by_rules import claims_by_rules
from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown
from amr_neo4j.recall.answer.confidence import worded
from amr_neo4j.recall.answer.render import render
from amr_neo4j.recall.evidence.premise import unmet
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.question.parsed import WHOLE, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import HashedWords, kitchen


def parsed(text: str, persons: Sequence[str] = (), objects: Sequence[str] = ()) -> ParsedQuestion:
    return parse_question(text, Names(frozenset(persons), frozenset(objects)), ENGLISH)


def candidate(
    summary: str,
    *lines: str,
    start: float = 0.0,
    scene: str = "",
    persons: Sequence[str] = (),
    actions: Sequence[Action] = (),
) -> Candidate:
    event = Event(
        int(start) + 1,
        "g",
        "v",
        ("c",),
        0,
        start,
        start + 5,
        summary,
        dialogue_snippets=lines,
        scene_type=scene,
        persons=tuple(persons),
        actions=tuple(actions),
    )
    return Candidate(event, Path((event.node_id,), (), 0.0), language=ENGLISH)


def answered(question: ParsedQuestion, *events: Candidate) -> Claims | Unknown:
    texts = (WHOLE, *(clause.text for clause in question.clauses))
    for each in events:
        each.fused = dict.fromkeys(texts, 0.5)
    return claims_by_rules(question, events)


def told(found: Claims | Unknown) -> str:
    claims = found.nearest if isinstance(found, Unknown) else found.claims
    return " ".join(claim.text for claim in claims)


@pytest.mark.parametrize(
    ("question", "summary", "lacking"),
    [
        ("What was the first car to leave?", "The lamp falls and the boy leaves.", ("car", "leave")),
        ("Who locked the office in the car park?", "Okoro locks the office.", ()),
        ("Who parked in bay nine?", "A man parks in bay two.", ("nine",)),
        ("Who parked in bay 9?", "A man parks in bay nine.", ()),
        ("Which gate did the boy run to?", "The boy runs up to the gate.", ()),
        ("Which gate did the boy run to?", "The boy runs up to the door.", ("gate",)),
        # All forms of the question ask for one of several.
        ("Which of the drawers did the boy open?", "The boy opens the drawer.", ()),
        ("Out of which drawer did the boy take the key?", "The boy takes the key from the box.", ("drawer",)),
        ("Do you know which drawer the boy opened?", "The boy opens the box.", ("drawer",)),
        ("Which kitchen drawer did the boy open?", "The boy opens the kitchen drawer.", ()),
        ("What fell when the boy opened the drawer?", "A spoon falls when the boy opens the drawer.", ()),
        ("What advice did the boy give?", "The boy says to look at the horizon.", ("give",)),
        # Any event answers "which thing".
        ("Which object did the boy take?", "The boy takes the key.", ()),
        ("Which video shows the boy with the key?", "The boy takes the key.", ()),
        ("Which camera saw the boy take the key?", "The boy takes the key.", ()),
        ("Which dog takes the key?", "The boy takes the key.", ("dog",)),
        ("Which boy waters the basil?", "Ben waters the basil.", ("boy",)),
        ("Which vehicle was washed?", "A boy washes a van.", ()),
        ("Which vehicle was washed?", "A boy washes a dog.", ("vehicle",)),
        ("When did the fog come?", "The fog lifts and the lighthouse comes into sight.", ("come",)),
        ("When did the fog come?", "Thick fog comes up.", ()),
        ("When did the lorry leave?", "The lorry drives off, followed by the cars.", ()),
        ("Who found the lost earring?", "A woman loses an earring.", ("found",)),
    ],
)
def test_what_an_event_lacks_of_a_question(question: str, summary: str, lacking: tuple[str, ...]) -> None:
    asked = parsed(question)
    assert unmet(asked, asked.main, candidate(summary, scene="car park")).words == lacking


@pytest.mark.parametrize("kind", ["person", "man", "visitor", "guy"])
def test_an_event_that_names_who_did_it_says_which_man(kind: str) -> None:
    asked = parsed(f"Which {kind} opened the door?", ["ben"])
    assert unmet(asked, asked.main, candidate("Ben opens the door.", persons=["Ben"])).words == ()


def test_which_door_is_asked_of_the_main_clause_alone() -> None:
    asked = parsed("Which door did the boy open after the girl took the key?")
    assert asked.reference
    assert unmet(asked, asked.reference, candidate("The girl takes the key.")).words == ()


@pytest.mark.parametrize(
    ("question", "event", "text"),
    [
        (
            "How cold is it in the cold room?",
            candidate("He reads the dial in the cold room", "Three degrees."),
            "Three",
        ),
        ("How cold is it in the cold room?", candidate("He reads the dial in the cold room"), ""),
        ("Whose papers are these?", candidate("She opens the case", "My husband's papers are in there!"), "husband"),
        ("Whose papers are these?", candidate("The papers are wet"), ""),
    ],
)
def test_an_attribute_is_stated_by_other_words_than_those_that_ask_for_it(
    question: str, event: Candidate, text: str
) -> None:
    found = attribute_claims(parsed(question), [event])
    assert (text in told(found)) if text and isinstance(found, Claims) else not (text or isinstance(found, Claims))


HORN = candidate("The captain sounds the horn three times.")


@pytest.mark.parametrize(
    ("question", "events", "number", "is_plain"),
    [
        ("How often did the captain sound the horn?", (HORN,), "3 times", True),
        ("How often did the captain blow the horn?", (HORN,), "3 times", False),
        ("How often did the captain polish the horn?", (HORN,), "", False),
        (
            "How many times did Amara say 'Who dares'?",
            (
                candidate("Amara walks in", "Amara: Who dares to enter?"),
                candidate("Amara sits", "Amara: Sit.", start=90),
            ),
            "once",
            True,
        ),
        (
            "How often did Ida come to the shop?",
            (
                candidate("Ida buys bread", persons=["Ida"]),
                candidate("Ida pays", start=6, persons=["Ida"]),
                candidate("Ida fetches her umbrella", start=200, persons=["Ida"]),
            ),
            "twice",
            True,
        ),
    ],
)
def test_times_are_counted_as_events_and_lines_state_them(
    question: str, events: Sequence[Candidate], number: str, *, is_plain: bool
) -> None:
    found = answered(parsed(question, persons=["amara", "ida"]), *events)
    assert (number in told(found), isinstance(found, Claims)) == (True, is_plain)


def test_children_without_names_are_counted_by_the_number_in_the_text() -> None:
    found = answered(
        parsed("How many children climbed over the chain?"), candidate("Two children climb over a chain.")
    )
    assert "at least two" in told(found)


def test_a_number_that_somebody_says_counts_more_than_what_one_event_shows() -> None:
    found = attribute_claims(parsed("How many cars are there?"), [candidate("A man counts the cars", "Nine cars.")])
    assert found and "Nine cars" in told(found)


def test_a_thing_stays_from_when_it_was_put_until_it_is_taken_away() -> None:
    put, taken = Action("ida", "put up", "sign", "by the door"), Action("ida", "take down", "sign", "")
    events = candidate("Ida puts up a sign", actions=[put]), candidate("Ida takes it down", start=80, actions=[taken])
    assert "1 min 20 s" in told(answered(parsed("How long did the sign stand there?", objects=["sign"]), *events))


@pytest.mark.parametrize(
    ("question", "order", "is_plain"),
    [
        ("Which arrived first, the van or the bike?", ["van drives in", "bike arrives"], True),
        ("Which arrived last, the bike or the van?", ["bike arrives", "van returns"], True),
        ("Which was washed first, the bike or the van?", ["van drives in", "bike arrives"], False),
        ("Which arrived first, the van or the tram?", ["van drives in"], False),
    ],
)
def test_which_of_two_came_first_is_answered_by_an_event_of_each(
    question: str, order: list[str], *, is_plain: bool
) -> None:
    events = [
        candidate("The van returns", start=80),
        candidate("The bike arrives", start=40),
        candidate("The van drives in"),
    ]
    found = answered(parsed(question), *events)
    said = told(found)
    assert isinstance(found, Claims) is is_plain
    assert [said.find(each) >= 0 for each in order] == [True] * len(order)
    assert sorted(order, key=said.find) == order


def test_where_all_of_it_happens_is_answered_by_the_scenes() -> None:
    events = candidate("Ida sings", scene="hall"), candidate("Ben eats", start=9, scene="kitchen")
    assert all(scene in told(answered(parsed("Where does this happen?"), *events)) for scene in ("hall", "kitchen"))


@pytest.mark.parametrize(
    ("question", "summary", "shown", "is_plain"),
    [
        ("Where did Ida sing?", "Ida sings in the choir", "choir", True),
        ("Where did Ida sing?", "Ida sings", "school hall", True),
        ("Where is the ball?", "The ball is red", "school hall", False),
    ],
)
def test_the_scene_says_where_people_are_but_not_where_in_it_a_thing_is(
    question: str, summary: str, shown: str, *, is_plain: bool
) -> None:
    found = answered(parsed(question, persons=["ida"]), candidate(summary, scene="school hall", persons=["Ida"]))
    assert (shown in told(found), isinstance(found, Claims)) == (True, is_plain)


def test_an_event_without_anybody_is_no_answer_to_who() -> None:
    asked = parsed("Who watered the plants?")
    found = answered(asked, candidate("The plants are watered."))
    assert isinstance(found, Unknown) and found.never_sure
    assert not isinstance(worded(asked, found, 0.95, 1.0), Claims)


def test_a_count_that_was_not_found_is_not_plain_however_sure() -> None:
    asked = parsed("How long was the lamp silent?")
    doubted = answered(asked, candidate("The lamp goes silent."))
    assert isinstance(doubted, Unknown) and doubted.reason is Reason.IN_DOUBT
    assert isinstance(worded(asked, doubted, 0.95, 1.0), Unknown)


def test_in_doubt_what_was_said_there_is_shown() -> None:
    asked = parsed("What advice did she give?")
    nearest = candidate("Petra hands a girl a bucket", "Petra: Look at the horizon.")
    found = Unknown(Reason.IN_DOUBT, answered(asked, nearest).claims)  # pyright: ignore[reportAttributeAccessIssue]
    assert "Look at the horizon" in render(asked, found, [nearest]).text


def test_whoever_told_somebody_is_the_speaker_and_not_who_was_told() -> None:
    asked = parsed("Who told Ben to hurry?", persons=["ben", "ida"])
    lines = ("Ben: I cannot hurry.", "Ida: Hurry, Ben!")
    assert "Ida said" in told(answered(asked, candidate("Ida waves", *lines, persons=["Ida", "Ben"])))


@pytest.mark.parametrize(
    ("question", "answer_type", "order"),
    [
        ("Is the screen broken?", AnswerType.STATE, None),
        ("Is the dragon tail torn?", AnswerType.STATE, None),
        ("How long did the fog last?", AnswerType.DURATION, None),
        ("Who was seen last?", AnswerType.PERSON, "last"),
    ],
)
def test_words_for_states_and_for_lasting_are_read(question: str, answer_type: AnswerType, order: str | None) -> None:
    asked = parsed(question)
    assert (asked.answer_type, asked.order) == (answer_type, order)


def test_a_thing_is_found_by_either_noun_of_its_name() -> None:
    objects = ["basket of lemons", "lemonade"]
    assert parsed("Where are the lemons?", objects=objects).main.objects == ("basket of lemons",)
    assert parsed("Where is the basket?", objects=objects).main.objects == ("basket of lemons",)


def test_a_letter_behind_a_thing_names_nobody() -> None:
    assert ENGLISH.mentioned_names("Who waits at gate B with Anna?") == ["Anna"]


@pytest.mark.parametrize(
    ("question", "event", "is_plain"),
    [
        ("What did the woman find?", candidate("The woman loses an earring.", persons=["woman"]), False),
        ("What did the man lose?", candidate("Mika finds a mitten.", "One for the lost property box."), False),
        ("What did the man lose?", candidate("A man loses his hat.", persons=["man"]), True),
        ("Where is the captain's hat?", candidate("The wind blows a man's straw hat into the sea."), False),
        ("Where is the captain's hat?", candidate("The wind blows the captain's hat into the sea."), True),
        ("What animals were in the shop?", candidate("Marta shapes the loaves.", scene="bakery, shop"), False),
        ("Who was seasick?", candidate("Petra hands a seasick girl a bucket.", persons=["petra"]), False),
        ("What was in the toolbox?", candidate("Olsen climbs down with a green toolbox.", persons=["olsen"]), False),
        ("What did Ann wear?", candidate("Ben tells Ann that a man in a hat came.", persons=["ann", "ben"]), False),
        ("What did Ann wear?", candidate("Ann comes in in a hat.", persons=["ann"]), True),
        ("What did the man say?", candidate("Ann looks.", "Ann: Where are my keys?", persons=["ann"]), False),
    ],
)
def test_only_what_the_event_says_of_the_one_who_is_asked_about_is_plain(
    question: str, event: Candidate, is_plain: bool
) -> None:
    asked = parsed(question, persons=["ann", "ben"])
    found = worded(asked, answered(asked, event), 0.7, 1.0)
    assert isinstance(found, Claims) == is_plain, told(found)


@pytest.mark.parametrize(
    ("question", "persons", "objects", "summary", "action"),
    [
        ("What tart did Ida buy?", ["ida"], ["tart"], "Ida buys two loaves.", Action("ida", "buy", "loaves")),
        (
            "Who locked the back door?",
            [],
            ["back door"],
            "Ida locks the front door.",
            Action("ida", "lock", "front door"),
        ),
        ("Did Ida talk to Tom?", ["ida", "tom"], [], "Ben talks to Tom on Ida's phone.", Action("ben", "talk", "")),
    ],
)
def test_a_deed_of_another_or_to_another_thing_is_no_plain_answer(
    question: str, persons: list[str], objects: list[str], summary: str, action: Action
) -> None:
    asked = parsed(question, persons, objects)
    event = candidate(summary, persons=[action.actor, *persons], actions=[action])
    assert isinstance(answered(asked, event), Unknown)


def test_whoever_did_it_to_another_thing_is_not_named_too() -> None:
    asked = parsed("Who washed the mug?", objects=["mug", "plate"])
    mug = candidate("Ann washes the mug.", persons=["ann"], actions=[Action("ann", "wash", "mug")])
    plate = candidate("Ben washes the plate; the mug stays.", start=9.0, actions=[Action("ben", "wash", "plate")])
    assert "Ben" not in told(answered(asked, mug, plate))


def test_the_colour_of_a_thing_of_another_is_not_stated() -> None:
    coat = candidate("Ann takes off her green coat.", persons=["ann"])
    assert not isinstance(attribute_claims(parsed("What colour is Ben's coat?", ["ann", "ben"]), [coat]), Claims)
    assert isinstance(attribute_claims(parsed("What colour is Ann's coat?", ["ann", "ben"]), [coat]), Claims)


def test_the_name_of_a_video_is_no_deed_that_lasts() -> None:
    asked = parsed("How long does the crossing take?")
    event = candidate("Mika lowers the ramp.", scene="ferry crossing")
    assert isinstance(answered(asked, event), Unknown)


def test_the_first_thing_of_an_evening_is_one_event() -> None:
    assert not parsed("What was the first thing Ben did in the evening?", ["ben"]).asks_for_all


@pytest.mark.parametrize(
    ("text", "preposition"),
    [("on top of the fridge", "top of"), ("in front of the fridge", "front of"), ("out of the fridge", "of")],
)
def test_what_is_on_or_before_a_thing_does_not_come_out_of_it(text: str, preposition: str) -> None:
    assert ENGLISH.preposition_of(text, ENGLISH.forms("fridge")) == preposition


TALK = ["voice_1", "voice_2"]


@pytest.mark.parametrize(
    ("question", "line", "is_plain"),
    [
        ("When will the meeting take place?", "voice 2: The meeting is on the twelfth of October.", True),
        ("What was said about Monday?", "voice 1: I will talk to the baker on Monday.", True),
        ("What did the architect promise?", "voice 1: The architect promised that there will be benches.", True),
        ("What did the architect promise?", "voice 1: What has the architect promised?", False),
        ("What did the second voice say about the mouse?", "voice 2: A mouse has eaten the rope.", True),
        ("What did the first voice say about milk?", "voice 1: You should cut the leaves.", False),
        ("Who keeps ducks?", "voice 1: My uncle keeps ducks.", True),
        ("What did the first voice say about the mouse?", "voice 2: A mouse has eaten the rope.", False),
    ],
)
def test_what_somebody_speaks_of_is_quoted_as_theirs(question: str, line: str, is_plain: bool) -> None:
    speaker, _, words = line.partition(": ")
    event = candidate("Something grey enters from the left.", line, persons=[speaker.replace(" ", "_")])
    found = answered(parsed(question, TALK), event)
    assert isinstance(found, Claims) == is_plain
    assert words.rstrip(".") in told(found) and speaker in told(found).lower()


def test_a_time_about_which_something_is_said_is_no_time_of_the_saying() -> None:
    assert parsed("What was said about Monday?").span is None
    assert parsed("What did Anna say about an hour ago?").span


@pytest.mark.parametrize(
    ("summary", "verb"),
    [
        ("Pavel gives the red helmet to Yannick", "give"),
        ("Pavel hands Yannick the red helmet", "hand"),
        ("Pavel lends the red helmet to an elderly neighbour", "lend"),
        ("Pavel gives the red helmet to Yannick and Anna", "give"),
        ("Pavel gave him the red helmet", "gave"),
        ("Pavel returns the red helmet to the shop", "return"),
    ],
)
@pytest.mark.parametrize("text", ["Who has the red helmet now?", "Who has had the red helmet?"])
def test_who_gave_a_thing_away_does_not_have_it(summary: str, verb: str, text: str) -> None:
    """What was given to whom is told by the event itself, in doubt."""
    question = parsed(text, ("pavel", "yannick", "anna"), ("red helmet",))
    for thing in ("red helmet", "helmet"):
        giving = Action("pavel", verb, thing)
        found = answered(question, candidate(summary, persons=["Pavel", "Yannick"], actions=(giving,)))
        assert isinstance(found, Unknown)
        assert told(found).endswith(summary) and not told(found).startswith("Pavel,")


@pytest.mark.parametrize(
    "actions",
    [
        (Action("pavel", "hang up", "red helmet"),),
        (Action("pavel", "give", "keys"), Action("pavel", "take", "red helmet")),
    ],
)
def test_who_has_a_thing_is_who_did_something_else_to_it(actions: tuple[Action, ...]) -> None:
    question = parsed("Who has the red helmet now?", ("pavel", "yannick"), ("red helmet",))
    event = candidate("Pavel is at the door", persons=["Pavel", "Yannick"], actions=actions)
    assert told(answered(question, event)).startswith("Pavel,")


def test_who_had_a_thing_may_be_who_gave_it() -> None:
    question = parsed("Who had the grey paint?", ("piet", "lina"), ("grey paint",))
    passes = Action("piet", "pass", "grey paint")
    event = candidate("Piet passes the grey paint to Lina", persons=("Piet", "Lina"), actions=(passes,))
    assert told(answered(question, event)).startswith("Piet,")


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("What did the second voice say about the price?", None),
        ("What did Anna tell Ben about the street?", None),
        ("Which colour did Anna say the car has?", "colour"),
        ("What did Anna say about how much the car cost?", None),
        ("How much did the car cost?", "price"),
        ("What is the price of the car?", "price"),
        ("How much did Anna say the book about Rome cost?", "price"),
        ("How much did the car that Ben told us about cost?", "price"),
        ("What is the film they talked about called?", "name"),
        ("What was the chair Ben talked about made of?", "material"),
        ("What did Ben say the course about cooking cost?", "price"),
        ("What does the car you told us about cost?", "price"),
        ("What did Anna say about the room, and what is the price of it?", "price"),
        ("What did Anna say about her doctor, and which street does he live in?", "address"),
        ("What did Anna say about the colour of the car?", None),
        ("What was said to Ben about the shape of the table?", None),
        ("What did Anna ask about the phone number?", None),
        ("What is Anna telling Ben about how old the car is?", None),
    ],
)
def test_who_asks_what_was_said_about_a_price_asks_for_no_price(question: str, attribute: str | None) -> None:
    found = parsed(question).attribute
    assert (found and found.name) == attribute


def test_an_answer_that_is_doubted_keeps_its_confidence() -> None:
    """Measured again as one in doubt, it would lose so much confidence that it is declined."""

    def asked(cost: float) -> Answer:
        graph, limits = kitchen(HashedWords()), RecallLimits(wrong_answer_cost=cost)
        return ask(
            "Where is the parcel?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH), limits=limits
        )

    plain = asked(1.0)
    odds = plain.confidence / (1 - plain.confidence)
    unsure = asked(odds / 0.4)
    assert unsure.text.startswith("Memory may not hold the answer; the nearest is this. The parcel was last thrown")
    assert unsure.found and unsure.citations == plain.citations and unsure.confidence == plain.confidence
