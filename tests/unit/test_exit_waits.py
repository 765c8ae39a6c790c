"""A program that ends waits for background threads that may be inside a C++ library: Python would abort."""

from __future__ import annotations

import subprocess
import sys

import pytest

BACKGROUND_WORK = """
import time
from amr_neo4j.app.background import BackgroundWork

def embed(is_wanted, goes_on):
    print("begun", flush=True)
    time.sleep(2)
    print("done", flush=True)

work = BackgroundWork("embed", embed, failed=print, last=0.1)
work.wake()
time.sleep(1)
work.close(0.0)
print("closed", flush=True)
"""
READER = """
import time
from amr_neo4j.turn_reader.understand import Understander

def load(text, language, context):
    print("begun", flush=True)
    time.sleep(2)
    print("done", flush=True)

Understander(["en"], read=load)
time.sleep(1)
print("closed", flush=True)
"""


@pytest.mark.parametrize("program", [BACKGROUND_WORK, READER])
def test_the_end_of_a_program_waits_for_work_that_is_under_way(program: str) -> None:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert sorted(ended.stdout.split()) == ["begun", "closed", "done"]
    assert not ended.stderr
