"""Finds who did what a clause asks, and in which event."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from amr_neo4j.domain.event import speaker_and_words
from amr_neo4j.language.nouns import forms_of
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.retrieve.candidate import Candidate

MAX_PERSONS = 3
# "Feeds the hungry little grey cat": this many words may be between a verb and its thing.
_WORDS_TO_THING = 4


def actors_asked_for(
    clause: Clause, events: Sequence[Candidate], besides: Collection[str] = ()
) -> Iterator[tuple[Candidate, list[str]]]:
    """Yield (event, person_ids of those who did it): the first event that has any, and later ones that match fully.

    besides: persons whom the question means by "me", who are no answer, like those whom the clause names.
    Yields nothing for "who is the man in the yellow jacket", because the other people in the event are not the
    answer.
    """
    # "Who has the keys" has one answer, that of the first event.
    asks_for_holder = clause.objects and not clause.action_words
    had_once = clause.language.asking.had_once.search(clause.text)
    if clause.persons and not clause.objects and not clause.action_words:
        return
    seen: set[str] = set()
    for candidate in events:
        actors = [who for who in actors_of(candidate, clause) if who not in clause.persons and who not in besides]
        # Whoever gives a thing away does not have it afterwards, and an action does not say who was given it. Nor
        # does a caption of which no action was read: "Ben looks at the key, then takes it".
        is_caption = not (candidate.event.turn or candidate.event.lists_actions or candidate.is_report)
        is_unknown = _gives_away(candidate, clause) or (is_caption and candidate.people and not actors)
        if asks_for_holder and not (had_once or clause.named_verbs) and is_unknown:
            return
        # A second event adds people only if it matches fully: a weaker match may be about another deed.
        as_good = not seen or (not asks_for_holder and _matches_fully(candidate, clause))
        if as_good and actors and not seen.issuperset(actors):
            seen.update(actors)
            yield candidate, actors
        if len(seen) >= MAX_PERSONS:
            return


def _gives_away(candidate: Candidate, clause: Clause) -> bool:
    """Return whether an action of an event gives a thing of the clause to somebody."""
    language = clause.language
    things = [language.forms(thing.split()[-1]) for thing in clause.objects]
    for action in candidate.event.actions:
        # "The helmet" may be the red one.
        is_of_thing = any(language.all_forms(action.object) & thing for thing in things)
        if is_of_thing and not language.asking.gives_away.isdisjoint(language.all_forms(action.verb)):
            return True
    return False


def people_at_place(clause: Clause, events: Sequence[Candidate]) -> list[tuple[Candidate, list[str]]]:
    """Return [(event, person_ids)] of the first event that states who is at the place that a clause names last.

    A part of the summary must name somebody before "at the door": to do something to the door is not to be at it. If
    the place is the scene itself, everybody in the event is there.
    """
    language, place = clause.language, clause.names[-1].forms if clause.names else frozenset[str]()
    asked = language.preposition_of(clause.text, place)
    for candidate in events:
        # The question names the scene itself ("Who is in the kitchen?").
        if place & language.all_forms(f"{candidate.event.scene_type} {candidate.event.place}") and candidate.people:
            return [(candidate, list(candidate.people))]
        # Split where another statement may begin, so that "Anna waves and Ben stands at the door" puts only Ben
        # there.
        for part in re.split(r"[,;:]| and | while ", candidate.summary):
            before = language.words_of(part)
            at = [n for n, word in enumerate(before) if place & language.forms(word)]
            stated = bool(at) and language.preposition_of(part, place) == asked
            people = [who for who in candidate.people if stated and who.split("_")[-1] in before[: at[0]]]
            if people:
                return [(candidate, people)]
    return []


def _matches_fully(candidate: Candidate, clause: Clause) -> bool:
    has_words = bool(clause.words) and all(not word.forms.isdisjoint(candidate.forms) for word in clause.words)
    done_to = things_done_to(clause, candidate)
    return has_words and not (clause.objects and done_to and done_to.isdisjoint(clause.objects))


def things_done_to(clause: Clause, candidate: Candidate) -> set[str]:
    """Return the keys of the objects of an event's actions with a verb of the clause."""
    language, verbs = clause.language, clause.verb_forms
    actions = (action for action in candidate.event.actions if action.object)
    return {language.object_key(one.object) for one in actions if verbs & language.all_forms(one.verb)}


def things_done_in_words(candidate: Candidate, clause: Clause) -> frozenset[str]:
    """Return the things to which a caption says that the deed of a clause is done: the cat in "feeds the cat Mimi".

    Only the plain ones among the sentences of captions were read into actions. The verb of the others has to be right
    before the thing, and no infinitive: "forgets to feed the cat" tells of no deed. "Who has the key?" names no verb:
    any deed that moves the thing is meant.
    """
    event, language, verbs = candidate.event, clause.language, clause.verb_forms
    if event.turn or event.lists_actions or candidate.is_report:
        return frozenset()
    if not verbs and not language.asking.who_did.match(clause.text):
        return frozenset()
    words, found = language.words_of(event.summary_text), set[str]()
    for place, word in enumerate(words):
        for thing in clause.objects if word != language.lemma(word) else ():
            parts = thing.split()
            after = words[place + 1 :][: _WORDS_TO_THING + len(parts)]
            change = None if verbs else language.transition(" ".join([word, *after]), thing)
            is_deed = bool(verbs & language.forms(word) or (change and change.moves))
            if is_deed and language.all_forms(" ".join(after)) >= {*parts}:
                found.add(thing)
    return frozenset(found)


def actors_of(candidate: Candidate, clause: Clause) -> list[str]:
    """Return who did what the clause asks.

    The event's actions come first, then its words ("Clara called"), then the only person in it. If several people are
    merely there, nobody is returned, because that would be a guess.
    """
    all_forms, object_key = clause.language.all_forms, clause.language.object_key
    asked = forms_of(clause.words)
    actions = [action for action in candidate.event.actions if action.actor and action.actor not in clause.persons]
    doing = [action for action in actions if asked & all_forms(action.verb)]
    on_it = [action for action in actions if object_key(action.object) in clause.objects]
    # The words state the deed but no action does, so an action with the same object may be another deed.
    stated_elsewhere = any(not word.forms.isdisjoint(candidate.forms) for word in clause.action_words) and not doing
    both = [action.actor for action in doing if action in on_it]
    found = (
        both or [*_subjects(candidate, clause)] or [action.actor for action in on_it or doing if not stated_elsewhere]
    )
    asks_who_it_is = clause.language.asking.who_somebody_is.match(clause.text) and not clause.named_verbs
    of_speaker = candidate.event.turn and not (asks_who_it_is or _tells_of_another(candidate, clause))
    # "Who was seasick" has no deed or thing by which the only person would be meant.
    only_described = clause.specific_words and not (clause.named_verbs or clause.names or clause.objects)
    # "My sister waters the basil" and "a woman opens me the door" have the wearer alone, who does neither.
    told = candidate.language.first_person
    is_for_wearer = not candidate.event.turn and told.concerns(candidate.summary) and not told.acts(candidate.summary)
    is_meant = not only_described and len(candidate.people) == 1 and not is_for_wearer
    if not found and (of_speaker or (not candidate.event.turn and is_meant)):
        found = list(candidate.people)
    return list(dict.fromkeys(found))


def _tells_of_another(candidate: Candidate, clause: Clause) -> bool:
    """Return whether a turn says no "I" before what the clause asks for: "George Orwell wrote 1984".

    A deed that a turn does not name may still be the speaker's, but not what somebody is or has.
    """
    language = clause.language
    asked = forms_of(clause.action_words or clause.specific_words)
    for sentence in language.sentences(candidate.summary):
        words = language.words_of(sentence)
        before = next((words[:n] for n, word in enumerate(words) if asked & language.all_forms(word)), None)
        if before is not None:
            return not language.asking.speaker.search(" ".join(before))
    return not clause.named_verbs


def _subjects(candidate: Candidate, clause: Clause) -> Iterator[str]:
    """Yield the people whose name is right before a verb of the clause: "Clara called at noon".

    A text counts only if it has all the words of the clause that the event has, or a pronoun that may stand for one.
    """
    had = [word.forms for word in clause.specific_words if not word.forms.isdisjoint(candidate.forms)]
    asked = forms_of(clause.action_words)
    stands_for = clause.language.asking.pronouns
    event, all_forms, words_of = candidate.event, clause.language.all_forms, clause.language.words_of
    for text in (event.summary_text, *(speaker_and_words(line)[1] for line in event.dialogue_snippets)):
        if any(forms.isdisjoint(all_forms(text)) for forms in had) and not stands_for.search(text):
            continue
        after = {name: all_forms(verb) for name, verb in pairwise(words_of(text))}
        for who in candidate.people:
            if who not in clause.persons and asked & after.get(who.split("_")[-1], frozenset()):
                yield who
