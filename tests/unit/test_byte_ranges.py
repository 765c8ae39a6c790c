"""A header Range is read as RFC 9110 says, whatever it holds."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from amr_neo4j.server.media import present_parts

MANY = "9" * 5000


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("bytes=0-1", [(0, 1)]),
        ("bytes=0-", [(0, 9)]),
        ("bytes=8-20", [(8, 9)]),
        ("bytes=-3", [(7, 9)]),
        ("bytes=-30", [(0, 9)]),
        ("bytes=0-1, 1000-", [(0, 1)]),
        (f"bytes=3-{MANY}", [(3, 9)]),
        (f"bytes={'0' * 5000}3-4", [(3, 4)]),
        (f"bytes=-{MANY}", [(0, 9)]),
        # The file has none of these: the answer is 416.
        ("bytes=10-", []),
        ("bytes=11-", []),
        ("bytes=1000-1001", []),
        ("bytes=-0", []),
        (f"bytes={MANY}-", []),
        # These are no ranges: the whole file is sent.
        ("bytes=5-2", None),
        ("bytes=0-1, 5-2", None),
        ("bytes=abc", None),
        ("bytes=", None),
        ("bytes=-", None),
        ("items=0-1", None),
        ("", None),
    ],
)
def test_the_parts_that_a_file_of_ten_bytes_has(asked: str, parts: list[tuple[int, int]] | None) -> None:
    assert present_parts(asked, 10) == parts


@pytest.mark.parametrize("asked", ["bytes=0-", "bytes=-1", "bytes=0-0"])
def test_an_empty_file_has_no_part(asked: str) -> None:
    assert present_parts(asked, 0) == []
