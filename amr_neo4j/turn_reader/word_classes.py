"""Gives each word of a clause a letter for its class, from word lists, to find where parts of a clause begin.

WordTag lists the letters.
"""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.turn_reader.language_kit import LanguageKit, WordTag
from amr_neo4j.turn_reader.lines import Line

_NOUN_FOLLOWS = frozenset({WordTag.POSSESSIVE, WordTag.ARTICLE, WordTag.PREPOSITION, WordTag.NUMBER})
"""After a word of these classes, a word that may be a verb is a noun: "the drive"."""
_SUBJECTS = frozenset(
    {WordTag.PRONOUN, WordTag.NAME, WordTag.ROLE, WordTag.ADVERB, WordTag.CONJUNCTION, WordTag.RELATIVE}
)
_SHORT = 4


def word_classes(kit: LanguageKit, tokens: Sequence[Line]) -> str:
    """Return one letter for each word: "PKRVOM" for "my sister who lives in Rome"."""
    tags = ""
    is_informal = all(token.written == token.folded for token in tokens)
    for number, token in enumerate(tokens):
        letter = _class(kit, token, tags, is_first=number == 0, is_informal=is_informal)
        if letter == WordTag.VERB and _is_genitive(kit, tokens, number):
            letter = WordTag.POSSESSIVE
        tags += letter
    return tags


def _is_genitive(kit: LanguageKit, tokens: Sequence[Line], number: int) -> bool:
    """Whether a word that may be a verb ("'s") is a genitive, since a relative follows: "Tom 's sister"."""
    is_written_so = kit.words.genitive.issuperset((tokens[number].folded.strip(),))
    near = [token.folded.strip() for token in tokens[number + 1 : number + 3]]
    return (
        is_written_so and bool(near) and near[0] not in kit.words.articles and not kit.roles.keys().isdisjoint(near)
    )


def _class(  # noqa: PLR0911 (one return for each class)
    kit: LanguageKit, token: Line, before: str, *, is_first: bool, is_informal: bool
) -> WordTag:
    word, written = token.folded.strip(), token.written.strip()
    if not any(letter.isalnum() for letter in word):
        return WordTag.CONJUNCTION if word == "&" else WordTag.COMMA
    if (
        before[-1:] in _SUBJECTS
        and written.lower() not in kit.words.closed_written
        and written.lower() in kit.words.verbs
    ):
        return WordTag.VERB  # compared with accents: the French verb "a" is not the preposition "à"
    for letter, words in kit.closed_classes.items():
        if word in words:
            return letter
    is_capital = written[0].isupper() and not (is_first and not is_informal and word in kit.words.verbs)
    if word in kit.words.between:
        return WordTag.ADVERB
    if not is_capital and before[-1:] not in _NOUN_FOLLOWS and _may_be_verb(kit, written.lower(), before):
        return WordTag.VERB
    if word in kit.numerals or word.isdecimal():
        return WordTag.NUMBER
    if word in kit.roles:
        return WordTag.ROLE
    if (is_capital and not (is_first and word in kit.words.never_name)) or word in kit.words.first_names:
        return WordTag.NAME
    return WordTag.OTHER


def _may_be_verb(kit: LanguageKit, word: str, before: str) -> bool:
    is_past = bool(kit.table.past_endings) and word.endswith(kit.table.past_endings) and len(word) > _SHORT
    return word in kit.words.verbs or (is_past and before[-1:] in _SUBJECTS)
