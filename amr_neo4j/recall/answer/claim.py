"""The claims of an answer, each with the events that it rests on, or the reason why there is no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import ClassVar

from amr_neo4j.domain.event import Event, lines_beside, speaker_and_words
from amr_neo4j.domain.recall import Hit, citation
from amr_neo4j.language.grammar import Sentence
from amr_neo4j.recall.evidence.changes import StateChange
from amr_neo4j.recall.evidence.dialogue import line_about, line_that_tells, reply_to
from amr_neo4j.recall.evidence.occurrences import listed
from amr_neo4j.recall.evidence.spatial import Description
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# A claim quotes what was said in its event, beside the line that it is about, up to this many characters.
MOST_SAID = 200
# A claim about a caption that is in doubt shows what was seen and said around it, up to this many characters.
MOST_AROUND = 400


@dataclass(frozen=True)
class Claim:
    """What an answer says of one event, with that event.

    text: a clause, without capital and full stop.
    line: the line of dialogue that it quotes, or empty.
    reply: the event that it cites instead, where the line replies to a question that was asked in `rests_on`.
    around: what was seen and said around the event.
    """

    text: str
    rests_on: Candidate
    line: str = ""
    reply: Candidate | None = None
    around: str = ""

    @property
    def events(self) -> tuple[Candidate, ...]:
        """The one event that it rests on."""
        return (self.rests_on,)

    @property
    def as_cited(self) -> Claim:
        """The claim as one that rests on the event that it cites."""
        return replace(self, rests_on=self.reply, reply=None) if self.reply else self

    def put_into(self, sentence: Sentence, **slots: object) -> Claim:
        """Return the claim with its text as the clause of a sentence of the language's table, such as "last"."""
        return replace(self, text=self.rests_on.language.grammar.say(sentence, clause=self.text, **slots))

    def __str__(self) -> str:
        grammar = self.rests_on.language.grammar
        cited = grammar.cited(self.text, citation(self.rests_on.event).label)
        return f"{cited} {grammar.say('around', around=self.around)}" if self.around else cited


@dataclass(frozen=True)
class Claims:
    """An answer by rules, with at least one claim.

    caveats: sentences that come first, for example that a name was guessed.
    likeliest: the operator found nothing of the kind that is asked for, and the claims are the likeliest events
        instead.
    confidence: from 0 to 1, if the claims are believed facts or stated relations; else None.
    """

    claims: tuple[Claim, ...]
    caveats: tuple[str, ...] = ()
    likeliest: bool = False
    confidence: float | None = None
    declines: ClassVar[bool] = False


@dataclass(frozen=True)
class ModelClaim:
    """A sentence of a chat model with its checked citations, and the events that they cite."""

    text: str
    events: tuple[Candidate, ...]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ModelClaims:
    """An answer by a chat model, with at least one claim."""

    claims: tuple[ModelClaim, ...]


class Reason(Enum):
    """Why a question has no answer.

    - NOT_FOUND: nothing in memory matches.
    - NOT_STATED: memory has something near, but does not state what is asked.
    - NO_OCCURRENCE: what is counted or timed never happened.
    - FEWER_OCCURRENCES: it happened, but not as many times as "the third time" needs.
    - IN_DOUBT: the nearest event may state it in other words.
    """

    NOT_FOUND = auto()
    NOT_STATED = auto()
    NO_OCCURRENCE = auto()
    FEWER_OCCURRENCES = auto()
    IN_DOUBT = auto()


@dataclass(frozen=True)
class Unknown:
    """The reason why there is no answer, with the closest that was found.

    nearest: claims about the closest events, if any.
    missing_words: words of the question that memory does not have.
    unmet_words: words of the question that the nearest event does not support.
    attribute: the attribute that the question asks for, such as "colour", if no event states it.
    never_sure: the nearest event denies it or only plans it, or is not of the kind that is asked for.
    """

    reason: Reason = Reason.NOT_FOUND
    nearest: tuple[Claim, ...] = ()
    missing_words: tuple[str, ...] = ()
    unmet_words: tuple[str, ...] = ()
    attribute: str = ""
    never_sure: bool = False

    @property
    def declines(self) -> bool:
        """Whether the answer is "memory does not state it". If it is only in doubt, the nearest event may be the
        answer.
        """
        return not self.nearest or self.reason in (Reason.NOT_STATED, Reason.NO_OCCURRENCE)


def event_claim(candidate: Candidate, clause: Clause | None = None, found: Sequence[Candidate] = ()) -> Claim:
    """Claim when and what happened, with the line of dialogue about the clause if it matches more of the clause.

    If the line has all that matches, it is quoted alone.

    found: see `spoken_claim`.
    """
    event, grammar = candidate.event, candidate.language.grammar
    summary = grammar.summary(event)
    if event.turn:
        return Claim(grammar.event_at(event), candidate)
    if clause and (said := spoken_claim(candidate, clause, found)):
        return said
    line = line_about(candidate, clause) if clause else ""
    # The line is quoted only if it has words of the clause that the summary lacks.
    adds = clause and line and _matched(candidate, clause, f"{line} {summary}") > _matched(candidate, clause, summary)
    return line_claim(candidate, line) if adds else Claim(grammar.event_at(event), candidate)


def hit_about(clause: Clause, candidate: Candidate) -> Hit:
    """Return the hit of a candidate, with its line of dialogue about the clause.

    Without a line if the summary is as much about the clause, or quotes the line.
    """
    line = event_claim(candidate, clause).line
    return replace(candidate.hit(), line=line if lines_beside(candidate.event.summary_text, [line]) else "")


def spoken_claim(candidate: Candidate, clause: Clause, found: Sequence[Candidate]) -> Claim | None:
    """Quote the line that answers a clause ("The meeting is on Monday").

    Returns None if no line does, or the event shows as much.

    Whoever speaks of an action need not have done it, and did not do it at that moment.
    found: see `reply_to`. A question is quoted with its reply, whose event is cited.
    """
    line = line_that_tells(candidate, clause)
    if not line:
        return None
    said_at, said = candidate.language.grammar.said_at, speaker_and_words(line)
    reply = reply_to(candidate, line, found)
    if not reply:
        return Claim(said_at(*said, candidate.event), candidate, line)
    replying, answer = reply
    return Claim(said_at(*speaker_and_words(answer), replying.event, to=said[1]), candidate, answer, replying)


def line_claim(candidate: Candidate, line: str) -> Claim:
    """Claim when and what happened, with this line of dialogue. A question is quoted together with its reply."""
    reply = reply_to(candidate, line)
    quoted = f"{line} {reply[1]}" if reply else line
    return Claim(candidate.language.grammar.event_at(candidate.event, quoted), candidate, reply[1] if reply else line)


def with_words(claim: Claim) -> Claim:
    """Return a claim about an event of a video, with what was said in it if that is short and not yet quoted."""
    event = claim.rests_on.event
    said = " ".join(event.dialogue_snippets)
    quotes = claim.line or any(speaker_and_words(line)[1] in claim.text for line in event.dialogue_snippets)
    if event.turn or quotes or not said or len(said) > MOST_SAID:
        return claim
    return replace(claim, text=f"{claim.text} ({said})")


def with_surroundings(claim: Claim, around: Sequence[Event]) -> Claim:
    """Return a claim about a caption, extended by the captions and lines nearest to it, as far as they fit.

    A caption of a second or two rarely tells what happened: the answer is often in the words before or after it.
    What was said in the event itself comes with its claim, and not a second time.
    around: events of its video, in order of time, its own among them.
    """
    claim = with_words(claim)
    own = claim.rests_on.event
    texts: dict[str, float] = {}
    for event in around:
        away = max(event.time_start - own.time_end, own.time_start - event.time_end, 0.0)
        for text in (*(() if event.is_only_talk else (event.summary_text,)), *event.dialogue_snippets):
            if speaker_and_words(text)[1].rstrip(".") not in claim.text:
                texts.setdefault(text, away)
    kept, left = set[str](), MOST_AROUND
    for text in sorted(texts, key=texts.__getitem__):
        left -= len(text) + 1
        if left < 0:
            break
        kept.add(text)
    return replace(claim, around=" ".join(text for text in texts if text in kept))


def _matched(candidate: Candidate, clause: Clause, text: str) -> float:
    return candidate.matched(clause, clause.language.all_forms(text))


def change_claim(change: StateChange, *, last: bool = False) -> Claim:
    """Claim what was done to a thing, by whom and when. last: say that it was the last such change."""
    candidate, action = change.candidate, change.action
    actor = person_name(candidate, action.actor) if action.actor else ""
    grammar = candidate.language.grammar
    return Claim(grammar.change_at(action, change.effect.lemma, actor, candidate.event, last=last), candidate)


def description_claim(described: Description) -> Claim:
    """Claim where a thing was relative to others, and when."""
    candidate = described.candidate
    return Claim(candidate.language.grammar.described_at(described.name, described.where, candidate.event), candidate)


def person_name(candidate: Candidate, person_id: str) -> str:
    """Return a person as a sentence names them, by the name that the event has; "you" for whoever asks."""
    if person_id in candidate.askers:
        return candidate.language.grammar.say("you")
    return candidate.language.grammar.person_name(candidate.people.get(person_id, person_id.replace("_", " ")))


def caveats(parsed: ParsedQuestion) -> tuple[str, ...]:
    """Return the caveats that the question itself causes: times left out, respelled names, guessed names."""
    grammar = parsed.language.grammar
    respelled = (grammar.respelled_name(word.word, word.taken_as) for word in parsed.respellings)
    guessed = (
        grammar.worn_as_reported(guess.word) if guess.reported else grammar.guessed_name(guess.word, guess.thing)
        for guess in parsed.guesses
    )
    left_out: list[str] = []
    if parsed.time_left_out:
        of_film = bool(parsed.span and parsed.span.position)
        left_out.append(grammar.time_left_out(parsed.time_left_out, of_film=of_film))
    if parsed.span and parsed.span.unknown:
        left_out.append(grammar.time_not_understood(parsed.span.unknown))
    return (*left_out, *respelled, *dict.fromkeys(guessed))


def listed_claims(claims: Sequence[Claim]) -> Sequence[Claim]:
    """Return all claims if they are few. If they are many, return only the first and the last, marked as such."""
    if listed(claims) is claims:  # listed() returns the same object if it leaves nothing out
        return claims
    first, last = listed(claims)
    return [first.put_into("first"), last.put_into("last")]
