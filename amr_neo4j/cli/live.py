"""amr receipts and status: what became of clips, and how live sources stand."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timezone
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, print_json, print_table, say, span

if TYPE_CHECKING:
    from amr_neo4j.domain.live import ClipReceipt, SourceStatus

app = App()

Video = Annotated[str, typer.Option("--video", metavar="ID", help="Of this video only.")]
Limit = Annotated[int, typer.Option(metavar="N", min=1, help="At most so many, the latest.")]
Wait = Annotated[
    float | None, typer.Option("--wait", metavar="SECONDS", min=0.0, help="Wait so long until no clip is on its way.")
]
Every = Annotated[bool, typer.Option("--all", help="Every recording, not only the latest of each source.")]


@app.command()
def receipts(
    ctx: typer.Context, video: Video = "", limit: Limit = 100, wait: Wait = None, as_json: Json = False
) -> None:
    """List what became of clips: received, analysed, committed, failed, dropped, and when.

    Of live sources also the seconds from the end of a clip to its first search hit.

    Examples:
      amr receipts
      amr receipts --video kitchen-1a2b3c4d --wait 60 --json
    """
    with options(ctx).open() as memory:
        found = memory.receipts(video, limit=limit, wait_s=wait or 0.0)
        if video and not found:
            memory.video(video, limit=1)  # raises where there is no such video
    if as_json:
        print_json([_plain(each) for each in found])
    else:
        _show_receipts(found)


@app.command()
def status(ctx: typer.Context, every: Every = False, as_json: Json = False) -> None:
    """Show how each live source of this machine stands: its last clip, lag, clips a second, failures.

    Examples:
      amr status
      amr status --all --json
    """
    with options(ctx).open() as memory:
        give(memory.status(every=every), as_json, _show_status)


def _plain(receipt: ClipReceipt) -> dict[str, Any]:
    values = {field.name: getattr(receipt, field.name) for field in fields(receipt)}
    return values | {"behind_s": receipt.behind_s}


def _show_receipts(found: list[ClipReceipt]) -> None:
    if not found:
        say("no receipts")
        return
    rows = [
        [
            *(each.video_id, span(each.t_start, each.t_end), each.state, _time(each.received_at)),
            *(_time(each.analysed_at), _time(each.committed_at or each.failed_at)),
            *("" if each.behind_s is None else f"{each.behind_s:.1f} s", each.error or ""),
        ]
        for each in found
    ]
    print_table(["video", "clip", "state", "received", "analysed", "done", "found after", "error"], rows)
    measured = [each.behind_s for each in found if each.behind_s is not None]
    if measured:
        of = f"{len(measured)} clips"
        say(
            f"from the end of a clip to its first search hit: median {median(measured):.1f} s, "
            f"at most {max(measured):.1f} s ({of})"
        )


def _show_status(found: list[SourceStatus]) -> None:
    if not found:
        say("no live source was recorded on this machine")
        return
    rows = [
        [
            *(each.source, each.running, _time(each.last_clip_ended_at)),
            *("" if each.lag_s is None else f"{each.lag_s:.0f} s", each.waiting, f"{each.clips_per_s:.2f}"),
            *(each.committed, each.failed, each.dropped, each.reconnects, each.error, each.video_id),
        ]
        for each in found
    ]
    columns = ["source", "state", "last clip", "lag", "waiting", "clips/s", "committed", "failed", "dropped"]
    print_table([*columns, "reconnects", "error", "video"], rows)


def _time(moment: datetime | None) -> str:
    """On this machine's clock, with the day where that is not today."""
    if moment is None:
        return ""
    local, today = moment.astimezone(), datetime.now(timezone.utc).astimezone().date()
    return f"{local:%H:%M:%S}" if local.date() == today else f"{local:%Y-%m-%d %H:%M:%S}"
