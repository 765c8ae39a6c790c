"""Reads who does what to which thing from a summary, for analyses that list no actions.

Each clause is read as subject, verb, object and place. A clause of any other form is skipped: no action is better
than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from amr_neo4j.language.en.content import adverbs
from amr_neo4j.language.en.identities import function_words, is_title, names_person, object_key
from amr_neo4j.language.en.verbs import transition
from amr_neo4j.language.en.words import is_word, noun_lemmas, verb_lemmas
from amr_neo4j.language.nouns import Deed
from amr_neo4j.tables import Table, shipped

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[,;:.!?()]")
_QUOTED = re.compile(r"[\"“”][^\"“”]*[\"“”]?")
# "I'm turning": the verb is found only after the pronoun.
_SHORT_BE = re.compile(r"\b(I|you|he|she|it|we|they|who|that)['’](m|s|re)\b", re.IGNORECASE)
_BE = {"m": "am", "s": "is", "re": "are"}
_CLITIC = re.compile(r"['’]\w*$")
# A longer run of words is probably not the name of one thing.
_LONGEST_OBJECT = 5
_OF = "of"


class DeedTable(Table):
    """deeds.yaml. The comments in the file explain its keys."""

    prepositions: frozenset[str]
    particles: frozenset[str]
    articles: frozenset[str]
    subjects: frozenset[str]
    narrators: frozenset[str]
    things_before: frozenset[str]
    wearing: frozenset[str]
    be: frozenset[str]
    ends: frozenset[str]
    unseen: frozenset[str]
    no_actors: frozenset[str]


_table = shipped("amr_neo4j.language.en", "deeds.yaml", DeedTable)


def deeds_in(text: str) -> list[Deed]:
    """Return the deeds that a summary states, in order.

    Deeds that are quoted, denied or only intended are left out.
    """
    found: list[Deed] = []
    # Quoted words are spoken or written, not done.
    plain = _SHORT_BE.sub(lambda found: f"{found[1]} {_BE[found[2].casefold()]}", _QUOTED.sub(" ", text))
    for sentence in re.split(r"(?<=[.!?])\s+", plain):
        found += _of_sentence(_TOKEN.findall(sentence))
    return found


def _of_sentence(words: list[str]) -> Iterator[Deed]:
    """Yield the deeds of a sentence. A clause without a subject takes the subject of the clause before it."""
    subject: list[str] = []
    tense = thing = ""
    for clause in _clauses(words):
        read = _read(clause, tense)
        if read is None or not _table().unseen.isdisjoint(verb_lemmas(read.verb)):
            continue
        tense = read.tense
        # "She" and "who" stand for the subject before, so they do not replace it.
        if read.subject and read.subject[0].casefold() not in _table().subjects:
            subject = read.subject
        particle, name, where = _objects(read.verb, read.after)
        if name.casefold() in _table().things_before:  # "it" is the last thing that was named
            name = thing
        actor = _actor(subject)
        if not actor and not name:  # "the lamp goes out": the subject is the thing that changes
            name = _thing(subject)
        if actor or name:
            thing = name or thing
            yield Deed(actor, f"{read.verb} {particle}".strip(), name, where)


@dataclass(frozen=True)
class _Clause:
    """The parts of a clause. tense: "s" ("takes"), "past", "bare" ("they take") or "ing" ("is taking")."""

    subject: list[str]
    verb: str
    after: list[str]
    tense: str


def _clauses(words: list[str]) -> Iterator[list[str]]:
    """Yield the words of each clause. An "and" between things or persons does not end a clause."""
    clause: list[str] = []
    for place, word in enumerate(words):
        plain = word.casefold()
        if not word[0].isalnum() or plain in _table().ends or (plain == "and" and _goes_on(clause, words, place)):
            yield clause
            clause = []
        else:
            clause.append(word)
    yield clause


def _goes_on(clause: list[str], words: list[str], place: int) -> bool:
    """Return whether the "and" at index `place` begins a clause.

    It does if a verb of the same tense follows ("takes the cup and leaves"), or a subject with a verb of its own.
    """
    before = _read(clause, "")
    rest = words[place + 1 :]
    return before is not None and _read(_to_the_end(rest), before.tense) is not None


def _to_the_end(words: list[str]) -> list[str]:
    ends = next((n for n, word in enumerate(words) if not word[0].isalnum() or word.casefold() == "and"), len(words))
    return words[:ends]


def _read(clause: list[str], tense: str) -> _Clause | None:
    """Return the parts of a clause; None if it has another form.

    tense: the tense of the clause before. A clause that begins with its verb must have the same tense.
    """
    for place, word in enumerate(clause):
        following = clause[place + 1].casefold() if place + 1 < len(clause) else ""
        if word.casefold() in _table().be:
            will = clause[place - 1].casefold() in _table().unseen  # "Anna will be sitting": not done yet
            doing = following.endswith("ing") and bool(verb_lemmas(following))
            if place and doing and not will and _is_subject(clause[:place]):
                return _Clause(clause[:place], following, clause[place + 2 :], "ing")
            # Any other form of "be" states what something is, or a passive, whose actor is not the subject.
            return None
        found = _tense(clause, place)
        # A word that may be a noun, with a verb after it, is the subject's head: "the light goes out".
        names_subject = place and noun_lemmas(word.casefold()) and (_is_verb(following) or following in _table().be)
        if not found or names_subject:
            continue
        if place == 0 and found != tense:
            continue
        if place == 0 or (_is_subject(clause[:place]) and found != "ing"):
            return _Clause(clause[:place], word.casefold(), clause[place + 1 :], found)
    return None


def _tense(clause: list[str], place: int) -> str:
    """Return the tense of the word at index `place`; empty if it is not a verb there."""
    word = clause[place].casefold()
    if not _is_verb(word) or (place and clause[place - 1].casefold() in _table().articles | _table().prepositions):
        return ""
    if word.endswith("ing"):
        return "ing"
    if word in verb_lemmas(word):
        return "bare" if place == 0 or _follows_plural(clause, place) else ""
    return "s" if word.endswith("s") and not word.endswith("ss") else "past"


def _is_subject(words: list[str]) -> bool:
    """Return whether words are a noun phrase: with an article, pronoun, number or name first, or a plural last."""
    first = words[0].casefold()
    if verb_lemmas(first) and not noun_lemmas(first):  # "took a few steps forward"
        return False
    determined = first in _table().articles | _table().subjects | _table().narrators or first.isdigit()
    return determined or _is_name(words[:1]) or ("and" not in words and _is_plural(words[-1].casefold()))


def _is_verb(word: str) -> bool:
    plain = word.casefold()
    return bool(verb_lemmas(plain)) and plain not in function_words() and plain not in _table().prepositions


def _is_plural(word: str) -> bool:
    return word not in noun_lemmas(word) and bool(noun_lemmas(word))


def _follows_plural(clause: list[str], place: int) -> bool:
    """Return whether the subject before index `place` is plural: "six hens run", "Luca and Greta load"."""
    before = [word.casefold() for word in clause[:place]]
    if not before or before[-1] in _table().prepositions:
        return False
    return _is_plural(before[-1]) or "and" in before or before == ["they"]


def _objects(verb: str, after: list[str]) -> tuple[str, str, str]:
    """Return (particle, object, place) from the words after a verb. Each is empty if it is not there.

    "up the cup from the table" -> ("up", "cup", "from the table").
    """
    rest = [word for word in after if word[0].isalnum()]
    particle = ""
    if rest and rest[0].casefold() in _table().particles and _belongs(verb, rest):
        particle, rest = rest[0].casefold(), rest[1:]
    ends = next((n for n in range(len(rest)) if _ends_object(rest, n)), len(rest))
    name = [word for word in rest[:ends] if word.casefold() not in _table().articles]
    while name and name[-1].casefold() in adverbs():  # "takes a step forward"
        name = name[:-1]
    if name and name[0].casefold() in _table().things_before:  # "pressed it once"
        name = name[:1]
    # "Picks the cup up": the particle may stand after the object.
    if rest[ends:] and rest[ends:] == rest[-1:] and rest[-1].casefold() in _table().particles:
        particle, ends = rest[-1].casefold(), ends + 1
    # A place always starts with a preposition. Other words after the object are not understood, and are dropped.
    where = rest[ends:] if rest[ends:] and rest[ends].casefold() in _table().prepositions else []
    doing = len(name) == 1 and rest[0] == name[0] and rest[0].endswith("ing") and verb_lemmas(rest[0])
    if doing or len(name) > _LONGEST_OBJECT:  # "continued walking" names no thing
        name = []
    return particle, " ".join(name), " ".join(where)


def _ends_object(words: list[str], place: int) -> bool:
    """Return whether the object's name ends before the word at index `place`.

    It ends at a function word, preposition or particle, except "of" and an article or pronoun in the first place.
    """
    word = words[place].casefold()
    first = place == 0 and word in _table().articles | _table().things_before
    return (
        not first
        and not (place and word == _OF)
        and (word in function_words() or word in _table().prepositions | _table().particles)
    )


def _belongs(verb: str, rest: list[str]) -> bool:
    """Return whether the first word of `rest` is the verb's particle and not a preposition.

    It is if the verb with it has its own entry in the verb table, or if nothing follows that it could introduce.
    """
    with_it, alone = transition(f"{verb} {rest[0].casefold()}"), transition(verb)
    return (with_it is not None and with_it != alone) or len(rest) == 1


def _actor(subject: list[str]) -> str:
    """Return the subject if it is a name or describes one person; else an empty string."""
    words = subject[1:] if subject and subject[0].casefold() in _table().articles else subject
    head = next((n for n, w in enumerate(words) if w.casefold() in _table().prepositions), len(words))
    if not head or any(word.casefold() == "and" or word.endswith(("'s", "’s")) for word in words):
        return ""
    if _is_name(words[:head]):
        return " ".join(words[:head])
    if not names_person(words[head - 1]) or words[head - 1].casefold() in _table().no_actors:
        return ""
    described = words[head:] and words[head].casefold() in _table().wearing
    return " ".join(words if described else words[:head])


def _is_name(words: list[str]) -> bool:
    """Return whether capitalised words name somebody.

    A sentence may begin with them, so a capital alone proves nothing: the dictionary must not have all of them.
    """
    names = words[1:] if len(words) > 1 and is_title(words[0]) else words
    return all(
        word[0].isupper() and (names != words or not is_word(_CLITIC.sub("", word.casefold()))) for word in names
    )


def _thing(subject: list[str]) -> str:
    """Return the key of a subject that is a thing, such as "lamp" in "the lamp goes out"; empty for anything else."""
    words = [word for word in subject if word.casefold() not in _table().articles]
    head = next((n for n, w in enumerate(words) if w.casefold() in _table().prepositions), len(words))
    plain = all(word.casefold() not in function_words() for word in words[:head])
    return object_key(" ".join(words[:head])) if head and plain and head <= _LONGEST_OBJECT else ""
