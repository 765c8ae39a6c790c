"""Writes what was found as text for a language model: stretches of film and talk around the best hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from amr_neo4j.domain.budget import estimated_tokens, within_tokens
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.prompt_injection import marked
from amr_neo4j.domain.recall import ContextLine, Margin, MemoryContext, citation
from amr_neo4j.recall.evidence.spatial import descriptions_about
from amr_neo4j.recall.evidence.timeline import Located, chronological
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.spread import different_scenes
from amr_neo4j.recall.retrieve.candidate import Candidate

# A model that read eight stretches of 24 s chose rightly in 78 of 100 questions about a filmed day, with ten captions
# alone in 68. With two turns around each hit, 88% of questions about conversations were answered, without them 85%.
AROUND = Margin(before_s=12.0, after_s=12.0, turns=2)
MOST_STRETCHES = 10
# In characters: a long turn must not fill the context alone.
LONGEST_LINE = 2000
_CUT = " ..."
# A low estimate, so that a text never exceeds its tokens: English has about four characters per token, other scripts
# have fewer.
CHARACTERS_PER_TOKEN = 3

# Returns what lies around events (EventReader.around).
ReadAround = Callable[[Sequence[Event]], Sequence[Event]]


@dataclass(frozen=True)
class Shown:
    """The text that a model is shown, and the candidates that its lines cite, by node_id."""

    context: MemoryContext
    candidates: Mapping[int, Candidate]


def stretches(
    parsed: ParsedQuestion, found: Sequence[Candidate], around: ReadAround, *, located: Located, tokens: int
) -> Shown:
    """Write the stretches around the best candidates that fit into `tokens`.

    found: best first.
    The best hits that are apart from one another come first, then what is nearest to them, then further candidates.
    So every stretch grows evenly, and the budget ends with what is furthest from any hit.
    """
    hits = different_scenes(found)[0][:MOST_STRETCHES]
    candidates = {candidate.node_id: candidate for candidate in found}
    for event in around([hit.event for hit in hits]) if hits else ():
        if event.node_id not in candidates:
            candidates[event.node_id] = Candidate.found_alone(event, parsed.language)
    writer = _Writer(parsed, located)
    for candidate in _nearest_first(hits, candidates.values()):
        line = writer.line(candidate)
        if not line:
            continue
        if not writer.lines:  # the best hit is shown in any case, as far as it fits
            line = _fitted(line, tokens - _cost(writer.heading(candidate.event)) - 1)
        writer.keep(candidate, line)
        if writer.spent() > tokens and len(writer.lines) > 1:
            writer.drop_last()
            break
    shown = {node_id: candidates[node_id] for node_id in writer.lines}
    return Shown(MemoryContext(tuple(writer.in_order()), writer.spent()), shown)


def cut(line: str) -> str:
    """Return a line of at most LONGEST_LINE characters. One that was longer ends with " ..."."""
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - len(_CUT)].rstrip()}{_CUT}"


def _fitted(line: str, tokens: int) -> str:
    """Return a line within this many tokens. One that had more ends with " ..."."""
    kept = within_tokens(line, tokens)
    return line if kept == line else within_tokens(line, tokens - estimated_tokens(_CUT)) + _CUT


@lru_cache(maxsize=1000)
def _cost(line: str) -> int:
    return estimated_tokens(line + "\n")


def _nearest_first(hits: Sequence[Candidate], candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the hits, then the other candidates, those nearest to a hit first and the far ones by score."""
    ranks = {hit.node_id: rank for rank, hit in enumerate(hits)}
    farthest = max(AROUND.before_s, AROUND.after_s)

    def place(candidate: Candidate) -> tuple[float, float, int, int]:
        if candidate.node_id in ranks:
            return (-1.0, 0.0, ranks[candidate.node_id], 0)
        away, rank = min(
            ((_gap(candidate.event, hit.event), ranks[hit.node_id]) for hit in hits), default=(farthest, 0)
        )
        near = away <= farthest
        return (away if near else farthest, 0.0 if near else -candidate.score, rank, candidate.node_id)

    return sorted(candidates, key=place)


def _gap(one: Event, other: Event) -> float:
    """Return the seconds between two events; infinite if they are of different recordings."""
    if one.video_id != other.video_id or bool(one.turn) != bool(other.turn):
        return float("inf")
    (start, end), (begin, stop) = one.rhythm, other.rhythm
    return max(0.0, begin - end, start - stop)


class _Writer:
    """Writes lines and puts them in order. A summary or line of dialogue is written once per video."""

    def __init__(self, parsed: ParsedQuestion, located: Located) -> None:
        self._parsed, self._located = parsed, located
        self._kept: list[Candidate] = []
        # {node_id: the line that was written for it}
        self.lines: dict[int, str] = {}
        # (recording, text) of every summary and line of dialogue so far.
        self._said: set[tuple[str, str]] = set()

    def line(self, candidate: Candidate) -> str:
        """Return the line of an event; empty if all that it says was said."""
        event = candidate.event
        new = [line for line in event.dialogue_snippets if (event.video_id, line) not in self._said]
        # The summary of an event that is only heard repeats its words, and not each with its speaker.
        is_talk = event.heard and bool(event.dialogue_snippets)
        if not new and not event.turn and (is_talk or (event.video_id, event.summary_text) in self._said):
            return ""
        places = descriptions_about(candidate, self._parsed.clauses)
        text = " | ".join(new) if is_talk else self._parsed.language.grammar.evidence_line(event, new, places)
        line = marked(" ".join(text.split()), suspected=event.suspected_injection)
        return cut(f"{citation(event).short_label} {self._clock(event)}{line}")

    def _clock(self, event: Event) -> str:
        """Return when an event was; empty for a turn, whose number in its session says as much."""
        return "" if event.turn else self._parsed.language.grammar.clock_of(self._located(event))

    def keep(self, candidate: Candidate, line: str) -> None:
        """Add the line of a candidate."""
        event = candidate.event
        self._said.update((event.video_id, text) for text in (event.summary_text, *event.dialogue_snippets))
        self.lines[candidate.node_id] = line
        self._kept.append(candidate)

    def heading(self, event: Event) -> str:
        """Return the heading of the stretch that begins with an event."""
        return self._parsed.language.grammar.stretch_heading(self._located(event))

    def drop_last(self) -> None:
        """Remove the candidate that was kept last."""
        del self.lines[self._kept.pop().node_id]

    def spent(self) -> int:
        """Return the tokens of all lines. A line between two stretches adds a heading for itself and what follows."""
        return sum(_cost(line.text) for line in self.in_order())

    def in_order(self) -> Iterable[ContextLine]:
        """Yield the lines in order of time, with a heading before each stretch."""
        before: Event | None = None
        for candidate in chronological(self._kept):
            event = candidate.event
            if before is None or not _joins(event, before):
                yield ContextLine(self.heading(event))
            yield ContextLine(self.lines[candidate.node_id], citation(event))
            before = event


def _joins(event: Event, other: Event) -> bool:
    """Return whether two events can stand in one stretch."""
    return _gap(event, other) <= AROUND.before_s + AROUND.after_s
