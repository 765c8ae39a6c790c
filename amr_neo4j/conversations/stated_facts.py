"""Facts that a turn states, as relations between mentions (specification 004)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from amr_neo4j.domain.fact import SPEAKER, StatedFact, Triple
from amr_neo4j.domain.mention import Mention, Relation, Window, mention_in, stated_in
from amr_neo4j.domain.relations import relation_kind


def stated_facts(
    facts: Sequence[StatedFact], window: Window, speaker: Mention | None, known: Sequence[Mention] = ()
) -> list[Relation]:
    """The relations of those facts whose ends the window names in these words.

    speaker: the mention of who speaks; without one, it is the actor of the turn. known: mentions of the last turn.
    """
    named = [*window.mentions, *known]
    made: list[Relation] = []
    for fact in facts:
        ends = _ends(fact.triple, window, speaker, named)
        if ends is None:
            continue
        named += [end for end in ends if end not in named]
        relation = fact.triple.relation.upper()
        source, target = ends
        if relation_kind(fact.triple.relation).role == "person":  # "Maria SISTER_OF Anna"
            source, target, relation = target, source, f"{relation}_OF"
        made.append(stated_in(window.now, source, target, relation, window.now.content.strip(), fact.confidence))
    return made


def _ends(
    triple: Triple, window: Window, speaker: Mention | None, named: Sequence[Mention]
) -> tuple[Mention, Mention] | None:
    kind = relation_kind(triple.relation)
    kinds = kind.subject, kind.object
    ends: list[Mention] = []
    for words, kind in zip((triple.subject, triple.object), kinds, strict=True):
        if words == SPEAKER:
            ends.append(speaker or mention_in(window.now, "PERSON", window.now.actor))
        elif found := _mention(words, kind, window, named):
            ends.append(found)
    return (ends[0], ends[1]) if len(ends) == len(kinds) and ends[0] != ends[1] else None


def _mention(words: str, kind: str, window: Window, named: Sequence[Mention]) -> Mention | None:
    """The mention of these words: one of this turn, or one that is named in it, or the latest before it."""
    same = [m for m in named if _folded(m.text) == _folded(words)]
    here = [m for m in same if m.episode_id == window.now.episode_id]
    if here:
        return here[-1]
    if written := _written(words, window.now.content):
        return mention_in(window.now, same[-1].type if same else kind, written)
    return same[-1] if same else None


def _written(words: str, text: str) -> str:
    """The words as the text has them; empty where it has them not, or in another form."""
    pattern = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", _folded(words)))
    found = re.search(rf"(?<!\w){pattern}(?!\w)", _folded(text)) if pattern else None
    return text[found.start() : found.end()] if found else ""


def _folded(text: str) -> str:
    """Lower case without accents, as long as the text."""
    return "".join(_plain(letter) for letter in text)


@cache
def _plain(letter: str) -> str:
    plain = unicodedata.normalize("NFD", letter)[:1].lower()
    return plain if len(plain) == 1 else letter


def ends_of(relations: Sequence[Relation], window: Window) -> Iterator[Mention]:
    """The ends that the last turn names."""
    for relation in relations:
        for end in (relation.source, relation.target):
            if end.episode_id == window.now.episode_id:
                yield end
