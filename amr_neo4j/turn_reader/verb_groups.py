"""Replaces a group of verbs by its main verb: "ended up buying" becomes "bought", "does like" becomes "likes".

The rules list only single verbs. Tables of the language say which verbs may stand before them, and which finite forms
an infinitive or gerund has. A form is used only if a rule has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from amr_neo4j.language.fact_tables import Aspects
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, join


def single_verbs(kit: LanguageKit, line: Line) -> Iterator[Line]:
    """Yield the line with the group replaced by each finite form of its main verb; nothing without such a group."""
    for pattern, aspects in kit.aspects:
        if match := pattern.search(line.folded):
            verb = line.written[match.end() :].partition(" ")[0]
            before, after = line.part(0, match.start()), line.part(match.end() + len(verb) + 1, len(line.folded))
            for form in _finite(kit, aspects, fold(verb)):
                yield join(before, Line(f"{form} ", f"{fold(form)} "), after)


def _finite(kit: LanguageKit, aspects: Aspects, verb: str) -> Iterator[str]:
    """Yield the finite forms of a verb: those listed, else by the longest ending that gives a form of a rule."""
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
