"""Opens the parts that watch clips, refine them and merge their events, as the settings choose."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from amr_neo4j.domain.analysis import SpeakerTurn, shifted
from amr_neo4j.domain.exploration import Segment
from amr_neo4j.domain.footage import Heard, Hearing, KnownVoices, Listen, silent
from amr_neo4j.domain.ports import Analyser, ChatModel, ClipSpool, Embedder, EventWriter, Notify, SceneStore
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video
from amr_neo4j.domain.view import NO_VIEW, View
from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.extras import needs
from amr_neo4j.language.languages import language
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.local_models.speech_model import installed_speech
from amr_neo4j.media import ffmpeg
from amr_neo4j.media.frames import frames
from amr_neo4j.media.transcriber import StretchTranscriber, Transcriber, listen, unheard
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import endpoint, open_chat
from amr_neo4j.settings import Settings

# Imports inside the openers load only what the settings choose.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.hearing.ears import Ears, HeardSoFar
    from amr_neo4j.ingest.analysis_runner import Refine
    from amr_neo4j.ingest.merging import Merging
    from amr_neo4j.ingest.pipeline import KnownPeople
    from amr_neo4j.ingest.scene_summaries import SceneSummaries
    from amr_neo4j.perception.detector import Detector
    from amr_neo4j.perception.text_in_view import ReadText

NamedVoices = Callable[[str], Sequence[tuple[str, Sequence[float]]]]
"""group_id -> (name, voice) of the persons whose voices it remembers."""
_InMemory = Mapping[int, Sequence[float] | None]
HeardVoices = Callable[[Video], _InMemory]
"""A video -> {number: voice} of what was heard in it so far. None: it was not kept; empty: it has a name now."""
EARS = ("silero", "moonshine", "resemblyzer")
"""The local models that hear speech: where it is, what is said, and who says it."""
# A second after the end of any file. ffmpeg takes no infinity.
_TO_ITS_END = 1e6
# Voices are kept for this many videos, those that were heard last.
_VIDEOS = 64
# What was heard this many seconds ago is committed.
_COMMITTED_S = 60.0
# The most tokens that the text of a prompt is expected to have, for the estimate of its price.
_PROMPT_TOKENS = 4_000
# Calls of the role `refine` that work on words alone, and so need no film.
_BY_WORDS = ("persons", "actions", "summary")


def open_analyser(
    settings: Settings,
    known_people: KnownPeople,
    spool: ClipSpool,
    ledger: Ledger,
    sleep: Callable[[float], None] = time.sleep,
    *,
    named_voices: NamedVoices = lambda _group_id: (),
    heard_voices: HeardVoices = lambda _video: {},
) -> Analyser:
    """Open the vision model of the role `analyse`; without a provider, the local analyser.

    spool: keeps replies that were paid for.
    ledger: records the model's calls.
    sleep: waits between retries.
    named_voices, heard_voices: read what memory knows of voices.
    Raises ConfigError: the analyser is `vision` without a provider, or there is a cost limit and a price is unknown.
    """
    known_voices = _VideoVoices(settings, named_voices, heard_voices)
    to = endpoint(settings, "analyse") if settings.analyser != "local" else None
    if to:
        opened = _vision(
            settings,
            to,
            known_people=known_people,
            known_voices=known_voices,
            spool=spool,
            ledger=ledger,
            sleep=sleep,
        )
        return _viewed(opened, settings)
    if settings.analyser == "vision":
        raise ConfigError(
            "analyser is vision and no provider is set",
            hint="set provider in amr.yaml, or AMR_PROVIDER: docs/models.md",
        )
    return _viewed(open_local_analyser(settings, ledger, known_voices), settings)


def _viewed(analyser: Analyser, settings: Settings) -> Analyser:
    """Return an analyser that sees the pictures of each place as the setting `views` says."""
    return _Viewed(analyser, settings.views) if settings.views else analyser


class _Viewed:
    """An Analyser."""

    def __init__(self, analyser: Analyser, views: Mapping[str, View]) -> None:
        self._analyser, self._views = analyser, views
        self.name, self.model = analyser.name, analyser.model

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        view = self._views.get(video.home, NO_VIEW)
        return self._analyser.watch(video, (replace(clip, view=view) for clip in clips))


def open_refinement(
    settings: Settings, of: Literal["local", "lines"], known_people: KnownPeople, spool: ClipSpool, ledger: Ledger
) -> Refine:
    """Open the further calls for clips of the local analyser or of JSON lines. Without any, clips pass unchanged."""
    from amr_neo4j.ingest.analysis_runner import unrefined
    from amr_neo4j.ingest.pipeline import refinement

    wanted = [call for call in settings.refine.calls if call in _BY_WORDS] if of in settings.refine.of else []
    model = open_chat(settings, "refine", ledger) if wanted else None
    if model is None:
        return unrefined
    models = dict.fromkeys(wanted, model)
    return refinement(models, known_people, language(settings.language), counting=ledger.counting, spool=spool)


def open_merging(settings: Settings, writer: EventWriter, embedder: Embedder, ledger: Ledger) -> Merging:
    """Open merging with the limits of the settings. The role `refine` words summaries if it has a provider."""
    from amr_neo4j.ingest.merging import MergeLimits, Merging
    from amr_neo4j.ingest.summaries import ModelSummary, RuleSummary

    model = open_chat(settings, "refine", ledger) if "merged" in settings.refine.calls else None
    similarity = embedder.alike if settings.merge_similarity is None else settings.merge_similarity
    limits = MergeLimits(settings.merge_time_gap_sec, similarity)
    spoken = language(settings.language)
    summarise = ModelSummary(model, spoken) if model else RuleSummary(spoken)
    return Merging(writer, embedder, summarise, limits=limits, counting=ledger.counting)


def open_scene_summaries(
    settings: Settings, writer: SceneStore, ledger: Ledger, notify: Notify
) -> SceneSummaries | None:
    """Open the summaries of scenes; None unless the settings ask for them and the role `refine` has a provider."""
    model = open_chat(settings, "refine", ledger) if "scenes" in settings.refine.calls else None
    if model is None:
        return None
    from amr_neo4j.ingest.scene_summaries import SceneSummaries

    spoken = language(settings.language)
    return SceneSummaries(model=model, store=writer, language=spoken, counting=ledger.counting, notify=notify)


def open_local_analyser(
    settings: Settings, ledger: Ledger, known_voices: KnownVoices = lambda _video, _first: None
) -> Analyser:
    """Open the local analyser, whatever the provider. Raises ModelMissing: the extra `local` is not installed."""
    with needs("local"):
        from amr_neo4j.perception.local import LocalAnalyser
    hear = _transcribing(settings, ledger)
    return LocalAnalyser(
        open_detector(settings),
        frames,
        _hearing(settings, hear),
        language=language(settings.language),
        fps=settings.frames_per_second,
        read_text=_reading(settings),
        unheard=_lost_words(settings) if hear is None else lambda _path: "",
        known_voices=known_voices,
    )


def _lost_words(settings: Settings) -> Callable[[str], str]:
    """Return what says, for the receipt of a file, that it has words that the settings want and nothing transcribes.

    Models that are installed later do not change it: the analyser was opened without them.
    """
    if settings.speech == "auto":
        try:
            _open_local_ears(settings)
        except ModelMissing as missing:
            lost = f"the film has sound, and its words were not understood: {missing.message}; {missing.hint}"
            return lambda path: lost if unheard(path) else ""
    return lambda _path: ""


class _VideoVoices:
    """Knows the voices of videos. Implements KnownVoices.

    A file is heard from its start on. Of a video whose clips are files of their own, such as a live source, what was
    heard is known from one `watch` to the next. Names, and what was heard by other processes, are read from memory
    each time; what memory no longer has is dropped.
    """

    def __init__(
        self,
        settings: Settings,
        named_voices: NamedVoices,
        heard_voices: HeardVoices,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._named_voices, self._heard_voices, self._now = settings, named_voices, heard_voices, now
        # (when, what memory had, what is known). The latest is the last. A limit, because a server takes in videos
        # for months.
        self._known: OrderedDict[tuple[str, str], tuple[float, _InMemory, HeardSoFar]] = OrderedDict()

    def __call__(self, video: Video, first: Clip) -> object:
        if local_ears(self._settings) is None:
            return None
        from amr_neo4j.hearing.ears import HeardSoFar
        from amr_neo4j.hearing.voices import Voices

        remembers = video.group_id in self._settings.voices
        # A file that begins with the video is heard from its start, so that it gives the same numbers again.
        goes_on = first.uri not in ("", video.uri) and first.t_start > first.uri_offset
        memory, now, key = self._heard_voices(video), self._now(), (video.group_id, video.video_id)
        before = self._known.get(key)
        heard = {number: voice for number, voice in memory.items() if goes_on or (remembers and voice is not None)}
        known = HeardSoFar(remembers=remembers)
        if before and goes_on:
            known.certainties.extend(before[2].certainties)
            heard |= _still_known(before, memory, now)
        known.voices = Voices(self._named_voices(video.group_id) if remembers else (), heard)
        # The first clip of a video that is heard again does not end what is known of the others.
        if goes_on or remembers or not (before and memory):
            self._known[key] = now, memory, known
            self._known.move_to_end(key)
        if len(self._known) > _VIDEOS:
            self._known.popitem(last=False)
        return known


def _still_known(before: tuple[float, _InMemory, HeardSoFar], memory: _InMemory, now: float) -> _InMemory:
    """Return {number: voice} of what was heard; None for what was forgotten or named since."""
    at, had, known = before

    def is_known(number: int) -> bool:
        if number not in memory:
            # It was forgotten, or is still to be committed.
            return number not in had and now - at < _COMMITTED_S
        return bool(memory[number]) or (memory[number] is None and had.get(number) is None)

    return {
        number: voice if is_known(number) else memory.get(number) for number, voice in known.voices.heard().items()
    }


def open_detector(settings: Settings) -> Detector:
    """Open the detector that the settings name; by default the best installed one, else OpenCV's.

    Raises ModelMissing: the named one is not installed.
    """
    from amr_neo4j.perception.detector import HogPeople, SsdLite
    from amr_neo4j.perception.onnx_detector import OnnxDetector, read_labels

    def yolo() -> Detector:
        return OnnxDetector(model_dir(settings, "yolov8n") / "model.onnx", read_labels(None), "yolov8n-coco")

    def ssdlite() -> Detector:
        return SsdLite(model_dir(settings, "ssdlite"))

    # yolov8n finds more. It is installed only when named, because its weights are under the AGPL (decision 0068).
    by_name: dict[object, Callable[[], Detector]] = {"yolov8n": yolo, "ssdlite": ssdlite}
    if settings.detector in by_name:
        return by_name[settings.detector]()
    if settings.detector:
        return OnnxDetector(Path(settings.detector), read_labels(settings.detector_labels))
    # The best one comes first.
    for installed in by_name.values():
        with suppress(ModelMissing):
            return installed()
    return HogPeople()


def _reading(settings: Settings) -> ReadText | None:
    """Open the reader of text in view. None if it is off, or if it is not installed and not explicitly on."""
    from amr_neo4j.perception.text_in_view import RapidOcr

    if settings.read_text == "off":
        return None
    try:
        with needs("ocr"):
            return RapidOcr()
    except ModelMissing:
        if settings.read_text == "on":
            raise
        return None


def _vision(
    settings: Settings,
    to: Endpoint,
    *,
    known_people: KnownPeople,
    known_voices: KnownVoices,
    spool: ClipSpool,
    ledger: Ledger,
    sleep: Callable[[float], None],
) -> Analyser:
    from amr_neo4j.ingest.analysis_runner import CallLimits
    from amr_neo4j.ingest.pipeline import vision_analyser
    from amr_neo4j.media.clip_attachments import (
        attachments,
        media_profile,
    )

    model = open_chat(settings, "analyse", ledger, sleep=sleep)
    # `places` looks at the clip again, so it goes to the model that sees clips.
    by_words = [call for call in settings.refine.calls if call not in ("places", "scenes")]
    refiner = open_chat(settings, "refine", ledger, sleep=sleep) if by_words else None
    assert model  # noqa: S101 - it has an endpoint
    profile = media_profile(to.base_url, model.model, settings.analyse)
    calls: dict[str, ChatModel] = dict.fromkeys(by_words, refiner) if refiner else {}
    places = {"places": model} if "places" in settings.refine.calls else {}

    def max_cost(clip: Clip) -> float:
        """Return the most US dollars that a clip may cost. The question for places shows the clip a second time."""
        shown = model.most_cost(_PROMPT_TOKENS + profile.tokens(clip.t_end - clip.t_start))
        asked = [call for call in calls if call != "merged" or settings.merge_events_enabled]
        refined = len(asked) * refiner.most_cost(_PROMPT_TOKENS) if asked and refiner else 0.0
        return shown * (1 + len(places)) + refined

    def affords(clips: Sequence[Clip]) -> bool:
        return not ledger.is_limited or ledger.affords(sum(map(max_cost, clips)))

    return vision_analyser(
        model.model,
        model,
        calls | places,
        attach=lambda path, start, clip: attachments(
            path,
            start,
            clip.t_end - clip.t_start,
            profile=profile,
            track=settings.sound_track,
            mask=clip.view.masked,
        ),
        known_people=known_people,
        language=language(settings.language),
        known_voices=known_voices,
        # A model that hears the video needs no transcript.
        listen=_hearing(settings, None if profile.sound else _transcribing(settings, ledger)),
        budget=CallLimits(settings.analyse.at_once, affords, ledger.counting),
        spool=spool,
    )


def _hearing(settings: Settings, hear: Listen | None) -> Listen:
    """Return what hears films, as the setting `speech` says. hear: transcribes sound, if anything does."""
    if settings.speech == "off":
        return lambda path, known=None: silent
    return partial(listen, hear=hear, use_subtitles=settings.speech in ("auto", "subtitles"))


def _transcribing(settings: Settings, ledger: Ledger) -> Listen | None:
    """Open what transcribes sound; None if the settings want nothing or, by default, if nothing is installed.

    Raises ModelMissing: the settings want it, and nothing is installed; ConfigError: they want the model of the role
    `analyse`, which does not take sound.
    """
    if settings.speech in ("subtitles", "off"):
        return None
    if settings.speech == "api":
        return _transcribing_by_model(settings, ledger)
    is_wanted = settings.speech == "local" or _speech_folder(settings) is not None
    return open_ears(settings) if is_wanted or local_ears(settings) else None


def _transcribing_by_model(settings: Settings, ledger: Ledger) -> Listen:
    from amr_neo4j.ingest.transcription import Transcription
    from amr_neo4j.media.clip_attachments import media_profile

    to, model = endpoint(settings, "analyse"), open_chat(settings, "analyse", ledger)
    if to is None or model is None:
        raise ConfigError("speech is api, and the role analyse has no provider", hint="set provider under analyse")
    profile = media_profile(to.base_url, to.model, settings.analyse)
    if not profile.sound:
        hint = "set another model under analyse, or analyse: {sound: true} if it does"
        raise ConfigError(f"speech is api, and {model.model} takes no sound", hint=hint)

    def hear(path: str, known: object = None) -> Hearing:
        sound = partial(ffmpeg.audio, path, track=settings.sound_track)
        return StretchTranscriber(Transcription(model, sound, tokens_second=profile.tokens_second))

    return hear


def speech_in(settings: Settings, ledger: Ledger, film: str) -> Callable[[Segment], Sequence[SpeakerTurn]] | None:
    """Return what is said in segments of a film, with times in seconds of the film; None if nothing hears it."""
    hear = _transcribing(settings, ledger)
    if settings.speech in ("auto", "subtitles") and not unheard(film):
        hearing = listen(film)
        return lambda segment: hearing(segment.span.start_s, segment.span.end_s).turns
    if hear is None:
        return None
    return lambda segment: [
        shifted(turn, segment.span.start_s) for turn in hear(segment.path)(0.0, _TO_ITS_END).turns
    ]


def transcript(settings: Settings, file: Path, notify: Notify) -> Iterator[Heard]:
    """Yield what is said in a film or a sound file, minute by minute, without a database.

    Raises ModelMissing: it has no subtitles, and no speech model is installed; NoSuchFile, InputError, ToolError.
    """
    found = ffmpeg.probe(file)
    hear = _transcribing(settings, Ledger(notify, settings.max_cost_usd))
    if settings.speech == "auto" and hear is None and unheard(str(file)):
        _open_local_ears(settings)
    hearing = _hearing(settings, hear)(str(file))
    end = max(found.duration_s or 0.0, found.picture_end or 0.0)
    for minute in range(0, max(1, ceil(end)), 60):
        yield hearing(minute, minute + 60 if minute + 60 < end else _TO_ITS_END)
    # A file that was cut off states its whole length nevertheless.
    if found.main_stream is not None and (read := ffmpeg.packets(file, found.main_stream).seconds) < end - 1.0:
        yield Heard(notes=(f"the file could be read only up to {read:.1f} s of {end:.1f} s",))


def open_ears(settings: Settings) -> Listen:
    """Open the speech model that the settings name or that was installed by name, else the local ears.

    Raises ModelMissing if it is not installed, or damaged.
    """
    track = settings.sound_track
    if folder := _speech_folder(settings):
        return partial(Transcriber(folder).hear, track=track)
    ears = _open_local_ears(settings)
    return lambda path, known=None: ears.hear(partial(ffmpeg.audio, path, track=track), known)


def local_ears(settings: Settings) -> Ears | None:
    """Open the local ears; None if their models or the extra `local` are not installed."""
    with suppress(ModelMissing):
        return _open_local_ears(settings)
    return None


def _open_local_ears(settings: Settings) -> Ears:
    folders = [model_dir(settings, name) for name in EARS]
    with needs("local"):
        from amr_neo4j.hearing.ears import Ears
    return Ears(*folders)


def _speech_folder(settings: Settings) -> Path | None:
    """Return the folder of the speech model: the one in the settings, else an installed one.

    An installed one needs faster_whisper to be there, too.
    """
    if settings.speech_model:
        return settings.speech_model
    return installed_speech(settings) if find_spec("faster_whisper") else None
