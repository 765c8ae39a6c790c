"""Splits a chat model's answer into claims, and checks their citations against the context that it was shown.

The prompt asks for JSON. Models that cannot write it answer in prose, so both are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, cast

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import TurnCitation, citation
from amr_neo4j.domain.timestamps import clock

# The forms of the prompt: "[event 12, kitchen, 00:12:31-00:12:44]", also without video and times, and
# "[turn 4, session_2, Anna]".
_TIME = r"\d+:\d\d:\d\d(?:\.\d+)?"
_EVENT = rf"\[\s*event\s+(\d+)(?:\s*,\s*((?:(?!\[\s*event).)+?)\s*,\s*({_TIME})\s*[-–]\s*({_TIME}))?\s*\]"
_TURN = r"[\[(【]\s*turn\s+(\d+)\s*,\s*([^\])】]+?)\s*[\])】]"
# Models also write "[61]", "(event 61)", "[event 61, home]", "[events 61, 62]" and "【event 61】".
# A number alone is a citation in square brackets only, because "(1984)" may be a year.
_NUMBERS = r"#?\d+(?:\s*(?:[,;&]|and)\s*(?:events?\s+)?#?\d+)*"
_NAMED = rf"events?\s+{_NUMBERS}(?:\s*,\s*[^\[\]()【】]+?)?"
_CITATION = re.compile(
    rf"{_EVENT}|{_TURN}|[\[【]\s*({_NUMBERS}|{_NAMED})\s*[\]】]|\(\s*({_NAMED})\s*\)", re.IGNORECASE
)
# The forms of the prompt alone: what they match does not change when more of the reply comes.
_EXACT = re.compile(rf"{_EVENT}|{_TURN}", re.IGNORECASE)
_IN_NAMED = re.compile(rf"(?:events?\s+)?({_NUMBERS})", re.IGNORECASE)
# What may stand between two citations of one claim, and around a claim.
_BETWEEN = " \t\r\n,;"
_LIST_MARK = re.compile(r"^[-*•]\s+")
_BULLET = re.compile(r"(?:^|\n)\s*(?:[-*•]|\d+[.)])?\s*$")
_SENTENCE_END = re.compile(r"[.!?…:][\"'”»)]*\s*$")
_CLAIM_END = re.compile(r"(?P<said>.*[^.!?\s])\s*(?P<end>[.!?]+)$", re.S)
_MARK = re.compile(r"\s*([.!?]+)")
# A reply in JSON begins like this, perhaps within a code fence.
_JSON = re.compile(r"\s*(?:```|\{|\[\s*\{)")
_CLAIMS = re.compile(r'"claims"\s*:\s*\[|^[^\w{]*\[\s*(?=\{)')
_UNANSWERABLE = re.compile(r'"answerable"\s*:\s*"?false', re.IGNORECASE)
# As many characters tell prose from JSON.
_TELLING = 8


@dataclass(frozen=True)
class Checked:
    """A claim of an answer with the events it cites.

    removed: its citations that are not in the context.
    refuses: the model says that the context does not hold the answer.
    """

    text: str
    events: tuple[Event, ...]
    removed: tuple[str, ...] = ()
    refuses: bool = False


def checked(pieces: Iterable[str], context: Mapping[int, Event]) -> Iterator[Checked]:
    """Yield the claims of an answer that arrives in pieces, each as soon as it is complete, with citations checked.

    context: {node_id: event}.
    A claim without events cites nothing in the context, and callers leave it out.
    """
    pieces, begun = iter(pieces), ""
    while len(begun.lstrip()) < _TELLING and (piece := next(pieces, None)) is not None:
        begun += piece
    reply = chain([begun], pieces)
    yield from (_of_json if _JSON.match(begun) else _of_prose)(reply, context)


def _of_json(pieces: Iterable[str], context: Mapping[int, Event]) -> Iterator[Checked]:
    """Yield the claims of {"answerable": true, "claims": [{"text": "...", "events": ["event 12"]}]}."""
    text, at, is_read = "", 0, False
    for piece in pieces:
        text += piece
        if not at and (begin := _CLAIMS.search(text)):
            at = begin.end()
        if _UNANSWERABLE.search(text):
            continue
        while at and (item := _next_object(text, at)):
            claim, at = item
            is_read = True
            yield _claim_of(claim, context)
    if _UNANSWERABLE.search(text):
        yield Checked(text.strip(), (), refuses=True)
    elif not is_read:
        yield from _of_prose([_strings(text)], context)


def _strings(text: str) -> str:
    """Return the texts of JSON in another form, such as {"answer": "On the fridge [event 61]."}; else the text."""
    try:
        reply: Any = json.loads(text)
    except ValueError:
        return text
    named = cast(dict[str, Any], reply) if isinstance(reply, dict) else {}
    return "\n".join(value for value in named.values() if isinstance(value, str)) or text


def _next_object(text: str, at: int) -> tuple[Mapping[str, Any], int] | None:
    """Return (the JSON object that begins at `at`, where it ends); None if there is no whole one yet."""
    start = text.find("{", at)
    if start < 0 or text[at:start].strip(_BETWEEN):
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return None


def _claim_of(claim: Mapping[str, Any], context: Mapping[int, Event]) -> Checked:
    listed = claim.get("events", claim.get("citations", ()))
    named: Sequence[Any] = cast(Sequence[Any], listed) if isinstance(listed, list) else [listed]
    labels = [f"[event {each}]" if str(each).isdecimal() else f"[{str(each).strip('[] ')}]" for each in named]
    text = str(claim.get("text", ""))
    words = _CITATION.sub("", text)  # some models cite within the text as well
    return _look_up(
        " ".join(words.split()), [*_CITATION.finditer(text), *_CITATION.finditer(" ".join(labels))], context
    )


def _of_prose(pieces: Iterable[str], context: Mapping[int, Event]) -> Iterator[Checked]:
    """Yield the claims of a reply in sentences. A line without a citation goes on in the next line."""
    text = ""
    for part in chain.from_iterable(re.split(r"(?<=\n)", piece) for piece in pieces):
        text += part
        while first := _first_claim(text, context):
            claim, text = first
            yield claim
        if text.endswith("\n"):
            claims, rest = _of_line(text[:-1], context)
            yield from claims
            text = f"{rest}\n" if rest else ""
    claims, text = _of_line(text, context)
    yield from claims
    if text.strip():
        yield Checked(text.strip(), ())


def _first_claim(text: str, context: Mapping[int, Event]) -> tuple[Checked, str] | None:
    """Return (the first claim, the text after it) if that cannot change when more of the reply comes; else None.

    That is so of words with citations within a sentence: "On the fridge [event 61], and". It lets a claim be shown
    before the reply is complete.
    """
    runs = _runs(text)
    if not runs:
        return None
    start, end = runs[0][0].start(), runs[0][-1].end()
    before = text[:start]
    if not before.strip(_BETWEEN) or _BULLET.search(before) or _SENTENCE_END.search(before):
        return None
    mark = _MARK.match(text, end)
    after = text[mark.end() if mark else end :]
    following = after.strip(_BETWEEN)
    if not following or following[0] in "[(【" or not all(_EXACT.fullmatch(each[0]) for each in runs[0]):
        return None
    return _look_up(before, runs[0], context, mark[1] if mark else ""), after.lstrip(_BETWEEN)


def _of_line(text: str, context: Mapping[int, Event]) -> tuple[list[Checked], str]:
    """Return (the claims of a line, the rest that goes on in the next line).

    Citations stand at the end of claims, as the prompt asks, or at the start: "[event 55] The girl leaves."
    """
    runs = _runs(text)
    if not runs:
        return [], text
    # Text and runs alternate: words[0], runs[0], words[1], ... words[-1].
    edges = [0, *chain.from_iterable((run[0].start(), run[-1].end()) for run in runs), len(text)]
    words = [text[start:end] for start, end in list(pairwise(edges))[::2]]
    ends_in_words = bool(words[-1].strip(_BETWEEN + ".!?"))
    if not ends_in_words and not any(each.strip(_BETWEEN) for each in words[:-1]):
        return [], text  # citations alone: what they belong to follows
    is_ahead = (_BULLET.search(words[0]) and (ends_in_words or (len(runs) > 1 and _BULLET.fullmatch(words[0])))) or (
        ends_in_words
        and all(_SENTENCE_END.search(each) for each in words[:-1])
        and _shared(runs, words[1:], context) > _shared(runs, words[:-1], context)
    )
    if is_ahead:
        if not ends_in_words:  # a citation after the last claim belongs to it
            runs, words = [*runs[:-2], [*runs[-2], *runs[-1]]], words[:-1]
        before = words[0].strip(_BETWEEN)
        uncited = [] if _BULLET.fullmatch(words[0]) else [Checked(before, ())]
        return [*uncited, *(_look_up(after, run, context) for run, after in zip(runs, words[1:], strict=True))], ""
    claims: list[Checked] = []
    rest = words[0]
    for run, after in zip(runs, words[1:], strict=True):
        mark = _MARK.match(after)
        claims.append(_look_up(rest, run, context, mark[1] if mark else ""))
        rest = after[mark.end() :] if mark else after
    return claims, rest.strip(_BETWEEN)


def _runs(text: str) -> list[list[re.Match[str]]]:
    """Return the citations of a text, those together that have nothing between them."""
    runs: list[list[re.Match[str]]] = []
    for match in _CITATION.finditer(text):
        if runs and not text[runs[-1][-1].end() : match.start()].strip(_BETWEEN):
            runs[-1].append(match)
        else:
            runs.append([match])
    return runs


def _shared(runs: Sequence[Sequence[re.Match[str]]], words: Sequence[str], context: Mapping[int, Event]) -> int:
    """Return how many words the cited events share with the text beside their citations."""
    shared = 0
    for run, text in zip(runs, words, strict=True):
        cited = (event for match in run for event in _events(match, context)[0])
        said = {word for event in cited for word in _words(" ".join([event.summary_text, *event.dialogue_snippets]))}
        shared += len(said & _words(text))
    return shared


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _look_up(words: str, cited: Sequence[re.Match[str]], context: Mapping[int, Event], mark: str = "") -> Checked:
    """Return a claim with the events that it cites. mark: the punctuation after its citations."""
    words = _LIST_MARK.sub("", words.strip(_BETWEEN))
    events: dict[int, Event] = {}  # a model may cite one event twice for a claim
    removed: list[str] = []
    for match in cited:
        found, is_whole = _events(match, context)
        events |= {event.node_id: event for event in found}
        if not is_whole:
            removed.append(match[0])
    if not words.strip(".!?"):  # citations without a claim
        return Checked(" ".join(match[0] for match in cited), (), tuple(removed))
    # The full stop of the claim follows its citations.
    claim = _CLAIM_END.match(words)
    labels = (citation(event).label for event in events.values())
    said, end = (claim["said"], claim["end"]) if claim else (words, "")
    return Checked(" ".join([said, *labels]) + (end or mark or "."), tuple(events.values()), tuple(removed))


def _events(found: re.Match[str], context: Mapping[int, Event]) -> tuple[list[Event], bool]:
    """Return (the events that a citation names and the context has, whether that is all that it names)."""
    exact, video, start, end, turn, session, bracketed, round_ = found.groups()
    if turn is not None:
        event = _turn(int(turn), session, context)
        return ([event], True) if event else ([], False)
    if exact is not None:
        event = context.get(int(exact))
        stated = (video, start, end)
        if event is None or (video and stated != (event.video_id, clock(event.time_start), clock(event.time_end))):
            return [], False
        return [event], True
    named = _IN_NAMED.match(bracketed or round_)
    numbers = [int(number) for number in re.findall(r"\d+", named[1])] if named else []
    known = [context[number] for number in numbers if number in context]
    return known, len(known) == len(numbers)


def _turn(number: int, stated: str, context: Mapping[int, Event]) -> Event | None:
    """Return the turn of this number in the stated session, which may be written with its speaker or without."""
    for event in context.values():
        cited = citation(event)
        if not isinstance(cited, TurnCitation) or cited.turn != number:
            continue
        if stated in (cited.spoken_in, replace(cited, actor="").spoken_in):
            return event
    return None
