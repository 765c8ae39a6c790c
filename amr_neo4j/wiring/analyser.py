"""The analyser that the settings name. Wiring; no algorithm."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from amr_neo4j.domain.footage import Listen
from amr_neo4j.domain.ports import Analyser, ChatModel, ClipSpool
from amr_neo4j.domain.video import Clip
from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.extras import needs
from amr_neo4j.language.registry import language
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.media.frames import frames
from amr_neo4j.media.speech import Transcriber, listen
from amr_neo4j.models.endpoints import Endpoint, endpoint, open_chat
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import Settings

if TYPE_CHECKING:
    from amr_neo4j.ingest.pipeline import KnownPeople

# Tokens that the text of a prompt counts for at most, in the estimate of its price.
_PROMPT_TOKENS = 4_000


def open_analyser(
    settings: Settings,
    known_people: KnownPeople,
    spool: ClipSpool,
    ledger: Ledger,
    sleep: Callable[[float], None] = time.sleep,
) -> Analyser:
    """The vision model of the provider chosen for the role `analyse`; the local analyser where there is none.

    spool: keeps paid replies. ledger: records the model's calls. sleep: waits between retries.
    Raises ConfigError: `vision` without a provider, or a cost limit with a model of unknown price.
    """
    to = endpoint(settings, "analyse") if settings.analyser != "local" else None
    if to:
        return _vision(settings, to, known_people, spool, ledger, sleep)
    if settings.analyser == "vision":
        raise ConfigError("analyser is vision and no provider is set", hint="set provider")
    return open_local_analyser(settings)


def open_local_analyser(settings: Settings) -> Analyser:
    """The local analyser, whatever the provider. Raises ModelMissing: the extra `local` is not installed."""
    with needs("local"):
        from amr_neo4j.perception.detect import HogPeople, SsdLite  # noqa: PLC0415 - heavy, and an extra
        from amr_neo4j.perception.local import LocalAnalyser  # noqa: PLC0415
    try:
        detector = SsdLite(model_dir(settings, "ssdlite"))
    except ModelMissing:
        detector = HogPeople()
    return LocalAnalyser(
        detector, frames, _hearing(settings), language(settings.language), fps=settings.frames_per_second
    )


def _vision(
    settings: Settings,
    to: Endpoint,
    known_people: KnownPeople,
    spool: ClipSpool,
    ledger: Ledger,
    sleep: Callable[[float], None],
) -> Analyser:
    from amr_neo4j.ingest.analysis_runner import Budget  # noqa: PLC0415
    from amr_neo4j.ingest.pipeline import vision_analyser  # noqa: PLC0415
    from amr_neo4j.media.clip_attachments import attachments  # noqa: PLC0415
    from amr_neo4j.media.media_profile import media_profile  # noqa: PLC0415

    model = open_chat(settings, "analyse", ledger, sleep)
    refiner = open_chat(settings, "refine", ledger, sleep) if settings.refine.calls else None
    assert model  # noqa: S101 - it has an endpoint
    profile = media_profile(to.base_url, model.model, settings.analyse)
    calls: dict[str, ChatModel] = dict.fromkeys(settings.refine.calls, refiner) if refiner else {}

    def max_cost(clip: Clip) -> float:
        """US dollars that a clip may cost at most."""
        shown = _price(settings, "analyse", model, profile.tokens(clip.t_end - clip.t_start))
        asked = [call for call in calls if call != "merged" or settings.merge_events_enabled]
        return shown + len(asked) * _price(settings, "refine", refiner, 0) if asked and refiner else shown

    def affords(clips: Sequence[Clip]) -> bool:
        return settings.max_cost_usd is None or ledger.affords(sum(map(max_cost, clips)))

    return vision_analyser(
        model.model,
        model,
        calls,
        lambda path, start, seconds: attachments(path, start, seconds, profile),
        known_people,
        language(settings.language),
        # a model that hears the video needs no transcript
        _hearing(settings, transcribed=not profile.sound),
        Budget(settings.analyse.at_once, affords, ledger.counting),
        spool,
    )


def _price(settings: Settings, name: Literal["analyse", "refine"], model: ChatModel, tokens: int) -> float:
    """US dollars that a call may cost at most. Raises ConfigError where the price of a token is not known."""
    role, to = getattr(settings, name), endpoint(settings, name)
    is_local = to is not None and to.is_local
    price = role.cost(_PROMPT_TOKENS + tokens, role.max_tokens, model=model.model, is_local=is_local)
    if price is None:
        raise ConfigError(
            f"max_cost_usd is set, and the price of {model.model} is not known",
            hint=f"set price_in and price_out under {name}, dollars per million tokens; 0 for a server of your own",
        )
    return price


def _hearing(settings: Settings, *, transcribed: bool = True) -> Listen:
    folder = settings.speech_model if transcribed else None
    return partial(listen, transcriber=Transcriber(folder) if folder else None)
