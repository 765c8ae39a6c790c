"""Words are cited where they were said: the cue, which is shorter than the event that carries it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from amr_neo4j.domain.event import Cue, Event
from amr_neo4j.recall.answer.claim import Claim
from amr_neo4j.recall.evidence.dialogue import speaker_and_words

# node_ids -> what was said in the clips of these events.
Heard = Callable[[Sequence[int]], Mapping[int, Sequence[Cue]]]


def nothing_heard(node_ids: Sequence[int]) -> Mapping[int, Sequence[Cue]]:
    """Where no cues are known, words are cited by their event."""
    return {}


def at_cues(claims: Sequence[Claim], heard: Heard) -> list[Claim]:
    """The claims; those that quote a line rest on its cue's seconds of the event, and say so."""
    quoting = [claim.rests_on.node_id for claim in claims if claim.line]
    cues: Mapping[int, Sequence[Cue]] = heard(quoting) if quoting else {}
    return [_at_cue(claim, cues.get(claim.rests_on.node_id, ())) if claim.line else claim for claim in claims]


def _at_cue(claim: Claim, cues: Sequence[Cue]) -> Claim:
    event, when = claim.rests_on.event, claim.rests_on.language.grammar.when
    cue = next((cue for cue in cues if _is_said(cue, claim.line, event)), None)
    if cue is None:
        return claim
    then = event.at and event.at + timedelta(seconds=cue.time_start - event.time_start)
    said = replace(event, time_start=cue.time_start, time_end=cue.time_end, at=then)
    text = claim.text.replace(when(event), when(said), 1)
    return replace(claim, text=text, rests_on=replace(claim.rests_on, event=said))


def _is_said(cue: Cue, line: str, event: Event) -> bool:
    meets = cue.time_start <= event.time_end and cue.time_end >= event.time_start
    return meets and cue.words.strip() in (line, speaker_and_words(line)[1])
