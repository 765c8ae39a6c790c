"""Keeps who and what was mentioned, so that pronouns can be resolved."""

from __future__ import annotations

from dataclasses import dataclass, field

from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.turn_reader.lines import Line, fold

MANY = "p"
"""The kind of a group. As the kind of a pronoun ("they"), also one person of unknown gender."""
THING = "n"
MAN = "m"
WOMAN = "f"
SOMEBODY = "mf"
"""One person of unknown gender."""
_MOST_MENTIONS = 32


@dataclass(frozen=True, slots=True)
class Referent:
    """Somebody or something that was mentioned.

    text: in lower case; empty for somebody about whom no fact was read.
    kind: MAN, WOMAN, SOMEBODY, MANY or THING.
    role: relation to the speaker, such as "sister"; empty for none.
    """

    text: str
    kind: str
    role: str = ""


@dataclass(slots=True)
class Mentions:
    """A stack of mentions, the latest last.

    named: {noun: name}, e.g. {"sister": "ana"}.
    place: what "there" stands for.
    said: the names in what was read before, folded.
    women, men: first names that only women have, and that only men have.
    sentence: counts the sentences that were read.
    nameless: {sentence: kind of a relative of somebody, who has no name}.
    unclear: {pronoun: those that it may mean}, where that is not clear.
    """

    stack: list[Referent] = field(default_factory=list[Referent])
    named: dict[str, str] = field(default_factory=dict[str, str])
    place: str = ""
    said: set[str] = field(default_factory=set[str])
    women: frozenset[str] = frozenset()
    men: frozenset[str] = frozenset()
    sentence: int = 0
    nameless: dict[int, str] = field(default_factory=dict[int, str])
    unclear: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _subject_in: dict[str, int] = field(default_factory=dict[str, int])
    _said_in: dict[str, int] = field(default_factory=dict[str, int])

    def kind_of(self, first_name: str) -> str:
        """Return WOMAN or MAN for somebody with this first name (folded); SOMEBODY if it is a name of either."""
        if first_name in self.women:
            return WOMAN
        return MAN if first_name in self.men else SOMEBODY

    def add(self, mention: Referent) -> None:
        """Put a mention on top of the stack. One with the same text is removed; its role is kept if the new one has
        none. A first name tells whether somebody is a woman or a man.
        """
        if mention.kind == SOMEBODY and mention.text:
            mention = Referent(mention.text, self.kind_of(fold(mention.text).split()[0]), mention.role)
        self._said_in[mention.text] = self.sentence
        known = next((old for old in self.stack if old.text == mention.text), None)
        if known is not None:
            self.stack.remove(known)
            mention = mention if mention.role or not known.role else known
        self.stack.append(mention)
        del self.stack[:-_MOST_MENTIONS]

    def name(self, role: str, noun: str, name: str) -> None:
        """Remember the name of the person whom a noun such as "sister" means. role: the relation to the speaker."""
        self.named[noun] = name
        self.stack = [mention for mention in self.stack if fold(mention.text) != noun or mention.role != role]

    def called(self, noun: str, line: Line) -> str:
        """Return the name of the person to whom a noun refers, or the noun as spelt if the name is not known."""
        return self.named.get(noun, line.spelling(noun))

    def resolve(self, kind: str) -> Referent | None:
        """Return the latest mention that a pronoun of this kind fits; None if no fact is known of it."""
        # A mention without text stops the search: the pronoun means that person, and not somebody before them.
        for mention in reversed(self.stack):
            if (
                kind == MANY
                or _fits(kind, mention.kind)
                or (kind == THING and relation_kind(mention.role).role == "pet")
            ):
                return mention if mention.text else None
        return None

    def about(self, mention: Referent) -> None:
        """Put what a sentence is about on top, before its objects: a pronoun of the next sentence means that."""
        self.add(mention)
        self._subject_in[mention.text] = self.sentence

    def meant(self, pronoun: str, kind: str) -> Referent | None:
        """Return whom a pronoun means. None if it fits two people of an earlier sentence; `unclear` then names them.

        The subject of that sentence comes before its objects. Within a sentence the latest is meant.
        """
        found = self.resolve(kind)
        sentence = self._said_in.get(found.text, self.sentence) if found else self.sentence
        if found is None or kind in (MANY, THING) or sentence == self.sentence:
            return found
        named = [each for each in self.stack if each.text and self._said_in.get(each.text) == sentence]
        fitting = [each for each in named if _fits(kind, each.kind)]
        # A verb without a subject may be of either gender.
        surely = [each for each in fitting if each.kind == kind] if kind in (MAN, WOMAN) else []
        fitting = surely or fitting
        about = [each for each in fitting if self._subject_in.get(each.text) == sentence]
        is_nameless = not about and self._is_nameless(kind, sentence)
        if len(about or fitting) == 1:
            return None if is_nameless else (about or fitting)[0]
        self.unclear[pronoun] = tuple(each.text for each in fitting)
        return None

    def _is_nameless(self, kind: str, sentence: int) -> bool:
        """Return whether a pronoun of this kind may mean an unnamed person of this sentence.

        Example: "Bill has a son. He ...".
        """
        return sentence in self.nameless and _fits(kind, self.nameless[sentence])

    def together(self) -> list[Referent]:
        """Return the people of the latest sentence that names any, if they are several: whom "they" means."""
        latest = self.resolve(MANY)
        sentence = self._said_in.get(latest.text) if latest else None
        named = [each for each in self.stack if each.text and self._said_in.get(each.text) == sentence]
        people = [each for each in named if each.kind not in (THING, MANY)]
        return people if latest in people and len(people) > 1 else []

    def introduced(self, name: str) -> bool:
        """Whether this name was said before, or may be one of a group that was: "three sisters: Ana is ..."."""
        return name in self.said or any(mention.kind == MANY for mention in self.stack)

    def knows(self, text: str) -> bool:
        """Return whether something with this text was mentioned."""
        return any(mention.text == text for mention in self.stack)


def _fits(kind: str, other: str) -> bool:
    """Return whether two kinds agree: a thing only with a thing, an unknown gender with either."""
    if THING in (kind, other):
        return kind == other
    return kind == other or SOMEBODY in (kind, other)
