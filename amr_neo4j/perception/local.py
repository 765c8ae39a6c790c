"""The local analyser: it needs a detector and the transcript, and neither a key nor a network."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby

from amr_neo4j.domain.analysis import Character, ClipAnalysis, SpeakerTurn, shifted
from amr_neo4j.domain.footage import Frame, Heard, Hearing, KnownVoices, Listen, masked
from amr_neo4j.domain.ports import Footage
from amr_neo4j.domain.video import AnalysedClip, Clip, Video, content_sha256
from amr_neo4j.domain.view import View
from amr_neo4j.language.languages import Language
from amr_neo4j.perception.clip_watcher import ClipWatcher, Seen
from amr_neo4j.perception.detector import Detector
from amr_neo4j.perception.event_builder import EventBuilder
from amr_neo4j.perception.geometry import Size
from amr_neo4j.perception.person_registry import PersonRegistry
from amr_neo4j.perception.text_in_view import EVERY as TEXT_EVERY
from amr_neo4j.perception.text_in_view import WIDTH as TEXT_WIDTH
from amr_neo4j.perception.text_in_view import KnownTexts, ReadText, TextSeen, TextWatch
from amr_neo4j.perception.track import Track
from amr_neo4j.threads import started

# Decision 0068 has what is found at this width and five frames a second.
WIDTH = 640
"""The width in pixels at which frames are analysed."""
FORGET = 60.0
"""An ended track is dropped after this many seconds."""


@dataclass
class _Known:
    """What is carried over from one file of a video to the next.

    watching: the ClipWatcher of the previous file. If the next file follows without a gap, as the clips of a camera
        do, whoever is in view is known.
    voices: what is known of the video's voices, as Listen takes it.
    reported_unheard: that its words were not understood was put on a receipt.
    """

    people: PersonRegistry
    voices: object
    watching: ClipWatcher | None = None
    texts: KnownTexts = field(default_factory=KnownTexts)
    reported_unheard: bool = False


class LocalAnalyser:
    """Watches videos through a detector that runs on this machine."""

    name = "local"

    def __init__(
        self,
        detector: Detector,
        footage: Footage,
        listen: Listen,
        *,
        language: Language,
        fps: float = 5.0,
        read_text: ReadText | None = None,
        unheard: Callable[[str], str] = lambda _path: "",
        known_voices: KnownVoices = lambda _video, _first: None,
    ) -> None:
        """language: the language of the sentences.
        fps: frames analysed per second.
        read_text: reads stills, if any.
        unheard: what a receipt says of a file with words that nothing here understands, once per video; else empty.
        """
        self.model = detector.name
        self._detector = detector
        self._footage = footage
        self._listen = listen
        self._language = language
        self._fps = fps
        self._read_text = read_text
        self._unheard = unheard
        self._known_voices = known_voices

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        """Analyse clips in time order, each before a frame of the next one is read.

        Clips that are files of their own are read from there, all others from the video.
        Raises NoSuchFile, InputError, ToolError: a file cannot be read.
        """
        clips = iter(clips)
        first = next(clips, None)
        if first is None:
            return
        known = _Known(PersonRegistry(self._language), self._known_voices(video, first))
        for path, stretch in groupby(chain([first], clips), key=lambda clip: clip.uri or video.uri):
            yield from self._watch_file(video, path, stretch, known=known)

    def _watch_file(self, video: Video, path: str, clips: Iterator[Clip], *, known: _Known) -> Iterator[AnalysedClip]:
        first = next(clips)
        # A clip's own file may begin before the clip. The offset turns seconds of the file into seconds of the video.
        offset = 0.0 if path == video.uri else first.t_start - first.uri_offset
        # A run that starts in the middle watches one clip's length before it, to know who is there.
        begin = max(0.0, 2 * first.t_start - first.t_end - offset)
        hearing = _shifted_words(self._listen(path, known.voices), offset)
        with closing(self._footage(path, fps=self._fps, width=WIDTH, start=begin)) as frames:
            if known.watching and known.watching.goes_on(first):
                known.watching.take(_shown(frames, offset, first.view))
            else:
                known.watching = ClipWatcher(
                    self._detector, _shown(frames, offset, first.view), begin=begin + offset, fps=self._fps
                )
            watching = known.watching
            with self._texts(path, first, offset=offset, known=known.texts) as texts:
                for clip in chain([first], clips):
                    is_heard = clip.left_out != "sound"
                    # Words and pictures take a core each, so that both are found sooner.
                    hearing_clip = started(partial(hearing, clip.t_start, clip.t_end)) if is_heard else None
                    # Without words nothing would be kept of the clip.
                    if clip.left_out == "pictures" and hearing_clip and not hearing_clip.result().turns:
                        clip = replace(clip, left_out="")  # noqa: PLW2901 - the clip as it is analysed
                    is_seen = clip.left_out != "pictures"
                    seen = watching.see(clip) if is_seen else Seen(Size(1, 1), [], [], [], [])
                    heard = hearing_clip.result() if hearing_clip else Heard()
                    if clip.clip_id == first.clip_id and not known.reported_unheard and (note := self._unheard(path)):
                        known.reported_unheard = True
                        seen.notes.append(note)
                    builder = EventBuilder(clip, known.people, seen.size, language=self._language)
                    events = builder.events(seen.happenings, texts(clip.t_end) if is_seen else ())
                    looked = builder.summary(events, seen.present) if is_seen else ""
                    dialogue = dialogue_of(clip, _with_view(heard.turns, seen.people, builder.person))
                    speak = self._language.scenes.speak(dialogue.names, unknown=dialogue.has_unknown_speaker)
                    analysis = ClipAnalysis(
                        clip_summary=f"{looked} {speak}".strip(),
                        characters=(*builder.characters, *dialogue.speakers),
                        speaker_turns=dialogue.turns,
                        events=tuple(events),
                    )
                    notes = (*filter(None, [self._detector.note]), *seen.notes, *heard.notes)
                    sha256 = content_sha256(video, clip)
                    yield AnalysedClip(
                        video=video,
                        clip=clip,
                        analysis=analysis,
                        analyser=self.name,
                        content_sha256=sha256,
                        model=self.model,
                        notes=notes,
                        voices=heard.voices,
                    )
                    # Otherwise the memory that this takes would grow with the length of the video.
                    known.people.forget(clip.t_end - FORGET)

    @contextmanager
    def _texts(
        self, path: str, first: Clip, *, offset: float, known: KnownTexts
    ) -> Generator[Callable[[float], Sequence[TextSeen]]]:
        """Gives a function that reads the text in view up to a second of the video.

        The stills are read in a second pass over the file, because letters need a higher resolution than things.
        """
        if self._read_text is None:
            yield lambda _until: ()
            return
        start = max(0.0, first.t_start - offset)
        with closing(self._footage(path, fps=1 / TEXT_EVERY, width=TEXT_WIDTH, start=start)) as stills:
            watch = TextWatch(self._read_text, _shown(stills, offset, first.view), known)
            yield lambda until: list(watch.see(until))


def _shown(frames: Iterable[Frame], offset: float, view: View) -> Iterator[Frame]:
    """Return the frames of a file at their seconds of the video, without what is masked."""
    areas = view.masked
    return (replace(frame, t=frame.t + offset, image=masked(frame.image, areas)) for frame in frames)


def _shifted_words(hearing: Hearing, offset: float) -> Hearing:
    def hear(start: float, end: float) -> Heard:
        heard = hearing(start - offset, end - offset)
        return replace(heard, turns=[shifted(turn, offset) for turn in heard.turns])

    return hear


def _with_view(
    turns: Sequence[SpeakerTurn], people: Sequence[tuple[float, Sequence[Track]]], local_id: Callable[[Track], str]
) -> list[SpeakerTurn]:
    """Return the turns, each with its speaker if only one person is in view while it is said.

    A person who would get two voices gets none, and so does a voice that would get two persons: in both cases
    somebody else spoke at least once.
    people: (second, who may be in view) of each picture, in order.
    """
    alone: dict[int, tuple[str, Track]] = {}
    for number, turn in enumerate(turns):
        start = max((t for t, _ in people if t <= turn.time_start), default=turn.time_start)
        views = [there for t, there in people if start <= t <= turn.time_end]
        is_one = bool(views) and len(views[0]) == 1 and all(there == views[0] for there in views)
        if turn.speaker_id and is_one and views[0][0].is_reliable:
            alone[number] = turn.speaker_id, views[0][0]
    pairs = set(alone.values())
    single = {pair for pair in pairs if sum(pair[0] == voice or pair[1] is who for voice, who in pairs) == 1}
    return [
        turn.model_copy(update={"in_view": local_id(alone[number][1])}) if alone.get(number) in single else turn
        for number, turn in enumerate(turns)
    ]


@dataclass(frozen=True)
class ClipDialogue:
    """The turns of a clip, and its speakers with ids that hold within the clip (S1).

    A turn whose speaker is unknown has no speaker_id.
    """

    turns: tuple[SpeakerTurn, ...]
    speakers: tuple[Character, ...]

    @property
    def names(self) -> list[str]:
        """The speakers' names."""
        return [speaker.name_or_description for speaker in self.speakers]

    @property
    def has_unknown_speaker(self) -> bool:
        return any(not turn.speaker_id for turn in self.turns)


def dialogue_of(clip: Clip, heard: Sequence[SpeakerTurn]) -> ClipDialogue:
    """Return the dialogue of a clip. heard: turns that start in it, with names as speaker ids."""
    names = list(dict.fromkeys(turn.speaker_id for turn in heard if turn.speaker_id))
    ids = {name: f"S{number}" for number, name in enumerate(names, start=1)}
    turns = [
        turn.model_copy(
            update={"speaker_id": ids.get(turn.speaker_id, ""), "time_end": min(turn.time_end, clip.t_end)}
        )
        for turn in heard
    ]
    speakers = [Character(local_character_id=ids[name], role="speaker", name_or_description=name) for name in names]
    return ClipDialogue(tuple(turns), tuple(speakers))
