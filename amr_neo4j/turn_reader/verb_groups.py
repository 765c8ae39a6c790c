"""Verbs that only say how another goes on, taken out: "ended up buying" is "bought", "does like" is "likes".

The rules name a relation's verbs as they stand alone. Which verbs may stand before them, and which finite forms an
infinitive or gerund has, are tables of the language; a form counts only where a rule has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from amr_neo4j.language.fact_tables import Aspects
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, join


def single_verbs(kit: LanguageKit, line: Line) -> Iterator[Line]:
    """The line with each finite form of the verb that others stand before; nothing where none do."""
    for pattern, aspects in kit.aspects:
        if match := pattern.search(line.folded):
            verb = line.written[match.end() :].partition(" ")[0]
            before, after = line.part(0, match.start()), line.part(match.end() + len(verb) + 1, len(line.folded))
            for form in _finite(kit, aspects, fold(verb)):
                yield join(before, Line(f"{form} ", f"{fold(form)} "), after)


def _finite(kit: LanguageKit, aspects: Aspects, verb: str) -> Iterator[str]:
    """The forms of a verb that a rule has: by the longest ending that gives one, where none are listed."""
    if verb in aspects.forms:
        yield from aspects.forms[verb]
        return
    for ending in sorted(aspects.endings, key=len, reverse=True):
        stem = verb.removesuffix(ending)
        if not verb.endswith(ending) or len(stem) < 2:
            continue
        forms = [form.replace("~", stem) for form in aspects.endings[ending]]
        if known := [form for form in forms if fold(form) in kit.words.verb_forms]:
            yield from known
            return
