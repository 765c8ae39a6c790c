"""A film with talk, end to end: made by synthesisers, taken in, and asked about: benchmarks/film_talk.yaml.

    python -m benchmarks.film_talk [TABLE] [--pictures FILE] [--show] [--live]

Speech comes from flite, festival and espeak-ng, as far as the table names them. The film goes to a new group of the
database in use. Printed: the turns that were heard, and how many answers are right, wrong without doubt, wrong in
doubt and declined. An answer is right if it matches the table and cites a second of its line. With --live
the film comes over HTTP at its own pace; printed as well is how long after the end of a clip a search found it.
"""

from __future__ import annotations

import argparse
import re
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from amr_neo4j.domain.recall import Answer, Citation
from amr_neo4j.media import ffmpeg
from amr_neo4j.memory import Memory

TABLE = Path(__file__).with_suffix(".yaml")
PAUSE_S = 1.0
NEAR_S = 2.0
"""A citation may be this far from the line."""
_RATE = ffmpeg.SAMPLE_RATE
_DOUBT = re.compile(r"Memory |Nothing |As far |Perhaps |No ")


@dataclass(frozen=True)
class Line:
    """What a voice says. start, end: seconds of the film."""

    who: str
    text: str
    start: float
    end: float


def say(voice: str, text: str, file: Path) -> None:
    """Write a text that a synthesiser speaks. voice: program:voice, such as flite:slt."""
    program, name = voice.split(":")
    commands = {
        "espeak-ng": ["espeak-ng", "-s", "150", "-v", name, "-w", str(file), text],
        "flite": ["flite", "-voice", name, "-t", text, "-o", str(file)],
        "festival": ["text2wave", "-eval", f"(voice_{name})", "-o", str(file)],
    }
    subprocess.run(commands[program], input=text, text=True, check=True, capture_output=True)


def make(table: dict[str, Any], film: Path, pictures: Path | None) -> list[Line]:
    """Make the film. Returns its lines. pictures: a film that is repeated; by default moving test pictures."""
    parts, lines, at = [np.zeros(round(PAUSE_S * _RATE), np.float32)], list[Line](), PAUSE_S
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "line.wav")
        for each in table["lines"]:
            [(who, text)] = each.items()
            say(table["voices"][who], text, file)
            said = ffmpeg.audio(file, 0, 600)
            # The synthesisers differ in loudness.
            parts += [said * (0.1 / float(np.sqrt(np.mean(said**2)))), parts[0]]
            lines.append(Line(who, text, at, at + len(said) / _RATE))
            at = lines[-1].end + PAUSE_S
    shown = (
        ["-stream_loop", "-1", "-i", str(pictures)] if pictures else ["-f", "lavfi", "-i", "testsrc2=640x360:r=10"]
    )
    sound = ["-f", "f32le", "-ar", str(_RATE), "-ac", "1", "-i", "pipe:"]
    made = ["-map", "0:v", "-map", "1:a", "-vf", "scale=640:-2", "-t", f"{at:.2f}", "-c:a", "aac", str(film)]
    command = ["ffmpeg", "-v", "error", "-y", *shown, *sound, *made]
    subprocess.run(command, input=np.concatenate(parts).tobytes(), check=True)
    return lines


@contextmanager
def _served(film: Path) -> Iterator[str]:
    """Serve a film at its own pace to one client. Yields the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}/talk.ts"
    coded = ["-c:v", "libx264", "-g", "10", "-preset", "ultrafast", "-c:a", "aac"]
    sent = ["-f", "mpegts", "-listen", "1", address]
    with subprocess.Popen(["ffmpeg", "-v", "fatal", "-nostdin", "-re", "-i", str(film), *coded, *sent]) as server:
        time.sleep(3.0)
        try:
            yield address
        finally:
            server.kill()


def verdict(line: Line | None, says: str, answer: Answer) -> str:
    """line: what the question is about; None if nobody says it."""
    if not answer.found:
        return "declined"
    doubt = " in doubt" if _DOUBT.match(answer.text) else ""
    if line is None:
        return f"unsaid{doubt}"
    cited = [each for each in answer.citations if isinstance(each, Citation)]
    near = any(each.time_start - NEAR_S <= line.end and each.time_end + NEAR_S >= line.start for each in cited)
    return f"{'right' if near and re.search(says, answer.text, re.I) else 'wrong'}{doubt}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, nargs="?", default=TABLE, help="voices, lines and questions")
    parser.add_argument("--pictures", type=Path, help="a film whose pictures are shown")
    parser.add_argument("--live", action="store_true", help="take it in as a live source")
    parser.add_argument("--show", action="store_true", help="print the turns, and every question with its answer")
    given = parser.parse_args(arguments)
    table = yaml.safe_load(given.table.read_text("utf-8"))
    counts: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as scratch,
        Memory.open(live_reconnect_sec=0.0, group=f"film-talk-{time.time_ns()}") as memory,
    ):
        film = Path(scratch, "talk.mp4")
        lines = make(table, film, given.pictures)
        if given.live:
            with _served(film) as address:
                report = memory.ingest(address)
            found = sorted(report.first_hit_s)
            print(f"found after {np.percentile(found, 50):.1f} s at p50, {np.percentile(found, 95):.1f} s at p95")
            print(*report.notes, sep="\n")
        else:
            report = memory.ingest(film)
        said = memory.transcript(memory.videos()[0].video_id)
        print(f"{lines[-1].end:.0f} s, {len(lines)} lines, {report.committed} clips, {len(said)} turns heard")
        if given.show:
            print(*said, sep="\n")
        asked = [(lines[number], *rest) for number, *rest in table["questions"]]
        asked += [(None, question, "") for question in table["unsaid"]]
        for line, question, says in asked:
            answer = memory.ask(question)
            judged = verdict(line, says, answer)
            counts[judged] += 1
            if given.show:
                print(f"{judged:16} {question}\n     {answer.text}")
    print(dict(counts))


if __name__ == "__main__":
    main()
