"""Asks once more where used things are that an analysis gives no place (specification 000 I.2.2.d)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.domain.analysis import AnalysedEvent, NotedAnalysis
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import Places
from amr_neo4j.domain.video import Clip
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.analyse import shown_as
from amr_neo4j.prompts.library import prompt


def complete_places(
    noted: NotedAnalysis, clip: Clip, shown: Callable[[], Sequence[Attachment]], model: ChatModel
) -> NotedAnalysis:
    """Add places to the objects that lack one, by a call that sees the clip again; none where nothing lacks one.

    shown: the clip for the model. Raises CostLimit.
    """
    events = list(noted.analysis.events)
    lacking = [(n, k) for n, event in enumerate(events) for k in _unplaced(event)]
    if not lacking:
        return noted
    things = "\n".join(f"{number}: {_thing(clip, events[n], k)}" for number, (n, k) in enumerate(lacking, start=1))
    seconds = round(clip.t_end - clip.t_start, 3)
    asked = prompt("places", clip=shown_as(clip.clip_id), seconds=seconds, things=things).showing(shown())
    try:
        reply = model.ask(asked, Places)
    except CostLimit:
        raise
    except ModelFailed as error:
        return noted.but(noted.analysis, f"places of {len(lacking)} things are not known: {error.message}")
    found = {each.number: each.spatial_description.strip() for each in reply.places}
    for number, (n, k) in enumerate(lacking, start=1):
        objects = list(events[n].objects)
        objects[k] = objects[k].model_copy(update={"spatial_description": found.get(number, "")})
        events[n] = events[n].model_copy(update={"objects": tuple(objects)})
    known = sum(bool(found.get(number)) for number in range(1, len(lacking) + 1))
    note = f"objects: {known} of {len(lacking)} places were asked for once more"
    return noted.but(noted.analysis.model_copy(update={"events": tuple(events)}), note)


def _unplaced(event: AnalysedEvent) -> list[int]:
    """Which objects of actions have a place neither of their own nor by the action."""
    placed = {action.object.casefold() for action in event.actions if action.spatial_relation.strip()}
    used = {action.object.casefold() for action in event.actions} - placed
    things = enumerate(event.objects)
    return [k for k, thing in things if thing.name.casefold() in used and not thing.spatial_description.strip()]


def _thing(clip: Clip, event: AnalysedEvent, k: int) -> str:
    return f"{event.objects[k].name}, at {event.time_start - clip.t_start:g} s: {event.summary}"
