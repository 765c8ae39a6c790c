"""A plan is done by a deed that is told, and by that of its person; all that is open is told of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Event
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.recall.answer.plans import carries_out, plan_claims


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


def plan(what: str, who: str = "ann", number: int = 0) -> Planned:
    return Planned(who, what, f"{who} plans to {what}", 0.9, 0.0, number, None, dropped=False)


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
    assert not carries_out(plan(what), event(line, said=True), language(code), shared=False)


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
    claims = plan_claims(plans[:20], {}, said, now=None, language=ENGLISH)
    assert claims and len(claims.claims) == 20 and "of which" not in claims.claims[0].text
    claims = plan_claims(plans, {}, said, now=None, language=ENGLISH)
    assert claims and claims.claims[0].text.startswith("23 plans, of which the latest 20: ")
