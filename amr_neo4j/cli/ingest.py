"""amr ingest: take videos and clip analyses into memory."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.bounds import wall_clock
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import note, print_json, say, spent
from amr_neo4j.errors import InputError, ModelFailed

if TYPE_CHECKING:
    from amr_neo4j.domain.receipt import IngestReport, Watch
    from amr_neo4j.memory import Memory

app = App()

_NOTES_SHOWN = 5

_PLACES = "Video files, .jsonl files, folders or globs; - reads JSON lines from standard input."
Places = Annotated[list[str], typer.Argument(metavar="PLACE", help=_PLACES)]
ClipLength = Annotated[float | None, typer.Option(metavar="SECONDS", help="Length of a clip. Default: 10.")]
VideoId = Annotated[
    str, typer.Option(metavar="ID", help="Id of the video. Default: its file name and a fingerprint of its content.")
]
Place = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Place of the videos; videos of one place share objects. Default: the video itself."
    ),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Analyse failed and skipped clips of earlier runs again.")
]
SkipFailed = Annotated[
    bool, typer.Option("--skip-failed", help="Skip clips that fail, now or earlier, and commit those after them.")
]
AnyGroup = Annotated[
    bool, typer.Option("--any-group", help="Also take JSON lines that name a group other than --group.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="USD",
        min=0.0,
        help="Limit on the cost of all model calls, US dollars. Default: no limit.",
    ),
]
Which = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="local, vision, or auto: vision if a provider is chosen. Default: auto."),
]
Start = Annotated[
    datetime | None,
    typer.Option(metavar="TIME", parser=wall_clock, help="When the video starts, like 2026-03-01T09:00:00+01:00."),
]


@app.command(
    epilog="""\b
Examples:
  amr ingest kitchen.mp4 --place home --recorded-at 2026-03-01T09:00:00+01:00
  amr ingest recordings/ 'more/**/*.mkv' analyses.jsonl
  amr ingest recordings/ --retry-failed
  amr --group demo ingest - --json"""
)
def ingest(
    ctx: typer.Context,
    places: Places,
    target_clip_sec: ClipLength = None,
    video_id: VideoId = "",
    place: Place = "",
    recorded_at: Start = None,
    retry_failed: RetryFailed = False,
    skip_failed: SkipFailed = False,
    any_group: AnyGroup = False,
    analyser: Which = None,
    max_cost: MaxCost = None,
    as_json: Json = False,
) -> None:
    """Ingest videos, or clip analyses in JSON lines.

    Clips that are stored already stay unchanged, so an interrupted run can be repeated. Exits with code 65 (data
    error) if a clip was rejected, and with code 69 (unavailable) if a model failed on a clip; the others are kept.
    """
    if "-" in places and (len(places) > 1 or video_id or place or recorded_at):
        raise typer.BadParameter("- cannot be combined with other places, --video-id, --place or --recorded-at")
    from amr_neo4j.cli.progress import watching

    given = options(ctx)
    try:
        with (
            given.open(target_clip_sec=target_clip_sec, analyser=analyser, max_cost_usd=max_cost) as memory,
            watching() as watch,
        ):
            report = _take(
                memory,
                places,
                watch,
                video_id=video_id,
                place=place,
                recorded_at=recorded_at,
                retry_failed=retry_failed,
                skip_failed=skip_failed,
                any_group=any_group,
            )
    except KeyboardInterrupt:
        note("amr: interrupted; committed clips are kept, and the same command continues from there")
        raise
    if as_json:
        print_json(report)
    else:
        _show(report, every_note=given.verbose)
    if report.rejected or report.failed:
        raise typer.Exit(InputError.exit_code if report.rejected else ModelFailed.exit_code)


def _take(memory: Memory, places: list[str], watch: Watch, **how: Any) -> IngestReport:
    if places == ["-"]:
        from amr_neo4j.media.sources import lines_of

        name, any_group = "stdin", how["any_group"]
        return memory.ingest_lines(lines_of(sys.stdin.buffer), name=name, any_group=any_group, watch=watch)
    return memory.ingest(*places, **how, watch=watch)


def _show(report: IngestReport, *, every_note: bool) -> None:
    shown = report.notes if every_note else report.notes[:_NOTES_SHOWN]
    for line in shown:
        note(f"note: {line}")
    if len(report.notes) > len(shown):
        note(f"and {len(report.notes) - len(shown)} more notes; to see all, add -v")
    counts = f"{report.committed} clips committed, {report.unchanged} unchanged, {report.rejected} rejected"
    for outcome in ("failed", "skipped", "held"):
        number = getattr(report, outcome)
        counts += f", {number} {outcome}" if number else ""
    say(f"{counts}; {report.events} events in {report.video_seconds:g} s of video")
    if report.usage.calls:
        say(spent(report.usage))
    if report.failed:
        note("to analyse failed clips again, add --retry-failed; to skip them, add --skip-failed")
