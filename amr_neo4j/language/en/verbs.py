"""Knows what a verb does to its object: the state that it needs, the state that it leaves, where the object goes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from pydantic import BaseModel, ConfigDict, model_validator

from amr_neo4j.language.en.words import verb_lemmas
from amr_neo4j.language.nouns import Moves, Transition
from amr_neo4j.tables import Table, load

Phrase = tuple[str, ...]
_THROW_AWAY: Phrase = ("throw", "away")
_GO = "go"


class _Effect(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: tuple[str, ...]
    kind: str | None = None
    from_state: str | None = None
    to_state: str | None = None
    moves: Moves | None = None


class _Sense(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    phrase: str
    means: str
    objects: frozenset[str]
    placeless: bool = False


class VerbTable(Table):
    """verbs.yaml. The comments in the file explain its keys."""

    kinds: dict[str, tuple[str, ...]]
    effects: tuple[_Effect, ...]
    senses: tuple[_Sense, ...]
    skip: frozenset[str]
    aspects: frozenset[str]
    general: frozenset[str]
    bins: frozenset[str]
    thrown: frozenset[str]
    particles: frozenset[str]

    @model_validator(mode="after")
    def _is_consistent(self) -> VerbTable:
        verbs = [verb for effect in self.effects for verb in effect.verbs]
        if twice := {verb for verb in verbs if verbs.count(verb) > 1}:
            raise ValueError(f"verbs listed twice: {sorted(twice)}")
        for effect in self.effects:
            states = {*self.kinds.get(effect.kind or "", ()), None}
            if not {effect.from_state, effect.to_state} <= states:
                raise ValueError(f"{effect.verbs[0]}: a state that its kind does not have")
        if unknown := {sense.means for sense in self.senses} - set(verbs):
            raise ValueError(f"senses of verbs that are not listed: {sorted(unknown)}")
        return self

    def transitions(self) -> dict[Phrase, Transition]:
        """Return {words of a verb: what it does}, with keys such as ("pick", "up")."""
        return {
            tuple(verb.split()): Transition(verb, effect.from_state, effect.to_state, effect.kind, effect.moves)
            for effect in self.effects
            for verb in effect.verbs
        }


@dataclass(frozen=True)
class _Verbs:
    """The verb table with its indexes.

    by_head: {first word: phrases that begin with it, the longest first}.
    senses: {(phrase, object): the sense that the phrase has of it}.
    """

    table: VerbTable
    transitions: dict[Phrase, Transition]
    by_head: dict[str, list[Phrase]]
    senses: dict[tuple[str, str], _Sense]


@cache
def _verbs() -> _Verbs:
    table = load("amr_neo4j.language.en", "verbs.yaml", VerbTable)
    transitions = table.transitions()
    by_head: dict[str, list[Phrase]] = {}
    # The longest first, so that "pick up" is tried before "pick".
    for phrase in sorted(transitions, key=len, reverse=True):
        by_head.setdefault(phrase[0], []).append(phrase)
    senses = {(sense.phrase, thing): sense for sense in table.senses for thing in sense.objects}
    return _Verbs(table, transitions, by_head, senses)


def known_verbs() -> tuple[Transition, ...]:
    """Return every entry of the verb table."""
    return tuple(_verbs().transitions.values())


@lru_cache(maxsize=8192)
def transition(verb: str, thing: str = "", where: str | None = None) -> Transition | None:
    """Return what a verb does to its object; None if the verb is unknown or denied ("does not open").

    verb: in any inflected or phrasal form ("picked the phone up"). If it is several ("picks up and opens"), the last
        one that changes something counts.
    thing: the object's key, if known: putting on a jacket is not putting on a lid.
    where: the words for the place; empty if none is said, or None if that is not known. What is put into a bin is
        thrown away.
    """
    readings = [reading for words in _clauses(verb) if (reading := _read(words, thing, where))]
    changing = [reading for reading in readings if reading.to_state]
    found = (changing or readings or [None])[-1]
    return _verbs().transitions[_THROW_AWAY] if found and where is not None and _discards(found, where) else found


def _discards(change: Transition, where: str) -> bool:
    """Return whether a thing is put into a bin, or thrown with no place named except "away"."""
    table, words = _verbs().table, re.findall(r"\w+", where.casefold())
    into_a_bin = change.moves == "to_place" and not table.bins.isdisjoint(words)
    return into_a_bin or (change.lemma in table.thrown and words[:1] in ([], ["away"]))


def states_meant(change: Transition) -> tuple[str, ...]:
    """Return the states that a question with this verb asks for: "moved" asks for taken and handed on, too."""
    if change.lemma in _verbs().table.general:
        return _verbs().table.kinds[change.kind or ""]
    return (change.to_state,) if change.to_state else ()


@lru_cache(maxsize=8192)
def kinds_of_state(word: str) -> frozenset[str]:
    """Return the kinds of state of which a word is one, itself or as a verb's participle: "shut" -> {"open"}."""
    done = transition(word)
    states = {word, done.to_state if done and not done.moves else word}
    return frozenset(kind for kind, some in _verbs().table.kinds.items() if not states.isdisjoint(some))


@cache
def of_two_senses() -> frozenset[str]:
    """Return the verbs that say of a place that somebody goes, and of a thing that it stays there: "leave"."""
    table = _verbs().table
    return frozenset(each.phrase for each in table.senses if each.means == _GO)


@lru_cache(maxsize=8192)
def lemma(verb: str) -> str:
    """Return a verb's base form with its particle: "picks up" -> "pick up". An unknown word is returned as it is."""
    if reading := transition(verb):
        return reading.lemma
    head, *rest = next(_clauses(verb), [verb])
    return " ".join([next(iter(verb_lemmas(head)), head), *rest])


def _clauses(verb: str) -> Iterator[list[str]]:
    """Yield the words of each verb phrase of a text, beginning with its verb."""
    # Analysers write verbs as "pick_up" and "pick-up" too.
    plain = re.sub(r"[-_/]+", " ", unicodedata.normalize("NFC", verb.casefold()))
    for clause in re.split(r"[,;.]|\band\b|\bthen\b", plain):
        if words := _from_the_verb_on(re.findall(r"[\w']+", clause)):
            yield words


def _from_the_verb_on(words: list[str]) -> list[str]:
    """Return the words from the main verb on: without words such as "slowly", and verbs such as "begins" in "begins
    to cut".
    """
    table = _verbs().table
    while len(words) > 1:
        head, following = words[:2]
        manner = head.endswith("ly") and not verb_lemmas(head)
        aspect = table.aspects & {*verb_lemmas(head)} and (following == "to" or following.endswith("ing"))
        if not (head in table.skip or manner or aspect):
            break
        words = words[1:]
    return words


def _read(words: list[str], thing: str, where: str | None) -> Transition | None:
    verbs = _verbs()
    for head in verb_lemmas(words[0]):
        for phrase in verbs.by_head.get(head, ()):
            if _fits(phrase[1:], tuple(words[1:])):
                return _sense(verbs.transitions[phrase], thing, where)
    return None


def _sense(found: Transition, thing: str, where: str | None) -> Transition:
    """Return the sense of a verb for this thing, or for its head noun ("coat" for "green coat")."""
    verbs = _verbs()
    senses = (verbs.senses.get((found.lemma, kind)) for kind in (thing, thing.rpartition(" ")[2]))
    meant = next((each.means for each in senses if each and (where == "" or not each.placeless)), found.lemma)
    return verbs.transitions[tuple(meant.split())]


def _fits(particles: Phrase, rest: Phrase) -> bool:
    """Return whether the particles of a verb fit the rest of the phrase.

    They must follow the verb or end the phrase. A single one that the table lists in `particles` may stand anywhere.
    """
    if not particles or rest[: len(particles)] == particles or rest[-len(particles) :] == particles:
        return True
    return len(particles) == 1 and particles[0] in _verbs().table.particles and particles[0] in rest
