"""Reads what the events of a film show: who and what is in view, how many, and how surely."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from amr_neo4j.domain.video import is_track
from amr_neo4j.language.nouns import ContentWord, forms_of
from amr_neo4j.recall.evidence.premise import (
    described_forms,
    lacks,
    of_other_colours,
    of_other_manners,
    of_other_senses,
    other_parts,
)
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# A number is at most this many words before its noun: "two large white plates".
MOST_WORDS_TO_NOUN = 3
# Something that goes on for long is divided among clips, so events with the same summary count as one stretch if the
# pause between them is at most this long.
PAUSE_SEC = 1.0
# The beginning and the end of a film are this long.
END_SEC = 5.0


def of_films(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the events of videos, in chronological order."""
    return chronological(candidate for candidate in candidates if not candidate.event.turn)


def is_heard(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event answers a question for what is heard.

    It is a sound, or tells of one ("the phone rings"), or has spoken words, unless a noise is asked for.
    """
    event, asking = candidate.event, parsed.language.asking
    asked = asking.of_sound.search(parsed.main.text)
    is_talk = bool(event.dialogue_snippets) and not (asked and asked["noise"])
    return event.heard or is_talk or not asking.sounds.isdisjoint(candidate.forms)


def are_watched(candidates: Iterable[Candidate]) -> bool:
    """Return whether every film has reports of the local analyser; False if there is no film."""
    films = [candidate for candidate in candidates if not candidate.event.turn]
    reports = {c.event.video_id for c in films if c.is_report}
    return bool(films) and reports.issuperset(c.event.video_id for c in films)


def is_watched(candidates: Iterable[Candidate]) -> bool:
    """Return whether any event is a report of the local analyser."""
    return any(c.is_report for c in candidates)


def are_reports(candidates: Iterable[Candidate]) -> bool:
    """Return whether any event is a report of the local analyser. Events of imported tracks do not count."""
    return is_watched(c for c in candidates if not any(map(is_track, c.event.clip_ids)))


def stretches(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    """Return the events of films in chronological order, grouped into stretches.

    The events of a stretch have the same summary and follow each other without a pause.
    """
    found: list[list[Candidate]] = []
    for candidate in of_films(candidates):
        before, event = found[-1][-1].event if found else None, candidate.event
        goes_on = (
            before
            and (before.video_id, before.summary_text) == (event.video_id, event.summary_text)
            and event.time_start - before.time_end <= PAUSE_SEC
        )
        if goes_on:
            found[-1].append(candidate)
        else:
            found.append([candidate])
    return found


def untold_looks(parsed: ParsedQuestion, candidate: Candidate) -> tuple[str, ...]:
    """Return the words of a question for a sex or an age, which a report of the local analyser does not state."""
    if parsed.main.persons or not candidate.is_report:
        return ()
    described = [word for word in parsed.main.words if word.describes_person]
    return tuple(word.word for word in described if not _has(word, candidate))


def people_in(candidate: Candidate) -> frozenset[str]:
    """Return the person_ids of everybody seen in an event. A hand alone is not a person, nor is a dog."""
    language = candidate.language
    hand, people = language.codes.hand, candidate.people.items()
    return frozenset(who for who, name in people if hand not in (who, name) and not language.is_animal(name))


def people_meant(parsed: ParsedQuestion, candidate: Candidate) -> frozenset[str]:
    """Return the people of an event to whom the question refers.

    If there are several and the question names colours, these are the people whose look has the colours.
    """
    people, language = people_in(candidate), candidate.language
    colours = [word.forms for word in parsed.main.words if parsed.language.asking.is_colour(word.word)]
    if len(people) < 2 or not colours:
        return people
    # The names of unnamed people are their looks: "girl in a black hoodie".
    looks = {who: language.all_forms(candidate.people[who]) for who in people}
    return frozenset(who for who, look in looks.items() if not any(map(look.isdisjoint, colours)))


def at_an_end(parsed: ParsedQuestion, films: Sequence[Candidate]) -> list[Candidate]:
    """Return the events of the beginning or the end of each film, if the question asks for it; else all."""
    if parsed.order not in (Order.FIRST, Order.LAST):
        return list(films)
    of_video: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in films:
        of_video[candidate.event.video_id].append(candidate)
    if parsed.order is Order.FIRST:
        starts = {video: min(c.event.time_start for c in film) + END_SEC for video, film in of_video.items()}
        return [c for c in films if c.event.time_start <= starts[c.event.video_id]]
    ends = {video: max(c.event.time_end for c in film) - END_SEC for video, film in of_video.items()}
    return [c for c in films if c.event.time_end >= ends[c.event.video_id]]


def shows(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event has everything that a question names, does what it says, and does not deny it."""
    asking, summary = parsed.language.asking, candidate.summary
    if asking.denied.search(summary) or not _does_all(parsed, candidate):
        return False
    # A hand alone is not somebody in view, but what a hand does is done by somebody.
    people = candidate.people if deeds(parsed) else people_in(candidate)
    others = bool(asking.others.search(parsed.main.text))
    if asking.anybody.search(parsed.main.text) and len(people) < 1 + others:
        return False
    return not unseen(parsed, candidate)


def shows_somebody(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event has everything except the sex or age of the person in question."""
    described = {word.word for word in parsed.main.words if word.describes_person}
    lacking = unseen(parsed, candidate)
    return bool(lacking and people_in(candidate)) and described.issuperset(lacking) and _does_all(parsed, candidate)


def deeds(parsed: ParsedQuestion) -> list[ContentWord]:
    """Return the words of a question for what somebody does, including vague verbs such as "take".

    The noun that is counted and verbs for wearing and seeing are left out, because they are no deeds.
    """
    counted = parsed.language.asking.counted.search(parsed.main.text)
    nouns = parsed.language.words_of(counted[0]) if counted else []
    asking = parsed.language.asking
    describes = (
        asking.worn.__contains__,
        asking.perceived.fullmatch,
        asking.clothes_stated.fullmatch,
    )
    acting = [word for word in parsed.main.words if (word.acts or word.moves) and word.word not in nouns]
    return [word for word in acting if not any(says(word.word) for says in describes)]


def _does_all(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event states each verb of the question, or another verb that leaves the same state."""
    language, event = parsed.language, candidate.event
    stated = language.all_forms(candidate.summary).union(*(language.all_forms(each.verb) for each in event.actions))
    # The question's verb is read without its thing and place: "put" into a bin is placed there, and discarded here.
    effects = [language.effect(each.verb, each.object, each.spatial_relation) for each in event.actions]
    effects += [language.effect(each.verb) for each in event.actions]
    left = {(done.kind, done.to_state) for done in effects if done and done.to_state}
    words = language.words_of(parsed.main.text)

    def leaves_it(word: ContentWord) -> bool:
        if word.moves:  # a person who leaves does nothing to a thing
            return False
        asked = language.transition(" ".join(words[words.index(word.word) :])) if word.word in words else None
        return bool(asked and asked.to_state and (asked.kind, asked.to_state) in left)

    wears = language.asking.clothes_stated.search
    if any(wears(word.word) for word in parsed.main.words) and not wears(candidate.summary):
        return False
    # Whoever is in view has come there. Only a report states each arrival, and some questions ask for just that.
    asking, doing = language.asking, deeds(parsed)
    tells_of_coming = candidate.is_report or asking.arriving.search(parsed.main.text)
    if people_in(candidate) and not tells_of_coming:
        doing = [word for word in doing if not asking.arrives.fullmatch(word.word)]
    return all(not word.forms.isdisjoint(stated) or leaves_it(word) for word in doing)


def unseen_looks(parsed: ParsedQuestion, candidate: Candidate) -> tuple[str, ...]:
    """Return the words that describe an unnamed person in the question and that an event does not have."""
    main = parsed.main
    if main.persons or not any(word.describes_person for word in main.words):
        return ()
    return unseen(parsed, candidate)


def unseen(parsed: ParsedQuestion, candidate: Candidate) -> tuple[str, ...]:
    """Return the words for the people and things of a question, and for their looks, that an event does not have.

    A colour must belong to its thing: an event with black trousers does not have a "black car".
    """
    # "In the street" may be where the camera is. A film called "bicycles" need not show one.
    clause, in_scene = parsed.main, parsed.language.asking.before_place.fullmatch
    scene = [
        word
        for word in _said_of_it(parsed)
        if not candidate.is_report
        and in_scene(clause.language.preposition_of(clause.text, word.forms))
        and not word.forms.isdisjoint(candidate.forms)
    ]
    lacking = tuple(word.word for word in _said_of_it(parsed) if word not in scene and not _has(word, candidate))
    lacking = lacking or of_other_colours(parsed.main, candidate)
    return lacking or lacks(parsed.main, candidate, other_parts, of_other_manners, of_other_senses)


def is_doubted(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event names something of the question only with "perhaps"."""
    language, summary = parsed.language, candidate.summary
    doubted = [language.all_forms(thing) for thing in language.grammar.things_in_doubt(summary)]
    anybody = language.asking.anybody
    if anybody.search(parsed.main.text) and any(map(anybody.search, language.grammar.things_in_doubt(summary))):
        return True
    asked = forms_of(word for word in parsed.main.words if not word.moves)
    return any(not asked.isdisjoint(thing) for thing in doubted)


def at_once(forms: Collection[str], candidate: Candidate, words: Sequence[str] = ()) -> int:
    """Return how many of a kind the text of an event names: the sum of the numbers before its noun.

    forms: the forms of the noun. A noun without a number counts as one.
    words: the part of the text that counts; by default, all of it.
    """
    language = candidate.language
    words = words or language.words_of(language.grammar.without_viewer(candidate.summary))
    total = 0
    for place, word in enumerate(words):
        if not language.forms(word).isdisjoint(forms):
            before = words[max(0, place - MOST_WORDS_TO_NOUN) : place]
            # "Two large white plates": of several numbers before the noun, the nearest belongs to it.
            numbers = [number for each in before if (number := language.number(each)) is not None]
            total += numbers[-1] if numbers else 1
    return total


def _said_of_it(parsed: ParsedQuestion) -> list[ContentWord]:
    """Return the words for the people and things of a question and for how they look.

    Verbs and words for anybody ("person") are left out.
    """
    anybody, asks = parsed.language.asking.anybody, parsed.type_words
    words = [w for w in parsed.main.words if not w.acts and not w.moves and w.word not in asks]
    return [w for w in words if w.describes_person or not (w.vague or anybody.fullmatch(w.word))]


def _has(word: ContentWord, candidate: Candidate) -> bool:
    kin = frozenset[str]() if word.describes_person else candidate.language.kin(word.word)
    return not described_forms(candidate).isdisjoint(word.forms | kin)
