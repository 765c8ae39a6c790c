"""Which events state the attribute that a question asks for: no answer rests on one that does not."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.language.base import Attribute
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.stated import texts_of
from amr_neo4j.recall.question.parsed import ParsedQuestion

# Of so many, the best, one must state it.
READ = 5


def stating(parsed: ParsedQuestion, attribute: Attribute, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of the first candidates those whose text states the attribute of a thing that the question names.

    candidates: best first. A word that asks for the attribute itself names no thing.
    """
    return [c for c in candidates[:READ] if stating_text(parsed, attribute, c) is not None]


def stating_text(parsed: ParsedQuestion, attribute: Attribute, candidate: Candidate) -> str | None:
    """The summary or the line that states the attribute near a word for the thing; None where none does."""
    words_of = parsed.language.words_of
    asking = {word for found in attribute.asked.finditer(parsed.question.text) for word in words_of(found[0])}
    of = [word.forms for word in parsed.whole.specific_words if word.word not in asking]
    thing = frozenset[str]().union(*of)
    return next((text for text in texts_of(candidate) if _states(text, candidate, attribute, thing)), None)


def _states(text: str, candidate: Candidate, attribute: Attribute, thing: frozenset[str]) -> bool:
    """Whether a text states the attribute near a word for the thing, or anywhere where it names no thing."""
    language = candidate.language
    words = language.words_of(text)
    named = [place for place, word in enumerate(words) if not thing or not language.forms(word).isdisjoint(thing)]
    for found in attribute.stated.finditer(text):
        place = len(language.words_of(text[: found.start()]))
        if any(attribute.within is None or abs(place - near) <= attribute.within for near in named):
            return True
    return False
