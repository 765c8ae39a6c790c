"""Gives each person and object one key, whatever words name them, and finds the persons and objects a text names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from amr_neo4j.domain.event import Evidence
from amr_neo4j.language.en.words import is_word, noun_lemmas, verb_lemmas
from amr_neo4j.language.nouns import KnownNames, PersonKey
from amr_neo4j.tables import Table, shipped

_LOCAL_ID = re.compile(r"[CSE]\d+")
_OUTER_ID = re.compile(r"[A-Z]+_?\d+")
_WORD_WITH_NUMBER = re.compile(r"([^\W\d_]+)[ _-]?\d+")
_NEGATED = re.compile(r"n['’]t$")
# "Sig.ra" and "Dott.ssa" are one word.
_WORD = re.compile(r"[^\W_](?:[\w'’-]*\w)?(?:\.(?:r|n|ss)a\b)?\.?")
_WORD_OR_MARK = re.compile(_WORD.pattern + r"|[.!?:;\n\"“”]+|[^\s\w]")
_LAUGHTER = re.compile(r"(?:h[aeio]+-?){2,}h?|m+(?:-?h?m+)+")
_POSSESSIVE = re.compile(r"['’]s$")
_QUOTE = re.compile(r"[\"“”«»„]")
_CLITIC = re.compile(r"['’]\w*$")
# Two names or more in one word: "AnnaBen". Not "McDonald" or "DiCaprio".
_NAME_IN_WORD = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{2,}")
_GLUED = re.compile(rf"\b(?:{_NAME_IN_WORD.pattern}){{2,}}\b")
_ELISION = re.compile(r"^\w{1,4}['’](?=\w)")
# The size of the caches below. The same few people come in clip after clip.
_CACHE_SIZE = 4096
# Endings that look like a plural and mostly are not: "glass", "bus", "tennis", "gas".
_NO_PLURAL = ("ss", "us", "is", "as", "os")
_EDGES = " .'-"
# `named_in` looks for names of at most this many words. More would mean more spans to try.
_MOST_WORDS_OF_NAME = 8
TimeSpan = tuple[int, int]
_SUREST_LAST: tuple[Evidence | None, ...] = ("told", "addressed", None)


# Persons


class PersonTable(Table):
    """persons.yaml. The comments in the file explain its keys."""

    nouns: frozenset[str]
    stop: frozenset[str]
    titles: frozenset[str]
    abbreviations: frozenset[str]
    particles: frozenset[str]
    breaks: frozenset[str]
    not_names: frozenset[str]
    function_words: frozenset[str]
    interjections: frozenset[str]
    labels: frozenset[str]
    nobody: frozenset[str]
    anybody: frozenset[str]
    also_places: frozenset[str]
    verbs_too: frozenset[str]


class NameSigns(Table):
    """name_signs.yaml. The comments in the file explain its keys.

    first_names: common first names of all languages. They are not in the file; `Language` adds them.
    """

    to_persons: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]
    address: frozenset[str]
    no_person_after: frozenset[str]
    person_or_place_after: frozenset[str]
    together: frozenset[str]
    no_names: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    abbreviations: frozenset[str] = frozenset()
    determiners: frozenset[str] = frozenset()
    intensifiers: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    streets: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    also_things: frozenset[str] = frozenset()
    deeds: frozenset[str] = frozenset()
    roles: Mapping[str, frozenset[str]] = {}
    first_names: frozenset[str] = frozenset()

    @cached_property
    def before_names(self) -> frozenset[str]:
        """The words that show that a name right after them is a person's."""
        return self.to_persons | self.before


_persons = shipped("amr_neo4j.language.en", "persons.yaml", PersonTable)


def function_words() -> frozenset[str]:
    """Return the words that name nobody and nothing. No name ends with one of them."""
    return _persons().function_words


@lru_cache(_CACHE_SIZE)
def person_key(name_or_description: str) -> PersonKey:
    """Return the identity of a person.

    "Mr. Smith" -> mr_smith, a name. "girl in a black hoodie" -> girl_black_hoodie, not a name. A name with a
    description ("Anna in a red dress") has the identity of the name. Ids of one analysis or recording (C1,
    SPEAKER_00) are not names. The id is never empty.
    """
    text = unicodedata.normalize("NFC", name_or_description).strip()
    if name := _leading_name(text):
        return PersonKey(_joined(name), is_name=True)
    words = [word for word in _plain_words(text) if word not in _persons().stop]
    return PersonKey(_joined(words) or _joined([text]) or text, is_name=False)


def short_id(words: str) -> str:
    """Return words in the form of an id: "Old Man" -> old_man. Empty if they have no letter and no digit."""
    return _joined([words])


def is_unknown(words: str) -> bool:
    """Return whether the words say that the person is not known: "unknown", "N/A"."""
    return " ".join(words.casefold().replace("_", " ").split()).strip("()[]<>.") in _persons().nobody


def is_indistinct(words: str) -> bool:
    """Return whether the words fit anybody: "unknown", "the speaker", "unknown person"."""
    plain = re.findall(r"[^\W_]+", words.casefold())
    return is_unknown(words) or (_persons().nobody | _persons().anybody | _persons().stop).issuperset(plain)


def names_person(word: str) -> bool:
    """Return whether a noun is one for a person: "girl", "waiter"."""
    return word.casefold() in _persons().nouns


def titles() -> frozenset[str]:
    """Return the titles that a name may follow, in lower case without full stops."""
    return _persons().titles


def abbreviations() -> frozenset[str]:
    """Return the titles whose full stop ends no sentence, in lower case without it."""
    return _persons().abbreviations


def is_title(word: str) -> bool:
    """Return whether the word is a title that a name may follow: "Mr.", "aunt"."""
    return word.casefold().rstrip(".") in _persons().titles


def mentioned_names(text: str, known: Iterable[str] = ()) -> list[str]:
    """Return the names of persons mentioned in a text, as written, each once, in order.

    A capitalised word counts unless it starts a sentence or is not a name ("It", "Oh", "Monday"). A known name counts
    anywhere. A line break ends a sentence, because utterances often lack punctuation.
    """
    if text == text.lower():  # without a capital there is no name: skip the search
        return []
    known_words = {word for name in known for word in _words_of_a_name(name)}
    found = [" ".join(run) for sentence in _sentences(text) for run in _name_runs(sentence, known_words)]
    return list(dict.fromkeys(found))


def persons_named(text: str, known: Iterable[str], signs: NameSigns, *, caption: bool) -> dict[str, Evidence | None]:
    """Return {name as written: the surest evidence} of the persons whom a text names, in order.

    The evidence is None where what is seen names them, else "addressed" or "told".
    A capital alone shows nothing ("Beijing", "WeChat"). What does: a known name, a title, a first name, words around
    it that only a person has ("ask Shure"), being addressed ("Shure, help me") and, in a caption, doing something.
    known: names and descriptions of persons.
    caption: the text says what is seen, except what it quotes. Otherwise it is talk.
    """
    if text == text.lower():
        return {}
    known_names = [words for name in known if (words := _words_of_a_name(name))]
    for word in _GLUED.findall(text) if caption else ():
        if parts := _glued(word, known_names):
            text = text.replace(word, " ".join(parts))
            known_names += [[_plain(part)] for part in parts]
    found: dict[str, Evidence | None] = {}
    for place, part in enumerate(_QUOTE.split(text)):
        # Every second part of a text cut at its quotation marks is quoted.
        seen = caption and place % 2 == 0
        for sentence in filter(None, _sentences(part, signs)):
            for name, addressed in _persons_of(sentence, known_names, signs, seen=seen):
                said: Evidence = "addressed" if addressed else "told"
                evidence = None if seen else said
                if name not in found or _SUREST_LAST.index(evidence) > _SUREST_LAST.index(found[name]):
                    found[name] = evidence
    return found


def unquoted(text: str) -> str:
    """Return a text without what it quotes."""
    return " ".join(_QUOTE.split(text)[::2])


def names_apart(name: str, known: Iterable[str]) -> list[str]:
    """Return the names in a name that joins several, such as "AnnaBen", if one of them is known; else the name."""
    if not _GLUED.fullmatch(name):
        return [name]
    return _glued(name, [_words_of_a_name(each) for each in known]) or [name]


def _glued(word: str, known_names: Collection[list[str]]) -> list[str]:
    """Return the names that a word joins ("AnnaBen"); empty if none of them is known, or the word itself is."""
    parts = _NAME_IN_WORD.findall(word)
    is_several = [_plain(word)] not in known_names and any([_plain(part)] in known_names for part in parts)
    return parts if is_several else []


def _persons_of(
    sentence: list[str], known_names: Sequence[list[str]], signs: NameSigns, *, seen: bool
) -> Iterator[tuple[str, bool]]:
    """Yield (name, whether the sentence is said to them) of the persons whom a sentence names.

    seen: it says what is seen.
    """
    known = frozenset(word for name in known_names for word in name)
    runs = list(_capital_runs(sentence, known, signs))
    shown = {span for span in runs if _is_shown(sentence, span, known, signs, seen=seen)}
    for start, end in runs:
        # "Alice and Violet are talking": what shows one of them shows the other.
        beside = (span for span in shown if _between(sentence, span, (start, end)) in signs.together)
        if (start, end) in shown or (seen and any(beside)):
            # A title in lower case ("la señora López"), or at the start of the sentence.
            titled = start > 0 and _is_title(sentence[:start], signs.titles | signs.abbreviations, signs)
            title = [_bare_title(sentence[start - 1]).capitalize()] if titled else []
            run = [*title, *(_POSSESSIVE.sub("", word) for word in sentence[start:end])]
            # Names that only stand side by side ("Katrina Lucia") are several.
            several = not title and all(_plain(word) in known for word in run)
            words = [_plain(word) for word in sentence]
            addressed = not seen and _is_addressed(words[:start], words[end:], signs)
            for name in _apart(run, known_names) if several else [" ".join(run)]:
                yield name, addressed


def _apart(run: list[str], known_names: Sequence[list[str]]) -> Iterator[str]:
    """Yield the names of a run of known words: the longest stretches that are in one known name, from the left."""
    wholes = [f" {' '.join(name)} " for name in known_names]
    while run:
        lengths = range(len(run), 0, -1)
        spans = {length: f" {' '.join(map(_plain, run[:length]))} " for length in lengths}
        size = next((length for length in lengths if any(spans[length] in whole for whole in wholes)), 1)
        yield " ".join(run[:size])
        run = run[size:]


def _between(sentence: list[str], one: TimeSpan, other: TimeSpan) -> str:
    first, second = sorted((one, other))
    return " ".join(sentence[first[1] : second[0]])


def _capital_runs(sentence: list[str], known: frozenset[str], signs: NameSigns) -> Iterator[TimeSpan]:
    """Yield (start, end) of each run of words that may be a name, also at the start of the sentence."""
    start: int | None = None
    for place, word in enumerate([*sentence, ""]):
        if _names_somebody(word, known, starts=place == 0 and not _may_begin(sentence, signs)):
            start = place if start is None else start
        elif start is not None:
            yield start, place
            start = None


def _may_begin(sentence: list[str], signs: NameSigns) -> bool:
    """Return whether the first word of a sentence may be a name. Any word has a capital there."""
    first, following = _plain(sentence[0]), sentence[1:2]
    usual = is_word(first) or first in (
        signs.address | signs.no_person_after | signs.person_or_place_after | signs.after | signs.before_names
    )
    before_name = bool(following) and following[0][:1].isupper() and first not in signs.first_names
    return not usual and not before_name


def _is_shown(sentence: list[str], span: TimeSpan, known: frozenset[str], signs: NameSigns, *, seen: bool) -> bool:
    start, end = span
    words = [_plain(word) for word in sentence]
    run, before, after = words[start:end], words[:start], words[end:]
    # In talk, words like "L1" and "AE86" are rarely ids of persons.
    if not known.isdisjoint(run) or (seen and _OUTER_ID.fullmatch(sentence[start])):
        return True
    titles = signs.titles | signs.abbreviations
    if all(_in(word, _persons().titles | titles) for word in sentence[start:end]) or not signs.no_names.isdisjoint(
        run
    ):
        return False
    of_place = bool(before) and before[-1] in signs.person_or_place_after
    of_thing = of_place or (bool(before) and before[-1] in signs.no_person_after)
    places = (place for place in (start, start - 1) if place >= 0 and _is_title(sentence[: place + 1], titles, signs))
    title = next(places, None)
    titled = run[0] in _persons().titles or (title is not None and not _is_noun(words, title, signs))
    names = signs.first_names - _persons().also_places if of_place else signs.first_names
    # "To Anna Street": a capital after the name makes it part of a longer name.
    longer = of_place and sentence[end : end + 1] and sentence[end][:1].isupper()
    called = not names.isdisjoint(run) and (of_place or not of_thing) and not longer
    if titled or called or of_thing or all(len(word) == 1 or is_word(word) for word in run):
        return titled or called
    named = not signs.before_names.isdisjoint((" ".join(before[-1:]), " ".join(before[-2:])))
    speaks = bool(after) and after[0] in signs.after
    return named or speaks or _is_addressed(before, after, signs) or (seen and _acts(before, after, signs))


def _is_noun(words: list[str], place: int, signs: NameSigns) -> bool:
    """Return whether a title is a noun after a determiner: "während eine sehr junge Frau Kaffee kocht"."""
    title, before = words[place], words[:place]
    # Two adjectives at most, or an intensifier and an adjective.
    for _ in range(2):
        if before and before[-1] not in signs.determiners and re.search(r"e[nrms]?$", before[-1]):
            before = before[:-1]
    if before[-1:] and len(before) < place and before[-1] in signs.intensifiers:
        before = before[:-1]
    return title in signs.titles | signs.abbreviations and not signs.determiners.isdisjoint(before[-1:])


def _is_addressed(before: list[str], after: list[str], signs: NameSigns) -> bool:
    """Return whether a name is set off by a mark at an end of a sentence that speaks to somebody."""
    first = not before and after[:1] == [""] and not signs.address.isdisjoint(after)
    last = not any(after) and before[-1:] == [""] and not signs.address.isdisjoint(before)
    return first or last


def _acts(before: list[str], after: list[str], signs: NameSigns) -> bool:
    """Return whether a name is the subject of the verb that follows it, by the English dictionary."""
    verb, doing = after[0] if after else "", before[-1] if before else ""
    # In "Open WeChat contacts", it names the thing to which something is done; in "Doctor Ruiz presses" it does not.
    others = (function_words(), _persons().nouns, _persons().titles, *signs.roles.values())
    is_done = bool(verb_lemmas(doing)) and not any(doing in words for words in others)
    if is_done and (len(before) == 1 or not noun_lemmas(doing)) and noun_lemmas(verb):
        return False
    if verb in ("is", "was", "are", "were"):
        return any(word.endswith("ing") and bool(verb_lemmas(word)) for word in after[1:3])
    inflected = verb.endswith(("s", "ed")) or not noun_lemmas(verb)
    return bool(verb) and bool(verb_lemmas(verb)) and inflected


@lru_cache(_CACHE_SIZE)
def _words_of_a_name(known: str) -> list[str]:
    """Return the words of a known name or its id; an empty list if it is a description."""
    words = _plain_words(known.replace("_", " "))
    return [] if (_persons().nouns | _persons().stop).intersection(words) else words


def _leading_name(text: str) -> list[str]:
    """Return the words of the name at the start of a text; empty if there is none."""
    if _is_label(text):
        return []
    if _OUTER_ID.fullmatch(text):
        return [] if _LOCAL_ID.fullmatch(text) else [text]
    words = re.findall(r"[^\s,;:()]+|[,;:(]", text)
    count = next((i for i, word in enumerate(words) if not _continues_name(word, first=i == 0)), len(words))
    rest = words[count:]
    if (rest and rest[0] not in {*_persons().breaks, *",;:("}) or is_unknown(text):
        return []
    return words[:count]


def _is_label(text: str) -> bool:
    numbered = _WORD_WITH_NUMBER.fullmatch(text)
    return numbered is not None and numbered[1].casefold() in _persons().labels


def _continues_name(word: str, *, first: bool) -> bool:
    plain = word.casefold().rstrip(".")
    if not first and plain in _persons().particles:
        return True
    return word[0].isupper() and (plain in _persons().titles or plain not in _persons().nouns | _persons().stop)


def _name_runs(sentence: list[str], known: Collection[str]) -> Iterator[list[str]]:
    """Yield the runs of words of one sentence that make up a name."""
    run: list[str] = []
    for place, word in enumerate([*sentence, ""]):
        if _names_somebody(word, known, starts=place == 0) and not _labels_thing(sentence, place):
            run.append(_POSSESSIVE.sub("", word))
        elif run:
            yield run
            run = []


def _labels_thing(sentence: list[str], place: int) -> bool:
    """Return whether a word is a letter that says which thing is meant: "gate B". "Student B" is a person."""
    before = _plain(sentence[place - 1]) if place else ""
    is_letter = place < len(sentence) and re.fullmatch(r"[A-Z]", sentence[place]) is not None
    return is_letter and sentence[place - 1].islower() and bool(noun_lemmas(before)) and not names_person(before)


def _names_somebody(word: str, known: Collection[str], *, starts: bool) -> bool:
    if not word[:1].isupper():
        return False
    plain, table = _plain(word), _persons()
    if plain in table.function_words or _NEGATED.search(word) or _LAUGHTER.fullmatch(plain):
        return False
    if plain in known or plain in table.titles:
        return True
    # A word in capitals is shouted or an abbreviation ("TV"), unless it is an id of a recording.
    shouted = word.isupper() and len(word) > 1 and not _OUTER_ID.fullmatch(word)
    is_common = plain in table.not_names or plain in table.interjections or plain in table.nouns
    return not (starts or shouted or is_common or _is_label(word))


def _sentences(text: str, signs: NameSigns | None = None) -> Iterator[list[str]]:
    """Yield the words of each sentence, with "" for a punctuation mark.

    The full stop of an abbreviated title ("Mr. Smith") does not end a sentence.

    signs: those of the language.
    """
    sentence: list[str] = []
    for match in _WORD_OR_MARK.finditer(text):
        word = match.group().rstrip(".")
        named = word[:1].isalnum()
        if named or sentence:
            sentence.append(word if named else "")
        if match.group()[-1] not in '.!?:;\n"“”':
            continue
        abbreviated = _in(word, _persons().abbreviations)
        if signs and sentence:
            abbreviated = _is_title(sentence, _persons().abbreviations | signs.abbreviations, signs)
        if not abbreviated:
            yield sentence
            sentence = []
    yield sentence


def _is_title(words: list[str], titles: frozenset[str], signs: NameSigns) -> bool:
    """Return whether the last of the words is a title. A unit ("2 M.") and a street ("on Main St.") are none."""
    *before, title = words
    if _in(title, signs.units) and "".join(before[-1:]).isdigit():
        return False
    # "Jill St. John" is a name, and the first word of a sentence always has a capital.
    if _in(title, signs.streets) and before[1:] and before[-1][:1].isupper():
        return _plain(before[-1]) in signs.first_names
    return _in(title, titles)


def _in(word: str, titles: frozenset[str]) -> bool:
    """Return whether a word is a title. A title with a capital ("Me") needs it: "elle me voit" has none."""
    return not titles.isdisjoint({_bare_title(word), _bare_title(word).casefold()})


def _bare_title(word: str) -> str:
    """Return a title without what is written together with it: "l'Avv." -> Avv, "lady's" -> lady."""
    return _ELISION.sub("", _POSSESSIVE.sub("", word)).rstrip(".")


def _plain(word: str) -> str:
    return _CLITIC.sub("", word.casefold()).rstrip(".")


def _plain_words(text: str) -> list[str]:
    return [_plain(match.group()) for match in _WORD.finditer(text)]


def _joined(words: Iterable[str]) -> str:
    """Return words as an id: casefolded, without apostrophes, with "_" for all but letters and digits."""
    text = re.sub(r"['’]", "", " ".join(words).casefold())
    return re.sub(r"[\W_]+", "_", unicodedata.normalize("NFC", text)).strip("_")


# Objects


class ObjectTable(Table):
    """objects.yaml. The comments in the file explain its keys."""

    determiners: frozenset[str]
    singulars: dict[str, str]
    whole: frozenset[str]


_object_table = shipped("amr_neo4j.language.en", "objects.yaml", ObjectTable)


@lru_cache(maxsize=65536)
def object_key(name: str) -> str:
    """Return the identity of an object within its place: "Anna's red mugs" -> "red mug".

    It is casefolded and singular, without article or owner. Only English nouns are made singular; other words are
    only normalised to NFC. The key is empty only for an empty name.
    """
    # Casefolding may break the normal form, so the text is normalised again after it.
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    words = re.findall(r"[^\s_\"“”„«»,;:!?()\[\]{}]+", plain.replace("’", "'"))
    text = " ".join(word for word in words if re.search(r"\w", word))
    return _singular(_bare(text).strip(_EDGES)) or text.strip(_EDGES) or name


def _bare(text: str) -> str:
    """Return a name without the words that say whose it is or how many there are."""
    if text in _object_table().whole:
        return text
    for cut in re.finditer(r" ", text):
        head, rest = text[: cut.start()], text[cut.end() :]
        # "Anna's" and "the boys'" say whose it is.
        if head in _object_table().determiners or re.search(r"\w('s|s')$", head):
            return _bare(rest)
    return text


def _singular(text: str) -> str:
    """Return a noun phrase with its head nouns in the singular: "cups of tea" -> "cup of tea".

    The head is the last word, or the last before "of", on each side of "and".
    """
    if text in _object_table().singulars:
        return _object_table().singulars[text]
    head, of, tail = text.partition(" of ")
    return " and ".join(_singular_last(part) for part in head.split(" and ")) + of + tail


def _singular_last(text: str) -> str:
    before, space, noun = text.rpartition(" ")
    return before + space + _singular_word(noun)


@lru_cache(maxsize=8192)
def _singular_word(noun: str) -> str:
    if stated := _object_table().singulars.get(noun):
        return stated
    lemmas = noun_lemmas(noun)
    if not lemmas:
        return _regular(noun)
    return noun if noun in lemmas else lemmas[0]


def _regular(noun: str) -> str:
    """Return the singular of a word that the dictionary lacks ("airpods"). Only clear plural endings are removed."""
    regular = noun.isascii() and noun.isalpha() and len(noun) > 3 and noun.endswith("s")
    if not regular or noun.endswith(_NO_PLURAL):
        return noun
    return noun[:-2] if noun.endswith(("ches", "shes", "xes")) else noun[:-1]


# Persons and objects that a text names


def named_in(text: str, persons: Collection[str], objects: Collection[str]) -> KnownNames:
    """Return the known person ids and object keys that the text names. If names overlap, the longest counts.

    The first or last word of a full name names the person too ("Anna" for anna_maria_rossi).
    """
    words = re.findall(r"\w+(?:['’-]\w+)*", text)
    people = _found(words, frozenset(persons), _person)
    partly = (who for name in mentioned_names(text, persons) for who in _by_part(name, persons, people))
    return KnownNames((*people, *dict.fromkeys(partly)), _found(words, frozenset(objects), _object))


def _found(words: list[str], keys: frozenset[str], key_of: Callable[[list[str], TimeSpan], str]) -> tuple[str, ...]:
    # The spans come longest first, so a longer name takes its words before a shorter one within it is tried.
    taken: set[int] = set()
    found: list[tuple[int, str]] = []
    for start, end in _spans(words):
        key = key_of(words, (start, end))
        if key in keys and taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            found.append((start, key))
    return tuple(dict.fromkeys(key for _, key in sorted(found)))


def _by_part(name: str, persons: Collection[str], found: Collection[str]) -> Iterator[str]:
    part = person_key(name).person_id
    if part not in found:
        yield from (who for who in sorted(persons) if part in (who.split("_")[0], who.split("_")[-1]))


def _spans(words: list[str]) -> Iterator[TimeSpan]:
    """Yield (start, end) of each run of words that may be a name, the longest first."""
    nameless = {1: function_words() | _persons().verbs_too}
    for length in range(min(_MOST_WORDS_OF_NAME, len(words)), 0, -1):
        for end in range(length, len(words) + 1):
            if words[end - 1].casefold() not in nameless.get(length, function_words()):
                yield end - length, end


def _object(words: list[str], span: TimeSpan) -> str:
    return object_key(" ".join(words[slice(*span)]))


def _person(words: list[str], span: TimeSpan) -> str:
    """Return the person id of a run of words; empty for words that fit anybody.

    "a person" in a question does not mean the one person whom an analysis happens to call "person".
    """
    name = re.sub(r"['’]s\b", "", " ".join(words[slice(*span)]))
    return "" if is_indistinct(name) else person_key(name).person_id
