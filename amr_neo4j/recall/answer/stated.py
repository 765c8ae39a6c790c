"""Answers from what turns state: "What did George Orwell write?" from a relation WROTE of George Orwell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.domain.mention import Stated
from amr_neo4j.recall.answer.claim import Claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion

# Questions for the other side of a relation; none for a number, a time or an order.
_ANSWERED = (AnswerType.EVENT, AnswerType.PERSON, AnswerType.PLACE)
_LONGEST_NAME = 6
_MOST_CLAIMS = 5


def names_in(text: str) -> list[str]:
    """Every run of words of a question that may be a mention, as written; the longest first."""
    words = [word.strip(".,;:!?\"'()“”„«»").removesuffix("'s").removesuffix("’s") for word in text.split()]
    runs = [
        " ".join(words[start : start + length])
        for length in range(min(_LONGEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    return [run for run in dict.fromkeys(runs) if run]


def stated_claims(
    parsed: ParsedQuestion, stated: Sequence[Stated], turns: Callable[[Sequence[int]], list[Candidate]]
) -> tuple[Claim, ...]:
    """A claim for each thing that a relation of the question's verb ties to what it names, the latest first.

    turns: the candidates of these node_ids. Empty where the question names both sides, or no such relation is stated.
    """
    if parsed.answer_type not in _ANSWERED or parsed.reference or parsed.order:
        return ()
    asked = parsed.language.all_forms(parsed.question.text)
    fitting = [each for each in stated if _is_asked(each, parsed, asked)]
    one_each = list({(each.type, each.source, each.target): each for each in fitting}.values())[::-1][:_MOST_CLAIMS]
    of = {turn.node_id: turn for turn in turns([each.node_id for each in one_each])} if one_each else {}
    sentence = parsed.language.grammar.stated_at
    return tuple(
        Claim(sentence(each.source, each.type, each.target, of[each.node_id].event), of[each.node_id])
        for each in one_each
        if each.node_id in of
    )


def _is_asked(each: Stated, parsed: ParsedQuestion, asked: frozenset[str]) -> bool:
    """Whether the question has the words of the relation, and of its sides exactly one."""
    language = parsed.language
    telling = language.content_words(each.type.replace("_", " "))
    sides = [
        set(language.words_of(side)) <= set(language.words_of(parsed.question.text))
        for side in (each.source, each.target)
    ]
    return bool(telling) and all(not word.forms.isdisjoint(asked) for word in telling) and sides.count(True) == 1
