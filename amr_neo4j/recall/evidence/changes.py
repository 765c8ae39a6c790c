"""Finds what actions do to things, by the verb table: where they were put, how they were left, who has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest

from amr_neo4j.domain.event import Action, speaker_and_words
from amr_neo4j.language.nouns import ContentWord, Transition, forms_of
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# An answer names at most this many things, events of a history, and moves of an itinerary.
MAX_THINGS = 5
MAX_HISTORY = 3
MAX_MOVES = 10
# The words of a place that are read for what may hold a thing.
_MOST_WORDS = 12


@dataclass(frozen=True)
class StateChange:
    """An action that leaves a thing in another state or place. thing: the object's key."""

    candidate: Candidate
    action: Action
    thing: str
    effect: Transition


@dataclass(frozen=True)
class Placement:
    """The change that brought a thing to where it is.

    stated: if `change` names no place, the latest change before it that put the thing at a named place.
    """

    change: StateChange
    stated: StateChange | None = None


@dataclass(frozen=True)
class ToldState:
    """An event that tells how a thing is, in its caption or in a line of its dialogue. line: empty if the caption."""

    candidate: Candidate
    line: str


def changes_in(candidate: Candidate) -> Iterator[StateChange]:
    """Yield the changes of an event, in order."""
    language = candidate.language
    for action in candidate.event.actions:
        thing = language.object_key(action.object)
        effect = language.effect(action.verb, thing, action.spatial_relation)
        # An action without an effect in the verb table ("look at the keys") changes nothing.
        if effect and effect.to_state and language.words_of(thing):
            yield StateChange(candidate, action, thing, effect)


def placements(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[Placement]:
    """Return for each thing in question the change that put it in its place or gave it to its holder.

    events: the latest first if the question is about the last place.
    """
    clause, moved = parsed.main, _moves(parsed.main, events)
    if parsed.asks_deed and clause.action_words and not clause.effects:
        # "Where did Ben find the key?" is not answered by the hook on which he hangs it then.
        verbs = frozenset[str]().union(*map(clause.language.alike, clause.action_words))
        moved = [change for change in moved if verbs & clause.language.all_forms(change.action.verb)]
    put = [change for change in moved if change.effect.moves == "to_place"]
    # "Where did Anna put the keys" is not about who took them since.
    asks_for_putting = any(state == "placed" for _, _, state in clause.effects)
    of_things = _first_of_each_thing(put if asks_for_putting else moved)[:MAX_THINGS]
    return [Placement(change, _stated_place(change, put)) for change in of_things]


def carried(change: StateChange, events: Sequence[Candidate]) -> list[StateChange]:
    """Return the later changes that moved a thing together with its container.

    If the passport was put into the folder, and the folder later into the suitcase, the second change is returned,
    then the last move of the suitcase, and so on.
    """
    found: list[StateChange] = []
    while change.effect.moves == "to_place" and len(found) < MAX_THINGS:
        in_order = chronological([each for each in events if each.event.place == change.candidate.event.place])
        later = in_order[in_order.index(change.candidate) + 1 :] if change.candidate in in_order else []
        later_changes = [each for candidate in later for each in changes_in(candidate)]
        moved = [each for each in later_changes if _carries(each, change)]
        if not moved or moved[-1].thing in {each.thing for each in found}:
            break
        change = moved[-1]
        found.append(change)
    return found


def carried_things(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[list[StateChange]]:
    """Return for each thing whose place is asked for the change that put it there, then those that carried it on.

    The list is empty if the question does not ask where something is now.
    """
    if parsed.answer_type is not AnswerType.PLACE or not is_about_the_last(parsed):
        return []
    placed = placements(parsed, chronological(events, latest_first=True))
    return [[each.change, *carried(each.change, events)] for each in placed]


def possible_holders(change: StateChange) -> set[str]:
    """Return the keys of objects that carry the thing with them if they are moved: "folder", "blue folder"."""
    language = change.candidate.language
    where = change.action.spatial_relation if change.effect.moves == "to_place" else ""
    words = language.words_of(where)[:_MOST_WORDS]
    spans = combinations(range(len(words) + 1), 2)
    keys = {language.object_key(" ".join(words[start:end])) for start, end in spans}
    return {key for key in keys if _holds(key, change)}


def _carries(moved: StateChange, put: StateChange) -> bool:
    """Return whether `moved` moves the thing into or onto which `put` put another thing."""
    return bool(moved.effect.moves) and _holds(moved.thing, put)


def _holds(key: str, put: StateChange) -> bool:
    """Return whether an object is the one into or onto which `put` put another thing."""
    language = put.candidate.language
    where, thing = map(language.told_in_english, (put.action.spatial_relation, key))
    forms, words, said = language.all_forms(where), language.words_of(thing), language.words_of(where)
    if not words or key == put.thing or not all(word in forms for word in words):
        return False
    # What is put "in the coffee cup" moves with the cup and not with the coffee: only heads of noun phrases count.
    # What is put "in the folder upstairs" moves with the folder, although "upstairs" is the last word.
    names = {word.word: word.names for word in language.content_words(where)}
    pairs = zip_longest(said, said[1:], fillvalue="")
    heads = [word for word, after in pairs if after not in names or (names.get(word) and not names[after])]
    named = words[-1] in frozenset[str]().union(*map(language.all_forms, heads))
    return named and language.preposition_of(where, frozenset(words)) in language.asking.carrying


def _stated_place(change: StateChange, put: Iterable[StateChange]) -> StateChange | None:
    """Return the first change of `put` for the same thing that names a place; None if `change` names one itself."""
    if change.action.spatial_relation or change.effect.moves != "to_place":
        return None
    return next((other for other in put if other.thing == change.thing and other.action.spatial_relation), None)


def state_changes(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[StateChange]:
    """Return the first change of the kind that the question names ("open": opened or closed), else of another state.

    The list is empty if there is none. Where a thing was put does not say whether it is broken, nor does its being
    filled.
    """
    language, clause = parsed.language, parsed.main
    asked = language.all_forms(clause.text)
    found = _changes_of(clause, events)
    of_kind = [change for change in found if asked & {change.effect.to_state, change.effect.from_state}]
    if of_kind or parsed.answer_type is not AnswerType.STATE:
        return (of_kind or [change for change in found if not change.effect.moves])[:1]
    things = frozenset(" ".join(clause.objects).split())
    words = [word for word in language.words_of(clause.text) if word not in things]
    kinds = frozenset[str]().union(*map(language.kinds_of_state, words))
    return [change for change in found if not change.effect.moves and (not kinds or change.effect.kind in kinds)][:1]


def told_state(parsed: ParsedQuestion, events: Sequence[Candidate]) -> ToldState | None:
    """Return the first telling of the state that the question asks for, unless a change of state comes before it.

    A caption or a line may say how the thing is: "The back door is closed again" for "Is the back door open?". If the
    question names a state, only one of its kind counts: "The back door is green" tells nothing of open or closed.
    """
    told = next((found for each in events for found in told_states(parsed.main, each)), None)
    changed = state_changes(parsed, events)
    if told and changed and events.index(changed[0].candidate) <= events.index(told.candidate):
        return None
    return told


def told_states(clause: Clause, candidate: Candidate) -> Iterator[ToldState]:
    """Yield where an event tells the state of a thing that a clause asks for, as `told_state` says."""
    language = clause.language
    things = [language.words_of(key.replace("_", " ")) for key in clause.objects]
    things = things or [[word.word for word in clause.words if word.names]]
    named = frozenset[str]().union(*(language.forms(word) for words in things for word in words))
    asked = [word for word in clause.words if not word.vague and word.forms.isdisjoint(named)]
    # "Is the door in the hall open?" is not told by the door of the kitchen.
    where = [word.word for word in asked if word.names and not language.kinds_of_state(word.word)]
    for line in ("", *candidate.event.dialogue_snippets):
        text = candidate.language.told_in_english(speaker_and_words(line)[1] or candidate.summary)
        if not language.all_forms(text).issuperset(where):
            continue
        for thing, state in language.states_told(text, said=bool(line)):
            forms, named_last = language.all_forms(" ".join(thing)), language.forms(thing[-1])
            # "The fridge door" is no fridge.
            is_meant = any(forms.issuperset(words) and not named_last.isdisjoint(words) for words in things)
            if is_meant and (not asked or _is_of_kind(state, asked, clause)):
                yield ToldState(candidate, line)


def _is_of_kind(state: str, asked: Sequence[ContentWord], clause: Clause) -> bool:
    """Return whether a state is the one asked for, or another of the same kind: closed for "open"."""
    language = clause.language
    kinds, forms = language.kinds_of_state(state), language.forms(state)
    named = [word for word in asked if not forms.isdisjoint(language.alike(word))]
    return bool(named) or any(kinds & language.kinds_of_state(word.word) for word in asked)


def history(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[Candidate]:
    """Return the last events that changed the things in question, the earliest first.

    events: the latest first.
    """
    found = {change.candidate.node_id: change.candidate for change in _changes_of(parsed.main, events)}
    return list(found.values())[:MAX_HISTORY][::-1]


def moves(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[StateChange]:
    """Return every change of place or holder of the things in question, in the order of the events."""
    return _moves(parsed.main, events)


def contents(parsed: ParsedQuestion, events: Sequence[Candidate], besides: Collection[str] = ()) -> list[StateChange]:
    """Return the changes that put things at a place and that no later change undid, the latest first.

    If there are none, return the changes that once put things there or took them from there.
    besides: things that are known to be there already; only things that are still there are added to them.
    """
    named = forms_of(parsed.main.names)
    preposition_of, taken_from = parsed.language.preposition_of, parsed.language.asking.taken_from
    asked = preposition_of(parsed.main.text, named)
    moved = [change for change in _last_first(events) if change.effect.moves]
    wheres = [parsed.language.told_in_english(change.action.spatial_relation) for change in moved]
    prepositions = [(preposition_of(where, named), change) for where, change in zip(wheres, moved, strict=True)]
    there = [change for preposition, change in prepositions if preposition == asked]
    # "What was in the drawer?" may be answered by what was taken out of it.
    there = there or [change for preposition, change in prepositions if preposition in taken_from]
    put = [change for change in there if change.effect.moves == "to_place"]
    # A thing remains if its latest move is the one that put it there.
    remaining = [change for change in _first_of_each_thing(moved) if change in put]
    if besides:
        return [change for change in remaining if change.thing not in besides][: MAX_THINGS - len(besides)]
    return (remaining or _first_of_each_thing(put or there))[:MAX_THINGS]


def is_about_the_last(parsed: ParsedQuestion) -> bool:
    """Return whether the question asks for the last change, as it does unless it names another one."""
    return parsed.order in (None, Order.LAST)


def _moves(clause: Clause, events: Sequence[Candidate]) -> list[StateChange]:
    return [change for change in _changes_of(clause, events) if change.effect.moves]


def _changes_of(clause: Clause, events: Sequence[Candidate]) -> list[StateChange]:
    """Return the changes of the things that a clause names. If the doers it names made some, return only those."""
    found = [change for change in _last_first(events) if change.thing in clause.objects]
    # "Where did Anna put the keys": what Ben did to them counts only if Anna did nothing.
    return [change for change in found if change.action.actor in clause.doers] or found


def _last_first(events: Sequence[Candidate]) -> Iterator[StateChange]:
    """Yield the changes in the order of the events; within an event the last change first."""
    for candidate in events:
        yield from reversed(list(changes_in(candidate)))


def _first_of_each_thing(changes: Sequence[StateChange]) -> list[StateChange]:
    first: dict[str, StateChange] = {}
    for change in changes:
        first.setdefault(change.thing, change)
    return list(first.values())
