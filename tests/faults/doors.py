"""Generated input over doors that take files: clip lines, chat files and turns, subtitles."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from amr_neo4j import Memory
from amr_neo4j.media import subtitles
from tests.faults import nasty
from tests.faults.tally import Row, Tally, call

_SRT = (
    "1\n00:00:01,000 --> 00:00:02,500\nAnna: Where are the keys?\n\n2\n00:00:03,000 --> 00:00:04,000\n<i>Here.</i>\n"
)
_VTT = "WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000\n<v Bob>Hello &amp; bye\n\n00:03.000 --> 00:04.000\nYes.\n"
_ASS = "[Events]\nFormat: Layer, Start, End, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Hello\n"
_CLIP: dict[str, Any] = {
    "video_id": "door",
    "clip_id": "c",
    "t_start": 0,
    "t_end": 20,
    "recorded_at": "2026-03-17T18:25:00+01:00",
    "place": "kitchen",
    "analysis": {
        "clip_summary": "Anna comes home.",
        "scene_type": "kitchen",
        "characters": [
            {"local_character_id": "C1", "role": "speaker", "name_or_description": "Anna", "identity": ""}
        ],
        "speaker_turns": [{"speaker_id": "C1", "utterance": "I'm home!", "time_start": 9, "time_end": 10.5}],
        "events": [
            {
                "local_event_id": "E1",
                "time_start": 2,
                "time_end": 12,
                "summary": "Anna opens the door.",
                "actors": ["C1"],
                "objects": [{"name": "door", "spatial_description": "behind her"}],
                "dialogue": ["I'm home!"],
                "actions": [{"actor": "C1", "verb": "open", "object": "door", "spatial_relation": ""}],
            }
        ],
    },
}
_TURN = {"role": "user", "content": "I moved to Rome.", "id": "t", "at": "2026-03-01T09:00:00+01:00", "actor": "Anna"}
_LOCOMO = {
    "speaker_a": "Ana",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "Hi!", "img_url": ["u"], "blip_caption": "a dog"}],
}
_MESSAGES = {"id": "c1", "messages": [_TURN, {"role": "assistant", "content": [{"type": "text", "text": "Ciao"}]}]}
_TALK = "Anna: I moved to Rome.\nBen: When?\nAnna: In May.\n"


def clip_lines(tally: Tally, memory: Memory, chance: random.Random, attacks: int) -> None:
    """Batches of generated lines with a good one after each ten: every good one is committed."""
    with tally.kind("clip lines") as row:
        for batch in range(attacks // 10):
            good = {**_CLIP, "video_id": "good", "clip_id": f"good-{batch}", "recorded_at": None, "place": "good"}
            bad = [_line(chance, f"{batch}-{number}") for number in range(9)]
            name = f"batch {batch}"
            lines = [*bad, json.dumps(good)]
            report = call(row, name, partial(memory.ingest_lines, lines))
            row.attacks += 9
            if report:
                row.refused += report.rejected
                if report.committed < 1 or not call(Row(), name, lambda n=batch: memory.clips(f"good-{n}", "good")):
                    row.failed[name] = "the good line beside the bad ones was not committed"


def _line(chance: random.Random, clip_id: str) -> str | bytes:
    valid = {**_CLIP, "clip_id": clip_id}
    if chance.random() < 0.2:
        return nasty.text(chance, json.dumps(valid)).replace(b"\n", b" ")
    return json.dumps(nasty.document(chance, valid))


def chat_files(tally: Tally, memory: Memory, chance: random.Random, attacks: int, folder: Path) -> None:
    """Files of every format."""
    forms: dict[str, Callable[[], bytes]] = {
        "lines.jsonl": lambda: "\n".join(json.dumps(nasty.document(chance, _TURN)) for _ in range(3)).encode(),
        "openai.json": lambda: json.dumps(nasty.document(chance, _MESSAGES)).encode(),
        "locomo.json": lambda: json.dumps(nasty.document(chance, _LOCOMO)).encode(),
        "talk.txt": lambda: nasty.text(chance, _TALK),
        "torn.json": lambda: nasty.text(chance, json.dumps(chance.choice([_MESSAGES, _LOCOMO, _TURN]))),
    }
    with tally.kind("chat files") as row:
        for number in range(attacks):
            name = list(forms)[number % len(forms)]
            file = folder / name
            file.write_bytes(forms[name]())
            session = f"s{number % 7}"
            call(
                row, f"{name} {number}", lambda f=file, s=session: memory.import_chat(f, user_id="door", session_id=s)
            )
    with tally.kind("chat turns") as row:
        for number in range(attacks // 5):
            turn = nasty.document(chance, _TURN)
            call(row, f"turn {number}", lambda t=turn: memory.remember([t], user_id="door", session_id="turns"))
            said = {"role": "user", "content": f"good {number}", "id": f"good-{number}"}
            report = call(row, f"good {number}", lambda t=said: memory.remember([t], user_id="good", session_id="g"))
            if not report or report.rejected:
                row.failed[f"good {number}"] = f"a good turn after {turn!r:.200} was not recorded"


def subtitle_files(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """Files beside a film."""
    film = folder / "film.mp4"
    film.touch()
    with tally.kind("subtitles") as row:
        for number in range(attacks):
            suffix, valid = chance.choice([(".srt", _SRT), (".vtt", _VTT), (".srt", _ASS)])
            film.with_suffix(suffix).write_bytes(nasty.text(chance, valid))
            call(row, f"{suffix} {number}", lambda: subtitles.read(film).turns)
            film.with_suffix(suffix).unlink()
