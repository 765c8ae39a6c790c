"""Narrows a scope to the time range that a question names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from math import inf
from operator import attrgetter

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.domain.video import Video, zone_of
from amr_neo4j.language.languages import ENGLISH, Language
from amr_neo4j.language.time_expressions import NamedTime
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion, TimeRange
from amr_neo4j.recall.question.places import place_name, plain_name
from amr_neo4j.recall.question.time_ranges import DAY, Range, clock_ranges, film_range, meanings
from amr_neo4j.recall.retrieve.retriever import Retriever
from amr_neo4j.recall.trace import Notes

# An as_of before every event: the scope is empty.
NEVER = -1.0
_WEEK = timedelta(days=7)
# "Where do I live this week?" asks for the present, as "now" does. What was said before this week answers it, too.
_NOW_RULES = ("now", "day", "week", "month", "year")
# A turn is looked for among this many events of the time range, the nearest to the question.
_MOST_LOOKED_AT = 200


def within_time(parsed: ParsedQuestion, retriever: Retriever, notes: Notes) -> tuple[ParsedQuestion, Retriever]:
    """Return the question with the meaning of its time, and the retriever narrowed to that and the named videos."""
    whole, reader = (
        replace(retriever.scope, video_ids=parsed.videos or retriever.scope.video_ids),
        retriever.sources.reader,
    )
    at = reader.videos_at(parsed.places, whole) if parsed.places else []
    showing = reader.videos_showing(parsed.places, whole) if parsed.places and not at else []
    if not (at or showing):
        return _within_time(parsed, retriever.within(whole), notes)
    cameras = replace(whole, video_ids=tuple(sorted(at or showing)), session_ids=())
    parsed, narrowed = _within_time(parsed, retriever.within(cameras), notes)
    if showing:
        narrowed = replace(narrowed, keeps=partial(_is_there, parsed.places, narrowed.keeps))
    # A turn belongs to no camera, but it may be about the place of one. An event of another type of scene may, too.
    others = replace(narrowed.scope, video_ids=whole.video_ids, session_ids=whole.session_ids)
    if (others.has_turns or showing) and not narrowed.telling:
        names = [place_name(place) for place in parsed.places]
        narrowed = replace(narrowed, telling=(others, partial(_tells_of_place, names, not showing)))
    return parsed, narrowed


def _is_there(scene_types: Sequence[str], keeps: Callable[[Event], bool] | None, event: Event) -> bool:
    return event.scene_type in scene_types and (keeps is None or keeps(event))


def _tells_of_place(names: Sequence[str], only_turns: bool, event: Event) -> bool:
    said = f" {plain_name(event.summary_text)} "
    return not (only_turns and event.turn is None) and any(f" {name} " in said for name in names)


def _within_time(parsed: ParsedQuestion, retriever: Retriever, notes: Notes) -> tuple[ParsedQuestion, Retriever]:
    scope, span = retriever.scope, parsed.span
    parsed = replace(parsed, asked_at=_asked_at(scope, retriever.sources.now))
    if parsed.reference_span:
        return _beside_time(parsed, parsed.reference_span, retriever)
    if not span or not span.is_understood:
        return parsed, retriever
    videos = retriever.sources.reader.recordings(scope)
    if span.film:
        scope, videos = _of_film(span.film, scope, videos, notes)
    meaning = _Meaning(parsed, retriever.within(scope), videos)
    if meaning.says_nothing:
        return replace(parsed, time_left_out=span.words), retriever
    binds_turns = scope.has_turns and meaning.binds_turns
    asks_deed = parsed.language.plans.asks_deed(parsed.question.text)
    if meaning.is_to_come and not (asks_deed or scope.has_turns):
        # What is to come is not seen yet, but somebody may have spoken of it.
        parsed = replace(parsed, ranges=_ranges_of(meaning.by_clock))
        return parsed, replace(retriever, keeps=attrgetter("has_words"))
    if scope.has_turns and not videos and not binds_turns:
        return parsed, retriever
    if span.has_hours and meaning.begins_earlier:
        notes.lines.append(notes.grammar.say("latest_days", days=meanings().most_days))
    narrowed = meaning.narrowed()
    keeps = meaning.keeps if narrowed == meaning.by_clock else None
    parsed = replace(parsed, ranges=_ranges_of(narrowed), asked_at=meaning.now, dated=meaning.is_of_days)
    if parsed.answer_type is AnswerType.DURATION and narrowed.as_of == scope.as_of:
        narrowed, keeps = scope, None  # a state that began or ended outside the time range counts too
    elif parsed.is_of_a_state and (span.has_hours or span.position or (span.days and span.days.part)):
        # How a thing was at a time follows from the events before it.
        narrowed, keeps = replace(narrowed, since=scope.since), None
    narrowed_retriever = replace(retriever.within(narrowed), keeps=keeps)
    begin, end = parsed.within
    if scope.has_turns and (begin is not None or end is not None):
        by_clock = isinstance(begin or end, datetime)
        tells = _tells_of(narrowed, parsed.language) if binds_turns and by_clock else _is_turn
        narrowed_retriever = replace(narrowed_retriever, telling=(scope, tells))
    return parsed, narrowed_retriever


def _beside_time(parsed: ParsedQuestion, span: NamedTime, retriever: Retriever) -> tuple[ParsedQuestion, Retriever]:
    """Return the question with the time of the event that it counts from: the answer lies on one side of that time.

    In turns, a day is mostly that of what is told, so it binds nothing.
    """
    scope = retriever.scope
    videos = retriever.sources.reader.recordings(scope)
    if not videos or not span.is_understood:
        return parsed, retriever
    meaning = _Meaning(replace(parsed, span=span), retriever, videos)
    if meaning.says_nothing:
        return replace(parsed, time_left_out=span.words), retriever
    parsed = replace(parsed, reference_ranges=_ranges_of(meaning.narrowed()), dated=meaning.is_of_days)
    if not parsed.reference_ranges:
        return parsed, retriever
    since, until = parsed.reference_ranges[0][0], parsed.reference_ranges[-1][1]
    since = None if parsed.order is Order.BEFORE else since
    until = None if parsed.order in (Order.AFTER, Order.BETWEEN) else until
    return parsed, retriever.within(_bounded(scope, since, until) or scope)


def as_of_question(parsed: ParsedQuestion, scope: Scope) -> Scope:
    """Return the scope as of the end of the days that a question about conversations names.

    The facts that were true then answer the question. The scope is unchanged if the question names no day.
    """
    end = parsed.within[1]
    days = parsed.span.days if parsed.span else None
    if not (days and not days.recur and scope.has_turns and isinstance(end, datetime)):
        return scope
    known = scope.as_of if scope.as_of is not None else end
    return replace(scope, as_of=min(known, end) if isinstance(known, datetime) else known)


class _Meaning:
    """What the time of a question means for the recordings and turns of a scope."""

    def __init__(self, parsed: ParsedQuestion, retriever: Retriever, videos: Mapping[str, Video]) -> None:
        self._parsed, self._retriever, self._scope = parsed, retriever, retriever.scope
        self._videos, self._times = videos, parsed.language.time_expressions
        self._span = parsed.span or NamedTime()
        self._recorded = [
            (video.recorded_at, video.recorded_at + timedelta(seconds=video.duration_s or 0.0))
            for video in videos.values()
            if video.recorded_at
        ]
        asked_at = parsed.asked_at or max((begun for begun, _ in self._recorded), default=None)
        # Turns are of the user's days, recordings of those of their cameras (_of_other_zones).
        self._default = retriever.sources.recording_zone or (asked_at.tzinfo if asked_at else None)
        zone = asked_at.tzinfo if asked_at and self._scope.has_turns else zone_of(videos.values(), self._default)
        self.now = asked_at.astimezone(zone) if asked_at else None

    @property
    def says_nothing(self) -> bool:
        """Whether the time has no meaning in the scope.

        It needs a wall clock that no recording has, counts the days of recordings where there are none, or counts
        from the end of a film where several may be meant.
        """
        span = self._span
        if self._is_of_film:
            return film_range(span, self._duration, self._times) is None
        if span.days and span.days.rule == "recorded" and not self._recorded:
            return True
        if self._has_clock or (span.has_hours and not span.days and self._named):
            return False
        return (
            bool(span.days or span.position)
            or self._times.is_twelve_hour(span.since + span.until)
            or (not (span.since or span.until))
        )

    def narrowed(self) -> Scope:
        """Return the scope within the time; an empty one if there is none."""
        span, scope = self._span, self._scope
        film = film_range(span, self._duration, self._times)
        in_film = _bounded(scope, *film) if film else None
        if self._is_of_film:
            return in_film or replace(scope, as_of=NEVER)
        by_clock = self.by_clock
        if self._has_clock and (self._holds(by_clock) or not (in_film or self._named)):
            return by_clock
        by_name = replace(scope, video_ids=self._named)
        # A recording may be called "kitchen_morning": then its name says what its clock does not.
        others = [by_name] if self._named else []
        others += [in_film] if in_film and not span.days else []
        is_by_clock = self._has_clock and not (in_film in others and self._runs_only_by_film_time(film))
        return next(filter(self._holds, others), by_clock if is_by_clock else others[-1])

    def _runs_only_by_film_time(self, film: tuple[float | None, float | None] | None) -> bool:
        """Return whether the only film is long enough for a time like 1:20, and was not recorded at 1:20 o'clock."""
        if len(self._videos) != 1 or not film:
            return False
        [video] = self._videos.values()
        begun, length = video.recorded_at, video.duration_s or 0.0
        recorded = (begun, begun + timedelta(seconds=length)) if begun else None
        return (film[0] or 0.0) <= length and not (
            recorded and any(_overlap(recorded, each) for each in self._ranges)
        )

    @cached_property
    def by_clock(self) -> Scope:
        """The scope within the time by the wall clock, in every time zone of its recordings."""
        ranges = self._ranges
        if self._of_other_zones:
            every = [ranges, *self._of_other_zones.values()]
            ranges = [each for of_zone in every for each in of_zone]
            if any(None in each for each in ranges):
                ranges = [_around(ranges)]
            ranges = sorted(ranges, key=_begin)
        return _in_ranges(self._scope, ranges)

    @property
    def keeps(self) -> Callable[[Event], bool] | None:
        """A function that returns whether an event lies in the time by the clock of its own recording.

        None if the time is the same in all time zones: then the scope alone says so.
        """
        if not self._of_other_zones:
            return None

        def keeps(event: Event) -> bool:
            ranges = self._of_other_zones.get(self._zone_key(self._videos.get(event.video_id)), self._ranges)
            lasts = timedelta(seconds=event.time_end - event.time_start)
            return event.at is not None and any(_overlap((event.at, event.at + lasts), each) for each in ranges)

        return keeps

    @cached_property
    def _of_other_zones(self) -> Mapping[str, list[Range]]:
        """{key of a zone: the ranges that the time means there}, of zones whose ranges are not those of `now`.

        Each camera has days of its own: yesterday in Tokyo is not yesterday in Berlin.
        """
        if not self.now or not self._recorded:
            return {}
        zones = {self._zone_key(video): video for video in self._videos.values() if video.recorded_at}
        found = dict[str, list[Range]]()
        for key, video in zones.items():
            now = self.now.astimezone(zone_of([video], self._default))
            ranges = clock_ranges(self._span, now, self._recorded, self._times)
            if ranges != self._ranges:
                found[key] = ranges
        return found

    def _zone_key(self, video: Video | None) -> str:
        """Return a key that is equal for videos of the same time zone."""
        return str(zone_of([video], self._default) if video else None)

    @property
    def begins_earlier(self) -> bool:
        """Whether hours without a day would be those of more days than are looked at."""
        days = self._span.days
        earliest = self.now - meanings().most_days * DAY if self.now else None
        return bool(
            not self._span.goes_on
            and (days is None or days.recur)
            and earliest
            and self._recorded
            and min(self._recorded)[0] < earliest
        )

    @property
    def is_of_days(self) -> bool:
        """Whether the time is one of the calendar, or hours of several days."""
        days = {begun.date() for begun, _ in self._recorded}
        return not self._is_of_film and (self._span.days is not None or len(days) > 1)

    @property
    def _is_of_film(self) -> bool:
        """Whether the film's own time is meant."""
        span, times = self._span, self._times
        if span.position:
            of_one = span.film is not None or len(self._scope.video_ids) == 1 or not self._has_clock
            return of_one or not span.position.of_clock
        if times.is_of_video(span.since) or times.is_of_video(span.until):
            return True
        by_marks = bool(span.since or span.until) and not span.days
        twelve = times.is_twelve_hour(span.since + span.until)
        return by_marks and not twelve and (span.film is not None or not self._has_clock)

    @property
    def _has_clock(self) -> bool:
        return bool(self._recorded) or self._scope.has_turns

    @cached_property
    def _ranges(self) -> list[Range]:
        return clock_ranges(self._span, self.now, self._recorded, self._times) if self.now else []

    @property
    def is_to_come(self) -> bool:
        """Whether the time begins after the question."""
        since = self._ranges[0][0] if self._ranges else None
        return bool(self.now and since and since > self.now)

    @property
    def binds_turns(self) -> bool:
        """Whether the time is when turns were said, or when what they tell of was so.

        Hours alone and days that recur are mostly what people talk about ("what do I drink in the morning?", "on
        Fridays"). So is a day, like "on Thursday", that lies after all turns, and "today" in a question about the
        present.
        """
        days = self._span.days
        if days is None or days.recur or days.rule == "recorded":
            return self._parsed.asks_for_all
        if self.is_to_come:
            return False  # turns may tell of what is to come, and were said before it
        if days.rule in _NOW_RULES and days.number == 0 and not days.part:
            return not self._parsed.language.asks_of_present(self._parsed.question.text)
        is_exact = days.year or days.number or days.rule not in ("date", "weekday")
        if not is_exact and self._parsed.language.asks_of_present(self._parsed.question.text):
            return False  # "When is my class on Tuesday?" asks for what a turn tells, whenever it was said
        since = self._ranges[0][0] if self._ranges else None
        if is_exact or since is None:
            return True
        later = self._retriever.nearest(self._parsed, replace(self._scope, since=since), _MOST_LOOKED_AT)
        return any(node_id < 0 for node_id in later)  # turns have negative ids

    @property
    def _duration(self) -> float | None:
        """The length of the only film; None if there are several.

        If it is not known, the film ends with its last clip.
        """
        if len(self._videos) != 1 or not (self._span.position and self._span.position.from_end):
            return None
        [(video_id, video)] = self._videos.items()
        return video.duration_s or self._retriever.sources.reader.lengths([video_id], self._scope).get(video_id)

    @property
    def _named(self) -> tuple[str, ...]:
        """The videos named after the part of the day: "kitchen_evening" for "in the evening"."""
        part = self._span.part
        return tuple(sorted(name for name in self._videos if self._times.names_part(name, part)))

    def _holds(self, scope: Scope) -> bool:
        return bool(self._retriever.nearest(self._parsed, scope, 1))


def _asked_at(scope: Scope, now: datetime | None) -> datetime | None:
    """Return the moment of a question: as_of, else now, in the time zone of `now`."""
    if isinstance(scope.as_of, datetime):
        return scope.as_of.astimezone(now.tzinfo) if now else scope.as_of
    return now


def _of_film(film: str, scope: Scope, videos: Mapping[str, Video], notes: Notes) -> tuple[Scope, Mapping[str, Video]]:
    """Return the scope and the videos that a name means. A name that no video has is noted and ignored."""
    words = plain_name(film)
    named = [video for video in videos if f" {words} " in f" {plain_name(video)} "]
    exact = [video for video in named if plain_name(video) == words]
    meant = tuple(sorted(exact or named))
    if not meant:
        notes.lines.append(notes.grammar.say("no_film", film=film))
        return scope, videos
    return replace(scope, video_ids=meant), {video: videos[video] for video in meant}


def _in_ranges(scope: Scope, ranges: Sequence[Range]) -> Scope:
    """Return the scope within these ranges; an empty one if there is no range."""
    # "After today", asked in two time zones, may begin after the moment of the question.
    ranges = [each for each in ranges if not (each[0] and each[1] and each[0] > each[1])]
    if not ranges:
        return replace(scope, as_of=NEVER)
    if len(ranges) == 1:
        return _bounded(scope, *ranges[0]) or replace(scope, as_of=NEVER)
    return replace(scope, ranges=tuple((since, until) for since, until in ranges if since and until))


def _around(ranges: Sequence[Range]) -> Range:
    """Return the one range from the first start to the last end; open where one of them is."""
    starts, ends = [since for since, _ in ranges], [until for _, until in ranges]
    since = None if None in starts else min(filter(None, starts))
    return since, None if None in ends else max(filter(None, ends))


def _begin(within: Range) -> float:
    """Return the start of a range in seconds since 1970; before all others if it is open."""
    return within[0].timestamp() if within[0] else -inf


def _ranges_of(scope: Scope) -> tuple[TimeRange, ...]:
    """Return the ranges of a scope; none if it is open on both sides."""
    whole = (scope.since, scope.until)
    return scope.ranges or (() if whole == (None, None) else (whole,))


def _tells_of(scope: Scope, language: Language) -> Callable[[Event], bool]:
    """Return a function that returns whether a turn states a time within a scope ("yesterday", "on 7 May")."""
    ranges = _ranges_of(scope)

    def tells(event: Event) -> bool:
        if not event.turn or not event.at:
            return False
        for time in language.times_stated(event.summary_text, event.at):
            stated = _stated_range(time.value, event.at)
            if stated and any(_overlap(stated, other) for other in ranges):
                return True
        return False

    return tells


def _is_turn(event: Event) -> bool:
    return event.turn is not None


def _stated_range(value: str, said_at: datetime) -> Range | None:
    """Return the range of a stated time, such as "7 May 2023" or "the week before 9 June 2023"."""
    times = ENGLISH.time_expressions  # values are English in every language
    named = times.time_in(f"in {value}")[1]
    ranges = clock_ranges(named, said_at, (), times) if named and named.days else []
    if not ranges:
        return None
    since, until = ranges[0][0], ranges[-1][1]
    # "The week before" a day: roughly.
    if named and named.relation in ("before", "until") and until:
        return until - _WEEK, until
    if named and named.relation in ("after", "since") and since:
        return since, since + _WEEK
    return since, until


def _overlap(one: Range, other: TimeRange) -> bool:
    since, until = other
    begins_late = isinstance(until, datetime) and one[0] is not None and one[0] > until
    ends_early = isinstance(since, datetime) and one[1] is not None and one[1] <= since
    return not (begins_late or ends_early)


def _bounded(scope: Scope, since: Moment | None, until: Moment | None) -> Scope | None:
    """Return the scope narrowed by these bounds; None if nothing is left.

    A bound of another kind than the scope's (seconds of a video, wall clock) is ignored.
    """
    since = _tighter(scope.since, since, later=True)
    until = _tighter(scope.until, until, later=False)
    try:
        return replace(scope, since=since, until=until)
    except ValueError:
        return None


def _tighter(given: Moment | None, named: Moment | None, *, later: bool) -> Moment | None:
    if given is None or named is None:
        return named if given is None else given
    tighter = max if later else min
    if isinstance(given, datetime) and isinstance(named, datetime):
        return tighter(given, named)
    if isinstance(given, datetime) or isinstance(named, datetime):
        return given  # a date and seconds of a video cannot be compared
    return tighter(given, named)
