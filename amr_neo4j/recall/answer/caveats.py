"""Caveats of an answer: names that were guessed, a verb that its event does not have."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.language.base import ContentWord
from amr_neo4j.recall.answer.claim import Claim
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion

# Types whose answer claims that what was asked was done.
_CLAIMS_THE_VERB = (AnswerType.EVENT, AnswerType.PERSON, AnswerType.MOMENT)


def caveats(parsed: ParsedQuestion, first: Claim) -> tuple[str, ...]:
    """The caveats of an answer, as sentences. first: the claim that answers the question."""
    grammar = parsed.language.grammar
    respelled = (grammar.respelled_name(word.word, word.taken_as) for word in parsed.respellings)
    guessed = (grammar.guessed_name(guess.word, guess.thing) for guess in parsed.guesses)
    return (*respelled, *guessed, *_verbs_not_found(parsed, first))


def _verbs_not_found(parsed: ParsedQuestion, claim: Claim) -> tuple[str, ...]:
    """The verbs of the question, where the event neither has one of them nor leaves the same state."""
    verbs, event = parsed.main.told_verbs, claim.rests_on
    same_effect = parsed.main.effects & event.effects and not _ends_on(parsed, verbs)
    stated = same_effect or any(not word.forms.isdisjoint(event.forms) for word in verbs)
    if stated or not verbs or parsed.answer_type not in _CLAIMS_THE_VERB:
        return ()
    return (parsed.language.grammar.verbs_not_found([word.word for word in verbs]),)


def _ends_on(parsed: ParsedQuestion, verbs: Sequence[ContentWord]) -> bool:
    """Whether a verb of coming or going is the last word ("when did the van leave"): it is done to nothing then."""
    last = parsed.language.words_of(parsed.main.text)[-1:]
    return any(word.moves and [word.word] == last for word in verbs)
