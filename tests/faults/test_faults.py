"""scripts/faults in two short forms: seconds on each push, a minute or two among the tests that take long."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.localdb import Connection
from tests.faults.known import unexpected
from tests.faults.suite import BRIEF, QUICK, Size, run


@pytest.mark.faults
@pytest.mark.timeout(900)
@pytest.mark.parametrize("size", [BRIEF, pytest.param(QUICK, marks=pytest.mark.soak)], ids=["brief", "quick"])
def test_no_attack_of_the_short_form_leaves_a_wrong_outcome(
    neo4j_connection: Connection, tmp_path: Path, size: Size
) -> None:
    assert unexpected(run(size, neo4j_connection, tmp_path, seed=1).failed) == {}
