"""Statements of tests/gold as rows: tokens of a turn, and spans of tokens for what it states."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from training.e5 import BREAK, START, Published

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "es", "fr", "de", "it")
TURN, CONTEXT = 150, 100
"""The most tokens of a turn, and of those before it together."""
_FEWEST = 4  # statements of a relation that has a type of its own
_NUMBERS = ("quantity", "age", "duration")
_ARTICLES = frozenset(
    word
    for words in (
        "a an the el la los las un una unos unas le les une des",
        "du il lo gli i uno der die das den dem ein eine einen einem",
    )
    for word in words.split()
)


@dataclass
class Labels:
    """types: of spans. which: roles and favourites, of which the types ROLE and FAV are."""

    types: list[str]
    which: list[str]

    def of(self, relation: str) -> tuple[int, int] | None:
        """Return (index of its type, index in `which` or -1); None if it is too rare to be learned."""
        if relation in self.which:
            kind = "FAV" if relation.startswith("favorite_") else "ROLE"
            return self.types.index(kind), self.which.index(relation)
        return (self.types.index(relation), -1) if relation in self.types else None


def labels_of(rows: list[dict]) -> Labels:
    tables = {code: _table(code) for code in LANGUAGES}
    roles = sorted(set(tables["en"]["roles"]) - {"friend_of", "other"})
    favorites = sorted({name for table in tables.values() for name in table["favorites"]})
    which = [*roles, *(f"favorite_{name}" for name in favorites)]
    counts = Counter(triple[1].lower() for row in rows for triple in row["triples"])
    types = sorted(name for name, count in counts.items() if count >= _FEWEST and name not in which)
    return Labels([*(name for name in types if not name.startswith("favorite_")), "ROLE", "FAV", "RETRACT"], which)


def read_rows() -> tuple[list[dict], str]:
    """Return (the rows of tests/gold/dev, the SHA-256 of their files)."""
    files = sorted((ROOT / "tests" / "gold" / "dev").glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return [json.loads(line) for line in lines], digest


@dataclass
class Tokens:
    """Tokens of a turn and of those before it, newest first. turn_of: whose each is; -1 for breaks."""

    turns: list[str]
    ids: list[int] = field(default_factory=lambda: [START])
    turn_of: list[int] = field(default_factory=lambda: [0])
    spans: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])

    def words(self, span: tuple[int, int]) -> str:
        if not span[0]:
            return "you"
        text = self.turns[self.turn_of[span[0]]]
        return text[self.spans[span[0]][0] : self.spans[span[1]][1]].rstrip(' .,;:!?…)"”»')


@dataclass(frozen=True)
class Statement:
    """What a row states. object, subject: (first, last) token. which: index of the role or favourite, or -1."""

    type: int
    which: int
    object: tuple[int, int]
    subject: tuple[int, int]
    is_retracted: bool


def tokens_of(published: Published, text: str, context: list[str]) -> Tokens:
    tokens = Tokens([text, *reversed(context[-4:])])
    room = TURN
    for number, turn in enumerate(tokens.turns):
        ids, spans = published.tokens(turn)
        ids, spans = ids[:room], spans[:room]
        tokens.ids += [*ids, BREAK]
        tokens.turn_of += [*[number] * len(ids), -1]
        tokens.spans += [*spans, (0, 0)]
        room = CONTEXT if not number else room - len(ids) - 1
        if room <= 0:
            break
    return tokens


def statements_of(tokens: Tokens, row: dict, labels: Labels) -> list[Statement]:
    """Return the statements of a row whose words stand in its turns."""
    found: list[Statement] = []
    for triples, is_retracted in ((row["triples"], False), (row.get("retracts") or [], True)):
        for subject, relation, named in triples:
            label = labels.of(relation.lower())
            place = label and _located(tokens, named, row["lang"], relation, near=None)
            whose = place and _located(tokens, subject, row["lang"], "", near=place[0])
            if label and place and whose:
                found.append(Statement(*label, place, whose, is_retracted))
    return found


def _located(tokens: Tokens, words: str, code: str, relation: str, near: int | None) -> tuple[int, int] | None:
    """Return the tokens that say these words: in the newest turn, as exact and as near as there is."""
    words = words.lower()
    if words == "you":
        return 0, 0
    best: tuple[tuple[int, bool, int], tuple[int, int]] | None = None
    for number, turn in enumerate(tokens.turns):
        for begin, end in _occurrences(words, _lower(turn), code, relation):
            span = _token_span(tokens, number, begin, end)
            if span is None:
                continue
            is_exact = relation in _NUMBERS or _bare(tokens.words(span).lower()) == _bare(words)
            rank = (number, not is_exact, abs(span[0] - near) if near else span[0])
            if best is None or rank < best[0]:
                best = rank, span
    return best and best[1]


def _occurrences(words: str, text: str, code: str, relation: str) -> list[tuple[int, int]]:
    exact = [match.span() for match in re.finditer(re.escape(words), text)]
    whole = [
        (begin, end)
        for begin, end in exact
        if not (begin and text[begin - 1].isalnum() and text[begin].isalnum())
        and not (end < len(text) and text[end - 1].isalnum() and text[end].isalnum())
    ]
    found = whole or exact
    if relation in _NUMBERS and (words.isdigit() or not found):
        return _numbers(words, text, code, relation) or found
    return found


def _numbers(words: str, text: str, code: str, relation: str) -> list[tuple[int, int]]:
    """Return where a number stands in digits or in words: "30" in "I'm thirty", "3 weeks" in "three weeks"."""
    first, _, rest = words.partition(" ")
    found: list[tuple[int, int]] = []
    for match in re.finditer(r"\w+(?:[-’']\w+)*", text):
        value = _numerals(code).get(fold(match[0]))
        if str(value) == first or re.fullmatch(f"0*{re.escape(first)}", match[0]):
            after = re.compile(r"\s+" + re.escape(rest)).match(text, match.end()) if rest else match
            if after:
                found.append((match.start(), after.end()))
    return found


def _token_span(tokens: Tokens, turn: int, begin: int, end: int) -> tuple[int, int] | None:
    inside = [
        place
        for place in range(1, len(tokens.ids))
        if tokens.turn_of[place] == turn and tokens.spans[place][0] < end and tokens.spans[place][1] > begin
    ]
    return (inside[0], inside[-1]) if inside else None


def fold(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(each))


def _lower(text: str) -> str:
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


def _bare(text: str) -> str:
    words = text.removeprefix("l'").removeprefix("un'").split()
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words)


_tables: dict[str, dict] = {}
_numeral_tables: dict[str, dict[str, int]] = {}


def _table(code: str) -> dict:
    if code not in _tables:
        path = ROOT / "amr_neo4j" / "language" / code / "facts.yaml"
        _tables[code] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return _tables[code]


def _numerals(code: str) -> dict[str, int]:
    if code not in _numeral_tables:
        table = _table(code)
        numbers = table["numbers"]
        words = numbers if isinstance(numbers, list) else [each.strip() for each in numbers.split(",")]
        found = {fold(word): number for number, word in enumerate(words)}
        found.update({fold(word): int(number) for word, number in (table.get("number_words") or {}).items()})
        found.update({word.replace("-", " "): number for word, number in found.items()})
        _numeral_tables[code] = found
    return _numeral_tables[code]
