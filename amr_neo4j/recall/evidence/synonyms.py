"""Words of a question for what memory calls otherwise: its "mobile" is the "phone" of the events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.recall.evidence.watched import are_watched
from amr_neo4j.recall.question.clause import Synonym
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# Cosine of two words for one object, and of two that may be. Measured on 52 pairs with E5, MiniLM and USE for many
# languages: fridge/refrigerator .93 .96 .92, phone/mobile .73 .70 .75, cup/mug .64 .71 .76, parcel/package .68 .53
# .84 | cat/dog .55 .66 .67, coffee/mug .66 .61 .63, note/letter .55 .42 .62 | wallet/phone .47 .50 .37. Of 27 pairs
# for one object .63 keeps 23, 17 and 25, of 25 for two 2, 1 and 2.
SAME_OBJECT = 0.68
MAYBE_SAME_OBJECT = 0.63


def find_synonyms(parsed: ParsedQuestion, candidates: Sequence[Candidate], embedder: Embedder) -> list[Synonym]:
    """For each name that neither memory nor the candidates have, the nearest name that they have, if near enough.

    An object is compared by its whole name and by its last word: "cup" means the red mug as well as the blue one.
    Where the local analyser reports, its own words for what is worn and done come first.
    """
    reported = list(_as_reported(parsed)) if are_watched(candidates) else []
    known = {synonym.word for synonym in reported}
    unknown = [word for word in _unknown_names(parsed, candidates) if word not in known]
    return [*reported, *_near_in_meaning(unknown, candidates, embedder)]


def _as_reported(parsed: ParsedQuestion) -> Iterator[Synonym]:
    """The words that a report has for those of a question."""
    rows = parsed.language.asking.as_reported
    for word in dict.fromkeys(word for clause in parsed.clauses for word in clause.words):
        for row in rows:
            if not row.said.isdisjoint(word.forms):
                is_looser = row.worn and word.forms.isdisjoint(row.reported)
                yield from (Synonym(word.word, each, guessed=is_looser, reported=True) for each in row.reported)


def _near_in_meaning(unknown: Sequence[str], candidates: Sequence[Candidate], embedder: Embedder) -> list[Synonym]:
    things = frozenset[str]().union(*(candidate.objects | _appearance(candidate) for candidate in candidates))
    names = sorted(things.union(word for thing in things for word in thing.split()[-1:]))
    if not unknown or not names:
        return []
    vectors = embedder.embed([*unknown, *names])
    near: Vectors = np.inner(vectors[: len(unknown)], vectors[len(unknown) :])
    best = [(word, int(row.argmax()), float(row.max())) for word, row in zip(unknown, near, strict=True)]
    return [
        Synonym(word, thing, guessed=cosine < SAME_OBJECT)
        for word, place, cosine in best
        for thing in sorted(things)
        if cosine >= MAYBE_SAME_OBJECT and (thing == names[place] or thing.endswith(f" {names[place]}"))
    ]


def _appearance(candidate: Candidate) -> frozenset[str]:
    """The words that describe the unnamed people of an event."""
    person_key = candidate.language.person_key
    nameless = [who for who, name in candidate.people.items() if not person_key(name).is_name]
    return frozenset(word for who in nameless for word in who.split("_"))


def _unknown_names(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[str]:
    known = frozenset[str]().union(*(candidate.forms for candidate in candidates))
    named = {form for clause in parsed.clauses for name in clause.objects for form in name.split()}
    return [word.word for clause in parsed.clauses for word in clause.names if word.forms.isdisjoint(known | named)]
