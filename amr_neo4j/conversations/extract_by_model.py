"""What a turn mentions and states, told by a model that is shown the turn and the three before it (seed 004)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from amr_neo4j.domain.mention import Extracted, Mention, Relation, Window, mention_in, placed, stated_in
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import Pointer, Statement, Statements
from amr_neo4j.language.en.mentions import is_pronoun
from amr_neo4j.prompts.library import prompt

# Characters of a turn that a model is shown.
_SHOWN = 4000


def by_model(window: Window, model: ChatModel) -> Extracted:
    """What the last turn mentions and states, as far as the window bears it out. Raises ModelError."""
    turns = "\n".join(f"turn {placed(e)}, {e.actor}: {e.content[:_SHOWN]}" for e in window.episodes)
    mentioned = "\n".join(f"turn {m.turn}: {m.text} ({m.type})" for m in window.mentions) or "nothing"
    asked = prompt("mentions", window=turns, mentioned=mentioned, turn=placed(window.now))
    return borne_out(window, model.ask(asked, Statements))


def borne_out(window: Window, reply: Statements) -> Extracted:
    """What of a reply the window bears out.

    A mention's words stand in the last turn, and it is no pronoun; a relation's two ends are mentions of the window.
    """
    refused = [
        f"“{named.text}” is not in the turn" for named in reply.mentions if named.text not in window.now.content
    ]
    named = [n for n in reply.mentions if n.text in window.now.content and not is_pronoun(n.text)]
    mentions = unique(mention_in(window.now, _type(n.type), n.text.strip()) for n in named if n.text.strip())
    relations: list[Relation] = []
    for statement in reply.relations:
        ends = [_found(end, [*window.mentions, *mentions]) for end in (statement.source, statement.target)]
        if ends[0] and ends[1] and ends[0] != ends[1]:
            relations.append(_relation(window, statement, ends[0], ends[1]))
        else:
            refused.append(f"{statement.type} of {_told(statement.source)} and {_told(statement.target)}")
    return Extracted(tuple(mentions), first_of_each(relations), tuple(refused))


def unique(mentions: Iterable[Mention]) -> list[Mention]:
    """Each once."""
    return list(dict.fromkeys(mentions))


def first_of_each(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """The first that states this of these two."""
    found: dict[tuple[Mention, Mention, str], Relation] = {}
    for relation in relations:
        found.setdefault((relation.source, relation.target, relation.type), relation)
    return tuple(found.values())


def _relation(window: Window, statement: Statement, source: Mention, target: Mention) -> Relation:
    content = statement.description.strip()
    return stated_in(window.now, source, target, _type(statement.type), content, statement.confidence)


def _found(end: Pointer, mentions: Iterable[Mention]) -> Mention | None:
    return next((m for m in mentions if (m.turn, m.text) == (end.turn, end.text.strip())), None)


def _told(end: Pointer) -> str:
    return f"“{end.text}” (turn {end.turn})"


def _type(name: str) -> str:
    return re.sub(r"[ _-]+", "_", name.strip()).upper()
