"""What happened in a clip as events of an analysis: sentences, people, objects, actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from amr_neo4j.domain.analysis import AnalysedEvent, Character, SeenObject, StatedAction
from amr_neo4j.domain.video import Clip
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Size
from amr_neo4j.perception.happenings import BE_THERE, STATES, STAY, Happening
from amr_neo4j.perception.person_registry import PersonRegistry
from amr_neo4j.perception.sentences import (
    counted,
    place_words,
    relation_words,
    scene_words,
    sentence,
)
from amr_neo4j.perception.spatial_relations import part_of_picture
from amr_neo4j.perception.track import Track

HAND = "hand"
SENTENCES = 5
"""A summary tells so many events, and says how many more there are."""


class EventBuilder:
    """Tells the happenings of one clip. Ids of people count within the clip."""

    def __init__(self, clip: Clip, cast: PersonRegistry, size: Size) -> None:
        self._clip = clip
        self._cast = cast
        self._size = size
        self._ids: dict[str, str] = {}

    @property
    def characters(self) -> tuple[Character, ...]:
        """Everybody who was told of so far."""
        return tuple(Character(local_character_id=id_, name_or_description=name) for name, id_ in self._ids.items())

    def events(self, happenings: Iterable[Happening]) -> list[AnalysedEvent]:
        """In time order. What was in view all along is one event for each moment at which it was noticed."""
        ordered = sorted(happenings, key=self._start)
        there = [each for each in ordered if each.verb == BE_THERE]
        scenes = [self._scene(list(group)) for _, group in groupby(there, key=self._start)]
        told = [self._event(each) for each in ordered if each.verb != BE_THERE]
        events = sorted([*scenes, *told], key=lambda event: event.time_start)
        return [event.model_copy(update={"local_event_id": f"E{n}"}) for n, event in enumerate(events, start=1)]

    def summary(self, events: Sequence[AnalysedEvent], present: Sequence[Track]) -> str:
        """The clip in a few sentences. present: who and what is in view at its end."""
        if events:
            more = len(events) - SENTENCES
            rest = [f"And {counted('more thing', more)} {'happens' if more == 1 else 'happen'}."] if more > 0 else []
            return " ".join([*(event.summary for event in events[:SENTENCES]), *rest])
        if not present:
            return "Nothing happens, and nobody and nothing that the detector knows is in view."
        seen = scene_words([(self._name(track), part_of_picture(track.box, self._size)) for track in present])
        return f"Nothing new happens. {seen}"

    def _scene(self, there: Sequence[Happening]) -> AnalysedEvent:
        start = self._start(there[0])
        tracks = [(each.actor or each.subject, each.place) for each in there]
        words = scene_words([(self._name(track), place.part) for track, place in tracks if track and place])
        return AnalysedEvent(
            time_start=start,
            time_end=min(self._clip.t_end, start + 1.0),
            summary=words,
            actors=tuple(dict.fromkeys(self._id(self._name(each.actor)) for each in there if each.actor)),
            objects=tuple(seen for each in there for seen in _objects(each)),
        )

    def _event(self, what: Happening) -> AnalysedEvent:
        start = self._start(what)
        who = HAND if what.by_hand else self._name(what.actor) if what.actor else ""
        whom = self._name(what.subject) if what.subject and what.subject.kind is Kind.PERSON else ""
        thing = what.subject.label if what.subject and not whom else ""
        action = StatedAction(
            actor=self._id(who) if who else "",
            verb=what.verb,
            object=thing,
            spatial_relation=relation_words(what, whom),
        )
        return AnalysedEvent(
            time_start=start,
            time_end=max(start, self._end(what)),
            summary=sentence(what, who, whom, self._stop(what)),
            actors=tuple(self._id(name) for name in dict.fromkeys([who, whom]) if name),
            objects=_objects(what),
            actions=() if what.verb in STATES else (action,),
        )

    def _start(self, what: Happening) -> float:
        """What began before the clip and is known only now is told as of the clip's beginning."""
        return round(min(max(what.t_start, self._clip.t_start), self._clip.t_end), 2)

    def _end(self, what: Happening) -> float:
        """Who stays, stays as long as is known by now."""
        stayer = what.actor if what.verb in (STAY, "stay beside") else None
        until = stayer.last_t if stayer and stayer.at_rest(stayer.last_t) else what.t_end
        return round(min(until, self._clip.t_end), 2)

    def _stop(self, what: Happening) -> str:
        """Where somebody who enters comes to rest before the clip ends."""
        stop = what.actor.first_stop if what.actor and what.verb == "enter" else None
        return part_of_picture(stop[1], self._size) if stop and stop[0] <= self._clip.t_end else ""

    def _name(self, track: Track) -> str:
        return self._cast.describe(track) if track.kind is Kind.PERSON else track.label

    def _id(self, name: str) -> str:
        return self._ids.setdefault(name, f"C{len(self._ids) + 1}")


def _objects(what: Happening) -> tuple[SeenObject, ...]:
    if what.subject is None or what.subject.kind is Kind.PERSON:
        return ()
    where = place_words(what.place) if what.place else ""
    return (SeenObject(name=what.subject.label, spatial_description=where),)
