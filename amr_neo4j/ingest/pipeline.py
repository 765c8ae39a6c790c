"""The order of ingestion: segment -> analyse -> normalise -> refine -> identify -> compose -> merge -> commit.

`ingest_video` takes a video through all of it, with the analyser of perception/ or with `vision_analyser`. `ingest`
takes clips that bring their analysis, such as JSON lines. json_lines.py has normalised them, so compose comes first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from amr_neo4j.domain.analysis import NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.footage import KnownVoices, Listen
from amr_neo4j.domain.ports import Analyser, ChatModel, ClipSpool, Counting, EventWriter
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.analyse import analyse, complete_places
from amr_neo4j.ingest.analysis_runner import CallLimits, Refine, Refinement, Stage, Stages, VisionAnalyser, unrefined
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.derive import only_heard
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.identify import PersonIdentifier
from amr_neo4j.ingest.live_clips import timed
from amr_neo4j.ingest.normalise import normalise
from amr_neo4j.ingest.refine import complete_actions, summarise
from amr_neo4j.ingest.segment import ClipChoice, resume, without_spooled
from amr_neo4j.language.languages import Language

# At most this many clips share a transaction if models are called for each.
_REFINED_TOGETHER = 8
KnownPeople = Callable[[Video], Mapping[str, str]]
"""Return {person_id: description} of the people whom memory knows by description in a video."""
Attach = Callable[[str, float, Clip], Sequence[Attachment]]
"""Return what a model is shown of a clip, from (path, start in that file, clip); empty without pictures."""


@dataclass(frozen=True)
class VideoRun:
    """The ingestion of one video.

    skipped: receipts of clips that this run leaves alone.
    receipts: the receipts of all other clips. Iterating commits them.
    seconds: the total length of these clips.
    """

    skipped: Iterable[Receipt]
    receipts: Iterator[Receipt]
    seconds: float


def ingest_video(
    video: Video,
    choice: ClipChoice,
    *,
    analyser: Callable[[], Analyser],
    refine: Callable[[], Refine],
    committer: Callable[[], Committer],
    writer: EventWriter,
    spool: ClipSpool,
    now: Callable[[], datetime],
) -> VideoRun:
    """Ingest the chosen clips of a video that the graph lacks, while `receipts` of the result is iterated.

    analyser, refine, committer: only opened if there is a clip to do.
    now: the wall clock, for the receipts. Clips that were cut beforehand are not timed.
    Raises InputError: the video is in memory with other clip boundaries.
    """
    skipped, todo = resume(video, choice, writer)

    def committed() -> Iterator[Receipt]:
        if todo:
            watched = analyser().watch(video, todo) if choice.cut else timed(analyser(), video, todo, now=now)
            refined = refine()(watched)
            for receipt in committer().commit(refined, skip_failed=choice.skip_failed, records_refused=True):
                if receipt.outcome == "failed":
                    # `kept` no longer returns a refused clip, so the next run does not commit the same analysis
                    # again.
                    spool.refuse(video.group_id, receipt.video_id, receipt.clip_id, receipt.error)
                yield receipt

    return VideoRun(
        without_spooled(skipped, video.group_id, spool),
        without_spooled(committed(), video.group_id, spool),
        sum(clip.t_end - clip.t_start for clip in todo),
    )


def vision_analyser(
    name: str,
    model: ChatModel,
    refiners: Mapping[str, ChatModel],
    *,
    attach: Attach,
    known_people: KnownPeople,
    language: Language,
    listen: Listen,
    known_voices: KnownVoices,
    budget: CallLimits,
    spool: ClipSpool,
) -> VisionAnalyser:
    """Return the analyser that shows each clip to a model: analyse -> normalise -> refine -> identify.

    name: the model's name, for the record.
    refiners: the models of the calls "places" (one that sees), "actions", "summary" and "persons". A call without a
        model is left out.
    """

    def analysed(clip: Clip, path: str, start: float, heard: Sequence[SpeakerTurn]) -> NotedAnalysis:
        shown = attach(path, start, clip)
        if not shown:
            # The pictures have ended and the sound goes on. No model is asked about that (decision 0016).
            return normalise(clip, only_heard(heard))
        return normalise(clip, analyse(clip, shown, heard, model=model, language=language))

    written = _by_words(refiners, language)

    def refine(clip: Clip, path: str, start: float) -> Mapping[str, Stage]:
        if "places" not in refiners:
            return written
        shown = partial(attach, path, start, clip)
        return {
            "places": partial(complete_places, clip=clip, shown=shown, model=refiners["places"], language=language),
            **written,
        }

    def identify(video: Video) -> Stage:
        return PersonIdentifier(known_people(video), refiners.get("persons"), language).identify

    stages = Stages(analysed, refine, identify)
    return VisionAnalyser(name, stages, listen=listen, known_voices=known_voices, budget=budget, spool=spool)


def ingest(
    clips: Iterable[Taken],
    committer: Committer,
    *,
    clips_per_transaction: int = 1,
    refine: Refine = unrefined,
) -> Iterator[Receipt]:
    """Ingest analysed clips as they come: refine -> compose -> merge -> commit. Yields one receipt each.

    Clips that the graph has with the same content are not composed or embedded again. Once a clip is done, what
    `refine` spooled of it is removed; a held clip will come again. If several clips share a transaction, the next
    ones are prepared while it runs. If models are called for each clip, fewer share one, and nothing is prepared
    ahead.
    """
    plain = refine is unrefined
    together = clips_per_transaction if plain else min(clips_per_transaction, _REFINED_TOGETHER)
    spool = refine.spool if isinstance(refine, Refinement) else None
    groups: deque[str] = deque()

    def taken() -> Iterator[Taken]:
        for item in clips:
            # commit() yields a receipt per item in the same order, so a queue of groups tells whose receipt it is.
            groups.append(item.video.group_id if isinstance(item, AnalysedClip) else "")
            yield item

    # Committed clips are dropped before refining, so that no model is called for them.
    new = refine(committer.new(taken(), at_once=together))
    for receipt in committer.commit(new, clips_per_transaction=together, ahead=plain and together > 1):
        group_id = groups.popleft()
        if spool and group_id and receipt.outcome != "held":
            spool.remove(group_id, receipt.video_id, receipt.clip_id)
        yield receipt


def refinement(
    refiners: Mapping[str, ChatModel],
    known_people: KnownPeople,
    language: Language,
    *,
    counting: Counting,
    spool: ClipSpool,
) -> Refine:
    """Return what completes clips that no vision model analysed. refiners: as for `vision_analyser`."""

    def identify(video: Video) -> Stage:
        return PersonIdentifier(known_people(video), refiners["persons"], language).identify

    stages = _by_words(refiners, language)
    return Refinement(stages, identify if "persons" in refiners else None, counting, spool)


def _by_words(refiners: Mapping[str, ChatModel], language: Language) -> Mapping[str, Stage]:
    """Return the stages that work by words alone, without a look at the clip, in order."""
    return {
        call: partial(stage, model=refiners[call], language=language)
        for call, stage in (("actions", complete_actions), ("summary", summarise))
        if call in refiners
    }
