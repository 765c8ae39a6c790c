"""An exploration of a video: planner, looker, clip tool, memory and the files it writes. Wiring; no algorithm."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from amr_neo4j.domain.arguments import ExploreArguments
from amr_neo4j.domain.exploration import Exploration, ProposedPath, Segment, Stopped
from amr_neo4j.domain.ports import Looker, Planner
from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.explorer.export import exported, result
from amr_neo4j.explorer.loop import Engine
from amr_neo4j.explorer.policy import Policy
from amr_neo4j.explorer.tree import Tree
from amr_neo4j.files import private_folder, write_atomically
from amr_neo4j.language.languages import language
from amr_neo4j.media.segment_cutter import MOST_BYTES, SegmentCutter
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import endpoint, open_chat
from amr_neo4j.settings import Settings

if TYPE_CHECKING:
    from amr_neo4j.explorer.lookers import Attach
    from amr_neo4j.explorer.overview import Overview

# Imports inside the functions load only what a run needs.
# ruff: noqa: PLC0415
LOCAL = "local"
_DISK_BUDGET_MB = 1024
# Of all frames of a video that is decoded for the overview: about a minute of one core.
_DECODED_PIXELS = 3e10


class VideoMemory(Protocol):
    """What memory has of the video that is explored."""

    def anchors(self, question: str, most: int) -> list[ProposedPath]:
        """Ranges that it expects to fit a question, best first; none where the video is not ingested."""
        ...

    def keep(self, tree: Tree) -> None:
        """Keep what was seen as events."""
        ...


@dataclass(frozen=True)
class ExploreOptions:
    """Of one exploration; see Memory.explore. settings: with the model and temperature of this run.

    workdir: for the segments. tree_file: where the tree is written. disk_budget: bytes of all segments. anchors:
    ranges taken from memory at most.
    """

    settings: Settings
    workdir: Path
    tree_file: Path
    policy: Policy
    planner: str = "auto"
    disk_budget: int = MOST_BYTES
    remember: bool = False
    anchors: int = 6


def explore_options(settings: Settings, **how: Unpack[ExploreArguments]) -> ExploreOptions:
    """The options of Memory.explore with their defaults. Raises InputError: no such planner."""
    planner = how.get("planner") or "auto"
    if planner not in ("auto", "model", LOCAL):
        raise InputError(f"there is no planner {planner}", hint="use auto, model or local")
    workdir, save_tree = how.get("workdir"), how.get("save_tree")
    folder = Path(workdir) if workdir else settings.data_dir / "explorer"
    usual = Policy()
    policy = replace(
        usual,
        max_depth=how.get("max_depth", usual.max_depth),
        per_expand_limit=how.get("per_expand_limit", usual.per_expand_limit),
        max_looks=how.get("max_looks", usual.max_looks),
        parallel=how.get("parallel", usual.parallel),
    )
    return ExploreOptions(
        _with_role(settings, how.get("model") or "", how.get("temperature")),
        folder,
        Path(save_tree) if save_tree else folder / "tree.json",
        policy,
        planner,
        how.get("disk_budget_mb", _DISK_BUDGET_MB) * 1_000_000,
        how.get("remember", False),
    )


def _with_role(settings: Settings, model: str, temperature: float | None) -> Settings:
    """The settings with this model and temperature for the role explore, where they are given."""
    given: dict[str, object] = {"model": model} if model else {}
    if temperature is not None:
        given["temperature"] = temperature
    return settings.model_copy(update={"explore": settings.explore.model_copy(update=given)}) if given else settings


def explore(
    ledger: Ledger,
    video: str | Path,
    question: str,
    how: ExploreOptions,
    memory: VideoMemory | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Exploration, Tree]:
    """Explore a video for a question; the tree is written after each node.

    memory: of this video, None to go without. Raises InputError, NoSuchFile, ToolError, ConfigError, ModelDenied,
    NoSuchModel, ModelMissing; KeyboardInterrupt leaves the tree written.
    """
    if not question.strip():
        raise InputError("the question is empty", hint='ask something: --question "Who comes in?"')
    began = clock()
    cut = SegmentCutter(video, how.workdir, how.disk_budget)
    private_folder(how.tree_file.absolute().parent)
    anchors = memory.anchors(question, how.anchors) if memory else []
    planner, looker, policy, name = _brains(ledger, cut, question, how, anchors)

    def document(tree: Tree, stopped: Stopped) -> dict[str, Any]:
        facts = {"path": str(cut.path), "duration_s": cut.duration_s, "fingerprint": cut.fingerprint}
        return exported(tree, question, facts, policy, stopped, planner=name, seconds=clock() - began)

    def save(tree: Tree, stopped: Stopped) -> None:
        # Indented when the run is over: that takes five times as long.
        indent = None if stopped == "running" else 1
        text = json.dumps(document(tree, stopped), ensure_ascii=False, indent=indent)
        write_atomically(how.tree_file, f"{text}\n")

    engine = Engine(planner, looker, cut, cut.duration_s, policy, clock, save)
    tree = engine.run(anchors)
    if memory and how.remember:
        memory.keep(tree)
    return result(tree, document(tree, engine.stopped)), tree


def _brains(
    ledger: Ledger,
    cut: SegmentCutter,
    question: str,
    how: ExploreOptions,
    anchors: Sequence[ProposedPath],
) -> tuple[Planner, Looker, Policy, str]:
    """The planner, the looker, the policy that suits them, and the planner's name."""
    settings = how.settings
    to = endpoint(settings, "explore") if how.planner != LOCAL else None
    if to is None and how.planner == "model":
        raise ConfigError("no provider is set for the role explore", hint="set provider, or use --planner local")
    if to is None:
        return _without_model(cut, question, how)
    from amr_neo4j.explorer.model_planner import ModelPlanner, VideoFacts

    model = open_chat(settings, "explore", ledger)
    assert model  # noqa: S101 - it has an endpoint
    width, height, fps = cut.size
    planner = ModelPlanner(
        model,
        ledger.counting,
        question,
        VideoFacts(cut.duration_s, width, height, fps),
        how.policy,
        anchors,
        budget=settings.explore.context_tokens,
    )
    return planner, _looker(settings, ledger, question), how.policy, model.model


def _without_model(cut: SegmentCutter, question: str, how: ExploreOptions) -> tuple[Planner, Looker, Policy, str]:
    from amr_neo4j.explorer.local_planner import LocalPlanner
    from amr_neo4j.explorer.lookers import LocalLooker
    from amr_neo4j.explorer.wanted import Reader
    from amr_neo4j.wiring.analyser import open_local_analyser

    settings = how.settings
    reader = Reader(language(settings.language))
    looks = how.policy.max_looks
    planner = LocalPlanner(reader, question, cut.duration_s, overview_of(cut), looks)
    looker = LocalLooker(lambda: open_local_analyser(settings), reader, question)
    # Most looks find nothing, which says nothing of the others: it ends by its limit of looks alone.
    return planner, looker, replace(how.policy, root_limit=looks, patience=0), LOCAL


def overview_of(cut: SegmentCutter) -> Overview:
    """By pictures of the whole video; by the sizes of its compressed ones where decoding it would take minutes."""
    from amr_neo4j.explorer.overview import by_pictures, by_sizes
    from amr_neo4j.media.frames import activity, thumbnails

    width, height, fps = cut.size
    if width * height * fps * cut.duration_s <= _DECODED_PIXELS:
        with suppress(InputError):  # nothing can be decoded from its start: the looks find out what can
            return by_pictures(*thumbnails(cut.path, cut.duration_s))
    return by_sizes(activity(cut.path, cut.duration_s).tolist())


def _looker(settings: Settings, ledger: Ledger, question: str) -> Looker:
    """Who sees the segments, by the setting explore.vision."""
    from amr_neo4j.explorer.lookers import AttachedSegments, DescribedSegments, UnseenSegments

    if settings.explore.vision == "none":
        return UnseenSegments()
    if settings.explore.vision == "self":
        return AttachedSegments(_attach(settings, "explore"))
    model = open_chat(settings, "analyse", ledger)
    if model is None:
        hint = "set provider under analyse, or explore: {vision: self}"
        raise ConfigError("explore.vision is analyse, and that role has no provider", hint=hint)
    return DescribedSegments(model, _attach(settings, "analyse"), ledger.counting, question)


def _attach(settings: Settings, role: str) -> Attach:
    """Segments in the form that suits the family of a role's model."""
    from amr_neo4j.media.clip_attachments import attachments, media_profile

    named = settings.explore if role == "explore" else settings.analyse
    to = endpoint(settings, "explore" if role == "explore" else "analyse")
    assert to  # noqa: S101 - its model was opened
    profile = media_profile(to.base_url, to.model, named)

    def attach(segment: Segment) -> Any:
        return attachments(segment.path, 0.0, segment.span.seconds, profile)

    return attach
