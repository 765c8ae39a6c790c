"""scripts/faults in its short form, a minute or two."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.localdb import Connection
from tests.faults.known import unexpected
from tests.faults.suite import QUICK, run


@pytest.mark.faults
@pytest.mark.soak
@pytest.mark.timeout(900)
def test_no_attack_of_the_short_form_leaves_a_wrong_outcome(neo4j_connection: Connection, tmp_path: Path) -> None:
    assert unexpected(run(QUICK, neo4j_connection, tmp_path, seed=1).failed) == {}
