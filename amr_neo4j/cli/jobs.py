"""amr jobs: the long work of a server, live sources among it. It needs --server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.ingest import Place, TimeZone
from amr_neo4j.cli.options import Cursor, Json, Latest, options
from amr_neo4j.cli.printing import give, print_table
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import InputError

if TYPE_CHECKING:
    from amr_neo4j.server.jobs import Job

app = App(name="jobs", no_args_is_help=True, help="List and steer the jobs of a server: films, live sources, nights.")
JobId = Annotated[str, typer.Argument(metavar="ID", help="Id of the job: amr jobs list.")]
Address = Annotated[
    str, typer.Argument(metavar="URL", help="Address of the source, as the server sees it: docs/live.md.")
]


def _server(ctx: typer.Context) -> Any:
    if not options(ctx).server:
        raise InputError("jobs are those of a server", hint="name it: amr --server URL --key KEY jobs ...")
    return options(ctx).open()


@app.command("list")
def list_(ctx: typer.Context, limit: Latest = 100, cursor: Cursor = "", as_json: Json = False) -> None:
    """List the jobs, the latest first.

    Example:
      amr --server https://box.home:8378 jobs list
    """
    with _server(ctx) as server:
        give(server.jobs(limit=limit, cursor=cursor), as_json, _show)


@app.command()
def add(ctx: typer.Context, url: Address, place: Place = "", timezone: TimeZone = "", as_json: Json = False) -> None:
    """Have the server take in a live source from now on. Its setting serve_sources names the hosts that it may read.

    Example:
      amr --server https://box.home:8378 jobs add rtsp://camera/stream --place porch
    """
    with _server(ctx) as server:
        give([server.add_source(url, place=place, timezone=timezone)], as_json, _show)


@app.command()
def cancel(ctx: typer.Context, job_id: JobId, as_json: Json = False) -> None:
    """End a job after the clip that is under way, or pause a live source. What was committed stays.

    Example:
      amr --server https://box.home:8378 jobs cancel 5f0c...
    """
    with _server(ctx) as server:
        give([server.cancel_job(job_id)], as_json, _show)


@app.command()
def retry(ctx: typer.Context, job_id: JobId, as_json: Json = False) -> None:
    """Begin a job again that failed or was cancelled, or go on with a live source.

    Example:
      amr --server https://box.home:8378 jobs retry 5f0c...
    """
    with _server(ctx) as server:
        give([server.retry_job(job_id)], as_json, _show)


@app.command()
def remove(ctx: typer.Context, job_id: JobId, as_json: Json = False) -> None:
    """Remove a job that has ended, or a live source that is paused, from the list. What was taken in stays.

    Example:
      amr --server https://box.home:8378 jobs remove 5f0c...
    """
    with _server(ctx) as server:
        give([server.remove_job(job_id)], as_json, _show)


def _show(found: Sequence[Job]) -> None:
    rows = [
        (
            *(job.id, job.action, job.state, " ".join(job.arguments.get("places", ()))),
            *(job.progress.get("clips", ""), job.changed_at, job.error),
        )
        for job in found
    ]
    print_table(["job", "does", "state", "of", "clips", "changed", "error"], rows, empty="no job")
