"""Which events state the attribute that a question asks for: no answer rests on one that does not."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.language.base import Attribute, ContentWord
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
    """Whether a text states the attribute near a word for the thing; anywhere in an event of it where that will do."""
    language = candidate.language
    words = language.words_of(text)
    people = language.all_forms(" ".join(candidate.people.values()))
    named = [place for place, word in enumerate(words) if not language.forms(word).isdisjoint(thing)]
    for found in attribute.stated.finditer(text):
        if attribute.within is None:
            if not thing or not thing.isdisjoint(candidate.forms):
                return True
            continue
        stated = language.all_forms(found[0])
        if attribute.proper and (stated <= people or stated <= thing):
            continue  # somebody's name is not that of the thing beside it
        place = len(language.words_of(text[: found.start()]))
        if not thing or any(abs(place - near) <= attribute.within for near in named):
            return True
    return False
