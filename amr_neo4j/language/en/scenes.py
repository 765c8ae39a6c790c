"""Writes English sentences about what was seen and heard in a clip (scenes.yaml)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amr_neo4j.language.en.sentences import counted, joined, sentence, with_article
from amr_neo4j.language.nouns import Observation, Position, Sighting
from amr_neo4j.tables import Table, shipped

hand = "hand"
someone = "someone"

DOUBTED = 0.7
"""Detections of an external detector with a score below this are reported with "perhaps"."""
_NONE: Mapping[str, float] = {}


class SceneTable(Table):
    """scenes.yaml. The comments in the file explain its keys."""

    by_somebody: dict[str, str]
    moves_it: str
    by_itself: dict[str, str]
    verbs_by_itself: dict[str, str]
    definite: frozenset[str]
    parts: dict[str, str]
    sides: dict[str, str]
    by_camera: str
    in_doubt: str
    something: str
    colours: dict[str, str]
    paces: dict[str, str]
    comes: frozenset[str]
    goes: frozenset[str]
    stays: str
    of_the_picture: dict[str, str]
    together: dict[str, str]
    text_named: str
    detected: str
    detected_together: str
    plate: str
    plate_named: str
    moving: str
    goes_on: str
    reported: str
    sound: str
    sounds: dict[str, str]
    text_in_view: str


_table = shipped("amr_neo4j.language.en", "scenes.yaml", SceneTable)


comes, goes, stays = _table().comes, _table().goes, _table().stays


def observed(what: Observation) -> str:
    """Return the sentence for one observation: "A person puts down the cup on the left, as seen by the camera."."""
    if what.verb in _table().of_the_picture:
        return _table().of_the_picture[what.verb]
    thing = what.person or what.thing
    definite = not what.person and what.verb in _table().definite
    stop = f" and stops {_table().parts[what.stop]}" if what.stop else ""
    where = _where(what, stop)
    text = _pattern(what).format(
        who=_described(what.actor, what.perhaps),
        what=f"the {thing}" if definite and thing not in what.perhaps else _described(thing, what.perhaps),
        where=f" {where}" if where else "",
        zone=what.zone,
    )
    return f"{_capitalised(text)}."


def spatial_relation(what: Observation) -> str:
    """Return the spatial relation of an action: its course, or where the thing was.

    A person to whom it is done is named here, because an action's object is always a thing.
    """
    where = _where(what)
    if what.person:
        return f"{_described(what.person, what.perhaps)}, {where}"
    return f"from its place {where}" if what.verb == "pick up" and where else where


def position(where: Position) -> str:
    """Return text such as "on the left, next to and left of another bottle, as seen by the camera"."""
    neighbours = (_beside(relation, name, where) for relation, name in where.neighbours)
    return ", ".join([_table().parts[where.part], *neighbours]) + _table().by_camera


def in_view(there: Sequence[tuple[str, str]], perhaps: Mapping[str, float] = _NONE) -> str:
    """Return text such as "There are two cars on the right and perhaps a dog (.41) on the left, as seen by the
    camera."

    there: (description or class, part of the picture), at least one.
    perhaps: {name in doubt: its certainty}.
    """
    parts: dict[str, list[str]] = {}
    for name, part in there:
        parts.setdefault(name, []).append(_table().parts[part])
    groups = [
        f"{_in_doubt(counted(name, len(where)), perhaps.get(name))} {joined(list(dict.fromkeys(where)))}"
        for name, where in parts.items()
    ]
    first = next(iter(parts.values()))
    # Semicolons between groups that have commas of their own.
    separator = "; " if any("," in group for group in groups) else ", "
    seen = joined(groups, separator=separator)
    return f"There {'is' if len(first) == 1 else 'are'} {seen}{_table().by_camera}."


def clothed_person(upper: str, lower: str) -> str:
    """Return text such as "person in a black top and blue trousers", as far as the colours are known."""
    if upper and upper == lower:
        return f"person in {upper} clothes"
    parts = [with_article(f"{upper} top")] if upper else []
    parts += [f"{lower} trousers"] if lower else []
    return f"person in {' and '.join(parts)}" if parts else "person"


def coloured(thing: str, colour: str) -> str:
    """Return text such as "red car". If the colour is empty, return the thing alone."""
    return f"{colour} {thing}".lstrip()


def verb_by_itself(verb: str) -> str:
    """Return the verb for something that moves by itself: "exit" for "leave", because nobody left it there."""
    return _table().verbs_by_itself.get(verb, verb)


def unnamed(size: str, colour: str) -> str:
    """Return text such as "something large and dark", "something red", "something"."""
    words = [word for word in (size, _table().colours.get(colour, colour)) if word]
    return f"{_table().something} {' and '.join(words)}".rstrip()


def text_named(words: str) -> str:
    """Return text such as 'text "Main Street"'."""
    return _table().text_named.format(words=words)


def text_in_view(lines: Sequence[tuple[str, str]]) -> str:
    """Return text such as 'Text in view: "Main Street" on the left, as seen by the camera.'"""
    read = joined([f'"{words}" {_table().parts[part]}' for words, part in lines])
    return f"{_table().text_in_view}: {read}{_table().by_camera}."


def sighted(what: Sighting) -> str:
    """Return text such as "Perhaps a car (.58) with the plate AB 123 is seen in driveway and street."."""
    table = _table()
    doubted = what.certainty if (what.certainty or 1) < DOUBTED else None
    who = [each if each[:1].isupper() else _in_doubt(counted(each, 1), doubted) for each in what.who]
    also = f" ({', '.join(what.also)})" if what.also else ""
    with_plate = table.plate.format(plate=what.plate) if what.plate else ""
    where = f" in {joined(list(what.zones))}" if what.zones else ""
    ends = Observation("move", origin=what.origin, goal=what.goal)
    course = table.moving.format(course=_course(ends)) + table.by_camera if what.goal else ""
    text = (table.detected_together if len(who) > 1 else table.detected).format(
        who=f"{joined(who) or table.something}{also}{with_plate}",
        where=f"{where}{course}{table.goes_on if what.goes_on else ''}",
    )
    return _capitalised(text)


def sounded(label: str, *, goes_on: bool) -> str:
    """Return text such as "A dog barks." for a class of sounds ("bark")."""
    what = _table().sounds.get(label, _table().sound.format(what=label.replace("_", " ")))
    return f"{what}{_table().goes_on if goes_on else ''}."


def plate_named(plate: str) -> str:
    """Return text such as "license plate AB 123"."""
    return _table().plate_named.format(plate=plate)


def reported(words: Sequence[str]) -> str:
    """Return text such as "Reported: doorbell, visitor."."""
    return _table().reported.format(what=", ".join(words))


def summed_up(title: str, description: str) -> str:
    """Return a title and a description as sentences; empty if both are."""
    return " ".join(sentence(text) for text in (title, description) if text)


def with_severity(severity: str, text: str) -> str:
    """Return text such as "Alert: a person is seen."."""
    return f"{_capitalised(severity)}: {text}" if severity else text


def together(whats: Sequence[Observation]) -> str:
    """Return text such as "Two people enter: a person in black clothes and a person from the right, as seen by the
    camera.".
    """
    noun = "person" if whats[0].actor else "thing"
    does = _table().together[whats[0].verb].format(who=counted(noun, len(whats)))
    each = [f"{_described(what.actor or what.thing, what.perhaps)} {_way(what)}".rstrip() for what in whats]
    return f"{_capitalised(does)}: {joined(each)}{_table().by_camera}."


def _way(what: Observation) -> str:
    """Return the course or the part of the picture, without "as seen by the camera"."""
    place = _table().parts[what.position.part] if what.position else ""
    return _course(what) or place


def speak(names: Sequence[str], *, unknown: bool) -> str:
    """Return text such as "Anna and somebody else speak."; empty if nobody does."""
    other = "somebody else" if names else "somebody"
    speakers = [*names, other] if unknown else names
    verb = "speaks" if len(speakers) == 1 else "speak"
    return f"{_capitalised(joined(speakers))} {verb}." if speakers else ""


def says(names: Sequence[str], words: str) -> str:
    """Return text such as "Anna and Ben say: "Good morning."" """
    return f'{_capitalised(joined(names))} {"says" if len(names) == 1 else "say"}: "{words}"'


def more_events(number: int) -> str:
    """Return text such as "And two more things happen."; empty if there are none."""
    verb = "happens" if number == 1 else "happen"
    return f"And {counted('more thing', number)} {verb}." if number > 0 else ""


def nothing_happens(in_view: str) -> str:
    """Say that nothing happens. in_view: the sentence that says what is in view; empty if nothing is."""
    if not in_view:
        return "Nothing happens, and nobody and nothing that the detector knows is in view."
    return f"Nothing new happens. {in_view}"


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


def _described(name: str, perhaps: Mapping[str, float] = _NONE) -> str:
    """Return text such as "a person in black clothes", "perhaps a dog (.41)"; empty for nobody."""
    if not name or name.startswith(_table().something):
        return name
    return _in_doubt(counted(name, 1), perhaps.get(name))


def _in_doubt(described: str, certainty: float | None) -> str:
    if certainty is None:
        return described
    # ".99" at most: a detection in doubt must not read as certain.
    return _table().in_doubt.format(what=described, certainty=f"{min(certainty, 0.99):.2f}".removeprefix("0"))


def _pattern(what: Observation) -> str:
    if not what.actor:
        return _table().by_itself[what.verb]
    moves_it = what.verb == "move" and (what.thing or what.person)
    return _table().moves_it if moves_it else _table().by_somebody[what.verb]


def _where(what: Observation, stop: str = "") -> str:
    """Return the course of what happened, else its place: relative to the actor if known, else to the camera."""
    place = what.position
    if course := _course(what):
        return f"{course}{stop}{_table().by_camera}"
    if place is None:
        return ""
    if not what.side:
        return position(place)
    side = _table().sides[what.side]
    if not place.alone:
        # With another of its class in view, the actor's side does not say which one it is.
        return f"{side} ({position(place)})"
    return ", ".join([side, *(_beside(relation, name, place) for relation, name in place.holders)])


def _course(what: Observation) -> str:
    """Return text such as "from the left", "from the left to the middle", "to the background"; empty if there is
    none.
    """
    ends = (("from", what.origin), ("to", what.goal))
    course = [f"{preposition} the {end}" for preposition, end in ends if end]
    return " ".join([*course, *filter(None, [_table().paces.get(what.pace)])]) if course else ""


def _beside(relation: str, name: str, place: Position) -> str:
    return f"{relation} {'another' if name == place.of else 'the'} {name}"
