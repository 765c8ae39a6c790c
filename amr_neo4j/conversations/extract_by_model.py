"""Extract the mentions and relations of a turn by a model.

The model also sees the three turns before it (specification 004, section 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from amr_neo4j.domain.mention import Extracted, Mention, Relation, Window, mention_in, placed, stated_in
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import Pointer, Statement, Statements
from amr_neo4j.language.languages import Language
from amr_neo4j.prompts.library import prompt

# The model sees this many characters of each turn, because a turn may be a pasted document.
_SHOWN = 4000


def by_model(window: Window, model: ChatModel, language: Language) -> Extracted:
    """Return what the last turn mentions and states, as far as the window supports it. Raises ModelError."""
    turns = "\n".join(f"turn {placed(e)}, {e.actor}: {e.content[:_SHOWN]}" for e in window.episodes)
    mentioned = "\n".join(f"turn {m.turn}: {m.text} ({m.type})" for m in window.mentions) or "nothing"
    asked = prompt("mentions", window=turns, mentioned=mentioned, turn=placed(window.now))
    return supported(window, model.ask(asked, Statements), language)


def supported(window: Window, reply: Statements, language: Language) -> Extracted:
    """Return the part of a reply that the window supports, with a line for each statement that was refused.

    A mention must be words of the last turn and not a pronoun. Both ends of a relation must be mentions in the
    window.
    """
    refused = [
        f"“{named.text}” is not in the turn" for named in reply.mentions if named.text not in window.now.content
    ]
    named = [n for n in reply.mentions if n.text in window.now.content and not language.is_pronoun(n.text)]
    mentions = unique(mention_in(window.now, _type(n.type), n.text.strip()) for n in named if n.text.strip())
    relations: list[Relation] = []
    for statement in reply.relations:
        ends = [_found(end, [*window.mentions, *mentions]) for end in (statement.source, statement.target)]
        if ends[0] and ends[1] and ends[0] != ends[1]:
            relations.append(_relation(window, statement, ends[0], ends[1]))
        else:
            refused.append(f"{statement.type} of {_pointer(statement.source)} and {_pointer(statement.target)}")
    return Extracted(tuple(mentions), first_of_each(relations), tuple(refused))


def unique(mentions: Iterable[Mention]) -> list[Mention]:
    """Return each mention once, in order."""
    return list(dict.fromkeys(mentions))


def first_of_each(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Return the first relation of each type between the same two mentions."""
    found: dict[tuple[Mention, Mention, str], Relation] = {}
    for relation in relations:
        found.setdefault((relation.source, relation.target, relation.type), relation)
    return tuple(found.values())


def _relation(window: Window, statement: Statement, source: Mention, target: Mention) -> Relation:
    kind, content = _type(statement.type), statement.description.strip()
    return stated_in(window.now, source, target, kind=kind, content=content, confidence=statement.confidence)


def _found(end: Pointer, mentions: Iterable[Mention]) -> Mention | None:
    # By turn and text: the same words in two turns are two mentions, and may mean different people.
    return next((m for m in mentions if (m.turn, m.text) == (end.turn, end.text.strip())), None)


def _pointer(end: Pointer) -> str:
    return f"“{end.text}” (turn {end.turn})"


def _type(name: str) -> str:
    # Models write types as "lives in" or "Lives-In". The graph has LIVES_IN.
    return re.sub(r"[ _-]+", "_", name.strip()).upper()
