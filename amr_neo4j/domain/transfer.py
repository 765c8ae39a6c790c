"""Exports: what a file of a group or a user holds, and what became of an import of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import AwareDatetime, BaseModel, Field

FORMAT, VERSION = "amr-export", 1


class Header(BaseModel):
    """The first line of an export.

    user: empty for the export of a whole group.
    model, dim: what embedded the group.
    vectors: whether the records have their vectors.
    """

    format: Literal["amr-export"] = FORMAT
    version: int = VERSION
    product: str
    created_at: AwareDatetime
    group: str
    user: str = ""
    model: str
    dim: int
    vectors: bool = False
    languages: list[str] = Field(default_factory=list[str])
    losses: list[str] = Field(default_factory=list[str])
    counts: dict[str, int]


class Footer(BaseModel):
    """The last line of an export. sha256: of all bytes before this line, uncompressed."""

    end: Literal[True] = True
    counts: dict[str, int]
    sha256: str


@dataclass(frozen=True)
class Exported:
    """An export that was written.

    user_id: empty for a whole group.
    counts: {label of the graph model: number of nodes}.
    sha256: as in the file's last line.
    waiting: turns that are not in it because they still wait on this machine.
    """

    group_id: str
    user_id: str
    counts: Mapping[str, int]
    vectors: bool
    sha256: str
    waiting: int = 0


@dataclass(frozen=True)
class Imported:
    """An export that was taken in.

    embedded: how many texts were embedded for it.
    left_out: relationships to something that neither the export nor the group has, such as the events behind a
        user's facts.
    unchanged: this export had been imported before; nothing was written.
    """

    group_id: str
    user_id: str
    counts: Mapping[str, int]
    embedded: int = 0
    left_out: int = 0
    unchanged: bool = False
