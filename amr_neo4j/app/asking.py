"""Questions to a memory: choose what to read, answer, search, and look up what an answer cites."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

from amr_neo4j.app.background import QuestionsFirst
from amr_neo4j.app.beliefs import UserBeliefs, language_asked
from amr_neo4j.domain import ports
from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import Indexes, Notify, Replacements
from amr_neo4j.domain.recall import Answer, Citation, Hit, Margin, MemoryContext, Scope, SearchOrder, TurnCitation
from amr_neo4j.domain.video import Video, zone_of
from amr_neo4j.errors import InputError, NoSpace, NotInMemory, SpoolReadOnly
from amr_neo4j.language.languages import DEFAULT, Language
from amr_neo4j.language.stems import words_in
from amr_neo4j.recall.evidence.timeline import at_recording, chronological_events
from amr_neo4j.recall.limits import Models, RecallLimits
from amr_neo4j.recall.pipeline import ask, context, search
from amr_neo4j.recall.sources import CombinedIndex, CombinedReader, Knowledge, Sources

if TYPE_CHECKING:
    from amr_neo4j.store.read.browse import Browse
    from amr_neo4j.store.read.event_reader import EventReader
    from amr_neo4j.store.read.turn_events import TurnEventReader

# The question that `warm_up` searches for. Any question loads all tables of the language.
_ANY_QUESTION = "Where was it then?"
# An event of a search in order of time repeats the one before it if it begins at most this long after that one ends,
# and this share of the words of both are the same.
_REPEATED_SEC = 45.0
_SAME_WORDS = 0.8


@dataclass(frozen=True, kw_only=True)
class Asking:
    """Answers questions of any group and user.

    languages: codes of the languages in which questions about conversations are answered.
    models: opens the models that verify and word answers.
    embedder: opens the embedder of questions.
    note_language: is told the language of a question about footage that is not in English.
    drain: commits the turns of a user of a group that are still in this machine's spool.
    questions: background work waits while one of them is answered.
    now: returns the present moment, in the time zone of a user.
    zone: that of recordings that name none.
    wearer: who wears the cameras; may be empty.
    admit: raises NotInMemory for an empty group, and EmbedderMismatch for a group that another model embedded.
    """

    language: Language
    languages: tuple[str, ...]
    limits: RecallLimits
    models: Callable[[], Models]
    events: EventReader
    turns: TurnEventReader
    browse: Callable[[str], Browse]
    replacements: Replacements
    beliefs: UserBeliefs
    indexes: Indexes
    embedder: Callable[[], ports.Embedder]
    note_language: Callable[[str], object]
    drain: Callable[[str, str], object]
    questions: QuestionsFirst
    admit: Callable[[str], None]
    notify: Notify
    now: Callable[[str], datetime]
    zone: tzinfo
    wearer: str
    # Groups known to have had a video.
    _with_videos: set[str] = field(default_factory=set[str], init=False)

    def ask(self, group_id: str, question: str, bounds: Bounds, notify: Notify) -> Answer:
        """Answer a question with citations. notify: is called with each claim of the answer as it comes.

        Raises InputError, NotInMemory, EmbedderMismatch, ModelDenied, NoSuchModel.
        """
        with self.questions.question():
            sources, models = self._sources_for(question, group_id, bounds), self.models()
            return ask(
                question,
                sources,
                # A model reads turns and footage in any language, and each of its answers is paid for.
                footage=None if models.answer else self._footage(question, sources),
                limits=self.limits,
                models=models,
                knowledge=Knowledge(self.replacements, self.turns, self.beliefs),
                notify=notify,
                clock=time.perf_counter,
            )

    def search(
        self,
        group_id: str,
        text: str,
        asked: PageRequest,
        bounds: Bounds,
        *,
        order: SearchOrder = "fit",
        uncut: bool = True,
    ) -> Page[Hit]:
        """Return a page of the events that fit a text, in this order. Raises the same errors as `ask`.

        uncut: if False, the list ends where hits fit much less than the best one.
        """
        with self.questions.question():
            sources = self._sources_for(text, group_id, bounds)
            found = self.search_in(sources, text, asked, uncut=uncut)
        events = self.located(group_id, [hit.event for hit in found])
        hits = [replace(hit, event=event) for hit, event in zip(found, events, strict=True)]
        found = replace(found, items=tuple(hits))
        if order == "fit":
            return found
        in_time = {event.node_id: place for place, event in enumerate(chronological_events(h.event for h in found))}
        folded = _without_repeats(sorted(found, key=lambda hit: in_time[hit.event.node_id]))
        return replace(found, items=tuple(folded if order == "time" else reversed(folded)))

    def search_in(self, sources: Sources, text: str, asked: PageRequest, *, uncut: bool = True) -> Page[Hit]:
        """Search the given sources, otherwise like `search`."""
        knowledge = Knowledge(self.replacements)
        return search(text, sources, asked=asked, uncut=uncut, limits=self.limits, knowledge=knowledge)

    def context(self, group_id: str, question: str, tokens: int, bounds: Bounds) -> MemoryContext:
        """Return what memory holds about a question as text for a language model. Raises the same errors as `ask`."""
        with self.questions.question():
            sources = self._sources_for(question, group_id, bounds)
            knowledge = Knowledge(self.replacements)
            return context(question, sources, tokens=tokens, limits=self.limits, knowledge=knowledge)

    def warm_up(self, group_id: str, user_id: str, *, embeds: bool) -> None:
        """Load what the first question would otherwise wait for.

        Afterwards the garbage collector skips all objects that exist by then (gc.freeze), which makes its later
        runs short.
        embeds: also search once, which loads the embedder.
        """
        self.events.warm_up(group_id)
        self.language.content_words("ready")  # loads the dictionary
        if embeds:
            self.search_in(self.sources_of(Scope(group_id, user_id=user_id)), _ANY_QUESTION, PageRequest(1))
        gc.collect()
        gc.freeze()

    def cited(self, group_id: str, user_id: str, citation: Citation | TurnCitation) -> Event:
        """Return the event that an answer cites. A cited turn is returned as an event as well.

        Raises NotInMemory if it is no longer there.
        """
        if isinstance(citation, TurnCitation):
            scope = Scope(group_id, user_id=user_id, session_ids=(citation.session_id,))
            reader: EventReader | TurnEventReader = self.turns
        else:
            scope, reader = Scope(group_id, (citation.video_id,)), self.events
        reader.vocabulary(scope)  # or the reader's cache could hold what was forgotten since
        found = reader.events([citation.node_id], scope)
        if not found:
            raise NotInMemory(f"{citation.label} is not in group {group_id}", hint="ask the question again")
        return self.located(group_id, found)[0]

    def around(self, group_id: str, node_id: int, margin: Margin, bounds: Bounds) -> list[Event]:
        """Return the events around one of a video, in order of time. Raises NotInMemory if it is not there."""
        scope = self.scope(group_id, **bounds)
        self.events.vocabulary(scope)  # or the reader's cache could hold what was forgotten since
        found = self.events.events([node_id], scope)
        if not found:
            by_then = " by then" if any(bounds.values()) else ""
            raise NotInMemory(f"event {node_id} is not in group {group_id}{by_then}", hint="amr search finds events")
        return self.located(group_id, chronological_events(self.events.around(found, margin, scope)))

    def zone_of_days(self, group_id: str) -> tzinfo:
        """Return the time zone whose days questions about all videos of a group mean."""
        return zone_of(self.events.recordings(Scope(group_id)).values(), self.zone) or self.zone

    def located(self, group_id: str, events: Sequence[Event]) -> list[Event]:
        """Return the events with their wall clocks in the time zones of their recordings; turns are unchanged."""
        videos = tuple(sorted({event.video_id for event in events if not event.turn}))
        known: Mapping[str, Video] = self.events.recordings(Scope(group_id, videos)) if videos else {}
        return [
            at_recording(event, known[event.video_id], self.zone)
            if not event.turn and event.video_id in known
            else event
            for event in events
        ]

    # --- what a question reads

    def sources(self, group_id: str, bounds: Bounds) -> Sources:
        """Return what a question with these bounds reads. Its user's turns in the spool are committed first.

        Raises InputError: a bound is malformed. Raises NotInMemory: one of the videos is not in memory.
        """
        return self.sources_of(self._current(group_id, bounds))

    def sources_of(self, scope: Scope) -> Sources:
        """Return what a question with this scope reads. Turns in this machine's spool are not committed first.

        This does not check the group. Reading the vocabulary checks in the same round trip that the group exists
        and which model embedded it.
        """
        reader, index = self.events, self.indexes.events
        # Without videos in the group, the index of events need not be opened.
        if scope.has_turns and scope.has_videos and self.has_videos(scope.group_id):
            reader = CombinedReader(reader, self.turns)
            index = CombinedIndex(index, self.indexes.turns)
        elif scope.has_turns:
            reader, index = self.turns, self.indexes.turns
        return Sources(
            scope=scope,
            reader=reader,
            index=index,
            embedder=self.embedder(),
            language=self.language,
            now=self.now(scope.user_id),
            zone=self.zone,
            wearer=self.wearer,
        )

    def _sources_for(self, question: str, group_id: str, bounds: Bounds) -> Sources:
        """Return the sources with the language in which a question is read and answered. Raises as `sources` does."""
        scope = self._current(group_id, bounds)
        language = language_asked(question, scope, self.languages, self.language)
        if language.asked != DEFAULT and scope.has_videos and self.has_videos(group_id):
            self.note_language(language.asked)
        return replace(self.sources_of(scope), language=language)

    def _footage(self, question: str, sources: Sources) -> Sources | None:
        """Return the sources without the user's conversations; None if that leaves nothing, or nothing out."""
        scope = sources.scope
        if scope.session_ids or not (scope.has_turns and scope.has_videos and self.has_videos(scope.group_id)):
            return None
        alone = replace(scope, user_id="")
        language = language_asked(question, alone, self.languages, self.language)
        return replace(self.sources_of(alone), language=language, now=sources.now)

    def _current(self, group_id: str, bounds: Bounds) -> Scope:
        """Return the scope within these bounds, once its user's turns in the spool are committed."""
        scope = self.scope(group_id, **bounds)
        if scope.has_turns:
            self.commit_waiting(group_id, scope.user_id)
        return scope

    def commit_waiting(self, group_id: str, user_id: str) -> None:
        """Commit the user's turns in this machine's spool, so that a search finds them. Others' are no concern of it.

        A disk that is full or cannot be written is reported, not raised.
        """
        try:
            self.drain(group_id, user_id)
        except (NoSpace, SpoolReadOnly) as error:
            self.notify(f"turns that wait on this machine are not searched yet: {error}")

    def scope(
        self,
        group_id: str,
        *,
        videos: Iterable[str] = (),
        persons: Iterable[str] = (),
        user_id: str = "",
        sessions: Iterable[str] = (),
        **moments: Any,
    ) -> Scope:
        """Return the scope of a group within these bounds.

        persons: names or descriptors. Each becomes the ids of the person, including everybody merged into them.
        moments: the times of the scope (since, until, as_of, known_at).
        Raises InputError: a bound is malformed. Raises NotInMemory: a video, session or person is not in memory.
        """
        named = tuple(videos)
        known = self.events.recordings(Scope(group_id, named)) if named else dict[str, Video]()
        for video_id in named:
            if video_id not in known:
                self.admit(group_id)  # an empty group is reported as such
                self.browse(group_id).video(video_id)  # raises NotInMemory
        try:
            ids = [self.language.person_key(name).person_id for name in persons]
            named_as = {each: self.events.aliases_of(group_id, each) for each in ids}
            who = tuple(dict.fromkeys(now for each in ids for now in named_as[each]))
            scope = Scope(group_id, named, who, user_id=user_id, session_ids=tuple(sessions), **moments)
        except ValueError as error:
            raise InputError(
                str(error), hint="a time is seconds of the video, or a datetime with UTC offset"
            ) from error
        if user_id and (ids or scope.session_ids):
            self.commit_waiting(group_id, user_id)  # or what was said a moment ago would be unknown
        if scope.session_ids:
            self.turns.require_sessions(scope)
        if ids:
            self._require_persons(group_id, user_id, named_as)
        return scope

    def _require_persons(self, group_id: str, user_id: str, named_as: Mapping[str, Collection[str]]) -> None:
        """Check that persons are in videos or, with a user, speak in the user's conversations. Raises NotInMemory.

        named_as: {person_id: those whom it stands for in videos}.
        """
        seen = self.events.vocabulary(Scope(group_id)).persons
        heard = frozenset[str]()
        if user_id:
            speakers = self.turns.vocabulary(Scope(group_id, user_id=user_id)).persons
            heard = speakers | {self.language.person_key(user_id).person_id}
        for each, ids in named_as.items():
            if seen.isdisjoint(ids) and each not in heard:
                raise self.browse(group_id).no_person(each, heard)

    def has_videos(self, group_id: str) -> bool:
        """Return whether a group has ever had a video. A positive answer is cached; a negative one is asked again."""
        if group_id not in self._with_videos:
            group = self.browse(group_id).group()
            if not (group and group.has_videos):
                return False
            self._with_videos.add(group_id)
        return True


def _without_repeats(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits in order of time. A hit that repeats the one before it is left out and listed in its `repeats`."""
    found: list[Hit] = []
    last: Event | None = None
    for hit in hits:
        if found and last and _repeats(hit.event, found[-1].event, last):
            found[-1] = replace(found[-1], repeats=(*found[-1].repeats, hit.event.node_id))
        else:
            found.append(hit)
        last = hit.event
    return found


def _repeats(event: Event, shown: Event, last: Event) -> bool:
    """Return whether an event says what the one shown says. last: the latest event that does."""
    if (
        event.turn
        or shown.turn
        or event.video_id != shown.video_id
        or event.time_start - last.time_end > _REPEATED_SEC
    ):
        return False
    words, others = ({*words_in(" ".join([each.summary_text, *each.dialogue_snippets]))} for each in (event, shown))
    return len(words & others) >= _SAME_WORDS * len(words | others) > 0
