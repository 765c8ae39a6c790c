"""What amr doctor checks, in order, and what each check rests on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amr_neo4j.cli import graph_checks as graph
from amr_neo4j.cli import machine_checks as machine
from amr_neo4j.cli import package_checks as package
from amr_neo4j.settings import Settings


@dataclass(frozen=True)
class Check:
    """Says what it found, or raises the AmrError that says what to run. needs: checks it is no use without."""

    run: Callable[[Settings], str]
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As a user sees it."""
        return self.run.__name__


CHECKS = (
    Check(package.python),
    Check(package.packages),
    Check(machine.java),
    Check(machine.ffmpeg),
    Check(machine.models),
    Check(machine.disk),
    Check(machine.spool),
    Check(graph.database),
    Check(graph.version, ("database",)),
    Check(graph.schema, ("version",)),
    Check(graph.indexes, ("schema",)),
    Check(graph.vectors, ("schema",)),
    Check(graph.group, ("schema", "models")),
    Check(graph.index, ("group",)),
)
