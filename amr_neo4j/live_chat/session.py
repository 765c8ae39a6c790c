"""A live conversation: reads and stores each turn, and chooses the facts for the next prompt (specification 001)."""

from __future__ import annotations

import logging
import re
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from threading import Condition, RLock
from typing import Any, NamedTuple, cast

from amr_neo4j.domain import arguments as args
from amr_neo4j.domain.arguments import checked
from amr_neo4j.domain.belief import ShownFact
from amr_neo4j.domain.budget import Context
from amr_neo4j.domain.episode import LONGEST_TURN, EarlierTurn, SaidTurn, composed
from amr_neo4j.domain.fact import (
    SPEAKER,
    FactChange,
    Hinted,
    Intent,
    StatedFact,
    Triple,
    TurnContext,
    Understood,
    changes_of,
    fact_id,
    facts_stated,
)
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.masking import mask_secrets
from amr_neo4j.domain.ports import AskedFacts, PassiveMemory
from amr_neo4j.domain.prompt_injection import suspected_injection
from amr_neo4j.domain.recall import Held
from amr_neo4j.domain.relations import INSTRUCTION, PLANS, relation_kind
from amr_neo4j.domain.timestamps import not_ahead
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import language
from amr_neo4j.language.plans import PlanQuestion
from amr_neo4j.language.question_words import QuestionWords, all_forms, question_words
from amr_neo4j.language.stems import stems, words_in
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.inject import (
    InjectedLines,
    InjectItem,
    Message,
    is_ours,
    of_window,
    per_turn,
    rotating,
)
from amr_neo4j.live_chat.metrics import ChatMetrics, repeats, uses_hint
from amr_neo4j.live_chat.retrieve import Asked, Chosen, Hint, choose, quotation, with_opposed, without_lone_sides

_log = logging.getLogger(__name__)
# Turns that state something do not ask for the facts that go with it.
_TELLING = frozenset({Intent.FACT_STATEMENT, Intent.MULTIPLE_FACTS, Intent.CORRECTION})
# The reader is given at most this many earlier turns of the same speaker.
_MOST_EARLIER = 6
# Two turns of a user count as said at least this many seconds apart, so that their order is kept.
_A_MOMENT = 0.001
# Only this many characters of a turn are used for retrieval and as context, so that a pasted file slows nothing.
_MOST_CHARACTERS = 4000
# Confidence of a doubtful fact that the user confirms: that of a plain statement.
_CONFIRMED = 0.7
# Of a turn, at most this many questions are answered; after a long paste, its last so many sentences are read.
_MOST_QUESTIONS = 3
# How many of the latest turns are recognised when they come again after a reconnect.
_MOST_KNOWN = 200

# The lookbehind lets a match begin only at the start of a word. Without it, a long word without an @ would be scanned
# again from each of its characters, which takes quadratic time.
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# Phone, account and card numbers: seven digits or more, with the usual separators.
_NUMBER = re.compile(r"\+?\d(?:[ ()./-]{0,2}\d){6,}")

Understand = Callable[[str, TurnContext], Understood]
"""Takes the text of a turn, in any language, and the turns before it. Returns what the turn says."""
AskFacts = Callable[[str, str], AskedFacts]
"""Takes a question and the code of its language. Returns it as a question about the user's facts."""


class InOrder:
    """A lock that threads get in the order in which they ask for it, unlike those of `threading`."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._given, self._served = 0, 0

    def __enter__(self) -> None:
        with self._changed:
            mine = self._given
            self._given += 1
            self._changed.wait_for(lambda: self._served == mine)

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._served += 1
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn to be stored, with the facts that it changes.

    text: as it was given.
    turn_id: what its source calls it; may be empty.
    is_dated: the source gave the time.
    continues: it is the second half of the turn before.
    """

    text: str
    actor: str
    at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    changes: tuple[FactChange, ...] = ()
    turn_id: str = ""
    is_dated: bool = False
    continues: bool = False


class _Heard(NamedTuple):
    """An earlier turn. subject: the person whom "I" means in it; empty for a program."""

    subject: str
    text: str
    episode_id: str = ""


@dataclass(frozen=True, slots=True)
class LiveTurn:
    """What `observe` did with a turn.

    episode_id: the id of the stored turn.
    understood: what the turn says; None for a turn of a program, such as the assistant.
    hints: the facts chosen for it, best first.
    milliseconds: {stage: milliseconds}; `keeping` is writing to this machine's disk.
    retracted: the facts that were believed and are not any more, because the turn takes them back.
    is_recalled: False if the turn asks memory to keep nothing of it or to forget something; it is stored, but no
        search, answer or prompt shows it. The same is true of earlier turns that stated the forgotten facts.
    suspected_injection: its words read like an instruction to a language model.
    """

    episode_id: str
    understood: Understood | None
    hints: tuple[Hint, ...] = ()
    milliseconds: Mapping[str, float] = field(default_factory=dict[str, float])
    retracted: tuple[Triple, ...] = ()
    is_recalled: bool = True
    suspected_injection: bool = False


class LiveChat:
    """One session of one user. Thread-safe; the turns of a session are handled one after the other.

    >>> chat = memory.chat(user_id="anna", session_id="monday")
    >>> chat.observe("I live in Seattle.")
    >>> messages = chat.inject([{"role": "user", "content": "Where do I live?"}])

    Nothing waits for the database: a turn is on this machine's disk when `observe` returns, and in the graph soon
    after.
    """

    def __init__(
        self,
        session_id: str,
        *,
        user_id: str,
        index: HotIndex,
        understand: Understand,
        ask: AskFacts,
        keep: Callable[[SpokenTurn], str],
        options: HotOptions,
        now: Callable[[], datetime],
        clock: Callable[[], float],
        passive: PassiveMemory | None = None,
        earlier: Sequence[EarlierTurn] = (),
        spoken: str = "",
        hinted: Callable[[str, Hinted], object] = lambda episode_id, hints: None,
    ) -> None:
        """user_id: an actor of this name is the user.
        index: the user's facts; other sessions of the user may share it.
        understand: reads a turn.
        ask: reads a question about facts.
        keep: stores a turn durably and returns its episode_id.
        clock: seconds of a monotonic clock, for measuring.
        passive: recalls facts and episodes in passing and fits them into the prompt's budget; None: no recall.
        earlier: the last turns of the session, if it is opened again.
        spoken: the code of their language; by default the first one of the options.
        hinted: told (episode_id, hints) of each turn that gets hints.
        """
        self.session_id = session_id
        self.metrics = ChatMetrics()
        self.inject_window: deque[InjectItem] = deque()
        self.novelty_cache: dict[Triple, int] = {}
        # Read by nothing here: a name of specification 001 for callers who want to look at it.
        self.last_turn_entities: list[str] = []
        self._index, self._understand, self._ask, self._keep = index, understand, ask, keep
        self._options, self.now, self._clock, self._passive = options, now, clock, passive
        self._hinted = hinted
        self.context = Context()
        self._user_id = user_id
        # {subject of a speaker's facts: the speaker's latest turns}. A turn is read with earlier ones of its speaker.
        self._earlier: defaultdict[str, deque[_Heard]] = defaultdict(lambda: deque(maxlen=_MOST_EARLIER))
        self._asked = ""
        self._before = _Heard("", "")
        self._number = 0
        self._last_said = 0.0
        self._language = spoken or options.languages[0]
        self._hints: tuple[Hint, ...] = ()
        self._streamed: tuple[str, ...] = ()
        self._shown: tuple[str, ...] = ()
        self._found: tuple[str, ...] = ()
        self._personal = True
        self._known: dict[tuple[object, str], LiveTurn] = {}
        self._order = InOrder()
        self._lock = RLock()
        self._resume(earlier)

    def _resume(self, turns: Sequence[EarlierTurn]) -> None:
        """Take up a session where it was left: what the last turns said, and which hints their prompts had."""
        resumed: list[EarlierTurn] = []
        for turn in turns:
            subject, text = self._options.speakers.subject(turn.actor, self._user_id), composed(turn.text)
            heard = _Heard(subject, text[:_MOST_CHARACTERS], turn.episode_id)
            if not turn.is_recalled:
                self._earlier[subject].clear()  # as `_observe_person` did when it was said
                self._before = _Heard("", "")
                resumed.clear()
                continue
            if subject:
                self._earlier[subject].append(heard)
                self._asked = heard.text
                known = self._index.sentences(turn.hinted, self._quotation)
                # Their scores are not kept, but their order is.
                self._hints = tuple(Hint(each, text, 1 - place / 100) for place, (each, text) in enumerate(known))
                self._inject(self._hints)
                self._number += 1
            if subject or self._options.speakers.talks(turn.actor, self._user_id):
                self._before = heard
            resumed.append(turn)
        self._prune()
        self.metrics.counts["pruned"] = 0
        if self._passive and resumed:
            self._passive.resume([(turn.episode_id, turn.text[:_MOST_CHARACTERS]) for turn in resumed])

    def _quotation(self, turn: SaidTurn) -> str:
        return quotation(turn, self._language, self.now().tzinfo)

    def _inject(self, hints: Sequence[Hint]) -> None:
        """Add the hints of the current turn to the window."""
        for hint in hints:
            self.inject_window.append(InjectItem(self._number, hint))
            self.novelty_cache[hint.triple] = self._number

    @checked
    def observe(
        self, text: args.Text, *, actor: args.Text = "user", at: args.Clock = None, turn_id: args.Text = ""
    ) -> LiveTurn:
        """Store a turn, learn its facts, and choose the facts for the next prompt.

        A turn of a program (assistant, agent, system, tool, a model's id, a name in the setting agent_names) is
        stored, but no facts are learnt from it. Any other name is a person: "I live in Oslo" is then a fact about
        "ben".

        actor: who speaks. "user", "human" and the user's id are the user.
        at: when it was said, with an offset from UTC; now if None, or if it is more than a day ahead. Facts are
            replaced in the order in which turns arrive, whatever their times.
        turn_id: what the source calls the turn. A turn that comes again, with its turn_id or with the same actor,
            `at` and words, is one turn: nothing is stored twice.
        Raises InputError: the text is empty or has more than a million characters, or `at` has no offset.
        Raises NoSpace: the disk is full; the turn is not stored.
        """
        return self.observe_called(self.now(), text, actor=actor, at=at, turn_id=turn_id)

    @checked
    def observe_called(
        self,
        called: args.Clock,
        text: args.Text,
        *,
        actor: args.Text = "user",
        at: args.Clock = None,
        turn_id: args.Text = "",
    ) -> LiveTurn:
        """Observe a turn whose call was made at the moment `called` and then had to wait.

        Calls are handled one after the other, in the order in which they were made.
        """
        if len(text) > LONGEST_TURN:
            raise InputError(f"the turn is longer than {LONGEST_TURN:,} characters", hint="divide it into several")
        with self._order, self._lock:
            if self._options.mask_secrets:
                text = mask_secrets(text, self._before.text)
            key = turn_id or (actor, at) if turn_id or at else None
            if key and (turn := self._known.get((key, text))):
                return turn
            now = self.now()
            self._index.expire(now.timestamp())
            # Without a time of its own, a turn has the offset of its user's time zone.
            said_at, note = not_ahead(at or (called or now).astimezone(now.tzinfo), now)
            spoken = SpokenTurn(text, actor, said_at, note, turn_id=turn_id, is_dated=at is not None)
            if subject := self._options.speakers.subject(actor, self._user_id):
                turn = self._observe_person(subject, spoken, self._said(spoken.at))
            else:
                turn = self._observe_program(spoken)
            if self._passive and not turn.is_recalled:
                self._passive.clear()
            elif self._passive:
                # A program's turn is as personal as the turn that it answers.
                self._personal = self._is_personal(turn) if turn.understood else self._personal
                self._passive.said(turn.episode_id, text[:_MOST_CHARACTERS], personal=self._personal)
            if key:
                self._known[key, text] = turn
                self._known = dict(list(self._known.items())[-_MOST_KNOWN:])
            return turn

    @checked
    def inject(self, messages: args.ChatMessages) -> list[Message]:
        """Return the messages with the hints of the last turns added; the given messages are not changed.

        Adds one system message, which replaces the one of an earlier call, or one per turn (option
        per_turn_messages). Besides the hints it has facts and episodes that the last turns brought to mind, as far as
        the budget of the prompt allows; `context` says what was left out.

        If the last user message was not observed, hints are chosen for it as well. `inject` only retrieves: it stores
        no turn and learns no fact. Call `observe` for that.
        """
        with self._lock:
            if not self._options.injects:
                return list(messages)
            self._index.expire(self.now().timestamp())
            unobserved = self._hints_for_unobserved(messages)
            most = self._options.bullets_max
            if self._options.per_turn_messages:
                hints = self._hints if unobserved is None else unobserved
                # A fact may have been taken back since the hints were chosen.
                believed = [hint for hint in hints if self._believes(hint.triple)]
                return per_turn(messages, self._within_budget(messages, believed[:most]), self._options)
            self._prune()
            window = [*self.inject_window, *(InjectItem(self._number, hint) for hint in unobserved or ())]
            lines = self._within_budget(messages, with_opposed(of_window(window), self._index, most))
            return rotating(messages, lines, self._options, now=self.now())

    def _hints_for_unobserved(self, messages: Sequence[Message]) -> tuple[Hint, ...] | None:
        """Return the hints for the last user message; None if it is empty, too long, or was observed last."""
        text = next((_text_of(m) for m in reversed(messages) if m.get("role") == "user" and not is_ours(m)), "")
        if not text.strip() or text[:_MOST_CHARACTERS] == self._asked or len(text) > LONGEST_TURN:
            return None
        return self._choose(text, self._understood(SPEAKER, text), self.now()).hints

    def _within_budget(self, messages: Sequence[Message], hints: Sequence[Hint]) -> InjectedLines:
        """Return the hints and the recalled texts that fit into the prompt; `context` reports what was left out.

        Also notes what is shown, which `_count_used` compares with the reply.
        """
        self._shown = tuple(hint.text for hint in hints)
        self._found = _found_since(messages)
        if self._passive is None:
            return InjectedLines(tuple(hint.text for hint in _you_first(hints)))
        others = [message for message in messages if not is_ours(message)]
        spoken = [_text_of(message) for message in others if message.get("role") in ("user", "assistant")]
        tools = [_text_of(message) for message in others if message.get("role") == "tool"]
        lines = self._options.bullets_max - len(hints)
        self.context = self._passive.context(spoken, tools, [hint.text for hint in hints], self._believes, lines)
        fitting = [hint for hint in _you_first(hints) if hint.text in self.context.facts]
        kept = tuple(hint.text for hint in without_lone_sides(fitting, self._index))
        # What is recalled in passing only fills up the lines that the hints leave.
        room = max(0, self._options.bullets_max - len(kept))
        recalled = tuple(text for text in self.context.facts if text not in kept)[:room]
        episodes = self.context.episodes[: room - len(recalled)]
        self.context = replace(self.context, facts=(*kept, *recalled), episodes=episodes)
        self._streamed = (*recalled, *episodes)
        self._shown = (*kept, *self._streamed)
        return InjectedLines((*kept, *recalled), episodes)

    def _is_personal(self, turn: LiveTurn) -> bool:
        """Return whether a turn is about the user or somebody or something in their facts.

        A question about the world in general is not. A reply counts as the turn that it answers: see `observe`.
        """
        understood = turn.understood
        if understood is None or understood.intent is not Intent.PURE_QUESTION or turn.hints:
            return True
        named = stems(" ".join(e for e in understood.entities if e != SPEAKER), understood.language)
        return SPEAKER in understood.entities or self._index.has_any(named)

    def _believes(self, triple: Triple) -> bool:
        return bool(self._index.current([triple]))

    @checked
    def forget_recalled(self) -> None:
        """Drop what was recalled in passing. Call this after something was deleted from memory."""
        if self._passive:
            self._passive.clear()

    @property
    def held(self) -> Held:
        """The ids of the turns and events whose words this session still holds."""
        with self._lock:
            turns = [self._before, *chain.from_iterable(self._earlier.values())]
            own = frozenset(turn.episode_id for turn in turns if turn.episode_id)
            return own | self._passive.held if self._passive else own

    @checked
    def drop(self, gone: args.HeldIds) -> None:
        """Drop the words of turns and events that were forgotten, or that memory may not recall any more."""
        with self._lock:
            for turns in self._earlier.values():
                kept = [turn for turn in turns if turn.episode_id not in gone]
                turns.clear()
                turns.extend(kept)
            if self._before.episode_id in gone:
                self._before = _Heard("", "")
            if self._passive:
                self._passive.drop(gone)

    @checked
    def forget(self, subject: args.Text, relation: args.Text = "", object: args.Text = "") -> None:
        """Remove facts from the hints of this session: all of a subject, those of one of its relations, or a single
        one.
        """
        self.forget_recalled()
        with self._lock:
            wanted = Triple(subject, relation, object)
            kept = [i for i in self.inject_window if not _matches(i.hint.triple, wanted)]
            self.inject_window.clear()
            self.inject_window.extend(kept)
            self._hints = tuple(h for h in self._hints if not _matches(h.triple, wanted))

    def _said(self, moment: datetime) -> float:
        """Return the time at which a turn's facts count as stated, in epoch seconds.

        It is later than that of the turn before, even if the clock was set back in the meantime.
        """
        self._last_said = max(moment.timestamp(), self._last_said + _A_MOMENT)
        return self._last_said

    def _observe_person(self, subject: str, spoken: SpokenTurn, said: float) -> LiveTurn:
        # The turn is on disk before the index learns the facts: what the next prompt shows is never lost in a crash.
        begin, text = self._clock(), composed(spoken.text)
        understood = self._understood(subject, text)
        self._language = understood.language
        extracted = self._clock()
        # The text names the speaker, because a fact about somebody other than the user may have their name.
        changes = self._changes(understood, f"{spoken.actor}: {text}", spoken.at, said)
        episode_id = self._keep(replace(spoken, changes=changes, continues=understood.continues))
        kept = self._clock()
        gone = self._index.apply(changes)
        is_recalled = not any(change.forgotten for change in changes)
        updated = self._clock()
        chosen = self._choose(text, understood, spoken.at)
        self._remember(_Heard(subject, text[:_MOST_CHARACTERS], episode_id), understood, chosen)
        if not is_recalled:
            self._earlier[subject].clear()  # the next turns must not be read with what is to be forgotten
            # Earlier turns that stated it must not be quoted; the others are read again from the graph.
            self._index.said_turns.clear()
        elif subject == SPEAKER and understood.intent is not Intent.PURE_QUESTION:
            self._index.said_turns.add([SaidTurn(episode_id, text, spoken.at.timestamp(), facts_stated(changes))])
        end = self._clock()
        seconds = {
            "extraction": extracted - begin,
            "keeping": kept - extracted,
            "update": updated - kept,
            "retrieval": end - updated,
            "total": end - begin,
        }
        times = {stage: 1000 * spent for stage, spent in seconds.items()}
        self.metrics.add(times)
        self._log_metrics(text)
        suspected = suspected_injection(text)
        return LiveTurn(episode_id, understood, chosen.hints, times, tuple(gone), is_recalled, suspected)

    def _observe_program(self, spoken: SpokenTurn) -> LiveTurn:
        """Store a turn of the assistant, a tool or the system. If it is a reply, count what it used."""
        episode_id, text = self._keep(spoken), composed(spoken.text)
        if self._options.speakers.talks(spoken.actor, self._user_id):
            if self._hints:
                named = [(hint.triple.subject, hint.triple.object) for hint in self._hints]
                self.metrics.counts["used"] += uses_hint(text, named, self._language)
                self.metrics.counts["answered"] += 1
            self._count_used(text)
            self._before = _Heard("", text, episode_id)
        return LiveTurn(episode_id, None, suspected_injection=suspected_injection(text))

    def _count_used(self, reply: str) -> None:
        """Count the hints in the prompt, how much of them is repetition, and which of them the reply has used.

        A text counts as used if the reply has one of its words that the user's turn did not have.
        """
        asking = question_words(self._language)
        # Words of the user's own turn prove nothing: the reply may repeat them without any memory.
        new = self._words(asking, reply) - self._words(asking, self._asked)
        counts = self.metrics.counts
        for name, used, texts in (
            ("streamed", "streamed_used", self._streamed),
            ("searched", "search_helped", self._found),
        ):
            counts[name] += len(texts)
            counts[used] += sum(not new.isdisjoint(self._words(asking, text)) for text in texts)
        counts["shown"] += len(self._shown)
        counts["repeated"] += repeats([self._words(asking, text) for text in self._shown])
        self._streamed = self._shown = self._found = ()

    @staticmethod
    def _words(asking: QuestionWords, text: str) -> frozenset[str]:
        return all_forms(asking.of_turn(text, ()))

    def _understood(self, subject: str, text: str) -> Understood:
        if not self._options.extracts:
            return Understood(self._language, Intent.OTHER, entities=tuple(text.casefold().split()[:50]))
        # "Yes" says something only together with the turn that it answers, if that was somebody else's.
        reply = self._before.text if self._before.subject != subject else ""
        earlier = tuple(turn.text for turn in self._earlier[subject])
        context = TurnContext(earlier, reply, self._believed(subject, text))
        return self._settled(self._understand(self._own_words(text), context).said_by(subject), subject)

    def _settled(self, understood: Understood, subject: str) -> Understood:
        """Return the turn with the doubtful facts that its "yes" confirms or its "no" takes back.

        A doubtful fact counts only if the answered question is about it.
        """
        if understood.answer is None:
            return understood
        (question, agrees), code = understood.answer, understood.language
        words, asking = stems(question, code), question_words(code)
        asked = asking.relations_asked(self._words(asking, question))
        # A yes to "Did you live in Perth?" does not say where somebody lives now.
        if not language(code).bullets.asking.past.isdisjoint(words_in(question)):
            asked = [relation for relation in asked if relation_kind(relation).happened]
        meant = tuple(
            triple
            for triple in self._index.doubtful()
            if triple.relation in asked
            and stems(triple.object, code) <= words
            and (triple.subject == subject or stems(triple.subject, code) <= words)
            and self._asks_that_alone(asking, question, triple)
        )
        if not agrees:
            return replace(understood, retracted=(*understood.retracted, *meant))
        known = {fact.triple for fact in understood.facts}
        stated = (StatedFact(triple, _CONFIRMED) for triple in meant if triple not in known)
        # They come first, because the turn itself may correct them: "Yes, but I moved to Rome."
        return replace(understood, facts=(*stated, *understood.facts))

    def _asks_that_alone(self, asking: QuestionWords, question: str, triple: Triple) -> bool:
        """Return whether a question has at most one word beside those of a fact and of its relation.

        "Did you work at Siemens before Bosch?" and "Did you quit your job at Siemens?" do not ask who employs you.
        """
        own = self._words(asking, f"{triple.subject} {triple.object}") | asking.asks_for(triple.relation)
        return sum(own.isdisjoint(forms) for forms in asking.of_turn(question, ()).values()) <= 1

    def _believed(self, subject: str, text: str) -> tuple[Triple, ...]:
        """Return the facts that a turn's words name, the latest ones and the home, with the speaker as SPEAKER."""
        found = self._index.candidates(stems(text[:_MOST_CHARACTERS], self._language))
        # Whether "here in Perm" is a visit depends on the home, however long ago it was stated.
        triples = dict.fromkeys(fact.triple for fact in (*found, *self._index.about([subject], ["lives_in"])))
        if subject == SPEAKER:
            return tuple(triples)
        return tuple(each._replace(subject=SPEAKER) for each in triples if each.subject == subject)

    def _own_words(self, text: str) -> str:
        """Return the turn without lines that quote our hints: memory must not learn from its own words."""
        ours = {item.hint.text.casefold() for item in self.inject_window}
        lines = text.splitlines()
        kept = [line for line in lines if line.strip(" \t•*->\"'.").casefold() not in ours]
        return text if len(kept) == len(lines) else "\n".join(kept)

    def _changes(self, understood: Understood, text: str, at: datetime, said: float) -> tuple[FactChange, ...]:
        """Return the facts that a turn takes back and then those it states. said: epoch seconds."""
        bullets = language(understood.language).bullets
        code = understood.language
        named = [
            [*self._index.named(stems(phrase, code), code), *self._intentions_named(phrase, code)]
            for phrase in understood.forgotten
        ]
        return changes_of(
            understood,
            at=at,
            said=said,
            sentence=lambda triple: bullets.bullet(triple, text),
            session_id=self.session_id,
            live=True,
            forgotten=chain.from_iterable(named),
        )

    def _intentions_named(self, phrase: str, code: str) -> list[Triple]:
        """Return the plans and instructions with all words of a phrase: (you, plans, buy a boat) for "a boat"."""
        spoken = language(code)
        wish = PlanQuestion(spoken.plans.words_named(phrase), None)
        known = self._index.about([SPEAKER], [PLANS, INSTRUCTION]) if wish.words else []
        return [fact.triple for fact in known if spoken.is_plan_asked_for(fact.triple.object, wish)]

    def _choose(self, text: str, understood: Understood, at: datetime) -> Chosen:
        if not self._options.injects:
            return Chosen((), 0, gated=False)
        stated = {fact.triple for fact in (*understood.facts, *understood.intentions)}
        asked = Asked(
            text[:_MOST_CHARACTERS],
            language=understood.language,
            intent=understood.intent,
            session_id=self.session_id,
            at=at,
            number=self._number,
            entities=understood.entities,
            stated=stated,
            questions=self._questions(text, understood),
            turns_like=self._passive.turns_like if self._passive else lambda question, read_as: {},
        )
        return choose(asked, self._index, question_words(understood.language), self._options, self.novelty_cache)

    def _questions(self, text: str, understood: Understood) -> list[AskedFacts]:
        """Return the questions that a turn asks, in its order.

        These are its last sentence with a question mark, and those just before it ("Where do I live? And Ben?").
        Without one it is the last sentence, if the turn only asks. After a long paste, whose intent is that of the
        paste, it is the last of the last sentences that by itself only asks.
        """
        code = understood.language
        sentences = language(code).sentences(text[-_MOST_CHARACTERS:])
        asks = [each.rstrip(" \"'”’»)*").endswith(("?", "？")) for each in sentences]
        if any(asks):
            end = len(asks) - asks[::-1].index(True)
            start = end - 1
            while start > 0 and asks[start - 1] and end - start < _MOST_QUESTIONS:
                start -= 1
            return [self._ask(each, code) for each in sentences[start:end]]
        last = sentences[-_MOST_QUESTIONS:]
        if len(text) > _MOST_CHARACTERS:
            last = [each for each in last if self._understand(each, TurnContext()).intent is Intent.PURE_QUESTION]
        elif understood.intent is not Intent.PURE_QUESTION:
            last = []
        return [self._ask(last[-1], code)] if last else []

    def _remember(self, heard: _Heard, understood: Understood, chosen: Chosen) -> None:
        """Add the turn and its hints to the state of the session."""
        counts = self.metrics.counts
        counts["turns"] += 1
        counts["computed"] += chosen.considered
        counts["injected"] += len(chosen.hints)
        counts["gated"] += chosen.gated
        self._hints = chosen.hints
        self.last_turn_entities = list(understood.entities)
        self._inject(chosen.hints)
        hinted: dict[str, Triple] = {}
        for hint in chosen.hints:
            if turn := self._index.quoted(hint.triple):
                hinted[turn.episode_id] = hint.triple
                continue
            hinted[fact_id(hint.triple)] = hint.triple
            asked = hint.asked and understood.intent not in _TELLING
            self.metrics.shown.append(ShownFact(fact_id(hint.triple), self.now(), asked, heard.episode_id))
        if hinted:
            self._hinted(heard.episode_id, hinted)
        self._asked = heard.text
        self._earlier[heard.subject].append(heard)
        self._before = heard
        self._number += 1
        self._prune()  # also here, so that the window stays small if `inject` is never called

    def _prune(self) -> None:
        """Drop hints that are older than the window or no longer believed."""
        first = self._number - self._options.hint_window
        believed = set(self._index.current(item.hint.triple for item in self.inject_window))
        kept = [item for item in self.inject_window if item.turn >= first and item.hint.triple in believed]
        self.metrics.counts["pruned"] += len(self.inject_window) - len(kept)
        self.inject_window.clear()
        self.inject_window.extend(kept)
        self.novelty_cache = {
            triple: turn
            for triple, turn in self.novelty_cache.items()
            if turn >= self._number - self._options.novelty_turns
        }

    def _log_metrics(self, text: str) -> None:
        if _log.isEnabledFor(logging.DEBUG):
            shown = redacted(text) if self._options.redact_logs else text
            _log.debug("turn %d of %s: %s", self._number, self.session_id, shown[:200])
        if self.metrics.is_due(self._clock()):
            p95 = " ".join(f"{stage} {value:.1f}" for stage, value in self.metrics.p95().items())
            _log.info("session %s: p95 in ms: %s; %s", self.session_id, p95, dict(self.metrics.counts))


def _you_first(hints: Sequence[Hint]) -> list[Hint]:
    """Return the hints about the user, then the others, each in their order."""
    return sorted(hints, key=lambda hint: hint.triple.subject != SPEAKER)


def _found_since(messages: Sequence[Message]) -> tuple[str, ...]:
    """Return the results of tools that follow the last user message."""
    last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    return tuple(_text_of(message) for message in messages[last + 1 :] if message.get("role") == "tool")


def _text_of(message: Message) -> str:
    """Return the text of a message. Its content may be a string, or a list of parts of which some are text."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = cast(list[Any], content) if isinstance(content, list) else []
    texts = (cast(Mapping[str, Any], part).get("text") for part in parts if isinstance(part, Mapping))
    return " ".join(text for text in texts if isinstance(text, str))


def _matches(triple: Triple, wanted: Triple) -> bool:
    """Return whether a triple has the parts that are wanted; an empty part matches anything."""
    return all(part in ("", there) for part, there in zip(wanted, triple, strict=True))


def redacted(text: str) -> str:
    """Return the text with [mail] and [number] for addresses and long numbers, and with masks for secrets
    (specification 001, privacy).
    """
    return _NUMBER.sub("[number]", _MAIL.sub("[mail]", mask_secrets(text)))
