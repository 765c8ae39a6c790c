"""Whether the right facts are in the prompt: the first three hints, repeats and bullets, in long mixed talks.

    python -m benchmarks.hotpath_talk [--talks 20] [--turns 200] [--folder tests/gold/dev] [--boost 0]

Each talk is a user's: a fact of each relation (of questions.yaml) with drawn objects, gold statements and reactions
between, questions at drawn distances after the fact. The facts are handed in as triples, so that this measures which
are chosen; hotpath_gold measures how they are read. relevance@3: the share of questions that have the asked fact
among their first three hints. repeated: the share of hints that are not the asked fact and were also injected in one
of the three turns before. Random with a seed.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from amr_neo4j.app.chatting import about_facts
from amr_neo4j.domain.fact import Intent, StatedFact, Triple, TurnContext, Understood
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.language.languages import language
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.inject import is_ours
from amr_neo4j.live_chat.session import LiveChat
from amr_neo4j.turn_reader.understand import Understander

GOLD = Path(__file__).parents[1] / "tests" / "gold"
BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Given:
    """Reads turns by the rules, except that their facts are given."""

    def __init__(self, understander: Understander) -> None:
        self.understander = understander
        self.facts: tuple[Triple, ...] | None = None

    def understand(self, text: str, context: TurnContext) -> Understood:
        found = self.understander.understand(text, context)
        if self.facts is None:
            return Understood(found.language, found.intent, (), (), found.entities)
        intent = Intent.FACT_STATEMENT if len(self.facts) == 1 else Intent.MULTIPLE_FACTS
        return Understood(found.language, intent, tuple(StatedFact(t, 0.7) for t in self.facts), (), found.entities)


def talk(
    code: str,
    rows: list[dict[str, Any]],
    table: dict[str, Any],
    turns: int,
    given: Given,
    draw: random.Random,
    hot: HotOptions,
) -> Counter[str]:
    """Counts of one talk."""
    counts: Counter[str] = Counter()
    now = [BEGIN]
    index = HotIndex()
    chat = LiveChat(
        "s",
        user_id="u",
        index=index,
        understand=given.understand,
        ask=partial(about_facts, "u"),
        keep=lambda turn: "e",
        options=hot,
        now=lambda: now[0],
        clock=lambda: 0.0,
    )
    names = {
        r: draw.choice(["anna", "porto", "rex", "bmw", "lena", "oslo", "kim", "blau"]) + str(draw.randrange(99))
        for r in table["questions"]
    }
    open_facts = list(table["questions"])
    known: list[str] = []
    for _ in range(turns):
        now[0] += timedelta(minutes=draw.choice([1, 1, 2, 30]))
        kind = draw.random()
        if open_facts and (kind < 0.15 or not known):
            relation = open_facts.pop(draw.randrange(len(open_facts)))
            given.facts = (Triple("you", relation, names[relation]),)
            chat.observe(language(code).bullets.bullet(given.facts[0]))
            known.append(relation)
        elif kind < 0.45:
            row = draw.choice(rows)
            stated = tuple(Triple(*t) for t in row["triples"] if t[1] not in table["questions"])
            given.facts = stated or None
            chat.observe(row["text"])
        elif kind < 0.65:
            given.facts = None
            counts["unasked"] += len(chat.observe(draw.choice(table["reactions"])).hints)
            counts["reactions"] += 1
        else:
            relation = draw.choice(known)
            given.facts = None
            before = set(chat.novelty_cache)
            hints = chat.observe(draw.choice(table["questions"][relation])).hints
            counts["questions"] += 1
            counts["relevant"] += Triple("you", relation, names[relation]) in [hint.triple for hint in hints[:3]]
            counts["first"] += bool(hints) and hints[0].triple.relation == relation
            counts["again"] += sum(hint.triple in before for hint in hints if hint.triple.relation != relation)
            counts["hints"] += len(hints)
        lines = [m["content"].splitlines() for m in chat.inject([{"role": "user", "content": ""}]) if is_ours(m)]
        counts["over"] += any(sum(line.startswith("•") for line in each) > 5 for each in lines)
        counts["turns"] += 1
    return counts


def main() -> None:
    """Print a row per language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--talks", type=int, default=20)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=GOLD / "dev")
    parser.add_argument("--boost", type=float, default=0.0, help="full_text_boost")
    options = parser.parse_args()
    tables = yaml.safe_load((GOLD / "questions.yaml").read_text(encoding="utf-8"))
    given, hot = Given(Understander(sorted(tables))), HotOptions(full_text_boost=options.boost)
    for code, table in tables.items():
        rows = [json.loads(line) for line in (options.folder / f"{code}.jsonl").open(encoding="utf-8")]
        total: Counter[str] = Counter()
        for seed in range(options.talks):
            total += talk(code, rows, table, options.turns, given, random.Random(seed), hot)
        asked, hints, turns = total["questions"], max(1, total["hints"]), total["turns"]
        shares = {
            "relevance@3": total["relevant"] / asked,
            "first": total["first"] / asked,
            "hints a question": hints / asked,
            "repeated": total["again"] / hints,
            "hints a reaction": total["unasked"] / max(1, total["reactions"]),
            "over the limit": total["over"] / turns,
        }
        print(f"{code}: {asked} questions; " + ", ".join(f"{name} {value:.3f}" for name, value in shares.items()))


if __name__ == "__main__":
    main()
