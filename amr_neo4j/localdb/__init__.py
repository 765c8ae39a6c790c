"""Runs a real Neo4j on this machine if the settings name no server."""

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

__all__ = ["Connection", "Status", "adopt", "connection", "destroy", "engine", "ensure", "start", "status", "stop"]
