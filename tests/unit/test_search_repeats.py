"""A search in order of time names what repeats the hit before it, and does not list it."""

from __future__ import annotations

from amr_neo4j.app.asking import _without_repeats
from amr_neo4j.cli.ask import _row
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Hit
from amr_neo4j.integrations.results import event


def hit(number: int, at: float, summary: str, video: str = "v", said: tuple[str, ...] = ()) -> Hit:
    return Hit(Event(number, "g", video, ("c",), 0, at, at + 2, summary, said), 0.5)


def listed(*hits: Hit) -> list[tuple[int, tuple[int, ...]]]:
    return [(each.event.node_id, each.repeats) for each in _without_repeats(hits)]


def test_what_says_the_same_right_after_is_folded() -> None:
    cut = [hit(number, 10.0 * number, "I cut the bread.") for number in range(4)]
    assert listed(*cut) == [(0, (1, 2, 3))]


def test_another_time_another_video_and_other_words_are_not_folded() -> None:
    first = hit(0, 0.0, "I cut the bread.")
    others = (
        hit(1, 600.0, "I cut the bread."),
        hit(2, 602.0, "I cut the bread.", video="w"),
        hit(3, 604.0, "I wash the knife.", video="w"),
        hit(4, 606.0, "I wash the knife.", video="w", said=("Ida: Is there any butter left for me?",)),
    )
    assert listed(first, *others) == [(number, ()) for number in range(5)]


def test_what_is_folded_is_named_to_people_and_assistants() -> None:
    [folded] = _without_repeats([hit(0, 0.0, "I cut the bread."), hit(1, 4.0, "I cut the bread.")])
    assert _row(folded, explain=False)[-1] == "I cut the bread. (and 1 more right after it)"
    assert event(folded)["repeats"] == [1] and "repeats" not in event(hit(0, 0.0, "x"))
