"""Finds what a turn names: names, nouns and the speaker."""

from __future__ import annotations

from amr_neo4j.domain.fact import SPEAKER
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import fold, line_of
from amr_neo4j.turn_reader.prose import prose

# Entities of a turn.
_MOST = 32


def entities(kit: LanguageKit, text: str) -> list[str]:
    """Return what a text names, lower case, in the order of the text, each once.

    These are runs of capitalised words, other words that are neither function words nor verbs, and "you" for the
    speaker. Where a language may leave out the subject, the verb's form shows the speaker. "Can you tell me" does not
    name the speaker.
    """
    words = line_of(prose(text), kit.table).without(kit.patterns.requests).written.split()
    found: dict[str, None] = {}
    run: list[str] = []
    drops = kit.table.drops_subject
    owners = {fold(word) for word in kit.table.possessives}
    for word in [*words, "."]:  # the full stop ends a run at the end of the text
        folded = fold(word)
        is_common = folded in kit.words.stopwords or not word[0].isalpha() or folded in kit.words.finite
        if run and (is_common or not word[0].isupper()):
            found.setdefault(" ".join(run).lower())
            run = []
        if folded in kit.words.speaker or folded in owners or (drops and folded in kit.words.own_verbs):
            found.setdefault(SPEAKER)
        elif not is_common and word[0].isupper():
            run.append(word)
        elif not is_common:
            found.setdefault(word.lower())
    return list(found)[:_MOST]
