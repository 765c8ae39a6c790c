"""Opens the explorer of videos: its options, its planner and its looker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from amr_neo4j.app.exploring import Brains, Explorer, overview_of
from amr_neo4j.domain.arguments import ExploreArguments
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.exploration import ProposedPath, Segment
from amr_neo4j.domain.ports import Looker
from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.explorer.policy import Policy
from amr_neo4j.language.languages import language
from amr_neo4j.media.segment_cutter import SegmentCutter
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import endpoint, open_chat
from amr_neo4j.settings import Settings
from amr_neo4j.wiring.analyser import open_local_analyser, speech_in

# Imports inside the functions load only what a run needs.
# ruff: noqa: PLC0415
FOLDER = "explorer"
"""In the data directory: the segments and the tree of explorations that named no folder."""
_LOCAL = "local"
_DISK_BUDGET_MB = 1024
_UNUSED_KEY = 'OPENAI_API_KEY is set and not used, as no provider is chosen; to use it: --api-key "$OPENAI_API_KEY"'


def open_explorer(settings: Settings, ledger: Ledger, **how: Unpack[ExploreArguments]) -> Explorer:
    """Return an explorer with these arguments of Memory.explore.

    Raises InputError: no such planner, or no tree to go on with; NoSuchFile.
    """
    planner = how.get("planner") or "auto"
    if planner not in ("auto", "model", _LOCAL):
        raise InputError(f"there is no planner {planner}", hint="use auto, model or local")
    workdir, save_tree = how.get("workdir"), how.get("save_tree")
    folder = Path(workdir) if workdir else settings.data_dir / FOLDER
    saved = _saved(how.get("resume"))
    usual = Policy()
    if saved:
        from amr_neo4j.explorer.saved_tree import saved_policy

        usual = saved_policy(saved)
        # What the earlier run cost counts towards the limit of this one.
        ledger.carry(float(saved["usage"].get("cost_usd") or 0.0))
    policy = replace(
        usual,
        max_depth=how.get("max_depth", usual.max_depth),
        per_expand_limit=how.get("per_expand_limit", usual.per_expand_limit),
        max_looks=how.get("max_looks", usual.max_looks),
        parallel=how.get("parallel", usual.parallel),
    )
    chosen = _with_role(settings, how.get("model") or "", how.get("temperature"))
    return Explorer(
        open_brains=partial(_brains, chosen, ledger, planner=planner, policy=policy),
        policy=policy,
        workdir=folder,
        tree_file=Path(save_tree or how.get("resume") or folder / "tree.json"),
        disk_budget=how.get("disk_budget_mb", _DISK_BUDGET_MB) * 1_000_000,
        remember=how.get("remember", False),
        resume=saved,
        watch=how.get("watch", lambda document: None),
    )


def _saved(file: str | Path | None) -> dict[str, Any] | None:
    """Return the content of a tree.json. Raises InputError, NoSuchFile."""
    if not file:
        return None
    from amr_neo4j.explorer.saved_tree import read

    return read(Path(file))


def _with_role(settings: Settings, model: str, temperature: float | None) -> Settings:
    """Return the settings with this model and temperature for the role explore, if given."""
    given: dict[str, object] = {"model": model} if model else {}
    if temperature is not None:
        given["temperature"] = temperature
    return settings.model_copy(update={"explore": settings.explore.model_copy(update=given)}) if given else settings


def _brains(
    settings: Settings,
    ledger: Ledger,
    cut: SegmentCutter,
    question: str,
    anchors: Sequence[ProposedPath],
    *,
    planner: str,
    policy: Policy,
) -> Brains:
    to = endpoint(settings, "explore") if planner != _LOCAL else None
    if to is None and planner != _LOCAL and settings.openai_api_key:
        ledger.notify(_UNUSED_KEY)
    if to is None and planner == "model":
        raise ConfigError("no provider is set for the role explore", hint="set provider, or use --planner local")
    if to is None:
        return _without_model(settings, ledger, cut, question, policy)
    from amr_neo4j.explorer.model_planner import ModelPlanner, VideoFacts

    model = open_chat(settings, "explore", ledger)
    assert model  # noqa: S101 - it has an endpoint
    width, height, fps = cut.size
    looker, unheard = _looker(settings, ledger, question, cut)
    by_model = ModelPlanner(
        model,
        ledger.counting,
        question,
        video=VideoFacts(cut.duration_s, width, height, fps, unheard),
        policy=policy,
        anchors=anchors,
        budget=settings.explore.context_tokens,
    )
    return Brains(by_model, looker, policy, model.model)


def _without_model(settings: Settings, ledger: Ledger, cut: SegmentCutter, question: str, policy: Policy) -> Brains:
    from amr_neo4j.explorer.local_planner import LocalPlanner
    from amr_neo4j.explorer.lookers import LocalLooker
    from amr_neo4j.explorer.question_reader import QuestionReader

    reader = QuestionReader(language(settings.language))
    overview = overview_of(cut)
    planner = LocalPlanner(reader, question, duration_s=cut.duration_s, overview=overview, most=policy.max_looks)
    looker = LocalLooker(lambda: open_local_analyser(settings, ledger), reader, question)
    # Most looks find nothing, which tells nothing about the rest. So only the limit of looks ends the run.
    return Brains(planner, looker.look, replace(policy, patience=0), _LOCAL)


def _looker(settings: Settings, ledger: Ledger, question: str, cut: SegmentCutter) -> tuple[Looker, bool]:
    """Return what looks at segments, as the setting explore.vision chooses, and whether it misses the sound."""
    from amr_neo4j.explorer.lookers import attached, described, unseen, with_words
    from amr_neo4j.media.clip_attachments import attachments, media_profile

    if settings.explore.vision == "none":
        return unseen, False
    role = "explore" if settings.explore.vision == "self" else "analyse"
    chosen = settings.explore if role == "explore" else settings.analyse
    to = endpoint(settings, role)
    if to is None:
        hint = "set provider under analyse, or explore: {vision: self}"
        raise ConfigError("explore.vision is analyse, and that role has no provider", hint=hint)
    profile = media_profile(to.base_url, to.model, chosen)
    said = speech_in(settings, ledger, str(cut.path)) if cut.has_sound and not profile.sound else None
    unheard = cut.has_sound and not profile.sound and said is None
    notes = (f"the film has sound, which {to.model} does not get; {role}: {{sound: true}} sends it",) * unheard

    def attach(segment: Segment) -> tuple[Attachment, ...]:
        return attachments(segment.path, 0.0, segment.span.seconds, profile=profile, video_s=segment.span.start_s)

    looker = attached(attach, notes)
    if role == "analyse":
        model = open_chat(settings, "analyse", ledger)
        assert model  # noqa: S101 - it has an endpoint
        looker = described(model, attach, ledger.counting, question=question, notes=notes)
    return (with_words(looker, said) if said else looker), unheard
