"""The form of a citation in text: how it is written, and how it is read back from what models write.

It is written by `event_label`, `short_event_label` and `turn_label`, with two words from citation_words.yaml:
"[event 12, kitchen, 00:12:31-00:12:44]", "[turn 4, session_2, Anna]". The example in prompts/answer.yaml shows models
both. Models vary these forms; citation_patterns.py has the patterns of all variants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from amr_neo4j.domain.citation_patterns import (
    BEGINS_NAMED,
    CITATION,
    FROM_TO,
    IN_NAMED,
    JOINED,
    JOINT,
    MENTIONED,
    SEVERAL,
    SOURCE_NAMED,
    TAGGED,
    TAGGED_EVENTS,
    WRITTEN_EVENT,
    WRITTEN_TURN,
)
from amr_neo4j.domain.timestamps import clock


def event_label(node_id: int, video_id: str, start: float, end: float) -> str:
    """Return the citation of an event. start, end: seconds of the video."""
    return f"[{WRITTEN_EVENT} {node_id}, {video_id}, {clock(start)}-{clock(end)}]"


def short_event_label(node_id: int) -> str:
    """Return the citation of an event under a heading with its video and time: "[event 12]"."""
    return f"[{WRITTEN_EVENT} {node_id}]"


def turn_label(turn: int, spoken_in: str) -> str:
    """Return the citation of a turn. spoken_in: its session and speaker, without square brackets."""
    return f"[{WRITTEN_TURN} {turn}, {spoken_in}]"


# The most events of a range. A longer one is taken for a slip: only its ends count.
_LONGEST_RANGE = 50


@dataclass(frozen=True)
class Cited:
    """A citation that was found in a text.

    text: as it is written, from `start` to `end` of the text.
    opens: it stands before its claim: "In event 55, the girl leaves."
    events: the numbers of the events that it names, those within a range ("55-57") too.
    written: the numbers of events that it writes out.
    place: (video, start, end) of its event, as written; None if it states none.
    turns: the numbers of the turns that it names.
    spoken_in: what it states of their session and speakers.
    """

    text: str
    start: int
    end: int
    opens: bool = False
    events: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    place: tuple[str, str, str] | None = None
    turns: tuple[int, ...] = ()
    spoken_in: str = ""


def citations_in(text: str) -> list[Cited]:
    """Return the citations of a text in their order."""
    return [_cited(found) for found in _compiled(CITATION).finditer(text)]


def runs_of_citations(text: str) -> list[list[Cited]]:
    """Return the citations of a text, those together that have nothing between them."""
    runs: list[list[Cited]] = []
    for cited in citations_in(text):
        if runs and _compiled(JOINT).fullmatch(text, runs[-1][-1].end, cited.start):
            runs[-1].append(cited)
        else:
            runs.append([cited])
    return runs


def without_citations(text: str) -> str:
    """Return a text without its citations, in whatever form."""
    return _compiled(CITATION).sub("", text)


def without_labels(text: str) -> str:
    """Return a text without the citations that `event_label` and `turn_label` write."""
    return re.sub(r"\[.*?\]", "", text)


def mentioned_in(sentence: str) -> list[str]:
    """Return citations of the events and turns that the words of a sentence name ("Event 55 shows the girl.")."""
    return [f"[{found[0]}]" for found in _compiled(MENTIONED).finditer(sentence)]


def with_brackets(text: str) -> str:
    """Return prose in which what tags (<events>55</events>) or "Source: event 55" cite stands in brackets."""
    text = _compiled(TAGGED).sub(lambda found: f"\n{found[3].strip()} {in_brackets(found[2])}\n", text)
    return _compiled(TAGGED_EVENTS).sub(lambda found: f" {in_brackets(found[2])}", text)


def sources_in_brackets(text: str) -> str:
    """Return prose in which the event of a sentence such as "Source: event 55." stands in brackets."""
    return _compiled(SOURCE_NAMED).sub(r"\1[\2]", text)


def in_brackets(cited: str) -> str:
    """Return a citation of a JSON reply in brackets: "61", "event 61" or "event 61 (home)"."""
    label = f"[{WRITTEN_EVENT} {cited}]" if cited.isdecimal() else f"[{cited.strip('[]() ')}]"
    named = _compiled(BEGINS_NAMED).match(cited)
    return label if named is None or _compiled(CITATION).search(label) else f"[{named[0]}]"


def one_in_each_bracket(text: str) -> str:
    """Return a text in which each citation has its own bracket."""
    return _compiled(SEVERAL).sub(lambda several: _compiled(JOINED).sub("] [", several[0]), text)


def _cited(found: re.Match[str]) -> Cited:
    text, start, end, opens = found[0], found.start(), found.end(), bool(found["within"])
    if found["turn"]:
        return Cited(text, start, end, opens, turns=(int(found["turn"]),), spoken_in=found["whose"])
    if found["turns"]:
        spoken_in = f"{found['before'] or ''},{found['after'] or ''}"
        return Cited(text, start, end, opens, turns=_numbers_in(found["turns"]), spoken_in=spoken_in)
    if found["event"]:
        number = (int(found["event"]),)
        place = (found["video"], found["start"], found["end"]) if found["video"] else None
        return Cited(text, start, end, opens, events=number, written=number, place=place)
    named = _compiled(IN_NAMED).search(found["square"] or found["round"] or found["opening"])
    if named is None:
        return Cited(text, start, end, opens)
    events = dict.fromkeys(chain.from_iterable(map(_range, _compiled(FROM_TO).finditer(named[0]))))
    return Cited(text, start, end, opens, events=tuple(events), written=_numbers_in(named[0]))


def _numbers_in(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _range(found: re.Match[str]) -> Sequence[int]:
    """Return the numbers from the first to the last one of "55-57" or "55 to 57"; of "55" that one."""
    first, last = int(found[1]), int(found[2] or found[1])
    return range(first, last + 1) if first <= last <= first + _LONGEST_RANGE else (first, last)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Only answers of models need the patterns, and to compile them takes longer than most commands.
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
