"""Renders a tree as a self-contained HTML page: nested nodes with their decisions, and segments that play."""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.explorer.saved_tree import DEEPEST

Read = Callable[[str], bytes | None]
"""Reads a segment by its path. Returns None if the file is gone, or larger than MOST_BYTES."""
MOST_BYTES = 64 * 2**20
"""The limit for all segments of a page together. Segments beyond it are named, not shown."""


def page(tree: Json, read: Read, most_bytes: int = MOST_BYTES) -> str:
    """Return the HTML page.

    tree: as saved_tree.parsed returns it.
    """
    return _Page(tree, read, most_bytes).html()


class _Page:
    def __init__(self, tree: Json, read: Read, most_bytes: int) -> None:
        self._tree, self._read, self._left = tree, read, most_bytes
        self._by_id: dict[str, Json] = {str(node["id"]): node for node in tree["nodes"]}
        self._shown: set[str] = set()
        # Not 0, because positions on the time line are divided by it.
        self._length = float(tree["video"].get("duration_s") or 0) or 1.0
        self._answered: Json = tree["answer"] or {}

    def html(self) -> str:
        tree, answer = self._tree, self._tree["answer"]
        template = Template(files("amr_neo4j.explorer").joinpath("page.html").read_text("utf-8"))
        root = tree["root"]
        return template.substitute(
            title=_text(tree["question"]),
            question=_text(tree["question"]),
            facts=_text(self._facts()),
            answer=self._answer(answer) if answer else "No answer was found.",
            answer_class="none" if not answer or answer.get("guess") else "",
            timeline=self._timeline(),
            root=self._decision("root", root.get("decision")) + _notes(_rejected(root.get("proposals", []))),
            nodes=self._list([str(child) for child in root.get("children", [])], "top"),
            closing="".join(self._decision("further paths", each) for each in tree.get("further", []))
            + (self._decision("end", tree.get("closing")) if tree.get("closing") else ""),
        )

    def _facts(self) -> str:
        tree, usage = self._tree, self._tree["usage"]
        cost = f"${float(usage.get('cost_usd') or 0):.4f}" + (
            " and calls of unknown price" * bool(usage.get("unpriced"))
        )
        ended = f"stopped: {tree['stopped']}, terminated: {'yes' if tree['terminated'] else 'no'}"
        looks = f"{tree['looks']} look{'' if tree['looks'] == 1 else 's'}"
        counts = f"{len(self._by_id)} nodes, {looks}, {float(tree.get('seconds') or 0):.1f} s, {cost}"
        return f"{tree['video'].get('path', '')}, {clock(self._length)}; {ended}; {counts}"

    def _timeline(self) -> str:
        """Return all ranges along the video, each a link to its node. Waiting ranges are pale."""
        # Waiting ranges first, so that later ones are drawn over them.
        nodes = sorted(self._by_id.values(), key=lambda node: node["status"] != "queued")
        link = "<a href='#{0}' title='{0}'>{1}</a>"
        return "".join(link.format(_text(node["id"]), self._mark(node)) for node in nodes)

    def _mark(self, node: Json) -> str:
        start, end = float(node["start_s"]), float(node["end_s"])
        left, width = 100 * start / self._length, 100 * (end - start) / self._length
        kind = "answer" if node["id"] == self._answered.get("node") else _kind(node)
        return f"<i class='{_text(kind)}-d' style='left:{left:.2f}%;width:{width:.2f}%'></i>"

    def _decision(self, of: str, decision: Any) -> str:
        if not decision:
            return ""
        answer = decision.get("direct_answer", "")
        is_shown = answer == self._answered.get("text")
        said = " ".join(filter(None, [decision.get("rationale", ""), "" if is_shown else answer]))
        sure = f"confidence {float(decision.get('confidence') or 0):.2f}"
        head = f"{of}: {decision.get('decision', '')}, " if of else ""
        return f"<p>{_text(f'{head}{sure}: {said}')}</p>" + _notes(decision.get("notes", []))

    @staticmethod
    def _answer(answer: Json) -> str:
        where = ""
        if answer.get("start_s") is not None and answer.get("end_s") is not None:
            where = f" ({clock(float(answer['start_s']))}-{clock(float(answer['end_s']))})"
        marked = "; quoted from the local analyser" if answer.get("extractive") else ""
        sure = f"confidence {float(answer.get('confidence') or 0):.2f}"
        node = f"{answer['node']}{where}, " if answer.get("node") else ""
        return f"{_text(answer.get('text', ''))}<br><span class=small>{_text(f'{node}{sure}{marked}')}</span>"

    def _list(self, path_ids: list[str], kind: str = "", depth: int = 0) -> str:
        # A damaged tree may have a cycle or name a node twice: each is shown once.
        fresh = [each for each in dict.fromkeys(path_ids) if each in self._by_id and each not in self._shown]
        self._shown.update(fresh)
        items = "".join(f"<li>{self._node(self._by_id[each], depth)}</li>" for each in fresh if depth <= DEEPEST)
        return f"<ul class='{kind}'>{items}</ul>" if items else ""

    def _node(self, node: Json, depth: int) -> str:
        decision, start, end = node["decision"], float(node["start_s"]), float(node["end_s"])
        kind = _kind(node)
        span = f"{clock(start)}-{clock(end)}"
        head = (
            f"<span class=id>{_text(node['id'])}</span> {span} <span class='d {_text(kind)}-d'>{_text(kind)}</span>"
        )
        bar = f"<div class=bar>{self._mark(node)}</div>"
        seen = f"<p>{_text(node.get('seen', ''))}</p>" if node.get("seen") else ""
        said = self._decision("", decision) if decision else ""
        notes = _notes([*node["notes"], *_rejected(node.get("proposals", []))])
        body = f"{bar}{self._video(node)}{seen}{said}{notes}"
        is_open = " open" if kind == "answer" or node["id"] == self._answered.get("node") else ""
        below = self._list([str(child) for child in node["children"]], depth=depth + 1)
        summary = f"<summary>{head} {_text(node['strategy'])}</summary>"
        return f"<details id='{_text(node['id'])}'{is_open}>{summary}{body}</details>{below}"

    def _video(self, node: Json) -> str:
        segment = node["segment"]
        if not segment:
            return ""
        name = str(segment.get("path", ""))
        data = self._read(name)
        if data is None:
            return f"<p class=note>the segment is gone or too large: {_text(name)}</p>"
        if len(data) > self._left:
            return f"<p class=note>too large for this page: {_text(name)}</p>"
        self._left -= len(data)
        encoded = base64.b64encode(data).decode()
        # A media fragment: the player opens at the second of the answer, not at the start of its segment.
        at = float(self._answered.get("start_s") or 0) - float(node["start_s"])
        second = f"#t={at:.1f}" if node["id"] == self._answered.get("node") and at > 0 else ""
        return f"<video controls preload=metadata src='data:video/mp4;base64,{encoded}{second}'></video>"


def _kind(node: Json) -> str:
    """Return the outcome of a node: its decision, else its status."""
    return str(node["decision"]["decision"] if node["decision"] else node["status"])


def _rejected(proposals: list[Json]) -> list[str]:
    return [
        f"rejected {each['asked']['start_s']}-{each['asked']['end_s']} s: {'; '.join(each['notes'])}"
        for each in proposals
        if each["outcome"] == "rejected"
    ]


def _notes(notes: list[str]) -> str:
    return "".join(f"<p class='note small'>{_text(note)}</p>" for note in notes)


def _text(text: object) -> str:
    # A tree may come from anybody, and what a model wrote may contain HTML.
    return escape(str(text), quote=True)
