"""No turn and no question makes reading, believing or answering fail, however odd its words are."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from amr_neo4j.app.beliefs import UserBeliefs, language_asked
from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Edge, Event, Turn, said_id
from amr_neo4j.domain.fact import SPEAKER, KnownFact, Triple, TurnContext, changes_of, fact_id
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Recalled, Scope, TurnCitation
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.recall.sources import Knowledge, Sources
from amr_neo4j.turn_reader.understand import Understander
from tests.support.fake_graph import FakeGraph, HashedWords, stems

LANGUAGES = ("en", "es", "fr", "de", "it")
GOLD = Path(__file__).parents[1] / "gold"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
# What people and programs send besides words: marks, other scripts, emoji, code, marks of direction, no text at all.
ODD = [
    *"?!.,;:…–—\"'’“”«»()[]{}<>|/\\@#%&*+=~^_`´¿¡ºª§°€£$\t\n",
    *[
        "\u200b",
        "\u202e",
        "\ufeff",
        "\u0301",
        "\x00",
        "\x85",
        "\ud7ff",
        "ﬁ",
        "İ",
        "ß",
        "ẞ",
        "ſ",
        "ǆ",
        "𝔄",
        "½",
        "²",
        "Ⅳ",
    ],
    *[
        "日本語",
        "привет",
        "مرحبا",
        "שלום",
        "हिन्दी",
        "ไทย",
        "👩‍👩‍👧",
        "🇩🇪",
        "e\u0301",
        "A\u030a",
        "o'",
        "'s",
        "d'",
        "l'",
        "O'O'",
    ],
    *[
        "```x = 1```",
        "http://a.b/c?d=e#f",
        "<b>",
        "{{x}}",
        "%s %d",
        "${HOME}",
        "' OR 1=1 --",
        "n't",
        "--",
        "...",
        "50 %",
    ],
    *["1", "0", "-1", "12:30", "24.12.", "2026", "99999999999999999999", "1e400", "½ 3/4", "3rd", "№", "a" * 300],
]


@cache
def _turns() -> tuple[str, ...]:
    files = sorted((GOLD / "dev").glob("*.jsonl"))
    rows = (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    return tuple(row["text"] for row in rows)


@cache
def _questions() -> tuple[str, ...]:
    table: dict[str, Any] = yaml.safe_load((GOLD / "questions.yaml").read_text("utf-8"))
    of_facts = [each for of in table.values() for asked in of["questions"].values() for each in asked]
    return (*of_facts, *(text for text in _turns() if "?" in text))


def _spoilt(draw: random.Random, text: str) -> str:
    """Return a text as speech recognition, keyboards and programs spoil it."""
    words = text.split()
    for _ in range(draw.choice([0, 0, 1, 1, 2, 4])):
        at = draw.randrange(len(words) + 1)
        match draw.randrange(8):
            case 0:
                words[at:at] = [draw.choice(ODD)]
            case 1:
                words[at : at + 1] = []
            case 2:
                words[at:at] = draw.choice(_turns()).split()[: draw.randrange(8)]
            case 3:
                draw.shuffle(words)
            case 4 if words:
                words[at % len(words)] += draw.choice(ODD)
            case 5 if words:
                words[at % len(words)] = words[at % len(words)].swapcase()
            case 6:
                words = words[: at + 1]
            case _:
                words = words[at:]
    return draw.choice([" ", " ", " ", "", "  ", "\n"]).join(words)


def pairs(seed: int, count: int) -> Iterator[tuple[list[str], str]]:
    """Yield (turns, question)."""
    draw = random.Random(seed)
    for _ in range(count):
        turns = [_spoilt(draw, draw.choice(_turns())) for _ in range(draw.choice([1, 1, 2, 3]))]
        question = draw.choice(_questions()) if draw.random() < 0.7 else draw.choice(turns)
        yield turns, _spoilt(draw, question) or "?"


class TurnGraph(FakeGraph):
    """Turns of one session as recall reads them."""

    def __init__(self, turns: Sequence[str]) -> None:
        embedder = HashedWords()
        self.stored = {}
        for number, text in enumerate(turns):
            turn, at, start = (
                Turn(f"e{number}", "s", number, "", "user"),
                NOW + timedelta(minutes=number),
                10.0 * number,
            )
            ids = said_id(number), "test", "s", ("c",), number
            self.stored[said_id(number)] = Event(*ids, start, start + 10, f"user: {text}", at=at, turn=turn)
        texts = [event.summary_text for event in self.stored.values()]
        self.vectors = dict(zip(self.stored, embedder.embed(texts), strict=True))
        self.bags = {node_id: Counter(stems(event.summary_text)) for node_id, event in self.stored.items()}
        self.edges: list[Edge] = []
        self.calls = Counter()
        self.touching = Counter[int]()

    def _scoped(self, scope: Scope) -> list[Event]:
        return list(self.stored.values())

    def neighbours(self, *_: Any) -> list[Edge]:
        return []

    def known(self, names: Names | None, scope: Scope) -> Names:
        return Names()

    def by_object(self, *_: Any) -> list[int]:
        return []

    by_person = life = by_object

    def cues(self, *_: Any) -> dict[int, Any]:
        return {}

    recordings = cues


class Believed:
    """The facts of an index as FactSearch serves them."""

    def __init__(self, index: HotIndex) -> None:
        self._facts = list(index.facts())

    def about(
        self,
        subjects: Sequence[str],
        relations: Sequence[str],
        *_: Any,
        objects: Sequence[str] = (),
        held: Sequence[str] = (),
    ) -> list[Recalled]:
        about = {each: each.triple for each in self._facts}
        of_subjects = {each for each, of in about.items() if of.subject in subjects and of.relation in relations}
        of_objects = {each for each, of in about.items() if of.object in objects and of.relation in held}
        return self._recalled([each for each in self._facts if each in of_subjects | of_objects])

    def by_ids(self, fact_ids: Sequence[str]) -> list[Recalled]:
        return [each for each in self._recalled(self._facts) if each.triple and fact_id(each.triple) in fact_ids]

    def plans(self, *_: Any) -> list[Planned]:
        return []

    def full_names(self, parts: Sequence[str]) -> frozenset[str]:
        subjects = (fact.triple.subject for fact in self._facts)
        return frozenset(each for each in subjects if " " in each and {each.split()[0], each.split()[-1]} & {*parts})

    def turns_of_others(self, *_: Any, **__: Any) -> set[int]:
        return set()

    def _recalled(self, facts: Sequence[KnownFact]) -> list[Recalled]:
        source = TurnCitation(said_id(0), "e0", "s", 0, "", "user", NOW)
        return [Recalled("fact", fact.text, 0.7, NOW, source, triple=fact.triple) for fact in facts]


@cache
def _understander() -> Understander:
    understander = Understander(LANGUAGES)
    understander.ready()
    return understander


def _talk(turns: Sequence[str], question: str) -> None:
    index, earlier = HotIndex(), list[str]()
    for number, text in enumerate(turns):
        known = tuple(fact.triple for fact in index.facts())
        understood = _understander().understand(text, TurnContext(tuple(earlier), believed=known))
        at = NOW + timedelta(minutes=number)
        sentence = partial(_sentence, understood.language)
        changes = changes_of(understood, at=at, said=at.timestamp(), sentence=sentence, session_id="s", live=True)
        index.apply(changes)
        earlier.append(text)
        for fact in index.facts():
            assert fact.triple.subject and fact.triple.relation and fact.triple.object, text
            assert fact.triple.subject == SPEAKER or fact.triple.subject.strip()
    graph, scope = TurnGraph(turns), Scope("test", user_id="anna")
    beliefs = UserBeliefs(lambda group, user: Believed(index), LANGUAGES)  # pyright: ignore[reportArgumentType]
    spoken = language_asked(question, scope, LANGUAGES, ENGLISH)
    answer = ask(question, Sources(scope, graph, graph, HashedWords(), spoken), knowledge=Knowledge(beliefs=beliefs))
    assert answer.text
    assert not answer.citations or answer.found
    search(question, Sources(scope, graph, graph, HashedWords(), ENGLISH), knowledge=Knowledge(beliefs=beliefs))


def _sentence(code: str, triple: Triple) -> str:
    return language(code).bullets.bullet(triple, "")


def _fails(seed: int, count: int) -> list[str]:
    failed: list[str] = []
    for turns, question in pairs(seed, count):
        try:
            _talk(turns, question)
        except InputError:  # a question without words is refused
            continue
        except Exception as error:  # noqa: BLE001 (any of them is what the test looks for)
            failed.append(f"{type(error).__name__} {error}: {turns!r} {question!r}")
    return failed


def test_no_turn_and_no_question_fails() -> None:
    assert _fails(seed=17, count=60) == []


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_twenty_thousand_turns_and_questions_do_not_fail() -> None:
    assert _fails(seed=2026, count=20_000)[:20] == []
