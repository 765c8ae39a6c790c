"""How scripts/test spreads the test files over its processes: those that share a costly fixture stay together."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

# Fixture: the files that use it. One that is missing here costs another set-up of the fixture, and breaks nothing.
_TOGETHER = {
    "spare_server": (
        "tests/cypher/test_replanning.py",
        "tests/integration/test_counters.py",
        "tests/integration/test_doctor_damage.py",
        "tests/integration/test_forget_scrub.py",
        "tests/integration/test_ingest_outages.py",
        "tests/integration/test_localdb.py",
        "tests/integration/test_migrations.py",
    ),
    "memory": (
        "tests/acceptance/test_kitchen.py",
        "tests/acceptance/test_readme.py",
        "tests/contract/test_graphrag.py",
        "tests/contract/test_tools.py",
    ),
}
_FIXTURES = {file: fixture for fixture, files in _TOGETHER.items() for file in files}


class SharedFixtures(LoadFileScheduling):
    """A file runs in one process as a whole, and so do the files of a costly fixture."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return _FIXTURES.get(file, file)
