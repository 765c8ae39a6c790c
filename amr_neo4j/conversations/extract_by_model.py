"""Extract the mentions and relations of a turn by a model.

The model also sees the turns just before it (specification 004, section 6).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from amr_neo4j.domain.chat import Prompt
from amr_neo4j.domain.mention import (
    Extracted,
    Mention,
    NameWords,
    Relation,
    Window,
    mention_in,
    placed,
    stated_in,
    whole_words,
)
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import Pointer, Statement, Statements
from amr_neo4j.language.languages import Language, folded_first_names, titles_anywhere
from amr_neo4j.prompts.library import prompt

# The model sees this many characters of each turn, because a turn may be a pasted document.
_CHARACTERS_SHOWN = 4000
# What models write for "I", besides what the prompt asks for.
_SPEAKER = ("speaker", "the speaker")


def by_model(window: Window, model: ChatModel, language: Language) -> Extracted:
    """Return what the last turn mentions and states, as far as the window supports it. Raises ModelError."""
    reply, notes = model.ask(asked_about(window), Statements)
    found = supported(window, reply, language)
    return replace(found, refused=(*found.refused, *(note for note in notes if "dropped, because" in note)))


def asked_about(window: Window) -> Prompt:
    """Return the prompt for the last turn of a window."""
    turns = "\n".join(f"turn {placed(e)}, {e.actor}: {e.content[:_CHARACTERS_SHOWN]}" for e in window.episodes)
    mentioned = "\n".join(f"turn {m.turn}: {m.text} ({m.type})" for m in window.mentions) or "nothing"
    return prompt("mentions", window=turns, mentioned=mentioned, turn=placed(window.now))


def supported(window: Window, reply: Statements, language: Language) -> Extracted:
    """Return the part of a reply that the window supports, with a line for each statement that was refused.

    A mention must be words of the last turn and not a pronoun. Both ends of a relation must be mentions in the
    window, or the speaker, who is a mention by the name of the actor.
    """
    content = window.now.content
    texts = [(named, written(named.text.strip(), content, _type(named.type))) for named in reply.mentions]
    refused = [f"“{named.text}” is not in the turn" for named, text in texts if not text]
    mentions = unique(
        mention_in(window.now, _type(named.type), text)
        for named, text in texts
        if text and not language.is_pronoun(text)
    )
    relations: list[Relation] = []
    for statement in reply.relations:
        ends = [_end(end, window, mentions, language) for end in (statement.source, statement.target)]
        if ends[0] and ends[1] and ends[0] != ends[1]:
            relations.append(_relation(window, statement, ends[0], ends[1]))
        else:
            refused.append(f"{statement.type} of {_pointer(statement.source)} and {_pointer(statement.target)}")
    ends = [end for relation in relations for end in (relation.source, relation.target)]
    speaker = [end for end in ends if end.episode_id == window.now.episode_id]
    return Extracted(tuple(unique([*mentions, *speaker])), first_of_each(relations), tuple(refused))


def unique(mentions: Iterable[Mention]) -> list[Mention]:
    """Return each mention once, in order."""
    return list(dict.fromkeys(mentions))


def first_of_each(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Return the first relation of each type between the same two mentions."""
    found: dict[tuple[Mention, Mention, str], Relation] = {}
    for relation in relations:
        found.setdefault((relation.source, relation.target, relation.type), relation)
    return tuple(found.values())


def written(words: str, text: str, kind: str) -> str:
    """Return the words as the text spells them, in any case and with its marks; empty if it does not have them.

    kind: the type of the mention that they are.
    """
    names = NameWords(folded_first_names(), titles_anywhere())
    if whole_words(re.escape(words), text, kind, names):
        return words
    pattern = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", folded(words)))
    found = whole_words(pattern, text, kind, names, folded=folded(text)) if pattern else None
    return text[found.start() : found.end()] if found else ""


def folded(text: str) -> str:
    """Return the text in lower case without accents. The length stays the same, so that offsets fit both texts."""
    return "".join(_plain(letter) for letter in text)


@cache
def _plain(letter: str) -> str:
    plain = unicodedata.normalize("NFD", letter)[:1].lower()
    return plain if len(plain) == 1 else letter


def _relation(window: Window, statement: Statement, source: Mention, target: Mention) -> Relation:
    kind, content = _type(statement.type), statement.description.strip()
    return stated_in(window.now, source, target, kind=kind, content=content, confidence=statement.confidence)


def _end(end: Pointer, window: Window, mentions: Sequence[Mention], language: Language) -> Mention | None:
    """Return the mention that a model points at.

    If the model writes another case, or names another turn with the same words, that is corrected.
    """
    # "I" in an earlier turn is whoever spoke then. A turn that is not in the window is a slip.
    actor = next((said.actor for said in window.episodes if said.turn == end.turn), window.now.actor)
    # Models also point at the speaker by the name that the turn is shown with.
    if language.is_first_person(end.text) or folded(end.text.strip()) == folded(actor):
        known = _by_name(actor, window, mentions)
        return known or (mention_in(window.now, "PERSON", actor) if actor == window.now.actor else None)
    named = [m for m in (*window.mentions, *mentions) if folded(m.text) == folded(end.text.strip())]
    # By turn first: the same words in two turns are two mentions, and may mean different people.
    if not named and folded(end.text.strip()) in _SPEAKER:
        return _end(end.model_copy(update={"text": actor}), window, mentions, language)
    return next((m for m in named if m.turn == end.turn), named[-1] if len({m.turn for m in named}) == 1 else None)


def _by_name(name: str, window: Window, mentions: Sequence[Mention]) -> Mention | None:
    same = [m for m in (*window.mentions, *mentions) if m.type == "PERSON" and folded(m.text) == folded(name)]
    return same[-1] if same else None


def _pointer(end: Pointer) -> str:
    return f"“{end.text}” (turn {end.turn})"


def _type(name: str) -> str:
    # Models write types as "lives in" or "Lives-In". The graph has LIVES_IN.
    return re.sub(r"[ _-]+", "_", name.strip()).upper()
