"""Keeps who and what was mentioned, so that pronouns can be resolved."""

from __future__ import annotations

from dataclasses import dataclass, field

from amr_neo4j.turn_reader.lines import fold

MANY = "p"
"""The kind of a group. As the kind of a pronoun ("they"), also one person of unknown gender."""
THING = "n"
MAN = "m"
WOMAN = "f"
SOMEBODY = "mf"
"""One person of unknown gender."""
_KEPT = 32
_ANIMALS = frozenset({"dog", "cat", "pet"})


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody or something that was mentioned.

    text: in lower case; empty if somebody was named of whom no fact was read. kind: MAN, WOMAN, SOMEBODY, MANY or
    THING. role: relation to the speaker, such as "sister"; empty for none.
    """

    text: str
    kind: str
    role: str = ""


@dataclass(slots=True)
class Mentions:
    """A stack of mentions, the latest last.

    named: {noun: name}, e.g. {"sister": "ana"}. place: what "there" stands for. said: the names in what was read
    before, folded.
    """

    stack: list[Mention] = field(default_factory=list[Mention])
    named: dict[str, str] = field(default_factory=dict[str, str])
    place: str = ""
    said: set[str] = field(default_factory=set[str])

    def add(self, mention: Mention) -> None:
        """Put a mention on top of the stack. One with the same text is removed; its role is kept if the new one has
        none.
        """
        known = next((old for old in self.stack if old.text == mention.text), None)
        if known is not None:
            self.stack.remove(known)
            mention = mention if mention.role or not known.role else known
        self.stack.append(mention)
        del self.stack[:-_KEPT]

    def name(self, role: str, noun: str, name: str) -> None:
        """Remember the name of the person whom a noun such as "sister" means. role: the relation to the speaker."""
        self.named[noun] = name
        self.stack = [mention for mention in self.stack if fold(mention.text) != noun or mention.role != role]

    def resolve(self, kind: str) -> Mention | None:
        """Return the latest mention that a pronoun of this kind fits; None if no fact is known of it."""
        # A mention without text stops the search: the pronoun means that person, and not somebody before them.
        for mention in reversed(self.stack):
            if kind == MANY or _fits(kind, mention.kind) or (kind == THING and mention.role in _ANIMALS):
                return mention if mention.text else None
        return None

    def introduced(self, name: str) -> bool:
        """Whether this name was said before, or may be one of a group that was: "three sisters: Ana is ..."."""
        return name in self.said or any(mention.kind == MANY for mention in self.stack)

    def knows(self, text: str) -> bool:
        """Whether something with this text was mentioned."""
        return any(mention.text == text for mention in self.stack)


def _fits(kind: str, other: str) -> bool:
    """Whether two kinds agree: a thing only with a thing, an unknown gender with either."""
    if THING in (kind, other):
        return kind == other
    return kind == other or SOMEBODY in (kind, other)
