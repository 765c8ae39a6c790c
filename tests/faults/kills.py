"""Kills of ingests and of conversations: the graph of a quiet run, and every acknowledged turn."""

from __future__ import annotations

from tests.faults.tally import Tally
from tests.integration import test_ingest_killed, test_remember_killed
from tests.support.real_ingest import KITCHEN, Environment


def ingests(tally: Tally, environment: Environment, kills: int, seed: int) -> None:
    """An ingest killed so often gives the digest of one that was not."""
    with tally.kind("killed ingests") as row:
        row.attacks += kills
        try:
            test_ingest_killed._hold(KITCHEN, kills=kills, seed=seed, environment=environment)
        except AssertionError as error:
            row.failed[f"{kills} kills, seed {seed}"] = str(error)[:300]


def conversations(tally: Tally, environment: Environment, kills: int, seed: int) -> None:
    """A process that remembers turn by turn, killed so often, has every turn that it acknowledged, once."""
    with tally.kind("killed conversations") as row:
        row.attacks += kills
        try:
            test_remember_killed._hold(kills=kills, seed=seed, environment=environment)
        except AssertionError as error:
            row.failed[f"{kills} kills, seed {seed}"] = str(error)[:300]
