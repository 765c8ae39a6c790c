"""The identity of a person: a name, or a description made short and stable."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from amr_neo4j.language.nouns import PersonKey
from amr_neo4j.tables import Table, load

_LOCAL_ID = re.compile(r"[CSE]\d+")
_OUTER_ID = re.compile(r"[A-Z]+_?\d+")
_NUMBERED = re.compile(r"([^\W\d_]+)[ _-]?\d+")
_NEGATED = re.compile(r"n['’]t$")
_WORD = re.compile(r"[^\W_](?:[\w'’-]*\w)?\.?")
_WORD_OR_MARK = re.compile(_WORD.pattern + r"|[.!?:;\n\"“”]+|[^\s\w]")
_POSSESSIVE = re.compile(r"['’]s$")
_CLITIC = re.compile(r"['’]\w*$")
# The same few people come in clip after clip.
_REMEMBERED = 4096


class PersonTable(Table):
    """persons.yaml, whose head says what its keys mean."""

    nouns: frozenset[str]
    stop: frozenset[str]
    titles: frozenset[str]
    particles: frozenset[str]
    breaks: frozenset[str]
    not_names: frozenset[str]
    function_words: frozenset[str]
    interjections: frozenset[str]
    labels: frozenset[str]
    nobody: frozenset[str]
    anybody: frozenset[str]


@cache
def _table() -> PersonTable:
    return load("amr_neo4j.language.en", "persons.yaml", PersonTable)


def function_words() -> frozenset[str]:
    """Words that name nobody and nothing, and on which no name ends."""
    return _table().function_words


@lru_cache(_REMEMBERED)
def person_key(name_or_description: str) -> PersonKey:
    """The identity of a person: "Mr. Smith" -> mr_smith, a name; "girl in a black hoodie" -> girl_black_hoodie.

    A name followed by a description ("Anna in a red dress") is the name. Ids of one analysis or recording
    (C1, SPEAKER_00) are not names. Never empty.
    """
    text = unicodedata.normalize("NFC", name_or_description).strip()
    if name := _leading_name(text):
        return PersonKey(_joined(name), is_name=True)
    words = [word for word in _plain_words(text) if word not in _table().stop]
    return PersonKey(_joined(words) or _joined([text]) or text, is_name=False)


def short_id(words: str) -> str:
    """Words in the form of an id: "Old Man" -> old_man. Empty where they hold no letter and no digit."""
    return _joined([words])


def is_unknown(words: str) -> bool:
    """Whether the words say that the person is not known: "unknown", "N/A"."""
    return " ".join(words.casefold().replace("_", " ").split()).strip("()[]<>.") in _table().nobody


def is_indistinct(words: str) -> bool:
    """Whether the words fit anybody: "unknown", "the speaker", "unknown person"."""
    plain = re.findall(r"[^\W_]+", words.casefold())
    return is_unknown(words) or (_table().nobody | _table().anybody | _table().stop).issuperset(plain)


def names_person(word: str) -> bool:
    """Whether a noun is one for a person: "girl", "waiter"."""
    return word.casefold() in _table().nouns


def is_title(word: str) -> bool:
    """Whether a name may follow the word: "Mr.", "aunt"."""
    return word.casefold().rstrip(".") in _table().titles


def mentioned_names(text: str, known: Iterable[str] = ()) -> list[str]:
    """Names of persons mentioned in a text, as written, each once, in order.

    A capitalised word counts unless it starts a sentence or is no name ("It", "Oh", "Monday"); a known name counts
    anywhere. Lines end sentences, as utterances without punctuation do.
    """
    if text == text.lower():  # a name has a capital
        return []
    known_words = {word for name in known for word in _words_of_a_name(name)}
    found = [" ".join(run) for sentence in _sentences(text) for run in _name_runs(sentence, known_words)]
    return list(dict.fromkeys(found))


@lru_cache(_REMEMBERED)
def _words_of_a_name(known: str) -> list[str]:
    """The words of a known name or its id; none for a description."""
    words = _plain_words(known.replace("_", " "))
    return [] if (_table().nouns | _table().stop).intersection(words) else words


def _leading_name(text: str) -> list[str]:
    """The words of the name at the start of a text; empty where there is none."""
    if _is_label(text):
        return []
    if _OUTER_ID.fullmatch(text):
        return [] if _LOCAL_ID.fullmatch(text) else [text]
    words = re.findall(r"[^\s,;:()]+|[,;:(]", text)
    count = next((i for i, word in enumerate(words) if not _continues_name(word, first=i == 0)), len(words))
    rest = words[count:]
    if (rest and rest[0] not in {*_table().breaks, *",;:("}) or is_unknown(text):
        return []
    return words[:count]


def _is_label(text: str) -> bool:
    numbered = _NUMBERED.fullmatch(text)
    return numbered is not None and numbered[1].casefold() in _table().labels


def _continues_name(word: str, *, first: bool) -> bool:
    plain = word.casefold().rstrip(".")
    if not first and plain in _table().particles:
        return True
    return word[0].isupper() and (plain in _table().titles or plain not in _table().nouns | _table().stop)


def _name_runs(sentence: list[str], known: set[str]) -> Iterator[list[str]]:
    """Runs of words of one sentence that make up a name."""
    run: list[str] = []
    for place, word in enumerate([*sentence, ""]):
        if _names_somebody(word, known, starts=place == 0):
            run.append(_POSSESSIVE.sub("", word))
        elif run:
            yield run
            run = []


def _names_somebody(word: str, known: set[str], *, starts: bool) -> bool:
    if not word[:1].isupper():
        return False
    plain = _plain(word)
    if plain in _table().function_words or _NEGATED.search(word):
        return False
    if plain in known or plain in _table().titles:
        return True
    shouted = word.isupper() and len(word) > 1 and not _OUTER_ID.fullmatch(word)
    common = plain in _table().not_names | _table().interjections | _table().nouns or _is_label(word)
    return not (starts or shouted or common)


def _sentences(text: str) -> Iterator[list[str]]:
    """The words of each sentence, "" for a punctuation mark. The full stop of a title ("Mr. Smith") ends none."""
    sentence: list[str] = []
    for match in _WORD_OR_MARK.finditer(text):
        word = match.group().rstrip(".")
        named = word[:1].isalnum()
        if named or sentence:
            sentence.append(word if named else "")
        if match.group()[-1] in '.!?:;\n"“”' and word.casefold() not in _table().titles:
            yield sentence
            sentence = []
    yield sentence


def _plain(word: str) -> str:
    return _CLITIC.sub("", word.casefold()).rstrip(".")


def _plain_words(text: str) -> list[str]:
    return [_plain(match.group()) for match in _WORD.finditer(text)]


def _joined(words: Iterable[str]) -> str:
    """Words as an id: casefolded, apostrophes dropped, anything else but letters and digits an underscore."""
    text = re.sub(r"['’]", "", " ".join(words).casefold())
    return re.sub(r"[\W_]+", "_", unicodedata.normalize("NFC", text)).strip("_")
