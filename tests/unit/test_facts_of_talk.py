from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from amr_neo4j.app.fact_reading import RuleReader
from amr_neo4j.app.facts_of_talk import GroupTalk
from amr_neo4j.domain.belief import NewTalk, SeenFact
from amr_neo4j.domain.fact import TurnContext, Understood
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.understand import NO_CONTEXT, read_by_rules


@dataclass
class Store:
    """Keeps what is written of the talk of a group, whose events have these lines."""

    lines: Sequence[str]
    stated: list[SeenFact] = field(default_factory=list[SeenFact])
    heard: list[int] = field(default_factory=list[int])

    def take(self, dead: object) -> str:
        return ""

    def release(self) -> None:
        pass

    def seen_to(self) -> int:
        return self.heard[-1] if self.heard else -1

    def new_talk(self, after: int, limit: int) -> list[NewTalk]:
        at = datetime(2024, 5, 1, tzinfo=UTC)
        said = [(number, line) for number, line in enumerate(self.lines) if number > after]
        return [NewTalk(number, "film", (line,), at) for number, line in said[:limit]]

    def hear(self, stated: Sequence[SeenFact], dropped: Sequence[SeenFact], heard_to: int) -> None:
        self.stated += stated
        self.heard.append(heard_to)


def talk_in(store: Store, code: str = "en", networks: list[str] | None = None) -> GroupTalk:
    def network(turn: str, language: str, context: TurnContext = NO_CONTEXT) -> Understood:
        if networks is not None and turn:
            networks.append(turn)
        return read_by_rules(turn, language, context)

    reader = RuleReader([code], Speakers(), lambda: network)
    return GroupTalk(store=lambda group_id: store, reader=reader, language=language(code), notify=print)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("code", "plan", "taste"),
    [
        ("en", "We have to buy milk tomorrow.", "I love green tea."),
        ("de", "Wir müssen morgen Milch kaufen.", "Ich liebe grünen Tee."),
        ("fr", "Nous devons acheter du lait demain.", "J'adore le thé vert."),
        ("es", "Tenemos que comprar leche mañana.", "Me encanta el té verde."),
        ("it", "Dobbiamo comprare il latte domani.", "Adoro il tè verde."),
    ],
)
def test_the_network_reads_no_line_that_only_plans(code: str, plan: str, taste: str) -> None:
    store, read = Store([f"Ida: {plan}", f"Ida: {taste}", "Ida: Oh, the door."]), list[str]()
    talk_in(store, code, read).read("home")
    assert read == [taste]
    assert {fact.triple.relation for fact in store.stated} >= {"plans", "likes"}


def test_a_taste_in_a_line_that_plans_is_read_by_the_network_too() -> None:
    """It drops what the rules read wrongly."""
    store, read = Store(["Ida: Let's fetch the cake, Ben likes cake."]), list[str]()
    talk_in(store, networks=read).read("home")
    assert len(read) == 1
    assert {fact.triple.relation for fact in store.stated} == {"plans", "likes"}


def test_an_error_of_reading_is_reported() -> None:
    """The videos are in memory, and the next reading goes on from there."""
    told = list[str]()

    class Away(Store):
        def seen_to(self) -> int:
            raise StoreUnavailable("gone")

    replace(talk_in(Away([])), notify=told.append).read("home")
    assert told == ["what people say in these videos is not read yet: gone"]
