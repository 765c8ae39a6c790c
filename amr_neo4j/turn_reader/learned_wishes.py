"""Finds wishes to forget, however they are worded: "scratch what I just said", "keep my health out of your notes".

A logistic regression on the vector of the turn (multilingual-e5). training/reader/wishes.py trains it.
wish_weights.npz holds its weights and the SHA-256 of what trained it (decision 0196).
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np

from amr_neo4j.domain.fact import SPEAKER, Triple, TurnContext
from amr_neo4j.domain.spans import Floats
from amr_neo4j.language.stems import stems
from amr_neo4j.turn_reader.language_kit import LanguageKit

NAMED = 0.15
"""A turn that names a known fact is a wish to forget it if the classifier gives it more."""
UNNAMED = 0.8
"""The same for a turn that names none. What the turn before stated is meant.

Both were chosen on 2,500 everyday turns of tests/gold/held, with what 20 turns before them stated believed. At these
limits none takes anything back; a little lower, two do.
"""
LONGEST = 60  # words


def wish(vector: Floats) -> float:
    """Return the logit of whether a turn asks memory to forget something. vector: float32, shape (384,)."""
    weights, bias = _weights()
    return float(vector @ weights) + bias


def may_be_meant(kit: LanguageKit, turn: str, context: TurnContext) -> tuple[tuple[Triple, ...], float]:
    """Return (the believed facts that a turn means if it is a wish to forget, how sure the classifier must be).

    They are those that it names, else those in the words of the turn before.
    """
    if not context.believed or len(turn.split()) > LONGEST:
        return (), UNNAMED
    if named := tuple(each for each in context.believed if _names(kit, turn, each)):
        return named, NAMED
    before = stems(context.earlier[-1], kit.code) if context.earlier else frozenset[str]()
    return tuple(each for each in context.believed if stems(each.object, kit.code) <= before), UNNAMED


def _names(kit: LanguageKit, turn: str, triple: Triple) -> bool:
    """Return whether a turn names a fact by its object, its person or its topic ("where I live", "my sister")."""
    said, words = stems(turn, kit.code), stems(triple.object, kit.code)
    if words and words <= said:
        return True
    if triple.subject != SPEAKER:
        return stems(triple.subject, kit.code) <= said
    folded = kit.line(turn).folded.split()
    phrases = f" {' '.join(folded)} "
    of_topic = any(f" {topic} " in phrases for topic, relation in kit.topics.items() if relation == triple.relation)
    return of_topic or any(kit.roles.get(word) == triple.relation for word in folded)


@cache
def _weights() -> tuple[Floats, float]:
    with np.load(str(resources.files("amr_neo4j.turn_reader").joinpath("wish_weights.npz"))) as file:
        return file["weights"], float(file["bias"])
