"""Caveats of an answer: names that were guessed, a verb that its event does not have."""

from __future__ import annotations

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
    verbs, event = parsed.main.action_words, claim.rests_on
    stated = parsed.main.effects & event.effects or any(not word.forms.isdisjoint(event.forms) for word in verbs)
    if stated or not verbs or parsed.answer_type not in _CLAIMS_THE_VERB:
        return ()
    return (parsed.language.grammar.verbs_not_found([word.word for word in verbs]),)
