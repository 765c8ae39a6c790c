"""Answers a question for an attribute of a thing: its colour, its price, its name."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.language.nouns import ContentWord, forms_of
from amr_neo4j.language.questions import Attribute
from amr_neo4j.recall.answer.checks import doubt, texts_of
from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown, caveats, event_claim, line_claim
from amr_neo4j.recall.answer.operators.counts import shows_counted, things_counted
from amr_neo4j.recall.evidence.premise import contradicted, unmet
from amr_neo4j.recall.evidence.watched import is_watched
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# One of this many best events must state the attribute.
READ = 5


def attribute_claims(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Claims | Unknown | None:
    """Return the claim of the best event that states the attribute that the question asks for.

    candidates: best first, at least one.
    Returns Unknown if no event states it. Returns None if the question asks for no attribute, or if an operator can
    answer it.
    """
    attribute = parsed.attribute
    # The local analyser reports how many people are in view and what they wear, so the operators of film.py answer
    # these.
    of_film = parsed.answer_type in (AnswerType.HEADCOUNT, AnswerType.CLOTHING)
    is_said = candidates[0].event.turn or any(_says_how_many(parsed, candidate) for candidate in candidates[:READ])
    counts = Trait.COUNTED in parsed.traits and shows_counted(parsed, candidates)
    # "How many films show Ben?" is counted from the films.
    is_count = (counts and not is_said) or parsed.asks_for_videos
    if not attribute or is_count or (of_film and is_watched(candidates)):
        return None
    stating = (c for c in candidates[:READ] if stating_text(parsed, attribute, c) is not None)
    found = [c for c in stating if not contradicted(parsed.main, c)]
    done = None if of_film or is_said else things_counted(parsed, candidates)
    # The number that a single event states is quoted from it.
    return done if done and (done.claims[1:] or not found) else _stated_claims(parsed, attribute, candidates, found)


def _stated_claims(
    parsed: ParsedQuestion, attribute: Attribute, candidates: Sequence[Candidate], found: Sequence[Candidate]
) -> Claims | Unknown | None:
    """Return the claim of the first event of `found`, which state the attribute; as `attribute_claims` does."""
    # A text may imply an optional attribute ("why" needs no "because"), so only a best event that states it decides.
    if attribute.optional and found[:1] == [candidates[0]] and parsed.answer_type is AnswerType.EVENT:
        return Claims((_stating_claim(parsed, attribute, candidates[0]),), caveats(parsed))
    if attribute.optional and not found:
        nearest = event_claim(candidates[0], parsed.main)
        lacking = unmet(parsed, parsed.main, candidates[0])
        # An event that lists persons, things and actions would list the thing too.
        is_absent = candidates[0].event.lists_actions and (lacking.things or attribute.needed)
        reason = Reason.NOT_STATED if is_absent else doubt(parsed, candidates[0])
        return Unknown(reason, (nearest,), unmet_words=lacking.words, attribute=attribute.name)
    if attribute.optional and not attribute.needed:
        return None
    if not found:
        best = candidates[0]
        # Another caption or line may state it: what is around the best one is quoted.
        is_caption = not (best.event.turn or best.event.lists_actions or best.is_report)
        nearest = (event_claim(best, parsed.main),) if is_caption else ()
        return Unknown(Reason.NOT_STATED if nearest else Reason.NOT_FOUND, nearest, attribute=attribute.name)
    stated = (_stating_claim(parsed, attribute, found[0]),)
    lacking = unmet(parsed, parsed.main, found[0]).words if attribute.needed else ()
    return Unknown(Reason.IN_DOUBT, stated, unmet_words=lacking) if lacking else Claims(stated, caveats(parsed))


def _says_how_many(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether somebody in an event says the number that is asked for: "Nine cars"."""
    text = parsed.attribute and stating_text(parsed, parsed.attribute, candidate)
    return bool(text) and text in candidate.event.dialogue_snippets


def _stating_claim(parsed: ParsedQuestion, attribute: Attribute, candidate: Candidate) -> Claim:
    """Claim the event and quote the line that states the attribute, even if another line has more words of the
    question.
    """
    text = stating_text(parsed, attribute, candidate)
    if text and text in candidate.event.dialogue_snippets:
        return line_claim(candidate, text)
    return event_claim(candidate, parsed.main)


def stating_text(parsed: ParsedQuestion, attribute: Attribute, candidate: Candidate) -> str | None:
    """Return the summary or line that states the attribute near a word for the thing; None if none does."""
    thing = forms_of(_things(parsed, attribute))
    rest = parsed.language.words_of(attribute.asked.sub(" ", parsed.question.text))
    said = thing | parsed.attribute_words.intersection(rest)
    return next((text for text in texts_of(candidate) if _states(text, candidate, attribute, thing, said)), None)


def _things(parsed: ParsedQuestion, attribute: Attribute) -> Sequence[ContentWord]:
    """Return the words for the thing whose attribute is asked for.

    If the attribute must be near these words in a text, they are for the thing alone, and not for its owner.
    """
    words_of, text = parsed.language.words_of, parsed.question.text
    of = [word for word in parsed.whole.specific_words if word.word not in parsed.attribute_words]
    if attribute.within is None:
        return of
    # "What colour car": the word right after the match is the thing.
    right_behind = [word for asked in attribute.asked.finditer(text) for word in words_of(text[asked.end() :])[:1]]
    # In "what colour is Anna's car", Anna is the owner. Her name near a colour says nothing about the car.
    owners = {owner for owner, _ in parsed.language.owned(text)}
    things = [w for w in of if w.names and w.word not in owners and w.word not in parsed.whole.name_parts]
    return [w for w in of if w.word in right_behind] or things[:1] or of


def _states(
    text: str, candidate: Candidate, attribute: Attribute, thing: frozenset[str], said: frozenset[str]
) -> bool:
    """Return whether a text states the attribute near a word for the thing. said: words that only ask for it.

    If the attribute needs no nearness (`within` is None), the thing may be anywhere in the event.
    """
    language = candidate.language
    if attribute.within is None:
        there = not thing or not thing.isdisjoint(candidate.forms)
        # "How cold is the cold room": its name does not say it.
        return there and any(
            said.isdisjoint(language.all_forms(found[0])) for found in attribute.stated.finditer(text)
        )
    named = [
        place for place, word in enumerate(language.words_of(text)) if not language.forms(word).isdisjoint(thing)
    ]
    # A person's name is not the name of the thing next to it.
    apart = (thing, language.all_forms(" ".join(candidate.people.values()))) if attribute.proper else ()
    for found in attribute.stated.finditer(text):
        place = len(language.words_of(text[: found.start()]))
        near = not thing or any(abs(place - of) <= attribute.within for of in named)
        if near and not any(language.all_forms(found[0]) <= names for names in apart):
            return True
    return False
