"""The order of the test files, and how scripts/test spreads them over its processes.

Files that share a costly fixture stay together, in an order that starts few servers.
"""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

# Fixture -> the files that use it, in the order of their runs. If a file is missing here, the fixture is only set up
# once more.
_TOGETHER = {
    "spare_server": (
        "tests/cypher/test_replanning.py",
        "tests/integration/test_counters.py",
        "tests/integration/test_migrations.py",
        "tests/integration/test_doctor_damage.py",  # empties the cache of plans
        "tests/integration/test_ingest_outages.py",  # kills the server
        "tests/integration/test_forget_scrub.py",  # stops it
        "tests/integration/test_backup.py",  # stops it
        "tests/integration/test_localdb.py",  # destroys it
    ),
    "memory": (
        "tests/acceptance/test_kitchen.py",
        "tests/acceptance/test_readme.py",
        "tests/contract/test_graphrag.py",
        "tests/contract/test_tools.py",
    ),
}
_FIXTURES = {file: fixture for fixture, files in _TOGETHER.items() for file in files}
# Without a Neo4j and a model: they run while these are downloaded.
_BESIDE_DOWNLOADS = ("tests/unit/test_perception_", "tests/unit/test_turn_reader_")
_USE_MODELS = ("tests/unit/test_perception_onnx.py", "tests/unit/test_perception_parts.py")
# They change the schema of the shared server, which then plans every statement of the files behind them again.
_LAST_ON_SERVER = ("tests/integration/test_doctor.py",)


def place(file: str, needs_server: bool) -> tuple[bool, bool, bool, str, int]:
    """The sort key of a test file (path from the root).

    Files that need no download come first, then those on a Neo4j. Short files end the run, so that processes end
    together.
    """
    files = _TOGETHER[_FIXTURES[file]] if file in _FIXTURES else (file,)
    needs_download = needs_server or file in _USE_MODELS or not file.startswith(_BESIDE_DOWNLOADS)
    return needs_download, not needs_server, file in _LAST_ON_SERVER, files[0], files.index(file)


class SharedFixtures(LoadFileScheduling):
    """A file runs in one process as a whole, and so do the files of a costly fixture."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return _FIXTURES.get(file, file)
