"""Answers from what is believed of the user: "Where do I live?" by the fact that holds, with its turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.domain.recalled import Recalled
from amr_neo4j.recall.answer.claim import Claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import ParsedQuestion

_MOST_CLAIMS = 5


def believed_claims(
    parsed: ParsedQuestion, facts: Sequence[Recalled], turns: Callable[[Sequence[int]], list[Candidate]]
) -> tuple[Claim, ...]:
    """A claim for each fact, in their order. turns: the candidates of these node_ids.
    Empty where the question counts from another event.
    """
    if parsed.order or parsed.reference:
        return ()
    resting = [(fact, fact.source.node_id) for fact in facts if fact.source][:_MOST_CLAIMS]
    of = {turn.node_id: turn for turn in turns([node_id for _, node_id in resting])} if resting else {}
    sentence = parsed.language.grammar.believed_at
    return tuple(Claim(sentence(fact.text, of[i].event), of[i]) for fact, i in resting if i in of)
