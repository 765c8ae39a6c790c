"""The analyser that the settings name. Wiring; no algorithm."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

from amr_neo4j.domain.analysis import NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.footage import Listen
from amr_neo4j.domain.ports import Analyser, ChatModel, ClipSpool
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.extras import needs
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.media.frames import frames
from amr_neo4j.media.speech import Transcriber, listen
from amr_neo4j.models.endpoints import Endpoint, endpoint, open_chat
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import Settings

KnownPeople = Callable[[Video], Mapping[str, str]]
"""person_id -> words, of the people that memory knows by a description in a video."""
# What the words of a prompt count for at most, for what is said of the price beforehand.
_PROMPT_TOKENS = 4_000


def open_analyser(
    settings: Settings,
    known_people: KnownPeople,
    spool: ClipSpool,
    ledger: Ledger,
    sleep: Callable[[float], None] = time.sleep,
) -> Analyser:
    """The local one, or where a provider is chosen for the role `analyse` its vision model.

    spool: keeps what a model was paid for. ledger: where its calls are entered. sleep: how the waits between retries
    are spent. Raises ConfigError: `vision` without a provider, a limit of cost for models whose price nobody knows.
    """
    to = endpoint(settings, "analyse") if settings.analyser != "local" else None
    if to:
        return _vision(settings, to, known_people, spool, ledger, sleep)
    if settings.analyser == "vision":
        raise ConfigError("analyser is vision, and nobody is named who has the model", hint="set provider")
    return _local(settings)


def _local(settings: Settings) -> Analyser:
    with needs("local"):
        from amr_neo4j.perception.detect import HogPeople, SsdLite  # noqa: PLC0415 - heavy, and an extra
        from amr_neo4j.perception.local import LocalAnalyser  # noqa: PLC0415
    try:
        detector = SsdLite(model_dir(settings, "ssdlite"))
    except ModelMissing:
        detector = HogPeople()
    return LocalAnalyser(detector, frames, _hearing(settings), fps=settings.frames_per_second)


def _vision(
    settings: Settings,
    to: Endpoint,
    known_people: KnownPeople,
    spool: ClipSpool,
    ledger: Ledger,
    sleep: Callable[[float], None],
) -> Analyser:
    from amr_neo4j.ingest.analyse import analyse  # noqa: PLC0415
    from amr_neo4j.ingest.analysis_runner import Means, Stage, VisionAnalyser  # noqa: PLC0415
    from amr_neo4j.ingest.identify import Identities  # noqa: PLC0415
    from amr_neo4j.ingest.refine import complete_actions, summarise  # noqa: PLC0415
    from amr_neo4j.ingest.unseen_speech import only_heard  # noqa: PLC0415
    from amr_neo4j.media.clip_attachments import attachments  # noqa: PLC0415
    from amr_neo4j.media.media_profile import media_profile  # noqa: PLC0415

    eyes = open_chat(settings, "analyse", ledger, sleep)
    refiner = open_chat(settings, "refine", ledger, sleep) if settings.refine.calls else None
    how = media_profile(to.base_url, to.model, settings.analyse)
    calls: dict[str, ChatModel] = dict.fromkeys(settings.refine.calls, refiner) if refiner else {}
    assert eyes  # noqa: S101 - it has an endpoint

    def look(clip: Clip, path: str, start: float, heard: Sequence[SpeakerTurn]) -> NotedAnalysis:
        shown = attachments(path, start, clip.t_end - clip.t_start, how)
        return analyse(clip, shown, heard, eyes) if shown else only_heard(clip, heard)

    stages: dict[str, Stage] = {
        name: partial(stage, model=calls[name])
        for name, stage in (("actions", complete_actions), ("summary", summarise))
        if name in calls
    }

    def meet(video: Video) -> Callable[[NotedAnalysis], NotedAnalysis]:
        return Identities(known_people(video), calls.get("persons")).identify

    def most(clip: Clip) -> float:
        """US dollars that a clip may cost."""
        shown = _price(settings, "analyse", how.tokens(clip.t_end - clip.t_start))
        asked = [call for call in calls if call != "merged" or settings.merge_events_enabled]
        return shown + len(asked) * _price(settings, "refine", 0) if asked else shown

    def affords(clips: Sequence[Clip]) -> bool:
        return settings.max_cost_usd is None or ledger.affords(sum(map(most, clips)))

    # a model that hears the film needs no transcript
    hearing = _hearing(settings, transcribed=not how.sound)
    means = Means(settings.analyse.at_once, affords, ledger.counting)
    return VisionAnalyser(to.model, look, stages, meet, hearing, means, spool)


def _price(settings: Settings, name: Literal["analyse", "refine"], tokens: int) -> float:
    """US dollars of a call at most. Raises ConfigError where nobody knows the price of a token."""
    role = getattr(settings, name)
    price = role.cost(_PROMPT_TOKENS + tokens, role.max_tokens)
    if price is None:
        raise ConfigError(
            f"max_cost_usd is set, and the price of {role.model} is not known",
            hint=f"set price_in and price_out under {name}, dollars per million tokens; 0 for a server of your own",
        )
    return price


def _hearing(settings: Settings, *, transcribed: bool = True) -> Listen:
    folder = settings.speech_model if transcribed else None
    return partial(listen, transcriber=Transcriber(folder) if folder else None)
