"""Caveats of an answer: names that were guessed or respelt, a time that was left out."""

from __future__ import annotations

from amr_neo4j.recall.question.parsed import ParsedQuestion


def caveats(parsed: ParsedQuestion) -> tuple[str, ...]:
    """The caveats of an answer, as sentences."""
    grammar = parsed.language.grammar
    respelled = (grammar.respelled_name(word.word, word.taken_as) for word in parsed.respellings)
    guessed = (
        grammar.worn_as_reported(guess.word) if guess.reported else grammar.guessed_name(guess.word, guess.thing)
        for guess in parsed.guesses
    )
    left_out = [grammar.time_left_out(parsed.time_left_out)] if parsed.time_left_out else []
    return (*left_out, *respelled, *dict.fromkeys(guessed))
