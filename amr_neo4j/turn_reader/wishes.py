"""Finds where a sentence reports somebody else's words, and wishes about what memory keeps."""

from __future__ import annotations

import re

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, line_of
from amr_neo4j.turn_reader.normalise import edges
from amr_neo4j.turn_reader.subjects import opening_noun

# "At 10:30" has no head.
_HEAD = re.compile(r":(?=\s|$)")
# The speaker is named at most this many words before the verb: "I have always said".
_NEAR = 3


def head_of_quotation(kit: LanguageKit, sentence: str) -> str:
    """Return what comes before somebody else's words: "My client says" of "My client says: I live in Bonn."

    Empty if all words are the speaker's own: "My job: nurse", "As I said: I live in Rome".
    """
    colon = _HEAD.search(sentence)
    if colon is None:
        return ""
    head = line_of(sentence[: colon.start()], kit.table)
    words = set(head.folded.split())
    is_own = not words.isdisjoint(kit.words.first_person)
    if not is_own and not words.isdisjoint(kit.words.quoting_verbs):
        return sentence[: colon.start()]
    return "" if words.isdisjoint(kit.words.quoting_nouns) else sentence[: colon.start()]


def without_reported(kit: LanguageKit, line: Line) -> Line:
    """Cut what another says of the speaker: "[my client says that I live in Bonn]"."""
    of_speaker = kit.words.first_person | kit.words.possessives
    if kit.table.drops_subject:
        of_speaker |= kit.words.own_verbs - kit.words.others_verbs
    for match in kit.patterns.reported.finditer(line.folded):
        before, after = line.folded[: match.start()].split()[-_NEAR:], line.folded[match.end() :].split()
        said = next((word for word in after if word not in kit.words.between), "")
        if said in of_speaker and kit.words.first_person.isdisjoint(before):
            return line.part(0, match.start())
    return line


def is_unremembered(kit: LanguageKit, line: Line) -> bool:
    """Whether a sentence asks memory to keep nothing of the turn; "I don't remember that" is no such wish."""
    for match in kit.patterns.unremembered.finditer(line.folded):
        before = line.folded[: match.start()].split()[-1:]
        if (kit.words.speaker | kit.others.keys()).isdisjoint(before):
            return True
    return False


def to_forget(kit: LanguageKit, line: Line) -> Line | None:
    """Return what a sentence asks memory to forget, such as "I live in Leeds"; None if it asks for nothing."""
    line = _polite(kit, edges(line))
    for pattern in kit.each.forgets:
        if match := pattern.fullmatch(line.folded):
            named = edges(line.part(*match.span("object")))
            # "Vergiss nicht, dass ...": a reminder.
            return None if kit.patterns.negations.match(named.folded) else named
    return None


def topic_of(kit: LanguageKit, line: Line) -> Triple | None:
    """Return the triple without an object that a topic names: (you, lives_in, "") for "where I live"."""
    phrase = line.folded.strip()
    if relation := kit.topics.get(phrase):
        return Triple(SPEAKER, relation, "")
    owned = kit.patterns.possessives.match(line.folded)
    rest = line.part(owned.end(), len(line.folded)) if owned else None
    if rest is None or not rest.folded:
        return None
    noun = opening_noun(kit, rest)
    if noun and rest.folded.strip() == noun:
        return Triple(SPEAKER, kit.roles[noun], "")
    return None


def is_whole(pattern: re.Pattern[str], kit: LanguageKit, line: Line) -> bool:
    """Whether a pattern matches all of a sentence, but for marks and polite words."""
    bare = _polite(kit, edges(line)).folded
    return bool(bare) and pattern.fullmatch(bare) is not None


def _polite(kit: LanguageKit, line: Line) -> Line:
    """Return a sentence without "please" and the like at its beginning and its end."""
    while (match := kit.patterns.polite.match(line.folded)) and match.end():
        line = edges(line.part(match.end(), len(line.folded)))
    end = kit.patterns.polite_end.search(line.folded)
    return edges(line.part(0, end.start())) if end else line
