"""Whether things and clothes have the colours that a question names: black trousers are no black car."""

from __future__ import annotations

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause

# The most words from a colour to what has it in a text: "red racing car".
MOST_WORDS_TO_THING = 2


def of_other_colours(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """The things of a clause, each with its colour ("red jacket"), that have not that colour in any text."""
    language = clause.language
    texts = [language.words_of(text) for text in texts_of(candidate)] if clause.colours else []
    return tuple(
        f"{colour.word} {thing.word}"
        for colour, thing in clause.colours
        if not any(_states(words, colour, thing, candidate) for words in texts)
    )


def texts_of(candidate: Candidate) -> tuple[str, ...]:
    """What says what is in an event; the name of its video says nothing, nor that a camera saw it."""
    event, plain = candidate.event, candidate.language.grammar.without_viewer
    things = (*event.persons, *event.objects, *map(plain, event.spatial_descriptions))
    return (plain(event.summary_text), *event.dialogue_snippets, *things, event.scene_type)


def described_forms(candidate: Candidate) -> frozenset[str]:
    """The forms of the words of these texts."""
    return candidate.language.all_forms(" . ".join(texts_of(candidate)))


def _states(words: list[str], colour: ContentWord, thing: ContentWord, candidate: Candidate) -> bool:
    language = candidate.language
    names = thing.forms | language.kin(thing.word)
    return any(
        language.forms(word).intersection(colour.forms)
        and not language.all_forms(" ".join(words[place + 1 : place + 1 + MOST_WORDS_TO_THING])).isdisjoint(names)
        for place, word in enumerate(words)
    )
