"""amr watch, alerts, status and receipts: what comes in by itself, what it triggers, and what became of it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from amr_neo4j.cli.ingest import ClipLength, OnLagOption, Place, Reconnect, TimeZone, Which, show_report
from amr_neo4j.cli.options import Cursor, Json, Latest, Options, at_most, options, terminated_as_interrupted
from amr_neo4j.cli.printing import cell, give, note, print_json, print_table, say, span
from amr_neo4j.cli.typer_app import App
from amr_neo4j.domain.plain import fields_of
from amr_neo4j.errors import AmrError, InputError, StoreUnavailable

if TYPE_CHECKING:
    from amr_neo4j.domain.alert import Alert, AlertMatch, AlertStatus
    from amr_neo4j.domain.live import ClipReceipt, SourceStatus
    from amr_neo4j.domain.page import Page
    from amr_neo4j.domain.receipt import IngestReport
    from amr_neo4j.memory import Memory

app = App()

# Seconds between two rounds of delivery.
_DELIVERY_INTERVAL = 1.0
Places = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PLACE",
        help="Folders, live sources as in amr ingest, or Frigate's MQTT broker (mqtt://HOST/frigate).",
    ),
]
When = Annotated[
    list[str] | None,
    typer.Option("--when", metavar="TEXT", help="Tell when this happens; may be repeated."),
]
Exec = Annotated[
    str,
    typer.Option("--exec", metavar="CMD", help="Run this with the evidence as JSON on its standard input; no shell."),
]
Webhook = Annotated[str, typer.Option(metavar="URL", help="Send the evidence there as JSON, by POST.")]
Poll = Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="Time between two looks into a folder.")]
Settle = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.0, help="A file is complete when it has not changed for this long.")
]
Once = Annotated[bool, typer.Option("--once", help="Deliver what has matched by now, and end. Only without PLACE.")]
OfVideo = Annotated[str, typer.Option("--video", metavar="ID", help="Of this video only.")]
Wait = Annotated[
    float | None,
    typer.Option("--wait", metavar="SECONDS", min=0.0, help="Wait until no clip is on its way, at most this long."),
]
Every = Annotated[bool, typer.Option("--all", help="Every recording, not only the latest of each source.")]
Pictures = Annotated[
    Path | None, typer.Option("--pictures", metavar="FOLDER", help="Write the last picture of each there, as JPEG.")
]


@app.command()
def watch(
    ctx: typer.Context,
    places: Places = None,
    when: When = None,
    exec_: Exec = "",
    webhook: Webhook = "",
    place: Place = "",
    timezone: TimeZone = "",
    target_clip_sec: ClipLength = None,
    analyser: Which = None,
    on_lag: OnLagOption = "wait",
    reconnect: Reconnect = None,
    poll: Poll = 2.0,
    settle: Settle = 5.0,
    once: Once = False,
    as_json: Json = False,
) -> None:
    """Take in what comes into folders or from live sources, until Ctrl-C, and tell when something happens.

    With --when, each clip that is committed from now on, by any process, is tried, and what matches is delivered
    once: a command acknowledges by ending with 0, a server by answering 2xx. What is not acknowledged is tried again,
    also after a restart.

    A message of a broker is on this machine's disk before it is acknowledged, and taken in once, whatever is killed.

    With --server, films are sent there, and the server records live sources. Not with --when, nor with a broker.

    Examples:
      amr watch recordings/ --place home
      amr watch mqtt://user:password@broker:1883/frigate
      amr watch rtsp://camera/stream --when 'somebody takes the parcel' --exec 'notify-send Parcel'
      amr watch --when 'the gate is opened' --webhook https://example.org/gate
    """
    if bool(when) != bool(exec_ or webhook) or (exec_ and webhook):
        raise typer.BadParameter("--when needs one of --exec and --webhook, and they need --when")
    if not (places or when) or (once and places):
        raise typer.BadParameter("name a folder, a live source, or --when; --once goes without a place")
    given = options(ctx)
    if given.server and when:
        hint = "amr alerts --keep TEXT keeps it on a server, and amr alerts --matches ID --done fetches what matches"
        raise InputError("--when delivers from the machine of the memory", hint=hint)
    settings = {"target_clip_sec": target_clip_sec, "analyser": analyser, "live_reconnect_sec": reconnect}
    channel, target = ("exec", exec_) if exec_ else ("webhook", webhook)
    with given.open(**settings) as memory:
        alerts = [memory.keep_alert(text, **{channel: target}) for text in when or ()]
        if once:
            # Another process may be delivering the same alerts.
            with memory.alone(alerts):
                give([memory.deliver_alert(alert) for alert in alerts], as_json, lambda _: None)
            return
        with terminated_as_interrupted(), _delivering(given, alerts) as delivering:
            if not places:
                _wait_for(delivering)
                return
            report = _taken(memory, places, (place, timezone), on_lag=on_lag, poll=poll, settle=settle)
    if as_json:
        print_json(report)
    else:
        show_report(report, every_note=given.verbose)


@app.command()
def alerts(
    ctx: typer.Context,
    keep: Annotated[str, typer.Option(metavar="QUESTION", help="Keep an alert whose matches are fetched here.")] = "",
    matches: Annotated[str, typer.Option(metavar="ID", help="List what this alert matches.")] = "",
    done: Annotated[bool, typer.Option("--done", help="With --matches: do not list or deliver these again.")] = False,
    remove: Annotated[str, typer.Option(metavar="ID", help="Keep this alert no longer.")] = "",
    limit: Annotated[int, at_most("matches")] = 100,
    as_json: Json = False,
) -> None:
    """List the alerts that are kept on this machine, and what of them was delivered.

    Examples:
      amr alerts
      amr alerts --keep 'somebody takes the parcel'
      amr alerts --matches 1a2b3c4d5e6f --done
      amr alerts --remove 1a2b3c4d5e6f
    """
    if sum(map(bool, (keep, matches, remove))) > 1:
        raise typer.BadParameter("give one of --keep, --matches and --remove")
    if done and not matches:
        raise typer.BadParameter("--done requires --matches ID")
    if not matches and str(ctx.get_parameter_source("limit")).endswith("COMMANDLINE"):
        raise typer.BadParameter("--limit requires --matches ID")
    with options(ctx).open() as memory:
        if matches:
            found = memory.alert_matches(matches, limit=limit)
            give(found, as_json, _show_matches)
            # Only what was printed: a match that came since is listed next time.
            for each in found if done else ():
                memory.acknowledge_alert(matches, each.video_id, each.clip_id)
            return
        if keep:
            memory.keep_alert(keep)
        if remove:
            memory.remove_alert(remove)
        give(memory.alerts(), as_json, _show_alerts)


@app.command()
def receipts(
    ctx: typer.Context,
    video: OfVideo = "",
    limit: Latest = 100,
    cursor: Cursor = "",
    wait: Wait = None,
    as_json: Json = False,
) -> None:
    """List what became of clips: received, analysed, committed, failed, dropped, and when.

    For live sources, also the seconds from the end of a clip to its first search hit.

    Examples:
      amr receipts
      amr receipts --video kitchen-1a2b3c4d --wait 60 --json
    """
    with options(ctx).open() as memory:
        found = memory.receipts(video, limit=limit, cursor=cursor, wait_s=wait or 0.0)
        if video and not found:
            memory.video(video, limit=1)  # raises NotInMemory if there is no such video
    if as_json:
        items = [fields_of(each) | {"behind_s": each.behind_s} for each in found]
        print_json({"items": items, "total": found.total, "next": found.next})
    else:
        give(found, as_json, _show_receipts)


@app.command()
def status(ctx: typer.Context, every: Every = False, pictures: Pictures = None, as_json: Json = False) -> None:
    """Show how each live source of this machine stands: its last clip, lag, clips a second, failures.

    Examples:
      amr status
      amr status --all --json
      amr status --pictures /tmp/cameras
    """
    with options(ctx).open() as memory:
        found = memory.status(every=every)
        if pictures:
            pictures.mkdir(parents=True, exist_ok=True)
            for source in found:
                file = pictures / f"{quote(source.video_id, safe='')}.jpg"
                try:
                    memory.save_latest_picture(source.video_id, file)
                    note(f"wrote {file}")
                except AmrError as error:  # of the other sources it may be there
                    note(error.message)
    give(found, as_json, _show_status)


def _taken(
    memory: Memory, places: Sequence[str], where: tuple[str, str], *, on_lag: str, poll: float, settle: float
) -> IngestReport:
    from amr_neo4j.cli.progress import watching
    from amr_neo4j.media.mqtt import is_broker

    place, zone = where
    if any(map(is_broker, places)):
        note("waiting for messages; Ctrl-C ends it")
        with watching() as progress:
            return memory.watch(*places, place=place, timezone=zone, watch=progress)
    folders = [each for each in places if Path(each).is_dir()]
    if folders and len(folders) < len(places):
        raise InputError("folders and live sources are watched by processes of their own", hint="name one kind")
    with watching() as progress:
        if folders:
            return memory.watch(*folders, place=place, timezone=zone, poll_s=poll, settle_s=settle, watch=progress)
        return memory.ingest(*places, place=place, timezone=zone, on_lag=on_lag, watch=progress)


@contextmanager
def _delivering(given: Options, kept: Sequence[Alert]) -> Generator[Thread | None]:
    """Deliver the alerts in a thread with a memory of its own, until the block ends. Raises what ended the thread."""
    if not kept:
        yield None
        return
    stop, failed = Event(), list[Exception]()

    def run() -> None:
        # The command's own memory may be closed while a delivery is still under way.
        with given.open() as memory, memory.alone(kept):
            while not stop.wait(_DELIVERY_INTERVAL):
                try:
                    for alert in kept:
                        matched, delivered = memory.deliver_alert(alert)
                        if matched or delivered:
                            note(f"{alert.question}: {matched} clips match, {delivered} delivered")
                except StoreUnavailable as error:
                    note(f"alerts wait for the database: {error.message}")
                    # Longer than usual, so that an outage does not print a line every second.
                    stop.wait(10 * _DELIVERY_INTERVAL)

    def guarded() -> None:
        try:
            run()
        except Exception as error:  # noqa: BLE001 - raised in the main thread, once that is done
            failed.append(error)
            note(f"amr: no alert is delivered any more: {error}")

    # daemon: a command that hangs must not keep the program from ending.
    thread = Thread(target=guarded, daemon=True)
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        # A command that an alert runs may take this long.
        thread.join(timeout=60)
    if failed:
        raise failed[0]


def _wait_for(thread: Thread | None) -> None:
    """Wait until Ctrl-C, or until the thread has ended."""
    note("waiting for clips; Ctrl-C ends it")
    with suppress(KeyboardInterrupt):
        while thread and thread.is_alive():
            thread.join(_DELIVERY_INTERVAL)


def _show_alerts(found: list[AlertStatus]) -> None:
    rows = [[each.alert_id, each.question, each.target, each.matched, each.delivered, each.error] for each in found]
    print_table(["alert", "when", "tells", "matched", "delivered", "error"], rows, empty="no alert is kept")


def _show_matches(found: Page[AlertMatch]) -> None:
    rows = [
        [cell(each.matched_at), each.video_id, span(each.evidence["start"], each.evidence["end"]), _summary(each)]
        for each in found
    ]
    print_table(["matched", "video", "clip", "what"], rows, empty="nothing matches that was not fetched before")
    if found.next:
        note(f"and {found.total - len(found)} more; to see them, raise --limit")


def _summary(match: AlertMatch) -> str:
    return " ".join(event["summary"] for event in match.evidence["events"])


def _show_receipts(found: Sequence[ClipReceipt]) -> None:
    rows = [
        [
            *(each.video_id, span(each.t_start, each.t_end), each.state, _time(each.received_at)),
            *(_time(each.analysed_at), _time(each.committed_at or each.failed_at)),
            *("" if each.behind_s is None else f"{each.behind_s:.1f} s", each.error or ""),
        ]
        for each in found
    ]
    print_table(
        ["video", "clip", "state", "received", "analysed", "done", "found after", "error"], rows, empty="no receipts"
    )
    measured = [each.behind_s for each in found if each.behind_s is not None]
    if measured:
        of = f"{len(measured)} clips"
        say(
            f"from the end of a clip to its first search hit: median {median(measured):.1f} s, "
            f"at most {max(measured):.1f} s ({of})"
        )


def _show_status(found: list[SourceStatus]) -> None:
    rows = [
        [
            *(each.source, each.running, _time(each.last_clip_ended_at)),
            *("" if each.lag_s is None else f"{each.lag_s:.0f} s", each.waiting, f"{each.clips_per_s:.2f}"),
            *(each.committed, each.failed, each.dropped, each.reconnects, each.error, each.video_id),
        ]
        for each in found
    ]
    columns = ["source", "state", "last clip", "lag", "waiting", "clips/s", "committed", "failed", "dropped"]
    print_table([*columns, "reconnects", "error", "video"], rows, empty="no live source was recorded")


def _time(moment: datetime | None) -> str:
    """Return a moment on this machine's clock, with the day unless it is today."""
    if moment is None:
        return ""
    local, today = moment.astimezone(), datetime.now(UTC).astimezone().date()
    return f"{local:%H:%M:%S}" if local.date() == today else f"{local:%Y-%m-%d %H:%M:%S}"
