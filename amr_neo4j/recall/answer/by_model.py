"""What a chat model adds to recall, where there is one. What it fails to give, the rules do without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amr_neo4j.domain.ports import ChatModel, Notify
from amr_neo4j.domain.recall import Answer
from amr_neo4j.domain.replies import Relevance
from amr_neo4j.errors import ModelFailed, ReplyCut
from amr_neo4j.language.en.grammar import respelled_name
from amr_neo4j.prompts.library import prompt
from amr_neo4j.recall.answer.citations import Checked, checked
from amr_neo4j.recall.answer.model_context import CHARACTERS_PER_TOKEN, told
from amr_neo4j.recall.answer.render import MOST_EVIDENCE, citation, nothing
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.groups import Group
from amr_neo4j.recall.models import Notes
from amr_neo4j.recall.question.parsed import ParsedQuestion


def judged(
    parsed: ParsedQuestion, groups: Sequence[Group], model: ChatModel, keep: int, tokens: int, notes: Notes
) -> Sequence[Group] | None:
    """The `keep` groups that the model finds most relevant, best first; None where it cannot be had.

    groups: best first; those that `tokens` have no room for are not asked about. A group without a score scores 0.
    """
    texts = _within(["\n".join(told(parsed, c) for c in group) for group in groups], tokens)
    numbered = "\n\n".join(f"Group {number}\n{text}" for number, text in enumerate(texts, start=1))
    try:
        asked = prompt("relevance", question=parsed.question.text, groups=numbered, count=len(texts))
        reply = model.ask(asked, Relevance)
    except ModelFailed as error:
        notes.did_without("judge", error)
        return None
    scores = {score.group: score.score for score in reply.scores}
    ranked = sorted(range(len(texts)), key=lambda n: (-scores.get(n + 1, 0.0), n))
    return [groups[n] for n in ranked[:keep] if scores.get(n + 1, 0.0) > 0]


def _within(texts: Sequence[str], tokens: int) -> list[str]:
    """The first texts, as many as there is room for, and at least one, cut where need be."""
    room, kept = tokens * CHARACTERS_PER_TOKEN, list[str]()
    for text in texts:
        if kept and len(text) > room:
            break
        kept.append(text[: max(room, 0)])
        room -= len(text)
    return kept


def answered(
    parsed: ParsedQuestion,
    evidence: Sequence[Candidate],
    ranked: Sequence[Candidate],
    model: ChatModel,
    notes: Notes,
    notify: Notify,
) -> Answer | None:
    """The model's answer as far as the evidence bears it out; None where the model cannot be had.

    evidence: in order of time, what the model is shown. ranked: best first, what the answer shows beside what it
    cites. say: is told each claim as it comes, once its citations are looked up.
    """
    notes.lines += [respelled_name(word.word, word.taken_as) for word in parsed.respellings]
    shown = {candidate.node_id: candidate for candidate in evidence}
    lines = "\n".join(told(parsed, candidate) for candidate in evidence)
    claims = list[Checked]()
    try:
        pieces = _whole(model.stream(prompt("answer", question=parsed.question.text, context=lines)), notes)
        for claim in checked(pieces, {node_id: candidate.event for node_id, candidate in shown.items()}):
            notes.lines += [f"removed a citation that the context does not hold: {text}" for text in claim.removed]
            if claim.events:
                claims.append(claim)
                notify(claim.text)
            elif not _says_not_found(claim.text):
                notes.lines.append(f"removed a claim that rests on nothing: {claim.text}")
    except ModelFailed as error:
        if not claims:
            notes.did_without("answer", error)
            return None
        notes.lines.append(f"the answer broke off: {error.message}")
    if not claims:
        return nothing(parsed)
    cited = {event.node_id: shown[event.node_id] for claim in claims for event in claim.events}
    others = [candidate for candidate in ranked if candidate.node_id not in cited]
    return Answer(
        question=parsed.question,
        text=" ".join(claim.text for claim in claims),
        found=True,
        evidence=tuple(candidate.hit() for candidate in [*cited.values(), *others][:MOST_EVIDENCE]),
        citations=tuple(citation(candidate.event) for candidate in cited.values()),
    )


def _whole(pieces: Iterator[str], notes: Notes) -> Iterator[str]:
    """The pieces; that the reply was cut short is a note, what came of it counts."""
    try:
        yield from pieces
    except ReplyCut as error:
        notes.lines.append(f"the answer was cut short: {error.message}")


def _says_not_found(text: str) -> bool:
    return text.casefold().strip(" .!\"'“”*") == "not found in memory"
