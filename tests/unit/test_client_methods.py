"""A Client has the methods and arguments of Memory, or says that it lacks them. For type checkers it is a Memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from amr_neo4j import Client, Memory
from amr_neo4j.errors import InputError
from amr_neo4j.server import client as client_module

# The database's own care, and what only makes sense in the process that holds the memory.
ON_THE_MACHINE_OF_THE_SERVER = {
    *("check_schema", "migrate", "pending_migrations", "restore_schema", "schema_damage", "server", "browser_folder"),
    *("digest", "integrity", "repair", "unfinished_import"),
    *("index_differs", "index_is_damaged", "index_lag", "index_size", "missing_vectors", "rebuild_index", "reembed"),
    *("check_embedder", "embed_facts", "fact_embeddings", "serve_vectors", "warm_up"),
    *("alone", "connect", "deliver_alert", "film", "ledger", "open"),
}


@pytest.fixture
def there() -> Client:
    """A client of a server that nobody started: what it refuses, it refuses before it calls."""
    return Client("http://127.0.0.1:9", "amr_1_x", group="home")


def methods() -> set[str]:
    return {name for name in dir(Memory) if not name.startswith("_")}


def own(name: str) -> Callable[..., Any] | None:
    return getattr(client_module._Client, name, None)


def test_a_client_has_every_method_of_memory_but_the_care_of_the_database(there: Client) -> None:
    lacking = {name for name in methods() if not own(name) and name not in client_module._TABLE}
    assert lacking == ON_THE_MACHINE_OF_THE_SERVER
    for name in lacking:
        with pytest.raises(InputError, match=f"a server does not offer {name}"):
            getattr(there, name)


def test_no_argument_of_memory_is_dropped(there: Client) -> None:
    """A method of the client's own names every argument of Memory, or refuses those that it does not know."""
    for name in methods() - ON_THE_MACHINE_OF_THE_SERVER:
        if not inspect.isfunction(method := own(name)):
            continue
        kinds = inspect.signature(method).parameters.values()
        named = {each.name for each in kinds}
        takes_any = any(each.kind is each.VAR_KEYWORD for each in kinds)
        asked = inspect.signature(getattr(Memory, name)).parameters.values()
        missing = {each.name for each in asked if each.kind is not each.VAR_KEYWORD} - named
        assert takes_any or not missing, name


@pytest.mark.parametrize(
    ("name", "positional", "given"),
    [
        ("ingest_lines", ([],), {"timezone": "Europe/Berlin"}),
        ("ingest_lines", ([],), {"any_group": True}),
        ("ingest_clips", ([],), {"retry_failed": True}),
        ("ingest", ("film.mp4",), {"on_lag": "drop"}),
        ("explore", ("film", "What moves?"), {"video_id": "other"}),
        ("explore", ("film", "What moves?"), {"nonsense": 1}),
    ],
)
def test_an_argument_that_a_server_does_not_take_is_refused(
    there: Client, name: str, positional: tuple[Any, ...], given: dict[str, Any]
) -> None:
    """Else what it asks for would not be done, and nobody would know."""
    with pytest.raises(InputError, match=next(iter(given))):
        getattr(there, name)(*positional, **given)
