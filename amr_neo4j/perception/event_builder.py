"""Events of a clip's analysis from what happened in it: sentences, people, objects, actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from amr_neo4j.domain.analysis import AnalysedEvent, Character, SeenObject, StatedAction
from amr_neo4j.domain.video import Clip
from amr_neo4j.language.base import Language, Observation
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Size
from amr_neo4j.perception.happenings import BE_THERE, STATES, STAY, Happening
from amr_neo4j.perception.person_registry import PersonRegistry
from amr_neo4j.perception.spatial_relations import part_of_picture
from amr_neo4j.perception.track import Track

SENTENCES = 5
"""Events that a summary describes; it counts the others."""


class EventBuilder:
    """Makes the events of one clip. Local ids of people count within the clip."""

    def __init__(self, clip: Clip, people: PersonRegistry, size: Size, language: Language) -> None:
        """size: of the pictures. language: of the sentences."""
        self._clip = clip
        self._people = people
        self._size = size
        self._scenes = language.scenes
        self._ids: dict[str, str] = {}

    @property
    def characters(self) -> tuple[Character, ...]:
        """Everybody who is in an event so far."""
        return tuple(Character(local_character_id=id_, name_or_description=name) for name, id_ in self._ids.items())

    def events(self, happenings: Iterable[Happening]) -> list[AnalysedEvent]:
        """In order of time. What was in view all along is one event for each moment at which it was noticed."""
        ordered = sorted(happenings, key=self._start)
        there = [each for each in ordered if each.verb == BE_THERE]
        scenes = [self._scene(list(group)) for _, group in groupby(there, key=self._start)]
        others = [self._event(each) for each in ordered if each.verb != BE_THERE]
        events = sorted([*scenes, *others], key=lambda event: event.time_start)
        return [event.model_copy(update={"local_event_id": f"E{n}"}) for n, event in enumerate(events, start=1)]

    def summary(self, events: Sequence[AnalysedEvent], present: Sequence[Track]) -> str:
        """The clip in a few sentences. present: what is in view at its end."""
        if events:
            more = self._scenes.more_events(len(events) - SENTENCES)
            return " ".join([*(event.summary for event in events[:SENTENCES]), *filter(None, [more])])
        there = [(self._name(track), part_of_picture(track.box, self._size)) for track in present]
        return self._scenes.nothing_happens(self._scenes.in_view(there) if there else "")

    def _scene(self, there: Sequence[Happening]) -> AnalysedEvent:
        start = self._start(there[0])
        tracks = [(each.actor or each.subject, each.position) for each in there]
        in_view = [(self._name(track), position.part) for track, position in tracks if track and position]
        return AnalysedEvent(
            time_start=start,
            time_end=min(self._clip.t_end, start + 1.0),
            summary=self._scenes.in_view(in_view),
            actors=tuple(dict.fromkeys(self._id(self._name(each.actor)) for each in there if each.actor)),
            objects=tuple(seen for each in there for seen in self._objects(each)),
        )

    def _event(self, what: Happening) -> AnalysedEvent:
        start = self._start(what)
        seen = self._observation(what)
        action = StatedAction(
            actor=self._id(seen.actor) if seen.actor else "",
            verb=what.verb,
            object=seen.thing,
            spatial_relation=self._scenes.spatial_relation(seen),
        )
        return AnalysedEvent(
            time_start=start,
            time_end=max(start, self._end(what)),
            summary=self._scenes.observed(seen),
            actors=tuple(self._id(name) for name in dict.fromkeys([seen.actor, seen.person]) if name),
            objects=self._objects(what),
            actions=() if what.verb in STATES else (action,),
        )

    def _observation(self, what: Happening) -> Observation:
        is_person = what.subject is not None and what.subject.kind is Kind.PERSON
        return Observation(
            verb=what.verb,
            actor=self._scenes.hand if what.by_hand else self._name(what.actor) if what.actor else "",
            thing=what.subject.label if what.subject and not is_person else "",
            person=self._name(what.subject) if what.subject and is_person else "",
            position=what.position,
            side=what.actor_side,
            origin=what.origin,
            goal=what.goal,
            stop=self._stop(what),
        )

    def _start(self, what: Happening) -> float:
        """What began before the clip and is known only now counts from the start of the clip."""
        return round(min(max(what.t_start, self._clip.t_start), self._clip.t_end), 2)

    def _end(self, what: Happening) -> float:
        """A stay lasts as long as it is known to by now."""
        stayer = what.actor if what.verb in (STAY, "stay beside") else None
        until = stayer.last_t if stayer and stayer.at_rest(stayer.last_t) else what.t_end
        return round(min(until, self._clip.t_end), 2)

    def _stop(self, what: Happening) -> str:
        """Where somebody who enters comes to rest before the clip ends; empty where they do not."""
        stop = what.actor.first_stop if what.actor and what.verb == "enter" else None
        return part_of_picture(stop[1], self._size) if stop and stop[0] <= self._clip.t_end else ""

    def _objects(self, what: Happening) -> tuple[SeenObject, ...]:
        if what.subject is None or what.subject.kind is Kind.PERSON:
            return ()
        where = self._scenes.position(what.position) if what.position else ""
        return (SeenObject(name=what.subject.label, spatial_description=where),)

    def _name(self, track: Track) -> str:
        return self._people.describe(track) if track.kind is Kind.PERSON else track.label

    def _id(self, name: str) -> str:
        return self._ids.setdefault(name, f"C{len(self._ids) + 1}")
