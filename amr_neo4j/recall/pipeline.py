"""Takes a question through the stages: parse, retrieve, rank, answer. Only this module knows all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from itertools import chain
from pathlib import PurePath

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Cue, Event, repeated_halves
from amr_neo4j.domain.page import WHOLE, Page, PageRequest
from amr_neo4j.domain.ports import Names, Notify
from amr_neo4j.domain.recall import Answer, Citation, Hit, MemoryContext, Replacement, Scope, TurnCitation
from amr_neo4j.domain.scene import Companion
from amr_neo4j.domain.speakers import is_user
from amr_neo4j.domain.video import Video, with_local_clock
from amr_neo4j.language.languages import DEFAULT, ENGLISH
from amr_neo4j.language.languages import language as language_of
from amr_neo4j.language.nouns import Gloss
from amr_neo4j.language.spoken import translated, without_time
from amr_neo4j.language.time_expressions import NamedTime
from amr_neo4j.recall.answer.attribute import attribute_claims
from amr_neo4j.recall.answer.by_rules import (
    aggregate_claims,
    claims_by_rules,
    closest_claims,
    in_doubt,
    unstated,
    with_best_captions,
)
from amr_neo4j.recall.answer.by_type import selected_events
from amr_neo4j.recall.answer.claim import (
    Claim,
    Claims,
    ModelClaims,
    Reason,
    Unknown,
    event_claim,
    hit_about,
    with_surroundings,
)
from amr_neo4j.recall.answer.confidence import confidence, worded
from amr_neo4j.recall.answer.context import AROUND, Shown, stretches
from amr_neo4j.recall.answer.from_facts import claims_from_facts
from amr_neo4j.recall.answer.operators.duration import in_view
from amr_neo4j.recall.answer.operators.people import best_for_company, company_claims, with_companion
from amr_neo4j.recall.answer.plans import carries_out, fitting, plan_claims
from amr_neo4j.recall.answer.render import not_found, render, with_evidence_of_all, with_replaced
from amr_neo4j.recall.evidence.changes import carried_things
from amr_neo4j.recall.evidence.replacements import with_newest_first
from amr_neo4j.recall.evidence.synonyms import find_synonyms
from amr_neo4j.recall.evidence.timeline import (
    at_recording,
    chronological_events,
    with_recording_place,
)
from amr_neo4j.recall.evidence.watched import people_in
from amr_neo4j.recall.limits import Models, RecallLimits
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.clause import Synonym
from amr_neo4j.recall.question.parse import as_typed, asks_type, cleaned, parse_question
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.question.places import like, plain_name
from amr_neo4j.recall.question.time_ranges import Range, clock_ranges
from amr_neo4j.recall.rank.completion import missing_events, moves_of_holders
from amr_neo4j.recall.rank.eligible import about_what_is_asked, repeats_question, that_tell_of_user
from amr_neo4j.recall.rank.fusion import best_of_pool, fused_scores
from amr_neo4j.recall.rank.groups import (
    Group,
    best_groups,
    group,
    in_order_of_chains,
    rank_groups,
    verify,
    with_chains,
    with_named,
)
from amr_neo4j.recall.rank.relevance import Answerability, Coverage, bearing, coverage, matches_any
from amr_neo4j.recall.rank.score import score_candidates, unscored, word_weights
from amr_neo4j.recall.rank.selection import done_by_asker
from amr_neo4j.recall.rank.spread import different_scenes, over_sessions, spread
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.recall.retrieve.pool import Pool
from amr_neo4j.recall.retrieve.prefetch import Prefetch
from amr_neo4j.recall.retrieve.retriever import Retriever
from amr_neo4j.recall.retrieve.time_scope import as_of_question, within_time
from amr_neo4j.recall.sources import Knowledge, Sources
from amr_neo4j.recall.trace import Clock, Notes, TraceRecorder
from amr_neo4j.recall.weights import SCORING

DEFAULTS = RecallLimits()
NOTHING_KNOWN = Knowledge()
NO_MODELS = Models()
# Of what is around the events that an answer cites, in tokens: some ten lines.
_STRETCH_TOKENS = 300
# Of this many of the best, those of different scenes are quoted in an answer in doubt.
_LOOKED_AT = 100
# How many events are looked at for what carried out a plan.
_FOR_A_PLAN = 30
# After how long a day that a question names comes again, which may be that of a plan: "6 March", "the weekend".
_COMES_AGAIN = {"date": timedelta(days=365), "weekend": timedelta(days=7)}
# How far back the last event is looked for, where a question names nothing that it could be found by.
_BACK = (timedelta(days=1), timedelta(days=7), timedelta(days=60), timedelta(days=3650))


def ask(
    question: str,
    sources: Sources,
    *,
    limits: RecallLimits = DEFAULTS,
    models: Models = NO_MODELS,
    knowledge: Knowledge = NOTHING_KNOWN,
    notify: Notify = lambda claim: None,
    clock: Clock = lambda: 0.0,
    footage: Sources | None = None,
) -> Answer:
    """Answer a question from memory. If nothing in memory matches, the answer's `found` is False.

    notify: called with each claim as soon as it is made; with `footage`, once it is decided which answer is given.
    footage: `sources` without the conversations of the user. How many films there are is answered from it. If
        `sources` leave another question in doubt, it is read as one about footage, whose answer is taken if it is in
        no doubt. So is a question whose answer cites no turn, if `footage` translates it; its answer is then taken.
        A question about the user is read so only if it asks for a deed, and it is known which persons of the films
        are the user.
    clock: returns seconds, for the trace.
    Raises InputError: the text is not a question. Raises ModelDenied, NoSuchModel: a configured model cannot be used.
    """
    recall = _Recall(sources, limits, models, knowledge, clock)
    if footage is None:
        return recall.ask(question, notify)
    of_footage = _Recall(footage, limits, models, knowledge, clock, with_user=recall)
    answer = of_footage.about_films(question)
    claims = [answer.text] if answer else []
    if answer is None:
        answer = recall.ask(question, claims.append)
        is_doubtful = recall.in_doubt or not answer.found
        # For conversations a question is not translated, so its words may not be those of the footage that it found.
        is_untranslated = sources.language is not footage.language and not _rests_on_turns(answer)
        may_tell = not knowledge.beliefs.speaks_of_user(question) or of_footage.knows_who_did(question)
        if (is_doubtful or is_untranslated) and may_tell:
            seen: list[str] = []
            second = of_footage.ask(question, seen.append)
            # The doubt of whoever understands the words is better than an answer by words that were not understood.
            if second.found and not (of_footage.in_doubt and is_doubtful):
                answer, claims = second, seen
    for claim in claims:
        notify(claim)
    return answer


def search(
    text: str,
    sources: Sources,
    *,
    asked: PageRequest = WHOLE,
    uncut: bool = True,
    limits: RecallLimits = DEFAULTS,
    knowledge: Knowledge = NOTHING_KNOWN,
) -> Page[Hit]:
    """Return a page of the events that match a text, best first, ranked as for a question.

    uncut: if False, the list ends where results no longer bear on the question (of_best in rank/scoring.yaml).
    Raises InputError: the text is empty.
    """
    return _Recall(sources, limits, NO_MODELS, knowledge, lambda: 0.0).search(text, asked, uncut=uncut)


def context(
    question: str,
    sources: Sources,
    *,
    tokens: int,
    limits: RecallLimits = DEFAULTS,
    knowledge: Knowledge = NOTHING_KNOWN,
) -> MemoryContext:
    """Return what memory holds about a question as text for a language model, within `tokens`.

    Raises InputError: the text is empty.
    """
    return _Recall(sources, limits, NO_MODELS, knowledge, lambda: 0.0).context(question, tokens)


class _Recall:
    """Takes one question or search through the stages."""

    def __init__(
        self,
        sources: Sources,
        limits: RecallLimits,
        models: Models,
        knowledge: Knowledge,
        clock: Clock,
        with_user: _Recall | None = None,
    ) -> None:
        """with_user: reads the conversations of the user who asks, if the sources leave them out."""
        self.sources = sources
        self.with_user = with_user
        self.limits = limits
        self.models = models
        self.knowledge = knowledge
        self.trace = TraceRecorder(clock)
        self.notes = Notes(sources.language.grammar)
        # Whether the last answer was that nothing was found, or only offered the nearest event.
        self.in_doubt = False
        # Whether nothing was found that has the words of the question.
        self.lacks_words = False
        # Whether times in the answer need their date.
        self.dated = False
        self.prefetch: Prefetch | None = None
        # Further English translations of the words of a question in another language.
        self.meant: list[Synonym] = []
        self.told: tuple[str, ...] = ()
        # The question in its own language, and how it was translated.
        self.as_asked = ""
        self.gloss = Gloss("")
        # Whether the question may ask for deeds of whoever asks, because its verb leaves open who is meant.
        self.may_be_own = False

    @property
    def scope(self) -> Scope:
        return self.sources.scope

    @property
    def _answers_of_turns_by_rules(self) -> bool:
        return self.scope.has_turns and not self.models.answer

    def about_films(self, text: str) -> Answer | None:
        """Answer a question about the films themselves; None for any other, and for one about the user's films."""
        english = self._in_english(text).text
        if self.sources.language.asking.speaks_of_asker(english) or not self._about_films(english):
            return None
        return self.ask(text, lambda claim: None)

    def knows_who_did(self, text: str) -> bool:
        """Return whether a question asks for deeds of the user, who is known by name in films or tied to a person."""
        language, english = self.sources.language, self._in_english(text).text
        return bool(language.says_me(english) and language.asker_acts(english) and self.persons_of_user)

    def ask(self, text: str, notify: Notify) -> Answer:
        return replace(self._ask_in(text, notify), language=self.sources.language.grammar.code)

    def _ask_in(self, text: str, notify: Notify) -> Answer:
        gloss = self._in_english(text)
        if gloss.text == text:
            return self._ask(text, notify)
        mark = self.notes.grammar.quoted

        def as_asked(told: str) -> str:
            # Caveats quote words of the question. Quote them as the user wrote them, and not in English.
            for english, said in {**gloss.runs, **gloss.words}.items():
                told = told.replace(mark(english), mark(as_typed(said, text)))
            return told

        found = self._ask(gloss.text, lambda claim: notify(as_asked(claim)))
        notes = tuple(map(as_asked, found.notes))
        return replace(
            found, question=replace(found.question, text=cleaned(text)), text=as_asked(found.text), notes=notes
        )

    def _in_english(self, text: str) -> Gloss:
        """Return the question as the parser reads it."""
        reader, scope = self.sources.reader, self.scope
        names = reader.last_vocabulary(scope) or reader.vocabulary(scope)
        gloss = self.sources.language.in_english(cleaned(text), names.persons, names.objects)
        self.as_asked, self.gloss = cleaned(text), gloss
        self.meant = [Synonym(w, other, reported=True) for w, others in gloss.others.items() for other in others]
        self.told, self.may_be_own = gloss.told, gloss.may_be_own
        return replace(gloss, text=self._with_nth_film(self.sources.language.asking.plainly(gloss.text)))

    def _with_nth_film(self, text: str) -> str:
        """Return a question with the name of a film that it names by its place in time: "the first video"."""
        asking = self.sources.language.asking
        found = asking.nth_film.search(text) if self.scope.has_videos else None
        asked = asking.asked_of_films(text)[0] if found else ""
        if not found or asked in ("first", "last") or not (asked or self._means_own_films(text)):
            return text
        place = asking.places_of_films[found["which"].casefold()]
        films = [film for film in self._known_films() if film.recorded_at]
        films.sort(key=lambda film: (film.recorded_at, film.video_id))
        if not -len(films) <= place < len(films):
            return text
        return f"{text[: found.start()]}the {films[place].video_id} {found['film']}{text[found.end() :]}"

    def _means_own_films(self, text: str) -> bool:
        """Return whether a word for a film in a question means the memory's own films, and not a thing."""
        language = self.sources.language
        return all(word.vague for word in language.content_words(text) if language.asking.is_film(word.word))

    def _known_films(self) -> list[Video]:
        """Return the films in scope, without those recorded after the moment of the question."""
        known = self.scope.as_of
        videos = self.sources.reader.recordings(self.scope).values()
        films = [with_local_clock(video, self.sources.recording_zone) for video in videos]
        if isinstance(known, datetime):
            films = [video for video in films if not video.recorded_at or video.recorded_at <= known]
        return films

    def _as_told(self, parsed: ParsedQuestion) -> ParsedQuestion:
        """Return a question in another language than the footage with the words that the footage may have."""
        parsed = parsed.with_synonyms(self.meant) if self.meant else parsed
        return replace(parsed, told=self.told) if self.told else parsed

    def _ask(self, text: str, notify: Notify) -> Answer:
        if told := self._about_films(text) or self._planned(text):
            notify(told.text)
            return told
        parsed, retriever = self._parsed(text)
        parsed, candidates = self._ranked(self._with_kin(parsed), retriever)
        self.dated = parsed.dated or _on_several_days(candidates)
        found = self._answered(parsed, candidates, notify)
        if self.in_doubt:
            found = self._by_habit(text) or found
        if self.lacks_words:
            found = self._in_view(parsed, retriever) or self._last_time_before(parsed, retriever) or found
        self.trace.end_stage("answer")
        self._note_away()
        stretch = self._stretch_of(parsed, found)
        return replace(found, notes=tuple(self.notes.lines), trace=self.trace.trace(), stretch=stretch)

    def _by_habit(self, text: str) -> Answer | None:
        """Answer "Who prefers tea?" by who mostly has it; None for another question, or if that is in doubt."""
        habit, is_taste = self.sources.language.asking.as_habit(text)
        if not is_taste:
            return None
        lacks_words = self.lacks_words
        parsed, candidates = self._ranked(*self._parsed(habit))
        counted = self._answered(parsed, candidates, lambda claim: None)
        if counted.found and not self.in_doubt:
            return counted
        self.in_doubt, self.lacks_words = True, lacks_words
        return None

    def _with_kin(self, parsed: ParsedQuestion) -> ParsedQuestion:
        """Return a question for a time or a number with the other words for the relatives that it names.

        "When is Clara's wedding?" is answered by "My sister's wedding is on Friday" if Clara is the only sister.
        """
        beliefs, question = self.knowledge.beliefs, parsed.question.text
        if not (self.scope.has_turns and beliefs.asks_for_value(question)):
            return parsed
        kin = [Synonym(word, other, reported=True) for word, other in beliefs.kin_words(question, self.scope)]
        return parsed.with_synonyms(kin) if kin else parsed

    def _about_films(self, text: str) -> Answer | None:
        """Answer how many films there are, how long, or when they were recorded; None for any other question."""
        reader, language = self.sources.reader, self.sources.language
        # In a user's talk, "How many movies do I have?" asks for what they said.
        of_films = self.scope.has_videos and not self.scope.user_id
        asked, name = language.asking.asked_of_films(cleaned(text)) if of_films else ("", "")
        films = self._known_films() if asked else []
        if name:
            # The id of a film of a file ends in letters that nobody says: workshop-29b477d6 of workshop.mp4.
            called = [(each, (each.video_id, each.place, PurePath(each.uri).stem)) for each in films]
            exact = [each for each, names in called if plain_name(name) in map(plain_name, names)]
            films = exact or [each for each, names in called if like(name, names)]
        if not films:
            return None
        # A video that came as single clips has no known length. It lasts until the end of its last clip.
        unknown = [video.video_id for video in films if video.duration_s is None]
        ends: Mapping[str, float] = reader.lengths(unknown, self.scope) if unknown else {}
        films = [replace(video, duration_s=ends.get(video.video_id, video.duration_s)) for video in films]
        question = self._parse(text, reader.vocabulary(self.scope)).question
        if asked in ("first", "last"):
            begun = sorted((film.recorded_at, n) for n, film in enumerate(films) if film.recorded_at)
            # A film of unknown time may be an earlier one, so all are told.
            films = [films[begun[0 if asked == "first" else -1][1]]] if len(begun) == len(films) else films
            asked = "span"
        if asked in ("longest", "shortest"):
            films = [sorted(films, key=lambda film: film.duration_s or 0, reverse=asked == "longest")[0]]
            asked = "length"
        return Answer(question, language.grammar.films(films, of=asked), found=True, confidence=1.0)

    def _planned(self, text: str) -> Answer | None:
        """Answer a question for plans from what was said; None for any other question, or if nothing fits.

        A day that the question names is the day of the plan. The footage of that day is not searched.
        """
        language, scope, reader = self.sources.language, self.scope, self.sources.reader
        spoken, named = language_of(language.asked), self.as_asked
        asked = spoken.plans.asked(named) if spoken is not ENGLISH else None
        if asked is None:
            # What will be is told by the verb, which is the same in English questions of all languages.
            spoken = language if language.code == language.asked else ENGLISH
            named, to_come = language.asking.without_future(text)
            asked = spoken.plans.asked(named, to_come=to_come)
        plans = self.knowledge.beliefs.plans(scope) if asked else []
        if not asked or not plans:
            return None
        parsed = self._parse(text, reader.vocabulary(scope))
        now = scope.as_of if isinstance(scope.as_of, datetime) else self.sources.now
        if parsed.span and not asked.until:
            within = self._planned_within(parsed.span, now) if now else []
            words = spoken.plans.words_named(without_time(named, spoken.code))
            asked = replace(asked, words=words, within=within)
        plans = fitting(asked, plans, persons=parsed.whole.persons, now=now, of=spoken, others=self.gloss.others)
        said = {event.node_id: event for event in reader.events([plan.node_id for plan in plans], scope)}
        done = {plan: event for plan in plans if (event := self._done(plan, said.get(plan.node_id)))}
        claims = plan_claims(plans, done, said, now=now, of=language_of(language.asked), footage=language)
        if claims and asked.within == []:
            return render(parsed, Unknown(Reason.IN_DOUBT, claims.claims), ())
        return replace(render(parsed, claims, ()), confidence=confidence(parsed, claims, ())) if claims else None

    def _planned_within(self, span: NamedTime, now: datetime) -> list[Range]:
        """Return the ranges that the time of a question for plans may mean; empty if it is not understood."""
        # "Next weekend" and "6 March last year" name one range, without a next occurrence.
        again = _COMES_AGAIN.get(span.days.rule) if span.days and not span.days.number else None
        moments = [now, now + again] if again else [now]
        times = self.sources.language.time_expressions
        if not span.is_understood:
            return []
        return [each for moment in moments for each in clock_ranges(span, moment, (), times)]

    def _done(self, plan: Planned, said: Event | None) -> Event | None:
        """Return the first event or turn after a plan that carried it out. said: that in which it was planned."""
        reader, language = self.sources.reader, self.sources.language
        since = self.scope.since
        if not isinstance(since, float | int):
            planned = datetime.fromtimestamp(plan.said, UTC)
            since = max(since, planned) if since else planned
        scope = replace(self.scope, since=since)
        spoken, footage = language_of(plan.language or DEFAULT), language_of(language.footage)
        # Captions may tell of it in another language.
        texts = [plan.what] if spoken is footage else [plan.what, translated(plan.what, spoken.code, footage.code)]
        ids = [node_id for text in texts for node_id, _ in reader.full_text(text, scope, _FOR_A_PLAN)]
        found = reader.events(list(dict.fromkeys(ids)), scope)
        later = [event for event in found if event.at and event.at.timestamp() > plan.said]
        shared = said is not None and spoken.plans.is_of_several(
            " ".join([said.summary_text, *said.dialogue_snippets])
        )
        doing = [event for event in later if carries_out(plan, event, footage, shared=shared)]
        return next(iter(chronological_events(doing)), None)

    def _answered(self, parsed: ParsedQuestion, candidates: list[Candidate], notify: Notify) -> Answer:
        """Answer from these candidates. Sets in_doubt and lacks_words."""
        self.in_doubt = self.lacks_words = False
        # An assistant may store the user's question as a turn before it asks memory.
        candidates = [candidate for candidate in candidates if not repeats_question(parsed, candidate)]
        is_mine = parsed.askers is None and parsed.language.asking.of_askers.search(parsed.question.text)
        askers = (self.persons_of_user if is_mine else parsed.askers) or frozenset()
        candidates = [replace(each, askers=askers or each.askers) for each in candidates]
        candidates = done_by_asker(parsed, parsed.main, candidates)
        if candidates and best_first(candidates)[0].event.turn:
            parsed = replace(parsed, answer_type=parsed.type_in_talk)
        then = as_of_question(parsed, self.scope)
        candidates, outdated = with_newest_first(parsed, candidates, then, self.sources, self.knowledge)
        # Coverage counts replaced turns too: they show that memory knows the subject. Only the answer leaves them
        # out.
        held = coverage(parsed, candidates, self.sources.embedder.unrelated)
        current = [candidate for candidate in candidates if candidate.node_id not in outdated]
        found = self._answer_from_facts(parsed, candidates, outdated, then, notify)
        if found is None:
            # Returns `current` itself if no turn was left out, which the test `answering is current` below needs.
            answering = that_tell_of_user(parsed, current, self.knowledge.beliefs, self.scope)
            if self._answers_of_turns_by_rules:
                answering, held = about_what_is_asked(parsed, answering, held, self.knowledge.beliefs, self.scope)
            found = self._answer(parsed, answering, held, notify)
            if self.in_doubt and self._answers_of_turns_by_rules:
                found = self._with_most_helpful(parsed, current, held, then) or found
            # Turns that may not answer are still worth reading, so they are listed as evidence.
            found = found if answering is current else with_evidence_of_all(parsed, found, current)
        return with_replaced(found, candidates, outdated, parsed.language.grammar)

    def _with_most_helpful(
        self, parsed: ParsedQuestion, candidates: Sequence[Candidate], held: Coverage, then: Scope
    ) -> Answer | None:
        """Offer the turn that helps most with a question about the user, whatever its words; None if none does.

        "I'm allergic to nuts" has no word of "What should I not eat?".
        """
        ranked = best_first(candidates)
        turns = [each.node_id for each in ranked if each.event.turn]
        # A turn may help with what was taken back, although it states something that still holds, too.
        replaced = {each.old for each in self.knowledge.replacements.of(turns, then)}
        asked = self.knowledge.beliefs.fact_asked(parsed.question.text, self.scope)
        helpful = asked.most_helpful([each.event for each in ranked if each.node_id not in replaced])
        turn = next((each for each in ranked if each.node_id == helpful), None)
        if turn is None:
            return None
        self.lacks_words = False
        claims = Unknown(Reason.IN_DOUBT, (event_claim(turn),), held.missing_names)
        return replace(render(parsed, claims, candidates), confidence=confidence(parsed, claims, candidates))

    def _in_view(self, parsed: ParsedQuestion, retriever: Retriever) -> Answer | None:
        """Answer who is in view at a time between two reports; None if nobody is known to be."""
        if not (parsed.ranges and parsed.asks_for_people):
            return None
        # A stay may begin long before the time and end after it, so all events are read, as for a count.
        whole = replace(retriever.scope, since=self.scope.since, until=self.scope.until, ranges=())
        of_all = replace(parsed, answer_type=AnswerType.HEADCOUNT)
        _, candidates = self._ranked(of_all, replace(retriever.within(whole), keeps=None))
        claims = in_view(parsed, self._with_places(candidates))
        return self._rendered(parsed, claims, candidates) if claims else None

    def _last_time_before(self, parsed: ParsedQuestion, retriever: Retriever) -> Answer | None:
        """Answer that nothing lies in the time that a question names, and name the last time before it.

        Returns None if the question names no time, or if nothing before it surely fits.
        """
        since = parsed.within[0]
        if since is None:
            return None
        asked = replace(parsed, span=None, ranges=(), answer_type=AnswerType.EVENT, order=Order.LAST, nth=0)
        if parsed.answer_type is AnswerType.HEADCOUNT and parsed.attribute:
            # When some were last seen is asked now, and not how many.
            text = parsed.attribute.asked.sub("", parsed.question.text)
            asked = replace(asked, question=replace(parsed.question, text=text))
        # Without a word that finds people, anything that was seen later would rank above them.
        are_people = parsed.asks_for_people and not parsed.main.is_specific
        searched = replace(asked, answer_type=AnswerType.PERSON) if are_people else asked
        known = self.scope.as_of
        as_of = min(since, known) if isinstance(since, datetime) and isinstance(known, datetime) else since
        for back in (None,) if parsed.main.is_specific or not isinstance(since, datetime) else _BACK:
            start = since - back if back and isinstance(since, datetime) else self.scope.since
            before = replace(retriever.scope, since=start, until=since, as_of=as_of, ranges=())
            found, candidates = self._ranked(searched, retriever.within(before))
            if are_people:
                candidates = [each for each in candidates if each.event.turn or people_in(each)]
            self.dated = isinstance(since, datetime)
            last = self._answered(replace(found, answer_type=asked.answer_type), candidates, lambda claim: None)
            if last.found and not self.in_doubt:
                grammar = parsed.language.grammar
                nothing = grammar.not_found(in_time_span=True)
                text = f"{nothing} {grammar.last_time_before(last.text.rstrip('.'))}"
                return replace(last, question=parsed.question, text=text, found=False, citations=())
        return None

    def search(self, text: str, asked: PageRequest, *, uncut: bool) -> Page[Hit]:
        parsed, relevant = self._relevant(text)
        if not (uncut or self._is_narrow or self._is_found_by_time(parsed, relevant)):
            relevant = bearing(relevant)
        hits = [hit_about(parsed.whole, candidate) for candidate in relevant[asked.start : asked.end]]
        self._note_away()
        return replace(asked.part(hits, len(relevant)), notes=tuple(self.notes.lines))

    def context(self, question: str, tokens: int) -> MemoryContext:
        return self._shown(*self._relevant(question), tokens).context

    def _relevant(self, text: str) -> tuple[ParsedQuestion, list[Candidate]]:
        """Return the parsed question, and the candidates that fit it, best first."""
        parsed, candidates = self._ranked(*self._parsed(self._in_english(text).text))
        then = as_of_question(parsed, self.scope)
        candidates, _ = with_newest_first(parsed, candidates, then, self.sources, self.knowledge)
        related = self._is_narrow or matches_any(parsed, candidates, self.sources.embedder.unrelated)
        relevant = list(chain(*different_scenes(over_sessions(parsed, best_first(candidates))))) if related else []
        # What happened right after, or last, is found by time and not by words.
        if relevant and self._is_found_by_time(parsed, relevant):
            selected = self._selected_by_rules(parsed, self._groups(relevant))
            # If time is counted from another event, the best match is mostly that event, so it stays first.
            stays = 0 if parsed.order in (Order.FIRST, Order.LAST) else 1
            relevant[stays:] = sorted(relevant[stays:], key=lambda candidate: candidate.node_id not in selected)
        return parsed, relevant

    @property
    def _is_narrow(self) -> bool:
        """Whether the caller named videos or sessions. They get the nearest events of these, even if unrelated."""
        return bool(self.scope.video_ids or self.scope.session_ids)

    def _is_found_by_time(self, parsed: ParsedQuestion, found: Sequence[Candidate]) -> bool:
        """Return whether the order of time says which event is meant.

        Captions that share a word with the question are many, and "the last time" is seldom the latest of them.
        """
        only_captions = not any(each.event.turn or each.event.lists_actions for each in found)
        return parsed.order is not None and not (only_captions and parsed.order is Order.LAST)

    def _shown(self, parsed: ParsedQuestion, found: Sequence[Candidate], tokens: int) -> Shown:
        """Return the stretches around these candidates (best first), in the form in which a model reads them."""
        reader, scope = self.sources.reader, self.scope
        return stretches(
            parsed,
            found,
            lambda events: reader.around(events, AROUND, scope),
            located=lambda event: event if event.turn else self._located(event),
            tokens=tokens,
        )

    def _stretch_of(self, parsed: ParsedQuestion, answer: Answer) -> MemoryContext:
        """Return what was seen and said around the events of films that an answer cites."""
        cited = {each.node_id for each in answer.citations if isinstance(each, Citation)}
        found = [
            Candidate.found_alone(hit.event, parsed.language)
            for hit in answer.evidence
            if hit.event.node_id in cited and not hit.event.turn
        ]
        return self._shown(parsed, found, _STRETCH_TOKENS).context if found else MemoryContext()

    def _note_away(self) -> None:
        """Note that the question was searched by words alone, if the embedder did not answer."""
        if self.prefetch and self.prefetch.away:
            self.notes.lines.append(self.notes.grammar.say("by_words", reason=self.prefetch.away.message))

    # Parse, retrieve, rank

    def _parsed(self, text: str) -> tuple[ParsedQuestion, Retriever]:
        """Return the parsed question, and a retriever for the scope and the time that it names."""
        asking, asks_company = self.sources.language.asking, False
        asker = self._asker() if not self._has_user and asking.speaks_of_asker(text) else ""
        if asker:
            # With a name for "me", "Who came with me?" would ask who did it.
            asks_company = asks_type(text, self.sources.language) is AnswerType.COMPANY
            text = asking.in_third_person(text, asker)
        # From here on the database and the embedder work in the background, while this thread parses.
        self.prefetch = prefetch = Prefetch(text, self.sources, self.limits)
        # A model's reply is checked against the names, and places of videos are as of the last read of names. So both
        # wait for the present names; any other question is first parsed with the names of the last one.
        try_last_names = not (self.models.text or self.scope.video_ids)
        parsed, retriever = prefetch.parse(partial(self._parse, text), try_last_names=try_last_names)
        if asks_company and parsed.answer_type is AnswerType.PERSON:
            parsed = replace(parsed, answer_type=AnswerType.COMPANY)
        # "I don't know who opened the door" asks for nothing that I did.
        if asker:
            parsed = replace(parsed, askers=frozenset({self.sources.language.person_key(asker).person_id}))
        elif self.sources.language.says_me(text):
            parsed = replace(parsed, askers=self.persons_of_user)
        elif self.may_be_own and len(self.sources.reader.vocabulary(self.scope).persons) > 1:
            parsed = replace(parsed, askers=frozenset())
        self.trace.end_stage("classify")
        return within_time(parsed, retriever, self.notes)

    @property
    def _has_user(self) -> bool:
        return bool(self.scope.user_id) or self.with_user is not None

    @cached_property
    def persons_of_user(self) -> frozenset[str] | None:
        """The persons who are the user: the one of the user's name, those tied to the user, and "user".

        None if nobody is, and at most one person is known.
        """
        if self.with_user:
            return self.with_user.persons_of_user
        names, user = self.sources.reader.vocabulary(self.scope), self.scope.user_id
        tied = set[str]().union(*(seen for who, seen in names.same.items() if is_user(who, user)))
        named = {self.sources.language.person_key(user).person_id} if user else set[str]()
        named |= {person for person in names.persons if self.scope.has_turns and is_user(person, user)}
        askers = frozenset(tied | (named & names.persons))
        return askers if askers or len(names.persons) > 1 else None

    def _asker(self) -> str:
        """Return whom "I" means without a user: who wears the cameras; empty if nobody does, or several people."""
        if self.sources.wearer:
            return self.sources.wearer
        reader = self.sources.reader
        names = reader.last_vocabulary(self.scope) or reader.vocabulary(self.scope)
        return next(iter(names.wearers)) if len(names.wearers) == 1 else ""

    def _ranked(self, parsed: ParsedQuestion, retriever: Retriever) -> tuple[ParsedQuestion, list[Candidate]]:
        """Return the question with synonyms, and its candidates with their scores."""
        parsed, pool = self._retrieve(parsed, retriever)
        # The weights are taken over all candidates, so that the words that most of them have count for little.
        weights = word_weights(parsed, pool)
        shares = self.limits.channels.carries[parsed.question.type]
        fused = fused_scores(parsed, pool, self.limits.fusion.weights)
        scored = spread(score_candidates(parsed, pool, fused, weights=weights, shares=shares))
        # Added after scoring: a count needs these events, but they must not change the scores of the ranked ones.
        missing = retriever.pool(missing_events(parsed, scored, retriever))
        found = [*scored, *unscored(parsed, missing, weights)]
        if carried_things(parsed, found):
            # Places are needed here: two folders at different places are not the same folder.
            found = self._with_places(found)
            held = retriever.pool(moves_of_holders(parsed, found, retriever, self._with_places))
            found += self._with_places(unscored(parsed, held, weights))
        halves = repeated_halves(candidate.event for candidate in best_first(found))
        return parsed, [candidate for candidate in found if candidate.node_id not in halves]

    @property
    def _is_whole_group(self) -> bool:
        return self.scope == Scope(self.scope.group_id, user_id=self.scope.user_id)

    def _parse(self, text: str, names: Names) -> ParsedQuestion:
        reader, scope, language = self.sources.reader, self.scope, self.sources.language

        def in_scope(names: Names) -> Names:
            # Names of other videos or users must not be taken for what the question means.
            return names if self._is_whole_group else reader.known(names, scope)

        if scope.video_ids and (names.places or names.videos):
            # If only videos of another camera are searched, "the front door" is a thing in the picture and not a
            # camera.
            recorded = reader.recordings(scope)
            places = {each.place for each in recorded.values() if each.place}.difference(recorded)
            names = replace(names, places=frozenset(places), videos=frozenset(recorded))
        if self.models.text is None:
            return self._as_told(parse_question(text, names, language, gloss=self.gloss, in_scope=in_scope))
        from amr_neo4j.recall.question.model_parse import type_by_model  # noqa: PLC0415 (only with a model)

        typed = partial(
            type_by_model,
            asked=text,
            model=self.models.text,
            videos=partial(reader.recordings, scope),
            notes=self.notes,
            language=language,
        )
        return self._as_told(
            parse_question(text, names, language, gloss=self.gloss, in_scope=in_scope, by_model=typed)
        )

    def _retrieve(self, parsed: ParsedQuestion, retriever: Retriever) -> tuple[ParsedQuestion, Pool]:
        """Return the question completed with synonyms, and the pool of candidates.

        Synonyms are words that the retrieved events use for words of the question. A question with synonyms is
        therefore retrieved a second time.
        """
        most = self.limits.anchors
        pool = retriever.ranked_events(parsed)
        anchors = best_of_pool(parsed, pool, self.limits.fusion.weights, most=most)
        synonyms = find_synonyms(parsed, [anchor for anchor, _ in anchors], self.sources.embedder)
        completed = parsed.with_synonyms(synonyms)
        if completed != parsed:
            pool = retriever.ranked_events(completed)
            anchors = best_of_pool(completed, pool, self.limits.fusion.weights, most=most)
        self.trace.end_stage("anchor")
        pool, walked = retriever.expand(completed, anchors, pool)
        self.trace.record_walk(walked.stopped, walked.frontiers)
        self.trace.end_stage("navigate")
        return completed, pool

    # Verify, answer

    def _answer_from_facts(
        self,
        parsed: ParsedQuestion,
        candidates: Sequence[Candidate],
        outdated: Mapping[int, Replacement],
        then: Scope,
        notify: Notify,
    ) -> Answer | None:
        """Answer from a believed fact or a stated relation; None if there is none or a model writes the answer."""
        if self.models.answer:
            return None
        claims = claims_from_facts(parsed, candidates, outdated, then, sources=self.sources, knowledge=self.knowledge)
        if claims is None:
            return None
        answer = self._rendered(parsed, claims, candidates)
        notify(answer.text)
        return answer

    def _answer(self, parsed: ParsedQuestion, candidates: list[Candidate], held: Coverage, notify: Notify) -> Answer:
        # No candidate is left if, for instance, all that a user said is about others. If a model reads the evidence,
        # missing words do not decline: the evidence may say the same in other words.
        is_read = self.models.judge or self.models.answer
        if not candidates or (held.relevance is Answerability.UNRELATED and not is_read):
            self.in_doubt = self.lacks_words = True
            return not_found(parsed, candidates, held.missing_names)
        company = self._company(parsed, candidates)
        if isinstance(company, Claims) or (company and not is_read):
            return self._rendered(parsed, company, candidates)
        verified, candidates = self._verified(parsed, candidates)
        self.trace.end_stage("verify")
        if not verified:
            self.in_doubt = self.lacks_words = True
            return not_found(parsed, candidates)
        claims = None if self.models.answer else company or self._without_reading(parsed, candidates, held)
        if claims:
            return self._rendered(parsed, claims, candidates)
        # Only times are shown in the recording's time zone, and only "where" tells its place: others save the reads.
        if Trait.TIMED in parsed.traits or parsed.answer_type is AnswerType.PLACE:
            verified = self._with_places(verified)
            candidates = self._with_places(candidates)
        # A model is shown too little to count; who was there is no count, though "the second time" is asked for.
        claims = None if company else aggregate_claims(parsed, candidates)
        by_model = self._by_model(parsed, verified, claims, notify) if self.models.answer else None
        if isinstance(by_model, ModelClaims) or (by_model and by_model.reason is Reason.NOT_FOUND):
            by = self.models.answer.model if self.models.answer else ""
            return replace(self._rendered(parsed, by_model, candidates), answered_by=by)
        if claims is None:
            claims = company or claims_by_rules(parsed, verified, candidates)
            # The answer model did not find it in the same evidence, or memory has no word of the question.
            unsure = by_model or held.relevance is Answerability.UNRELATED
            claims = in_doubt(claims) if unsure else claims
        answer = self._rendered(parsed, claims, candidates)
        notify(answer.text)
        return answer

    def _without_reading(
        self, parsed: ParsedQuestion, candidates: Sequence[Candidate], held: Coverage
    ) -> Claims | Unknown | None:
        """Return the claims about an attribute that is asked for, or that the answer is in doubt or not stated.

        Returns None if the verified events are to be read.
        """
        if held.relevance is Answerability.UNRELATED:
            return None
        ranked = best_first(candidate for candidate in candidates if candidate.judged != 0.0)
        claims = attribute_claims(parsed, ranked)
        # Visits are counted by the noun only, so their operator tells whether there were any.
        counts = parsed.answer_type is AnswerType.HEADCOUNT and not ranked[0].event.turn
        if held.relevance is Answerability.DOUBTFUL and not counts and (claims is None or not claims.declines):
            claims = closest_claims(parsed, ranked, held.missing_names)
        if held.relevance is Answerability.UNSTATED and not self.models.judge:
            claims = unstated(parsed, ranked, held.missing_names)
        return claims

    def _by_model(
        self, parsed: ParsedQuestion, verified: list[Candidate], computed: Claims | None, notify: Notify
    ) -> ModelClaims | Unknown | None:
        """Have the answer model answer.

        computed: a count or a time that was computed over all of memory. The model may only phrase it.
        """
        if not self.models.answer:
            return None
        from amr_neo4j.recall.answer.by_model import claims_by_model, has_figures  # noqa: PLC0415 (only with a model)

        shown = self._shown(parsed, verified, self.limits.context_tokens)
        ask = partial(claims_by_model, parsed, shown, self.models.answer, notes=self.notes)
        if computed is None:
            return ask(notify=notify)
        if Trait.FIGURE not in parsed.traits:
            return None
        figure = computed.claims[0].text.partition(": ")[0]
        said = ask(computed=figure, notify=lambda claim: None)
        counted = {event.node_id for claim in computed.claims for event in claim.events}
        known = " ".join([parsed.question.text, *(claim.text for claim in computed.claims)])
        if not isinstance(said, ModelClaims) or not has_figures(said, figure, counted, known=known):
            return None
        for claim in said.claims:
            notify(claim.text)
        return said

    def _company(self, parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Claims | Unknown | None:
        """Return the claims about who was there; None if it is not asked, or not known."""
        candidates = done_by_asker(parsed, parsed.reference or parsed.main, candidates)
        best = best_for_company(parsed, candidates) if parsed.answer_type is AnswerType.COMPANY else None
        company = best and self.sources.reader.company(best.node_id, self.scope)
        if not (best and company):
            return None
        video = self._recording(best.event)
        person_id = parsed.language.person_key
        named = [person_id(each).person_id for each in (self.sources.wearer, video.wearer) if each]
        wearer = named[-1] if named else ""
        askers = (self.persons_of_user if self._has_user else None) or frozenset(named[:1])
        if video.wearer and wearer not in askers:
            # Whoever wears the camera is present in all that it sees, and is company if somebody else asks.
            there = Companion(wearer, video.wearer, best.event.time_start, best.event.time_end)
            company = with_companion(company, there)
        return company_claims(parsed, best, company, askers=askers)

    def _rendered(
        self, parsed: ParsedQuestion, claims: Claims | ModelClaims | Unknown, candidates: Sequence[Candidate]
    ) -> Answer:
        sure = confidence(parsed, claims, candidates)
        if isinstance(claims, Unknown):
            self.lacks_words = claims.declines or bool(claims.missing_words or claims.unmet_words)
        if not isinstance(claims, ModelClaims):
            claims, sure = self._worded(parsed, claims, sure, candidates)
        self.in_doubt = isinstance(claims, Unknown)
        answer = render(parsed, claims, candidates, self._heard, self._located if self.dated else None)
        return replace(answer, confidence=sure)

    def _worded(
        self, parsed: ParsedQuestion, claims: Claims | Unknown, sure: float, candidates: Sequence[Candidate]
    ) -> tuple[Claims | Unknown, float]:
        """Return an answer that is plain, in doubt or declined by its confidence, and that confidence.

        An operator in doubt has chosen among captions by a word or by their time. The ranking compares more, so its
        best caption is shown instead. Its own confidence then counts.
        """
        decided = isinstance(claims, Unknown) and claims.reason is not Reason.IN_DOUBT
        claims = worded(parsed, claims, sure, self.limits.wrong_answer_cost)
        if not isinstance(claims, Unknown):
            return claims, sure
        if not (decided or parsed.answer_type is AnswerType.COMPANY):
            apart = different_scenes(best_first(candidates)[:_LOOKED_AT])[0]
            near = [each for each in apart[:2] if each.score >= SCORING.near_best * apart[0].score]
            first, claims = claims.nearest[:1], with_best_captions(parsed, claims, near)
            # The same event measured again would be doubted for being in doubt.
            if [claim.rests_on for claim in claims.nearest[:1]] != [claim.rests_on for claim in first]:
                claims = replace(claims, reason=Reason.IN_DOUBT)
                sure = confidence(parsed, claims, candidates)
                told = worded(parsed, claims, sure, self.limits.wrong_answer_cost)
                claims = told if isinstance(told, Unknown) else claims
        shown = claims.nearest[:1] if claims.declines and not decided else claims.nearest
        return replace(claims, nearest=tuple(map(self._with_surroundings, shown))), sure

    def _with_surroundings(self, claim: Claim) -> Claim:
        event = claim.rests_on.event
        if event.turn or event.lists_actions or claim.rests_on.is_report:
            return claim
        around = self.sources.reader.around([event], AROUND, self.scope)
        return with_surroundings(claim, chronological_events(around))

    def _located(self, event: Event) -> Event:
        """Return an event of a video in the time zone of its recording."""
        return at_recording(event, self._recording(event), self.sources.recording_zone)

    def _recording(self, event: Event) -> Video:
        """Return the video of an event; only its id is known if damage has taken it."""
        video_id = event.video_id
        found = self.sources.reader.recordings(replace(self.scope, video_ids=(video_id,)))
        return found.get(video_id) or Video(self.scope.group_id, video_id)

    def _heard(self, node_ids: Sequence[int]) -> Mapping[int, Sequence[Cue]]:
        """Return the cues of these events, as far as they are in scope."""
        return self.sources.reader.cues(node_ids, self.scope)

    def _with_places(self, candidates: list[Candidate]) -> list[Candidate]:
        """Return the candidates with the places and the time zones of their recordings."""
        videos = tuple(sorted({c.event.video_id for c in candidates if not c.event.turn}))
        if not videos:
            return candidates
        recordings = self.sources.reader.recordings(replace(self.scope, video_ids=videos))
        return with_recording_place(candidates, recordings, self.sources.recording_zone)

    def _verified(
        self, parsed: ParsedQuestion, candidates: list[Candidate]
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Return (verified, all candidates).

        The verified ones belong to the best groups or have what the question names. With a judge, all candidates get
        the score of their group.
        """
        groups = self._groups(candidates)
        # A model reads what became of the folder that the passport was put into together with that.
        moves = carried_things(parsed, candidates) if self.models.judge or self.models.answer else []
        chains = [[change.candidate for change in of_thing] for of_thing in moves]
        groups = with_chains(groups, chains)
        if self.models.judge and groups:
            from amr_neo4j.recall.answer.by_model import judged  # noqa: PLC0415 (only with a model)

            # The group that the rules would answer from is judged first, so that `judged` never cuts it off: by its
            # words alone it may rank last.
            selected = self._selected_by_rules(parsed, groups)
            groups.sort(key=lambda members: selected.isdisjoint(candidate.node_id for candidate in members))
            some = groups[: self.limits.judged_groups or len(groups)]
            scores = judged(parsed, some, self.models.judge, tokens=self.limits.context_tokens, notes=self.notes)
            if scores is not None:
                by_event = {c.node_id: score for members, score in zip(some, scores, strict=True) for c in members}
                scored = [replace(c, judged=by_event.get(c.node_id)) for c in candidates]
                of = {c.node_id: c for c in scored}
                kept = best_groups([[of[c.node_id] for c in members] for members in some], scores, self.limits.groups)
                # What the judge found irrelevant does not come back because it has a word of the question.
                kept = with_named(parsed, kept, [c for c in scored if c.judged != 0.0])
                return in_order_of_chains(kept, chains), scored
        return in_order_of_chains(verify(parsed, groups, self.limits.groups), chains), candidates

    def _groups(self, candidates: Sequence[Candidate]) -> list[Group]:
        return rank_groups(group(candidates, gap=self.limits.group_gap_sec, span=self.limits.group_span_sec))

    def _selected_by_rules(self, parsed: ParsedQuestion, groups: Sequence[Group]) -> set[int]:
        """Return the node_ids of the events that an answer by rules would rest on. groups: at least one."""
        verified = verify(parsed, groups, self.limits.groups)
        return {candidate.node_id for candidate in selected_events(parsed, verified)}


def _rests_on_turns(answer: Answer) -> bool:
    return any(isinstance(each, TurnCitation) for each in answer.citations)


def _on_several_days(candidates: Sequence[Candidate]) -> bool:
    days = {candidate.event.at.date() for candidate in candidates if candidate.event.at and not candidate.event.turn}
    return len(days) > 1
