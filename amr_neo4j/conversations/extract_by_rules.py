"""Extracts mentions and relations of a turn by the rules of the language, without a model (specification 004)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from amr_neo4j.conversations.extract_by_model import first_of_each, unique
from amr_neo4j.domain.mention import Extracted, Mention, Relation, Window, mention_in, stated_in
from amr_neo4j.language.base import Language, NamedMention, StatedRelation


def by_rules(window: Window, language: Language) -> Extracted:
    """What the last turn mentions and states; nothing for JSON."""
    if window.now.type == "JSON":
        return Extracted()
    mentions: list[Mention] = []
    relations: list[Relation] = []
    for sentence in language.sentences(window.now.content):
        stated = language.stated_relations(sentence)
        for end in _names(sentence, stated, window, language):
            mentions.append(mention_in(window.now, end.type, end.text))
        mentions = unique(mentions)
        relations += filter(None, (_relation(one, window, mentions, language) for one in stated))
    return Extracted(tuple(mentions), first_of_each(relations))


def _names(
    sentence: str, stated: Sequence[StatedRelation], window: Window, language: Language
) -> Iterable[NamedMention]:
    """The ends of the relations, then other mentions that are not part of those."""
    ends = [end for one in stated for end in (one.source, one.target) if not language.is_pronoun(end.text)]
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
    return stated_in(window.now, source, target, one.type, one.content, one.confidence)


def _bound(
    end: NamedMention, other: NamedMention, window: Window, mentions: Sequence[Mention], language: Language
) -> Mention | None:
    """The mention of an end, or the one that a pronoun refers to within the window; never the other end.

    A third-person pronoun is bound where the window mentions exactly one person beside the speaker.
    """
    if not language.is_pronoun(end.text):
        return next((m for m in mentions if (m.type, m.text) == (end.type, end.text)), None)
    persons = [m for m in (*window.mentions, *mentions) if m.type == "PERSON"]
    mine = _of_speaker(persons, window, language)
    if language.is_first_person(end.text):
        return mine[-1] if mine else None
    others = [m for m in persons if m not in mine and m.text != other.text]
    return others[-1] if len({m.text for m in others}) == 1 else None


def _of_speaker(persons: Sequence[Mention], window: Window, language: Language) -> list[Mention]:
    """The mentions of the speaker: by the actor's name, or one that they gave within the window."""
    own = [e.content for e in window.episodes if e.actor_id == window.now.actor_id]
    given = [language.own_name(text) for text in own]
    return [
        m
        for m in persons
        if language.person_key(m.text).person_id == window.now.actor_id
        or any(text.startswith(m.text) for text in given)
    ]
