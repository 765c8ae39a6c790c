"""A deadlock ends a transaction; what was rolled back is run again."""

from __future__ import annotations

import pytest
from neo4j import exceptions as raised

from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.store.database import mapped_errors, rolled_back


def ended(code: str) -> Exception:
    """As the driver raises where rolling back meets the failed result again."""
    error = raised.ResultFailedError(None, "The result has failed.")  # pyright: ignore
    error.__cause__ = raised.Neo4jError._hydrate_neo4j(code=code, message="no")
    return error


def test_a_deadlock_is_run_again() -> None:
    errors = [ended("Neo.TransientError.Transaction.DeadlockDetected")] * 2

    def run() -> str:
        if errors:
            raise errors.pop()
        return "done"

    assert rolled_back(run) == "done"


def test_another_failure_is_raised_at_once() -> None:
    tried = list[int]()

    def run() -> str:
        tried.append(1)
        raise ended("Neo.ClientError.Statement.SyntaxError")

    with pytest.raises(raised.ResultFailedError):
        rolled_back(run)
    assert tried == [1]


def test_a_deadlock_that_lasts_counts_as_away() -> None:
    with pytest.raises(StoreUnavailable, match="ended a transaction"), mapped_errors("bolt://x"):
        raise ended("Neo.TransientError.Transaction.DeadlockDetected")
