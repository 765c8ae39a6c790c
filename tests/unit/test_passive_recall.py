"""Passive recall at the end of a program."""

from __future__ import annotations

import subprocess
import sys

# A memory that is closed while its search is under way, as a chat that ends with its last turn.
PROGRAM = """
import time
from types import SimpleNamespace
from amr_neo4j.domain.recall import Streamed
from amr_neo4j.domain.budget import estimated_tokens
from amr_neo4j.app.passive_recall import PassiveRecall

def stream(text, skip, personal):
    print("searches", flush=True)
    time.sleep(1)
    print("has searched", flush=True)
    return Streamed()

search = SimpleNamespace(stream=stream)
recall = PassiveRecall(lambda user: search, count=estimated_tokens, budget=1500)
recall.of("anna").said("e1", "I live in Porto.")
time.sleep(0.2)
recall.close()
print("closed", flush=True)
"""


def test_a_search_under_way_delays_the_end_of_the_program_and_not_of_the_memory() -> None:
    """If the interpreter ended during a search in a C++ library, the library would abort it."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n")[:3] == ["searches", "closed", "has searched"], done.stderr
