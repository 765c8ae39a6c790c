"""Which events state the attribute that a question asks for: no answer rests on one that does not."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.language.questions import Attribute
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
    thing = frozenset[str]().union(*(word.forms for word in _things(parsed, attribute)))
    return next((text for text in texts_of(candidate) if _states(text, candidate, attribute, thing)), None)


def _things(parsed: ParsedQuestion, attribute: Attribute) -> Sequence[ContentWord]:
    """The words for what the attribute is asked of: where it must stand near them the thing alone, not its owner."""
    words_of, text = parsed.language.words_of, parsed.question.text
    of = [word for word in parsed.whole.specific_words if word.word not in parsed.attribute_words]
    if attribute.within is None:
        return of
    right_behind = [word for asked in attribute.asked.finditer(text) for word in words_of(text[asked.end() :])[:1]]
    owners = {word for owner in parsed.language.owners(text) for word in words_of(owner)}
    things = [w for w in of if w.names and w.word not in owners and w.word not in parsed.whole.name_parts]
    return [w for w in of if w.word in right_behind] or things[:1] or of


def _states(text: str, candidate: Candidate, attribute: Attribute, thing: frozenset[str]) -> bool:
    """Whether a text states the attribute near a word for the thing; anywhere in its event where that will do."""
    if attribute.within is None:
        there = not thing or not thing.isdisjoint(candidate.forms)
        return there and bool(attribute.stated.search(text))
    language = candidate.language
    named = [
        place for place, word in enumerate(language.words_of(text)) if not language.forms(word).isdisjoint(thing)
    ]
    # Somebody's name is not that of the thing beside it.
    apart = (thing, language.all_forms(" ".join(candidate.people.values()))) if attribute.proper else ()
    for found in attribute.stated.finditer(text):
        place = len(language.words_of(text[: found.start()]))
        near = not thing or any(abs(place - of) <= attribute.within for of in named)
        if near and not any(language.all_forms(found[0]) <= names for names in apart):
            return True
    return False
