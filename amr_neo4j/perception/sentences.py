"""The sentence for one happening, and the words for where it was."""

from __future__ import annotations

from collections.abc import Sequence

import inflect

from amr_neo4j.perception.classes import PAIRS
from amr_neo4j.perception.happenings import HAVE, STAY, Happening, Place
from amr_neo4j.perception.spatial_relations import BY_CAMERA, HOLDING

_WORDS = inflect.engine()
_BY_SOMEBODY = {
    "enter": "{who} enters{where}",
    "leave": "{who} leaves{where}",
    "approach": "{who} approaches {what}{where}",
    STAY: "{who} stays{where}",
    HAVE: "{who} has {what} with them",
    "stay beside": "{who} stays beside {what}{where}",
    "pick up": "{who} picks up {what}{where}",
    "put down": "{who} puts down {what}{where}",
    "appear": "{who} comes into view{where}",
    "disappear": "{who} is lost from view{where}",
    "move": "{who} moves{where}",
}
_BY_ITSELF = {
    "enter": "{what} enters{where}",
    "leave": "{what} leaves{where}",
    "appear": "{what} is there that was not there before{where}",
    "disappear": "{what} is gone{where}",
    "move": "{what} moves{where}",
}
_MOVES_IT = "{who} moves {what}{where}"
_OF_SOMETHING_KNOWN = ("pick up", "disappear", "approach", "stay beside")


def sentence(what: Happening, who: str, whom: str, stop: str = "") -> str:
    """What happened, as a person would write it.

    who: the description of the actor, empty without one; whom: of the person it is done to, else empty.
    stop: where somebody who enters comes to rest, empty where they do not.
    """
    thing = whom or (what.subject.label if what.subject else "")
    known = not whom and what.verb in _OF_SOMETHING_KNOWN
    where = _where(what, f" and stops {stop}" if stop else "")
    text = _pattern(what, who).format(
        who=with_article(who),
        what=f"the {thing}" if known else with_article(thing),
        where=f" {where}" if where else "",
    )
    return f"{text[0].upper()}{text[1:]}."


def relation_words(what: Happening, whom: str) -> str:
    """The spatial relation of the action: its course, or where the thing was, from the actor's side if known.

    whom: the person it is done to, who is no object; empty without one.
    """
    where = _where(what)
    if whom:
        return f"{with_article(whom)}, {where}"
    return f"from its place {where}" if what.verb == "pick up" and where else where


def place_words(place: Place) -> str:
    """ "on the left, next to and left of another bottle, as seen by the camera"."""
    return ", ".join([place.part, *(_beside(how, name, place) for how, name in place.neighbours)]) + BY_CAMERA


def scene_words(there: Sequence[tuple[str, str]]) -> str:
    """What is in view, from (name, part of the picture): "There are two cars on the right and a dog on the left"."""
    parts: dict[str, list[str]] = {}
    for name, part in there:
        parts.setdefault(name, []).append(part)
    groups = [f"{counted(name, len(where))} {joined(list(dict.fromkeys(where)))}" for name, where in parts.items()]
    first = next(iter(parts.values()))
    return f"There {'is' if len(first) == 1 else 'are'} {joined(groups)}{BY_CAMERA}."


def with_article(name: str) -> str:
    """ "a person in black clothes", "the second person in black clothes"."""
    if not name:
        return ""
    return f"the {name}" if " person" in name else counted(name, 1)


def counted(name: str, number: int) -> str:
    """ "a bottle", "two bottles", "skis"."""
    many = _WORDS.number_to_words(str(number))
    if name in PAIRS:
        return name if number == 1 else f"{many} pairs of {name}"
    return str(_WORDS.a(name)) if number == 1 else f"{many} {_WORDS.plural(name)}"


def joined(words: Sequence[str]) -> str:
    """ "one, two and three"."""
    return str(_WORDS.join(list(words), final_sep=""))


def _pattern(what: Happening, who: str) -> str:
    if not who:
        return _BY_ITSELF[what.verb]
    return _MOVES_IT if what.verb == "move" and what.subject else _BY_SOMEBODY[what.verb]


def _where(what: Happening, stop: str = "") -> str:
    """The course of what happened, or its place: from the actor's side, or else as seen by the camera."""
    place = what.place
    if what.way or place is None:
        return f"{what.way}{stop}{BY_CAMERA}" if what.way else ""
    if not what.actor_side:
        return place_words(place)
    if not place.alone:
        # with another of its kind in view, the actor's side does not say which one it is
        return f"{what.actor_side} ({place_words(place)})"
    holding = [_beside(how, name, place) for how, name in place.neighbours if how in HOLDING]
    return ", ".join([what.actor_side, *holding])


def _beside(how: str, name: str, place: Place) -> str:
    return f"{how} {'another' if name == place.of else 'the'} {name}"
