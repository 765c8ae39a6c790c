"""amr ingest: take videos and clip analyses into memory."""

from __future__ import annotations

import sys
from datetime import datetime
from io import BufferedReader
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.bounds import wall_clock
from amr_neo4j.cli.options import Json, options, terminated_as_interrupted
from amr_neo4j.cli.printing import count, note, print_json, say, spent
from amr_neo4j.errors import InputError, ModelFailed

if TYPE_CHECKING:
    from amr_neo4j.domain.receipt import IngestReport, Watch
    from amr_neo4j.memory import Memory

app = App()

_PLACES_SHOWN = 3
_VIDEOS_SHOWN = 3
_NOTES_SHOWN = 5
_HEAD = 64  # bytes

_PLACES = (
    "Video files, .jsonl files, folders or globs; live sources (rtsp://, http://, a device such as /dev/video0); "
    "- reads JSON lines or a film from standard input."
)
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
Precut = Annotated[
    bool,
    typer.Option(
        "--precut",
        help="The files of a folder or playlist (.m3u8, .csv) are clips of one video; names or playlist tell times.",
    ),
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
OnLagOption = Annotated[
    str,
    typer.Option(
        "--on-lag",
        metavar="HOW",
        help="Live, when analysis is slower: wait (pause the source), drop (the oldest), sample (every second).",
    ),
]
Reconnect = Annotated[
    float | None,
    typer.Option(
        "--reconnect", metavar="SECONDS", min=0.0, help="Live: how long a lost source is tried again. Default: 300."
    ),
]
Wait = Annotated[
    bool, typer.Option("--wait", help="Search for each clip until it is found, and show how long that took.")
]
Follow = Annotated[bool, typer.Option("--follow", help="Take in a file while it grows, until it does no more.")]
On = Annotated[
    str,
    typer.Option(
        metavar="WHERE", help="Run on Ray, one task for each file: local (this machine) or ray://HOST:PORT."
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


@app.command()
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
    precut: Precut = False,
    analyser: Which = None,
    max_cost: MaxCost = None,
    on_lag: OnLagOption = "wait",
    reconnect: Reconnect = None,
    wait: Wait = False,
    follow: Follow = False,
    on: On = "",
    as_json: Json = False,
) -> None:
    """Take in videos, live sources, or clip analyses in JSON lines.

    Live sources are recorded until they end. Ctrl-C completes the clip in hand and analyses what was recorded.

    Clips that are stored already stay unchanged, so an interrupted run can be repeated. Exits with code 65 (data
    error) if a clip was rejected, and with code 69 (unavailable) if a model failed on a clip; the others are kept.

    Examples:
      amr ingest kitchen.mp4 --place home --recorded-at 2026-03-01T09:00:00+01:00
      amr ingest recordings/ 'more/**/*.mkv' analyses.jsonl
      amr ingest recordings/ --retry-failed
      amr ingest segments/ --precut --video-id hall
      amr --group demo ingest - --json
    """
    is_lines = "-" in places and _holds_lines()
    if is_lines and (len(places) > 1 or video_id or place or recorded_at or precut or on):
        message = "- cannot be combined with other places, --video-id, --place, --recorded-at, --precut or --on"
        raise typer.BadParameter(message)
    from amr_neo4j.cli.progress import watching

    given = options(ctx)
    try:
        with (
            watching(f"taking in {_listed(places)}") as watch,
            given.open(
                target_clip_sec=target_clip_sec,
                analyser=analyser,
                max_cost_usd=max_cost,
                live_reconnect_sec=reconnect,
            ) as memory,
            terminated_as_interrupted(),
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
                on_lag=on_lag,
                wait=wait,
                follow=follow,
                is_lines=is_lines,
                precut=precut,
                on=on,
            )
    except KeyboardInterrupt:
        note("amr: interrupted; committed clips are kept, and the same command continues from there")
        raise
    if as_json:
        print_json(report)
    else:
        show_report(report, every_note=given.verbose)
    if report.rejected or report.failed:
        raise typer.Exit(InputError.exit_code if report.rejected else ModelFailed.exit_code)


def _listed(places: list[str]) -> str:
    from amr_neo4j.media.live_address import without_secrets

    more = f" and {len(places) - _PLACES_SHOWN} more" if len(places) > _PLACES_SHOWN else ""
    shown = ("standard input" if place == "-" else without_secrets(place) for place in places[:_PLACES_SHOWN])
    return ", ".join(shown) + more


def _holds_lines() -> bool:
    """Whether standard input begins as text does; a film has control characters in its first bytes."""
    stdin = sys.stdin.buffer
    head = stdin.peek(_HEAD)[:_HEAD] if isinstance(stdin, BufferedReader) else b""
    return not any(byte < 9 or 14 <= byte < 27 for byte in head)


def _take(memory: Memory, places: list[str], watch: Watch, *, is_lines: bool, **how: Any) -> IngestReport:
    if is_lines:
        from amr_neo4j.media.source_files import lines_of

        name, any_group = "stdin", how["any_group"]
        return memory.ingest_lines(lines_of(sys.stdin.buffer), name=name, any_group=any_group, watch=watch)
    return memory.ingest(*places, **how, watch=watch)


def show_report(report: IngestReport, *, every_note: bool) -> None:
    """Print what became of the clips."""
    shown = report.notes if every_note else report.notes[:_NOTES_SHOWN]
    for line in shown:
        note(f"note: {line}")
    if len(report.notes) > len(shown):
        note(f"and {len(report.notes) - len(shown)} more notes; to see all, add -v")
    if report.lines_left_out:
        note(f"and {count(report.lines_left_out, 'line')} that a report has no room for: amr receipts")
    counts = f"{count(report.committed, 'clip')} committed, {report.unchanged} unchanged, {report.rejected} rejected"
    for outcome in ("failed", "skipped", "held", "dropped"):
        number = getattr(report, outcome)
        counts += f", {number} {outcome}" if number else ""
    say(f"{counts}; {count(report.events, 'event')} in {report.video_seconds:g} s of video")
    if report.videos:
        more = (
            f" and {len(report.videos) - _VIDEOS_SHOWN} more: amr videos"
            if len(report.videos) > _VIDEOS_SHOWN
            else ""
        )
        say(f"taken in as {', '.join(report.videos[:_VIDEOS_SHOWN])}{more}")
    if report.first_hit_s:
        of = f"median {median(report.first_hit_s):.1f} s, at most {max(report.first_hit_s):.1f} s"
        say(f"found by search after {of} ({count(len(report.first_hit_s), 'clip')})")
    if report.usage.calls:
        say(spent(report.usage))
    if any(": line " in line for line in report.errors):
        note("the form of a line: amr config schema, docs/clip-analyses.md")
    if report.failed:
        note("to analyse failed clips again, add --retry-failed; to skip them, add --skip-failed")
