"""The described people of a video with their short ids, as its clips list them."""

from __future__ import annotations

import json

from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database


def people_with_ids(database: Database, video: Video) -> dict[str, str]:
    """Returns person_id -> the description it was first given for; the person seen last comes last."""
    rows = database.read("ingest/characters_of_video", group_id=video.group_id, video_id=video.video_id)
    people = [person for row in rows for person in json.loads(row["characters"])]
    found: dict[str, str] = {}
    for person in people:
        if person_id := person.get("person_id"):
            found[person_id] = found.pop(person_id, person["name_or_description"])
    return found
