"""amr ingest, relocate and detections: videos and clip analyses into memory, and detections into clip analyses."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import datetime
from io import BufferedReader
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, chosen, options, terminated_as_interrupted, time_option, with_offset
from amr_neo4j.cli.printing import count, give, note, print_json, print_transcript, say, spent
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import InputError, ModelFailed

if TYPE_CHECKING:
    from amr_neo4j.domain.analysis import ClipLine
    from amr_neo4j.domain.receipt import IngestReport
    from amr_neo4j.domain.video import Relocated
    from amr_neo4j.language.languages import Language

app = App()

_PLACES_SHOWN = 3
_VIDEOS_SHOWN = 3
_NOTES_SHOWN = 5
_BYTES_LOOKED_AT = 64  # bytes

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
SoundTrack = Annotated[
    str | None,
    typer.Option(
        metavar="TRACK", help="The sound track that is heard: a number from 1, or a language. Default: the file's."
    ),
]
SpeechSource = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCE",
        help="Where words come from: subtitles, local (a speech model), api (the model of the role analyse), off, or "
        "auto: subtitles, else local. Default: auto.",
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
    time_option("--recorded-at", "When the video starts, like 2026-03-01T09:00:00+01:00.", callback=with_offset),
]


TimeZone = Annotated[
    str,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="Time zone of the camera (Europe/Berlin). Default: of its place in place_timezones, else timezone.",
    ),
]

Wearer = Annotated[
    str,
    typer.Option(
        "--wearer", metavar="NAME", help='Who wears the camera: "I" in captions. Default: the setting wearer.'
    ),
]

# The largest file of detections that is read.
_MOST_BYTES = 2**28

DetectionsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Frigate's events (JSON), or a table of tracks (CSV, JSON).")
]
OfFilm = Annotated[str, typer.Option("--video", metavar="ID", help="The film that the tracks are of.")]
Fps = Annotated[float, typer.Option("--fps", min=0.0, help="Frames a second, for a table by frame.")]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Of the picture, for boxes in pixels.")]
NoTrack = Annotated[
    list[str] | None,
    typer.Option("--no-track", metavar="ID", help="An id that stands for no track. Default: -1. May be repeated."),
]
Columns = Annotated[list[str] | None, typer.Option("--map", metavar="WHAT=COLUMN", help="What a column is called.")]


@app.command()
def ingest(
    ctx: typer.Context,
    places: Places,
    target_clip_sec: ClipLength = None,
    video_id: VideoId = "",
    place: Place = "",
    recorded_at: Start = None,
    timezone: TimeZone = "",
    wearer: Wearer = "",
    retry_failed: RetryFailed = False,
    skip_failed: SkipFailed = False,
    any_group: AnyGroup = False,
    precut: Precut = False,
    analyser: Which = None,
    max_cost: MaxCost = None,
    on_lag: OnLagOption = "wait",
    reconnect: Reconnect = None,
    sound_track: SoundTrack = None,
    speech: SpeechSource = None,
    wait: Wait = False,
    follow: Follow = False,
    on: On = "",
    as_json: Json = False,
) -> None:
    """Take in videos, live sources, or clip analyses in JSON lines.

    Live sources are recorded until they end. Ctrl-C completes the clip in hand and analyses what was recorded.

    Clips that are stored already stay unchanged, so an interrupted run can be repeated. Exits with code 65 (data
    error) if a clip was rejected, and with code 69 (unavailable) if a model failed on a clip or a live source was
    lost; the others are kept.

    Examples:
      amr ingest kitchen.mp4 --place home --recorded-at 2026-03-01T09:00:00+01:00
      amr ingest recordings/ 'more/**/*.mkv' analyses.jsonl
      amr ingest recordings/ --retry-failed
      amr ingest segments/ --precut --video-id hall
      amr --group demo ingest - --json
    """
    # Standard input may be JSON lines or a film. Its first bytes tell which.
    is_lines = "-" in places and _holds_lines()
    if is_lines and (len(places) > 1 or video_id or place or recorded_at or precut or on):
        message = "- cannot be combined with other places, --video-id, --place, --recorded-at, --precut or --on"
        raise typer.BadParameter(message)
    from amr_neo4j.cli.progress import watching
    from amr_neo4j.domain.receipt import IngestOptions
    from amr_neo4j.media.source_files import lines_of

    given = options(ctx)
    try:
        with (
            watching(f"taking in {_listed(places)}") as watch,
            given.open(
                target_clip_sec=target_clip_sec,
                analyser=analyser,
                max_cost_usd=max_cost,
                live_reconnect_sec=reconnect,
                sound_track=sound_track,
                speech=speech,
            ) as memory,
            terminated_as_interrupted(),
        ):
            if is_lines:
                lines = lines_of(sys.stdin.buffer)
                report = memory.ingest_lines(lines, name="stdin", any_group=any_group, timezone=timezone, watch=watch)
            else:
                how = chosen(ctx, "on", *(ctx.params.keys() & IngestOptions.__dataclass_fields__))
                report = memory.ingest(*places, **how, watch=watch)
    except KeyboardInterrupt:
        if not given.server:  # whose client says that the server goes on
            note("amr: interrupted; committed clips are kept, and the same command continues from there")
        raise
    if as_json:
        print_json(report)
    else:
        show_report(report, every_note=given.verbose)
    if report.rejected:
        raise typer.Exit(InputError.exit_code)
    if report.failed or report.lost:
        raise typer.Exit(ModelFailed.exit_code)


@app.command()
def transcribe(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A film or a sound file.")],
    srt: Annotated[bool, typer.Option("--srt", help="Print subtitles in the form SRT.")] = False,
    vtt: Annotated[bool, typer.Option("--vtt", help="Print subtitles in the form WebVTT.")] = False,
    sound_track: SoundTrack = None,
    speech: SpeechSource = None,
    as_json: Json = False,
) -> None:
    """Print what is said in a film or a sound file, with times and voices. Needs no database.

    Examples:
      amr transcribe talk.mp4
      amr transcribe talk.mp4 --vtt > talk.vtt
      amr transcribe talk.mp4 --speech local --json
    """
    if srt + vtt + as_json > 1:
        raise typer.BadParameter("name one of --srt, --vtt and --json")
    from amr_neo4j.domain.views import Said
    from amr_neo4j.media.subtitles import as_subtitles
    from amr_neo4j.wiring.analyser import transcript

    said: list[Said] = []
    for heard in transcript(options(ctx).settings(sound_track=sound_track, speech=speech), file, note):
        for line in heard.notes:
            note(f"note: {line}")
        lines = [Said(turn.speaker_id, turn.utterance, turn.time_start, turn.time_end) for turn in heard.turns]
        if not (srt or vtt or as_json):
            print_transcript(lines)
        said += lines
    if srt or vtt:
        typer.echo(as_subtitles(said, "srt" if srt else "vtt").rstrip())
    elif as_json:
        print_json(said)
    elif not said:
        note("no words were found")


@app.command()
def detections(
    ctx: typer.Context,
    file: DetectionsFile,
    video_id: OfFilm = "",
    fps: Fps = 0.0,
    size: Size = "1x1",
    columns: Columns = None,
    no_track: NoTrack = None,
    as_json: Json = False,
) -> None:
    """Turn detections from elsewhere into clip analyses, JSON lines that `amr ingest -` takes in.

    Frigate is recognised: answers of its HTTP API (events, review items), or messages of its MQTT topics, one a line.
    An entry that cannot be read is named and left out; the command then exits with code 65. Any other file is a table
    of tracks, whose columns docs/local-analyser.md explains; MOTChallenge's results and the folder of labels that
    Ultralytics writes are known. The lines may be piped into ingest.

    Examples:
      amr detections events.json > seen.jsonl
      amr detections tracks.csv --video hall --size 1920x1080 --map label=class > seen.jsonl
    """
    from amr_neo4j.files import read_regular
    from amr_neo4j.ingest.detections import TrackTable, from_tracks
    from amr_neo4j.ingest.frigate import is_frigate
    from amr_neo4j.language.languages import language

    words = language(options(ctx).settings().language)
    text = _labels(file) if file.is_dir() else read_regular(file, at_most=_MOST_BYTES).decode("utf-8-sig", "replace")
    refused = 0
    if is_frigate(text):
        lines, refused = _of_frigate(text, words)
    else:
        if not video_id:
            raise InputError("a table of tracks does not say of which film it is", hint="name it: --video ID")
        how = TrackTable(video_id, fps, _size(size), _columns(columns or []))
        how = replace(how, no_track=how.no_track.union(no_track or ()))
        lines = list(from_tracks(text, how, words))
    rows = [line.model_dump(mode="json", exclude_defaults=True) for line in lines]
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            # Not by `say`, which replaces characters that could steer a terminal: another program reads these lines.
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        note(f"{len(lines)} clips")
    if refused:
        raise typer.Exit(InputError.exit_code)


def _labels(folder: Path) -> str:
    """Return the tracks of a folder of Ultralytics' labels, a text file per frame, as a table in JSON."""
    from amr_neo4j.files import read_regular
    from amr_neo4j.ingest.track_formats import of_ultralytics
    from amr_neo4j.perception.classes import LABELS

    files = sorted(folder.glob("*.txt"))
    if not files:
        raise InputError(f"{folder} has no labels", hint="give the folder labels of yolo track ... save_txt=True")
    texts = ((each.name, read_regular(each, at_most=_MOST_BYTES).decode("utf-8", "replace")) for each in files)
    return json.dumps(of_ultralytics(texts, [name for _, name in sorted(LABELS.items())]))


def _of_frigate(text: str, words: Language) -> tuple[list[ClipLine], int]:
    """Return the clips of Frigate's entries, and how many entries could not be read. Says what was left out."""
    from amr_neo4j.domain.tracked import TrackedItem
    from amr_neo4j.ingest.frigate import folded, line_of, read

    entries = read(text)
    items = folded(entry for entry in entries if isinstance(entry, TrackedItem))
    refused = [str(entry) for entry in entries if not isinstance(entry, TrackedItem)]
    lines: list[ClipLine] = []
    for item in items:
        if not item.is_whole:
            refused.append(f"{item.item_id:.100}: an update of an event that is not in this file")
            continue
        try:
            lines.append(line_of(item, words))
        except InputError as error:
            refused.append(error.message)
    for why in refused:
        note(f"{why}; left out")
    if going := sum(not item.ended for item in items if item.is_whole):
        note(f"{going} not ended yet; take them in again later, and what is known by then is added")
    if false := sum(bool(item.is_false) for item in items):
        note(f"{count(false, 'false positive')}: nothing of it is kept")
    return lines, len(refused)


@app.command()
def relocate(
    ctx: typer.Context,
    old: Annotated[str, typer.Argument(metavar="OLD", help="File or folder where the films were.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="File or folder where they are now.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change; change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Tell memory that films are at another path, so that their events can be shown again.

    No file is moved. The film at the new path must be the one that was taken in (its fingerprint is compared); each
    that is not is named and keeps its old path, and the command exits with code 65. A clip analysis has no
    fingerprint, so its film is only looked for.

    Examples:
      amr relocate /mnt/old/films /srv/films
      amr relocate kitchen.mp4 archive/kitchen.mp4 --dry-run
    """
    with options(ctx).open() as memory:
        found = memory.relocate(old, new, dry_run=dry_run)
    give(found, as_json, lambda found: _show_relocated(found, dry_run=dry_run))
    if any(film.left for film in found):
        raise typer.Exit(InputError.exit_code)


def _show_relocated(found: list[Relocated], *, dry_run: bool) -> None:
    moved = [film for film in found if not film.left]
    for film in moved:
        unsure = "" if film.compared else " (not compared: it came in as a clip analysis)"
        say(f"{film.old} -> {film.new}: video {film.video_id}{unsure}")
    for film in found:
        if film.left:
            note(f"{film.old} stays, video {film.video_id}: {film.left}")
    verb = "would get" if dry_run else "got"
    say(f"{count(len(moved), 'film')} {verb} a new path; {len(found) - len(moved)} left as they were")


def _listed(places: list[str]) -> str:
    from amr_neo4j.media.live_address import without_secrets

    more = f" and {len(places) - _PLACES_SHOWN} more" if len(places) > _PLACES_SHOWN else ""
    shown = ("standard input" if place == "-" else without_secrets(place) for place in places[:_PLACES_SHOWN])
    return ", ".join(shown) + more


def _holds_lines() -> bool:
    """Return whether standard input begins as text does; a film has control characters in its first bytes."""
    stdin = sys.stdin.buffer
    # `peek` leaves the bytes there for whoever reads them next.
    head = stdin.peek(_BYTES_LOOKED_AT)[:_BYTES_LOOKED_AT] if isinstance(stdin, BufferedReader) else b""
    # 9 to 13 are tab and line breaks, and 27 is ESC.
    return not any(byte < 9 or 14 <= byte < 27 for byte in head)


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
    for outcome in ("amended", "failed", "skipped", "held", "dropped"):
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
    # Errors of JSON lines name the line: "stdin: line 3: ...".
    if any(": line " in line for line in report.errors):
        note("the form of a line: amr config schema, docs/clip-analyses.md")
    if report.failed:
        note("to analyse failed clips again, add --retry-failed; to skip them, add --skip-failed")


def _size(given: str) -> tuple[float, float]:
    try:
        wide, high = (float(part) for part in given.casefold().split("x"))
    except ValueError as error:
        raise typer.BadParameter(f"{given} is no size; write it like 1920x1080") from error
    if min(wide, high) <= 0:
        raise typer.BadParameter(f"{given} is no size; write it like 1920x1080")
    return wide, high


def _columns(given: list[str]) -> dict[str, str]:
    from amr_neo4j.ingest.detections import COLUMNS

    pairs: dict[str, str] = {}
    for each in given:
        name, _, column = each.partition("=")
        pairs[name] = column
    if unknown := [name for name in pairs if name not in COLUMNS]:
        raise typer.BadParameter(f"--map {unknown[0]}: known are {', '.join(COLUMNS)}")
    return pairs
