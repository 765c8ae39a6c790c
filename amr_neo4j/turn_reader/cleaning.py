"""Cuts words that say only how a clause is meant: fillers, hedges, negations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import KEPT, Line, fold, join
from amr_neo4j.turn_reader.normalise import edges


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clause as rules match it: without the words that say only how it is meant. These are noted instead.

    hedged: it is a guess ("I think").
    denied: "not".
    ended: "no longer".
    """

    line: Line
    hedged: bool
    denied: bool
    ended: bool


@lru_cache(KEPT)
def clean(kit: LanguageKit, line: Line) -> Cleaned:
    """Return a clause without fillers, hedges, negations and words such as "no longer"."""
    unhedged = without_hedges(kit, line)
    hedged = unhedged != line
    # Comparatives contain words of `ended` but end nothing, so they are cut first.
    unhedged = unhedged.without(kit.patterns.comparatives)
    lasting = unhedged.without(kit.patterns.ended)
    if kit.patterns.negations.search(lasting.folded):
        lasting = lasting.without(kit.patterns.ended_if_denied)
    begun = without_fillers(kit, lasting)
    affirmed = begun.without(kit.patterns.negations)
    return Cleaned(
        edges(without_fillers(kit, affirmed)) if affirmed.folded else affirmed,
        hedged=hedged,
        denied=affirmed != begun,
        ended=lasting != unhedged,
    )


def without_hedges(kit: LanguageKit, line: Line) -> Line:
    """Return a line without hedges, except where the same words doubt nothing: "this sort of music"."""
    meant = [match.span() for match in kit.patterns.no_hedges.finditer(line.folded)]
    for match in reversed(list(kit.patterns.hedges.finditer(line.folded))):
        if not any(match.start() < end and start < match.end() for start, end in meant):
            line = line.replaced(match.span())
    return line


@lru_cache(KEPT)
def without_fillers(kit: LanguageKit, line: Line) -> Line:
    """Return a line without fillers and what people say before they come to the point."""
    name = line.part(0, line.folded.find(" ") + 1 if _names_somebody(kit, line) else 0)
    rest = line.after(len(name.folded)).without(kit.patterns.fillers)
    return without_leads(kit, join(name, rest) if name.folded else rest)


def without_leads(kit: LanguageKit, line: Line) -> Line:
    """Return a line without the words that lead to its clause: "and then"."""
    while not _names_somebody(kit, line) and (match := kit.patterns.leads.match(line.folded)) and match.end():
        line = line.after(match.end())
    return line


def _names_somebody(kit: LanguageKit, line: Line) -> bool:
    """Return whether a line begins with a first name and its verb: "Ben habite à Lyon", not "ben" for "well"."""
    words = line.written.split()
    if len(words) < 2 or not words[0][0].isupper() or fold(words[0]) not in kit.words.names_anywhere:
        return False
    after = next((word for word in words[1:] if fold(word) not in kit.words.between), "")
    return after.lower() in kit.words.others_verbs | kit.words.auxiliaries
