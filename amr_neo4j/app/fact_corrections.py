"""Facts that a person looks up and puts right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amr_neo4j.domain.belief import FactView
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.language.languages import language
from amr_neo4j.store.write.facts import FactHand

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_LIST = "amr facts list shows the ids"


class FactCorrections:
    """The facts of one user."""

    def __init__(self, parts: Parts, user_id: str) -> None:
        self._parts = parts
        self._user_id = user_id
        self._hand = FactHand(parts.database, parts.group_id, user_id, parts.now)

    def fact(self, prefix: str) -> FactView:
        """The one fact whose id begins so."""
        found = self._hand.find(prefix.casefold())
        if not found:
            raise NotInMemory(f"no fact {prefix} of {self._user_id}", hint=_LIST)
        if len(found) > 1:
            raise InputError(f"several facts begin with {prefix}", hint=f"give more of the id: {_LIST}")
        return found[0]

    def restore(self, prefix: str) -> FactView:
        """Believe it again."""
        fact = self.fact(prefix)
        if not self._hand.restore(fact.fact_id):
            raise InputError(f"{fact.text!r} is believed: there is nothing to undo", hint="amr facts show tells why")
        return self._changed(fact.fact_id)

    def pin(self, prefix: str, *, pinned: bool) -> FactView:
        """Keep it as it is, or no longer."""
        fact = self.fact(prefix)
        self._hand.pin(fact.fact_id, pinned=pinned)
        return self._changed(fact.fact_id)

    def correct(self, prefix: str, words: str) -> FactView:
        """Put another object in its place."""
        fact, said = self.fact(prefix), " ".join(words.split())
        if not said or said.casefold() == fact.triple.object:
            raise InputError(f"{fact.text!r} says that already" if said else "no words to correct it to", hint=_LIST)
        triple = fact.triple._replace(object=said.casefold())
        text = language(fact.language).bullets.bullet(triple, said)
        return self._changed(self._hand.correct(fact.fact_id, triple, text))

    def _changed(self, name: str) -> FactView:
        if self._parts.has_live_chats:
            self._parts.live_chats.reload(self._user_id)
        return self.fact(name)
