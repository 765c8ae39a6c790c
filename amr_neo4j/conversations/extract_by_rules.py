"""Extracts the mentions and relations of a turn by the rules of its language, without a model (specification 004)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from amr_neo4j.conversations.extract_by_model import first_of_each, folded, unique, written
from amr_neo4j.domain.fact import SPEAKER, StatedFact, Triple
from amr_neo4j.domain.mention import Extracted, Mention, Relation, Window, mention_in, stated_in
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import NamedMention, StatedRelation


def by_rules(window: Window, language: Language | None, facts: Sequence[StatedFact] = ()) -> Extracted:
    """Return what the last turn of the window mentions and states; nothing for a JSON turn.

    language: the language whose patterns read the text, or None if it has none.
    facts: the facts that the turn states. A fact adds a relation only between two mentions that no pattern has
        related already.
    """
    if window.now.type == "JSON":
        return Extracted()
    found = _by_patterns(window, language) if language else Extracted()
    speaker = _speaker(window, found.mentions, language) if language else None
    # Pairs without a direction: a fact that relates two mentions the other way round says the same.
    related = {frozenset((r.source, r.target)) for r in found.relations}
    more = [
        relation
        for relation in _stated_facts(facts, window, speaker, found.mentions)
        if frozenset((relation.source, relation.target)) not in related
    ]
    mentions = unique([*found.mentions, *_ends_of(more, window)])
    return Extracted(tuple(mentions), first_of_each([*found.relations, *more]))


def _by_patterns(window: Window, language: Language) -> Extracted:
    mentions: list[Mention] = []
    relations: list[Relation] = []
    for sentence in language.sentences(window.now.content):
        stated = language.stated_relations(sentence)
        for end in _names(sentence, stated, window, language):
            # Always the words as the turn has them, so that a mention is never anything else.
            if text := written(end.text, window.now.content, end.type):
                mentions.append(mention_in(window.now, end.type, text))
        mentions = unique(mentions)
        relations += filter(None, (_relation(one, window, mentions, language) for one in stated))
    return Extracted(tuple(mentions), first_of_each(relations))


def _names(
    sentence: str, stated: Sequence[StatedRelation], window: Window, language: Language
) -> Iterable[NamedMention]:
    """Return the ends of the relations, then all other mentions of the sentence whose words are in none of them."""
    both = [end for one in stated for end in (one.source, one.target)]
    ends = [end for end in both if not language.is_pronoun(end.text)]
    persons = (*(m.text for m in window.mentions if m.type == "PERSON"), *(e.actor for e in window.episodes))
    for other in language.named_mentions(sentence, persons):
        if not any(other.text in end.text for end in ends):
            ends.append(other)
    return ends


def _relation(
    one: StatedRelation, window: Window, mentions: Sequence[Mention], language: Language
) -> Relation | None:
    source = _bound(one.source, one.target, window, mentions, language)
    target = _bound(one.target, one.source, window, mentions, language)
    if not source or not target or source == target:
        return None
    return stated_in(window.now, source, target, kind=one.type, content=one.content, confidence=one.confidence)


def _bound(
    end: NamedMention, other: NamedMention, window: Window, mentions: Sequence[Mention], language: Language
) -> Mention | None:
    """Return the mention of one end, or the mention that a pronoun refers to; never the other end of the relation.

    "I" refers to the speaker. A third-person pronoun is resolved only if the window mentions exactly one person
    beside the speaker; an ambiguous one is dropped.
    """
    if not language.is_pronoun(end.text):
        return next((m for m in mentions if (m.type, m.text) == (end.type, end.text)), None)
    persons = [m for m in (*window.mentions, *mentions) if m.type == "PERSON"]
    mine = _of_speaker(persons, window, language)
    # Several mentions may name the same person. The latest of them is taken, here and below.
    if language.is_first_person(end.text):
        return mine[-1] if mine else None
    others = [m for m in persons if m not in mine and m.text != other.text]
    return others[-1] if len({m.text for m in others}) == 1 else None


def _speaker(window: Window, mentions: Sequence[Mention], language: Language) -> Mention | None:
    mine = _of_speaker([m for m in (*window.mentions, *mentions) if m.type == "PERSON"], window, language)
    return mine[-1] if mine else None


def _of_speaker(persons: Sequence[Mention], window: Window, language: Language) -> list[Mention]:
    """Return the speaker's mentions: those of the actor's name, or of a name that the speaker gave in the window."""
    own = [e.content for e in window.episodes if e.actor_id == window.now.actor_id]
    given = [language.own_name(text) for text in own]

    def is_speaker(name: str) -> bool:
        is_actor = language.person_key(name).person_id == window.now.actor_id
        return is_actor or any(text.startswith(name) for text in given)

    return [mention for mention in persons if is_speaker(mention.text)]


# Facts as relations between mentions


def _stated_facts(
    facts: Sequence[StatedFact], window: Window, speaker: Mention | None, known: Sequence[Mention]
) -> list[Relation]:
    """Return the facts as relations. A fact is left out if the window does not name both ends in the fact's words.

    speaker: the mention of the speaker; if None, the actor of the turn is mentioned.
    known: mentions of the last turn.
    """
    # A mention that one fact makes is found again by the facts after it.
    named = [*window.mentions, *known]
    made: list[Relation] = []
    for fact in facts:
        ends = _ends(fact.triple, window, speaker, named)
        if ends is None:
            continue
        named += [end for end in ends if end not in named]
        relation = fact.triple.relation.upper()
        source, target = ends
        # The fact (Anna, sister, Maria) becomes the relation "Maria SISTER_OF Anna".
        if relation_kind(fact.triple.relation).role == "person":
            source, target, relation = target, source, f"{relation}_OF"
        content = window.now.content.strip()
        stated = stated_in(window.now, source, target, kind=relation, content=content, confidence=fact.confidence)
        made.append(stated)
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
    """Return the mention of these words; None if the window has none.

    Prefers a mention of the last turn, then a new one if its text has the words, then the latest earlier mention.
    """
    same = [m for m in named if folded(m.text) == folded(words)]
    here = [m for m in same if m.episode_id == window.now.episode_id]
    if here:
        return here[-1]
    kind_here = same[-1].type if same else kind
    if text := written(words, window.now.content, kind_here):
        return mention_in(window.now, kind_here, text)
    return same[-1] if same else None


def _ends_of(relations: Sequence[Relation], window: Window) -> Iterator[Mention]:
    """Yield the ends of relations that are mentions of the last turn."""
    for relation in relations:
        for end in (relation.source, relation.target):
            if end.episode_id == window.now.episode_id:
                yield end
