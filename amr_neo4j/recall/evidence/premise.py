"""Finds what a question takes for granted and an event does not support: who did it, what was done, to what."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile

from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.language.nouns import ContentWord, forms_of
from amr_neo4j.recall.evidence.actors import things_done_to
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# In a text, a thing is at most this many words after its colour: "red racing car".
MOST_WORDS_TO_THING = 2
_ARRIVED = frozenset({"enter", "arrive", "appear", "come"})
# Returns the words of a clause that a report does not support.
Check = Callable[[Clause, Candidate], tuple[str, ...]]


def of_other_colours(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the coloured things of a clause ("red jacket") that an event does not have in that colour.

    A report states every colour. Any other event lacks a colour only if it gives the thing another one.
    """
    texts = [clause.language.words_of(text) for text in described_texts(candidate)] if clause.colours else []
    lacking: list[str] = []
    for colour, thing in clause.colours:
        has_it = any(_has_colour(words, colour, thing, candidate) for words in texts)
        has_any = any(_has_colour(words, None, thing, candidate) for words in texts)
        if not has_it and (candidate.is_report or has_any):
            lacking.append(f"{colour.word} {thing.word}")
    return tuple(lacking)


def of_other_owners(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the owners that a clause names ("Ben's coat"), if an event says only that others own their things."""
    language, lacking = clause.language, list[str]()
    names = {word.word: word.forms for word in clause.names}
    for owner, words in language.owned(clause.text):
        thing = next((names[word] for word in reversed(words) if word in names), frozenset[str]())
        stated = [found for text in described_texts(candidate) for found in language.owned(text)]
        # A pronoun ("her coat") is an empty name here.
        owners = {of for of, things in stated if not thing.isdisjoint(language.all_forms(" ".join(things)))}
        alike = language.forms(owner) | language.kin(owner)
        # "Her coat" may be Anna's only if Anna is in the event.
        may_be_pronoun = "" in owners and not alike.isdisjoint(described_forms(candidate))
        if owner and owners and owners.isdisjoint(alike) and not may_be_pronoun:
            lacking.append(owner)
    return (*lacking, *_not_mine(clause, candidate, names))


def _not_mine(clause: Clause, candidate: Candidate, names: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Return "my" if a clause asks for a thing of whoever asks, and an event says that it is somebody else's."""
    language = clause.language
    mine = language.asking.of_askers.search(clause.text)
    if not mine:
        return ()
    thing = next(
        (names[word] for word in language.words_of(clause.text[mine.end() :]) if word in names), frozenset[str]()
    )
    stated = [found for text in described_texts(candidate) for found in language.owned(text)]
    owners = {of for of, things in stated if not thing.isdisjoint(language.all_forms(" ".join(things)))}
    of_others = owners and "" not in owners and owners.isdisjoint(candidate.askers)
    return (mine[0].casefold(),) if of_others else ()


def of_other_doers(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the person whom a clause takes to have done something ("Did Anna call Ben?"), if others did it."""
    language, asked = clause.language, clause.language.asking.doer.search(clause.text)
    doer = language.person_key(asked["doer"] if asked else "")
    meant = {who for who in clause.persons if doer.is_name and doer.person_id in who.split("_")}
    verbs = clause.verb_forms.union(*(language.kin(word.word) for word in clause.named_verbs))
    doing = {one.actor for one in candidate.event.actions if one.actor and verbs & language.all_forms(one.verb)}
    others = meant and doing and doing.isdisjoint(meant.union(clause.aliases))
    return (doer.person_id,) if others else ()


def of_other_things(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the things of a clause, if the event does the deed only to others of their kind: the other door."""

    def is_other(done_to: str, thing: str) -> bool:
        # "Back door" and "front door" are two; "door" may be either.
        one, two = done_to.split(), thing.split()
        return one[-1:] == two[-1:] and not (set(one) <= set(two) or set(two) <= set(one))

    done = things_done_to(clause, candidate)
    others = done and all(any(is_other(one, thing) for one in done) for thing in clause.objects)
    return clause.objects if others and done.isdisjoint(clause.objects) else ()


def of_other_people(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the words for people of a clause ("to the boy"), if the event says in their place "to a man".

    So it does if nobody else is in the event: "a woman falls" for "Did a man fall?". In "a man helps her up" somebody
    is.
    """
    language, summary, lacking = clause.language, candidate.summary, list[str]()
    forms = language.all_forms(summary)
    alone = [words for words in language.asking.sexes if not words.isdisjoint(forms)]
    others = [who for who in candidate.people if not any(words & language.all_forms(who) for words in alone)]
    people = [words for words in language.asking.sexes if not words.isdisjoint(language.all_forms(clause.text))]
    for asked in people:
        where = language.preposition_of(clause.text, asked)
        told = [
            words for words in language.asking.sexes if where and language.preposition_of(summary, words) == where
        ]
        told = told or ([] if others or language.asking.pronouns.search(summary) else alone)
        if told and asked not in told:
            lacking += [word.word for word in clause.words if word.word in asked]
    return tuple(lacking)


def of_other_manners(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the words for how somebody moves ("Who drove out?"), if the event only says that they moved otherwise.

    "drove" for "Who drove out?" where the event has "walks out".
    """
    language = clause.language
    asked = language.manners(" ".join(word.word for word in clause.words if word.acts or word.moves))
    told = (candidate.summary, *(action.verb for action in candidate.event.actions))
    stated = language.manners(" . ".join(told)) if asked else asked
    if not stated or stated & asked:
        return ()
    return tuple(word.word for word in clause.words if language.manners(word.word))


def of_other_senses(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the verbs by which a clause says that somebody goes, if the event only leaves a thing somewhere."""
    return leaving_things(clause, candidate.event, candidate.people)


def leaving_things(clause: Clause, event: Event, people: Collection[str]) -> tuple[str, ...]:
    """Return what `of_other_senses` does. people: the person_ids of everybody in the event."""
    language = clause.language
    going = [word for word in clause.words if word.word in language.going(clause.text)]
    if not going:
        return ()
    # Without an actor, the object goes by itself: "the van leaves".
    told = [(one.verb, one.object if one.actor else "", one.spatial_relation) for one in event.actions]
    deeds = () if told else language.deeds_in(language.told_in_english(event.summary_text))
    told += [(one.verb, language.object_key(one.object) if one.actor else "", one.where) for one in deeds]
    asked = forms_of(going)
    things = [(verb, thing, where) for verb, thing, where in told if asked & language.all_forms(verb)]
    effects = [language.effect(*each) for each in things if each[1] and each[1] not in people]
    are_put = [effect is not None and effect.moves == "to_place" for effect in effects]
    return tuple(word.word for word in going) if things and len(effects) == len(things) and all(are_put) else ()


def of_other_roles(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the things in or on which a clause says something is, if the event only puts these themselves somewhere.

    That a guard slides the envelope under a door says nothing of what he put in the envelope.
    """
    language, event = clause.language, candidate.event
    effects = [(one.object, language.effect(one.verb, one.object, one.spatial_relation)) for one in event.actions]
    moved = (thing for thing, effect in effects if effect and effect.moves == "to_place")
    # A "glass of wine" itself says what is in the glass.
    put = [language.all_forms(thing.rpartition(" of ")[2]) for thing in moved]
    told = (*(one.spatial_relation for one in event.actions), *event.spatial_descriptions)
    places = language.all_forms(" ".join(told))
    lacking: list[str] = []
    for word in clause.names if put else ():
        # "Packs her bag: she puts in a towel": what else is put may be inside it.
        is_moved = all(not word.forms.isdisjoint(thing) for thing in put) and places.isdisjoint(word.forms)
        is_moved &= language.preposition_of(candidate.summary, word.forms) not in language.asking.carrying
        if is_moved and language.preposition_of(_phrase_of(clause, word), word.forms) in language.asking.carrying:
            lacking.append(word.word)
    return tuple(lacking)


def _phrase_of(clause: Clause, thing: ContentWord) -> str:
    """Return a thing of a clause with its adjectives, its article and the word before these: "in the blue book"."""
    words, language = clause.language.words_of(clause.text), clause.language
    end = next((at for at, word in enumerate(words) if not language.forms(word).isdisjoint(thing.forms)), 0)
    others = {word.word for word in clause.words if word.acts or word.names or word.moves}
    telling = {word.word for word in clause.words} - others
    inside = takewhile(lambda word: word in telling or language.is_determiner(word), reversed(words[:end]))
    return " ".join(words[max(end - len(list(inside)) - 1, 0) : end + 1])


def described_texts(candidate: Candidate) -> tuple[str, ...]:
    """Return the texts of an event: summary, dialogue, persons, objects, and where things are.

    The type of the scene and "as seen by the camera" are left out, because neither says what is in the event.
    """
    event, plain = candidate.event, candidate.language.grammar.without_viewer
    things = (*event.persons, *event.objects, *map(plain, event.spatial_descriptions))
    return (plain(candidate.summary), *event.dialogue_snippets, *things)


def described_forms(candidate: Candidate) -> frozenset[str]:
    """Return the forms of all words of `described_texts`."""
    return candidate.language.all_forms(" . ".join(described_texts(candidate)))


def _has_colour(words: list[str], colour: ContentWord | None, thing: ContentWord, candidate: Candidate) -> bool:
    """Return whether a text, given as its words, gives a thing this colour; with None, whether it gives it any."""
    language, is_colour = candidate.language, candidate.language.asking.is_colour
    names = language.alike(thing)
    for place, word in enumerate(words):
        is_asked = not language.forms(word).isdisjoint(colour.forms) if colour else is_colour(word)
        behind = " ".join(words[place + 1 : place + 1 + MOST_WORDS_TO_THING])
        if is_asked and not language.all_forms(behind).isdisjoint(names):
            return True
    return False


def nobody(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the word for a person in a clause ("somebody", "woman"), if nobody is in the event."""
    asks = clause.language.asking.anybody.search(clause.text)
    described = [word.word for word in clause.words if word.describes_person]
    word = asks[0] if asks else next(iter(described), "")
    return (word,) if word and not candidate.people else ()


def other_parts(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the parts of the picture that a clause names ("on the left") and the summary does not."""
    summary = candidate.summary.casefold()
    asked = clause.language.asking.in_part.finditer(clause.text)
    sides = [clause.language.grammar.part_in_view(each["part"], each["way"]) for each in asked]
    return tuple(words for words in sides if words not in summary)


_CONTRADICTIONS: tuple[Check, ...] = (
    of_other_colours,
    of_other_owners,
    of_other_doers,
    of_other_things,
    of_other_people,
    of_other_manners,
    of_other_senses,
    of_other_roles,
)
CHECKS: tuple[Check, ...] = (*_CONTRADICTIONS, nobody, other_parts)


def contradicted(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the words of a clause that an event contradicts: another colour, owner, doer or thing."""
    return lacks(clause, candidate, *_CONTRADICTIONS)


def lacks(clause: Clause, candidate: Candidate, *checks: Check) -> tuple[str, ...]:
    """Return the words that the first failing check finds; empty if none fails.

    Turns pass every check. Any event but a report may leave things out, so only contradictions count against it.
    """
    if candidate.event.turn:
        return ()
    if not candidate.is_report:
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


def unmet(parsed: ParsedQuestion, clause: Clause, candidate: Candidate, *, exact: bool = False) -> Unmet:
    """Return the words of a clause that an event does not support.

    A verb is always supported by another verb that leaves the thing in the same state. A report of the local analyser
    states colours, so it must have the colours that the clause names.

    exact: if False, a related word supports a word too ("bring" supports "deliver").
    """
    kin: Callable[[str], Collection[str]] = (lambda word: ()) if exact else clause.language.kin
    things = _unsupported_things(parsed, clause, candidate, kin)
    is_done = _does_it(parsed, clause, candidate, kin) and _moves_itself(parsed, clause, candidate)
    verbs = () if is_done else tuple(word.word for word in clause.named_verbs or clause.vague_changes)
    kind = _unnamed_kind(parsed, candidate) if clause is parsed.main else ()
    return Unmet(things or lacks(clause, candidate, *CHECKS) or kind, verbs)


def _unsupported_things(
    parsed: ParsedQuestion, clause: Clause, candidate: Candidate, kin: Callable[[str], Collection[str]]
) -> tuple[str, ...]:
    """Return the clause's words for things and persons that an event does not have. kin: see `unmet`."""
    language, is_report = clause.language, candidate.is_report
    # "When is the box put there": a report is short, so any word that is not a verb is a thing or says how it looks.
    named = [word for word in clause.specific_words if word.names or (is_report and not word.acts)]
    # If an event names people, they need not be called "man" or "woman" there. Only the doer must: somebody did it.
    who = language.asking.doer.search(clause.text)
    doer = who["doer"].casefold() if who and not (candidate.event.turn or is_report) else ""
    named += [w for w in clause.words if w.describes_person and w.word == doer and w not in named]
    # "Who locked the office in the car park" names the scene, "the first car to leave" does not.
    in_scene, preposition_of = language.asking.before_place.fullmatch, language.preposition_of
    scenes = [word for word in named if in_scene(preposition_of(clause.text, word.forms))]
    asked = asked_words(parsed)
    # In "what animals were in the shop", nothing else says what is asked for.
    only_scenes = not clause.named_verbs and all(word in scenes or word.word in asked for word in named)
    needs_asked = only_scenes and parsed.answer_type is AnswerType.EVENT
    # In a report the video's name does not count: a film called "bicycles" need not show one.
    known = described_forms(candidate) if is_report else candidate.forms
    own = known - candidate.features.scene_forms
    lacking: list[str] = []
    for word in named:
        is_needed = (needs_asked or word.word not in asked) and (word.word == doer or not word.describes_person)
        there = known if word in scenes else own
        if is_needed and there.isdisjoint(word.forms.union(kin(word.word))):
            lacking.append(word.word)
    return tuple(lacking)


def _unnamed_kind(parsed: ParsedQuestion, candidate: Candidate) -> tuple[str, ...]:
    """Return the noun of "which gate", if an event has no gate, nor a word for one kind of gate.

    "Which person" is answered by a name, and "which thing" by any event. A name does not say whether Ben is a child
    or a dog. "What advice did she give?" may be answered without the noun, but not "What film did she see?".
    """
    clause, language = parsed.main, parsed.language
    asked = language.asking.which.search(clause.text)
    if (
        not asked
        or (asked["what"] and not language.asking.is_film(asked["kind"]))
        or parsed.attribute
        or parsed.answer_type is AnswerType.MOMENT
    ):
        return ()
    noun = language.words_of(asked["kind"])[-1]
    kind = next((word for word in clause.words if word.word == noun and not word.vague), None)
    if not kind or noun in clause.name_parts or candidate.event.turn:
        return ()
    if not described_forms(candidate).isdisjoint(kind.forms | language.kin(noun)):
        return ()
    return () if candidate.people and language.is_indistinct(noun) else (noun,)


def asked_words(parsed: ParsedQuestion) -> frozenset[str]:
    """Return the words that say what is asked for: "surname", or "bay" in "which bay".

    An answer need not repeat them. It must repeat a kind of thing that memory knows, as in "what tart".
    """
    asked = {*parsed.attribute_words, *parsed.type_words}
    for category in parsed.language.asking.category.finditer(parsed.question.text):
        known = () if category[1].casefold() == "which" else parsed.main.objects
        asked.update(word for word in parsed.language.words_of(category[0]) if word not in known)
    return frozenset(asked)


def lines_of_deeds(parsed: ParsedQuestion, candidate: Candidate) -> list[str]:
    """Return the sentences spoken in an event.

    If the question asks about an action, those that do not report one are dropped:
    "You may go home tomorrow" does not say that anybody went.
    """
    language = parsed.language
    said = [speaker_and_words(line)[1] for line in candidate.event.dialogue_snippets]
    sentences = [sentence for words in said for sentence in language.sentences(words)]
    not_done = language.asking.not_done.search
    return [each for each in sentences if not (parsed.asks_deed and not_done(each))]


def _does_it(
    parsed: ParsedQuestion, clause: Clause, candidate: Candidate, kin: Callable[[str], Collection[str]]
) -> bool:
    """Return whether an event has a verb of the clause, or a related one, or another that leaves the same state."""
    verbs, all_forms, event = clause.named_verbs, clause.language.all_forms, candidate.event
    done = all_forms(" ".join(action.verb for action in event.actions))
    stated = done.union(all_forms(candidate.text), *map(all_forms, lines_of_deeds(parsed, candidate)))
    # All ways of coming in are the same deed here: "walks in" supports "enters".
    if _arrives(clause) and (
        clause.language.asking.arriving.search(candidate.summary) or not stated.isdisjoint(_ARRIVED)
    ):
        return True
    # "Has on" and "is wearing" are reported as "in a black top".
    wears = clause.language.asking.clothes_stated.search
    if verbs and wears(candidate.summary) and all(wears(word.word) for word in verbs):
        return True
    # "Put" fits almost any deed, but not one that leaves the thing in another state: "carries the parcel inside".
    if not verbs and event.actions and clause.effects:
        vague = forms_of(clause.vague_changes).union(*(kin(word.word) for word in clause.vague_changes))
        return bool(clause.effects & candidate.effects) or not stated.isdisjoint(vague)
    # Related verbs do not count for coming and going: "leave" and "enter" may be related, but are opposites.
    related = frozenset[str]().union(*(kin(word.word) for word in verbs if not word.moves))
    # "Ben falls" is not supported by "Ben drops a cup".
    falls = clause.language.asking.falls
    if not falls.isdisjoint(clause.verb_forms) and _is_of_somebody(clause):
        related &= falls
    if not verbs or any(word.forms & stated for word in verbs) or not (done or stated).isdisjoint(related):
        return True
    # A verb that says more than its effect ("steal" for "take") needs its own word.
    plain = not any(clause.language.says_more(word.word) for word in verbs)
    return plain and bool(clause.effects & candidate.effects)


def _is_of_somebody(clause: Clause) -> bool:
    """Return whether a person does the deed of a clause: one before its verb, or whoever is asked for."""
    verb = next((word.word for word in clause.named_verbs), "")
    before = {*takewhile(lambda word: word != verb, clause.language.words_of(clause.text))}
    people = clause.name_parts | {word.word for word in clause.words if word.describes_person}
    return not before.isdisjoint(people) or bool(clause.language.asking.who_did.match(clause.text))


def _moves_itself(parsed: ParsedQuestion, clause: Clause, candidate: Candidate) -> bool:
    """Return whether the thing that comes or goes in the event is the one that the question is about.

    "When did the fog come?" is not answered by "the fog lifts and the lighthouse comes into sight", because the
    lighthouse comes. Returns True for a question that is not about a thing that comes or goes.
    """
    language, verbs = clause.language, clause.named_verbs
    asks_deed = parsed.answer_type in (AnswerType.EVENT, AnswerType.MOMENT, AnswerType.PERSON)
    before = takewhile(lambda word: word != verbs[0].word, language.words_of(clause.text)) if verbs else ()
    subjects = {*before} - clause.name_parts
    things = [word for word in clause.names if word.word in subjects and not word.describes_person]
    if candidate.event.turn or not asks_deed or not things or not all(word.moves for word in verbs):
        return True
    names = language.alike(things[-1])
    done = clause.verb_forms | (_ARRIVED if _arrives(clause) else frozenset[str]())
    for part in re.split(r"[,;:.]", candidate.summary):
        words = language.words_of(part)
        for place, word in enumerate(words):
            # A determiner starts the next noun phrase, to which the verb belongs: "the fog and the lighthouse comes".
            tail = takewhile(lambda word: not language.is_determiner(word), words[place + 1 :])
            is_subject = not names.isdisjoint(language.forms(word))
            if is_subject and not done.isdisjoint(language.all_forms(" ".join(tail))):
                return True
    return False


def _arrives(clause: Clause) -> bool:
    """Return whether a clause says in any words that somebody or something comes."""
    asking, verbs = clause.language.asking, clause.named_verbs
    return bool(asking.arriving.search(clause.text)) or (
        bool(verbs) and all(asking.arrives.fullmatch(word.word) for word in verbs)
    )
