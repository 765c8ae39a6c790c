"""Problem documents of errors whose message no UTF-8 can encode."""

from __future__ import annotations

import json

from amr_neo4j.errors import NotInMemory
from amr_neo4j.server.problems import problem_of


def test_a_message_may_quote_half_a_character() -> None:
    problem = problem_of(NotInMemory("\ud800 said nothing"), "/api/v1/cited")
    assert problem.status == 404 and json.loads(problem.body)["detail"] == "? said nothing"
