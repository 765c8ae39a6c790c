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
# Hits further down are shown without what is around them: many of them hold the answer, and a line each costs little.
# Decision 0201 compares the numbers.
_MOST_HITS = 20
_HITS_WITH_SURROUNDINGS = 5
_GAP = "..."
_QUOTATION_MARKS = '"“„«'
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

    The best hits that are apart from one another come first, then what is nearest to the first of them, then further
    candidates. So their stretches grow evenly, and the budget ends with what is furthest from any of them.

    found: best first.
    """
    hits = different_scenes(found)[0][:_MOST_HITS]
    best = hits[:_HITS_WITH_SURROUNDINGS]
    candidates = {candidate.node_id: candidate for candidate in found}
    for event in around([hit.event for hit in best]) if best else ():
        if event.node_id not in candidates:
            candidates[event.node_id] = Candidate.found_alone(event, parsed.language)
    of_hits = {hit.node_id for hit in hits}
    others = [candidate for node_id, candidate in candidates.items() if node_id not in of_hits]
    writer = _Writer(parsed, located)
    for candidate in (*hits, *_nearest_first(best, others)):
        line = writer.line(candidate)
        if not line:
            continue
        if not writer.lines:  # the best hit is shown in any case, as far as it fits
            line = _fitted(line, tokens - _cost(writer.heading(candidate.event)) - 1)
        writer.keep(candidate, line)
        if writer.spent() > tokens and len(writer.lines) > 1:
            writer.drop_last()
            break
    written = {node_id: candidates[node_id] for node_id in writer.lines}
    return Shown(MemoryContext(tuple(writer.in_order()), writer.spent()), written)


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
    """Return the candidates, those nearest to a hit first and the far ones by score."""
    farthest = max(AROUND.before_s, AROUND.after_s)

    def place(candidate: Candidate) -> tuple[float, float, int, int]:
        away, rank = min(
            ((_gap(candidate.event, hit.event), rank) for rank, hit in enumerate(hits)), default=(farthest, 0)
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
        if is_talk:
            text = " | ".join(new)
        else:
            spoken = [line for line in new if not _is_quoted(line, event.summary_text)]
            text = self._parsed.language.grammar.evidence_line(event, spoken, places)
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
        """Return the tokens of all lines. A line between two stretches can also add what separates them."""
        return sum(_cost(line.text) for line in self.in_order())

    def in_order(self) -> Iterable[ContextLine]:
        """Yield the lines in order of time. A stretch begins with its heading; with "..." if that is unchanged."""
        before: Event | None = None
        last_heading = ""
        for candidate in chronological(self._kept):
            event = candidate.event
            if before is None or not _joins(event, before):
                heading = self.heading(event)
                yield ContextLine(_GAP if heading == last_heading else heading)
                last_heading = heading
            yield ContextLine(self.lines[candidate.node_id], citation(event))
            before = event


def _is_quoted(dialogue: str, summary: str) -> bool:
    """Return whether a summary quotes a line of dialogue and names its speaker."""
    speaker, _, words = dialogue.partition(": ")
    return bool(words) and speaker in summary and any(f"{mark}{words}" in summary for mark in _QUOTATION_MARKS)


def _joins(event: Event, other: Event) -> bool:
    """Return whether two events can stand in one stretch."""
    return _gap(event, other) <= AROUND.before_s + AROUND.after_s
