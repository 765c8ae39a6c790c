"""Finds what English sentences mention and state, by patterns that prefer precision to recall."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from pydantic import BaseModel, ConfigDict

from amr_neo4j.language.en.identities import mentioned_names
from amr_neo4j.language.en.marked_names import MASKED_STOP, MASKED_WITHIN, mark_table, marked_names, masked, unmasked
from amr_neo4j.language.en.words import is_word
from amr_neo4j.language.nouns import NamedMention, StatedRelation
from amr_neo4j.tables import Table, shipped

# A capitalised word other than "I", without a possessive 's.
_WORD = r"(?!I\b)[A-Z][\w-]*(?:&\w+)*(?:['’](?!s\b)\w+)?"
_INNER = "(?:(?:of|of the|de|van|von|der|den|da|del|la|le|bin) )?"
# A whole run of capitalised words, never a part of it. It ends with a full stop.
_NEXT_NAME = rf"(?<!{MASKED_STOP}) {_INNER}{_WORD}"
_NAME = rf"(?<![\w-]){_WORD}(?:{_NEXT_NAME})*\b(?!-|['’](?!s\b)\w|{_NEXT_NAME})"
_SLOTS = {
    "name": _NAME,
    "who": rf"\b(?:[Hh]e|[Ss]he|I|{_NAME})",
    "owner": rf"(?:\b[Hh]is|\b[Hh]er|\b[Mm]y|{_NAME}(?=['’]s))(?:['’]s)?",
}
# The lookbehind for the mark comes first, because it is cheap and mostly fails: those for titles and initials then
# run only after a mark, not at every character.
_BEGINNINGS = frozenset((*mark_table().titles, *mark_table().ranks, *mark_table().places))
_ABBREVIATED = (*sorted(_BEGINNINGS), *mark_table().after_family_names, "[A-Z]")
_NO_END = "".join(rf"(?<!\b{each}\.)" for each in _ABBREVIATED)
# "Gamble Co. in London" goes on, and "Gamble Co. He" does not.
_GOES_ON = "|".join(rf"(?<=\b{each}\.)\s+[a-zà-ÿ]" for each in mark_table().companies)
_SENTENCE_END = re.compile(rf"(?<=[.!?]){_NO_END}(?!{_GOES_ON})\s+|\n+")
# The phrase must end after its head noun: a "teacher training" is no teacher.
_AFTER_KIND = r"(?=[.,;:!?)]|$| (?:and|but|who|that|which|in|at|from|for|with|of|by|on|to|because|now|here)\b)"


class Pattern(BaseModel):
    """A pattern for a relation between a source and a target, or for a mention, which has a target alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    pattern: str
    source: str = ""
    target: str = ""


class MentionTable(Table):
    """mentions.yaml. The comments in the file explain its keys."""

    pronouns: frozenset[str]
    first_person: frozenset[str]
    own_name: str
    unstated: frozenset[str]
    hedges: frozenset[str]
    confidence: float
    hedged: float
    times: frozenset[str]
    kinds: dict[str, tuple[str, ...]]
    patterns: tuple[Pattern, ...]
    kin: tuple[str, ...]
    mentions: tuple[Pattern, ...]
    no_person_after: frozenset[str]


mention_table = shipped("amr_neo4j.language.en", "mentions.yaml", MentionTable)
"""Returns mentions.yaml, which is read once."""


def is_pronoun(text: str) -> bool:
    """Return whether a text is a pronoun, which refers to something without naming it."""
    return text.strip().casefold() in mention_table().pronouns


def is_first_person(pronoun: str) -> bool:
    """Return whether a pronoun refers to the speaker."""
    return pronoun.strip().casefold() in mention_table().first_person


def own_name(text: str) -> str:
    """Return the text after "my name is"; empty if the speaker gives no name."""
    return text.partition(mention_table().own_name)[2]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def stated_relations(sentence: str, first_names: frozenset[str]) -> list[StatedRelation]:
    """Return the relations that a sentence states. Questions, conditions and denials state none."""
    # The tables spell words with a straight apostrophe ("don't").
    words = set(re.findall(r"[\w'’]+", sentence.replace("’", "'").casefold()))
    table = mention_table()
    if sentence.endswith("?") or words & table.unstated:
        return []
    confidence = table.hedged if words & table.hedges else table.confidence
    sentence = masked(sentence, first_names)
    found = (_read(p, match, confidence) for p, compiled in _patterns() for match in compiled.finditer(sentence))
    return [_as_written(one) for one in found if one]


def named_mentions(sentence: str, known: tuple[str, ...], first_names: frozenset[str]) -> list[NamedMention]:
    """Return what a sentence mentions besides its relations: places, by the words before them, persons, and names
    with marks.
    """
    with_marks = marked_names(sentence, first_names)
    sentence = masked(sentence, first_names)
    matches = [
        NamedMention(pattern.type, unmasked(match["target"]))
        for pattern, compiled in _mentions()
        for match in compiled.finditer(sentence)
    ]
    found = [mention for mention in matches if _is_whole(mention.text)]
    for other in with_marks:
        if not any(other.text in mention.text for mention in found):
            found.append(other)
    # A comma, so that no name goes on past the full stop of another.
    names = mentioned_names(re.sub(rf"(?<=[{MASKED_STOP}{MASKED_WITHIN}]) ", ", ", sentence), known)
    persons = (name for name in names if _is_person(name, sentence))
    named = {unmasked(name) for name in persons} - {mention.text for mention in found}
    return [*found, *(NamedMention("PERSON", name) for name in sorted(named, key=unmasked(sentence).find))]


def _as_written(stated: StatedRelation) -> StatedRelation:
    source, target = (replace(end, text=unmasked(end.text)) for end in (stated.source, stated.target))
    return replace(stated, source=source, target=target, content=unmasked(stated.content))


def _read(pattern: Pattern, match: re.Match[str], confidence: float) -> StatedRelation | None:
    source, target = _trimmed(match, "source"), _trimmed(match, "target")
    kind = _kind(target) if "KIND" in (pattern.source, pattern.target.removeprefix("OF_")) else ""
    source_type, target_type = pattern.source.replace("KIND", kind), pattern.target
    if target_type == "OF_KIND":
        target_type = "PROFESSION" if kind == "PERSON" else "CONCEPT"
    ends = (NamedMention(source_type, source), NamedMention(target_type, target))
    # "I work at Mother's", "Ben is friends with Anna's brother": it is not the owner's.
    is_owners = re.match(r"['’]s\b", match.string[match.end("target") :]) is not None
    if is_owners or not source or not target or not all(map(_credible, ends)):
        return None
    kin = match.groupdict().get("kin") or ""
    return StatedRelation(pattern.type.replace("{kin}", kin.upper()), *ends, match.group().strip(), confidence)


def _trimmed(match: re.Match[str], end: str) -> str:
    """Return the words of an end without a sentence starter such as "But"; empty if only a common word is left."""
    words = re.sub(r"['’]s$", "", match[end]).split(" ")
    starts = match.start(end) == 0
    if len(words) > 1 and starts and words[0].casefold() in mark_table().starters:
        words, starts = words[1:], False
    alone = words[0].casefold()
    common = len(words) == 1 and starts and not is_pronoun(alone) and is_word(alone)
    return "" if common else " ".join(words)


def _credible(end: NamedMention) -> bool:
    """Return whether the words fit the type that the pattern gives them."""
    if is_pronoun(end.text):
        return end.type == "PERSON"
    if end.type == "PERSON":  # "see", so that the name does not start the sentence, where a capital proves nothing
        seen = f"see {end.text}"
        return mentioned_names(seen) == [end.text] and _is_whole(end.text)
    return _is_whole(end.text)


def _is_whole(name: str) -> bool:
    """Return whether a name is not a time, and has no abbreviation that begins another name: "East St"."""
    return name.casefold() not in mention_table().times and _BEGINNINGS.isdisjoint(name.split())


def _is_person(name: str, sentence: str) -> bool:
    """Return whether a name is a person's.

    It is not if all its words are common ("Animal Farm", "Vitamin D"), if it has an abbreviation that begins another
    name, or if it follows a word of `no_person_after` without owning something.
    """
    before = re.search(rf"([\w'’]+) {re.escape(name)}(['’]s)?", sentence)
    owns = bool(before and before[2])
    unlike = bool(before and before[1].casefold() in mention_table().no_person_after and not owns)
    table, words = mention_table(), name.casefold().split()
    common = all(len(word) == 1 or word in table.times or is_word(word) for word in words)
    of_place = not set(re.split(rf"[ {MASKED_STOP}]", name)).isdisjoint(mark_table().places)
    return len(name) > 1 and not unlike and not common and _is_whole(name) and not of_place


def _kind(words: str) -> str:
    """Return the type of thing that a head noun stands for, such as PERSON for "teacher"."""
    return next(kind for kind, heads in mention_table().kinds.items() if words.casefold().endswith(heads))


# Cached without an argument: to hash a tuple of patterns takes longer than to find its result.
@cache
def _patterns() -> Sequence[tuple[Pattern, re.Pattern[str]]]:
    return _compiled(mention_table().patterns)


@cache
def _mentions() -> Sequence[tuple[Pattern, re.Pattern[str]]]:
    return _compiled(mention_table().mentions)


def _compiled(patterns: tuple[Pattern, ...]) -> Sequence[tuple[Pattern, re.Pattern[str]]]:
    table = mention_table()
    heads = "|".join(head for heads in table.kinds.values() for head in heads)
    slots = {**_SLOTS, "kind": rf"(?:[\w-]+ ){{0,3}}?(?:{heads})\b{_AFTER_KIND}"}
    texts = (each.pattern.replace("{kin}", "|".join(table.kin)) for each in patterns)
    filled = (re.sub(r"\{(\w+):(\w+)\}", lambda m: f"(?P<{m[1]}>{slots[m[2]]})", text) for text in texts)
    return list(zip(patterns, map(re.compile, filled), strict=True))
