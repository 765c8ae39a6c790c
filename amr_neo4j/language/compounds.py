"""Compounds and the words that they are made of: "Zahnarzttermin" is a "Termin beim Zahnarzt".

No list of words is needed: a compound is taken apart only into words that another text has, after Koehn and Knight,
"Empirical Methods for Compound Splitting" (2003).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet

from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import stem

_LEAST_PART = 3
# "Arbeitsbeginn" is when the work "beginnt", and an "Autokauf" is that of a car that was "gekauft".
_VERB_FORMS = ("{}", "{}t", "{}et", "ge{}t")


def parts_of(word: str, known: AbstractSet[str], code: str) -> frozenset[str]:
    """Return the forms, of those known, of the words that a compound is made of; empty if some part is not known.

    The stem of a part is compared, which has no linking letters ("Geburtstags-").
    """
    if not language(code).opposites.table.compounds:
        return frozenset()
    return next(_splits(word, known, code), frozenset())


def with_compounds(said: AbstractSet[str], asked: AbstractSet[str], code: str) -> AbstractSet[str]:
    """Return the forms that a text has, with the compounds asked for of which it has the parts, and the other way.

    said: the forms of the words of the text. asked: those of the question.
    """
    joined = {word for word in asked - said if parts_of(word, said, code)}
    parted = {part for word in compounds_of(asked, said) for part in parts_of(word, asked, code)}
    return said | joined | parted if joined or parted else said


def compounds_of(parts: Iterable[str], words: Iterable[str]) -> Iterator[str]:
    """Yield the words that begin as one of the parts does, and so may be compounds with it."""
    begun = tuple({part[:_LEAST_PART] for part in parts if len(part) >= _LEAST_PART})
    return (word for word in words if word.startswith(begun) and len(word) >= 2 * _LEAST_PART)


def _splits(word: str, known: Collection[str], code: str) -> Iterator[frozenset[str]]:
    for at in range(_LEAST_PART, len(word) - _LEAST_PART + 1):
        head = stem(word[at:], code)
        said = {form for spelt in _VERB_FORMS if (form := spelt.format(head)) in known}
        if not said:
            continue
        before = stem(word[:at], code)
        if before in known:
            yield frozenset({before, *said})
        elif more := next(_splits(word[:at], known, code), None):
            yield more | said
