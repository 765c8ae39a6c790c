"""Finds what a question takes for granted and an event does not support: who did it, what was done, to what."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.evidence.actors import things_done_to
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# In a text, a thing is at most this many words after its colour: "red racing car".
MOST_WORDS_TO_THING = 2
_ARRIVED = frozenset({"enter", "arrive", "appear", "come"})
# Returns the words of a clause that a report does not support.
Check = Callable[[Clause, Candidate], tuple[str, ...]]


def of_other_colours(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the things of a clause with their colours ("red jacket") that no text of the event has that way.

    A report states colours. Any other event lacks one only if it states that the thing has another.
    """
    language = clause.language
    texts = [language.words_of(text) for text in described_texts(candidate)] if clause.colours else []
    is_report = language.grammar.is_as_watched(candidate.event.summary_text)
    return tuple(
        f"{colour.word} {thing.word}"
        for colour, thing in clause.colours
        if not any(_has_colour(words, colour, thing, candidate) for words in texts)
        and (is_report or any(_has_colour(words, None, thing, candidate) for words in texts))
    )


def of_other_owners(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the owners that a clause names ("Ben's coat") if an event gives their things to others alone.

    "Her coat" may be Anna's only if she is in the event.
    """
    language, lacking = clause.language, list[str]()
    names = {word.word: word.forms for word in clause.names}
    for owner, words in language.owned(clause.text):
        thing = next((names[word] for word in reversed(words) if word in names), frozenset[str]())
        theirs = [
            of
            for text in described_texts(candidate)
            for of, things in language.owned(text)
            if not thing.isdisjoint(language.all_forms(" ".join(things)))
        ]
        alike = language.forms(owner) | language.kin(owner)
        is_there = not alike.isdisjoint(described_forms(candidate))
        if owner and theirs and not any(of in alike if of else is_there for of in theirs):
            lacking.append(owner)
    return tuple(lacking)


def of_other_doers(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the person of whom a clause asks a deed ("Did Anna call Ben?"), if the event lists it as another's."""
    language, asked = clause.language, clause.language.asking.doer.search(clause.text)
    doer = language.person_key(asked["doer"] if asked else "")
    meant = {who for who in clause.persons if doer.is_name and doer.person_id in who.split("_")}
    verbs = clause.verb_forms.union(*(language.kin(word.word) for word in clause.named_verbs))
    doing = {one.actor for one in candidate.event.actions if one.actor and verbs & language.all_forms(one.verb)}
    others = meant and doing and doing.isdisjoint(meant.union(clause.aliases))
    return (doer.person_id,) if others else ()


def of_other_things(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the things of a clause if an event lists its deed with others of their kind alone: the other door."""

    def is_other(done_to: str, thing: str) -> bool:
        one, two = done_to.split(), thing.split()
        return one[-1:] == two[-1:] and not (set(one) <= set(two) or set(two) <= set(one))

    done = things_done_to(clause, candidate)
    others = done and all(any(is_other(one, thing) for one in done) for thing in clause.objects)
    return clause.objects if others and done.isdisjoint(clause.objects) else ()


def described_texts(candidate: Candidate) -> tuple[str, ...]:
    """Return the texts that say what is in an event, without the type of its scene and "as seen by the camera"."""
    event, plain = candidate.event, candidate.language.grammar.without_viewer
    things = (*event.persons, *event.objects, *map(plain, event.spatial_descriptions))
    return (plain(event.summary_text), *event.dialogue_snippets, *things)


def described_forms(candidate: Candidate) -> frozenset[str]:
    """Return the forms of the words of `described_texts`."""
    return candidate.language.all_forms(" . ".join(described_texts(candidate)))


def _has_colour(words: list[str], colour: ContentWord | None, thing: ContentWord, candidate: Candidate) -> bool:
    """Return whether a text gives a thing this colour, or any colour if it is None."""
    language, is_colour = candidate.language, candidate.language.asking.is_colour
    names = thing.forms | language.kin(thing.word)
    return any(
        (language.forms(word).intersection(colour.forms) if colour else is_colour(word))
        and not language.all_forms(" ".join(words[place + 1 : place + 1 + MOST_WORDS_TO_THING])).isdisjoint(names)
        for place, word in enumerate(words)
    )


def nobody(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the word of a clause for a person, if nobody is in the event."""
    asks = clause.language.asking.anybody.search(clause.text)
    described = [word.word for word in clause.words if word.describes_person]
    word = asks[0] if asks else next(iter(described), "")
    return (word,) if word and not candidate.people else ()


def other_parts(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the parts of the picture that a clause names and the summary does not."""
    summary = candidate.event.summary_text.casefold()
    asked = clause.language.asking.in_part.finditer(clause.text)
    sides = [clause.language.grammar.part_in_view(each["part"], each["way"]) for each in asked]
    return tuple(words for words in sides if words not in summary)


_CONTRADICTIONS: tuple[Check, ...] = (of_other_colours, of_other_owners, of_other_doers, of_other_things)
CHECKS: tuple[Check, ...] = (*_CONTRADICTIONS, nobody, other_parts)


def contradicted(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the words of a clause to which an event states something else: colour, owner, doer, thing."""
    return lacks(clause, candidate, *_CONTRADICTIONS)


def lacks(clause: Clause, candidate: Candidate, *checks: Check) -> tuple[str, ...]:
    """Return the words that the first failing check finds; empty if none fails.

    An event that is no report of the local analyser may leave out anything, so only what it contradicts is checked.
    """
    if candidate.event.turn:
        return ()
    if not clause.language.grammar.is_as_watched(candidate.event.summary_text):
        checks = tuple(check for check in checks if check in _CONTRADICTIONS)
    return next(filter(None, (check(clause, candidate) for check in checks)), ())


@dataclass(frozen=True)
class Unmet:
    """Words of a clause that an event does not support.

    things: the words for persons and things.
    verbs: the words for what is done.
    """

    things: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words for persons and things, then those for what is done."""
        return (*self.things, *self.verbs)


def unmet(
    parsed: ParsedQuestion,
    clause: Clause,
    candidate: Candidate,
    *,
    exact: bool = False,
) -> Unmet:
    """Return the words of a clause that an event does not support.

    exact: if False, a related word supports a word too ("bring" supports "deliver").
    A verb is always supported by another verb that leaves the thing in the same state. A report of the local analyser
    states colours, so it must have the colours that the clause names.
    """
    is_report = clause.language.grammar.is_as_watched(candidate.event.summary_text)
    # In a report the video's name does not count: a film called "bicycles" need not show one.
    known = described_forms(candidate) if is_report else candidate.forms
    asked = asked_words(parsed)
    kin: Callable[[str], Collection[str]] = (lambda word: ()) if exact else clause.language.kin
    # "When is the box put there": a report is short, so any word that is not a verb is a thing or says how it looks.
    # Who did it need not be called a man or a woman, if an event names people, but somebody must be there.
    who = clause.language.asking.doer.search(clause.text)
    doer = who["doer"].casefold() if who and not (candidate.event.turn or is_report) else ""
    named = [w for w in clause.specific_words if w.names or (is_report and not w.acts)]
    named += [w for w in clause.words if w.describes_person and w.word == doer and w not in named]
    # "Who locked the office in the car park" names the scene, "the first car to leave" does not.
    own = known - candidate.features.scene_forms
    before_place, preposition_of = clause.language.asking.before_place, clause.language.preposition_of
    scenes = [w for w in named if before_place.fullmatch(preposition_of(clause.text, w.forms))]
    # In "what animals were in the shop", nothing else says what is asked for.
    only_scenes = not clause.named_verbs and all(w in scenes or w.word in asked for w in named)
    things = [w for w in named if w.word not in asked or (only_scenes and parsed.answer_type is AnswerType.EVENT)]
    lacking = tuple(
        word.word
        for word in things
        if (word.word == doer or not word.describes_person)
        and (known if word in scenes else own).isdisjoint(word.forms.union(kin(word.word)))
    )
    verbs = tuple(word.word for word in clause.named_verbs or clause.vague_changes)
    return Unmet(
        lacking or lacks(clause, candidate, *CHECKS) or _unnamed_kind(parsed, candidate),
        () if _does_it(clause, candidate, kin) and _moves_itself(parsed, clause, candidate) else verbs,
    )


def _unnamed_kind(parsed: ParsedQuestion, candidate: Candidate) -> tuple[str, ...]:
    """Return the noun of "which gate", if an event has it without saying which one: "he ran up to the gate".

    "Gate C3", "the left gate" and a kind of gate say so. So may a line of dialogue with all else that is asked.
    """
    language, asked = parsed.language, parsed.language.asking.which.search(parsed.question.text)
    if not asked or parsed.attribute or candidate.event.turn:
        return ()
    kind, said = asked["kind"].casefold(), {*language.words_of(parsed.question.text)}
    if not described_forms(candidate).isdisjoint(language.kin(kind)):
        return ()
    others = [word.forms for word in parsed.whole.specific_words if word.word != kind]
    for text in described_texts(candidate):
        words = ["", *language.words_of(text), ""]
        for before, word, behind in zip(words, words[1:], words[2:], strict=False):
            is_told = (before and language.is_telling(before) and before not in said) or language.is_label(behind)
            if is_told and not language.forms(kind).isdisjoint(language.forms(word)):
                return ()
        if text in candidate.event.dialogue_snippets and others:
            forms = language.all_forms(text)
            if not any(forms.isdisjoint(other) for other in others):
                return ()
    return (asked["kind"],)


def asked_words(parsed: ParsedQuestion) -> frozenset[str]:
    """Return the words that say what is asked for ("surname", "bay" in "which bay").

    An answer need not repeat them, unless it is asked what thing of a kind that memory knows ("what tart").
    """
    words_of, text, things = parsed.language.words_of, parsed.question.text, parsed.main.objects
    found = parsed.language.asking.category.finditer(text)
    return (parsed.attribute_words | parsed.type_words).union(
        word
        for category in found
        for word in words_of(category[0])
        if category[1].casefold() == "which" or word not in things
    )


def _does_it(clause: Clause, candidate: Candidate, kin: Callable[[str], Collection[str]]) -> bool:
    """Return whether an event has a verb of the clause, or a related one, or another that leaves the same state."""
    verbs, all_forms, event = clause.named_verbs, clause.language.all_forms, candidate.event
    done = all_forms(" ".join(action.verb for action in event.actions))
    stated = done.union(all_forms(candidate.text), *map(all_forms, event.dialogue_snippets))
    # All ways of coming in are the same deed here: "walks in" supports "enters".
    if _arrives(clause) and (
        clause.language.asking.arriving.search(event.summary_text) or not stated.isdisjoint(_ARRIVED)
    ):
        return True
    # "Has on" and "is wearing" are reported as "in a black top".
    wears = clause.language.asking.clothes_stated.search
    if verbs and wears(event.summary_text) and all(wears(word.word) for word in verbs):
        return True
    # "Put" fits almost any deed, but not one that leaves the thing in another state: "carries the parcel inside".
    if not verbs and event.actions and clause.effects:
        vague = [word.forms.union(kin(word.word)) for word in clause.vague_changes]
        return bool(clause.effects & candidate.effects) or not stated.isdisjoint(frozenset[str]().union(*vague))
    # Related verbs do not count for coming and going: "leave" and "enter" may be related, but are opposites.
    related = [kin(word.word) for word in verbs if not word.moves]
    alike = frozenset[str]().union(*related)
    if not verbs or any(word.forms & stated for word in verbs) or not (done or stated).isdisjoint(alike):
        return True
    # A verb that says more than its effect ("steal" for "take") needs its own word.
    plain = not any(clause.language.says_more(word.word) for word in verbs)
    return plain and bool(clause.effects & candidate.effects) and not _ends_on(clause, verbs)


def _moves_itself(parsed: ParsedQuestion, clause: Clause, candidate: Candidate) -> bool:
    """Return whether a thing of which a question only says that it comes or goes is what does so in the event.

    "When did the fog come?": in "the fog lifts and the lighthouse comes into sight", the lighthouse does. No
    determiner may stand between a thing and its verb.
    """
    language, verbs, words = clause.language, clause.named_verbs, candidate.language.words_of
    asks_deed = parsed.answer_type in (AnswerType.EVENT, AnswerType.MOMENT, AnswerType.PERSON)
    before = takewhile(lambda word: word != verbs[0].word, words(clause.text)) if verbs else ()
    moved = {*before} - clause.name_parts
    things = [word for word in clause.names if word.word in moved and not word.describes_person]
    if candidate.event.turn or not asks_deed or not things or not all(word.moves for word in verbs):
        return True
    names = things[-1].forms | language.kin(things[-1].word)
    done = clause.verb_forms | (_ARRIVED if _arrives(clause) else frozenset[str]())
    parts = map(words, re.split(r"[,;:.]", candidate.event.summary_text))
    behind = [
        part[place + 1 :]
        for part in parts
        for place, word in enumerate(part)
        if not names.isdisjoint(language.forms(word))
    ]
    tails = (" ".join(takewhile(lambda word: not language.is_determiner(word), tail)) for tail in behind)
    return any(not done.isdisjoint(language.all_forms(tail)) for tail in tails)


def _arrives(clause: Clause) -> bool:
    """Return whether a clause says that somebody or something comes, in any words for it."""
    asking, verbs = clause.language.asking, clause.named_verbs
    return bool(asking.arriving.search(clause.text)) or (
        bool(verbs) and all(asking.arrives.fullmatch(word.word) for word in verbs)
    )


def _ends_on(clause: Clause, verbs: Sequence[ContentWord]) -> bool:
    """Return whether a verb of coming or going is the last word, and so has no object: "when did the van leave"."""
    last = clause.language.words_of(clause.text)[-1:]
    return any(word.moves and [word.word] == last for word in verbs)
