"""Every link between the pages leads to a file, and to a heading of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PAGES = [*sorted(TOP.glob("*.md")), *sorted(TOP.glob("docs/*.md")), *sorted(TOP.glob("docs/decisions/*.md"))]


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken: list[str] = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        there = page if not file else page.parent / file
        if "://" in target or target.startswith("mailto:"):
            continue
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in _anchors(there)):
            broken.append(target)
    assert not broken


def test_every_page_is_one_click_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((docs/[^)#\s]+\.md)", (TOP / "README.md").read_text(encoding="utf-8")))
    assert {f"docs/{page.name}" for page in TOP.glob("docs/*.md")} <= linked
