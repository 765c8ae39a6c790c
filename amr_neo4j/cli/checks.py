"""The checks of amr doctor, in order, and their dependencies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amr_neo4j.cli import graph_checks as graph
from amr_neo4j.cli import integrity_checks as integrity
from amr_neo4j.cli import machine_checks as machine
from amr_neo4j.cli import package_checks as package
from amr_neo4j.settings import Settings


@dataclass(frozen=True)
class Check:
    """run: returns what it found, or raises an AmrError with the remedy. needs: checks that must pass first.

    deep: reads everything; only run by --deep.
    """

    run: Callable[[Settings], str]
    needs: tuple[str, ...] = ()
    deep: bool = False

    @property
    def name(self) -> str:
        """The name shown to the user."""
        return self.run.__name__


CHECKS = (
    Check(machine.disk),
    Check(package.python),
    Check(package.packages),
    Check(machine.java),
    Check(machine.ffmpeg),
    Check(machine.models),
    Check(machine.spool),
    Check(graph.database),
    Check(graph.version, ("database",)),
    Check(graph.schema, ("version",)),
    Check(graph.indexes, ("schema",)),
    Check(integrity.counters, ("indexes",)),
    Check(integrity.events, ("indexes",)),
    Check(integrity.receipts, ("indexes",)),
    Check(integrity.edges, ("indexes",)),
    Check(integrity.channels, ("edges",), deep=True),
    Check(integrity.fulltext, ("indexes",), deep=True),
    Check(graph.vectors, ("schema",)),
    Check(graph.groups, ("schema",)),
    Check(graph.group, ("schema", "models")),
    Check(graph.index, ("group",)),
    Check(graph.dense, ("index",), deep=True),
)
