"""Find the believed facts of a user that answer a question, and the language to answer in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime
from functools import cache, cached_property, lru_cache, partial
from itertools import combinations, islice, pairwise, product
from typing import TYPE_CHECKING

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.domain.fact import SPEAKER, Intent, Triple
from amr_neo4j.domain.kinship import knowing_kin
from amr_neo4j.domain.ports import Beliefs, FactAsked, RelevanceModel
from amr_neo4j.domain.recall import Recalled, Scope
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.fact_questions.answering import FactQuestion, favorite_asked, language_of, languages_likely
from amr_neo4j.fact_questions.same_person import is_told_of_speaker, names_somebody
from amr_neo4j.facts.ranking import is_brief, with_opposed
from amr_neo4j.language.glossary import glossary, has_glossary
from amr_neo4j.language.languages import DEFAULT, ENGLISH, Language, is_first_name, language
from amr_neo4j.language.question_words import question_words
from amr_neo4j.language.spoken import AskedLanguage, SpokenLanguage
from amr_neo4j.language.stems import stems, words_in
from amr_neo4j.live_chat.score import score_table
from amr_neo4j.turn_reader.corrected_turns import corrected, kinds_asked
from amr_neo4j.turn_reader.understand import is_half, own_words, quotes_or_supposes, read_by_rules, states_nothing

if TYPE_CHECKING:
    from amr_neo4j.store.read.facts import FactSearch

# The least confidence of a fact, and the most facts that are read, are those of a search by the user (specification
# 002, section 3).
_LEAST_CONFIDENCE = 0.3
_MOST_FACTS = 50
_MOST_PLANS = 1000
# A reaction has at most this many words.
_LONGEST_REACTION = 10
# Reading a turn takes some milliseconds, so only the best turns are read, until enough of them tell something.
_MOST_READ = 100
_MOST_TELLING = 20
# A network takes 5 to 10 ms to judge a turn.
_MOST_JUDGED = 12
NO_AGENTS = Speakers()


@dataclass(frozen=True)
class UserBeliefs(Beliefs):
    """Implements domain.ports.Beliefs with the facts in the graph.

    facts: (group_id, user_id) -> the search of a user's facts.
    languages: codes.
    called: the name by which questions call the user; by default the user_id.
    speakers: decides which turns are the words of programs.
    asked: notes the facts that a question was answered with.
    relevance: opens what tells whether a turn helps with a question.
    """

    facts: Callable[[str, str], FactSearch]
    languages: tuple[str, ...]
    _: KW_ONLY
    called: str = ""
    speakers: Speakers = NO_AGENTS
    asked: Callable[[Scope, Sequence[Recalled]], None] = lambda scope, facts: None
    relevance: Callable[[], RelevanceModel | None] = lambda: None

    def calling(self, called: str) -> UserBeliefs:
        """Return this with another name by which questions call the user."""
        return replace(self, called=called)

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """See domain.ports.Beliefs. Returns [] if the scope has sessions, persons, `since` or `known_at`."""
        if not _has_all_facts(scope):
            return []
        # Facts have wall clock times only. Seconds of a video say nothing about them.
        ends = [moment for moment in (scope.as_of, scope.until) if isinstance(moment, datetime)]
        as_of = min(ends, default=None)
        # What people say in videos belongs to the group, which has no user.
        of_group = [replace(scope, user_id="")] if scope.user_id and scope.has_videos else []
        for each in (scope, *of_group):
            if found := self._answering(question, each, as_of):
                return found
        return []

    def _answering(self, question: str, scope: Scope, as_of: datetime | None) -> list[Recalled]:
        asked = self.asked_of_facts(question, scope, as_of)
        # Who somebody in a video is, the video shows better than what they like and plan.
        if asked is None or (not scope.user_id and (asked.asks_who or asked.asks_about)):
            return []
        held = asked.relations if asked.asks_who else asked.two_sided
        about = self._about(asked.subjects, asked.relations, scope, as_of, objects=asked.objects, held=held)
        found = asked.answered_by(about)
        if as_of is None:
            found = with_opposed(found, self._facts(scope).by_ids)
            if scope.user_id:
                self.asked(scope, found)
        return [_in_language(fact, asked.language, self.languages) for fact in found]

    def plans(self, scope: Scope) -> list[Planned]:
        """See domain.ports.Beliefs."""
        as_of = scope.as_of if isinstance(scope.as_of, datetime) else None
        users = [scope.user_id] if scope.has_turns else []
        # What people say in videos belongs to the group, which has no user.
        users += [""] if scope.has_videos else []
        found = [plan for user in users for plan in self.facts(scope.group_id, user).plans(_MOST_PLANS, as_of)]
        return sorted(found, key=lambda plan: -plan.said)

    def asks_who(self, question: str, scope: Scope) -> bool:
        """See domain.ports.Beliefs."""
        asked = self.question_of(question, scope)
        return scope.has_turns and asked.asks_who and not asked.asks_who_has

    def no_evidence(self, question: str, turns: Sequence[Event], scope: Scope) -> set[int]:
        """See domain.ports.Beliefs."""
        if not self.asks_of_user(question):
            return set()
        programs = {
            event.node_id
            for event in turns
            if event.turn and not self.speakers.subject(event.turn.actor, scope.user_id)
        }
        best = [event for event in turns if event.node_id not in programs][:_MOST_READ]
        read = self.question_of(question, scope)
        # "Do I have a dog?" asks for no relation, but is about a role.
        relations = read.roles if read.asks_about else read.relations
        asked = frozenset(relation_kind(each).category for each in relations)
        empty, telling = set[int](), 0
        for turn in best:
            if _tells_nothing(words_said(turn), self.languages, asked):
                empty.add(turn.node_id)
            else:
                telling += 1
            # Whoever asks the same again and again has many turns that only ask.
            if telling == _MOST_TELLING:
                break
        return programs | empty

    def contrary(self, turns: Sequence[str]) -> dict[int, int]:
        """See domain.ports.Beliefs."""
        found: dict[int, int] = {}
        for (earlier, one), (later, other) in combinations(enumerate(turns), 2):
            if _are_contrary(one, other, self.languages):
                found[earlier] = later
        return found

    def asks_of_user(self, question: str) -> bool:
        """Return whether a question is about the user, and not about what was said to or by the assistant."""
        code = self._language_of(question)
        said = f" {' '.join(words_in(question))} "
        told = language(code).bullets.asking.told
        return self._names_user(question, code) and not any(f" {phrase} " in said for phrase in told)

    def speaks_of_user(self, question: str) -> bool:
        """See domain.ports.Beliefs."""
        return self._names_user(question, _language_of_words(question, self.languages))

    def _names_user(self, question: str, code: str) -> bool:
        words, asking = words_in(question), language(code).bullets.asking
        # "Dove sono le chiavi?" is about the keys, "Dove sono nato?" about the user.
        of_others = {
            word
            for word, after in pairwise(words)
            if word in asking.shared and (after in asking.shared[word] or is_first_name(after))
        }
        named = {self.called.casefold()} if self.called else set[str]()
        return not ((asking.speaker - of_others) | named).isdisjoint(words)

    def fact_asked(self, question: str, scope: Scope) -> FactAsked:
        """See domain.ports.Beliefs."""
        return _FactAsked(self, question, scope)

    def favorite_asked(self, question: str) -> Mapping[str, frozenset[str]]:
        """See domain.ports.Beliefs."""
        return favorite_asked(question, self._language_of(question))

    def kin_words(self, question: str, scope: Scope) -> list[tuple[str, str]]:
        """See domain.ports.Beliefs."""
        if not _has_all_facts(scope):
            return []
        asked = self._knowing_kin(self.question_of(question, scope), scope)
        return asked.kin_words if asked.subjects else []

    def asks_for_value(self, question: str) -> bool:
        """See domain.ports.Beliefs."""
        return bool(self._kinds_asked(question))

    def corrected(self, question: str, turns: Sequence[str]) -> dict[int, int]:
        """See domain.ports.Beliefs."""
        kinds = self._kinds_asked(question)
        # The turns may be in another language than the question.
        found = corrected(turns, self._language_of(" ".join(turns))).items()
        return {later: earlier for later, (earlier, kind) in found if kind in kinds}

    def _kinds_asked(self, question: str) -> frozenset[str]:
        return kinds_asked(question, self._language_of(question))

    def _language_of(self, text: str) -> str:
        return language_of(text, self.languages)

    def asked_of_facts(self, question: str, scope: Scope, as_of: datetime | None = None) -> FactQuestion | None:
        """Return the question as one about the user's facts; None if it asks for no relation that a fact can have."""
        if scope.user_id and not scope.has_turns:
            return None
        # What a group's videos say by then is all that is known of then; a user's own facts may have changed since.
        asked = self.question_of(question, scope, then=as_of is not None and bool(scope.user_id))
        if not asked.subjects or not asked.relations:
            return None
        if parts := asked.name_parts:
            asked = replace(asked, full_names=self._facts(scope).full_names(parts))
        return self._knowing_kin(asked, scope, as_of)

    def _knowing_kin(self, asked: FactQuestion, scope: Scope, as_of: datetime | None = None) -> FactQuestion:
        """Return the question with the relatives whom it mentions.

        "Where does my sister work?" first needs the name of the sister, which is a fact as well.
        """

        def about(subjects: Collection[str], relations: Collection[str]) -> list[Triple]:
            found = self._about([*subjects], [*relations], scope, as_of)
            return [fact.triple for fact in found if fact.triple]

        return knowing_kin(asked, about)

    def question_of(self, question: str, scope: Scope, *, then: bool = False) -> FactQuestion:
        """Return the question as one about facts. then: it asks what was so then."""
        return _question_of(question, self.called or scope.user_id, self.languages, then=then)

    def _about(
        self,
        subjects: Sequence[str],
        relations: Sequence[str],
        scope: Scope,
        as_of: datetime | None,
        *,
        objects: Sequence[str] = (),
        held: Sequence[str] = (),
    ) -> list[Recalled]:
        least = _LEAST_CONFIDENCE if as_of is None else 0.0
        return self._facts(scope).about(subjects, relations, least, _MOST_FACTS, as_of, objects=objects, held=held)

    def _facts(self, scope: Scope) -> FactSearch:
        return self.facts(scope.group_id, scope.user_id)


@dataclass(frozen=True)
class _FactAsked(FactAsked):
    """Implements domain.ports.FactAsked."""

    beliefs: UserBeliefs
    question: str
    scope: Scope

    @cached_property
    def _asked(self) -> FactQuestion | None:
        return self.beliefs.asked_of_facts(self.question, self.scope)

    @property
    def whose(self) -> frozenset[str]:
        """See domain.ports.FactAsked."""
        return self._asked.others if self._asked else frozenset()

    @property
    def relations(self) -> Collection[str]:
        """See domain.ports.FactAsked."""
        asked = self._asked
        # A question that asks for no relation, such as "user's travel plans", may be answered by any.
        return asked.relations if asked and (asked.others or not asked.asks_about) else ()

    def stated_of_others(self, turns: Sequence[Event], *, is_now: bool = False) -> set[int]:
        """See domain.ports.FactAsked."""
        asked = self._asked
        if asked is None or asked.asks_who_has:  # "Who lives in Bath?" asks for anybody
            return set()
        # "Who is my boss?" asks for a role; without one ("Who is Tom?"), no turn says it of somebody else.
        relations = asked.roles if asked.asks_about or asked.asks_who else asked.relations
        facts = self.beliefs.facts(self.scope.group_id, self.scope.user_id)
        # If it is about other people alone, "I live in Paris" answers as little as "My boss lives in Paris". A turn
        # that names them may state more than was read of it.
        subjects = sorted(asked.others) or asked.subjects
        judged = [each.node_id for each in turns if not self._names_whose(each)]
        slots = (subjects, relations, asked.names_of_others, asked.two_sided)
        is_now = is_now and asked.bullets.asking.past.isdisjoint(words_in(self.question))
        return facts.turns_of_others(judged, *slots, is_now=is_now) if relations and judged else set()

    def _names_whose(self, turn: Event) -> bool:
        text = words_said(turn)
        return not self.whose.isdisjoint(stems(text, language_of(text, self.beliefs.languages)))

    def may_be_stated(self, turns: Sequence[Event]) -> bool:
        """See domain.ports.FactAsked."""
        asked = self._asked if _has_all_facts(self.scope) else None
        if asked is None or asked.asks_about:
            return True
        if not (asked.asks_who_has or asked.asks_for_figure or self.beliefs.asks_of_user(self.question)):
            return True
        return any(self._may_answer(words_said(each), asked) for each in turns if each.turn)

    def of_other_kind(self, turns: Sequence[Event]) -> set[int]:
        """See domain.ports.FactAsked."""
        languages = self.beliefs.languages
        read = self.beliefs.question_of(self.question, self.scope)
        asked = language_asked(self.question, self.scope, languages, ENGLISH)
        # What was done, was done when it was told.
        asks_when = read.asks_when and asked.asks_of_present(self.question)

        def has_it(text: str) -> bool:
            code = language_of(text, languages)
            # So few words as "No, volevo dire venerdì" do not show their language.
            spoken = (asked, _spoken(code, languages, ENGLISH))
            has_time = not asks_when or any(each.states_time(text) for each in spoken)
            names_other = names_somebody(text, code) or language(code).roles_named(text)
            # "A mechanic fixed it" has somebody else, too.
            may_be_other = bool(names_other) or not is_told_of_speaker(text, code)
            return has_time and (not read.asks_for_other or may_be_other)

        return {each.node_id for each in turns if each.turn and not has_it(words_said(each))}

    def may_be_said(self, lines: Sequence[str]) -> bool:
        """See domain.ports.FactAsked."""
        asked = self._asked if _has_all_facts(self.scope) else None
        if asked is None or asked.asks_about or asked.asks_who:
            return True
        return any(self._may_say(*speaker_and_words(line), asked) for line in lines)

    def most_helpful(self, turns: Sequence[Event]) -> int | None:
        """See domain.ports.FactAsked. A live conversation would quote the turn, too."""
        model = self.beliefs.relevance() if self.beliefs.asks_of_user(self.question) else None
        if model is None:
            return None
        told = ((each.node_id, text) for each in turns if (text := self._told_of_user(each)))
        said = dict(islice(told, _MOST_JUDGED))
        asked, quote = self.beliefs.question_of(self.question, self.scope), score_table().quote
        helps: dict[int, float] = {}
        for node_id, helpful in zip(said, model.relevance(self.question, [*said.values()]), strict=True):
            if helpful >= (quote.relevant if asked.shared_with(said[node_id]) else quote.relevant_in_spite):
                helps[node_id] = helpful
        return max(helps, key=lambda node_id: helps[node_id]) if helps else None

    def _told_of_user(self, event: Event) -> str:
        """Return the own words of a turn in which a person states something; empty for anything else."""
        if not event.turn or not self.beliefs.speakers.subject(event.turn.actor, self.scope.user_id):
            return ""
        text, languages = words_said(event), self.beliefs.languages
        code = language_of(text, languages)
        if _tells_nothing(text, languages, frozenset[str]()) or states_nothing(text, code):
            return ""
        return own_words(text, code).strip()

    def _may_say(self, speaker: str, words: str, asked: FactQuestion) -> bool:
        """Return whether somebody in a film may say what answers. An unknown voice may be the user's."""
        user_id = self.scope.user_id
        of_user = bool(user_id) and self.beliefs.asks_of_user(self.question)
        if of_user and (not speaker or self.beliefs.speakers.subject(speaker, user_id) == SPEAKER):
            return self._may_answer(words, asked)
        code = language_of(words, self.beliefs.languages)
        stated = [fact.triple for fact in read_by_rules(words, code).said_by(speaker.casefold() or SPEAKER).facts]
        if any(map(asked.is_answered_by, stated)):
            return True
        # "Jake: Anna said, I live in Lima" and "Jake: Anna lives in Lima" say nothing of Jake. What the rules do not
        # read may say it of anybody but the user.
        named = {*asked.subjects} - {SPEAKER}
        of_others = any(triple.relation in asked.relations and triple.subject not in named for triple in stated)
        return not (of_user or of_others or quotes_or_supposes(words, code))

    def _may_answer(self, turn: str, asked: FactQuestion) -> bool:
        """Return whether a turn states a fact that answers, or else has words of the question and means them."""
        code = language_of(turn, self.beliefs.languages)
        if any(asked.is_answered_by(fact.triple) for fact in read_by_rules(turn, code).facts):
            return True
        if states_nothing(turn, code):
            return False
        own = own_words(turn, code)
        return asked.seems_answered_in(own) or (asked.asks_for_figure and asked.gives_figure(own))


def _has_all_facts(scope: Scope) -> bool:
    """Return whether facts can answer within a scope. They are not told apart by session, person or time."""
    return not (scope.session_ids or scope.persons or scope.since or scope.known_at)


@lru_cache(maxsize=200)
def _question_of(question: str, called: str, languages: tuple[str, ...], *, then: bool) -> FactQuestion:
    return FactQuestion.of(question, called, _language_of_words(question, languages), then=then)


def words_said(event: Event) -> str:
    """Return what was said, without the speaker before it."""
    return event.summary_text.removeprefix(f"{event.turn.actor}: ") if event.turn else event.summary_text


@lru_cache(maxsize=2000)
def _tells_nothing(text: str, languages: tuple[str, ...], asked: frozenset[str]) -> bool:
    """Return whether a brief turn is no evidence: it states nothing, or all its words belong to facts not asked for.

    A turn that only asks, supposes or sets a task states nothing, nor does the first half of one that was cut in two.
    asked: the categories of the relations that are asked for.
    """
    # A long turn that asks may state something by the way.
    if not is_brief(text):
        return False
    code = language_of(text, languages)
    if is_half(text, code) or states_nothing(text, code):
        return True
    stated = [fact.triple for fact in read_by_rules(text, code).facts]
    if not asked or not stated or not asked.isdisjoint(relation_kind(each.relation).category for each in stated):
        return False
    words = question_words(code)
    known = stems(" ".join(word for each in stated for word in (each.subject, each.object)), code)
    known = known.union(*(words.asks_for(each.relation) for each in stated))
    return all(not each.isdisjoint(known) for each in words.of_turn(text, ()).values())


@lru_cache(maxsize=2000)
def _are_contrary(one: str, other: str, languages: tuple[str, ...]) -> bool:
    if not (is_brief(one) and is_brief(other)):
        return False
    spoken = language(language_of(f"{one} {other}", languages))
    return any(spoken.opposites.contrary(*pair) for pair in product(spoken.sentences(one), spoken.sentences(other)))


@lru_cache(maxsize=2000)
def only_reacts(text: str, languages: tuple[str, ...]) -> bool:
    """Return whether a turn only reacts or greets: "ok", "haha nice", "Good morning!"."""
    if not 0 < len(words_in(text)) <= _LONGEST_REACTION:
        return False

    def reacts_in(code: str) -> bool:
        intents = {read_by_rules(sentence, code).intent for sentence in language(code).sentences(text)}
        return intents <= {Intent.REACTION}

    # So few words do not show their language.
    return any(map(reacts_in, languages))


def _in_language(fact: Recalled, code: str, languages: Sequence[str]) -> Recalled:
    """Return the fact with its sentence in this language, if a table of another language generated its text.

    A text that no table generates is left as it was said.
    """
    triple, text = fact.triple, fact.text
    others = (language(other).bullets for other in languages if other != code)
    if triple and any(text == table.bullet(triple, text) for table in others):
        return replace(fact, text=language(code).bullets.bullet(triple, text))
    return fact


def language_asked(question: str, scope: Scope, languages: tuple[str, ...], usual: Language) -> Language:
    """Return the language to answer in: the question's own if it has tables for that, otherwise `usual`.

    languages: codes.
    """
    if scope.has_turns:
        return _spoken(_language_of_words(question, languages), languages, usual)
    code = language_of_question(question, languages)
    return usual if code == usual.code == DEFAULT else _asked(code, usual)


def _language_of_words(question: str, languages: Sequence[str]) -> str:
    """Return the code of the language of a question about conversations.

    "Was macht Clara?" has one function word, which is also an English one. Then all its words decide.
    """
    likely = languages_likely(question, languages)
    return likely[0] if len(likely) == 1 else language_of_question(question, likely)


def language_of_question(question: str, languages: Sequence[str]) -> str:
    """Return the code of the language of most words of a question about footage.

    languages: codes. Ties go to the language that `language_of` finds.
    """
    words = words_in(question)
    # A name is a word of no language. Most English questions are known here, without the dictionaries of the others.
    first = next(iter(words), "")
    later = " ".join(each for each in question.split()[1:] if each[:1].isupper())
    capitals = set(words_in(later))
    names = {first, *capitals} if is_first_name(first) else capitals
    if DEFAULT in languages and all(word in names or ENGLISH.is_word(word) for word in words):
        return DEFAULT
    likely = language_of(question, languages)
    read = {code: glossary(code).known(words) for code in languages if has_glossary(code)}
    read[DEFAULT] = sum(map(ENGLISH.is_word, words)) if DEFAULT in languages else -1
    best = max(languages, key=lambda code: (read.get(code, 0), code == likely))
    # "qx zz?" is a question in no language, and no reason to embed all footage for another one.
    return best if read.get(best, 0) > 0 or DEFAULT not in languages else DEFAULT


@cache
def _asked(code: str, others: Language) -> Language:
    """Return a language for questions about footage. Cached for the same reason as `_spoken`."""
    read = all(each == DEFAULT or has_glossary(each) for each in (code, others.code))
    return AskedLanguage(code, others.code) if read else others


@cache
def _spoken(code: str, codes: tuple[str, ...], others: Language) -> Language:
    """Return the language with its answers.

    Cached, because the language object itself caches what it derives from events.
    """
    spoken = language(code)
    if spoken is ENGLISH or spoken.answers is None:
        return others
    return SpokenLanguage(spoken, spoken.answers, partial(language_of, languages=codes), others.footage)
