"""amr keys: the keys of the server, and the audit of what was changed with them."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, print_json, print_table, say
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import InputError

if TYPE_CHECKING:
    from amr_neo4j.server.keys import AuditedCall, Key, Keys

app = App(name="keys", no_args_is_help=True, help="Make, list and revoke the keys of amr serve.")
_DAYS_OF_UNIT = {"d": 1, "w": 7, "y": 365}


@contextmanager
def _opened(ctx: typer.Context) -> Generator[Keys]:
    from amr_neo4j.server.keys import Keys

    keys = Keys(options(ctx).settings().data_dir.expanduser())
    try:
        yield keys
    finally:
        keys.close()


@app.command()
def create(
    ctx: typer.Context,
    user: Annotated[
        list[str] | None,
        typer.Option("--user", metavar="NAME", help="User whose memory the key opens; may be repeated; * for all."),
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option("--also-group", metavar="NAME", help="A further group; may be repeated.")
    ] = None,
    scope: Annotated[
        str, typer.Option("--scope", metavar="LIST", help="What it may do: read, write, forget, admin.")
    ] = "read",
    expires: Annotated[str, typer.Option("--expires", metavar="TIME", help="When it expires, like 90d or 52w.")] = "",
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="What you call the key.")] = "",
    as_json: Json = False,
) -> None:
    """Make a key for one group (--group), or for several. It is shown once.

    Without a user it opens the videos alone. amr --group '*' opens all groups.

    Examples:
      amr --group home keys create --user anna --scope read,write --expires 90d
      amr --group home keys create --user '*' --scope read,write,forget --name assistant
    """
    now = datetime.now(UTC)
    with _opened(ctx) as keys:
        key, text = keys.create(
            name=name,
            groups=[options(ctx).settings().group, *(also or ())],
            users=user or (),
            scopes=[part.strip() for part in scope.split(",") if part.strip()],
            now=now,
            expires_at=now + _span(expires) if expires else None,
        )
    if as_json:
        print_json({"key": text, "id": key.id})
        return
    say(text)
    note("keep it now: it is not shown again")


def _span(text: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,5})([dwy])", text)
    if not found:
        raise InputError(f"--expires {text} is no time", hint="write days, weeks or years, like 90d, 52w or 1y")
    return timedelta(days=int(found[1]) * _DAYS_OF_UNIT[found[2]])


@app.command("list")
def list_(ctx: typer.Context, as_json: Json = False) -> None:
    """List the keys, also those that are revoked or have expired.

    Example:
      amr keys list
    """
    with _opened(ctx) as keys:
        give(keys.all(), as_json, _show)


def _state(key: Key, now: datetime) -> str:
    if key.revoked_at:
        return "revoked"
    return "valid" if key.is_valid(now) else "expired"


def _show(found: Sequence[Key]) -> None:
    now = datetime.now(UTC)
    rows = [
        (
            key.id,
            key.name,
            ", ".join(key.groups),
            ", ".join(key.users),
            ",".join(key.scopes),
            _state(key, now),
            key.expires_at,
            key.last_used,
        )
        for key in found
    ]
    columns = ["key", "name", "groups", "users", "may", "state", "expires", "last used"]
    print_table(columns, rows, empty="no keys: amr keys create makes one")


@app.command()
def revoke(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Id of the key: amr keys list.")],
    as_json: Json = False,
) -> None:
    """Revoke a key. Servers refuse it within a second.

    Example:
      amr keys revoke 3f9a1c
    """
    with _opened(ctx) as keys:
        revoked = keys.revoke(key, datetime.now(UTC))
    give(revoked, as_json, lambda _: say(f"{revoked.id} is revoked"))


@app.command()
def audit(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1_000_000, help="At most this many.")] = 50,
    as_json: Json = False,
) -> None:
    """List what was written and forgotten over the server, the latest first.

    Example:
      amr keys audit --limit 200
    """
    with _opened(ctx) as keys:
        give(keys.audit(limit), as_json, _show_changes)


def _show_changes(found: Sequence[AuditedCall]) -> None:
    from amr_neo4j.server.keys import BEGUN

    status = {BEGUN: "begun"}
    rows = [
        (
            each.at,
            each.key_id,
            each.group_id,
            each.user_id,
            status.get(each.status, each.status),
            each.action,
            each.of,
        )
        for each in found
    ]
    print_table(["at", "key", "group", "user", "status", "call", "path"], rows, empty="nothing yet")
