"""Content words of a text: the words that say what it is about, in every base form they may have."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from pydantic import BaseModel, ConfigDict

from amr_neo4j.language.en.identities import mentioned_names
from amr_neo4j.language.en.spatial import ends_with_side
from amr_neo4j.language.en.words import noun_lemmas, verb_lemmas
from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.tables import Table, load

_WORD = re.compile(r"\w+(?:'\w+)?")


class PhrasalRow(BaseModel):
    """A row of `phrasal`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: tuple[str, ...]
    phrases: tuple[str, ...]


class ContentTable(Table):
    """content.yaml, whose head says what its keys mean."""

    function: frozenset[str]
    vague: frozenset[str]
    sexes_and_ages: frozenset[str]
    colours: frozenset[str]
    coming_and_going: frozenset[str]
    things_too: frozenset[str]
    within: frozenset[str]
    determiners: frozenset[str]
    particles: frozenset[str]
    auxiliaries: frozenset[str]
    adverbs: frozenset[str]
    bare: frozenset[str]
    being: frozenset[str]
    participles: frozenset[str]
    nouns_too: frozenset[str]
    same: dict[str, str]
    phrasal: tuple[PhrasalRow, ...]
    open: frozenset[str]
    sides: frozenset[str]


@cache
def _table() -> ContentTable:
    return load("amr_neo4j.language.en", "content.yaml", ContentTable)


def words_of(text: str) -> list[str]:
    """The words of a text in order, casefolded, without a possessive 's."""
    plain = text.casefold().replace("_", " ")
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain).replace("’", "'")
    words = _WORD.findall(plain)
    return [word.removesuffix("'s") for word in words] if "'s" in plain else words


@lru_cache(maxsize=65536)
def forms(word: str) -> frozenset[str]:
    """The word and every noun and verb it may be a form of."""
    return frozenset({word, *noun_lemmas(word), *verb_lemmas(word)})


@lru_cache(maxsize=8192)
def all_forms(text: str) -> frozenset[str]:
    """Every form of every word of a text, and of the verbs that its phrasal verbs are equal to."""
    words = words_of(text)
    verbs = (word for before, word in pairwise(["", *words]) if not _is_side(before, word))
    return frozenset(words).union(phrasal_verbs(text), *map(forms, verbs))


def _is_side(before: str, word: str) -> bool:
    return word in _table().sides and before in _table().determiners


@cache
def _phrases() -> dict[tuple[str, ...], frozenset[str]]:
    """The words of a phrasal verb -> the verbs that say the same."""
    return {tuple(phrase.split()): frozenset(row.verbs) for row in _table().phrasal for phrase in row.phrases}


@cache
def _heads() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in _phrases())


@lru_cache(maxsize=8192)
def phrasal_verbs(text: str) -> frozenset[str]:
    """The verbs that say the same as the phrasal verbs of a text: "leave", "exit" for "goes out"."""
    words = words_of(text)
    return frozenset[str]().union(*(_same_verbs(words, place) for place in range(len(words))))


def _same_verbs(words: list[str], place: int) -> frozenset[str]:
    """The verbs that say the same as the phrasal verb that begins at a place; empty where none does."""
    for head in _heads().intersection(verb_lemmas(words[place])):
        for length in (3, 2):
            particles = words[place + 1 : place + length]
            same = _phrases().get((head, *particles))
            if same and _ends_phrase(particles[-1], words[place + length : place + length + 1]):
                return same
    return frozenset()


def _ends_phrase(particle: str, behind: list[str]) -> bool:
    """Whether a particle belongs to its verb, and is no preposition of what is behind it."""
    return particle not in _table().open or all(
        word in _table().function and word not in _table().determiners for word in behind
    )


def content_words(text: str) -> tuple[ContentWord, ...]:
    """The words that are not function words, each once, in order."""
    words = words_of(text)
    named = list(_named(words, _owned(text)))
    names = {head for _, head in named}.union(*(words_of(name) for name in mentioned_names(text)))
    describing = {word for before, _ in named for word in before}
    asked_of = {word for place, word in enumerate(words) if word in names and _is_asked_about(words, place)}
    telling = dict.fromkeys(word for word in words if word not in _table().function and not word.isdigit())
    phrasal = {word: same for place, word in enumerate(words) if (same := _same_verbs(words, place))}
    return tuple(
        ContentWord(
            word,
            phrasal.get(word) or forms(word),
            names=word in names,
            acts=bool(verb_lemmas(word)) and word not in names | describing | _table().adverbs | _table().colours,
            vague=word not in asked_of and not forms(word).isdisjoint(_table().vague),
            describes_person=not forms(word).isdisjoint(_table().sexes_and_ages),
            moves=word not in names | describing and not forms(word).isdisjoint(_table().coming_and_going),
        )
        for word in telling
    )


def _is_asked_about(words: list[str], place: int) -> bool:
    """Whether a word that may refer to memory itself is what the question asks about: "where is the note"."""
    *_, before, determiner = ["", "", *words[:place]]
    said_which = determiner in _table().determiners and determiner not in ("whose", "which")
    looked_in = before in _table().within and not ends_with_side(words[: place - 1])
    return not forms(words[place]).isdisjoint(_table().things_too) and said_which and not looked_in


def has_function_words(text: str) -> bool:
    """Whether any word is an English function word: only then do missing words prove anything."""
    return any(word in _table().function for word in words_of(text))


def gist(text: str, telling: Collection[str]) -> str:
    """The words of `telling` in a text with their particles: "who turned on the tap?" -> "turned on tap"."""
    kept: list[str] = []
    for word in words_of(text):
        if word in telling or (kept and word in _table().particles):
            kept.append(word)
    return " ".join(kept)


def preposition_of(text: str, thing: frozenset[str]) -> str:
    """The preposition before a thing, given by its forms: "under" for a table in "on the floor under the table"."""
    words = words_of(text)
    place = next((place for place, word in enumerate(words) if not forms(word).isdisjoint(thing)), 0)
    prepositions = [word for word in words[:place] if word in _table().function and word not in _table().determiners]
    return _table().same.get(prepositions[-1], prepositions[-1]) if prepositions else ""


def owners(text: str) -> list[str]:
    """The words before a possessive ending: "boy" in "the boy's bag"."""
    return re.findall(r"(\w+)['’]s?\s+\w", text)


def _owned(text: str) -> frozenset[str]:
    """The words right behind a possessive: they belong to what is somebody's, as "mother" in "Anna's mother"."""
    return frozenset(word.casefold() for word in re.findall(r"\w['’]s\s+(\w+)", text))


def _named(words: list[str], owned: Collection[str]) -> Iterator[tuple[list[str], str]]:
    """The head of each noun phrase, with the words before it that describe it. owned: words of what is somebody's."""
    for before, phrase in _noun_phrases(words):
        *describing, head = _without_verb(before, phrase, words)
        determined = (bool(before) and before[-1] in _table().determiners) or not set(phrase).isdisjoint(owned)
        acted_on = bool(before) and _acts(before[-1])
        if len(head) > 1 and (determined or (noun_lemmas(head) and (acted_on or not verb_lemmas(head)))):
            yield describing, head


def _without_verb(before: list[str], phrase: list[str], words: list[str]) -> list[str]:
    """A phrase without the bare verb that ends it in a question: "did the [visitor leave]"."""
    asked = len(before) > 1 and before[-2] in _table().auxiliaries and before[-1] in _table().determiners
    asked = (
        asked
        or _describes_subject(before)
        or (len(phrase) > 2 and bool(before) and before[-1] in _table().auxiliaries)
    )
    passive = len(before) > 1 and before[-2] in _table().being and before[-1] in _table().determiners
    if passive and len(phrase) > 1 and phrase[-1] in _table().participles:
        return phrase[:-1]
    behind = words[len(before) + len(phrase) :][:1]
    if behind and (behind[0] in _table().bare or _acts(behind[0])):
        return phrase  # "did the tall man do": the verb follows
    return phrase[:-1] if asked and len(phrase) > 1 and phrase[-1] in verb_lemmas(phrase[-1]) else phrase


def _describes_subject(before: list[str]) -> bool:
    """Whether what comes next describes the subject of a question: "did the man with a [beard leave]"."""
    table = _table()
    beside = before[:-1] if before[-1:] and before[-1] in table.determiners else before
    auxiliary, subject, person, preposition = ["", "", "", "", *beside][-4:]
    return (
        auxiliary in table.auxiliaries
        and subject in table.determiners
        and bool(noun_lemmas(person))
        and preposition in table.function - table.determiners
    )


def _noun_phrases(words: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Runs of words between function words and verbs, each with the words before it."""
    phrase: list[str] = []
    for place, word in enumerate([*words, ""]):
        determined = place > 0 and words[place - 1] in _table().determiners
        if word and word not in _table().function and (determined or not (_acts(word) or _is_adverb(word))):
            phrase.append(word)
        elif phrase:
            yield words[: place - len(phrase)], phrase
            phrase = []


def _is_adverb(word: str) -> bool:
    """Whether a word tells how or which way: "forward", "slowly"."""
    return word in _table().adverbs or (word.endswith("ly") and not noun_lemmas(word) and not verb_lemmas(word))


def _acts(word: str) -> bool:
    """Whether a word is a verb and cannot be a noun: "bring", "took", "opened"."""
    lemmas = () if word in _table().function else verb_lemmas(word)
    if word in _table().nouns_too:
        return False
    return bool(lemmas) and (not noun_lemmas(word) or (word not in lemmas and not word.endswith("s")))


# Words that may tell of the same


class KinTable(Table):
    """kin.yaml, whose head says what its keys mean."""

    verbs: tuple[tuple[str, ...], ...]
    kinds: dict[str, tuple[str, ...]]
    nouns: tuple[tuple[str, ...], ...]
    exact: frozenset[str]


@cache
def _kin_table() -> KinTable:
    return load("amr_neo4j.language.en", "kin.yaml", KinTable)


@cache
def _related() -> dict[str, frozenset[str]]:
    """word -> the words that may tell of the same."""
    table = _kin_table()
    found: dict[str, set[str]] = defaultdict(set)
    for some in (*table.verbs, *table.nouns):
        for word in some:
            found[word].update(some)
    for general, kinds in table.kinds.items():
        found[general].update(kinds)
    return {word: frozenset(some) for word, some in found.items()}


@lru_cache(maxsize=8192)
def kin(word: str) -> frozenset[str]:
    """The words that may tell of the same as one word, in their base forms; without the word's own forms."""
    own = forms(word)
    return frozenset[str]().union(*(_related().get(form, frozenset()) for form in own)) - own


def says_more(verb: str) -> bool:
    """Whether a verb says more than the state that it leaves a thing in."""
    return not forms(verb).isdisjoint(_kin_table().exact)
