"""What `from amr_neo4j import ...` offers."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

import amr_neo4j
from amr_neo4j import errors
from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.recall import Citation, TurnCitation, citation


@pytest.mark.parametrize("name", amr_neo4j.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(amr_neo4j, name).__name__ == name if name not in _ALIASES else getattr(amr_neo4j, name)
    assert name in dir(amr_neo4j)


_ALIASES = {"Moment", "Watch", "AnalyticsRow"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nonsense"):
        amr_neo4j.Nonsense  # noqa: B018


def test_errors_raised_to_callers_are_public() -> None:
    """All but those that end inside: a stage does without the one call that failed."""
    inner = {"ModelUnavailable", "ModelBusy", "ModelGarbled", "RequestRefused", "UnusableReply", "ReplyCut"}
    inner |= {"RequestModerated", "StreamBroken"}
    known = {name for name, value in vars(errors).items() if isinstance(value, type) and not name.startswith("_")}
    assert known - inner <= set(amr_neo4j.__all__)


@pytest.mark.parametrize("of", [amr_neo4j.Memory, amr_neo4j.AsyncMemory])
def test_what_memory_returns_is_public(of: type) -> None:
    """Each type that a public method returns can be imported by its name, to annotate with."""
    methods = inspect.getmembers(of, inspect.isfunction)
    returned = {
        name
        for method_name, method in methods
        if not method_name.startswith("_")
        for name in re.findall(r"\b[A-Z]\w+", str(inspect.signature(method).return_annotation))
    }
    general = {"AbstractContextManager", "Any", "Iterator", "None", "Path"}
    assert "ChatReport" in returned or "AsyncChat" in returned
    assert returned - general <= set(amr_neo4j.__all__)


def test_the_package_loads_names_lazily() -> None:
    code = "import sys, amr_neo4j; print([name for name in sys.modules if name.startswith('amr_neo4j.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['amr_neo4j.version']\n"


def test_both_kinds_of_citation_name_their_source() -> None:
    """The label is what stands in the text of the answer."""
    event = Event(12, "g", "kitchen", ("c",), 0, 751.0, 764.0, "Anna takes the keys.")
    turn = Event(-5, "g", "talk [1]", ("c",), 0, 0.0, 0.0, "Hello.", turn=Turn("e", "talk [1]", 4, "", "Anna"))
    seen, said = citation(event), citation(turn)
    assert isinstance(seen, Citation) and isinstance(said, TurnCitation)
    assert (seen.source, seen.start, seen.end) == ("kitchen", 751.0, 764.0)
    assert (said.source, said.start, said.end) == ("talk [1]", None, None)
    assert seen.label == "[event 12, kitchen, 00:12:31-00:12:44]"
    assert said.label == "[turn 4, talk (1), Anna]"
