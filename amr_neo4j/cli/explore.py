"""amr explore: answer a question about a video by looking at segments of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.options import Json, Options, options
from amr_neo4j.cli.printing import count, note, one_line, print_json, say, span, spent
from amr_neo4j.cli.typer_app import App
from amr_neo4j.domain.plain import fields_of
from amr_neo4j.errors import CostLimit, DatabaseError, InputError, ModelFailed, StoreUnavailable

if TYPE_CHECKING:
    from amr_neo4j.domain.exploration import Exploration

app = App()
# What is printed for each reason why an exploration ended.
_ENDED = {
    "answer": "an answer was found",
    "exhausted": "no range was left to look at",
    "max_looks": "--max-looks was reached",
    "max_cost": "--max-cost was reached",
    "low_confidence": "what was seen did not help",
    "no_space": "--disk-budget was reached",
    "model_failed": "a model failed",
    "terminate": "the model gave up",
    "interrupted": "it was interrupted",
}
# If there is no answer: why, and the options with which a saved tree is gone on with; a server goes on with none.
_ADVICE = {
    "exhausted": "no range is left to look at; ask in other words",
    "max_looks": "not all of the video was looked at",
    "max_cost": "the next call could exceed the limit on the cost",
    "low_confidence": "what was seen did not help; ask in other words",
    "no_space": "the segments take more than the disk space for them",
    "model_failed": "what was decided so far is kept",
}
_OR_A_MODEL = ("exhausted", "low_confidence")
_GO_ON = {
    "max_looks": " --max-looks {more}",
    "max_cost": " --max-cost USD",
    "no_space": " --disk-budget MB",
    "model_failed": "",
}

# Options that a server takes too, named as in Memory; and options that only work on this machine.
_THERE = ("max_depth", "per_expand_limit", "max_looks", "planner", "remember", "save_tree")
_NOT_THERE = ("workdir", "model", "temperature", "api_key", "parallel", "disk_budget", "max_cost", "resume", "html")
_FAILED = {"model_failed": ModelFailed, "max_cost": CostLimit}

Video = Annotated[
    str, typer.Argument(metavar="VIDEO", help="A video file, or the id of an ingested video.", show_default=False)
]
VideoOption = Annotated[str, typer.Option("--video", metavar="VIDEO", help="As the argument VIDEO.")]
Question = Annotated[str, typer.Option("--question", "-q", metavar="TEXT", help="What you want to know.")]
Workdir = Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the segments and the tree.")]


def _flag(name: str, text: str, **limits: Any) -> Any:
    """Return an option that can also be written with underscores, such as --max_depth, as in specification 003."""
    return typer.Option(name, f"--{name.removeprefix('--').replace('-', '_')}", help=text, **limits)


SaveTree = Annotated[
    Path | None, _flag("--save-tree", "File for the tree. Default: tree.json in the workdir.", metavar="FILE")
]
Model = Annotated[str, typer.Option(metavar="NAME", help="Model that plans. Default: setting explore.model.")]
Temperature = Annotated[
    float | None, typer.Option(metavar="T", min=0.0, max=2.0, help="Temperature of that model. Default: 0.2.")
]
ApiKey = Annotated[str, _flag("--api-key", "API key. Without a provider in the settings: for OpenAI.", metavar="KEY")]
MaxDepth = Annotated[int, _flag("--max-depth", "Levels of the tree, at most.", metavar="N", min=1)]
PerExpand = Annotated[int, _flag("--per-expand-limit", "Children of a node, at most.", metavar="N", min=1)]
MaxLooks = Annotated[int, _flag("--max-looks", "Segments to look at, at most.", metavar="N", min=1)]
# The options that a resumed exploration keeps from the run before, unless they are given.
_LIMITS = ("max_depth", "per_expand_limit", "max_looks", "parallel")
_PARALLEL = "Segments to look at in parallel, with a model; the local analyser looks at one at a time."
Parallel = Annotated[int, typer.Option(metavar="N", min=1, max=16, help=_PARALLEL)]
PlannerName = Annotated[
    str, typer.Option(metavar="NAME", help="model, local, or auto: the model if a provider is chosen.")
]
Budget = Annotated[int, _flag("--disk-budget", "Disk space for all segments, at most.", metavar="MB", min=1)]
_MAX_COST = "Limit on the cost of all model calls. Default: none."
MaxCost = Annotated[float | None, _flag("--max-cost", _MAX_COST, metavar="USD", min=0.0)]
Remember = Annotated[bool, typer.Option("--remember", help="Store what was seen as events in memory.")]
_RESUME = "Go on with a saved tree of a run that ended without an answer; options not given stay as they were."
Resume = Annotated[Path | None, typer.Option(metavar="FILE", help=_RESUME)]
Replay = Annotated[Path | None, typer.Option(metavar="FILE", help="Show a saved tree instead of exploring.")]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tree as a page with the segments.")]


@app.command()
def explore(
    ctx: typer.Context,
    source: Video = "",
    video: VideoOption = "",
    question: Question = "",
    workdir: Workdir = Path("work"),
    save_tree: SaveTree = None,
    model: Model = "",
    temperature: Temperature = None,
    api_key: ApiKey = "",
    max_depth: MaxDepth = 3,
    per_expand_limit: PerExpand = 3,
    max_looks: MaxLooks = 40,
    parallel: Parallel = 1,
    planner: PlannerName = "auto",
    disk_budget: Budget = 1024,
    max_cost: MaxCost = None,
    remember: Remember = False,
    resume: Resume = None,
    replay: Replay = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Answer a question from a video itself, by looking at segments of it.

    Segments are cut out of the film. With a provider, the model of the role explore chooses and looks at them;
    without one the local analyser looks, and the answer quotes what it found. If the video is in memory, the parts
    that memory finds for the question come first. All decisions are kept in a tree (tree.json). Exits with code 69 if
    a model failed before there was an answer, and with 75 at --max-cost.

    Examples:
      amr explore kitchen.mp4 --question "When is the jar opened?"
      amr explore --video kitchen.mp4 --question "What colour is the car?" --max_depth 4 --per_expand_limit 3
      amr explore kitchen.mp4 -q "Who comes in?" --model gpt-6-luna --api_key "$OPENAI_API_KEY" --save_tree tree.json
      amr explore --resume tree.json --max-looks 80
      amr explore --replay tree.json --html tree.html
    """
    if replay:
        _replay(replay, html, as_json=as_json)
        return
    if options(ctx).server and (lost := [name for name in _NOT_THERE if _is_given(ctx, name)]):
        raise InputError(f"a server takes no {', '.join(lost)}", hint="leave it out, or run it where the server runs")
    path, decided = source or video, set[str]()
    if resume:
        from amr_neo4j.explorer.saved_tree import read

        saved = read(resume)
        path, question = path or saved["video"]["path"], question or saved["question"]
        decided = {node["id"] for node in saved["nodes"] if node["decision"] and not node["decision"]["failed"]}
        workdir = workdir if _is_given(ctx, "workdir") else resume.parent
        planner = planner if saved["planner"] != "local" or _is_given(ctx, "planner") else "local"
    if not path or not question:
        raise typer.BadParameter("name a video and a question, --resume FILE or --replay FILE")
    tree_file = save_tree or resume or workdir / "tree.json"
    from amr_neo4j.cli.progress import growing
    from amr_neo4j.files import private_folder

    # Segments show what the film shows, so other users of this machine may not read them.
    private_folder(workdir.absolute())
    limits = {name: ctx.params[name] for name in _LIMITS if not resume or _is_given(ctx, name)}
    # Somebody who names a model wants it to plan, even if the settings have no provider.
    planner = "model" if model and planner == "auto" else planner
    how: dict[str, Any] = {"workdir": workdir, "save_tree": tree_file, "resume": resume, "remember": remember}
    how |= limits | {"planner": planner, "model": model, "temperature": temperature, "disk_budget_mb": disk_budget}
    try:
        with growing(decided) as watch:
            how["watch"] = watch
            found = _explored(options(ctx), path, question, how, api_key=api_key, max_cost=max_cost)
    except KeyboardInterrupt:
        if not options(ctx).server:  # whose client says that the server goes on
            note(f"amr: interrupted; the tree so far is in {tree_file}; to go on: amr explore --resume {tree_file}")
        raise
    if html:
        _write_page(found.tree, html)
    if as_json:
        print_json({name: value for name, value in fields_of(found).items() if name != "tree"})  # it has its own file
    else:
        _show(found, tree_file, can_resume=not options(ctx).server)
    if found.stopped in _FAILED and not found.found:
        raise typer.Exit(_FAILED[found.stopped].exit_code)


def _explored(
    given: Options, path: str, question: str, how: dict[str, Any], *, api_key: str, max_cost: float | None
) -> Exploration:
    """Explore with memory if a database can be reached, else without; or on the server of --server."""
    if given.server:
        with given.open() as memory:
            return memory.explore(path, question, **{name: how[name] for name in _THERE if name in how})
    from amr_neo4j.memory import Memory, explore_file

    settings = given.settings(max_cost_usd=max_cost)
    if api_key:
        # A key alone does not say whose it is.
        chosen = settings.explore.provider or settings.provider or "openai"
        settings = given.settings(max_cost_usd=max_cost, explore={"api_key": api_key, "provider": chosen})
    try:
        with Memory.open(settings, notify=note) as memory:
            return memory.explore(path, question, **how)
    except (DatabaseError, StoreUnavailable) as error:
        # --remember needs the database. Everything else also works without it.
        if how["remember"]:
            raise
        note(f"note: exploring without memory: {error.message}")
        return explore_file(settings, path, question, note, **how)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Return whether an option stands on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _show(found: Exploration, tree_file: Path, *, can_resume: bool) -> None:
    for line in found.notes:
        note(f"note: {line}")
    say(f"answer: {found.answer or 'none'}")
    if not found.found and found.stopped in _ADVICE:
        advice = _ADVICE[found.stopped]
        if found.stopped in _OR_A_MODEL and found.tree["planner"] == "local":
            advice += ", or choose a provider, whose model sees more"
        if can_resume and found.stopped in _GO_ON:
            more = _GO_ON[found.stopped].format(more=2 * found.tree["options"]["max_looks"])
            advice += f"; to go on: amr explore --resume {tree_file}{more}"
        note(advice)
    if found.span:
        marked = ", quoted from the local analyser" if found.extractive else ""
        at = (
            f"{found.node_id}, {span(found.span.start_s, found.span.end_s)}" if found.node_id else "all that was seen"
        )
        say(f"where: {at}; confidence {found.confidence:.2f}{marked}")
    if found.segment:
        say(f"segment: {found.segment}")
    _show_effort(found.terminated, found.stopped, found.nodes, found.looks)
    say(f"cost: {spent(found.usage) if found.usage.calls else 'none, no model was asked'}")


def _show_effort(terminated: bool, stopped: str, nodes: int, looks: int) -> None:
    say(f"ended: {_ENDED.get(stopped, stopped)}; terminated: {'yes' if terminated else 'no'}")
    say(f"looked at: {count(looks, 'segment')} of the video, {count(nodes, 'node')} in the tree")


def _replay(file: Path, html: Path | None, *, as_json: bool) -> None:
    from amr_neo4j.explorer.saved_tree import outline, read

    tree = read(file)
    if html:
        _write_page(tree, html)
    if as_json:
        print_json(tree)
        return
    say(f"question: {tree['question']}")
    for line in outline(tree):
        # The indentation is kept, which shows the depth. The text comes from a file, so it is cleaned.
        typer.echo(f"{line[: len(line) - len(line.lstrip())]}{one_line(line.lstrip())}")
    answer = tree["answer"]
    say(f"answer: {answer['text'] if answer else 'none'}")
    _show_effort(tree["terminated"], tree["stopped"], len(tree["nodes"]), tree["looks"])
    say(f"cost: ${float(tree['usage'].get('cost_usd') or 0):.4f}")


def _write_page(tree: dict[str, Any], html: Path) -> None:
    from amr_neo4j.explorer.page import MOST_BYTES, page
    from amr_neo4j.files import private_folder, read_regular, write_atomically

    def read(path: str) -> bytes | None:
        """Return a segment that an exploration wrote, and no other file, whatever the tree names."""
        file = Path(path)
        if not (file.name.startswith("segment_") and file.suffix == ".mp4"):
            return None
        try:
            return read_regular(file, at_most=MOST_BYTES)
        except InputError:
            return None

    private_folder(html.absolute().parent)
    write_atomically(html, page(tree, read))
    note(f"wrote {html}")
