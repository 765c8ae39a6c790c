"""The context budget: its tiers, what goes first, and that nothing goes without being reported."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.budget import Budget, estimated_tokens
from amr_neo4j.facts.budget import build_context


def words(text: str) -> int:
    return len(text.split())


def text(number: int, word: str = "word") -> str:
    return " ".join(f"{word}{n}" for n in range(number))


TEXTS = st.lists(st.integers(1, 700).map(text), max_size=7)


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.integers(0, 2000).map(text), st.integers(0, 2500))
def test_the_budget_is_never_exceeded_and_every_text_is_kept_or_reported(
    recent: list[str], tools: list[str], facts: list[str], episodes: list[str], system: str, total: int
) -> None:
    context = build_context(recent, tools, facts, episodes, system, budget=Budget(total=total), count=words)
    assert context.total <= total
    assert context.tokens["facts"] <= 200 and context.tokens["episodes"] <= 200
    for tier, given_texts, kept in (
        ("recent", recent, context.recent),
        ("tools", tools, context.tools),
        ("facts", facts, context.facts),
        ("episodes", episodes, context.episodes),
    ):
        gone = [each for each in context.dropped if each.tier == tier]
        whole = [each for each in kept if each in given_texts]
        assert len(whole) + len(gone) == len(given_texts)


def test_recent_messages_come_first_and_three_of_them_always() -> None:
    """The three are kept even beyond the limit of their tier, the fourth and fifth only within it."""
    many = [text(n, "m") for n in (10, 11, 300, 301, 302)]
    context = build_context(many, facts=["a fact"], budget=Budget(), count=words)
    assert context.recent == tuple(many[2:]) and context.facts == ("a fact",)
    assert [(each.text, each.why) for each in context.dropped] == [(many[1], "no room"), (many[0], "no room")]
    assert (
        build_context(["one", "two", "three", "four", "five", "six"], budget=Budget(), count=words).recent[0] == "two"
    )


def test_a_large_tool_result_is_shortened_and_never_dropped() -> None:
    context = build_context(
        [text(900)], [text(30, "small"), text(3000, "large")], facts=[text(5)], budget=Budget(), count=words
    )
    small, large = context.tools
    assert small == text(30, "small") and large.startswith("large0 large1") and large.endswith("…")
    assert context.tokens["tools"] == Budget.tools
    [cut] = context.dropped
    assert (cut.tier, cut.why, cut.tokens) == ("tools", "shortened", 3004) and cut.kept < 400


def test_recent_messages_leave_room_for_a_tool_result() -> None:
    context = build_context([text(2000)] * 3, [text(50, "found")], budget=Budget(), count=words)
    assert context.tools == (text(50, "found"),) and context.total <= 1500


def test_streaming_stops_where_no_room_is_and_repeats_drop() -> None:
    facts = ["You like tea", "you like tea ", text(150), text(100), "short"]
    context = build_context(facts=facts, episodes=["You like tea", "Tea was served"], budget=Budget(), count=words)
    assert context.facts == ("You like tea", text(150)) and context.episodes == ("Tea was served",)
    assert [each.why for each in context.dropped] == ["said already", "no room", "no room", "said already"]


def test_instructions_fill_what_is_left() -> None:
    context = build_context(["hello"], system=text(3000, "rule"), budget=Budget(total=100), count=words)
    assert context.system.startswith("rule0 rule1 ") and context.total <= 100
    assert context.tokens["system"] > 80


def test_the_estimate_of_tokens() -> None:
    """It is within a third of the given counts, which are those of o200k_base."""
    for said, real in (
        ("I live in Ghent and work at BMW.", 10),
        ("Ich wohne in Gent und arbeite bei BMW.", 11),
        ("The invoice of 12,500 euros is due on 2026-03-01.", 19),
        ("", 0),
    ):
        assert abs(estimated_tokens(said) - real) <= real / 3


def test_what_memory_adds_has_its_room_beside_a_long_message() -> None:
    """Without room set aside, the words of an assistant leave none for the fact that was asked for."""
    said = {"facts": ["You live in Ghent"], "episodes": ["We saw the altarpiece"]}
    context = build_context(["word " * 2000], [text(2000)], **said, budget=Budget(total=1500))
    assert context.facts == ("You live in Ghent",) and context.episodes == ("We saw the altarpiece",)
    assert context.tools and context.recent and context.total <= 1500
    least = build_context(["word " * 2000], **said, budget=Budget(total=1500, episodes=0))
    assert least.facts and not least.episodes, "each has a setting of its own"
