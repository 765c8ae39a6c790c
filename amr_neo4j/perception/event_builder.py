"""Builds the events of a clip's analysis from what happened in it: sentences, people, objects and actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from amr_neo4j.domain.analysis import (
    MOST_BOXES,
    AnalysedEvent,
    Character,
    SeenBox,
    SeenObject,
    StatedAction,
)
from amr_neo4j.domain.episode import LONGEST_NAME
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.video import Clip
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import Observation
from amr_neo4j.perception.appearance import main_colour
from amr_neo4j.perception.classes import Kind, has_colour
from amr_neo4j.perception.geometry import Box, Size, part_of_picture
from amr_neo4j.perception.happenings import BE_THERE, OF_THE_PICTURE, STATES, STAY, ZONE_VERBS, Happening
from amr_neo4j.perception.motion import Mover, best_name
from amr_neo4j.perception.person_registry import Member, PersonRegistry
from amr_neo4j.perception.text_in_view import TextSeen
from amr_neo4j.perception.track import Track

SENTENCES = 5
"""A summary describes this many events, and counts the others."""
_TOGETHER_S = 0.1
"""One picture shows two boxes that are at most this many seconds apart."""


class EventBuilder:
    """Makes the events of one clip. Local ids of people are numbered within the clip."""

    def __init__(self, clip: Clip, people: PersonRegistry, size: Size, *, language: Language) -> None:
        """size: the size of the pictures.

        language: the language of the sentences.
        """
        self._clip = clip
        self._people = people
        self._size = size
        self._language = language
        self._scenes, self._codes = language.scenes, language.codes
        self._ids: dict[Member | str, str] = {}

    @property
    def characters(self) -> tuple[Character, ...]:
        """Everybody who is in an event so far."""
        return tuple(self._character(who, id_) for who, id_ in self._ids.items())

    def _character(self, who: Member | str, id_: str) -> Character:
        if isinstance(who, str):
            return Character(local_character_id=id_, name_or_description=who)
        person_id = self._language.person_key(who.description).person_id
        # People who look alike get numbered ids, so that they stay two persons in the graph.
        same = f"{person_id}_{who.number}" if who.number > 1 else ""
        return Character(local_character_id=id_, name_or_description=who.description, person_id=same)

    def events(self, happenings: Iterable[Happening], texts: Iterable[TextSeen] = ()) -> list[AnalysedEvent]:
        """Return events in order of time.

        Things that were in view all along share one event if they were noticed at the same moment.
        """
        ordered = sorted(happenings, key=self._start)
        there = [each for each in ordered if each.verb == BE_THERE]
        scenes = [self._scene(list(group)) for _, group in groupby(there, key=self._start)]
        others = [self._of_group(group) for group in condensed([each for each in ordered if each.verb != BE_THERE])]
        written = [self._text(seen) for seen in texts]
        events = sorted([*scenes, *others, *written], key=lambda event: event.time_start)
        return [event.model_copy(update={"local_event_id": f"E{n}"}) for n, event in enumerate(events, start=1)]

    def summary(self, events: Sequence[AnalysedEvent], present: Sequence[Track]) -> str:
        """Return a few sentences about the clip. present: the tracks that are in view at its end."""
        if events:
            more = self._scenes.more_events(len(events) - SENTENCES)
            return " ".join([*(event.summary for event in events[:SENTENCES]), *filter(None, [more])])
        there = [(self._told(track), part_of_picture(track.box, self._size)) for track in present]
        in_view = self._scenes.in_view(there, self._in_doubt(present)) if there else ""
        return self._scenes.nothing_happens(in_view)

    def _scene(self, there: Sequence[Happening]) -> AnalysedEvent:
        start = self._start(there[0])
        tracks = [(each.actor or each.subject, each.position) for each in there]
        in_view = [(self._told(track), position.part) for track, position in tracks if track and position]
        end = min(self._clip.t_end, start + 1.0)
        return AnalysedEvent(
            time_start=start,
            time_end=end,
            summary=self._scenes.in_view(in_view, self._in_doubt(track for track, _ in tracks if track)),
            actors=tuple(dict.fromkeys(self.person(each.actor) for each in there if each.actor)),
            objects=tuple(seen for each in there for seen in self._objects(each)),
            boxes=self._boxes((track for track, _ in tracks if track), start, end),
        )

    def _text(self, seen: TextSeen) -> AnalysedEvent:
        """Return the event of the text that was read in one still."""
        start = min(max(round(seen.t, 2), self._clip.t_start), self._clip.t_end)
        size, lines = Size(*seen.size), seen.lines
        names = [self._codes.text_named(line.words)[:LONGEST_NAME] for line in lines]
        wheres = [part_of_picture(line.box, size) for line in lines]
        return AnalysedEvent(
            time_start=start,
            time_end=min(self._clip.t_end, start + 1.0),
            summary=self._scenes.text_in_view([(line.words, at) for line, at in zip(lines, wheres, strict=True)]),
            objects=tuple(
                SeenObject(name=name, confidence=round(min(1.0, line.confidence), 2))
                for name, line in zip(names, lines, strict=True)
            ),
            boxes=tuple(
                _box(name, start, line.box, size=size, certainty=line.confidence)
                for name, line in zip(names, lines, strict=True)
            ),
        )

    def _of_group(self, group: Sequence[Happening]) -> AnalysedEvent:
        """Return one event for what several do together."""
        parts = [self._event(each) for each in group]
        if len(parts) == 1:
            return parts[0]
        start, end = min(part.time_start for part in parts), max(part.time_end for part in parts)
        tracks = [track for each in group for track in (each.actor, each.subject)]
        return AnalysedEvent(
            time_start=start,
            time_end=end,
            summary=self._scenes.together([self._observation(each) for each in group]),
            actors=tuple(dict.fromkeys(actor for part in parts for actor in part.actors)),
            objects=tuple({each.name: each for part in parts for each in part.objects}.values()),
            actions=tuple(action for part in parts for action in part.actions),
            boxes=self._boxes(filter(None, tracks), start, end),
        )

    def _event(self, what: Happening) -> AnalysedEvent:
        start = self._start(what)
        end = max(start, self._end(what))
        seen = self._observation(what)
        action = StatedAction(
            actor=self._actor(what),
            verb=ZONE_VERBS.get(what.verb) or (what.verb if seen.actor else self._codes.verb_by_itself(what.verb)),
            object=self._name(what.subject) if what.subject and not seen.person else what.zone,
            spatial_relation=self._codes.spatial_relation(seen),
        )
        return AnalysedEvent(
            time_start=start,
            time_end=end,
            summary=self._scenes.observed(seen),
            actors=tuple(dict.fromkeys(filter(None, [self._actor(what), self.person(what.subject)]))),
            objects=self._objects(what),
            actions=() if what.verb in (*STATES, *OF_THE_PICTURE) else (action,),
            boxes=self._boxes(filter(None, [what.actor, what.subject]), start, end),
        )

    def _observation(self, what: Happening) -> Observation:
        is_person = what.subject is not None and what.subject.kind is Kind.PERSON
        actor = self._name(what.actor) if what.actor else ""
        return Observation(
            **picked(what, "verb", "position", "origin", "goal", "zone"),
            actor=self._codes.hand if what.by_hand else actor,
            thing=self._told(what.subject) if what.subject and not is_person else "",
            person=self._name(what.subject) if what.subject and is_person else "",
            side=what.actor_side,
            stop=self._stop(what),
            pace=what.subject.pace(self._size) if isinstance(what.subject, Mover) else "",
            perhaps=self._in_doubt(filter(None, [what.actor, what.subject])),
        )

    def _start(self, what: Happening) -> float:
        """Return when it starts. What began before the clip and is known only now counts from the clip's start."""
        return round(min(max(what.t_start, self._clip.t_start), self._clip.t_end), 2)

    def _end(self, what: Happening) -> float:
        """Return when it ends. A stay lasts as long as is known by now."""
        stayer = what.actor if what.verb in (STAY, "stay beside") else None
        until = stayer.last_t if stayer and stayer.at_rest(stayer.last_t) else what.t_end
        return round(min(until, self._clip.t_end), 2)

    def _stop(self, what: Happening) -> str:
        """Return where somebody who enters comes to rest before the clip ends; empty if they do not."""
        stop = what.actor.first_stop if what.actor and what.verb == "enter" else None
        return part_of_picture(stop[1], self._size) if stop and stop[0] <= self._clip.t_end else ""

    def _objects(self, what: Happening) -> tuple[SeenObject, ...]:
        zone = (SeenObject(name=what.zone),) if what.zone else ()
        if what.subject is None or what.subject.kind is Kind.PERSON:
            return zone
        where = self._codes.position(what.position) if what.position else ""
        thing = known(what.subject)
        # A mover has no class that a certainty could be about.
        certainty = None if isinstance(thing, Mover) else round(thing.certainty, 2)
        return (SeenObject(name=self._name(thing), spatial_description=where, confidence=certainty), *zone)

    def _in_doubt(self, tracks: Iterable[Track]) -> dict[str, float]:
        """Return {name: certainty} of the names that are in doubt: no sure track has them."""
        seen = [known(track) for track in tracks]
        sure = {self._told(track) for track in seen if track.is_sure}
        best: dict[str, float] = {}
        for track in seen:
            name = self._told(track)
            best[name] = max(best.get(name, 0.0), track.certainty)
        return {name: certainty for name, certainty in best.items() if name not in sure}

    def _boxes(self, tracks: Iterable[Track], start: float, end: float) -> tuple[SeenBox, ...]:
        """Return where each track is at one moment of the event.

        That is the middle of the event, or another moment at which more of the tracks are in view.
        """
        meant = list(dict.fromkeys(tracks))

        def places(at: float) -> list[tuple[Track, float, Box]]:
            return [(track, *track.nearest(at, self._clip.t_start, self._clip.t_end)) for track in meant]

        middle = (start + end) / 2
        moments = [middle, *(t for _, t, _ in places(middle))]
        best = max(moments, key=lambda at: sum(abs(t - at) <= _TOGETHER_S for _, t, _ in places(at)))
        return tuple(self._box(track, t, box) for track, t, box in places(best)[:MOST_BOXES])

    def _box(self, track: Track, t: float, box: Box) -> SeenBox:
        sure = None if isinstance(known(track), Mover) else known(track).certainty
        return _box(self._name(track), t, box, size=self._size, certainty=sure)

    def _name(self, track: Track) -> str:
        if isinstance(track, Mover):
            named = best_name(track)
            return named.label if named else self._codes.unnamed(*track.appearance(self._size))
        return self._people.describe(track) if track.kind is Kind.PERSON else track.label

    def _told(self, track: Track) -> str:
        """Return how sentences name a track: a thing with its colour ("red car"), though its name has no colour."""
        named = known(track)
        if isinstance(named, Mover) or not has_colour(named.label):
            return self._name(track)
        return self._codes.coloured(named.label, main_colour(named.colours))

    def _actor(self, what: Happening) -> str:
        """Return the local id of who does it; empty for nobody."""
        return self._id(self._codes.hand) if what.by_hand else self.person(what.actor)

    def person(self, track: Track | None) -> str:
        """Return the local id of the person that a track follows; empty for none, and for things."""
        return self._id(self._people.member(track)) if track and track.kind is Kind.PERSON else ""

    def _id(self, who: Member | str) -> str:
        # The number is fixed at the first mention, so each person keeps one id within the clip.
        return self._ids.setdefault(who, f"C{len(self._ids) + 1}")


def _box(name: str, t: float, box: Box, *, size: Size, certainty: float | None) -> SeenBox:
    wide, high = size
    return SeenBox(
        name=name,
        time=round(t, 2),
        left=_share(box.left, wide),
        top=_share(box.top, high),
        right=_share(box.right, wide),
        bottom=_share(box.bottom, high),
        confidence=None if certainty is None else round(min(1.0, certainty), 2),
    )


def _share(at: float, length: int) -> float:
    return round(min(1.0, max(0.0, at / length)), 4)


def known(track: Track) -> Track:
    """Return the track of the thing that a mover is, if the detector recognised it; otherwise the track itself."""
    return (best_name(track) or track) if isinstance(track, Mover) else track


TOGETHER = 1.5
"""Two happenings that start within this many seconds are one event: two people enter."""
CROWD = 3
"""With this many people in a clip, it is not reported who stays beside whom."""
_STAYS = (STAY, "stay beside", "approach")
_TOLD_TOGETHER = ("enter", "leave", "cross", "appear")
_ALL_ALONG = ("move", STAY)
_OF_A_COURSE = ("enter", "leave", "move", STAY)


def condensed(happenings: Sequence[Happening]) -> list[list[Happening]]:
    """Return groups of happenings that are one event together, in order of time. Most have one happening."""
    people = {who for each in happenings if (who := _walker(each)) and who.kind is Kind.PERSON}
    # In a crowd everybody is beside somebody, and people hide each other all the time.
    if len(people) >= CROWD:
        happenings = [_in_a_crowd(each) for each in happenings if not _is_lost(each)]
    single = _courses(happenings)
    groups: list[list[Happening]] = []
    for each in sorted(single, key=lambda each: each.t_start):
        group = next((group for group in reversed(groups) if _belongs(each, group)), None)
        if group is None:
            groups.append([each])
        elif all(_walker(other) is not _walker(each) for other in group):
            group.append(each)
    return groups


def _is_lost(what: Happening) -> bool:
    """Return whether somebody is only lost from view, as one person of a crowd who walks behind another."""
    return what.verb == "disappear" and what.actor is not None


def _in_a_crowd(what: Happening) -> Happening:
    """Return the happening. A stay beside another person becomes a stay without the other."""
    beside = what.subject is not None and what.subject.kind is Kind.PERSON
    if what.verb in _STAYS and what.actor and beside:
        return replace(what, verb=STAY, subject=None, actor_side="", position=what.position)
    return what


def _courses(happenings: Sequence[Happening]) -> list[Happening]:
    """Return the happenings with one "cross" for each who came and left, in place of "enter", "stay" and "leave"."""
    came = {_walker(each): each for each in happenings if each.verb == "enter"}
    left = {_walker(each): each for each in happenings if each.verb == "leave"}
    crossings: dict[Track, Happening] = {}
    for who, first in came.items():
        last = left.get(who)
        # Somebody who leaves where they came from did not cross the picture.
        if who and last and first.origin != last.goal and first.t_start <= last.t_start:
            crossings[who] = replace(first, verb="cross", goal=last.goal, t_end=last.t_end)
    kept = [each for each in happenings if not _is_part(each, crossings)]
    return [*kept, *crossings.values()]


def _is_part(what: Happening, crossings: Iterable[Track]) -> bool:
    """Return whether it is part of somebody's crossing. What they do with a thing is not."""
    alone = what.subject is None or what.actor is None
    return any(who is _walker(what) for who in crossings) and alone and what.verb in _OF_A_COURSE


def _walker(what: Happening) -> Track | None:
    """Return the track that moves: the person's, or that of a thing that moves by itself."""
    return what.actor or (None if what.by_hand else what.subject)


def _belongs(what: Happening, group: Sequence[Happening]) -> bool:
    """Return whether a happening belongs to the event of a group: several of one kind do the same at one time."""
    first, last = group[0], group[-1]
    of_one_kind = what.verb == first.verb and _kind(what) is _kind(first) is not None
    if not of_one_kind or (what.actor and what.subject) or (first.actor and first.subject):
        return False
    if what.verb in _ALL_ALONG:
        return what.t_start <= max(each.t_end for each in group)
    if what.verb not in _TOLD_TOGETHER or (what.origin, what.goal) != (first.origin, first.goal):
        return False
    return what.t_start - last.t_start <= TOGETHER


def _kind(what: Happening) -> Kind | None:
    who = _walker(what)
    return who.kind if who and who.kind in (Kind.PERSON, Kind.UNNAMED) else None
