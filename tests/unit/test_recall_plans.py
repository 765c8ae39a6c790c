"""A plan is done by a deed that is told, and by that of its person; all that is open is told of."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.fact import Until
from amr_neo4j.domain.ports import Beliefs
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.language.plans import PlanQuestion
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.answer.plans import carries_out, plan_claims
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Knowledge, Sources
from tests.support.fake_graph import HashedWords, graph_of_lines


def event(text: str, *, said: bool, number: int = 1) -> Event:
    """An event that is only talk, or a caption."""
    lines = (text,) if said else ()
    seen = "" if said else text
    at = datetime(2026, 3, 4, tzinfo=UTC)
    return Event(
        node_id=number,
        group_id="test",
        clip_ids=("a",),
        video_id="a",
        ordinal=number,
        time_start=0.0,
        time_end=4.0,
        summary_text=seen,
        dialogue_snippets=lines,
        at=at,
    )


def plan(what: str, who: str = "ann", number: int = 0, code: str = "en") -> Planned:
    return Planned(who, what, f"{who} plans to {what}", 0.9, 0.0, number, None, dropped=False, language=code)


@pytest.mark.parametrize(
    ("code", "what", "line"),
    [
        ("en", "buy milk", "Ann: I haven't bought the milk."),
        ("en", "buy milk", "Ann: Nobody bought milk yet."),
        ("en", "call the plumber", "Ann: We never called the plumber."),
        ("en", "buy milk", "Ann: I forgot to buy milk, I only bought bread."),
        ("de", "milch kaufen", "Ann: Ich habe keine Milch gekauft."),
        ("de", "milch kaufen", "Ann: Niemand hat Milch gekauft."),
        ("fr", "acheter du lait", "Ann: Je n'ai pas acheté de lait."),
        ("es", "comprar leche", "Ann: Nadie compró leche."),
        ("it", "comprare il latte", "Ann: Non ho comprato il latte."),
        ("en", "buy milk", "Ann: I bought no milk."),
    ],
)
def test_what_denies_a_deed_carries_out_no_plan(code: str, what: str, line: str) -> None:
    assert not carries_out(plan(what, code=code), event(line, said=True), ENGLISH, shared=False)


@pytest.mark.parametrize(
    ("what", "line", "done"),
    [
        ("call the dentist", "Ben: I called the dentist.", False),
        ("call mum at five", "Ann: I called mum.", True),
        ("call the dentist", "Ann: I called the dentist.", True),
        ("call the dentist", "Ben: Ann called the dentist.", True),
        ("call the dentist", "Ben: Ida called the dentist.", False),
        ("buy milk", "Ben: No problem, I bought the milk.", True),
    ],
)
def test_a_deed_is_done_by_whom_it_is_of_and_things_are_got_by_anybody(what: str, line: str, done: bool) -> None:
    assert carries_out(plan(what), event(line, said=True), ENGLISH, shared=False) == done


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("buy milk", "Ann: I bought milk without any trouble."),
        ("call the dentist", "Ann: I called the dentist and got nothing but music."),
    ],
)
def test_a_denial_behind_a_deed_is_of_something_else(what: str, line: str) -> None:
    assert carries_out(plan(what), event(line, said=True), ENGLISH, shared=False)


@pytest.mark.parametrize(
    ("what", "line", "done"),
    [
        ("visit ben", "Ann: Visited Ben with Carl.", True),
        ("fix the bike", "Ann: The bike is fixed, thanks to Ben.", True),
        ("visit ben", "Ida: Visited Ben with Carl.", False),
    ],
)
def test_who_planned_a_deed_tells_that_it_is_done(what: str, line: str, done: bool) -> None:
    assert carries_out(plan(what), event(line, said=True), ENGLISH, shared=False) == done


@pytest.mark.parametrize(
    ("what", "caption", "done"),
    [
        ("buy milk", "Ben buys milk.", True),
        ("buy milk", "Ben did not buy the milk.", False),
        ("call the dentist", "Ben calls the dentist.", False),
        ("call the dentist", "Ann calls the dentist.", True),
    ],
)
def test_a_caption_carries_out_a_plan_by_its_own_deed(what: str, caption: str, done: bool) -> None:
    assert carries_out(plan(what), event(caption, said=False), ENGLISH, shared=False) == done


def test_anybody_carries_out_what_several_planned() -> None:
    assert carries_out(plan("call the dentist"), event("Ben: I called the dentist.", said=True), ENGLISH, shared=True)


def test_plans_that_are_not_listed_are_counted() -> None:
    plans = [plan(f"buy thing {number}", number=number) for number in range(23)]
    said = {each.node_id: event(f"Ann: Buy {each.what}.", said=True, number=each.node_id) for each in plans}
    claims = plan_claims(plans[:20], {}, said, now=None, of=ENGLISH, footage=ENGLISH)
    assert claims and len(claims.claims) == 20 and "of which" not in claims.claims[0].text
    claims = plan_claims(plans, {}, said, now=None, of=ENGLISH, footage=ENGLISH)
    assert claims and claims.claims[0].text.startswith("23 plans, of which the latest 20: ")


@pytest.mark.parametrize(
    ("code", "what", "line", "done"),
    [
        ("de", "milch kaufen", "Ann: Ich habe die Milch gekauft.", True),
        ("de", "milch besorgen", "Ben: Ich habe schon Milch geholt.", True),
        ("de", "den klempner anrufen", "Ann: Ich hab gestern den Klempner angerufen.", True),
        ("de", "milch kaufen", "Ann: Ich kaufe die Milch.", False),
        ("de", "milch kaufen", "Ann: Ich hätte die Milch gekauft.", False),
        ("de", "den klempner anrufen", "Ben: Ich habe den Klempner angerufen.", False),
        ("fr", "acheter du lait", "Ann: J'ai acheté le lait.", True),
        ("fr", "prendre le pain", "Ann: On a déjà pris le pain.", True),
        ("fr", "acheter du lait", "Ann: J'achète du lait.", False),
        ("fr", "acheter du lait", "Ann: J'aurais acheté du lait.", False),
        ("fr", "appeler le plombier", "Ann: J'ai appelé le plombier.", True),
        ("fr", "appeler le plombier", "Ben: J'ai appelé le plombier.", False),
        ("fr", "appeler le plombier", "Ann: L'appel du plombier est important.", False),
        ("es", "comprar leche", "Ann: Ya compré la leche.", True),
        ("es", "traer el pan", "Ann: He traído el pan.", True),
        ("es", "comprar leche", "Ann: Compro la leche.", False),
        ("es", "comprar leche", "Ann: Habría comprado leche.", False),
        ("es", "llamar al fontanero", "Ann: Llamé al fontanero.", True),
        ("es", "llamar al fontanero", "Ben: He llamado al fontanero.", False),
        ("es", "llamar al fontanero", "Ann: Tengo el teléfono del fontanero.", False),
        ("it", "comprare il latte", "Ann: Ho comprato il latte.", True),
        ("it", "prendere il pane", "Ann: Ho già preso il pane.", True),
        ("it", "comprare il latte", "Ann: Compro il latte.", False),
        ("it", "comprare il latte", "Ann: Avrei comprato il latte.", False),
        ("it", "chiamare l'idraulico", "Ann: Ho chiamato l'idraulico.", True),
        ("it", "chiamare l'idraulico", "Ben: Ho chiamato l'idraulico.", False),
        ("en", "buy milk", "Ann: I would have bought milk.", False),
        ("en", "buy milk", "Ann: I already bought the milk.", True),
    ],
)
def test_a_deed_that_is_told_of_closes_a_plan_in_each_language(code: str, what: str, line: str, done: bool) -> None:
    assert carries_out(plan(what, code=code), event(line, said=True), ENGLISH, shared=False) == done


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("de", "das basilikum gießen"),
        ("fr", "arroser le basilic"),
        ("es", "regar la albahaca"),
        ("it", "annaffiare il basilico"),
    ],
)
def test_a_caption_in_another_language_carries_out_a_plan(code: str, what: str) -> None:
    assert carries_out(plan(what, code=code), event("Ann waters the basil.", said=False), ENGLISH, shared=False)
    assert not carries_out(plan(what, code=code), event("Ann smells the basil.", said=False), ENGLISH, shared=False)


class Planning(Beliefs):
    """Plans to buy milk and to water the basil, said in one language in events 0 and 1."""

    def __init__(self, code: str, *whats: str) -> None:
        self.found = [
            Planned("ann", what, f"Ann: {what}", 0.9, SAID.timestamp(), number, EVENING, dropped=False, language=code)
            for number, what in enumerate(whats)
        ]

    def plans(self, scope: Scope) -> list[Planned]:
        """Return them all."""
        return self.found


SAID = datetime(2026, 3, 4, 9, tzinfo=UTC)
EVENING = datetime(2026, 3, 5, tzinfo=UTC)
SAYING = {
    "en": ("buy milk", "water the basil"),
    "de": ("milch kaufen", "das basilikum gießen"),
    "fr": ("acheter du lait", "arroser le basilic"),
    "es": ("comprar leche", "regar la albahaca"),
    "it": ("comprare il latte", "annaffiare il basilico"),
}


def answered(code: str, question: str, spoken: str, *later: str) -> str:
    """The answer of a film with English captions, in which the plans are said in a language."""
    captions = ["Ann talks to Ben.", "Ben talks to Ann.", *later]
    events = [
        {"time_start": 60 * at, "time_end": 60 * at + 4, "summary": text, "actors": [text.split()[0]]}
        for at, text in enumerate(captions)
    ]
    clip = {
        "video_id": "day",
        "clip_id": "0",
        "t_start": 0,
        "t_end": 600,
        "time_base": "video",
        "recorded_at": SAID.isoformat(),
        "analysis": {"clip_summary": "", "events": events},
    }
    graph, now = graph_of_lines([json.dumps(clip)]), SAID + timedelta(hours=5)
    asked = ENGLISH if code == "en" else AskedLanguage(code, "en")
    sources = Sources(Scope("test", as_of=now), graph, graph, HashedWords(), asked, now=now, zone=UTC)
    return ask(question, sources, knowledge=Knowledge(beliefs=Planning(spoken, *SAYING[spoken]))).text


@pytest.mark.parametrize("spoken", ["own", "en"])
@pytest.mark.parametrize(
    ("code", "to_buy", "of_evening"),
    [
        ("en", "What did we still want to buy?", "What is planned for this evening?"),
        ("de", "Was wollten wir noch kaufen?", "Was ist für heute Abend geplant?"),
        ("de", "Was müssen wir noch besorgen?", "Was steht heute Abend an?"),
        ("fr", "Que voulions-nous encore acheter ?", "Qu'est-ce qui est prévu pour ce soir ?"),
        ("es", "¿Qué queríamos comprar todavía?", "¿Qué está previsto para esta noche?"),
        ("es", "¿Qué teníamos que comprar todavía?", "¿Qué hay planeado para esta noche?"),
        ("it", "Cosa volevamo ancora comprare?", "Che cosa è previsto per stasera?"),
    ],
)
def test_questions_for_plans_are_read_in_their_own_language(
    code: str, to_buy: str, of_evening: str, spoken: str
) -> None:
    said_in = code if spoken == "own" else spoken
    milk, basil = SAYING[said_in]
    state = language(code).plans.state("open", EVENING.date() - timedelta(days=1))
    asked = answered(code, to_buy, said_in)
    assert f"{milk} ({state})" in asked and basil not in asked
    asked = answered(code, of_evening, said_in)
    assert f"{milk} ({state})" in asked and f"{basil} ({state})" in asked


@pytest.mark.parametrize("spoken", ["own", "en"])
@pytest.mark.parametrize(
    ("code", "question", "thing"),
    [
        ("en", "When will Ann water the basil?", 1),
        ("en", "Do we still need to buy milk?", 0),
        ("de", "Wann wird Ann das Basilikum gießen?", 1),
        ("de", "Müssen wir noch Milch kaufen?", 0),
        ("de", "Was ist noch zu besorgen?", 0),
        ("fr", "Quand Ann va-t-elle arroser le basilic ?", 1),
        ("fr", "Faut-il encore acheter du lait ?", 0),
        ("fr", "Qu'est-ce qu'il reste à acheter ?", 0),
        ("es", "¿Cuándo va a regar Ann la albahaca?", 1),
        ("es", "¿Tenemos que comprar leche todavía?", 0),
        ("es", "¿Qué falta por comprar?", 0),
        ("it", "Quando annaffierà Ann il basilico?", 1),
        ("it", "Dobbiamo ancora comprare il latte?", 0),
        ("it", "Cosa manca ancora da comprare?", 0),
    ],
)
def test_what_will_be_and_what_is_left_to_do_are_told_by_plans(
    code: str, question: str, thing: int, spoken: str
) -> None:
    said_in = code if spoken == "own" else spoken
    state = language(code).plans.state("open", EVENING.date() - timedelta(days=1))
    text = answered(code, question, said_in)
    assert f"{SAYING[said_in][thing]} ({state})" in text and SAYING[said_in][1 - thing] not in text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "Haben wir die Milch gekauft?"),
        ("fr", "Avons-nous acheté du lait ?"),
        ("es", "¿Compramos la leche?"),
        ("it", "Abbiamo comprato il latte?"),
    ],
)
def test_a_plan_is_no_deed_in_any_language(code: str, question: str) -> None:
    state = language(code).plans.state("open", EVENING.date() - timedelta(days=1))
    assert state not in answered(code, question, code)


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "Was hatte Ann mit dem Basilikum vor?"),
        ("fr", "Qu'est-ce qu'Ann avait prévu avec le basilic ?"),
        ("es", "¿Qué tenía Ann planeado con la albahaca?"),
        ("it", "Che cosa aveva previsto Ann con il basilico?"),
    ],
)
def test_a_plan_is_done_by_a_caption_in_another_language_than_its_own(code: str, question: str) -> None:
    text = answered(code, question, code, "Ann waters the basil.")
    assert f"{SAYING[code][1]} ({language(code).plans.state('done', None)}" in text and "Ann waters the basil" in text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What are we doing on Friday?"),
        ("de", "Was machen wir am Freitag?"),
        ("de", "Was ist für Freitag geplant?"),
        ("fr", "Qu'est-ce qu'on fait vendredi ?"),
        ("fr", "Que faisons-nous vendredi ?"),
        ("es", "¿Qué hacemos el viernes?"),
        ("it", "Cosa facciamo venerdì?"),
    ],
)
def test_what_is_done_on_a_day_to_come_asks_for_plans(code: str, question: str) -> None:
    assert language(code).plans.asked(question) == PlanQuestion(frozenset(), Until("weekday", 4))
