"""Finds where the speaker lives if it is said in passing: "it is freezing here in Perm", "in Perm, where I live"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from amr_neo4j.domain.fact import Strength
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, plain
from amr_neo4j.turn_reader.normalise import bare

_MOST_WORDS_OF_PLACE = 4
"""Most words of a place."""
_PARTICLE = 3
"""Most letters of a word without a capital inside a name: "Rio de la Plata"."""
_WORD = re.compile(r"[^ ]+ ")


def homes(kit: LanguageKit, line: Line) -> Iterator[tuple[str, Strength]]:
    """Yield the speaker's homes as implied by a sentence about something else, the least certain first.

    "Here in Perm" may be a visit, and is one if another home is known. "In Perm, where I live" is the home.
    """
    for match in kit.patterns.here.finditer(line.folded):
        if place := place_at(kit, line.after(match.end())):
            yield plain(bare(kit, place)), "momentary"
    for match in kit.patterns.at_home.finditer(line.folded):
        if place := place_at(kit, line.after(match.end())):
            yield plain(bare(kit, place)), "passing"
    for match in _WORD.finditer(line.folded):
        if match[0].strip() in kit.words.prepositions:
            rest = line.after(match.end())
            place = place_at(kit, rest)
            if place and kit.patterns.lived_in.match(rest.folded, len(place.folded)):
                yield plain(bare(kit, place)), "plain"


def place_at(kit: LanguageKit, line: Line) -> Line | None:
    """Return the place that a line begins with: a capitalised name or a known town; None for none.

    In a line without any capitals, a single word before a pause counts as a place as well.
    """
    words = [match[0] for match in _WORD.finditer(line.written)]
    article = kit.patterns.articles.match(line.folded)
    first = len(article[0].split()) if article else 0
    if not kit.words.dates.isdisjoint(line.folded.split()[first : first + 1]):  # "here in May"
        return None
    end = _end_of_name(words, first)
    if end > first:
        return line.part(0, sum(map(len, words[:end])))
    for length in range(min(_MOST_WORDS_OF_PLACE, len(words)), 0, -1):
        part = line.part(0, sum(map(len, words[:length])))
        if part.folded.strip() in kit.words.towns:
            return part
    is_last = len(words) == 1 or (len(words) > 1 and not words[1].strip().isalnum())
    is_informal = line.written == line.folded and bool(words) and words[0].strip().isalpha()
    is_common = is_informal and not {words[0].strip()}.isdisjoint(
        kit.words.never_name | kit.words.everyday | kit.words.nowhere
    )
    return line.part(0, len(words[0])) if is_last and is_informal and not is_common else None


def _end_of_name(words: list[str], first: int) -> int:
    """Return the index after the last capitalised word of a name; `first` if there is no name.

    A noun may stand before the name ("colonia Roma") and particles inside it.
    """
    end = first
    for number, word in enumerate(words[first : first + _MOST_WORDS_OF_PLACE], first):
        if word[0].isupper():
            end = number + 1
        elif not word.strip().isalpha() or (end > first and len(word.strip()) > _PARTICLE) or number > first + end:
            break
    return end
