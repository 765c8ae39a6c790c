"""Checks that a group was embedded with the embedder in use. Vectors of different models cannot be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amr_neo4j.domain.ports import Embedder, Follow
from amr_neo4j.errors import EmbedderMismatch, NotInMemory


@dataclass(frozen=True)
class Admission:
    """Compares the model that embedded a group with the embedder in use.

    The methods take (model, dimension) of the group, or None for an empty group.

    embedder: returns the embedder in use. `admit` does not call it for an empty group.
    """

    group_id: str
    embedder: Callable[[], Embedder]
    follow: Follow = lambda embedded: False

    def admit(self, embedded: tuple[str, int] | None) -> None:
        """Raises NotInMemory: the group is empty; EmbedderMismatch."""
        if embedded is None:
            # The groups that exist are not named: this line may reach somebody who must not know of them.
            hint = "take something in: amr ingest kitchen.mp4; or name one of amr groups by --group or AMR_GROUP"
            raise NotInMemory(f"nothing has been taken into group {self.group_id} yet", hint=hint)
        self.model_for(embedded)

    def model_for(self, embedded: tuple[str, int] | None) -> str:
        """Return the model in use. Raises EmbedderMismatch: another one embedded the group."""
        embedder = self.embedder()
        if embedded and embedded != (embedder.model, embedder.dim):
            if not self.follow(embedded):
                raise embedder_mismatch(self.group_id, embedded, (embedder.model, embedder.dim))
            return self.embedder().model
        return embedder.model


def embedder_mismatch(group_id: str, embedded: tuple[str, int], asked: tuple[str, int]) -> EmbedderMismatch:
    """Return the error that a group was embedded with another model. embedded, asked: (model, dimension)."""
    error = EmbedderMismatch(
        f"group {group_id} is embedded by {embedded[0]} ({embedded[1]} dimensions), "
        f"the settings ask for {asked[0]} ({asked[1]})",
        hint="set embedder back, or run: amr index reembed",
    )
    error.embedded = embedded
    return error
