"""Hypothesis strategies for analyses of clips: ordinary and pathological ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.normalise import on_video_time

Json = dict[str, Any]

PEOPLE = ["Anna", "Ben", "Mr. Smith", "girl in a black hoodie", "older man with glasses", " Anna ", "C7", "   "]
LOCAL_IDS = ["C1", "C2", "S1", " C1", "E3", "C4711"]
THINGS = ["cup", "the Mugs", "Anna's phone", "red mug", "drawer", " "]
VERBS = ["picks up", "put down", "opens", "look at", "turns on", "pour", "gives", "frobnicate", " "]
SAYINGS = ["Where are my keys?", "In the drawer, Anna.", "No.", "ask Ben, Carla and Mrs. Jones", "  ", "now then"]

# Text that has broken something somewhere: syntax, other scripts, joiners, NUL, and far too much of it.
ODD_TEXT = [
    "a\x00b",
    "😀👩‍👩‍👧",
    "שלום \u202eolleh",
    "鍵は引き出しの中",
    "हिन्दी",
    "e\u0301\u0302",
    "\u200b",
    "'); MATCH (n) DETACH DELETE n //",
    'field:[* TO "x"] AND NOT (y)~2^3',
    "Anna " * 120,
    "A" + "n" * 600,
    "鍵" * 300,
]
texts = st.sampled_from([*SAYINGS, *ODD_TEXT]) | st.text(max_size=30)
names = st.sampled_from([*PEOPLE, *LOCAL_IDS]) | st.text(min_size=1, max_size=12)
short = st.text(min_size=1, max_size=500)


def spans(length: float) -> st.SearchStrategy[Json]:
    """A start and an end in a clip of this many seconds; they may be the same moment."""
    return st.tuples(st.integers(0, int(length * 10)), st.sampled_from([0, 0, 5, 13, 40])).map(
        lambda span: {"time_start": span[0] / 10, "time_end": min(length, (span[0] + span[1]) / 10)}
    )


def _with_span(fields: dict[str, st.SearchStrategy[Any]], length: float) -> st.SearchStrategy[Json]:
    return st.tuples(st.fixed_dictionaries(fields), spans(length)).map(lambda parts: parts[0] | parts[1])


def analyses(length: float = 10.0, text: st.SearchStrategy[str] = texts) -> st.SearchStrategy[Json]:
    """An analysis that fits a clip of this many seconds; times count from its start."""
    summary = text.filter(str.strip)
    described = st.fixed_dictionaries(
        {
            "local_character_id": st.sampled_from(LOCAL_IDS),
            "role": st.sampled_from(["speaker", "observer", "other"]),
            "name_or_description": st.sampled_from(PEOPLE),
        }
    )
    action = st.fixed_dictionaries(
        {
            "actor": st.sampled_from(["", *PEOPLE, *LOCAL_IDS]),
            "verb": st.sampled_from(VERBS),
            "object": st.sampled_from(["", *THINGS]),
            "spatial_relation": st.sampled_from(["", "on the table"]),
        }
    )
    thing = st.fixed_dictionaries(
        {"name": st.sampled_from(THINGS), "spatial_description": st.sampled_from(["", "left of the sink"])}
    )
    turn = {"speaker_id": st.just("") | st.sampled_from([*PEOPLE, *LOCAL_IDS]), "utterance": st.sampled_from(SAYINGS)}
    event = {
        "summary": summary,
        "actors": st.lists(names, max_size=2),
        "objects": st.lists(thing, max_size=3),
        "dialogue": st.lists(st.sampled_from(SAYINGS), max_size=2),
        "actions": st.lists(action, max_size=3),
    }
    return st.fixed_dictionaries(
        {
            "clip_summary": text,
            "scene_type": st.sampled_from(["", "kitchen"]),
            "characters": st.lists(described, max_size=3),
            "speaker_turns": st.lists(_with_span(turn, length), max_size=4),
            "events": st.lists(_with_span(event, length), max_size=3),
        }
    )


def lines() -> st.SearchStrategy[Json]:
    """A complete JSON line."""
    place = st.integers(0, 20).map(lambda n: {"clip_id": f"c{n}", "t_start": n * 10.0, "t_end": n * 10.0 + 10.0})
    return st.tuples(st.fixed_dictionaries({"video_id": short, "analysis": analyses()}), place).map(
        lambda parts: parts[0] | parts[1]
    )


NASTY: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1e308,
    -1e308,
    5e-324,
    float("nan"),
    float("inf"),
    "",
    "\ud800",
    "2026-05-01T12:00:00",
    "9999-12-31T23:59:59Z",
    [],
    [[]],
    {},
    {"a": 1},
    *ODD_TEXT,
]


@st.composite
def spoilt_lines(draw: st.DrawFn) -> Json:
    """A line with up to two of its values replaced, keys taken away or added; some still make sense."""
    line = draw(lines())
    for _ in range(draw(st.integers(0, 2))):
        holder = draw(st.sampled_from(list(_holders(line))))
        known = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        added = ["recorded_at", "time_base", "uri", "group_id", "place", "summry"] if isinstance(holder, dict) else []
        if keys := [*known, *added]:
            holder[draw(st.sampled_from(keys))] = draw(st.sampled_from(NASTY))
    return line


def _holders(value: Any) -> Any:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def analysed(
    analysis: Json, *, video: Video | None = None, start: float = 100.0, length: float = 10.0
) -> AnalysedClip:
    """A clip with this analysis, whose times count from its start."""
    clip = Clip("c", start, start + length)
    clip, placed, notes = on_video_time(clip, ClipAnalysis.model_validate(analysis), "clip")
    return AnalysedClip(video or Video("g", "film"), clip, placed, "test", "sha", notes=notes)
