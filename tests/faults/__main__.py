"""The fault suite: kills, a hostile model server, generated input over every door, odd films, a full disk.

Ends with 1 if an outcome is wrong and not in KNOWN, and names each such outcome.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

from tests.faults.known import mended, unexpected
from tests.faults.suite import ATTACKS, FULL, QUICK, run
from tests.support.neo4j_server import BRIEF_JVM, neo4j_server
from tests.support.watchdog import watch


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/faults", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="some minutes instead of some hours")
    parser.add_argument("--share", type=float, default=1.0, help="a part of each kind, such as 0.1")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn; default: 1")
    parser.add_argument("--only", action="append", default=[], choices=ATTACKS, help="of attacks")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # a run that is cut short says what it has found
    for name in [name for name in os.environ if name.startswith(("NEO4J_", "OPENAI_", "OPENROUTER_", "AMR_"))]:
        if not name.startswith(("AMR_TEST_", "AMR_MODELS")):
            del os.environ[name]
    os.environ["JAVA_TOOL_OPTIONS"] = BRIEF_JVM
    with tempfile.TemporaryDirectory(prefix="amr-faults-") as name:
        folder = Path(name)
        (folder / "amr.yaml").touch()
        os.environ["AMR_CONFIG"] = str(folder / "amr.yaml")
        watchdog = watch(folder)
        assert watchdog.stdin
        with neo4j_server(folder / "neo4j", watchdog.stdin) as there:
            size = QUICK if given.quick else FULL
            tally = run(size.share(given.share), there, folder, given.seed, given.only)
        watchdog.stdin.close()
        watchdog.wait()
    print(f"\n{tally.table()}")  # noqa: T201
    wrong = unexpected(tally.failed)
    print(f"{len(tally.failed) - len(wrong)} known failures (tests/faults/known.py), {len(wrong)} others")  # noqa: T201
    for name in mended(tally.failed):
        print(f"known, and not seen in this run: {name}")  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
