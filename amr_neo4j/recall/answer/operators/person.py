"""Who did it, and what they said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from amr_neo4j.language.en.content import all_forms, words_of
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.persons import person_key
from amr_neo4j.language.en.sentences import joined
from amr_neo4j.recall.answer.claim import Claim, called, line_about, spoken, when
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.score import overlap

MOST = 3


def persons(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """Those who did it: of the best event, and others of events that meet the question as fully."""
    clause = parsed.main
    if clause.persons and not clause.objects and not clause.action_words:
        return  # "who is the man in the yellow jacket": whoever else is there is not the answer
    one_holder = clause.objects and not clause.action_words
    seen: set[str] = set()
    for candidate in chosen:
        people = [who for who in _doers(candidate, clause) if who not in clause.persons]
        as_good = not seen or (not one_holder and overlap(clause, candidate) == 1.0)
        if as_good and not seen.issuperset(people):
            seen.update(people)
            names = joined([called(candidate, who) for who in people])
            yield Claim(f"{names}, {when(candidate)}: {candidate.event.summary_text.rstrip('. ')}", candidate)
        if len(seen) >= MOST:
            return


def _doers(candidate: Candidate, clause: Clause) -> list[str]:
    """Who did what is asked: by the actions, else by the words; else everybody there."""
    asked = {form for word in clause.words for form in word.forms}
    actions = [action for action in candidate.event.actions if action.actor and action.actor not in clause.persons]
    doing = [action for action in actions if asked & all_forms(action.verb)]
    on_it = [action for action in actions if object_key(action.object) in clause.objects]
    both = [action.actor for action in doing if action in on_it]
    found = both or [*_subjects(candidate, clause)] or [action.actor for action in on_it or doing]
    return list(dict.fromkeys(found or candidate.people))


def _subjects(candidate: Candidate, clause: Clause) -> Iterator[str]:
    """Those whose name stands right before a word of the question: "Clara called at noon"."""
    asked = {form for word in clause.action_words for form in word.forms}
    for text in (candidate.event.summary_text, *(spoken(line)[1] for line in candidate.event.dialogue_snippets)):
        words = words_of(text)
        after = {name: all_forms(verb) for name, verb in pairwise(words)}
        for who in candidate.people:
            if who not in clause.persons and asked & after.get(who.split("_")[-1], frozenset()):
                yield who


def speech(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The line that bears on the question, from the likeliest event that has one; else what its people say there."""
    lines = [(c, line) for c in chosen if (line := line_about(c, parsed.main))]
    lines += [(c, line) for c in chosen for line in c.event.dialogue_snippets]
    said = [(c, line) for c, line in lines if _is_by(line, parsed.main)]
    for candidate, line in (said or lines)[:1]:
        speaker, words = spoken(line)
        yield Claim(f"{speaker or 'somebody'} said, {when(candidate)}: “{words}”", candidate)


def _is_by(line: str, clause: Clause) -> bool:
    return person_key(spoken(line)[0]).person_id in clause.persons if spoken(line)[0] else False
