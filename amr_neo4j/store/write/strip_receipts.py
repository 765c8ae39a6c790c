"""Removes what the receipts of clips tell of a person."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from amr_neo4j.domain.forgotten import Selection
from amr_neo4j.store.database import Database, Row

_AT_ONCE = 500
_Entry = dict[str, Any]


def strip_receipts(
    database: Database, group_id: str, selection: Selection, is_them: Callable[[str, str], bool]
) -> int:
    """Strip the receipts that list the selected persons, or have events of theirs; returns their number.

    Characters and speaker turns of theirs go, and the summary, notes, errors and replies, which are free text; the
    others stay. is_them: whether words that name or describe someone in a video (words, video_id) mean one of them.
    """
    rows = database.stream(
        "forgetting/receipts_telling",
        group_id=group_id,
        persons=[list(who) for who in selection.persons],
        video_id=selection.video_id or None,
        before=selection.before,
    )
    changed = list(_changed(rows, is_them))
    for start in range(0, len(changed), _AT_ONCE):
        page = changed[start : start + _AT_ONCE]
        database.write("forgetting/strip_receipts", group_id=group_id, receipts=page)
    return len(changed)


def _changed(rows: Iterator[Row], is_them: Callable[[str, str], bool]) -> Iterator[Row]:
    for row in rows:
        video_id = row["video_id"]
        characters: list[_Entry] = json.loads(row["characters"])
        turns: list[_Entry] = json.loads(row["speaker_turns"])

        def names(entry: _Entry, *fields: str, video_id: str = video_id) -> bool:
            return any(is_them(entry[field], video_id) for field in fields if entry.get(field))

        theirs = [each for each in characters if names(each, "identity", "person_id", "name_or_description")]
        voices = {each["speaker_id"] for each in theirs if each.get("speaker_id")}
        said = [each for each in turns if each.get("speaker_id") in voices or names(each, "identity", "speaker_id")]
        if theirs or said or (row["involves"] and (row["clip_summary"] or row["other"])):
            yield {
                "video_id": video_id,
                "clip_id": row["clip_id"],
                "characters": _json([each for each in characters if each not in theirs]),
                "speaker_turns": _json([each for each in turns if each not in said]),
            }


def _json(entries: list[_Entry]) -> str:
    return json.dumps(entries, ensure_ascii=False)
