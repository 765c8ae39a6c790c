"""amr detections: what other detectors saw, as clip analyses in JSON lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import note, print_json

app = App()

_LARGEST = 2**28

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Frigate's events (JSON), or a table of tracks (CSV, JSON).")
]
VideoId = Annotated[str, typer.Option("--video", metavar="ID", help="The film that the tracks are of.")]
Fps = Annotated[float, typer.Option("--fps", min=0.0, help="Frames a second, for a table by frame.")]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Of the picture, for boxes in pixels.")]
Columns = Annotated[list[str] | None, typer.Option("--map", metavar="WHAT=COLUMN", help="What a column is called.")]


@app.command()
def detections(
    ctx: typer.Context,
    file: File,
    video_id: VideoId = "",
    fps: Fps = 0.0,
    size: Size = "1x1",
    columns: Columns = None,
    as_json: Json = False,
) -> None:
    """Turn detections from elsewhere into clip analyses, JSON lines that `amr ingest -` takes in.

    Frigate's events are recognised: a list of its HTTP API, or messages of its MQTT topic, one a line. Any other file
    is a table of tracks, whose columns docs/local-analyser.md explains. The lines may be piped into ingest.

    Examples:
      amr detections events.json > seen.jsonl
      amr detections tracks.csv --video hall --size 1920x1080 --map label=class > seen.jsonl
    """
    from amr_neo4j.errors import InputError
    from amr_neo4j.files import read_regular
    from amr_neo4j.ingest.detections import TrackTable, from_frigate, from_tracks, is_frigate
    from amr_neo4j.language.languages import language

    words = language(options(ctx).settings().language)
    text = read_regular(file, at_most=_LARGEST).decode("utf-8-sig", errors="replace")
    if is_frigate(text):
        lines = list(from_frigate(text, words))
    else:
        if not video_id:
            raise InputError("a table of tracks does not say of which film it is", hint="name it: --video ID")
        lines = list(from_tracks(text, TrackTable(video_id, fps, _size(size), _columns(columns or [])), words))
    rows = [line.model_dump(mode="json", exclude_defaults=True) for line in lines]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    note(f"{len(lines)} clips")


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
