"""The spool: accepted and unfinished turns survive any end of the process."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.episode import Episode
from amr_neo4j.errors import NoSpace, SpoolReadOnly, SpoolUnusable, StoreUnavailable
from amr_neo4j.spool.turns import Spool, drop_refused_turn, refused_turns
from tests.support.examples import examples
from tests.support.small_disk import read_only
from tests.support.spooled_turns import episode


@contextmanager
def spool(folder: Path, graph: str = "g") -> Iterator[Spool]:
    opened = Spool(folder / "spool.sqlite", graph)
    yield opened
    opened.close()


def waiting(queue: Spool) -> list[Episode]:
    return [each for _, each in queue.waiting("home", 1000)]


def test_an_episode_is_stored_unchanged(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        queue.accept([episode("The keys are on the hook."), episode("placeless", None)])
    with spool(tmp_path) as queue:
        first, second = waiting(queue)
    assert first == episode("The keys are on the hook.")
    assert first.valid_at.utcoffset() == timedelta(hours=5, minutes=30)
    assert (second.turn, second.content) == (None, "placeless")


def test_the_same_id_with_other_content_is_reported_and_not_stored(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        first, other, same = queue.accept([episode("one"), episode("other"), episode("one")])
        assert first.is_new and other.other == episode("one")
        assert (same.number, same.is_new, same.other) == (first.number, False, None)
        assert waiting(queue) == [episode("one")]


def test_a_refused_episode_is_set_aside_and_blocks_nothing(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        [first] = queue.accept([episode("one")])
        queue.refuse(first.number, "no")
        [second] = queue.accept([episode("other")])
        assert second.is_new
        assert waiting(queue) == [episode("other")]
        [refused] = refused_turns(tmp_path / "spool.sqlite", "home")
        assert (refused.number, refused.episode, refused.why) == (first.number, episode("one"), "no")
        assert (queue.refusal(first.number), queue.refusal(second.number), queue.refusal(99)) == ("no", "", None)


def test_groups_users_and_graphs_are_separate(tmp_path: Path) -> None:
    with spool(tmp_path) as ours, spool(tmp_path, "another") as theirs:
        ours.accept([episode("one"), episode("other", user="ben")])
        [there] = theirs.accept([episode("third")])
        assert there.is_new
        assert ours.waiting("abroad", 9) == []
        assert ours.forget("home", "ben") == 1
        assert waiting(ours) == [episode("one")]
        assert waiting(theirs) == [episode("third")]


def test_forgotten_episodes_are_erased_from_disk(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        accepted = queue.accept([episode(f"marzipan {n}", n) for n in range(200)])
        queue.refuse(accepted[0].number, "marzipan is refused")
        queue.accept([episode("nougat", session="tuesday")])
        assert any(b"marzipan" in file.read_bytes() for file in tmp_path.iterdir())
        assert queue.forget("home", "anna", "monday", "ep_turn_monday_7") == 1
        assert queue.forget("home", "anna", "monday") == 199
        assert queue.forget("home", "anna", "monday") == 0
        assert not any(b"marzipan" in file.read_bytes() for file in tmp_path.iterdir())
        assert [each.content for each in waiting(queue)] == ["nougat"]


def test_a_full_disk_is_an_error_and_stores_nothing(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        pages = queue.db.execute("PRAGMA page_count").fetchone()[0]
        queue.db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(NoSpace):
            queue.accept([episode("x" * 1000, n) for n in range(100)])
        assert waiting(queue) == []


def test_an_erasure_blocked_by_another_process_is_reported_and_completed_later(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        queue.accept([episode("marzipan")])
        queue.db.execute("PRAGMA busy_timeout = 50")
        reader = sqlite3.connect(tmp_path / "spool.sqlite", isolation_level=None)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM waiting").fetchone() == (1,)
        with pytest.raises(StoreUnavailable, match="another process"):
            queue.forget("home", "anna")
        reader.close()
        assert queue.forget("home", "anna") == 0
        assert not any(b"marzipan" in file.read_bytes() for file in tmp_path.iterdir())


_OTHER_PROGRAM = """
import sys
from pathlib import Path
from amr_neo4j.spool.turns import Spool, waiting_turns
from tests.support.spooled_turns import episode

file = Path(sys.argv[1])
queue = Spool(file, "g")
waiting_turns(file, "home")  # opens and closes the file once more
print("open", flush=True)
sys.stdin.readline()
queue.accept([episode("marzipan", 7)])
print("accepted", flush=True)
sys.stdin.readline()
"""


def test_a_program_that_closes_the_file_takes_no_turn_from_another_that_has_it_open(tmp_path: Path) -> None:
    """SQLite deletes the journal when the last program closes the file, which it knows by the locks of the others."""
    with spool(tmp_path) as queue:
        queue.accept([episode("first", 1)])
    command = [sys.executable, "-c", _OTHER_PROGRAM, str(tmp_path / "spool.sqlite")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout and other.stdout.readline() == "open\n"
        with spool(tmp_path) as queue:
            assert len(waiting(queue)) == 1
        print(file=other.stdin, flush=True)
        assert other.stdout.readline() == "accepted\n"
        other.kill()
    with spool(tmp_path) as queue:
        assert [each.content for each in waiting(queue)] == ["first", "marzipan"]


STEPS = st.lists(
    st.tuples(st.sampled_from(["accept", "done", "refuse", "forget", "reopen"]), st.integers(0, 5), st.booleans()),
    max_size=25,
)


@examples(push=20, soak=600)
@given(STEPS)
def test_accepted_episodes_survive_reopening(steps: list[tuple[str, int, bool]]) -> None:
    """The spool equals a plain dict of accepted turns, less those done, refused and forgotten."""
    with tempfile.TemporaryDirectory() as folder:
        queue = Spool(Path(folder) / "spool.sqlite", "g")
        plain: dict[int, tuple[int, str]] = {}
        for step, turn, other in steps:
            content = f"{turn} {other}"
            if step == "accept":
                [accepted] = queue.accept([episode(content, turn)])
                assert accepted.is_new == (turn not in plain)
                there = plain.setdefault(turn, (accepted.number, content))
                assert (accepted.other is None) == (there[1] == content)
            elif step in ("done", "refuse") and turn in plain:
                number, _ = plain.pop(turn)
                queue.done([number]) if step == "done" else queue.refuse(number, "no")
            elif step == "forget":
                queue.forget("home", "anna", None, f"ep_turn_monday_{turn}")
                plain.pop(turn, None)
            elif step == "reopen":
                queue.close()
                queue = Spool(Path(folder) / "spool.sqlite", "g")
        kept = [episode(content, turn) for turn, (_, content) in sorted(plain.items(), key=lambda item: item[1][0])]
        assert waiting(queue) == kept
        queue.close()


def test_an_entry_that_cannot_be_read_is_set_aside(tmp_path: Path) -> None:
    """Others are returned, the same turn is accepted again, and the entry can be looked at and dropped."""
    file = tmp_path / "spool.sqlite"
    with spool(tmp_path) as queue:
        queue.accept([episode("one"), episode("two", 1), episode("three", 2)])
    with sqlite3.connect(file) as db:
        db.execute("UPDATE waiting SET episode = '{' WHERE number = 1")
        db.execute("UPDATE waiting SET episode = '[]' WHERE number = 2")
    with spool(tmp_path) as queue:
        assert queue.accept([episode("one")])[0].is_new
        assert waiting(queue) == [episode("three", 2), episode("one")]
    refused = refused_turns(file, "home")
    assert [(turn.number, "cannot be read" in turn.why) for turn in refused] == [(1, True), (2, True)]
    assert refused_turns(file, "abroad") == []
    assert not drop_refused_turn(file, "abroad", 1) and not drop_refused_turn(file, "home", 3)
    assert drop_refused_turn(file, "home", 1) and len(refused_turns(file, "home")) == 1


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
@pytest.mark.parametrize("to", ["file", "nothing", "itself"])
def test_a_spool_file_that_is_a_link_is_refused_and_what_it_leads_to_stays(end: str, to: str, tmp_path: Path) -> None:
    link, target = tmp_path / f"spool.sqlite{end}", tmp_path / "elsewhere"
    if to == "file":
        target.write_text("mine")
        target.chmod(0o644)
    link.symlink_to(link if to == "itself" else target)
    with pytest.raises(SpoolUnusable, match="it is a symbolic link") as raised:
        Spool(tmp_path / "spool.sqlite", "g")
    assert raised.value.hint.startswith("move it away")
    assert target.exists() == (to == "file")
    assert to != "file" or (target.read_text(), target.stat().st_mode & 0o777) == ("mine", 0o644)


def test_a_spool_that_is_a_pipe_or_a_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "spool.sqlite")
    with pytest.raises(SpoolUnusable, match="no regular file"):
        Spool(tmp_path / "spool.sqlite", "g")
    with pytest.raises(SpoolUnusable, match="no regular file"):
        (tmp_path / "b" / "spool.sqlite").mkdir(parents=True)
        Spool(tmp_path / "b" / "spool.sqlite", "g")


def test_in_a_folder_that_cannot_be_written_entries_are_read_and_none_is_taken(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        queue.accept([episode("one")])
    with read_only(tmp_path):
        with spool(tmp_path) as queue:
            assert waiting(queue) == [episode("one")]
            with pytest.raises(SpoolReadOnly, match="cannot be written") as raised:
                queue.accept([episode("two", 1)])
        with pytest.raises(SpoolReadOnly, match=str(tmp_path)):
            Spool(tmp_path / "other.sqlite", "g")
    assert "AMR_DATA_DIR" in raised.value.hint


def test_a_thread_that_uses_a_closed_file_gets_an_error_of_ours(tmp_path: Path) -> None:
    with spool(tmp_path) as queue:
        queue.accept([episode("one")])
    with pytest.raises(SpoolUnusable, match="was closed"):
        queue.done([1])
