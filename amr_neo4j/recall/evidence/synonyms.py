"""Finds memory's words for words of a question that it does not have: "mobile" is the "phone" of the events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.errors import ModelFailed
from amr_neo4j.language.compounds import compounds_of, parts_of
from amr_neo4j.language.languages import language
from amr_neo4j.language.nouns import forms_of
from amr_neo4j.recall.evidence.watched import are_watched
from amr_neo4j.recall.question.clause import Synonym
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# Two words name the same object from SAME_OBJECT on, and may name it from MAYBE_SAME_OBJECT on. Both are cosines.
# Measured on 52 pairs of words with three embedders (E5, MiniLM, and one for 16 languages):
#   same object: fridge/refrigerator .93 .96 .92, phone/mobile .73 .70 .75, cup/mug .64 .71 .76, parcel/package .68
#       .53 .84
#   similar objects: cat/dog .55 .66 .67, coffee/mug .66 .61 .63, note/letter .55 .42 .62
#   different objects: wallet/phone .47 .50 .37
# Of 27 pairs for the same object, .63 keeps 23, 17 and 25. Of 25 pairs for two objects it wrongly keeps 2, 1 and 2.
SAME_OBJECT = 0.68
MAYBE_SAME_OBJECT = 0.63


def find_synonyms(parsed: ParsedQuestion, candidates: Sequence[Candidate], embedder: Embedder) -> list[Synonym]:
    """Return what memory calls the things that the question names in other words ("mobile": phone).

    Each name that the candidates do not have gets the synonym nearest in meaning, if it is near enough. An object is
    compared by its whole name and by its last word: "cup" means the red mug as well as the blue one. For films that
    the local analyser watched, its own words for clothes and deeds come first.
    """
    reported = list(_as_reported(parsed)) if are_watched(candidates) else []
    known = {synonym.word for synonym in reported}
    unknown = [word for word in _unknown_names(parsed, candidates) if word not in known]
    return [*reported, *_of_compounds(parsed, candidates), *_near_in_meaning(unknown, candidates, embedder)]


def _of_compounds(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Iterator[Synonym]:
    """Yield the words of candidates that make up a compound of the question, and compounds of its words."""
    code, asked = parsed.language.code, {word for clause in parsed.clauses for word in clause.words}
    if not language(code).joins_words:
        return iter(())
    forms = forms_of(asked)
    found = set[Synonym]()
    for said in (candidate.forms for candidate in candidates):
        for word in asked:
            if word.forms.isdisjoint(said) and (parts := parts_of(word.word, said, code)):
                found.add(Synonym(word.word, " ".join(sorted(parts)), reported=True, parted=True))
        for compound in compounds_of(forms, said):
            parts = parts_of(compound, forms, code)
            found |= {
                Synonym(word.word, compound, reported=True) for word in asked if not word.forms.isdisjoint(parts)
            }
    # Only one way to take a word apart counts.
    return iter({(each.word, each.parted or each.thing): each for each in sorted(found, key=repr)}.values())


def _as_reported(parsed: ParsedQuestion) -> Iterator[Synonym]:
    """Yield the words that reports of the local analyser have for words of a question."""
    rows = parsed.language.asking.as_reported
    for word in dict.fromkeys(word for clause in parsed.clauses for word in clause.words):
        for row in rows:
            if not row.said.isdisjoint(word.forms):
                # "Jacket" may be reported as "top": the report cannot tell which garment it was.
                is_looser = row.worn and word.forms.isdisjoint(row.reported)
                yield from (Synonym(word.word, each, guessed=is_looser, reported=True) for each in row.reported)


def _near_in_meaning(unknown: Sequence[str], candidates: Sequence[Candidate], embedder: Embedder) -> list[Synonym]:
    things = frozenset[str]().union(*(candidate.objects | _appearance(candidate) for candidate in candidates))
    names = sorted(things.union(word for thing in things for word in thing.split()[-1:]))
    if not unknown or not names:
        return []
    # One call for all words: an embedder takes longer per call than per word.
    try:
        vectors = embedder.embed([*unknown, *names])
    except ModelFailed:
        return []
    near: Vectors = np.inner(vectors[: len(unknown)], vectors[len(unknown) :])
    synonyms: list[Synonym] = []
    for word, row in zip(unknown, near, strict=True):
        nearest, cosine = names[int(row.argmax())], float(row.max())
        if cosine >= MAYBE_SAME_OBJECT:
            called = [thing for thing in sorted(things) if thing == nearest or thing.endswith(f" {nearest}")]
            synonyms += [Synonym(word, thing, guessed=cosine < SAME_OBJECT) for thing in called]
    return synonyms


def _appearance(candidate: Candidate) -> frozenset[str]:
    """Return the words that describe the unnamed people of an event: {"girl", "black", "hoodie"}."""
    person_key = candidate.language.person_key
    nameless = [who for who, name in candidate.people.items() if not person_key(name).is_name]
    return frozenset(word for who in nameless for word in who.split("_"))


def _unknown_names(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[str]:
    known = frozenset[str]().union(*(candidate.forms for candidate in candidates))
    objects = [name for clause in parsed.clauses for name in clause.objects]
    named = {form for name in objects for form in name.split()}
    nouns = [word for clause in parsed.clauses for word in clause.names]
    return [word.word for word in nouns if word.forms.isdisjoint(known | named)]
