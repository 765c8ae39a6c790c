"""Decides whether memory has what a question is about, and where a list of results ceases to bear on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.evidence.changes import state_changes, told_state
from amr_neo4j.recall.evidence.premise import asked_words
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parsed import WHOLE, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.recall.weights import SCORING


class Answerability(Enum):
    """Whether the candidates can answer a question.

    UNSTATED: they have its words, and none states the fact that it asks for.
    """

    UNRELATED = "unrelated"
    UNSTATED = "unstated"
    DOUBTFUL = "doubtful"
    RELEVANT = "relevant"


@dataclass(frozen=True)
class Coverage:
    """How much of a question memory has.

    missing_names: words for persons and things that no candidate has.
    """

    relevance: Answerability
    missing_names: tuple[str, ...] = ()


def coverage(parsed: ParsedQuestion, candidates: Sequence[Candidate], unrelated: float) -> Coverage:
    """Return how much of the question the candidates have.

    If the question has no specific words ("What happened?"), any event matches, and any turn of a time that it names.

    unrelated: the cosine that the embedder gives to unrelated texts (domain/ports.py).
    """
    if not candidates:
        return Coverage(Answerability.UNRELATED)
    # "What is he wearing?": the event need not have the word "wearing".
    specific = [word for word in parsed.whole.specific_words if word.word not in parsed.type_words]
    if not specific:
        names_none = not (parsed.span or parsed.order or parsed.question.persons)
        is_any = names_none and parsed.answer_type is not AnswerType.SPEECH and all(c.event.turn for c in candidates)
        return Coverage(Answerability.DOUBTFUL if is_any else Answerability.RELEVANT)
    asked = asked_words(parsed)
    if parsed.answer_type is AnswerType.STATE and (
        state_changes(parsed, candidates) or told_state(parsed, candidates)
    ):
        # Who filled the bottle tells whether it is full, whatever the word.
        asked |= {word.word for word in specific if parsed.language.kinds_of_state(word.word)}
    missing = [word for word in _missing(specific, candidates) if word.word not in asked]
    # In a question of another language all words are missing, which proves nothing: only vectors can tell then.
    telling = missing if _in_language(parsed, candidates) else []
    names = tuple(word.word for word in _names(telling, candidates))
    related = _relatedness(specific, missing, telling, candidates, unknown=unrelated - SCORING.doubt)
    # Two ways to be unrelated: far in meaning, or without any thing that the question names.
    fits = related >= unrelated - SCORING.doubt and not _lacks_subject(parsed, telling, candidates)
    if not fits and not _is_near_caption(candidates, unrelated):
        return Coverage(Answerability.UNRELATED, names)
    return Coverage(
        Answerability.DOUBTFUL if names or not fits or related < unrelated else Answerability.RELEVANT, names
    )


def matches_any(parsed: ParsedQuestion, candidates: Sequence[Candidate], unrelated: float) -> bool:
    """Return whether any candidate matches the question by a specific word or by vector.

    `search` uses this instead of `coverage`: a list of hits claims less than an answer does.
    """
    specific = parsed.whole.specific_words
    if not specific:
        return bool(candidates)
    for candidate in candidates:
        if max(candidate.cosines.values(), default=0.0) >= unrelated:
            return True
        if any(word.forms & candidate.forms for word in specific):
            return True
    return False


def bearing(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the results of a search that bear on the question, in their order; of any results, at least the best."""
    best = [each.score for each in best_first(found)[: SCORING.best_results]]
    least = fmean((SCORING.of_best * best[0], fmean(best))) if best else 0.0
    return [each for each in found if each.score >= least]


def _relatedness(
    specific: Sequence[ContentWord],
    missing: Sequence[ContentWord],
    telling: Sequence[ContentWord],
    candidates: Sequence[Candidate],
    *,
    unknown: float,
) -> float:
    """Return how related the candidates are to the question, on the scale of a cosine.

    The best candidate by meaning and words counts, minus a penalty for words that no candidate has.
    missing: those words.
    telling: the missing words that prove anything; empty if the question is in another language than memory.
    unknown: stands for a cosine that is not known yet, so that only the words decide.
    """
    best = max(c.cosines.get(WHOLE, unknown) + SCORING.words_held * _share_matched(specific, c) for c in candidates)
    names = [word for word in specific if word.names]
    missing_names = [word for word in telling if word.names]
    return (
        best
        - SCORING.words_missing * len(missing) / len(specific)
        - SCORING.names_missing * len(missing_names) / max(1, len(names))
    )


def _is_near_caption(candidates: Sequence[Candidate], unrelated: float) -> bool:
    """Return whether the event nearest in meaning is a caption, which may use another word for the same thing."""
    nearest = max(candidates, key=lambda c: c.cosines.get(WHOLE, 0.0))
    is_caption = nearest.event.turn is None and not nearest.event.lists_actions
    return is_caption and nearest.cosines.get(WHOLE, 0.0) >= unrelated


def _lacks_subject(parsed: ParsedQuestion, missing: Sequence[ContentWord], candidates: Sequence[Candidate]) -> bool:
    """Return whether no candidate has any thing or person that the question names ("Who ate the cake?")."""
    names = _names(parsed.main.search_terms if parsed.is_about_now else parsed.whole.specific_words, candidates)
    return bool(names) and {word.word for word in names} <= {word.word for word in missing}


def _share_matched(words: Sequence[ContentWord], candidate: Candidate) -> float:
    forms = candidate.forms
    return sum(not word.forms.isdisjoint(forms) for word in words) / len(words)


def _missing(words: Sequence[ContentWord], candidates: Sequence[Candidate]) -> list[ContentWord]:
    known = frozenset[str]().union(*(candidate.forms for candidate in candidates))
    kin = candidates[0].language.kin
    return [word for word in words if known.isdisjoint(word.forms) and known.isdisjoint(kin(word.word))]


def _names(words: Sequence[ContentWord], candidates: Sequence[Candidate]) -> list[ContentWord]:
    """Return the words for persons and things.

    Not "lady" or "kid" if there are films: these may call whom they show otherwise. In talk, "Does Clara have
    children?" asks for them as for any thing.
    """
    are_turns = all(each.event.turn for each in candidates)
    return [word for word in words if word.names and (are_turns or not word.describes_person)]


def _in_language(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> bool:
    """Return whether the question and memory are in the same language, so that a missing word proves something."""
    is_spoken = parsed.language.has_function_words
    return is_spoken(parsed.question.text) and any(is_spoken(each.event.summary_text) for each in candidates)
