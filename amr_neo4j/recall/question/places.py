"""Finds the places that a question names as where it asks: "at the front door", "in aisle 7", "the garden camera"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from amr_neo4j.domain.ports import Names
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import Gloss

UNTRANSLATED = Gloss("")
# Behind the name of its camera, a file has its content or its time: "kitchen-29b477d6", "garden_2026-05-11_08-00".
_OF_FILE = re.compile(r"( [0-9a-f]{8}| (19|20)\d\d ?[01]\d ?[0-3]\d\b.*)$")


# {first word: {plain name of a place: its names}}
_Known = Mapping[str, Mapping[str, Collection[str]]]


def plain_name(name: str) -> str:
    """Return a name in lower case with single spaces between its words: "Front_Door-2" is "front door 2"."""
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()


def place_name(name: str) -> str:
    """Return the plain name of a place, a video or a type of scene: "Kitchen, by day" is "kitchen"."""
    plain = plain_name(name.partition(",")[0])
    return _OF_FILE.sub("", plain) or plain


def without_places(
    text: str, names: Names, language: Language, gloss: Gloss = UNTRANSLATED
) -> tuple[str, tuple[str, ...]]:
    """Return the question with "there" for each place that it names as one, and the names of these places.

    "Was a car seen at the front door?" names the camera front_door. No event has these words, so they must not count
    as missing. "Who opened the front door?" names no place.

    gloss: how the question was translated. A place may have the words that were typed, or another word for the same:
        "im Flur" names "flur" and "hallway".
    """
    named: list[str] = []
    patterns = language.asking
    ends = rf"\s*(?:$|[?.,;:!)]|\d+(?:[:.]\d\d|\s*[ap]\.?m\b)|(?:{'|'.join(patterns.after_place)})\b)"
    end = re.compile(ends, re.IGNORECASE)

    def instead(match: re.Match[str]) -> str:
        following = match.string[match.end() :]
        is_whole = end.match(following) or _begins_with_time(following, language)
        return patterns.there if is_whole or _ends_in(gloss, match[0], following) else match[0]

    known = _by_first_word(names.places | names.videos, names.scene_types, language)
    for place, written in _written(text, known, gloss):
        originals = known[place.split()[0]][place]
        words = r"[\s_-]+".join(map(re.escape, written.split()))
        before = [patterns.at_place]
        before += [patterns.at_door] if patterns.of_door.search(written) else []
        before += [patterns.to_place] if gloss.runs else []
        at_place = rf"(?:{'|'.join(before)})\b".replace("<place>", words)
        found = re.search(at_place, text, re.IGNORECASE)
        # A video that is called "monday" is no place of "on Monday"; nor is "anna" one of "from Anna".
        if found and (not language.time_in(found[0])[0] or place in map(plain_name, names.persons)):
            continue
        of_film, of_camera = (each.replace("<place>", words) for each in (patterns.of_film, patterns.of_camera))
        elsewhere = re.sub(of_film, patterns.the_film, text, flags=re.IGNORECASE)
        # Nor is a video that is called "table" one of "on the table", if there are tables.
        is_file = (names.places | names.scene_types).isdisjoint(originals)
        if not (is_file and any(f" {plain_name(thing)}".endswith(f" {place}") for thing in names.objects)):
            elsewhere = re.sub(at_place, instead, elsewhere, flags=re.IGNORECASE)
        elsewhere = re.sub(of_camera, patterns.the_camera, elsewhere, flags=re.IGNORECASE)
        if elsewhere != text:
            text = elsewhere
            named += originals
            if not names.scene_types.isdisjoint(originals):
                # "On the street" is on a city street, too.
                named += sorted(each for each in names.scene_types if f" {place} " in f" {plain_name(each)} ")
    # "The evening video" is kitchen_evening, and each other one of an evening.
    of_any_film = re.search(patterns.of_film.replace("<place>", r"\w+"), text, re.IGNORECASE)
    for word in language.content_words(of_any_film[0]) if of_any_film else ():
        called = like(word.word, names.places | names.videos) if not patterns.is_film(word.word) else []
        if called:
            of_film = patterns.of_film.replace("<place>", re.escape(word.word))
            text = re.sub(of_film, patterns.the_film, text, flags=re.IGNORECASE)
            named += called
    return text, tuple(dict.fromkeys(named))


def like(name: str, known: Iterable[str]) -> list[str]:
    """Return those of the known names that have all words of a name: "evening" for "kitchen_evening"."""
    words = set(plain_name(name).split())
    return sorted(each for each in known if words and words <= set(plain_name(each).split()))


def _written(text: str, known: _Known, gloss: Gloss) -> list[tuple[str, str]]:
    """Return [(place, a form in which the question may write it)]: long names first, and other words last."""
    typed: dict[str, set[str]] = defaultdict(set)
    for english, said in gloss.runs.items():
        typed[place_name(said)].add(english)
    alike: dict[str, str] = {}
    for word, each in gloss.others.items():
        alike |= dict.fromkeys(map(plain_name, each), word)
    said = plain_name(text)
    firsts = {*said.split(), *(name.split()[0] for name in (*typed, *alike) if name)}
    places = sorted({place for word in firsts for place in known.get(word, ())}, key=len, reverse=True)
    others = [(rf"\b{re.escape(name)}\b", word) for name, word in alike.items() if name]
    found = [(place, place) for place in places]
    found += [(place, english) for place in places for english in sorted(typed[place])]
    for place in places:
        found += [(place, re.sub(other, word, place)) for other, word in others if re.search(other, place)]
    return [each for each in found if each[1].casefold() in said]


@lru_cache(maxsize=8)
def _by_first_word(places: frozenset[str], scene_types: frozenset[str], language: Language) -> _Known:
    """Return the names by which places are found, without words for films themselves: "in the film"."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in sorted(places | scene_types):
        name = place_name(each)
        for form in {name, place_name(language.told_in_english(name))}:
            if form and not language.asking.is_film(form):
                found[form.split()[0]][form].append(each)
    return found


def _ends_in(gloss: Gloss, place: str, following: str) -> bool:
    """Return whether a translated question names no more of a place than `place`, whatever comes behind it.

    "Who made in the kitchen coffee" has the word order of "Wer machte in der Küche Kaffee"; but "on the kitchen
    table" was one word, "Küchentisch".
    """
    behind = re.match(r"\s+(\w+)", following)
    if not (gloss.runs and behind) or behind[1] == "of" or len(behind[1]) == 1 or behind[1][0].isdigit():
        return False
    said = gloss.words.get(place.rsplit(maxsplit=1)[-1])
    return said is None or said != gloss.words.get(behind[1])


def _begins_with_time(text: str, language: Language) -> bool:
    """Return whether a text begins with a time: " 2 hours ago", " on 3 May"."""
    rest, named = language.time_in(text)
    return named is not None and text.split()[:1] != rest.split()[:1]
