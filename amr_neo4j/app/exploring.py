"""Explore a video for a question: alone, helped by what memory knows of it, or when memory has no answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.app.asking import Asking
from amr_neo4j.app.ingesting import Ingesting
from amr_neo4j.app.relocating import known_video
from amr_neo4j.domain.arguments import MOST, Bounds
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.exploration import Exploration, ProposedPath, Span, Stopped
from amr_neo4j.domain.page import PageRequest
from amr_neo4j.domain.ports import Looker, Notify, Planner
from amr_neo4j.domain.recall import Answer, Citation, Hit, Scope
from amr_neo4j.domain.receipt import IngestOptions, Progress, Receipt
from amr_neo4j.domain.video import Video
from amr_neo4j.domain.view import Area, View, masked_at
from amr_neo4j.errors import EmbedderMismatch, InputError, ModelError, ModelMissing, NoSuchFile, NotInMemory
from amr_neo4j.explorer.export import clip_lines, exported, result
from amr_neo4j.explorer.loop import ExplorationLoop
from amr_neo4j.explorer.overview import RANGE_S, Overview, around, by_pictures, by_sizes
from amr_neo4j.explorer.policy import Policy
from amr_neo4j.explorer.saved_tree import restored, write
from amr_neo4j.explorer.tree import Tree
from amr_neo4j.files import private_folder
from amr_neo4j.media.frames import activity, thumbnails
from amr_neo4j.media.segment_cutter import MOST_BYTES, SegmentCutter
from amr_neo4j.media.video_file import video_of

if TYPE_CHECKING:
    from amr_neo4j.store.read.browse import Browse

# The most pixels, over all frames, that are decoded for the overview: about a minute of one core.
_DECODED_PIXELS = 3e10
_LONGEST_S = 30.0
"""If an event lasts longer than this many seconds, only its middle is looked at."""


@dataclass(frozen=True)
class Brains:
    """Who decides where to look and who looks, with the policy that suits them. name: of the planner."""

    planner: Planner
    looker: Looker
    policy: Policy
    name: str


OpenBrains = Callable[[SegmentCutter, str, Sequence[ProposedPath]], Brains]
"""(the video, the question, ranges that memory suggests) -> the brains of an exploration."""


@dataclass(frozen=True, kw_only=True)
class Explorer:
    """Explores videos; see Memory.explore.

    workdir: the folder for segments.
    tree_file: the JSON file that the tree is written to.
    disk_budget: the most bytes that all segments may take.
    remember: whether what was seen is kept as events.
    anchors: the most ranges that are taken from memory.
    resume: the content of a tree.json, to go on with.
    watch: called with the content of the tree after each node.
    """

    open_brains: OpenBrains
    policy: Policy
    workdir: Path
    tree_file: Path
    disk_budget: int = MOST_BYTES
    remember: bool = False
    anchors: int = 6
    resume: dict[str, Any] | None = None
    watch: Callable[[dict[str, Any]], object] = lambda document: None

    def explore(
        self,
        video: str | Path,
        question: str,
        memory: ExploredVideo | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> tuple[Exploration, Tree]:
        """Explore a video for a question. The tree is written to disk after each node.

        memory: what memory knows of this video; None to explore without it.
        Raises InputError, NoSuchFile, ToolError, ConfigError, ModelDenied, NoSuchModel, ModelMissing. After
        KeyboardInterrupt, the tree of what was explored so far is on disk.
        """
        if not question.strip():
            raise InputError("the question is empty", hint='ask something: --question "Who comes in?"')
        began = clock()
        cut = SegmentCutter(video, self.workdir, self.disk_budget, mask=memory.mask if memory else ())
        earlier = self._earlier(question, cut)
        private_folder(self.tree_file.absolute().parent)
        anchors = memory.anchors(question, self.anchors) if memory else []
        brains = self.open_brains(cut, question, anchors)

        def document(tree: Tree, stopped: Stopped) -> dict[str, Any]:
            facts = {"path": str(cut.path), "duration_s": cut.duration_s, "fingerprint": cut.fingerprint}
            seconds = tree.elapsed + clock() - began
            return exported(
                tree,
                question=question,
                video=facts,
                policy=brains.policy,
                stopped=stopped,
                planner=brains.name,
                seconds=seconds,
            )

        def save(tree: Tree, stopped: Stopped) -> None:
            # Only the final tree is indented, since indenting takes five times as long.
            indent = None if stopped == "running" else 1
            content = document(tree, stopped)
            write(self.tree_file, content, indent=indent)
            self.watch(content)

        engine = ExplorationLoop(
            brains.planner,
            brains.looker,
            cut,
            duration_s=cut.duration_s,
            policy=brains.policy,
            clock=clock,
            save=save,
            tree=earlier,
        )
        tree = engine.run(anchors)
        if memory and self.remember:
            memory.keep(tree, question)
        return result(tree, document(tree, engine.stopped)), tree

    def _earlier(self, question: str, cut: SegmentCutter) -> Tree | None:
        """Return the tree to continue. Raises InputError if it is of another film or question, or has its answer."""
        if self.resume is None:
            return None
        saved, film = self.resume, self.resume["video"]
        wrong = {
            "it is of another film": film.get("fingerprint") != cut.fingerprint,
            "it answers another question": saved["question"] != question,
            "the run has its answer": saved["stopped"] == "answer" or _is_complete(saved),
        }
        for why, is_so in wrong.items():
            if is_so:
                raise InputError(f"the tree cannot be gone on with: {why}", hint="explore anew, without resume")
        return restored(saved)


def overview_of(cut: SegmentCutter) -> Overview:
    """Return an overview of the whole video, made of decoded pictures.

    If decoding would take minutes, the sizes of the compressed frames serve instead.
    """
    width, height, fps = cut.size
    if width * height * fps * cut.duration_s <= _DECODED_PIXELS:
        with suppress(InputError):  # the start cannot be decoded; a later look may succeed elsewhere
            return by_pictures(*thumbnails(cut.path, cut.duration_s, cut.mask))
    return by_sizes(activity(cut.path, cut.duration_s).tolist())


@dataclass
class ExploredVideo:
    """A video file together with what memory knows of it.

    video: its place is empty if damage took it.
    user_id: the user whose conversations name people.
    mask: what of its pictures is blacked out.
    receipts: those of what `keep` has ingested.
    """

    video: Video
    user_id: str
    asking: Asking
    ingesting: Ingesting
    notify: Notify
    mask: Sequence[Area] = ()
    receipts: list[Receipt] = field(default_factory=list[Receipt])

    def anchors(self, question: str, most: int) -> list[ProposedPath]:
        """Return ranges around the events that recall finds, best first. The best one has score 1, the others less.

        Returns [] if the video is not in memory, or if memory cannot be searched at the moment.
        """
        group_id, video_id, duration = self.video.group_id, self.video.video_id, self.video.duration_s or 0.0
        if video_id not in self.asking.events.recordings(Scope(group_id, (video_id,))):
            return []
        try:
            bounds = Bounds(videos=[video_id], user_id=self.user_id)
            hits = self.asking.search(group_id, question, PageRequest(most), bounds)
        except NotInMemory:
            return []
        except (EmbedderMismatch, ModelError, ModelMissing) as error:
            self.notify(f"exploring without what memory knows of {video_id}: {error}")
            return []
        # Scores of hits are comparable within one question only, so they are scaled to the best one.
        best = max((hit.score for hit in hits), default=1.0) or 1.0
        paths: list[ProposedPath] = []
        for hit in hits:
            event = hit.event
            if event.time_start < duration:
                span = _span(event.time_start, min(event.time_end, duration), duration)
                score = max(0.0, hit.score / best)
                paths.append(ProposedPath("", event.summary_text, span.start_s, span.end_s, score))
        return paths

    def keep(self, tree: Tree, question: str, only: str = "") -> None:
        """Ingest what was seen, or with `only` what was seen at that node. What was kept before stays unchanged.

        What was forgotten stays forgotten.
        """

        def watch(progress: Progress) -> None:
            self.receipts.append(progress.receipt)

        if not self.video.place:
            self.notify(
                f"the place of {self.video.video_id} was lost; nothing is kept until its film is taken in again"
            )
            return
        forgotten = self.ingesting.writer().forgotten(self.video)
        seen = clip_lines(tree, self.video, only, question=question, without=forgotten.has_any_of)
        self.ingesting.lines(self.video.group_id, seen, "exploration", watch, IngestOptions(found=True))


@dataclass(frozen=True, kw_only=True)
class ExploringMemory:
    """Explores videos with what memory knows of them, also for questions that memory cannot answer.

    views: {place: what is drawn into the picture of its camera}.
    """

    asking: Asking
    ingesting: Ingesting
    views: Mapping[str, View]
    browse: Callable[[str], Browse]
    notify: Notify

    def explore(
        self,
        group_id: str,
        user_id: str,
        source: str | Path,
        question: str,
        explorer: Explorer,
        *,
        video_id: str = "",
    ) -> Exploration:
        """Explore a file, or an ingested video named by its id."""
        # Raises StoreUnavailable at once during an outage; the writer below would wait for the database.
        self.browse(group_id).group()
        path, known_id = self._file_of(group_id, source)
        memory = self._explored(group_id, user_id, path, video_id or known_id)
        found, _tree = explorer.explore(path, question, memory)
        if explorer.remember:
            self.notify(f"events kept in memory: {sum(len(receipt.node_ids) for receipt in memory.receipts)}")
        return found

    def look_further(
        self,
        group_id: str,
        unknown: Answer,
        bounds: Bounds,
        explorer: Explorer,
        notify: Notify,
    ) -> Answer:
        """Explore the videos within the bounds, one after the other, until one has the answer.

        Returns an answer that cites what was found, which is kept as events. If nothing is found, returns `unknown`
        with a note on what was looked at.
        explorer: its max_looks applies to all videos together.
        notify: is called with the text of the answer.
        """
        scope = self.asking.scope(group_id, **bounds)
        question, left, seen = unknown.question.text, explorer.policy.max_looks, 0
        notes, guesses = list(unknown.notes), list[tuple[float, str]]()
        for video_id, path in self._files(scope):
            if left <= 0:
                break
            memory = self._explored(group_id, scope.user_id, path, video_id)
            try:
                # Each video gets the looks that the earlier ones left.
                limited = replace(explorer, policy=replace(explorer.policy, max_looks=left))
                found, tree = limited.explore(path, question, memory)
            except InputError as error:
                notes.append(f"{video_id} could not be looked at: {error}")
                continue
            left, seen = left - found.looks, seen + found.looks
            if found.found and found.node_id:
                memory.keep(tree, question, only=found.node_id)
                events = self._kept(memory)
                if events:
                    answer = _answer(unknown, found, events, (*notes, _looked(seen)))
                    notify(answer.text)
                    return answer
            elif found.guess:
                guesses.append((found.confidence, f"{video_id}: {found.answer}"))
        # Only the guess with the highest confidence is worth a note.
        notes += [text for _, text in sorted(guesses, reverse=True)[:1]]
        return replace(unknown, notes=(*notes, _looked(seen)))

    def _explored(self, group_id: str, user_id: str, path: Path, video_id: str) -> ExploredVideo:
        """Return the video with its memory.

        video_id: as in `ingest`; if empty, an ingested video is found by its file.
        """
        given = video_of(path, group_id, video_id=video_id)
        video, moved = known_video(self.ingesting.writer(), given, named=bool(video_id))
        if moved:
            self.notify(moved)
        stored = self.ingesting.writer().stored(video)
        known = stored or replace(video, place=video.home, recorded_at=None)
        mask = masked_at(self.views, known.place)
        return ExploredVideo(
            video=known, user_id=user_id, asking=self.asking, ingesting=self.ingesting, notify=self.notify, mask=mask
        )

    def _file_of(self, group_id: str, source: str | Path) -> tuple[Path, str]:
        """Return (path, "") for a file, or (path, video_id) for a video in memory.

        Raises NoSuchFile: the source is neither.
        """
        path = Path(source)
        if path.exists():
            return path, ""
        known = self.asking.events.recordings(Scope(group_id, (str(source),)))
        video = self.browse(group_id).video(str(source)) if str(source) in known else None
        if video is None or not video.uri:
            hint = "check the path, or name a video_id"
            raise NoSuchFile(f"cannot read {path}: No such file or directory", hint=hint)
        return Path(video.uri), video.video_id

    def _files(self, scope: Scope) -> Iterator[tuple[str, Path]]:
        """Yield (video_id, path) of the videos in scope whose files are on this machine, latest ingested first."""
        wanted = set(self.asking.events.recordings(scope))
        for video in reversed(self.browse(scope.group_id).videos(PageRequest(MOST))):
            if video.video_id in wanted and video.uri and Path(video.uri).is_file():
                yield video.video_id, Path(video.uri)

    def _kept(self, memory: ExploredVideo) -> list[Event]:
        """Return the events that were made of what was seen, in order of time."""
        node_ids = [node_id for receipt in memory.receipts for node_id in receipt.node_ids]
        return self.asking.events.events(node_ids, Scope(memory.video.group_id, (memory.video.video_id,)))


def _is_complete(saved: Mapping[str, Any]) -> bool:
    """Return whether a saved run looked at everything and then answered. Going on would only ask the same again."""
    answer = saved["answer"]
    return saved["stopped"] == "exhausted" and answer is not None and not answer["guess"]


def _looked(seen: int) -> str:
    return f"memory had no answer; {seen} segments of video were looked at"


def _span(start: float, end: float, duration: float) -> Span:
    # A short event is shown with some seconds around it, a long one by its middle.
    if end - start < RANGE_S or end - start > _LONGEST_S:
        return around((start + end) / 2, duration)
    return Span(start, end)


def _answer(unknown: Answer, found: Exploration, events: list[Event], notes: tuple[str, ...]) -> Answer:
    """Return an answer that cites the event with the longest overlap with the finding."""
    span = found.span
    cited = max(events, key=lambda event: _shared(event, span)) if span else events[0]
    citation = Citation(cited.node_id, cited.video_id, cited.time_start, cited.time_end)
    text = f"{found.answer} {citation.label}"
    hit = Hit(cited, found.confidence)
    return Answer(
        question=unknown.question,
        text=text,
        found=True,
        evidence=(hit,),
        citations=(citation,),
        notes=notes,
        trace=unknown.trace,
        confidence=found.confidence,
        language=unknown.language,
    )


def _shared(event: Event, span: Span) -> tuple[float, float]:
    """Return a key to rank events: seconds of overlap first, then how close the starts are."""
    start, end = max(event.time_start, span.start_s), min(event.time_end, span.end_s)
    return max(0.0, end - start), -abs(event.time_start - span.start_s)
