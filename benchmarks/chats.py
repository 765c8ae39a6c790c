"""What memory believes of small chats that are hard to read rightly, and how it answers about them: tests/gold/chats.

    python -m benchmarks.chats [open|aside|open-2|aside-2|aside-3] [--show]

Each chat is that of a user of a new group in the database in use (NEO4J_URI, else the local one), observed live. Then
memory is opened anew, and its facts and answers are read. Printed:

whole     chats of which nothing is missed, no wrong fact is believed and no question is answered wrongly or declined
          though the chat answers it; a doubt breaks none. Of all chats, and of each kind of chat
facts     how many that it must believe are missed, how many that it must not are believed, and the share of these
          among those believed. Objects match when the words of one are among the words of the other
said      questions that the chat answers: right, right in doubt, wrong without a word of doubt, wrong in doubt,
          declined
unsaid    questions that it does not: declined, answered in doubt, answered without doubt

The parts `aside` were put aside by their writers and choose nothing: --show does not print them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from amr_neo4j.domain.fact import Triple
from amr_neo4j.memory import Memory
from benchmarks.asking import UNSAID, VERDICTS, verdict

CHATS = Path(__file__).parents[1] / "tests" / "gold" / "chats"
SESSION = "talk"
# What breaks no chat, and what does.
_GOOD = frozenset({"believed", "right", "right in doubt", "unsaid declined", "unsaid in doubt"})
_FAULTS = ("missed", "wrong fact", *(each for each in (*VERDICTS, *UNSAID) if each not in _GOOD))


def states(fact: Triple, wanted: Sequence[str]) -> bool:
    """Whether a fact is the one that a chat names."""
    subject, relation, words = wanted[0].lower(), wanted[1].lower(), set(wanted[2].lower().split())
    known = set(fact.object.lower().split())
    return (fact.subject, fact.relation) == (subject, relation) and (known <= words or words <= known)


def judged(memory: Memory, chat: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (what is counted, of which fact or question)."""
    facts = [fact.triple for fact in memory.facts(user_id=chat["id"])]
    for wanted in chat["must"]:
        found = any(states(fact, wanted) for fact in facts)
        yield ("believed" if found else "missed"), wanted
    for wanted in chat["mustnot"]:
        if any(states(fact, wanted) for fact in facts):
            yield "wrong fact", wanted
    for asked in chat["ask"]:
        answer = memory.ask(asked["q"], user_id=chat["id"])
        yield verdict((asked["q"], asked.get("right"), asked.get("wrong")), answer), (asked["q"], answer.text)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("open", "aside", "open-2", "aside-2", "aside-3"), default="open")
    parser.add_argument("--show", action="store_true", help="print what is not right in the open part")
    given = parser.parse_args()
    chats = [json.loads(line) for line in (CHATS / f"{given.part}.jsonl").read_text("utf-8").splitlines()]
    told = given.show and given.part.startswith("open")
    group, counts = f"chats-{time.time_ns()}", Counter[str]()
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    with Memory.open(group=group) as memory:
        for chat in chats:
            live = memory.chat(user_id=chat["id"], session_id=SESSION)
            for actor, text in chat["turns"]:
                live.observe(text, actor=actor)
    with Memory.open(group=group) as memory:
        for chat in chats:
            kind, is_whole = by_kind[chat["kind"]], True
            for what, of in judged(memory, chat):
                counts[what] += 1
                kind[what] += 1
                is_whole &= what in _GOOD
                if told and what not in ("believed", "right", "unsaid declined"):
                    print(f"{chat['id']} {what}: {of}")
            kind["chats"] += 1
            kind["whole"] += is_whole
    facts = ", ".join(f"{each} {counts[each]}" for each in ("believed", "missed", "wrong fact"))
    said = ", ".join(f"{each} {counts[each]}" for each in VERDICTS)
    unsaid = ", ".join(f"{each.removeprefix('unsaid ')} {counts[each]}" for each in UNSAID)
    whole = sum(kind["whole"] for kind in by_kind.values())
    share = counts["wrong fact"] / max(counts["believed"] + counts["wrong fact"], 1)
    print(f"{len(chats)} chats, {whole} whole\nfacts   {facts} ({share:.1%} of those believed)")
    print(f"said    {said}\nunsaid  {unsaid}")
    for name, kind in sorted(by_kind.items(), key=lambda each: each[1]["whole"] / each[1]["chats"]):
        rest = ", ".join(f"{what} {kind[what]}" for what in _FAULTS if kind[what])
        print(f"{name}: {kind['whole']} of {kind['chats']} whole{', ' if rest else ''}{rest}")


if __name__ == "__main__":
    main()
