"""Tells by words whether a text supports a fact (specification 002 3, 5.2)."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language
from amr_neo4j.language.question_words import Words, question_words
from amr_neo4j.language.stems import forms, stems, words_in


def agrees(triple: Triple, text: str, code: str) -> bool:
    """Return whether a text denies what a fact denies, and has no word that excludes its object.

    code: the language of the fact.
    """
    table = language(code).opposites
    # A dislike is a denial, but a dislike of "no tea" is not.
    is_denied = (triple.relation == "dislikes") != table.denies(triple.object)
    return table.denies(text) == is_denied and not table.exclude(table.words(triple.object), table.words(text))


def supporting(triple: Triple, texts: Sequence[str], codes: Sequence[str]) -> list[int]:
    """Return the places of the texts that support a fact; none if they do not state it between them.

    Each of these texts has a word of the object, and denies it if the fact does. Together they have all words of
    the object, and of the subject unless that is the user. A relation with one value at a time needs more, because
    its fact replaces what is believed: one text must have the whole object and a word for the relation, such as
    "home" for lives_in.
    codes: the language of each text.
    """
    subject = "" if triple.subject == SPEAKER else triple.subject
    found: list[int] = []
    missing: frozenset[str] | None = None
    is_stated = subject != "" or not relation_kind(triple.relation).single
    for place, (text, code) in enumerate(zip(texts, codes, strict=True)):
        said = stems(text, code)
        objects = _words(triple.object, code)
        absent = frozenset(word for word, each in objects.items() if each.isdisjoint(said))
        if len(absent) == len(objects) or not agrees(triple, text, code):
            continue
        found.append(place)
        absent |= {word for word, each in _words(subject, code).items() if each.isdisjoint(said)}
        missing = absent if missing is None else missing & absent
        is_stated |= not absent and not said.isdisjoint(question_words(code).asks_for(triple.relation))
    return [] if missing or not is_stated else found


def _words(text: str, code: str) -> Words:
    """Return {word: its forms} of a text, without words that add no meaning; of all its words if it has no others."""
    own = forms(" ".join(language(code).opposites.in_order(text)), code)
    return {word: each for word, each in own.items() if len(word) > 1} or forms(text, code)


def said_again(triples: Sequence[Triple], codes: Sequence[str], turns: Sequence[str]) -> set[tuple[int, int]]:
    """Return (place of a fact, place of a turn) of the user's turns that say a fact again in other words.

    Such a turn names its speaker ("I", "my") and supports the fact by its words. This finds 45 of 77 turns that say a
    fact again, and one of 39 that only name the same thing. A cosine over 0.75 would find 6 of the 77.
    codes: the language of each fact, in which the turns are read too.
    """
    by_form: dict[tuple[str, str], set[int]] = {}
    for place, (triple, code) in enumerate(zip(triples, codes, strict=True)):
        if triple.subject == SPEAKER:
            for each in _words(triple.object, code).values():
                for form in each:
                    by_form.setdefault((code, form), set()).add(place)
    found: set[tuple[int, int]] = set()
    for column, text in enumerate(turns):
        for code in dict.fromkeys(codes):
            if language(code).bullets.asking.speaker.isdisjoint(words_in(text)):
                continue
            near = set[int]().union(*(by_form.get((code, form), ()) for form in stems(text, code)))
            found |= {(place, column) for place in near if supporting(triples[place], [text], [code])}
    return found
