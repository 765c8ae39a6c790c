"""Record what a version of the program does, and compare two records. For changes that must not change behaviour.

    python -m benchmarks.refactor_harness record  DIR [--epic FOLDER] [--locomo FOLDER] [--parts PART ...]
    python -m benchmarks.refactor_harness compare DIR_A DIR_B

`record` fills groups through the public door, each in a Neo4j of its own, and writes to DIR:

    digests/GROUP.json    what `amr db digest` prints for a group
    schema.json           constraints, indexes, labels, relationship types, properties
    answers/GROUP.jsonl   the whole result of `ask` and of `search`, a question a line
    help/COMMAND.txt      the help of every command
    commands.jsonl        command lines on the kitchen group: exit code, standard output and standard error
    second_process.json   what a second process sees of a group that the first has open
    run.json              whose code it was and how long it took; not compared

To record another version, run this file with that version's interpreter:

    OTHER/.venv/bin/python benchmarks/refactor_harness.py record DIR

EPIC-KITCHENS and LoCoMo are not part of this project: a folder with events.jsonl.gz and questions_dev.jsonl, and one
with locomo_dev.json.gz, by the options or by AMR_HARNESS_EPIC and AMR_HARNESS_LOCOMO. What is not given is left out.

Clock readings are masked: any time within the run becomes <now>. So are the addresses, the folders and the random ids
of a run, and durations. Everything else is compared byte for byte; `compare` prints every difference and exits with 1
if there is one.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any, LiteralString

import neo4j
import yaml

import amr_neo4j
from amr_neo4j import Memory
from amr_neo4j.cli.main import main as amr

sys.path.insert(0, str(Path(__file__).parents[1]))
from examples.epic_kitchens.convert import convert, read
from tests.support.neo4j_server import BRIEF_JVM

ROOT = Path(__file__).parents[1]
KITCHEN = ROOT / "examples" / "kitchen"
KITCHEN_QUESTIONS = ROOT / "tests" / "acceptance" / "kitchen_questions.jsonl"
ASKING = ROOT / "benchmarks" / "asking.yaml"
COMMANDS = Path(__file__).with_suffix(".txt")

Json = Any

# --- masks

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?")
_TIME_OF_DAY = re.compile(r"(?<=  )\d\d:\d\d:\d\d(?![\d:])")
_RANDOM_ID = re.compile(
    r"(?<![0-9a-f])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})(?![0-9a-f])"
    r"|(?<=mention_)[0-9a-f]{16}|(?<=\d{8}-)[0-9a-f]{6}\b"
)
_MEASURED = re.compile(
    r"((?:extraction|keeping|update|retrieval|total) )\d+\.\d+|()\d+(?= ms\b)"
    r"|(prompt: .*\(score )\d\.\d+|()\d+\.\d(?= of [\d.]+ GB free)|(pid )\d+"
)
# Names of values that are durations, or numbers of this machine.
_UNSTEADY = frozenset({"stages", "milliseconds", "took_s", "elapsed_s", "first_hit_s", "pid"})


@dataclass
class Masks:
    """Replaces what differs between two runs of the same code. literal: text of this run -> its placeholder."""

    begun: datetime
    literal: dict[str, str] = field(default_factory=dict[str, str])
    ids: dict[str, str] = field(default_factory=dict[str, str])

    def text(self, text: str) -> str:
        """The text with placeholders."""
        for found, placeholder in self.literal.items():
            text = text.replace(found, placeholder)
        text = _MEASURED.sub(lambda m: f"{m[m.lastindex or 0]}<measured>", _RANDOM_ID.sub(self._id, text))
        return _TIME_OF_DAY.sub(self._time_of_day, _TIME.sub(self._time, text))

    def value(self, value: Json, name: str = "") -> Json:
        """A JSON value with placeholders. name: of the value, if it has one."""
        if name in _UNSTEADY and not isinstance(value, str):
            return "<measured>"
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(each, key) for key, each in value.items()}
        return value

    def _time(self, found: re.Match[str]) -> str:
        moment = datetime.fromisoformat(found[0].replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        a_while = timedelta(minutes=2)
        is_of_run = self.begun - a_while < moment < datetime.now(UTC) + a_while
        return "<now>" if is_of_run else found[0]

    def _time_of_day(self, found: re.Match[str]) -> str:
        """Without a date: a time of this run. Times of videos are much earlier in the day."""
        begun, now = (f"{moment:%H:%M:%S}" for moment in (self.begun, datetime.now(UTC)))
        return "<time>" if begun <= found[0] <= now else found[0]

    def _id(self, found: re.Match[str]) -> str:
        """Random ids are numbered in the order in which they appear in a file."""
        return self.ids.setdefault(found[0], f"<id {len(self.ids) + 1}>")


def plain(value: Any) -> Json:
    """A result of Memory as JSON: dataclasses as objects, times as ISO 8601."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        # Keys of JSON are texts: what a turn ended has triples as keys.
        return {name: _with_texts_as_keys(each) for name, each in fields.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, set | frozenset) else str(value)


def _with_texts_as_keys(value: Any) -> Any:
    return {str(key): each for key, each in value.items()} if isinstance(value, Mapping) else value


# --- the run


@dataclass
class Run:
    """A part of the record in `folder` that is being made.

    scratch: a folder that is deleted afterwards. epic, locomo: the folders of the data sets. uri, password: of the
    database of this part.
    """

    folder: Path
    scratch: Path
    masks: Masks
    epic: Path
    locomo: Path
    uri: str = ""
    password: str = ""

    def write(self, name: str, value: Json) -> None:
        """Write a JSON value, masked."""
        self.masks.ids.clear()
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        text = json.dumps(self.masks.value(value), indent=1, ensure_ascii=False)
        file.write_text(text + "\n", encoding="utf-8")

    def write_lines(self, name: str, values: Iterable[Json]) -> None:
        """Write JSON values, masked, one a line."""
        self.masks.ids.clear()
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        lines = [json.dumps(self.masks.value(value), ensure_ascii=False) for value in values]
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


def run_command(arguments: Sequence[str], stdin: str = "") -> Done:
    """`amr` with these arguments, in this process: starting one for each would take longer than all they do."""
    said, complained, code = io.StringIO(), io.StringIO(), 0
    keyboard, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode()))
    try:
        with redirect_stdout(said), redirect_stderr(complained):
            amr(arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1 if ended.code else 0
    finally:
        sys.stdin = keyboard
    return Done(code, said.getvalue(), complained.getvalue())


# --- what is asked


@dataclass(frozen=True)
class Asked:
    """A question and its bounds."""

    text: str
    bounds: Mapping[str, Any] = field(default_factory=dict[str, Any])


UNKNOWN = [
    "Where is the elephant?",
    "Who repaired the motorcycle?",
    "Where did Anna put the note?",
    "What happened to the handle?",
    "How often per day was the door opened?",
    "How long was the fridge open?",
    "What happened last?",
]


def answers(run: Run, memory: Memory, name: str, asked: Iterable[Asked]) -> None:
    """Ask and search for each question; write all that comes back."""
    found: list[Json] = []
    for one in asked:
        result: dict[str, Json] = {"question": one.text, "bounds": one.bounds}
        for door in (memory.ask, memory.search):
            try:
                result[door.__name__] = plain(door(one.text, **one.bounds))
            except Exception as error:  # noqa: BLE001 - an error is a result to be compared too
                result[door.__name__] = f"{type(error).__name__}: {error}"
        found.append(result)
    run.write_lines(f"answers/{name}.jsonl", found)


def opened(group: str, **settings: Any) -> Memory:
    """The memory of a group."""
    return Memory.open(group=group, **settings)


def kitchen(run: Run) -> None:
    """The example household: its questions, then every command."""
    asked = [json.loads(line) for line in KITCHEN_QUESTIONS.read_text("utf-8").splitlines()]
    questions = [Asked(each["question"], each.get("bounds", {})) for each in asked] + [
        Asked(each) for each in UNKNOWN
    ]
    with opened("kitchen") as memory:
        memory.ingest(KITCHEN)
        run.write("digests/kitchen.json", plain(memory.digest()))
        answers(run, memory, "kitchen", questions)
    commands(run)
    schema(run)


def merging(run: Run) -> None:
    """The example household with similar events merged."""
    with opened("merging", merge_events_enabled=True, merge_similarity=0.8, merge_time_gap_sec=30.0) as memory:
        memory.ingest(KITCHEN)
        run.write("digests/merging.json", plain(memory.digest()))
        answers(run, memory, "merging", map(Asked, UNKNOWN))


# The kitchens with the most questions for each record.
EPIC_KITCHENS = ("P03", "P04", "P07", "P18", "P26", "P28")


def epic(run: Run) -> None:
    """Six of the 32 kitchens of EPIC-KITCHENS: about 4,000 records and 76 questions."""
    records = (each for each in read(run.epic / "events.jsonl.gz") if each["participant"] in EPIC_KITCHENS)
    lines = list(convert(records))
    videos = sorted({line["video_id"] for line in lines})
    with opened("epic") as memory:
        memory.ingest_lines(json.dumps(line) for line in lines)
        run.write("digests/epic.json", plain(memory.digest()))
        asked: list[Asked] = []
        for line in (run.epic / "questions_dev.jsonl").read_text("utf-8").splitlines():
            question = json.loads(line)
            scope = question["scope"]
            of_kitchen = [video for video in videos if video.startswith(f"{scope['participant']}_")]
            within = [scope["video"]] if scope["video"] else of_kitchen
            if scope["participant"] in EPIC_KITCHENS:
                asked.append(Asked(question["question_para"], {"videos": within}))
        answers(run, memory, "epic", asked)


def locomo(run: Run) -> None:
    """The first two of LoCoMo's conversations, each a user's, extracted by rules; 80 questions."""
    talks = json.loads(gzip.decompress((run.locomo / "locomo_dev.json.gz").read_bytes()))
    with opened("locomo") as memory:
        asked: list[Asked] = []
        for number, talk in enumerate(islice(talks, 2)):
            user, file = f"user-{number}", run.scratch / f"talk-{number}.json"
            file.write_text(json.dumps(talk), encoding="utf-8")
            memory.import_chat(file, user_id=user)
            memory.extract(user_id=user)
            asked += [Asked(each["question"], {"user_id": user}) for each in talk["qa"][::2][:40]]
        run.write("digests/locomo.json", plain(memory.digest()))
        answers(run, memory, "locomo", asked)
        talk_of(run, memory, "locomo", ["user-0", "user-1"])


def live(run: Run) -> None:
    """The same conversations as live ones: what is read from each turn, and what is injected for each question."""
    found: list[Json] = []
    with opened("live") as memory:
        for each in yaml.safe_load(ASKING.read_text("utf-8"))["conversations"]:
            chat = memory.chat(user_id=each["id"], session_id="talk")
            for turn in _turns(each):
                at = datetime.fromisoformat(turn["at"])
                kept = plain(chat.observe(turn["content"], actor=turn["actor"], at=at))
                found.append({"user": each["id"], "said": turn, "kept": kept})
            for question in each["questions"]:
                kept = plain(chat.observe(question[0], at=_BEGIN + timedelta(days=60)))
                injected = plain(chat.inject([{"role": "user", "content": question[0]}]))
                found.append({"question": question[0], "kept": kept, "injected": injected})
    run.write_lines("answers/live.jsonl", found)


_BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


def _turns(conversation: Json) -> list[Json]:
    """The turns of a conversation of asking.yaml as Memory takes them, a day apart."""
    turns: list[Json] = []
    for day, turn in enumerate(conversation["turns"]):
        actor, content = next(iter(turn.items())) if isinstance(turn, dict) else ("user", turn)
        turns.append({"content": content, "actor": actor, "at": (_BEGIN + timedelta(days=day)).isoformat()})
    return turns


def talks(run: Run) -> None:
    """Little conversations in five languages, each a user's, and questions about what was said: asking.yaml.

    No digest is written: it has the ids of the turns that state a fact, and these turns get random ones.
    """
    with opened("talks") as memory:
        asked: list[Asked] = []
        users: list[str] = []
        for each in yaml.safe_load(ASKING.read_text("utf-8"))["conversations"]:
            memory.remember(_turns(each), user_id=each["id"], session_id="talk")
            memory.extract(user_id=each["id"])
            users.append(each["id"])
            asked += [Asked(question[0], {"user_id": each["id"]}) for question in each["questions"]]
        answers(run, memory, "talks", asked)
        talk_of(run, memory, "talks", users)


def talk_of(run: Run, memory: Memory, name: str, users: Sequence[str]) -> None:
    """Write what was read from the users' turns: facts, mentions, relations."""
    found = (
        {
            "user": user,
            "facts": sorted(plain(memory.facts(user_id=user, history=True, limit=10_000).items), key=_in_order),
            "mentions": plain(memory.mentions(user_id=user)),
        }
        for user in users
    )
    run.write_lines(f"answers/{name}_facts.jsonl", found)


def _in_order(fact: Json) -> str:
    """Facts have no order of their own."""
    return json.dumps([fact["triple"], fact["status"], fact["first_said"]])


# --- commands

_TRACKS = """frame,id,label,x,y,w,h
1,1,person,10,10,20,40
20,1,person,60,10,20,40
"""

_NOTES = """Ben: Good morning.
Carol: The spare keys hang beside the door.
"""


def helps(run: Run) -> None:
    """Write the help of every command."""
    (run.folder / "help").mkdir(exist_ok=True)
    waiting: list[list[str]] = [[]]
    while waiting:
        words = waiting.pop()
        text = run_command([*words, "--help"]).out
        file = run.folder / "help" / f"{' '.join(['amr', *words])}.txt"
        file.write_text(run.masks.text(text), encoding="utf-8")
        waiting += [[*words, name] for name in _subcommands(text)]


def _subcommands(text: str) -> list[str]:
    """The names that a help lists under titles other than options, arguments and examples."""
    names: list[str] = []
    is_list = False
    for line in text.splitlines():
        if line and not line.startswith(" "):
            is_list = line.endswith(":") and not line.startswith(("Options", "Arguments"))
        elif is_list and (found := re.match(r"  ([a-z][\w-]*)(?:  |$)", line)):
            names.append(found[1])
    return names


def commands(run: Run) -> None:
    """Run the command lines of refactor_harness.txt in order, and write how each ended.

    A line can take values from those before it: `{run_id}` is the run_id of the first row of the latest JSON that has
    one, `{first}` the first word of the first row of the latest table.
    """
    found: list[Json] = []
    (run.scratch / "tracks.csv").write_text(_TRACKS, encoding="utf-8")
    (run.scratch / "notes.txt").write_text(_NOTES, encoding="utf-8")
    values: dict[str, Json] = {"kitchen": KITCHEN, "scratch": run.scratch}
    for words, stdin in _command_lines():
        done = run_command(["--group", "kitchen", *(_filled(word, values) for word in words)], stdin)
        out = _output(done.out)
        if words[:2] == ["facts", "search"] and isinstance(out, list):
            # How recent a fact is counts, to the second.
            out = [row | {"score": round(row["score"], 2)} if isinstance(row, dict) else row for row in out]
        row = out[0] if isinstance(out, list) and out else out
        if isinstance(row, dict):
            values |= row
        elif isinstance(out, list) and len(out) > 1:
            values["first"] = str(out[1]).partition(" ")[0]
        found.append({"run": words, "code": done.code, "out": out, "err": done.err.splitlines()})
    run.write_lines("commands.jsonl", found)


def _command_lines() -> list[tuple[list[str], str]]:
    """Words and standard input of each command line."""
    found: list[tuple[list[str], str]] = []
    for line in COMMANDS.read_text("utf-8").splitlines():
        if line.startswith("| "):
            words, stdin = found.pop()
            found.append((words, f"{stdin}{line[2:]}\n"))
        elif not line.startswith("#"):
            found.append((shlex.split(line), ""))
    return found


def _output(text: str) -> Json:
    """JSON, or else the lines."""
    try:
        return json.loads(text)
    except ValueError:
        return text.splitlines()


def _filled(word: str, values: Mapping[str, Any]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", str(value))
    return word


# --- a second process

_SECOND = """
import sys
sys.path.insert(0, {folder!r})
import refactor_harness
refactor_harness.second_process()
"""


def second(run: Run) -> None:
    """Two processes with the same group open: what each writes, the other finds."""
    seen: dict[str, Json] = {}
    with opened("shared") as memory:
        memory.ingest(KITCHEN / "kitchen_morning.jsonl")
        chat = memory.chat(user_id="anna", session_id="monday")
        chat.observe("I live in Seattle.", at=_BEGIN)
        chat.observe("My brother Tom works at Siemens.", at=_BEGIN + timedelta(hours=1))
        _await(lambda: bool(memory.facts(user_id="anna", relation="works_at")))
        memory.search("Where do I live?", user_id="anna")
        seen["first, before"] = plain(memory.index_size())
        other = subprocess.run(
            [sys.executable, "-c", _SECOND.format(folder=str(Path(__file__).parent))],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            cwd=run.scratch,
        )
        seen["second"] = json.loads(other.stdout) if other.returncode == 0 else other.stderr.splitlines()
        seen["first, after"] = looked(memory)
    run.write("second_process.json", seen)


def _await(is_so: Callable[[], bool], at_most_s: float = 60.0) -> None:
    """Wait for what is done in the background."""
    end = time.monotonic() + at_most_s
    while not is_so() and time.monotonic() < end:
        time.sleep(0.2)


def second_process() -> None:
    """The other process: look, write, and print what was seen."""
    with opened("shared") as memory:
        found = {"before": looked(memory)}
        memory.ingest(KITCHEN / "kitchen_noon.jsonl")
        turn = {"content": "I moved to Lisbon.", "actor": "user", "at": "2026-03-24T09:00:00+00:00"}
        memory.remember([turn], user_id="anna", session_id="tuesday")
        memory.extract(user_id="anna")
        found["after"] = looked(memory)
    print(json.dumps(found))


def looked(memory: Memory) -> Json:
    """What a process sees of the group that both use."""
    return {
        "index": plain({kind: memory.index_size(kind) for kind in ("event", "episode", "fact")}),
        "facts": sorted(plain(memory.facts(user_id="anna", history=True).items), key=_in_order),
        "sessions": plain(memory.sessions(user_id="anna")),
        "where": plain(memory.ask("Where do I live?", user_id="anna")),
        "parcel": plain(memory.search("the parcel")),
        "said": plain(memory.search("moved to Lisbon", user_id="anna")),
        "videos": plain(memory.videos()),
    }


# --- the schema


def schema(run: Run) -> None:
    """Write the schema of the database, and which properties nodes and relationships have."""
    statements: dict[str, LiteralString] = {
        "constraints": "SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties",
        "indexes": "SHOW INDEXES YIELD name, state, type, entityType, labelsOrTypes, properties, options",
        "labels": "CALL db.labels() YIELD label RETURN label ORDER BY label",
        "relationship types": "CALL db.relationshipTypes() YIELD relationshipType AS type RETURN type ORDER BY type",
        "property keys": "CALL db.propertyKeys() YIELD propertyKey AS key RETURN key ORDER BY key",
        "properties of nodes": "CALL db.schema.nodeTypeProperties() YIELD nodeLabels, propertyName, propertyTypes",
        "properties of edges": "CALL db.schema.relTypeProperties() YIELD relType, propertyName, propertyTypes",
    }
    found: dict[str, Json] = {}
    with neo4j.GraphDatabase.driver(run.uri, auth=("neo4j", run.password)) as driver:
        for name, statement in statements.items():
            rows = [plain(dict(row)) for row in driver.execute_query(statement).records]
            found[name] = sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))
    run.write("schema.json", found)


# --- recording


@contextmanager
def own_environment(scratch: Path) -> Iterator[None]:
    """No settings of the user's, and a fixed terminal and time zone, for this process and those it starts."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(("NEO4J_", "OPENAI_", "OPENROUTER_", "AMR_")):
            del os.environ[name]
    (scratch / "amr.yaml").touch()
    os.environ |= {
        "AMR_CONFIG": str(scratch / "amr.yaml"),
        "AMR_DATA_DIR": str(scratch / "data"),
        "AMR_LOCAL_ENGINE": "maven",
        "AMR_LOCAL_HEAP_MB": "768",
        "AMR_LOCAL_PAGE_CACHE_MB": "512",
        "JAVA_TOOL_OPTIONS": BRIEF_JVM,
        "COLUMNS": "100",
        "TZ": "UTC",
    }
    time.tzset()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def own_neo4j(run: Run) -> Iterator[None]:
    """A local Neo4j for a part; its address and password are masked."""
    started = run_command(["db", "start", "--json"])
    try:
        if started.code:
            raise SystemExit(started.err)
        there = json.loads(started.out)
        run.uri, browser = there["uri"], there["browser_url"]
        run.password = json.loads(run_command(["browser", "--show-password", "--json"]).out)["password"]
        port = run.uri.rpartition(":")[2]
        run.masks.literal |= {
            browser: "<browser>",
            run.uri: "<uri>",
            run.password: "<password>",
            f":{port}": ":<port>",
            f"%3A{port}": "%3A<port>",
        }
        yield
    finally:
        run_command(["db", "destroy", "--yes"])


def record(folder: Path, parts: Sequence[str], *, epic: Path, locomo: Path) -> None:
    """Write the parts of a record; other parts that the folder has stay as they are.

    Each part has a database of its own: a full-text index ranks over all that a database holds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    notes = folder / "run.json"
    took: dict[str, float] = json.loads(notes.read_text("utf-8"))["seconds"] if notes.exists() else {}
    for part in parts:
        begin, begun = time.perf_counter(), datetime.now(UTC)
        with tempfile.TemporaryDirectory(prefix="amr-harness-", ignore_cleanup_errors=True) as name:
            run = Run(folder, Path(name), Masks(begun), epic=epic, locomo=locomo)
            run.masks.literal = {name: "<scratch>", str(ROOT): "<root>", str(Path.home()): "<home>"}
            with own_environment(run.scratch):
                if part == "help":
                    helps(run)
                else:
                    with own_neo4j(run):
                        _RECORDERS[part](run)
        took[part] = round(time.perf_counter() - begin, 1)
        print(f"{part:12} {took[part]:7.1f} s", flush=True)
        notes.write_text(json.dumps({"code": str(Path(amr_neo4j.__file__).parent), "seconds": took}, indent=1) + "\n")


_RECORDERS: dict[str, Callable[[Run], None]] = {
    "help": helps,
    "kitchen": kitchen,
    "merging": merging,
    "epic": epic,
    "locomo": locomo,
    "talks": talks,
    "live": live,
    "second": second,
}


# --- comparing


def compare(one: Path, other: Path) -> int:
    """Print every difference between two records in the parts that both have; returns their number."""
    recorded = [set(json.loads((side / "run.json").read_text("utf-8"))["seconds"]) for side in (one, other)]
    parts = [part for part in _RECORDERS if all(part in of for of in recorded)]
    names = sorted({file.relative_to(side) for side in (one, other) for file in side.rglob("*") if file.is_file()})
    names = [name for name in names if _part_of(name) in parts]
    total = 0
    for name in names:
        missing = next((side for side in (one, other) if not (side / name).exists()), None)
        found = [f"missing in {missing}"] if missing else list(_differences(one / name, other / name))
        total += len(found)
        if found:
            print(f"== {name}: {len(found)} differences")
            for line in found:
                print(f"   {line}")
    print(f"{total} differences in {len(names)} files; compared: {', '.join(parts)}")
    return total


def _part_of(name: Path) -> str:
    """The part that writes a file."""
    if name.parts[0] == "help":
        return "help"
    of = {"commands": "kitchen", "schema": "kitchen", "second_process": "second"}
    return of.get(name.stem, name.stem.removesuffix("_facts"))


def _differences(one: Path, other: Path) -> Iterator[str]:
    texts = [side.read_text("utf-8") for side in (one, other)]
    if texts[0] == texts[1]:
        return
    if one.suffix == ".txt":
        lines = difflib.unified_diff(texts[0].splitlines(), texts[1].splitlines(), lineterm="", n=0)
        yield from (line for line in islice(lines, 2, None) if not line.startswith("@@"))
    elif one.suffix == ".json":
        yield from _unlike(*map(json.loads, texts))
    else:
        rows = [[json.loads(line) for line in text.splitlines()] for text in texts]
        if len(rows[0]) != len(rows[1]):
            yield f"{len(rows[0])} lines, and {len(rows[1])}"
        for number, (a, b) in enumerate(zip(*rows, strict=False), start=1):
            title = a.get("question") or a.get("user") or " ".join(a.get("run", ()))
            yield from (f"line {number}, {title}: {each}" for each in _unlike(a, b))


def _unlike(a: Json, b: Json, where: str = "") -> Iterator[str]:
    """A line for each value that differs between two JSON values, with the way to it."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in {**a, **b}:
            if key not in a or key not in b:
                yield f"{where}/{key}: only in the {'second' if key not in a else 'first'}"
            else:
                yield from _unlike(a[key], b[key], f"{where}/{key}")
        if a == b and list(a) != list(b):
            yield f"{where}: the same keys in another order: {list(a)}, {list(b)}"
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for number, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from _unlike(one, other, f"{where}/{number}")
    elif isinstance(a, list) and isinstance(b, list):
        before, after = ([json.dumps(each, ensure_ascii=False) for each in side] for side in (a, b))
        changed = [
            line
            for line in difflib.unified_diff(before, after, lineterm="", n=0)
            if not line.startswith(("---", "+++", "@@"))
        ]
        yield from (f"{where}: {line[:400]}" for line in changed)
    elif a != b or type(a) is not type(b):
        yield f"{where}: {json.dumps(a, ensure_ascii=False)[:400]} -> {json.dumps(b, ensure_ascii=False)[:400]}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    recording = modes.add_parser("record")
    recording.add_argument("folder", type=Path)
    nowhere = Path(os.devnull)
    recording.add_argument("--epic", default=os.environ.get("AMR_HARNESS_EPIC", nowhere), type=Path)
    recording.add_argument("--locomo", default=os.environ.get("AMR_HARNESS_LOCOMO", nowhere), type=Path)
    recording.add_argument("--parts", nargs="+", choices=_RECORDERS, default=list(_RECORDERS))
    comparing = modes.add_parser("compare")
    comparing.add_argument("one", type=Path)
    comparing.add_argument("other", type=Path)
    given = parser.parse_args()
    if given.mode == "record":
        given_sources = {"epic": given.epic, "locomo": given.locomo}
        absent = [part for part, source in given_sources.items() if part in given.parts and not source.is_dir()]
        if absent:
            print(f"left out, no folder is given: {', '.join(absent)}")
        parts = [part for part in given.parts if part not in absent]
        record(given.folder, parts, **given_sources)
    else:
        sys.exit(bool(compare(given.one, given.other)))


if __name__ == "__main__":
    main()
