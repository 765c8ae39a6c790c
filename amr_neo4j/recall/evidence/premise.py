"""What a question takes for granted that an event does not bear out: who did it, what was done, to what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# The most words from a colour to what has it in a text: "red racing car".
MOST_WORDS_TO_THING = 2
# Returns the words of a clause that a report does not bear out.
Check = Callable[[Clause, Candidate], tuple[str, ...]]


def of_other_colours(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """The things of a clause, each with its colour ("red jacket"), that have not that colour in any text."""
    language = clause.language
    texts = [language.words_of(text) for text in described_texts(candidate)] if clause.colours else []
    return tuple(
        f"{colour.word} {thing.word}"
        for colour, thing in clause.colours
        if not any(_has_colour(words, colour, thing, candidate) for words in texts)
    )


def described_texts(candidate: Candidate) -> tuple[str, ...]:
    """What says what is in an event; the name of its video says nothing, nor that a camera saw it."""
    event, plain = candidate.event, candidate.language.grammar.without_viewer
    things = (*event.persons, *event.objects, *map(plain, event.spatial_descriptions))
    return (plain(event.summary_text), *event.dialogue_snippets, *things, event.scene_type)


def described_forms(candidate: Candidate) -> frozenset[str]:
    """The forms of the words of these texts."""
    return candidate.language.all_forms(" . ".join(described_texts(candidate)))


def _has_colour(words: list[str], colour: ContentWord, thing: ContentWord, candidate: Candidate) -> bool:
    language = candidate.language
    names = thing.forms | language.kin(thing.word)
    return any(
        language.forms(word).intersection(colour.forms)
        and not language.all_forms(" ".join(words[place + 1 : place + 1 + MOST_WORDS_TO_THING])).isdisjoint(names)
        for place, word in enumerate(words)
    )


def nobody(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """The word of a clause for a person, where there is nobody."""
    asks = clause.language.asking.anybody.search(clause.text)
    described = [word.word for word in clause.words if word.describes_person]
    word = asks[0] if asks else next(iter(described), "")
    return (word,) if word and not candidate.people else ()


def other_parts(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """The parts of the picture that a clause names and that are not told."""
    summary = candidate.event.summary_text.casefold()
    asked = clause.language.asking.in_part.finditer(clause.text)
    sides = [clause.language.grammar.part_in_view(each["part"], each["way"]) for each in asked]
    return tuple(words for words in sides if words not in summary)


CHECKS: tuple[Check, ...] = (of_other_colours, nobody, other_parts)


def lacks(clause: Clause, candidate: Candidate, *checks: Check) -> tuple[str, ...]:
    """What the first of the checks finds that finds anything; empty for what is no report."""
    if not clause.language.grammar.is_as_watched(candidate.event.summary_text):
        return ()
    return next(filter(None, (check(clause, candidate) for check in checks)), ())


@dataclass(frozen=True)
class Unmet:
    """Words of a clause that an event does not bear out. things: for persons and things; verbs: for what is done."""

    things: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.things, *self.verbs)


MET = Unmet()


def unmet(
    parsed: ParsedQuestion,
    clause: Clause,
    candidate: Candidate,
    *,
    exact: bool = False,
) -> Unmet:
    """The words of a clause that an event does not bear out.

    Unless `exact`, a word is borne out by one of its class too ("deliver" by "bring"); a verb always by another that
    leaves the thing in the same state. A report of the local analyser tells colours, so it must have those named.
    """
    is_report = clause.language.grammar.is_as_watched(candidate.event.summary_text)
    # A film that is called "bicycles" need not show one.
    known = described_forms(candidate) if is_report else candidate.forms
    asked = asked_words(parsed)
    kin: Callable[[str], Collection[str]] = (lambda word: ()) if exact else clause.language.kin
    # "when is the box put there": in a short report a word that does not act is a thing, or says how it looks
    things = [w for w in clause.specific_words if w.word not in asked and (w.names or (is_report and not w.acts))]
    lacking = tuple(w.word for w in things if not w.describes_person and known.isdisjoint(w.forms.union(kin(w.word))))
    return Unmet(
        lacking or lacks(clause, candidate, *CHECKS),
        () if _does_it(clause, candidate, kin) else tuple(word.word for word in clause.named_verbs),
    )


def asked_words(parsed: ParsedQuestion) -> frozenset[str]:
    """The words that say what is asked for, which an answer need not repeat: "surname", the "bay" of "which bay"."""
    words_of, text = parsed.language.words_of, parsed.question.text
    found = parsed.language.asking.category.finditer(text)
    return (parsed.attribute_words | parsed.type_words).union(
        word for category in found for word in words_of(category[0])
    )


def _does_it(clause: Clause, candidate: Candidate, kin: Callable[[str], Collection[str]]) -> bool:
    """Whether one of its verbs is stated, itself or a verb of its class, or something else leaves the same state."""
    verbs, all_forms, event = clause.named_verbs, clause.language.all_forms, candidate.event
    done = all_forms(" ".join(action.verb for action in event.actions))
    stated = done.union(all_forms(candidate.text), *map(all_forms, event.dialogue_snippets))
    arriving = clause.language.asking.arriving
    if arriving.search(clause.text) and arriving.search(event.summary_text):
        return True
    wears = clause.language.asking.clothes_stated.search
    if verbs and wears(event.summary_text) and all(wears(word.word) for word in verbs):
        return True
    alike = [form for word in verbs if not word.moves for form in kin(word.word)]
    if not verbs or any(word.forms & stated for word in verbs) or not (done or stated).isdisjoint(alike):
        return True
    plain = not any(clause.language.says_more(word.word) for word in verbs)
    return plain and bool(clause.effects & candidate.effects) and not _ends_on(clause, verbs)


def _ends_on(clause: Clause, verbs: Sequence[ContentWord]) -> bool:
    """Whether a verb of coming or going is the last word ("when did the van leave"): it is done to nothing then."""
    last = clause.language.words_of(clause.text)[-1:]
    return any(word.moves and [word.word] == last for word in verbs)
