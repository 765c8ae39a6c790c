"""Finds the content words of a text, which say what it is about, with every base form that each may have."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, pairwise, takewhile

from pydantic import BaseModel, ConfigDict

from amr_neo4j.language.en.identities import mentioned_names
from amr_neo4j.language.en.spatial import ends_with_side
from amr_neo4j.language.en.verbs import of_two_senses, transition
from amr_neo4j.language.en.words import noun_lemmas, verb_lemmas
from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.tables import Table, shipped

_WORD = re.compile(r"\w+(?:'\w+)?")
_PUNCTUATION = re.compile(r"[,;:.!?()]")
# Sentences that ask nothing.
_TOLD = re.compile(r"[^.!?]+(?:[.!]|$)")
_OWNED = re.compile(r"(?:\b(\w+)['’]s?|\b(?:his|her|their|my|our|your))\s+(?=(.*))")
_LABEL = re.compile(r"\d+[a-z]?|[a-z]\d*")
_HAVING = frozenset({"has", "have", "had"})
# Words between a preposition and the film that it stands before: "in the very first video".
_MOST_WORDS_TO_FILM = 4


class PhrasalRow(BaseModel):
    """A row of `phrasal`: phrasal verbs and the verbs that mean the same."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: tuple[str, ...]
    phrases: tuple[str, ...]


class ContentTable(Table):
    """content.yaml. The comments in the file explain its keys."""

    function: frozenset[str]
    vague: frozenset[str]
    sexes_and_ages: frozenset[str]
    colours: frozenset[str]
    coming_and_going: frozenset[str]
    things_too: frozenset[str]
    within: frozenset[str]
    films: frozenset[str]
    of_own_films: frozenset[str]
    shown: frozenset[str]
    any_thing: frozenset[str]
    times: frozenset[str]
    determiners: frozenset[str]
    particles: frozenset[str]
    auxiliaries: frozenset[str]
    adverbs: frozenset[str]
    bare: frozenset[str]
    being: frozenset[str]
    staying: frozenset[str]
    past: frozenset[str]
    no_states: frozenset[str]
    joining: frozenset[str]
    beside_state: frozenset[str]
    participles: frozenset[str]
    nouns_too: frozenset[str]
    numerals: tuple[str, ...]
    same: dict[str, str]
    manners: tuple[frozenset[str], ...]
    phrasal: tuple[PhrasalRow, ...]
    open: frozenset[str]
    sides: frozenset[str]


_table = shipped("amr_neo4j.language.en", "content.yaml", ContentTable)


def words_of(text: str) -> list[str]:
    """Return the words of a text in order, casefolded and without a possessive 's."""
    plain = text.casefold().replace("_", " ")
    # Normalising is slow, and most texts are ASCII.
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain).replace("’", "'")
    words = _WORD.findall(plain)
    return [word.removesuffix("'s") for word in words] if "'s" in plain else words


# Cached, because the same words come in text after text, and looking up their base forms takes time.
@lru_cache(maxsize=65536)
def forms(word: str) -> frozenset[str]:
    """Return the word with every noun and verb that it may be a form of: "left" -> {"left", "leave"}."""
    return frozenset({word, *noun_lemmas(word), *verb_lemmas(word)})


@lru_cache(maxsize=8192)
def all_forms(text: str) -> frozenset[str]:
    """Return every form of every word of a text, with the verbs that its phrasal verbs mean.

    "left" after a determiner names a side ("on the left"), so it gets no verb forms there.
    """
    words = words_of(text)
    verbs = (word for before, word in pairwise(["", *words]) if not _is_side(before, word))
    return frozenset(words).union(phrasal_verbs(text), *map(forms, verbs))


def _is_side(before: str, word: str) -> bool:
    return word in _table().sides and before in _table().determiners


@cache
def _phrases() -> dict[tuple[str, ...], frozenset[str]]:
    """Return {words of a phrasal verb: the verbs that mean the same}."""
    return {tuple(phrase.split()): frozenset(row.verbs) for row in _table().phrasal for phrase in row.phrases}


@cache
def _heads() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in _phrases())


@lru_cache(maxsize=8192)
def manners(text: str) -> frozenset[int]:
    """Return the ways to move that a text states, as their places in the table: to walk out is not to drive out.

    A word after a determiner is a noun: "up the drive".
    """
    verbs = (word for before, word in pairwise(["", *words_of(text)]) if before not in _table().determiners)
    stated = frozenset[str]().union(*map(forms, verbs))
    return frozenset(place for place, verbs in enumerate(_table().manners) if not verbs.isdisjoint(stated))


@lru_cache(maxsize=8192)
def phrasal_verbs(text: str) -> frozenset[str]:
    """Return the verbs that mean the same as the phrasal verbs of a text: "leave" and "exit" for "goes out"."""
    # A mark ends a phrase: "drives off, followed by cars".
    parts = map(words_of, _PUNCTUATION.split(text))
    found = (_same_verbs(words, place, around_things=True) for words in parts for place in range(len(words)))
    return frozenset[str]().union(*found)


def _same_verbs(words: list[str], place: int, *, around_things: bool = False) -> frozenset[str]:
    """Return the verbs that mean the same as the phrasal verb at index `place`; empty if none begins there.

    around_things: also of "drives the red car out", where the thing stands before the particle.
    """
    for head in _heads().intersection(verb_lemmas(words[place])):
        behind = words[place + 1 :]
        if around_things and any(head in verbs for verbs in _table().manners) and behind:
            thing = list(takewhile(_is_telling, behind[1:])) if behind[0] in _table().determiners else []
            behind = behind[1 + len(thing) :] if thing else behind
        for length in (2, 1):  # the longer phrase first
            particles = behind[:length]
            same = _phrases().get((head, *particles))
            if same and _ends_phrase(particles[-1], behind[length : length + 1]):
                return same
    return frozenset()


def _ends_phrase(particle: str, behind: list[str]) -> bool:
    """Return whether a particle belongs to its verb: it does in "comes in first", and does not in "walks in the
    park".
    """
    return particle not in _table().open or all(
        word in _table().function and word not in _table().determiners for word in behind
    )


@lru_cache(maxsize=8192)
def going(text: str) -> frozenset[str]:
    """Return the words by which a question says that somebody goes: "Who left?", "Did the van drive out?".

    "Who left a parcel?" and "What was left?" say of a thing that it stays there.
    """
    words = words_of(text)
    return frozenset(word for place, word in enumerate(words) if _goes(words, place))


def _goes(words: list[str], place: int) -> bool:
    two_senses, word = of_two_senses(), words[place]
    if not two_senses.isdisjoint(_same_verbs(words, place)):
        return True
    before, behind = words[:place], words[place + 1 :]
    if two_senses.isdisjoint(verb_lemmas(word)) or _is_side("".join(before[-1:]), word):
        return False
    return not (_is_passive(before, word) or _thing_first(before) or _thing_behind(word, behind))


def _is_passive(before: list[str], verb: str) -> bool:
    """Return whether something was done to the subject: "was a parcel left"."""
    is_participle = verb not in verb_lemmas(verb) and not verb.endswith("ing")
    return is_participle and not {*_table().being, "be", "been"}.isdisjoint(before)


def _thing_first(before: list[str]) -> bool:
    """Return whether a question asks for what is done to a thing: "what did the courier [leave]"."""
    asked = next((n for n, word in enumerate(before) if word in ("what", "which", "many")), len(before))
    helping = next((n for n, word in enumerate(before) if word in _table().auxiliaries or word in _HAVING), 0)
    # Right before the verb, "has" follows the subject: "which car has left".
    return asked < helping < len(before) - 1 and before[asked + 1] not in _table().times


def _thing_behind(verb: str, behind: list[str]) -> bool:
    """Return whether a thing follows a verb, to which it is done: "leave a parcel", "leave it". A place is none."""
    if behind[:1] and behind[0] in _table().any_thing:
        return True
    is_said = bool(behind) and behind[0] in _table().determiners
    names = takewhile(lambda word: _is_telling(word) and noun_lemmas(word) and not _is_adverb(word), behind[is_said:])
    words = list(names)
    if not words or (not is_said and words[0] in _table().vague):
        return False
    kinds = {" ".join([*words[:-1], noun]) for noun in noun_lemmas(words[-1])}
    done = [transition(verb, kind) for kind in kinds]
    return all(each and each.moves for each in done)


def content_words(text: str) -> tuple[ContentWord, ...]:
    """Return the words of a text that are not function words, each once, in order."""
    words = words_of(text)
    # A name is not a verb, even if it looks like one ("Will"), and neither is a word that describes a noun.
    named = list(_named(words, _after_genitive(text)))
    names = {head for _, head in named}.union(*(words_of(name) for name in mentioned_names(text)))
    describing = {word for before, _ in named for word in before}
    films = {word for place, word in enumerate(words) if _is_film_as_thing(words, place)}
    names |= films
    asked_of = {word for place, word in enumerate(words) if word in names and _is_asked_about(words, place)} | films
    # A dict keeps the order and drops repeated words.
    labels = _labels(words)
    telling = _telling(words, labels)
    phrasal = {word: same for place, word in enumerate(words) if (same := _same_verbs(words, place))}
    table = _table()
    no_verbs = names | describing | table.adverbs | table.colours | labels.keys()

    def content_word(word: str) -> ContentWord:
        is_label = word in labels.values()
        own_forms = forms(word)
        return ContentWord(
            word,
            phrasal.get(word) or (_spellings(word) if is_label else own_forms),
            names=is_label or word in names or word in labels,
            acts=word not in no_verbs and bool(verb_lemmas(word)),
            vague=word not in asked_of and not own_forms.isdisjoint(table.vague),
            describes_person=not own_forms.isdisjoint(table.sexes_and_ages),
            moves=word not in names | describing and not own_forms.isdisjoint(table.coming_and_going),
        )

    return tuple(map(content_word, telling))


def telling_words(text: str) -> frozenset[str]:
    """Return the words of `content_words`, in a fraction of its time."""
    words = words_of(text)
    return frozenset(_telling(words, _labels(words)))


def _telling(words: list[str], labels: Mapping[str, str]) -> dict[str, None]:
    """Return the words that are not function words, each once, in order. labels: of `_labels`."""
    return dict.fromkeys(word for word in words if word in labels.values() or _is_telling(word))


def _labels(words: list[str]) -> dict[str, str]:
    """Return {noun: the number or letter after it that says which one}: {"bay": "nine"}, {"gate": "b12"}."""
    return {
        noun: label
        for noun, label, behind in zip(words, words[1:], [*words[2:], ""], strict=False)
        if noun not in _table().function and noun_lemmas(noun) and _is_label(label) and not noun_lemmas(behind)
    }


def _is_label(word: str) -> bool:
    """Return whether a word after a noun may say which one is meant: a number or a letter."""
    return word not in _table().function and (word in _table().numerals or bool(_LABEL.fullmatch(word)))


def _spellings(label: str) -> frozenset[str]:
    """Return a label as a word and in digits: "nine" -> {"nine", "9"}."""
    numerals = _table().numerals
    if label in numerals:
        return frozenset({label, str(numerals.index(label))})
    return frozenset({label, *([numerals[int(label)]] if label.isdigit() and int(label) < len(numerals) else [])})


def _is_asked_about(words: list[str], place: int) -> bool:
    """Return whether a vague word names the thing that the question is about.

    True for "where is the note". False for "in the session whose note says ...", which only says where to look.
    """
    # The padding gives the first words of a text empty ones before them.
    *_, before, determiner = ["", "", *words[:place]]
    said_which = determiner in _table().determiners and determiner not in ("whose", "which")
    looked_in = before in _table().within and not ends_with_side(words[: place - 1])
    return not forms(words[place]).isdisjoint(_table().things_too) and said_which and not looked_in


def _is_film_as_thing(words: list[str], place: int) -> bool:
    """Return whether a word for a film names a thing that somebody has or watches, and not the memory's own films.

    True for "who opened the video". False for "who is in the video" and "which film shows a dog".
    """
    table = _table()
    if table.films.isdisjoint(noun_lemmas(words[place])):
        return False
    before, behind = words[max(place - _MOST_WORDS_TO_FILM, 0) : place], words[place + 1 : place + 2]
    looked_in = not table.within.isdisjoint(before) or words[-1] in (*table.within, "on")
    # In "turn on the video", "on" belongs to the verb.
    looked_in |= any(
        word == "on" and not (_acts(verb) and forms(verb).isdisjoint(table.vague))
        for verb, word in pairwise(["", *before])
    )
    others = [*words[:place], *words[place + 1 :]]
    is_shown = not table.shown.isdisjoint(all_forms(" ".join(others))) or not table.of_own_films.isdisjoint(behind)
    return not (looked_in or is_shown)


def _is_telling(word: str) -> bool:
    """Return whether a word is not a function word, such as "the", that any sentence may have."""
    return word not in _table().function and not word.isdigit()


def is_determiner(word: str) -> bool:
    """Return whether a noun phrase may begin with a word: "the", "her"."""
    return word in _table().determiners


def states_told(text: str, *, said: bool = False) -> Iterator[tuple[list[str], str]]:
    """Yield (words for a thing, the word for its state) of each sentence that says how a thing is.

    "The back door is closed again" -> (["back", "door"], "closed"). "The cup is on the table" tells a place, and
    "the lid of the pan is off" tells nothing here: what "of" and the like join is left out.

    said: the text is talk, which says with "was" how a thing was before. What it asks tells nothing.
    """
    table = _table()
    verbs = (table.being | table.staying) - (table.past if said else frozenset[str]())
    for part in chain.from_iterable(map(_PUNCTUATION.split, _TOLD.findall(text))):
        words = words_of(part)
        for place in (place for place, word in enumerate(words) if word in verbs):
            behind = [
                word for word in words[place + 1 :] if word not in table.beside_state and not word.endswith("ly")
            ]
            thing = list(takewhile(lambda word: word not in table.determiners, reversed(words[:place])))[::-1]
            before = words[: place - len(thing)]
            is_subject = not before or (before[-1] in table.determiners and not {*before[-2:-1]} - table.joining)
            if thing and behind and is_subject and _is_state(behind):
                yield thing, behind[0]


def _is_state(words: list[str]) -> bool:
    """Return whether words after "is" begin with a state: "closed", "on". A place or a colour is none."""
    word, *rest = words
    if word in _table().colours or word in _table().no_states or rest[:1] == ["by"]:
        return False
    return word not in _table().function or (word in _table().particles and not rest)


def has_function_words(text: str) -> bool:
    """Return whether any word is an English function word.

    If none is, the question is hardly English, and it proves nothing that memory lacks some of its words.
    """
    return any(word in _table().function for word in words_of(text))


def gist(text: str, telling: Collection[str]) -> str:
    """Return the words of a text that are in `telling`, with their particles.

    "who turned on the tap?" with telling = {"turned", "tap"} -> "turned on tap".
    """
    kept: list[str] = []
    for word in words_of(text):
        if word in telling or (kept and word in _table().particles):
            kept.append(word)
    return " ".join(kept)


def preposition_of(text: str, thing: frozenset[str]) -> str:
    """Return the last preposition before a thing; empty if there is none.

    For a table in "on the floor under the table" the preposition is "under"; for "on top of the table", "top of".

    thing: the forms of its word.
    """
    words = words_of(text)
    place = next((place for place, word in enumerate(words) if not forms(word).isdisjoint(thing)), 0)
    before = [word for word in words[:place] if word not in _table().determiners]
    if before[-1:] == ["of"] and not _table().vague.isdisjoint(before[-2:-1]):
        return " ".join(before[-2:])
    prepositions = [word for word in before if word in _table().function]
    return _table().same.get(prepositions[-1], prepositions[-1]) if prepositions else ""


def owned(text: str) -> list[tuple[str, list[str]]]:
    """Return (owner, up to three words for what they own) of each possessive: ("boy", ["red", "bag"]).

    The owner is empty for a pronoun: "her bag".
    """
    found = _OWNED.findall(text.casefold())
    return [(owner, list(takewhile(_is_telling, words_of(of)[:3]))) for owner, of in found]


def _after_genitive(text: str) -> frozenset[str]:
    """Return the words right after a genitive, which name what somebody has: "mother" in "Anna's mother"."""
    return frozenset(word.casefold() for word in re.findall(r"\w['’]s\s+(\w+)", text))


def _named(words: list[str], owned: Collection[str]) -> Iterator[tuple[list[str], str]]:
    """Yield (describing words, head) of each noun phrase: (["red"], "bag") for "the red bag".

    owned: the words that `_after_genitive` returns. A phrase with one of them needs no article.
    """
    for before, phrase in _noun_phrases(words):
        *describing, head = _without_verb(before, phrase, words)
        determined = (bool(before) and before[-1] in _table().determiners) or not set(phrase).isdisjoint(owned)
        # "Out of bed": after "of" stands no verb.
        determined = determined or (before[-1:] == ["of"] and bool(noun_lemmas(head)))
        acted_on = bool(before) and _acts(before[-1])
        # "A can of paint": only a gerund would be a verb there.
        is_complement = before[-1:] == ["of"] and not head.endswith("ing")
        is_noun = noun_lemmas(head) and (acted_on or is_complement or not verb_lemmas(head))
        if len(head) > 1 and (determined or is_noun):
            yield describing, head


def _without_verb(before: list[str], phrase: list[str], words: list[str]) -> list[str]:
    """Return a phrase without a verb at its end: "visitor leave" in "did the visitor leave" -> ["visitor"].

    before: the words before the phrase.
    words: the whole question.
    """
    asked = len(before) > 1 and before[-2] in _table().auxiliaries and before[-1] in _table().determiners
    asked = (
        asked
        or _describes_subject(before)
        or (len(phrase) > 2 and bool(before) and before[-1] in _table().auxiliaries)
    )
    # "Is the cup washed": the participle is the verb of the question.
    passive = len(before) > 1 and before[-2] in _table().being and before[-1] in _table().determiners
    if passive and len(phrase) > 1 and phrase[-1] in _table().participles:
        return phrase[:-1]
    behind = words[len(before) + len(phrase) :][:1]
    if behind and (behind[0] in _table().bare or _acts(behind[0])):
        return phrase  # "did the tall man do": the verb follows the phrase, so it is not in it
    return phrase[:-1] if asked and len(phrase) > 1 and phrase[-1] in verb_lemmas(phrase[-1]) else phrase


def _describes_subject(before: list[str]) -> bool:
    """Return whether the next phrase describes the subject of a question: "did the man with a [beard leave]"."""
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
    """Yield (words before, phrase) for each run of words between function words, verbs and adverbs."""
    phrase: list[str] = []
    for place, word in enumerate([*words, ""]):  # the empty word ends the last phrase
        # After an article any word is part of the phrase: "the dry towel", "the drive".
        determined = place > 0 and words[place - 1] in _table().determiners
        if word and word not in _table().function and (determined or not (_acts(word) or _is_adverb(word))):
            phrase.append(word)
        elif phrase:
            yield words[: place - len(phrase)], phrase
            phrase = []


def adverbs() -> frozenset[str]:
    """Return words that say how or in which direction, and name nothing."""
    return _table().adverbs


def _is_adverb(word: str) -> bool:
    """Return whether a word says how or in which direction: "slowly", "forward"."""
    return word in _table().adverbs or (word.endswith("ly") and not noun_lemmas(word) and not verb_lemmas(word))


def _acts(word: str) -> bool:
    """Return whether a word is a verb and cannot be a noun: "bring", "took", "opened"."""
    lemmas = () if word in _table().function else verb_lemmas(word)
    if word in _table().nouns_too:
        return False
    return bool(lemmas) and (not noun_lemmas(word) or (word not in lemmas and not word.endswith("s")))


# Words that may describe the same thing or deed


class KinTable(Table):
    """kin.yaml. The comments in the file explain its keys."""

    verbs: tuple[tuple[str, ...], ...]
    kinds: dict[str, tuple[str, ...]]
    nouns: tuple[tuple[str, ...], ...]
    exact: frozenset[str]


_kin_table = shipped("amr_neo4j.language.en", "kin.yaml", KinTable)


@cache
def _related() -> dict[str, frozenset[str]]:
    """Return {word: the words that may describe the same}.

    Verbs and nouns of one row are related both ways. A general noun is related to its kinds, but not they to it.
    """
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
    """Return the base forms of other words that may describe the same as this word ("hand" for "give")."""
    # A related word that is a form of the word itself adds nothing.
    own = forms(word)
    return frozenset[str]().union(*(_related().get(form, frozenset()) for form in own)) - own


def says_more(verb: str) -> bool:
    """Return whether a verb says more than the state it leaves a thing in: to steal is more than to take."""
    return not forms(verb).isdisjoint(_kin_table().exact)
