"""Search results and answers as JSON for a model: short, each event with its citation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten
from typing import Any, TypeVar, cast

from amr_neo4j.domain.event import Event, lines_beside
from amr_neo4j.domain.masking import mask_in
from amr_neo4j.domain.page import Page
from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.recall import Answer, Citation, Hit, MemoryContext, Recalled, citation
from amr_neo4j.domain.views import ClipEvent

T = TypeVar("T")

# The most events or other items of a result.
MOST_EVENTS = 20
# Most characters of an event's text. A clip may hold a whole speech.
_MOST_TEXT = 1000
# Most bytes of a tool's whole result. More would crowd out the rest of a model's context.
MOST_BYTES = 4096
# A list in order of time loses its first items, since the latest matter most. Any other list is best first.
_BY_TIME = "steps"
# The end of a shortened text. A text of at most _LEAST_TEXT characters is not shortened: that would save nothing.
_ELLIPSIS = " ..."
_LEAST_TEXT = 20


def _text(happened: Event | ClipEvent) -> str:
    """Return the summary of an event and the dialogue that it does not quote, on one line."""
    return _line(" ".join([happened.summary_text, *lines_beside(happened.summary_text, happened.dialogue_snippets)]))


def _line(text: str) -> str:
    """Return a text on one line of at most 1000 characters."""
    # Cut first: `shorten` splits the whole text into words, which takes 0.1 s for the talk of an hour.
    return shorten(" ".join(text.split())[: 2 * _MOST_TEXT + 1], _MOST_TEXT, placeholder=_ELLIPSIS)


def event(hit: Hit) -> Json:
    """Return an event as JSON, with its citation and score.

    start, end: seconds of the video.
    at: wall-clock time of its start; None if it is unknown.
    session, turn, said_by: where a turn was said and by whom, if the event is one; else None.
    suspected_injection: there, and true, if its words read like an instruction to a model.
    repeats: node_ids of the events right after it that say the same, if there are such in an order of time.
    """
    happened = hit.event
    repeats = {"repeats": list(hit.repeats)} if hit.repeats else {}
    return (
        _flagged(happened)
        | repeats
        | {
            "citation": citation(happened).label,
            "node_id": happened.node_id,
            "video": happened.video_id,
            "start": happened.time_start,
            "end": happened.time_end,
            "at": happened.at.isoformat() if happened.at else None,
            "session": happened.turn.session_id if happened.turn else None,
            "turn": happened.turn.number if happened.turn else None,
            "said_by": happened.turn.actor if happened.turn else None,
            "text": _text(happened),
            "score": round(hit.score, 3),
        }
    )


def part(name: str, items: Sequence[T], skip: int, shown: Callable[[T], Json]) -> Json:
    """Return the next items of a list as JSON, after the first `skip`, as many as fit.

    go_on_with: the `skip` of the next call, if there are more. It always grows, also where many events begin at once.
    """
    some = [shown(each) for each in items[skip : skip + MOST_EVENTS]]
    # It is there when the size is measured.
    kept = within_limit({name: some, "go_on_with": {"skip": skip + len(some)}})
    done = skip + len(kept[name])
    kept["go_on_with"] = {"skip": done}
    if done >= len(items):
        del kept["go_on_with"]
    return kept


def around(found: Sequence[Event], node_id: int) -> Json:
    """Return an event with the nearest of those around it as JSON, as many as fit, and the id of its video.

    left_out: how many do not fit, if any.
    """
    [place] = [n for n, each in enumerate(found) if each.node_id == node_id]
    kept: Json = {}
    nearest = sorted(range(len(found)), key=lambda n: abs(n - place))[:MOST_EVENTS]
    shown = {n: passed(found[n]) for n in nearest}
    for number in range(len(nearest), 0, -1):
        events = [shown[n] for n in sorted(nearest[:number])]
        left_out = {"left_out": len(found) - number} if number < len(found) else {}
        kept = within_limit({"video": found[place].video_id, "events": events} | left_out)
        if "cut" not in kept:
            break
    return kept


def passed(happened: Event | ClipEvent) -> Json:
    """Return an event of a video as JSON, to be read in order of time. start, end, at: as in `event`; at if known."""
    at = {"at": happened.at.isoformat()} if happened.at else {}
    return (
        _flagged(happened)
        | at
        | {
            "node_id": happened.node_id,
            "start": happened.time_start,
            "end": happened.time_end,
            "text": _text(happened),
        }
    )


def recalled(found: Recalled) -> Json:
    """Return a result of search_memory as JSON. source: the turn or the second of video on which it rests.

    A fact also has its fact_id. A result that rests on an event of a video has the event's node_id.

    said_by: who said a turn; else None.
    status: of a fact, active or candidate.
    replaces: the turn of which it says the opposite. Both only if known.
    no_longer: what a turn states that does not hold any more; only if there is something.
    contradicted_by: the ids of facts that contradict a fact, if nobody has decided between them yet.
    suspected_injection: as in `event`.
    """
    result = _flagged(found) | {
        "kind": found.kind,
        "text": _line(found.text),
        "said_by": found.said_by or None,
        "confidence": round(found.confidence, 3),
        "timestamp": found.timestamp.isoformat() if found.timestamp else None,
        "source": found.source.label if found.source else None,
    }
    result |= {"fact_id": found.fact_id} if found.fact_id else {}
    result |= {"node_id": found.source.node_id} if isinstance(found.source, Citation) else {}
    result |= {"status": found.status} if found.status else {}
    result |= {"contradicted_by": list(found.opposed)} if found.opposed else {}
    result |= {"no_longer": list(found.no_longer)} if found.no_longer else {}
    return result | ({"replaces": found.replaces.label} if found.replaces else {})


def listed(name: str, found: Page[T], shown: Callable[[T], Json]) -> Json:
    """The results of a search under a name.

    `total` says how many fit, if there are more than these; `notes` what did not go as asked, if anything.
    """
    listed = {name: [shown(each) for each in found]} | ({"total": found.total} if found.next else {})
    return listed | ({"notes": list(found.notes)} if found.notes else {})


def _flagged(found: Recalled | Event | ClipEvent) -> Json:
    return {"suspected_injection": True} if found.suspected_injection else {}


def answer(given: Answer) -> Json:
    """Return an answer as JSON, with the events that it cites but not the rest of its evidence.

    replaced: the turn that the answer replaced.
    answered_by: the model that worded it, if one did.
    """
    old = given.replaced
    cited = {citation.node_id for citation in given.citations} - ({old.event.node_id} if old else set())
    return {
        "answer": given.text,
        "found": given.found,
        "confidence": round(given.confidence, 2),
        "events": [event(hit) for hit in given.evidence if hit.event.node_id in cited],
        "replaced": event(old) if old else None,
        "notes": list(given.notes),
        **({"answered_by": given.answered_by} if given.answered_by else {}),
    }


def context(found: MemoryContext) -> Json:
    """Return what memory holds about a question as JSON. Its size is bounded by the tokens that were asked for."""
    return {"context": mask_in(str(found)), "tokens": found.tokens}


def within_limit(result: Json) -> Json:
    """Return the result of a tool in at most MOST_BYTES of JSON. Its `cut` says what was left out, if anything was.

    Whole results go first, then items of the lists within them, but one of each list stays. Then the longest texts
    are shortened.
    """
    kept = cast(Json, mask_in(result))
    is_shortened = False
    while (excess := size(kept) - MOST_BYTES) > 0:
        outer = {name: cast(list[Any], value) for name, value in kept.items() if isinstance(value, list)}
        inner = [each for each in _lists(kept) if len(each) > 1]
        longest = max(outer, key=lambda name: len(outer[name]), default="")
        texts = [place for place in _texts(kept) if len(place[0][place[1]]) > _LEAST_TEXT]
        # One result always stays, so that the model sees at least the best one.
        if longest and len(outer[longest]) > 1:
            _drop(outer[longest], excess, at=0 if longest == _BY_TIME else -1)
        elif inner:
            is_shortened = True
            _drop(max(inner, key=size), excess, at=-1)
        elif texts:
            is_shortened = True
            holder, key = max(texts, key=lambda place: size(place[0][place[1]]))
            text = holder[key].removesuffix(_ELLIPSIS)
            holder[key] = f"{text[: max(len(text) // 2, len(text) - excess)].rstrip()}{_ELLIPSIS}"
        else:  # only keys and numbers are left, which are not cut
            break
        # `cut` takes bytes too, so it is there when the size is measured again.
        kept["cut"] = _cut(result, kept, is_shortened=is_shortened)
    return kept


def size(value: object) -> int:
    """Return the bytes of a value as JSON, indented as the MCP server sends it."""
    return len(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "replace"))


def _drop(items: list[Any], excess: int, *, at: int) -> None:
    """Remove items from one end of a list, about `excess` bytes of them. The last item stays."""
    while excess > 0 and len(items) > 1:
        excess -= size(items.pop(at))


def _lists(value: Any) -> Iterator[list[Any]]:
    """Yield every list in a result, at any depth."""
    if isinstance(value, list):
        yield cast(list[Any], value)
    if isinstance(value, dict | list):
        inner = cast(Json, value).values() if isinstance(value, dict) else cast(list[Any], value)
        for each in inner:
            yield from _lists(each)


def _texts(value: Any, key: Any = None, holder: Any = None) -> Iterator[tuple[Any, Any]]:
    """Yield (holder, key) of every text in a result, except the note about what was cut."""
    if isinstance(value, str):
        yield holder, key
    elif isinstance(value, dict | list):
        pairs = cast(Any, value.items() if isinstance(value, dict) else enumerate(cast(list[Any], value)))
        for each, inner in pairs:
            if each != "cut":
                yield from _texts(inner, each, value)


def _cut(result: Json, kept: Json, *, is_shortened: bool) -> str:
    """Say how many items of each list were left out, and whether something within them was shortened."""
    counts = {name: len(cast(list[Any], value)) for name, value in result.items() if isinstance(value, list)}
    parts = [
        f"{count - len(kept[name])} of {count} {name} left out"
        for name, count in counts.items()
        if len(kept[name]) < count
    ]
    if is_shortened:
        parts.append("lists within results and texts that end in ... are shortened")
    return f"{'; '.join(parts)}. Ask for something narrower to read the rest."
