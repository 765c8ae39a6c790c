"""Compounds and the words that they are made of: "Zahnarzttermin" is a "Termin beim Zahnarzt".

No list of words is needed: a compound is taken apart only into words that another text has, after Koehn and Knight,
"Empirical Methods for Compound Splitting" (2003).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet

from amr_neo4j.language.glossary import glossary, has_glossary
from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import stem

_LEAST_PART = 3
# "Arbeitsbeginn" is when the work "beginnt", and an "Autokauf" is that of a car that was "gekauft".
_VERB_FORMS = ("{}", "{}n", "{}t", "{}et", "ge{}t")


def parts_of(word: str, known: AbstractSet[str], code: str) -> frozenset[str]:
    """Return the forms, of those known, of the words that a compound is made of; empty if some part is not known.

    The stem of a part is compared, which has no linking letters ("Geburtstags-"). A compound for which English has a
    word of its own is not taken apart: "krank zu Hause" is not in a "Krankenhaus".
    """
    parts = next(_splits(word, known, code), frozenset[str]()) if language(code).joins_words else frozenset[str]()
    is_whole = parts and has_glossary(code) and glossary(code).is_one_word(word)
    return frozenset() if is_whole else parts


def with_compounds(word: frozenset[str], asked: frozenset[str], said: AbstractSet[str], code: str) -> frozenset[str]:
    """Return the forms of a word of a question, with those of its parts if a text has all of them, and of compounds.

    asked: the forms of all words of the question.
    said: those of the text. A compound of the text counts if the question has all of its parts.
    """
    if not language(code).joins_words:
        return word
    parts = (parts_of(form, said, code) for form in word - said)
    whole = (each for each in compounds_of(asked, said) if not word.isdisjoint(parts_of(each, asked, code)))
    return word.union(*parts, whole)


def compounds_of(parts: Iterable[str], words: Iterable[str]) -> Iterator[str]:
    """Yield the words that begin as one of the parts does, and so may be compounds with it."""
    begun = tuple({part[:_LEAST_PART] for part in parts if len(part) >= _LEAST_PART})
    return (word for word in words if word.startswith(begun) and len(word) >= 2 * _LEAST_PART)


def _splits(word: str, known: Collection[str], code: str) -> Iterator[frozenset[str]]:
    for at in range(_LEAST_PART, len(word) - _LEAST_PART + 1):
        heads = {word[at:], stem(word[at:], code)}
        forms = {spelt.format(head) for spelt in _VERB_FORMS for head in heads}
        said = {form for form in forms if form in known}
        if not said:
            continue
        before = stem(word[:at], code)
        if before in known:
            yield frozenset({before, *said})
        elif more := next(_splits(word[:at], known, code), None):
            yield more | said
