"""A real Neo4j on this machine, for when there is no server to point at."""

from amr_neo4j.localdb.database import Connection, Status, connection, destroy, engine, ensure, start, status, stop

__all__ = ["Connection", "Status", "connection", "destroy", "engine", "ensure", "start", "status", "stop"]
