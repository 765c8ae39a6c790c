"""When the first texts of a group show its language, and what follows."""

from __future__ import annotations

import pytest

from amr_neo4j.app.group_language import AT_ONCE, FIRST, GroupLanguage
from amr_neo4j.errors import ModelMissing, StoreError, StoreUnavailable
from amr_neo4j.turn_reader.detect import language_of

GERMAN = "Ich war gestern mit meiner Schwester auf dem Markt und habe Brot gekauft."
COST = (
    "group home has texts or questions in de, so multilingual-e5 embeds its texts anew: 1,500 are left, 500 after"
    " each commit or before such a question, which take about a second; or all at once: amr index reembed with the"
    " setting embedder: multilingual-e5"
)
CHANGED = "group home has texts or questions in de, so it has the embedder multilingual-e5 from now on"


class Group:
    """A group that is embedded anew in so many steps. changes: how many of them were taken."""

    def __init__(
        self, steps: int = 1, *, language: str = "en", missing: bool = False, fails: StoreError | None = None
    ) -> None:
        self.turns: dict[str, list[str]] = {}
        self.changes, self.reads, self.english, self.said = 0, 0, True, list[str]()
        self.away = False
        self._steps, self._missing, self._fails = steps, missing, fails
        self._looks = GroupLanguage(
            group_id="home",
            is_english=lambda: self.english,
            language=language,
            texts=self._texts,
            language_of=language_of,
            change=self._change,
            left=lambda: AT_ONCE * (self._steps - self.changes),
            notify=self.said.append,
        )

    def say(self, *turns: str, user: str = "anna") -> None:
        self.turns.setdefault(user, []).extend(turns)
        self._looks.look(user)

    def ask_in(self, code: str) -> None:
        self._looks.note_question(code)

    def _texts(self, user_id: str, limit: int) -> list[str]:
        self.reads += 1
        if self.away:
            raise StoreUnavailable("the database is away")
        return self.turns[user_id][:limit]

    def _change(self) -> bool:
        if self._missing:
            raise ModelMissing("the model multilingual-e5 is not installed")
        if self._fails:
            raise self._fails
        self.changes += 1
        self.english = self.changes < self._steps
        return not self.english


def test_short_texts_wait_for_more() -> None:
    group = Group()
    group.say("Hallo!")
    group.say("Ja, gerne.")
    assert not group.changes
    group.say(GERMAN, GERMAN)
    assert group.changes == 1
    group.say(GERMAN)
    assert group.changes == 1 and group.reads == 3 and len(group.said) == 1


@pytest.mark.parametrize(
    "turn",
    [
        "I went to the market with my sister yesterday and bought some bread for us.",
        "open drawer\nclose drawer\npick up spaghetti\nput spaghetti on plate\nwash bowl",
        "chop leek",
        "zzz 12345 ---- 67890",
    ],
)
def test_a_group_in_english_or_in_no_language_is_looked_at_for_some_turns_only(turn: str) -> None:
    group = Group()
    for _ in range(FIRST + 5):
        group.say(turn)
    assert not group.changes and not group.said and group.reads == FIRST


@pytest.mark.parametrize(
    "turn",
    [
        "Ik was gisteren in de stad en heb daar een oude vriend ontmoet, die nu leraar in Utrecht is.",
        "昨日市場に行ってパンを買いました。妹が土曜日に来ます。とても楽しみです。",
        "Вчера я ходил на рынок и купил хлеб, а сестра приедет в субботу.",
    ],
)
def test_languages_that_no_table_knows_count_too(turn: str) -> None:
    group = Group()
    group.say(*[turn] * 5)
    assert group.changes == 1


def test_a_later_user_of_another_language_counts_too() -> None:
    group = Group(steps=2)
    group.say(*["I went to the market with my sister yesterday and bought some bread for us."] * FIRST)
    group.say(GERMAN, GERMAN, user="ben")
    group.say("And some cheese, too.")
    assert group.changes == 2 and not group.english


def test_the_language_of_the_settings_needs_no_text() -> None:
    group = Group(language="fr")
    group.say("Ok")
    assert group.changes == 1


def test_without_the_model_a_line_says_so_once() -> None:
    group = Group(missing=True)
    for _ in range(3):
        group.say(GERMAN, GERMAN)
    [line] = group.said
    assert "multilingual-e5 is not installed" in line


def test_an_outage_after_a_commit_is_left_to_the_next_one() -> None:
    group = Group()
    group.away = True
    group.say(GERMAN, GERMAN)
    group.away = False
    group.say(GERMAN)
    assert group.changes == 1


def test_a_group_with_many_texts_changes_step_by_step_and_says_once_what_it_costs_and_that_it_is_done() -> None:
    group = Group(steps=4)
    for _ in range(6):
        group.say(GERMAN, GERMAN)
    assert group.changes == 4
    assert group.said == [COST, CHANGED]


def test_a_question_in_another_language_changes_the_group_too_step_by_step() -> None:
    group = Group(steps=2)
    group.ask_in("de")
    assert group.changes == 1 and group.english
    group.ask_in("fr")
    group.ask_in("de")
    assert group.changes == 2 and not group.english
    assert group.said == [COST.replace("1,500", "500"), CHANGED]


@pytest.mark.parametrize("error", [StoreUnavailable("the database is away"), StoreError("the database is read-only")])
def test_a_question_is_answered_though_the_group_cannot_be_changed(error: StoreError) -> None:
    group = Group(fails=error)
    group.ask_in("de")
    assert group.english and not group.changes
