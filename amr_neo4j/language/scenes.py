"""Writes sentences about what was seen and heard in a clip, in the words of a language's scenes.yaml.

One composer writes all languages. Their nouns differ: English ones are formed by rules (language/en/sentences.py),
those of the others stand in their tables, with gender and cases. Names reach it as codes, which are English words:
"red car", "person in a black top and blue trousers". report_reader.py reads the sentences back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from amr_neo4j.language.en.sentences import counted, joined, number_words, sentence, with_article
from amr_neo4j.language.nouns import CameraSighting, Observation, Position
from amr_neo4j.tables import Table

HAND, SOMEONE, SOMETHING = "hand", "someone", "something"
COMES, GOES, STAYS = frozenset({"enter", "appear"}), frozenset({"leave", "exit", "disappear", "cross"}), "stay"
"""Verbs by which somebody comes into view, goes out of view, and is at rest."""
DEFINITE = frozenset({"pick up", "disappear", "approach", "stay beside"})
"""Verbs whose thing was known before."""
DOUBTED = 0.7
"""Detections of an external detector with a score below this are reported with "perhaps"."""
_NONE: Mapping[str, float] = {}
_CLOTHED = re.compile(
    r"person in (?:(?P<all>\w+) clothes|(?:an? (?P<upper>\w+) top)?(?: and )?(?:(?P<lower>\w+) trousers)?)"
)
Kind = Literal["a", "the", "another"]
Counted = Mapping[Literal["one", "many"], str]


class Case(Table):
    """A case of nouns. before: what stands before the article. A case without articles has those of `nom`."""

    version: int = 1
    before: str = ""
    a: Mapping[str, str] = {}
    the: Mapping[str, str] = {}
    another: Mapping[str, str] = {}

    def article(self, kind: Kind, gender: str) -> str:
        """Return the article, in lower case; empty if there is none."""
        return {"a": self.a, "the": self.the, "another": self.another}[kind].get(gender, "")


class NounTable(Table):
    """`nouns` of scenes.yaml. The comments in the German file explain its keys."""

    version: int = 1
    cases: Mapping[str, Case]
    sounds: tuple[tuple[re.Pattern[str], str], ...] = ()
    numbers: tuple[str, ...]
    pairs: str
    unknown: str
    colours: Mapping[str, str]
    endings: Mapping[str, Mapping[str, Mapping[str, str]]] = {}
    clothes: Mapping[str, str]
    unnamed: Mapping[str, str]
    classes: Mapping[str, str]


class SceneTable(Table):
    """scenes.yaml. The comments in the English file explain its keys."""

    by_somebody: Mapping[str, str]
    moves_it: str
    by_itself: Mapping[str, str]
    stops: str
    parts: Mapping[str, str]
    sides: Mapping[str, str]
    origins: Mapping[str, str]
    goals: Mapping[str, str]
    paces: Mapping[str, str]
    relations: Mapping[str, str]
    by_camera: str
    in_doubt: str
    conjunction: str
    something: str
    there: Counted
    of_the_picture: Mapping[str, str]
    together: Mapping[str, str]
    text_in_view: str
    detected: Counted
    zones: str
    plate: str
    moving: str
    goes_on: str
    reported: str
    severities: Mapping[str, str]
    sound: str
    sounds: Mapping[str, str]
    speaks: Counted
    says: Counted
    somebody: str
    somebody_else: str
    more: Counted
    nothing: str
    nothing_new: str
    nouns: NounTable | None = None


class Nouns(Protocol):
    """Writes names with articles and numbers."""

    @property
    def cases(self) -> Sequence[str]:
        """The cases that a name may be in."""
        ...

    def one(self, name: str, case: str = "nom") -> str:
        """Return text such as "a red car"."""
        ...

    def the(self, name: str, case: str = "nom") -> str:
        """Return text such as "the red car"."""
        ...

    def another(self, name: str, case: str = "nom") -> str:
        """Return text such as "another car"."""
        ...

    def many(self, name: str, number: int) -> str:
        """Return text such as "two red cars"; of one, "a red car"."""
        ...

    def number(self, number: int) -> str:
        """Return a number as a word, if the language has one for it."""
        ...


class EnglishNouns:
    """English nouns, which have no cases."""

    cases = ("nom",)

    def one(self, name: str, case: str = "nom") -> str:
        return name if name.startswith(SOMETHING) else counted(name, 1)

    def the(self, name: str, case: str = "nom") -> str:
        return f"the {name}"

    def another(self, name: str, case: str = "nom") -> str:
        return f"another {name}"

    def many(self, name: str, number: int) -> str:
        return counted(name, number)

    def number(self, number: int) -> str:
        return number_words(number)


class _Noun(NamedTuple):
    """A noun with what describes it.

    gender: m, f, n, w (masculine, whose form for many is that of its other cases), pm or pf (no form for one).
    """

    gender: str
    one: str
    many: str
    colour: str = ""
    behind: str = ""

    @property
    def is_plural(self) -> bool:
        return self.gender.startswith("p")


class TableNouns:
    """The nouns of a table."""

    def __init__(self, table: NounTable) -> None:
        self._table = table
        self.cases = tuple(table.cases)

    def one(self, name: str, case: str = "nom") -> str:
        return self._phrase(name, case, "a")

    def the(self, name: str, case: str = "nom") -> str:
        return self._phrase(name, case, "the")

    def another(self, name: str, case: str = "nom") -> str:
        return self._phrase(name, case, "another")

    def many(self, name: str, number: int) -> str:
        if number == 1:
            return self.one(name)
        noun, told = self._noun(name), self.number(number)
        if noun and noun.is_plural:
            return self._table.pairs.format(number=told, noun=noun.many)
        return f"{told} {self.plural(name)}"

    def plural(self, name: str) -> str:
        """Return text such as "red cars"."""
        noun = self._noun(name)
        if noun is None:
            return self._unnamed(name) or self.unknown(name)
        return self._described(noun, noun.many, self._colour_of_many(noun))

    def unknown(self, name: str) -> str:
        """Return how to write a class that is not in the table: its name in quotation marks."""
        return self._table.unknown.format(label=name)

    def unknown_in(self, said: str, case: str = "nom") -> str:
        """Return the class that the table lacks in text such as "„forklift“"; empty for other text."""
        said = said.removeprefix(self._table.cases[case].before).lstrip()
        before, _, behind = self._table.unknown.partition("{label}")
        name = said.removeprefix(before).removesuffix(behind)
        return name if said == f"{before}{name}{behind}" and behind not in name else ""

    def number(self, number: int) -> str:
        words = self._table.numbers
        return words[number - 2] if 2 <= number < len(words) + 2 else str(number)

    @property
    def colours(self) -> Sequence[str]:
        """The codes of the colours."""
        return tuple(self._table.colours)

    @property
    def names(self) -> Sequence[str]:
        """The codes of the classes."""
        return tuple(self._table.classes)

    def _phrase(self, name: str, case: str, kind: Kind) -> str:
        used, usual, noun = self._table.cases[case], self._table.cases["nom"], self._noun(name)
        if noun is None:
            text = self._unnamed(name) or self.unknown(name)
        else:
            gender = "m" if noun.gender == "w" else noun.gender
            article = (used if used.a else usual).article(kind, gender)
            form = noun.many if noun.is_plural or (noun.gender == "w" and case != "nom") else noun.one
            described = self._described(noun, form, self._colour(noun, gender, case=case, kind=kind))
            text = f"{article} {described}".lstrip()
        return self._sounding(f"{used.before} {text}".lstrip())

    def _sounding(self, text: str) -> str:
        for pattern, said in self._table.sounds:
            text = pattern.sub(said, text)
        return text

    def _described(self, noun: _Noun, form: str, colour: str) -> str:
        # Colours with endings for cases stand before the noun, others after it.
        words = (colour, form, noun.behind) if self._table.endings else (form, colour, noun.behind)
        return " ".join(filter(None, words))

    def _colour(self, noun: _Noun, gender: str, *, case: str, kind: Kind) -> str:
        if not noun.colour:
            return ""
        if self._table.endings:
            ending = self._table.endings["the" if kind == "the" else "a"].get(case, {}).get(gender, "en")
            return self._table.colours[noun.colour] + ending
        return self._forms(noun.colour)[gender[-1]]

    def _colour_of_many(self, noun: _Noun) -> str:
        if not noun.colour:
            return ""
        if self._table.endings:
            return f"{self._table.colours[noun.colour]}e"
        return self._forms(noun.colour)[f"{noun.gender[-1]}s"]

    def _forms(self, colour: str) -> Mapping[str, str]:
        """Return {m, f, ms, fs: the form of a colour}. One that has a single form never changes."""
        forms = self._table.colours[colour].split()
        return dict(zip(("m", "f", "ms", "fs"), forms if len(forms) > 1 else forms * 4, strict=True))

    def _unnamed(self, name: str) -> str:
        """Return text for "something large and dark"; empty for other names."""
        first, *words = name.split()
        if first != SOMETHING:
            return ""
        unnamed = self._table.unnamed
        return (
            f"{unnamed[SOMETHING]} {unnamed['and'].join(unnamed[word] for word in words if word != 'and')}".rstrip()
        )

    def _noun(self, name: str) -> _Noun | None:
        """Return the noun that a code stands for; None if the table has none."""
        behind, colour, plain = "", "", name
        if clothed := _CLOTHED.fullmatch(name):
            behind, plain = self._clothes(**clothed.groupdict(default="")), "person"
        elif name not in self._table.classes:
            colour, _, plain = name.partition(" ")
        if plain not in self._table.classes or (colour and colour not in self._table.colours):
            return None
        gender, _, forms = self._table.classes[plain].partition(" ")
        one, _, many = forms.partition("|")
        return _Noun(gender, one, many or one, colour=colour, behind=behind)

    def _clothes(self, *, all: str, upper: str, lower: str) -> str:
        clothes = self._table.clothes
        worn = dict[str, str]()
        for part, colour in (("all", all), ("upper", upper), ("lower", lower)):
            if colour:
                forms = {"stem": self._table.colours[colour]} if self._table.endings else self._forms(colour)
                worn[part] = clothes[part].format(**forms)
        if all:
            return worn["all"]
        return clothes["both" if len(worn) > 1 else "with"].format(*worn.values(), **worn)


class Scenes:
    """Writes the sentences of one language."""

    hand, someone, comes, goes, stays = HAND, SOMEONE, COMES, GOES, STAYS

    def __init__(self, table: SceneTable) -> None:
        self.table = table
        self.nouns: Nouns = TableNouns(table.nouns) if table.nouns else EnglishNouns()

    def observed(self, what: Observation) -> str:
        """Return the sentence for one observation.

        "A person puts down the cup on the left, as seen by the camera."
        """
        if what.verb in self.table.of_the_picture:
            return self.table.of_the_picture[what.verb]
        pattern, (where, viewer) = self.pattern(what), self._where(what)
        named = {
            f"{slot}{'' if case == 'nom' else f'_{case}'}": phrase
            for case in self.nouns.cases
            for slot, phrase in (
                ("who", self._described(what.actor, what.perhaps, case)),
                ("what", self._thing(what, case)),
            )
        }
        stop = self.table.stops.format(part=self.table.parts[what.stop]) if what.stop and self._course(what) else ""
        text = pattern.format(**named, where=f" {where}" if where else "", stop=stop, zone=what.zone)
        return f"{capitalised(text)}{viewer if '{where}' in pattern else ''}."

    def pattern(self, what: Observation) -> str:
        """Return the sentence for a verb, with places to fill."""
        if not what.actor:
            return self.table.by_itself[what.verb]
        moves_it = what.verb == "move" and (what.thing or what.person)
        return self.table.moves_it if moves_it else self.table.by_somebody[what.verb]

    def spatial_relation(self, what: Observation) -> str:
        """Return the spatial relation of an action: its course, or where the thing was.

        A person to whom it is done is named here, because an action's object is always a thing.
        """
        where = "".join(self._where(what))
        if what.person:
            return f"{self._described(what.person, what.perhaps)}, {where}"
        return f"from its place {where}" if what.verb == "pick up" and where else where

    def position(self, where: Position) -> str:
        """Return text such as "on the left, next to and left of another bottle, as seen by the camera"."""
        return self._place(where) + self.table.by_camera

    def in_view(self, there: Sequence[tuple[str, str]], perhaps: Mapping[str, float] = _NONE) -> str:
        """Return text such as "There are two cars on the right and perhaps a dog (.41) on the left, as seen by the
        camera."

        there: (description or class, part of the picture), at least one.
        perhaps: {name in doubt: its certainty}.
        """
        parts: dict[str, list[str]] = {}
        for name, part in there:
            parts.setdefault(name, []).append(self.table.parts[part])
        groups = list[str]()
        for name, where in parts.items():
            described = self._in_doubt(self.nouns.many(name, len(where)), perhaps.get(name))
            groups.append(f"{described} {self._joined(list(dict.fromkeys(where)))}")
        first = next(iter(parts.values()))
        # Semicolons between groups that have commas of their own.
        separator = "; " if any("," in group for group in groups) else ", "
        seen = self._joined(groups, separator=separator)
        return f"{self.table.there['one' if len(first) == 1 else 'many'].format(seen=seen)}{self.table.by_camera}."

    def clothed_person(self, upper: str, lower: str) -> str:
        """Return text such as "person in a black top and blue trousers", as far as the colours are known."""
        if upper and upper == lower:
            return f"person in {upper} clothes"
        parts = [with_article(f"{upper} top")] if upper else []
        parts += [f"{lower} trousers"] if lower else []
        return f"person in {' and '.join(parts)}" if parts else "person"

    def coloured(self, thing: str, colour: str) -> str:
        """Return text such as "red car". If the colour is empty, return the thing alone."""
        return f"{colour} {thing}".lstrip()

    def verb_by_itself(self, verb: str) -> str:
        """Return the verb for something that moves by itself: "exit" for "leave", because nobody left it there."""
        return "exit" if verb == "leave" else verb

    def unnamed(self, size: str, colour: str) -> str:
        """Return text such as "something large and dark", "something red", "something"."""
        words = [word for word in (size, "dark" if colour == "black" else colour) if word]
        return f"{SOMETHING} {' and '.join(words)}".rstrip()

    def text_named(self, words: str) -> str:
        """Return text such as 'text "Main Street"'."""
        return f'text "{words}"'

    def plate_named(self, plate: str) -> str:
        """Return text such as "license plate AB 123"."""
        return f"license plate {plate}"

    def text_in_view(self, lines: Sequence[tuple[str, str]]) -> str:
        """Return text such as 'Text in view: "Main Street" on the left, as seen by the camera.'"""
        read = self._joined([f'"{words}" {self.table.parts[part]}' for words, part in lines])
        return f"{self.table.text_in_view}: {read}{self.table.by_camera}."

    def sighted(self, what: CameraSighting) -> str:
        """Return text such as "Perhaps a car (.58) with the plate AB 123 is seen in driveway and street."."""
        table = self.table
        doubted = what.certainty if (what.certainty or 1) < DOUBTED else None
        who = [each if each[:1].isupper() else self._in_doubt(self.nouns.many(each, 1), doubted) for each in what.who]
        also = f" ({', '.join(what.also)})" if what.also else ""
        with_plate = table.plate.format(plate=what.plate) if what.plate else ""
        ends = Observation("move", origin=what.origin, goal=what.goal)
        text = table.detected["many" if len(who) > 1 else "one"].format(
            who=f"{self._joined(who) or table.something}{also}{with_plate}",
            zones=table.zones.format(zones=self._joined(list(what.zones))) if what.zones else "",
            course=table.moving.format(course=self._course(ends)) + table.by_camera if what.goal else "",
            goes_on=table.goes_on if what.goes_on else "",
        )
        return capitalised(text)

    def sounded(self, label: str, *, goes_on: bool) -> str:
        """Return text such as "A dog barks." for a class of sounds ("bark")."""
        what = self.table.sounds.get(label, self.table.sound.format(what=label.replace("_", " ")))
        return f"{what}{self.table.goes_on if goes_on else ''}."

    def reported(self, words: Sequence[str]) -> str:
        """Return text such as "Reported: doorbell, visitor."."""
        return self.table.reported.format(what=", ".join(words))

    def summed_up(self, title: str, description: str) -> str:
        """Return a title and a description as sentences; empty if both are."""
        return " ".join(sentence(text) for text in (title, description) if text)

    def with_severity(self, severity: str, text: str) -> str:
        """Return text such as "Alert: a person is seen."."""
        return f"{self.table.severities.get(severity, capitalised(severity))}: {text}" if severity else text

    def together(self, whats: Sequence[Observation]) -> str:
        """Return text such as "Two people enter: a person in black clothes and a person from the right, as seen by
        the camera.".
        """
        noun = "person" if whats[0].actor else "thing"
        does = self.table.together[whats[0].verb].format(who=self.nouns.many(noun, len(whats)))
        each = [
            f"{self._described(what.actor or what.thing, what.perhaps)} {self._way(what)}".rstrip() for what in whats
        ]
        return f"{capitalised(does)}: {self._joined(each)}{self.table.by_camera}."

    def speak(self, names: Sequence[str], *, unknown: bool) -> str:
        """Return text such as "Anna and somebody else speak."; empty if nobody does."""
        other = self.table.somebody_else if names else self.table.somebody
        speakers = [*names, other] if unknown else names
        return (
            capitalised(self._of_several(self.table.speaks, speakers).format(who=self._joined(speakers)))
            if speakers
            else ""
        )

    def says(self, names: Sequence[str], words: str) -> str:
        """Return text such as "Anna and Ben say: "Good morning."" """
        called = [self.table.somebody if self.table.nouns and name == SOMEONE else name for name in names]
        return capitalised(self._of_several(self.table.says, names).format(who=self._joined(called), words=words))

    def more_events(self, number: int) -> str:
        """Return text such as "And two more things happen."; empty if there are none."""
        told = self.table.more["one" if number == 1 else "many"]
        return told.format(number=self.nouns.number(number)) if number > 0 else ""

    def nothing_happens(self, in_view: str) -> str:
        """Say that nothing happens. in_view: the sentence that says what is in view; empty if nothing is."""
        return self.table.nothing_new.format(in_view=in_view) if in_view else self.table.nothing

    @staticmethod
    def _of_several(told: Counted, who: Sequence[str]) -> str:
        return told["one" if len(who) == 1 else "many"]

    def _thing(self, what: Observation, case: str) -> str:
        thing = what.person or what.thing
        definite = not what.person and what.verb in DEFINITE and thing not in what.perhaps
        return self.nouns.the(thing, case) if thing and definite else self._described(thing, what.perhaps, case)

    def _way(self, what: Observation) -> str:
        """Return the course or the part of the picture, without "as seen by the camera"."""
        place = self.table.parts[what.position.part] if what.position else ""
        return self._course(what) or place

    def _described(self, name: str, perhaps: Mapping[str, float] = _NONE, case: str = "nom") -> str:
        """Return text such as "a person in black clothes", "perhaps a dog (.41)"; empty for nobody."""
        if not name or name.startswith(SOMETHING):
            return self.nouns.one(name, case) if name else ""
        return self._in_doubt(self.nouns.one(name, case), perhaps.get(name))

    def _in_doubt(self, described: str, certainty: float | None) -> str:
        if certainty is None:
            return described
        # ".99" at most: a detection in doubt must not read as certain.
        return self.table.in_doubt.format(what=described, certainty=f"{min(certainty, 0.99):.2f}".removeprefix("0"))

    def _where(self, what: Observation) -> tuple[str, str]:
        """Return (the course of what happened, else its place; ", as seen by the camera", or empty for the actor)."""
        place, camera = what.position, self.table.by_camera
        if course := self._course(what):
            return course, camera
        if place is None:
            return "", ""
        if not what.side:
            return self._place(place), camera
        side = self.table.sides[what.side]
        if not place.alone:
            # With another of its class in view, the actor's side does not say which one it is.
            return f"{side} ({self.position(place)})", ""
        return ", ".join([side, *(self._beside(relation, name, place.of) for relation, name in place.holders)]), ""

    def _place(self, where: Position) -> str:
        neighbours = (self._beside(relation, name, where.of) for relation, name in where.neighbours)
        return ", ".join([self.table.parts[where.part], *neighbours])

    def _course(self, what: Observation) -> str:
        """Return text such as "from the left", "from the left to the middle", "to the background"; empty if there is
        none.
        """
        table = self.table
        ends = (table.origins[what.origin] if what.origin else "", table.goals[what.goal] if what.goal else "")
        course = list(filter(None, ends))
        return " ".join([*course, *filter(None, [table.paces.get(what.pace)])]) if course else ""

    def _beside(self, relation: str, name: str, of: str) -> str:
        return self.beside(relation, name, is_another=name == of)

    def beside(self, relation: str, name: str, *, is_another: bool) -> str:
        """Return text such as "left of the bottle", "left of another bottle"."""
        named = self.nouns.another if is_another else self.nouns.the
        phrases = {"thing" if case == "nom" else f"thing_{case}": named(name, case) for case in self.nouns.cases}
        return self.table.relations.get(relation, f"{relation} {{thing}}").format(**phrases)

    @cached_property
    def relations(self) -> Sequence[str]:
        """The codes of relations in space."""
        return tuple(self.table.relations)

    def _joined(self, items: Sequence[str], *, separator: str = ", ") -> str:
        return joined(items, self.table.conjunction, separator=separator)


def capitalised(text: str) -> str:
    """Return a text with a capital at its start."""
    return text[0].upper() + text[1:]
