"""What is believed after a few turns: how firmly something is said, what has ended, whom and when it is about."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from amr_neo4j.app.chatting import about_facts
from amr_neo4j.domain.episode import composed
from amr_neo4j.domain.fact import KnownFact, StatedFact, Triple, TurnContext, Until, belief, changes_of
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.relations import relation_names
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.session import LiveChat
from amr_neo4j.turn_reader.understand import goes_on, is_half, read_by_rules

# A Monday.
NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


@cache
def cases() -> list[tuple[str, dict[str, Any]]]:
    table = yaml.safe_load((Path(__file__).parents[1] / "gold" / "belief.yaml").read_text())
    return [(f"{kind}-{number}", case) for kind, rows in table.items() for number, case in enumerate(rows)]


def believed(lang: str, turns: list[str]) -> HotIndex:
    """Read turns as a live conversation does, a minute apart."""
    index = HotIndex()
    for number, text in enumerate(turns):
        known = tuple(fact.triple for fact in index.facts())
        understood = read_by_rules(text, lang, TurnContext(tuple(turns[:number]), believed=known))
        at = NINE + timedelta(minutes=number)
        index.apply(
            changes_of(understood, at=at, said=at.timestamp(), sentence=" ".join, session_id="s", live=True),
        )
    return index


def named(text: str) -> Triple:
    """ "lives_in hull" is of the user, "fred lives_in hull" of Fred, "fred_west lives_in hull" of Fred West."""
    words = text.split()
    subject = "you" if words[0] in relation_names() else words.pop(0).replace("_", " ")
    return Triple(subject, words[0], " ".join(words[1:]))


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in cases()])
def test_what_is_believed(case: dict[str, Any]) -> None:
    index = believed(case["lang"], case["turns"])
    facts = {fact.triple for fact in index.facts()}
    assert {named(each) for each in case.get("believes", ())} <= facts
    assert not {named(each) for each in case.get("not", ())} & facts


def test_what_is_past_is_stated_with_its_end() -> None:
    stated = read_by_rules("I worked at Nokia until 2021.", "en").facts
    assert [belief(fact, NINE) for fact in stated] == [
        (Triple("you", "works_at", "nokia"), "beside", datetime(2021, 1, 1, tzinfo=UTC))
    ]


def test_a_stay_ends_by_itself() -> None:
    index = believed("en", ["I live in Dundee.", "We're in Malta until Thursday."])
    index.expire((NINE + timedelta(days=3)).timestamp())
    assert Triple("you", "staying_in", "malta") in {fact.triple for fact in index.facts()}
    index.expire((NINE + timedelta(days=4)).timestamp())
    assert [fact.triple for fact in index.facts()] == [Triple("you", "lives_in", "dundee")]


@pytest.mark.parametrize(
    ("until", "ends"),
    [
        (Until("hour", 2), datetime(2026, 3, 2, 11, tzinfo=UTC)),
        (Until("day", 0), datetime(2026, 3, 3, tzinfo=UTC)),
        (Until("day", 7), datetime(2026, 3, 10, tzinfo=UTC)),
        (Until("weekday", 3), datetime(2026, 3, 6, tzinfo=UTC)),
        (Until("weekday", 0), datetime(2026, 3, 10, tzinfo=UTC)),  # on a Monday, "until Monday" is a week away
        (Until("month", 3), datetime(2027, 3, 1, tzinfo=UTC)),
        (Until("month", 12), datetime(2026, 12, 1, tzinfo=UTC)),
        (Until("year", 2028), datetime(2028, 1, 1, tzinfo=UTC)),
        (Until("month", 3, day=2), datetime(2026, 3, 3, tzinfo=UTC)),
        (Until("month", 3, day=1), datetime(2027, 3, 2, tzinfo=UTC)),
        (Until("month", 2, day=30), datetime(2027, 3, 1, tzinfo=UTC)),
        (Until("month", 5, 2028, 1), datetime(2028, 5, 2, tzinfo=UTC)),
        (Until("week", 0), datetime(2026, 3, 9, tzinfo=UTC)),
        (Until("week", 1), datetime(2026, 3, 16, tzinfo=UTC)),
        (Until("rest_of_month", 0), datetime(2026, 4, 1, tzinfo=UTC)),
        (Until("rest_of_month", 10), datetime(2027, 2, 1, tzinfo=UTC)),
        (Until("month", 12, 9999, 31), None),
        (Until("month", 2, 0, 29), datetime(2027, 3, 1, tzinfo=UTC)),
    ],
)
def test_when_something_ends(until: Until, ends: datetime | None) -> None:
    assert until.after(NINE) == ends


def test_a_momentary_value_without_a_relation_of_its_own_waits() -> None:
    blue = Triple("you", "favorite_color", "blue")
    assert belief(StatedFact(blue, 0.7, strength="momentary"), NINE)[:2] == (blue, "passing")


def test_a_pronoun_that_fits_two_is_reported() -> None:
    context = TurnContext(("Last night I met my cousin Paul and my uncle Fred.",))
    understood = read_by_rules("He lives in Hull.", "en", context)
    assert not understood.facts
    assert understood.unclear == (("he", ("paul", "fred")),)


@pytest.mark.parametrize(
    ("lang", "before", "turn", "work"),
    [
        ("en", "My boss Henrike wants the report.", "Zorah works on Saturdays, she's a nurse.", "nurse"),
        ("de", "Meine Chefin Henrike will den Bericht.", "Zorah arbeitet samstags, sie ist Ärztin.", "ärztin"),
        ("fr", "Ma cheffe Henrike veut le rapport.", "Zorah travaille le samedi, elle est infirmière.", "infirmière"),
        ("es", "Mi jefa Henrike quiere el informe.", "Zorah trabaja los sábados. Ella es enfermera.", "enfermera"),
        ("it", "La mia capa Henrike vuole il rapporto.", "Zorah lavora il sabato. Lei è infermiera.", "infermiera"),
    ],
)
def test_she_is_whom_the_sentence_names_and_nobody_before(lang: str, before: str, turn: str, work: str) -> None:
    """The name is in no list of first names. What memory believes tells whether it is a person's."""
    assert read_by_rules(turn, lang, TurnContext([before])).facts == ()
    known = TurnContext([before], believed=[Triple("you", "sister", "zorah")])
    assert [fact.triple for fact in read_by_rules(turn, lang, known).facts] == [Triple("zorah", "is", work)]


def test_a_verb_without_a_subject_that_fits_two_is_reported() -> None:
    understood = read_by_rules("Le mie sorelle sono Anna e Lisa. Lavora alla Fiat.", "it", TurnContext())
    assert understood.unclear == (("lavora", ("lisa", "anna")),)


def talk(lang: str, turns: list[tuple[str, str]]) -> HotIndex:
    """Observe (actor, text) in a live conversation."""
    index = HotIndex()
    chat = LiveChat(
        "monday",
        user_id="anna",
        index=index,
        understand=lambda text, context: read_by_rules(text, lang, context),
        ask=partial(about_facts, "anna"),
        keep=lambda turn: turn.text,
        options=HotOptions(),
        now=lambda: NINE,
        clock=lambda: 0.0,
    )
    for actor, text in turns:
        chat.observe(text, actor=actor)
    return index


ASKED = [
    ("en", ["I live in Dundee.", "I think I live in Perth."], "Do you live in Perth?", "Yes.", "No."),
    (
        "en",
        ["I live in Dundee.", "I think I live in Perth."],
        "So you live in Perth, right?",
        "Yes, I do.",
        "Nope.",
    ),
    ("es", ["Vivo en Vigo.", "Creo que vivo en Lugo."], "¿Vives en Lugo?", "Sí, claro.", "No, ya no."),
    ("fr", ["J'habite à Nantes.", "Je crois que j'habite à Rennes."], "Tu habites à Rennes ?", "Oui.", "Non."),
    ("de", ["Ich wohne in Ulm.", "Ich glaube, ich wohne in Bonn."], "Wohnst du in Bonn?", "Ja, genau.", "Nein."),
    ("it", ["Vivo a Pisa.", "Forse vivo a Siena."], "Vivi a Siena?", "Sì.", "No."),
]


@pytest.mark.parametrize(("lang", "said", "asked", "yes", "no"), ASKED)
def test_a_yes_confirms_what_is_doubtful_and_a_no_drops_it(
    lang: str, said: list[str], asked: str, yes: str, no: str
) -> None:
    told = [("user", text) for text in said]
    [first] = [fact.triple for fact in talk(lang, told).facts()]
    confirmed = talk(lang, [*told, ("assistant", asked), ("user", yes)])
    [second] = [fact.triple for fact in confirmed.facts()]
    assert second != first
    denied = talk(lang, [*told, ("assistant", asked), ("user", no)])
    assert [fact.triple for fact in denied.facts()] == [first]
    assert not denied.doubtful()


@pytest.mark.parametrize(
    "asked",
    [
        "Would you like to live in Perth?",
        "Do you know Perth?",
        "Don't you live in Perth?",
        "Perth is nice.",
        "Is it still raining where you live in Perth?",
        "Did you live in Perth before Leeds?",
    ],
)
def test_a_yes_to_something_else_confirms_nothing(asked: str) -> None:
    turns = [
        ("user", "I live in Dundee."),
        ("user", "I think I live in Perth."),
        ("assistant", asked),
        ("user", "Yes."),
    ]
    assert [fact.triple for fact in talk("en", turns).facts()] == [Triple("you", "lives_in", "dundee")]


@pytest.mark.parametrize(
    ("lang", "said", "asked", "yes"),
    [
        ("en", ["I live in Dundee.", "I think I live in Perth."], "Did you live in Perth?", "Yes."),
        ("es", ["Vivo en Vigo.", "Creo que vivo en Lugo."], "¿Viviste en Lugo?", "Sí."),
        ("es", ["Vivo en Vigo.", "Creo que vivo en Lugo."], "¿Has vivido en Lugo?", "Sí."),
        ("fr", ["J'habite à Nantes.", "Je crois que j'habite à Rennes."], "Tu habitais à Rennes ?", "Oui."),
        ("fr", ["J'habite à Nantes.", "Je crois que j'habite à Rennes."], "Tu as habité à Rennes ?", "Oui."),
        ("de", ["Ich wohne in Ulm.", "Ich glaube, ich wohne in Bonn."], "Hast du in Bonn gewohnt?", "Ja."),
        ("de", ["Ich wohne in Ulm.", "Ich glaube, ich wohne in Bonn."], "Wohntest du in Bonn?", "Ja."),
        ("it", ["Vivo a Pisa.", "Forse vivo a Siena."], "Vivevi a Siena?", "Sì."),
        ("it", ["Vivo a Pisa.", "Forse vivo a Siena."], "Hai vissuto a Siena?", "Sì."),
    ],
)
def test_a_yes_about_the_past_confirms_nothing_of_the_present(
    lang: str, said: list[str], asked: str, yes: str
) -> None:
    told = [("user", text) for text in said]
    index = talk(lang, [*told, ("assistant", asked), ("user", yes)])
    assert [fact.triple for fact in index.facts()] == [fact.triple for fact in talk(lang, told[:1]).facts()]


def test_what_a_turn_states_after_its_yes_counts() -> None:
    turns = [
        ("user", "J'habite à Lyon."),
        ("user", "Je crois que j'habite à Rome."),
        ("assistant", "Tu habites à Rome ?"),
        ("user", "Oui, mais j'ai déménagé à Nice."),
    ]
    assert [fact.triple for fact in talk("fr", turns).facts()] == [Triple("you", "lives_in", "nice")]


def test_a_question_about_a_doubt_confirms_nothing() -> None:
    turns = [("user", "I live in Dundee."), ("user", "I think I live in Perth."), ("user", "Do I live in Perth?")]
    assert [fact.triple for fact in talk("en", turns).facts()] == [Triple("you", "lives_in", "dundee")]


def test_candidates_that_the_graph_holds_are_known_after_a_restart() -> None:
    index, perth = HotIndex(), Triple("you", "lives_in", "perth")
    index.load([KnownFact(perth, "You live in Perth", 0.5, 1.0, waits=True)])
    assert not list(index.facts())
    assert index.doubtful() == [perth]


@pytest.mark.parametrize(
    ("lang", "turn", "ended"),
    [
        ("en", "I quit in January.", datetime(2026, 1, 1, tzinfo=UTC)),
        ("en", "I quit in May.", datetime(2025, 5, 1, tzinfo=UTC)),
        ("en", "I quit two weeks ago.", datetime(2026, 2, 16, tzinfo=UTC)),
        ("en", "I left Nokia in 2024.", datetime(2024, 1, 1, tzinfo=UTC)),
        ("en", "I quit yesterday.", datetime(2026, 3, 1, tzinfo=UTC)),
        ("en", "I quit.", None),
        ("de", "Ich habe letzten Freitag gekündigt.", datetime(2026, 2, 27, tzinfo=UTC)),
        ("de", "Ich habe im Januar gekündigt.", datetime(2026, 1, 1, tzinfo=UTC)),
        ("fr", "J'ai démissionné en janvier.", datetime(2026, 1, 1, tzinfo=UTC)),
        ("es", "Me despidieron hace tres semanas.", datetime(2026, 2, 9, tzinfo=UTC)),
        ("it", "Mi sono licenziata a gennaio.", datetime(2026, 1, 1, tzinfo=UTC)),
    ],
)
def test_what_ended_at_a_stated_time_ends_then(lang: str, turn: str, ended: datetime | None) -> None:
    understood = read_by_rules(turn, lang, TurnContext(believed=(Triple("you", "works_at", "nokia"),)))
    changes = changes_of(understood, at=NINE, said=NINE.timestamp(), sentence=" ".join, session_id="s")
    gone = [change.ends for change in changes if change.retracted and change.triple.relation == "works_at"]
    assert gone == [ended.timestamp() if ended else None]


@pytest.mark.parametrize(
    ("lang", "half"),
    [
        ("en", "My name is"),
        ("en", "I put the key under the"),
        ("en", "I like tea,"),
        ("es", "Vivo en"),
        ("fr", "Je m'appelle"),
        ("de", "Meine Lieblingsfarbe ist"),
        ("it", "Abito a"),
    ],
)
def test_a_turn_that_breaks_off_is_half(lang: str, half: str) -> None:
    assert is_half(half, lang)
    assert goes_on(half, "Leeds", lang)
    assert not is_half(f"{half} Leeds", lang)


@pytest.mark.parametrize(
    ("lang", "before", "turn", "stated"),
    [
        # A turn with a subject of its own is whole, if the turn before adds nothing to it.
        ("en", "Come in", "I live in Rome.", ["lives_in rome"]),
        ("en", "Turn it on", "I like jazz.", ["likes jazz"]),
        ("en", "What are you looking for", "I live in Rome.", ["lives_in rome"]),
        ("en", "well,", "I live in Rome.", ["lives_in rome"]),
        ("de", "Ich komme mit", "Mein Bruder heißt Tom.", ["brother tom"]),
        ("es", "Vengo de", "Vivo en Roma.", ["lives_in roma"]),
        ("fr", "Je viens avec", "J'habite à Lyon.", ["lives_in lyon"]),
        ("it", "Vengo con", "Abito a Roma.", ["lives_in roma"]),
        # These are halves.
        ("en", "I was born in", "Oslo and I live in Bergen.", ["born_in oslo", "lives_in bergen"]),
        ("en", "I live with my", "sister Ana in Leeds.", ["sister ana"]),
        ("de", "Ich heiße", "Anna und ich wohne in Ulm.", ["name anna", "lives_in ulm"]),
        ("en", "I don't want to", "live in Leeds.", []),
        ("en", "He said", "I live in Rome.", []),
        ("en", "If it rains,", "I work from home.", []),
        ("en", "I parked the car on level", "three of the garage.", []),
    ],
)
def test_what_the_second_of_two_turns_states(lang: str, before: str, turn: str, stated: list[str]) -> None:
    understood = read_by_rules(turn, lang, TurnContext((before,)))
    assert [fact.triple for fact in understood.facts] == [named(each) for each in stated]


def test_what_follows_a_number_may_be_the_second_half() -> None:
    assert goes_on("I parked the car on level", "three of the garage", "en")
    assert not goes_on("I have two dogs", "three cats", "en")


def test_a_half_states_no_thing_that_is_cut_off() -> None:
    assert not read_by_rules("I like my coffee with", "en").facts


def test_what_another_said_between_parts_two_halves() -> None:
    assert not read_by_rules("Porto is nice.", "en", TurnContext(("I work at",), is_apart=True)).continues
    assert read_by_rules("Siemens.", "en", TurnContext(("I work at",))).continues


@pytest.mark.parametrize("whole", ["The firm I work for", "I live in Leeds", "My name is."])
def test_a_turn_that_may_end_so_is_whole(whole: str) -> None:
    assert not is_half(whole, "en")


# Names with letters of any Latin alphabet.
FOREIGN = (
    "Łukasz|Søren|Đorđe|Őrs|Gülşen|Čeněk|Thễ|Þórir|Ōtani|Ņikita|Ħal|Œdipe|Ğani|İpek|Ștefan|Żaneta|Åsa|Ewa Łącka"
    "|Jørgen Ødegård|Nguyễn Thị Hoa|Siobhán Ó Súilleabháin"
)
OF_A_BROTHER = {
    "en": ("My brother is called {}.", "{} lives in Leeds.", "Where does {} live?", "leeds"),
    "de": ("Mein Bruder heißt {}.", "{} wohnt in Kiel.", "Wo wohnt {}?", "kiel"),
    "fr": ("Mon frère s'appelle {}.", "{} habite à Lyon.", "Où habite {} ?", "lyon"),
    "es": ("Mi hermano se llama {}.", "{} vive en Vigo.", "¿Dónde vive {}?", "vigo"),
    "it": ("Mio fratello si chiama {}.", "{} vive a Pisa.", "Dove vive {}?", "pisa"),
}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("lang", OF_A_BROTHER)
def test_a_foreign_name_is_stated_asked_for_and_found(lang: str, form: Literal["NFC", "NFD"]) -> None:
    brother, home, question, town = OF_A_BROTHER[lang]
    missed: list[str] = []
    for name in FOREIGN.split("|"):
        # As every door gives text on: composed.
        turns = [composed(unicodedata.normalize(form, each.format(name))) for each in (brother, home, question)]
        facts = {fact.triple for fact in believed(lang, turns[:2]).facts()}
        asked = about_facts("anna", turns[2], lang)
        whose = [triple.subject for triple in facts if asked.is_answered_by(triple) and triple.object == town]
        if ("you", "brother", composed(name.lower())) not in facts or whose != [composed(name.lower())]:
            missed.append(name)
    assert missed == []


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "I left Paris for Bosch."),
        ("de", "Ich habe Paris für Bosch verlassen."),
        ("es", "Dejé París por Bosch."),
        ("fr", "J'ai quitté Paris pour Bosch."),
        ("it", "Ho lasciato Parigi per Bosch."),
    ],
)
def test_a_home_that_may_be_an_employer_is_in_doubt(lang: str, turn: str) -> None:
    assert [fact.hedged for fact in read_by_rules(turn, lang).facts if fact.triple.relation == "lives_in"] == [True]
