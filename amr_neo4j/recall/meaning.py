"""What a question calls otherwise than memory does: its "mobile" is the "phone" of the events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.reading import Meaning, Reading

# Cosine of two words for one thing. Measured on 39 pairs, the same for both embedders (MiniLM, multilingual USE):
# fridge/refrigerator .96 .92, phone/mobile .70 .75, cup/mug .71 .76; but cat/dog .66 .67, coffee/mug .61 .63,
# elephant/mug .26 .43.
SAME_THING = 0.68


def meanings(reading: Reading, candidates: Sequence[Candidate], embedder: Embedder) -> list[Meaning]:
    """For each name that neither memory nor the candidates know, their nearest object, if any is near enough."""
    known = frozenset[str]().union(*(candidate.forms for candidate in candidates))
    named = {
        form for clause in reading.clauses for name in (*clause.objects, *clause.persons) for form in name.split()
    }
    strange = [w.word for clause in reading.clauses for w in clause.names if not w.forms & (known | named)]
    things = sorted(frozenset[str]().union(*(candidate.objects for candidate in candidates)))
    if not strange or not things:
        return []
    vectors = embedder.embed([*strange, *things])
    near: Vectors = np.inner(vectors[: len(strange)], vectors[len(strange) :])
    best = zip(strange, near.argmax(axis=1).tolist(), near.max(axis=1).tolist(), strict=True)
    return [(word, things[place]) for word, place, cosine in best if cosine >= SAME_THING]
