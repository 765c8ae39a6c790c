"""The end of a program while its threads are inside native libraries, in which Python would abort the process."""

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


IN_PYDANTIC = """
from typing import Annotated
from pydantic import BaseModel, BeforeValidator

def validate(value):
    for _ in range(10**{digits}):
        pass
    return value

class Table(BaseModel):
    word: Annotated[str, BeforeValidator(validate)]

"""
PREPARING = """
import time
from amr_neo4j.turn_reader.understand import Understander

Understander(["en", "de", "fr", "es", "it"], prepare=lambda code: print(code, Table(word=code), flush=True))
time.sleep(1)
"""
COMMAND = """
import sys
from threading import Thread
from amr_neo4j.cli.main import run

Thread(target=Table, kwargs={"word": ""}, daemon=True).start()
sys.argv = ["amr", *sys.argv[1:]]
run()
"""


def test_a_program_ends_while_languages_are_prepared() -> None:
    """It waits for what is being read, and not for the rest."""
    program = IN_PYDANTIC.format(digits=8) + PREPARING
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert len(ended.stdout.splitlines()) < 5
    assert not ended.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"), [(["--version"], 0, ("amr ", "")), (["nonsense"], 2, ("", "nonsense"))]
)
def test_a_command_ends_with_its_code_whatever_its_threads_do(
    arguments: list[str], code: int, said: tuple[str, str]
) -> None:
    program = [sys.executable, "-c", IN_PYDANTIC.format(digits=12) + COMMAND, *arguments]
    ended = subprocess.run(program, capture_output=True, text=True, check=False)
    assert ended.returncode == code
    assert said[0] in ended.stdout and said[1] in ended.stderr
    assert "FATAL" not in ended.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_command_ends_with_its_code_where_its_output_is_closed(closed: str) -> None:
    ended = subprocess.run(
        ["sh", "-c", f'"$0" -m amr_neo4j --version {closed}', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0
    assert not ended.stderr
