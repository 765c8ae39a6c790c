"""Kills of ingests, conversations, nights, the sidecar and the database. The graph equals that of a quiet run."""

from __future__ import annotations

import os
import random
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from amr_neo4j import Memory, localdb
from amr_neo4j.localdb import Connection
from tests.faults.tally import Tally
from tests.integration import (
    test_consolidation_killed,
    test_ingest_killed,
    test_ingest_outages,
    test_live_chat,
    test_remember_killed,
    test_sidecar_killed,
    test_spool_killed,
)
from tests.support.chatting import talking
from tests.support.film_run import settle_models
from tests.support.live_streams import free_port
from tests.support.neo4j_server import settings_of_local
from tests.support.real_ingest import KITCHEN, Environment, settle


def ingests(tally: Tally, environment: Environment, kills: int, seed: int) -> None:
    """An ingest killed so often gives the digest of one that was not."""
    hold = test_ingest_killed._hold
    _killed(
        tally, "ingests", kills, lambda: hold(KITCHEN, kills=kills, within=0.5, seed=seed, environment=environment)
    )


def conversations(tally: Tally, environment: Environment, kills: int, seed: int) -> None:
    """A process that remembers turn by turn, killed so often, has every turn that it acknowledged, once."""
    hold = test_remember_killed._hold
    _killed(tally, "conversations", kills, lambda: hold(kills=kills, seed=seed, environment=environment))


def live_conversations(tally: Tally, there: Connection, folder: Path, kills: int, seed: int) -> None:
    """Each turn that a live conversation returned is in the graph after a kill, and so is its fact."""
    moments = random.Random(seed)

    def hold() -> None:
        for number in range(kills):
            place = folder / f"chat-{number}"
            place.mkdir(parents=True)
            test_live_chat._hold(moments.randint(0, 60), there, f"faults-live-{seed}-{number}", place)

    _killed(tally, "live conversations", kills, hold)


def nights(tally: Tally, environment: Environment, kills: int, seed: int) -> None:
    """A killed consolidation is finished by the next: the digest of a quiet one."""
    hold, said = test_consolidation_killed._hold, test_consolidation_killed._SAID
    _killed(tally, "nights", kills, lambda: hold(said, kills=kills, seed=seed, environment=environment))


def analyses(tally: Tally, folder: Path, kills: int, seed: int) -> None:
    """An ingest by a model with every fault, killed so often: the digest of a quiet one, and no call paid twice."""
    hold = test_spool_killed._hold

    def work() -> None:
        folder.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            settle_models(folder, patch)
            hold(folder, dict(os.environ), clips=12 * kills, kills=kills, seed=seed)

    _killed(tally, "analyses by a model", kills, work)


def sidecars(tally: Tally, there: Connection, folder: Path, kills: int) -> None:
    """A sidecar killed at any moment finds what the graph holds, no more."""
    test, port = test_sidecar_killed.test_after_kills_it_finds_every_vector_and_none_that_is_gone, free_port()

    def hold() -> None:
        with pytest.MonkeyPatch.context() as patch:
            given = {"DENSE": "sidecar", "SIDECAR_URL": f"http://127.0.0.1:{port}", "SIDECAR_TOKEN": "secret"}
            for name, value in given.items():
                patch.setenv(f"AMR_{name}", value)
            with talking(there, "faults-sidecar", folder) as memory:
                memory.forget(user_id="anna")
                test(memory, there, folder, port, kills)

    _killed(tally, "sidecars", kills, hold)


def databases(tally: Tally, folder: Path, kills: int, seed: int) -> None:
    """An ingest goes on by itself each time that its database was killed and is back, and loses nothing."""
    server = settings_of_local(folder)

    def hold() -> None:
        try:
            with pytest.MonkeyPatch.context() as patch:
                environment = settle(localdb.start(server), "faults-database", patch)
                with Memory.open():
                    outages = [test_ingest_outages.kill] * kills
                    test_ingest_outages._hold(server, environment, outages, test_ingest_outages.VIDEO, seed)
        finally:
            localdb.destroy(server)

    _killed(tally, "databases", kills, hold)


def _killed(tally: Tally, what: str, kills: int, work: Callable[[], None]) -> None:
    with tally.kind(f"killed {what}") as row:
        row.attacks += kills
        try:
            work()
        except AssertionError as error:
            [*_, where] = traceback.extract_tb(error.__traceback__)
            row.failed[f"{kills} kills"] = f"{where.line} {str(error)[:300]}"
