"""Finds where things usually are: the place in which most of the latest events show them (specification 002 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from amr_neo4j.domain.belief import SeenFact, Sighting
from amr_neo4j.domain.fact import NEW_CONFIDENCE, Triple
from amr_neo4j.domain.folding import folded_words
from amr_neo4j.domain.relations import USUALLY_AT
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.language.languages import Language
from amr_neo4j.language.opposites import Opposites


def usual_places(sightings: Iterable[Sighting], rules: FactRules, language: Language) -> Iterator[SeenFact]:
    """Yield a fact for each thing that has a usual place.

    sightings: grouped by thing, the latest first. A place is usual if, of the latest `usual_of` occasions, at least
        `usual_least` and a share of at least `usual_share` show the thing there. Places are compared by the stems of
        their words.
    """
    for _, group in groupby(sightings, key=lambda seen: (seen.place, seen.name)):
        # Reversed, so that the latest sighting of an occasion overwrites the earlier ones.
        occasions = {seen.occasion: seen for seen in reversed(list(group))}
        latest = sorted(occasions.values(), key=lambda seen: (seen.at, seen.node_id), reverse=True)[: rules.usual_of]
        usual = _most_frequent(latest, language.opposites)
        if len(usual) >= max(rules.usual_least, rules.usual_share * len(latest)):
            yield _fact(usual, language)


def _most_frequent(seen: Sequence[Sighting], words: Opposites) -> list[Sighting]:
    """Return the sightings in the most frequent place, in their order."""
    places: dict[frozenset[str], list[Sighting]] = {}
    for each in seen:
        places.setdefault(words.words(each.where), []).append(each)
    return max(places.values(), key=len)


def _fact(usual: Sequence[Sighting], language: Language) -> SeenFact:
    last = usual[0]
    subject = f"{last.name} ({last.place})" if last.at_home else last.name
    triple = Triple(subject.casefold(), USUALLY_AT, folded_words(last.where))
    node_ids = tuple(sorted(seen.node_id for seen in usual))
    text = language.bullets.bullet(triple, f"{subject} {last.where}")
    return SeenFact(
        triple=triple, text=text, language=language.code, confidence=NEW_CONFIDENCE, at=last.at, node_ids=node_ids
    )
