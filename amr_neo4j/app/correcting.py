"""Facts that a person looks up or corrects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from amr_neo4j.domain.belief import FactView
from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.masking import has_mask, mask_secrets
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader import extract

if TYPE_CHECKING:
    from amr_neo4j.store.write.facts import FactHand

_LIST = "amr facts list shows the ids"


@dataclass(frozen=True, kw_only=True)
class FactCorrections:
    """The facts of one user, or those of the group's videos if user_id is empty.

    hand: reads and changes them in the graph.
    changed: called after each change.
    """

    user_id: str
    hand: FactHand
    changed: Callable[[], None]

    def fact(self, prefix: str) -> FactView:
        """Return the one fact whose id begins with the prefix.

        Raises NotInMemory: no id begins with it. Raises InputError: several ids do.
        """
        # Ids are lower-case hex digits.
        found = self.hand.find(prefix.casefold())
        if not found:
            raise NotInMemory(f"no fact {prefix} of {self.user_id or 'the group'}", hint=_LIST)
        if len(found) > 1:
            raise InputError(f"several facts begin with {prefix}", hint=f"give more of the id: {_LIST}")
        return found[0]

    def restore(self, prefix: str) -> FactView:
        """Believe a fact again. Raises InputError if it is believed already."""
        fact = self.fact(prefix)
        if not self.hand.restore(fact.fact_id):
            raise InputError(f"{fact.text!r} is believed: there is nothing to undo", hint="amr facts show tells why")
        return self._after_change(fact.fact_id)

    def pin(self, prefix: str, *, pinned: bool) -> FactView:
        """Pin a fact, or unpin it. A pinned fact does not decay, and nothing retires it."""
        fact = self.fact(prefix)
        self.hand.pin(fact.fact_id, pinned=pinned)
        return self._after_change(fact.fact_id)

    def correct(self, prefix: str, words: str) -> FactView:
        """Replace a fact by one with another object. words: the object, or a sentence that states it.

        Raises InputError: no words are given, the fact says so already, or the words hold a secret.
        """
        fact, said = self.fact(prefix), " ".join(words.split())
        # What people in videos say of themselves is a fact of the group, so a correction may be in their words, too.
        object_ = stated_object(fact.triple, fact.text, fact.language, said, of_speaker=not self.user_id)
        if object_ in ("", fact.triple.object):
            raise InputError(f"{fact.text!r} says that already" if said else "no words to correct it to", hint=_LIST)
        if has_mask(mask_secrets(said)):
            raise InputError("facts hold no secrets such as keys, cards and passwords", hint="name another object")
        # The triple is in lower case; its sentence keeps the words as they were given.
        triple = fact.triple._replace(object=object_)
        text = language(fact.language).bullets.bullet(triple, said)
        return self._after_change(self.hand.correct(fact.fact_id, triple, text))

    def _after_change(self, fact_id: str) -> FactView:
        self.changed()
        return self.fact(fact_id)


def stated_object(triple: Triple, text: str, code: str, words: str, *, of_speaker: bool = False) -> str:
    """Return the object that somebody's words give to a fact, in lower case.

    The words may also be a sentence: that of the fact with another object ("You live in Ghent"), or what the user
    would say ("I live in Ghent").

    text, code: the sentence of the fact and its language.
    of_speaker: the subject may be who says the words.
    """
    before, _, after = text.casefold().rpartition(triple.object)
    said = words.casefold()
    if before and said.startswith(before) and said.endswith(after):
        return said.removeprefix(before).removesuffix(after).strip()
    subjects = {triple.subject, SPEAKER} if of_speaker else {triple.subject}
    stated = [each[2] for each in extract(words, code) if each[0] in subjects and each[1] == triple.relation]
    return stated[0] if len(stated) == 1 else said
