"""Answers about oneself and the people around, over little conversations in five languages: benchmarks/asking.yaml.

    python -m benchmarks.asking [--halves 1 2] [--languages en de ...] [--show]

Each conversation is that of a user of a new group in the database in use (NEO4J_URI, else the local one), remembered
and read by rules, without a model. Printed for each half and language: how many answers are right, right in doubt,
wrong without a word of doubt, wrong in doubt, declined though known; and of the questions about what was never said,
how many are declined, answered in doubt, or answered without doubt.
An answer is right if it matches what it must say and nothing that it must not say. Its citations, and what it says
was replaced, are not looked at.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from amr_neo4j.domain.recall import Answer
from amr_neo4j.memory import Memory

CONVERSATIONS = Path(__file__).with_name("asking.yaml")
VERDICTS = ("right", "right in doubt", "wrong", "wrong in doubt", "declined")
UNSAID = ("unsaid declined", "unsaid in doubt", "unsaid answered")
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)

_CITATION = re.compile(r"\[turn [^\]]*\]")
_QUOTATION = re.compile(r"[“„«][^”“»]*[”“»]")
_DOUBT = re.compile(
    r"Memory |Nothing |As far |Nichts |Das Gedächtnis |Vielleicht |Soweit |Nada |La memoria |Puede |Hasta donde "
    r"|Rien |La mémoire |Pour autant |Niente |La memoria |Per quanto "
)
_REPLACED = re.compile(
    r" (?:This replaced|Before that it|(?:Since|From) [^.]{3,30} this|Davor hieß|Seit dem|Antes era |Desde el"
    r"|Avant, c|Depuis le|Prima era |Dal ).*"
)


def turns(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The turns as `Memory.remember` takes them, a day apart."""
    for day, turn in enumerate(conversation["turns"]):
        actor, text = next(iter(turn.items())) if isinstance(turn, dict) else ("user", turn)
        yield {"content": text, "actor": actor, "at": (BEGIN + timedelta(days=day)).isoformat()}


def verdict(question: Sequence[Any], answer: Answer) -> str:
    """One of VERDICTS, or one of UNSAID if the question was never answered in the conversation."""
    in_doubt = bool(_DOUBT.match(answer.text))
    _, says, never = (*map(str, question), "", "")[:3]
    if not says:
        return "unsaid declined" if not answer.found else "unsaid in doubt" if in_doubt else "unsaid answered"
    if not answer.found:
        return "declined"
    text = _REPLACED.sub("", _CITATION.sub("", answer.text))
    # A stated fact is followed by the turn that it rests on, which may name more.
    ways = (_QUOTATION.sub("", text), text)
    right = any(re.search(says, way, re.I) and not (never and re.search(never, way, re.I)) for way in ways)
    return f"{'right' if right else 'wrong'}{' in doubt' if in_doubt else ''}"


def line(name: str, counts: Counter[str]) -> str:
    """A row of figures."""
    said, unsaid = sum(counts[each] for each in VERDICTS), sum(counts[each] for each in UNSAID)
    known = ", ".join(f"{each} {counts[each]}" for each in VERDICTS)
    return f"{name:10} of {said}: {known}; never said {unsaid}: " + ", ".join(
        f"{each.removeprefix('unsaid ')} {counts[each]}" for each in UNSAID
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--halves", nargs="+", type=int, default=[1, 2], choices=(1, 2))
    parser.add_argument("--languages", nargs="+", default=["en", "es", "fr", "de", "it"])
    parser.add_argument("--show", action="store_true", help="print every question of the first half with its answer")
    given = parser.parse_args()
    counts: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    with Memory.open(group=f"asking-{time.time_ns()}") as memory:
        for each in yaml.safe_load(CONVERSATIONS.read_text("utf-8"))["conversations"]:
            if each["half"] not in given.halves or each["language"] not in given.languages:
                continue
            memory.remember(turns(each), user_id=each["id"], session_id="talk")
            memory.extract(user_id=each["id"])
            for question in each["questions"]:
                answer = memory.ask(question[0], user_id=each["id"])
                judged = verdict(question, answer)
                counts[each["half"], each["language"]][judged] += 1
                if given.show and each["half"] == 1:
                    print(f"{each['id']} {judged:16} {question[0]}\n     {answer.text}")
    for half in given.halves:
        total: Counter[str] = Counter()
        for (of, language), found in counts.items():
            if of == half:
                total.update(found)
                print(line(f"{half} {language}", found))
        print(line(f"{half} all", total), flush=True)


if __name__ == "__main__":
    main()
