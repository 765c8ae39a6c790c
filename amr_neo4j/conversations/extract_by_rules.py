"""What a turn mentions and states, by the rules of the language: where no model is asked (seed 004)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from amr_neo4j.conversations.extract_by_model import first_of_each, unique
from amr_neo4j.domain.mention import Extracted, Mention, Relation, Window, mention_in, stated_in
from amr_neo4j.language.en.mentions import Named, Said, is_pronoun, named, said, sentences
from amr_neo4j.language.en.persons import person_key


def by_rules(window: Window) -> Extracted:
    """What the last turn mentions and states. JSON says nothing in sentences."""
    if window.now.type == "JSON":
        return Extracted()
    mentions: list[Mention] = []
    relations: list[Relation] = []
    for sentence in sentences(window.now.content):
        stated = said(sentence)
        for end in _names(sentence, stated, window):
            mentions.append(mention_in(window.now, end.type, end.text))
        mentions = unique(mentions)
        relations += filter(None, (_relation(one, window, mentions) for one in stated))
    return Extracted(tuple(mentions), first_of_each(relations))


def _names(sentence: str, stated: Sequence[Said], window: Window) -> Iterable[Named]:
    """The ends of what is stated, then what is named beside; of words that both have, the longer ones."""
    ends = [end for one in stated for end in (one.source, one.target) if not is_pronoun(end.text)]
    persons = (*(m.text for m in window.mentions if m.type == "PERSON"), *(e.actor for e in window.episodes))
    for other in named(sentence, persons):
        if not any(other.text in end.text for end in ends):
            ends.append(other)
    return ends


def _relation(one: Said, window: Window, mentions: Sequence[Mention]) -> Relation | None:
    source = _bound(one.source, one.target, window, mentions)
    target = _bound(one.target, one.source, window, mentions)
    if not source or not target or source == target:
        return None
    return stated_in(window.now, source, target, one.type, one.content, one.confidence)


def _bound(end: Named, other: Named, window: Window, mentions: Sequence[Mention]) -> Mention | None:
    """The mention that an end is, or that a pronoun points at within the window: never the other end.

    He and she are bound where the window mentions a single person beside the speaker.
    """
    if not is_pronoun(end.text):
        return next((m for m in mentions if (m.type, m.text) == (end.type, end.text)), None)
    persons = [m for m in (*window.mentions, *mentions) if m.type == "PERSON"]
    mine = _of_speaker(persons, window)
    if end.text.casefold() in ("i", "my"):
        return mine[-1] if mine else None
    others = [m for m in persons if m not in mine and m.text != other.text]
    return others[-1] if len({m.text for m in others}) == 1 else None


def _of_speaker(persons: Sequence[Mention], window: Window) -> list[Mention]:
    """Those by the name of who speaks now: the actor's, or one that they gave within the window."""
    own = [e.content for e in window.episodes if e.actor_id == window.now.actor_id]
    given = [text.partition("y name is ")[2] for text in own]
    return [
        m
        for m in persons
        if person_key(m.text).person_id == window.now.actor_id or any(text.startswith(m.text) for text in given)
    ]
