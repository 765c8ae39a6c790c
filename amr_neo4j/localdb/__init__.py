"""Runs a real Neo4j on this machine if the settings name no server."""

from amr_neo4j.localdb.backup import Backup, backup, restore
from amr_neo4j.localdb.database import (
    Connection,
    Status,
    adopt,
    connection,
    destroy,
    engine,
    ensure,
    start,
    status,
    stop,
)

__all__ = [
    "Backup",
    "Connection",
    "Status",
    "adopt",
    "backup",
    "connection",
    "destroy",
    "engine",
    "ensure",
    "restore",
    "start",
    "status",
    "stop",
]
