"""Cuts a sentence into clauses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, join
from amr_neo4j.turn_reader.normalise import is_name, is_unaccented_name
from amr_neo4j.turn_reader.subjects import does_something, role_opening, role_phrase

_HEADS = frozenset({":", "-", "–", "—"})
"""After a noun phrase, these stand for "is": "my job: nurse"."""

_MOST_WORDS_OF_ITEM = 4
"""Most words of one thing of a list."""
_OPEN = 2
"""A clause of this many words may have its subject and its verb and nothing else yet."""


@dataclass(frozen=True, slots=True)
class TurnClause:
    """One clause of a sentence.

    joined: it continues the clause before and may share its subject.
    relative: it is about what was mentioned last ("who ...").
    """

    line: Line
    joined: bool = False
    relative: bool = False


def clauses(
    kit: LanguageKit,
    line: Line,
    *,
    states: Callable[[Line], bool],
    continues: Callable[[Line, Line], bool],
    lists: Callable[[Line, Line], bool],
) -> list[TurnClause]:
    """Cut a sentence at those conjunctions and commas after which a clause of its own begins.

    states: returns whether a part states something, though its subject may be left out.
    continues: takes a clause and the part after it; returns whether that part, which has no verb, says something with
        the verb of the clause.
    lists: takes a clause, and the mark and the part after it as one line; returns whether these go on with a list in
        it.
    """
    # Each part either begins a new clause or is joined to the clause before: as the rest of its verb, its object or
    # list.
    made: list[TurnClause] = []
    is_cut = False
    parts = list(_sentences(kit, line, states))
    for number, (mark, bare_part) in enumerate(parts):
        part = _supposed(kit, mark, bare_part)
        denied = join(mark, part) if kit.patterns.negations.match(mark.folded) else part
        # Kept for the next part that is not empty: "but, and he sings".
        is_cut = is_cut or bool(kit.patterns.breaks.match(mark.folded))
        if not part.folded.strip():
            continue
        is_relative = bool(mark.folded and kit.patterns.relatives.match(mark.folded))
        if not made:
            made.append(TurnClause(denied, relative=is_relative))
            is_cut = False
            continue
        before = made[-1]
        whole = replace(before, line=join(before.line, mark, part))
        is_inside = _is_inside_phrase(kit, before.line, mark, part) or lists(before.line, join(mark, part))
        if is_inside or (not is_relative and _goes_on(kit, made, mark, part, states) and states(whole.line)):
            made[-1] = whole
        else:
            is_new = is_relative or is_cut or states(part) or not _is_listed(kit, parts[number:])
            is_new = is_new or _begins_clause(kit, before.line, mark, part) or _has_subject(kit, part)
            is_cut = False
            if is_new or _is_somebody(kit, part) or continues(before.line, part):
                made.append(TurnClause(denied, joined=True, relative=is_relative))
            else:
                made[-1] = whole
    return made


def _goes_on(
    kit: LanguageKit, made: list[TurnClause], mark: Line, part: Line, states: Callable[[Line], bool]
) -> bool:
    """Return whether a part may belong to the last clause, which still lacks its verb or an object of it."""
    if len(mark.folded.split()) != 1:  # a mark of several words begins another clause
        return False
    before = made[-1].line
    is_heading = mark.folded.strip() in _HEADS
    if _is_subject(kit, before, states, is_heading=is_heading):
        return True
    # "My son called, [he lives in Rome]": the verb is complete, though it could take an object.
    is_complete = not is_heading and kit.patterns.joins.match(mark.folded) and _has_subject(kit, part)
    if _is_open(kit, before) and not is_complete:
        return True
    return len(made) == 1 and mark.folded.strip() != "," and _is_first(kit, before, part, states)


def _is_inside_phrase(kit: LanguageKit, before: Line, mark: Line, part: Line) -> bool:
    """Return whether a conjunction is inside a verb form or a hedge: "born and raised", "more or less"."""
    if mark.folded.strip() == ",":
        return False
    cut, whole = len(before.folded), join(before, mark, part).folded
    found = chain(kit.joined_verbs.finditer(whole), kit.patterns.hedges.finditer(whole))
    return any(phrase.start() < cut < phrase.end() for phrase in found)


def _is_listed(kit: LanguageKit, parts: list[tuple[Line, Line]]) -> bool:
    """Return whether the first of these parts may be one more thing of a list: "and jazz", ", tea and jazz"."""
    mark, part = parts[0]
    words = part.folded.split()
    if len(words) > _MOST_WORDS_OF_ITEM or any(word in kit.words.finite for word in words[1:]):
        return False
    if part.written[0].islower() and words[0] in kit.words.finite - kit.words.speaker - kit.others.keys():
        return False  # "[is a teacher and] never sleeps"
    if mark.folded.strip() != ",":
        return True
    return (
        len(parts) > 1
        and len(parts[1][1].folded.split()) <= _MOST_WORDS_OF_ITEM
        and kit.patterns.joins.match(parts[1][0].folded) is not None
    )


def _begins_clause(kit: LanguageKit, before: Line, mark: Line, part: Line) -> bool:
    """Whether a verb or a denial follows a conjunction: "[a son] and sings in a choir", "[I cook] and never bake"."""
    if not kit.patterns.joins.match(mark.folded) or mark.folded.strip() == ",":
        return False
    if kit.patterns.negations.match(part.folded):
        return kit.patterns.negations.search(before.folded) is None
    return begins_with_verb(kit, part)


def begins_with_verb(kit: LanguageKit, line: Line) -> bool:
    """Return whether a common verb begins a phrase, after adverbs and clitics."""
    words = line.written.split()
    skipped = kit.words.between | kit.words.fillers
    at = next((number for number, word in enumerate(words) if fold(word) not in skipped), len(words))
    if at == len(words) or words[at] not in kit.words.conjugated:
        return False
    is_open = at + 1 < len(words) and fold(words[at + 1]) in kit.words.closed
    return bool(at) or is_open or (kit.table.paradigms is not None and kit.table.paradigms.alone)


def _supposed(kit: LanguageKit, mark: Line, part: Line) -> Line:
    """Return the part with its conjunction if the two form a condition ("and if"); else the part alone."""
    is_condition = kit.patterns.conditions.match(join(mark, part).folded) and not kit.patterns.conditions.match(
        part.folded
    )
    return join(mark, part) if part.folded.strip() and is_condition else part


def _is_subject(kit: LanguageKit, line: Line, states: Callable[[Line], bool], *, is_heading: bool) -> bool:
    """Return whether a part is a noun phrase alone, the first of two subjects: "my cousin Declan [and I ran]"."""
    words = line.folded.split()
    if len(words) > 4 or any(word in kit.words.finite for word in words[1:]):
        return False
    is_owned = kit.patterns.possessives.match(line.folded) is not None or words[0] in kit.words.speaker
    if not is_heading and does_something(kit, line):
        return False
    if not is_heading and not is_owned and not (_begins_name(kit, line) and is_name(kit, line)):
        return False
    return is_unaccented_name(kit, line) or not states(line)


def _is_open(kit: LanguageKit, line: Line) -> bool:
    """Return whether a part ends in a verb that has yet to be completed: "Croydon is [where I live]"."""
    words = line.folded.split()
    return (
        1 < len(words) <= _MOST_WORDS_OF_ITEM and words[-1] in kit.words.finite and words[-1] not in kit.words.speaker
    )


def _begins_name(kit: LanguageKit, line: Line) -> bool:
    return line.written[0].isupper() or line.folded.split()[0] in kit.words.first_names


def _is_first(kit: LanguageKit, line: Line, part: Line, states: Callable[[Line], bool]) -> bool:
    """Return whether a part is the first of two objects before their verb: "tea [and coffee I love]"."""
    words, following = line.folded.split(), part.folded.split()
    if len(words) > 3 or any(word in kit.words.finite or word in kit.words.speaker for word in words):
        return False
    if following[0] in kit.words.speaker or following[0] in kit.others or kit.patterns.possessives.match(part.folded):
        return False
    if kit.words.speaker.isdisjoint(following[1:]):
        return False
    return (
        not kit.patterns.leads.fullmatch(line.folded)
        and not kit.patterns.fillers.fullmatch(line.folded)
        and not states(line)
    )


def _is_somebody(kit: LanguageKit, line: Line) -> bool:
    """Whether a part has a person of its own as its subject: "my brother Tom", "my mum still will not let me"."""
    owned = kit.patterns.possessives.match(line.folded)
    if owned and any(word in kit.words.finite for word in line.folded.split()[1:]):
        return True
    rest = line.after(owned.end()) if owned else None
    role = (role_phrase(kit, rest) or role_opening(kit, rest)) if rest else None
    return role is not None and bool(role[1].folded)


def _has_subject(kit: LanguageKit, line: Line) -> bool:
    words = line.folded.split(maxsplit=2)
    if kit.patterns.articles.match(line.folded):
        return False
    return (
        len(words) > 1
        and (words[0] in kit.words.speaker or words[0] in kit.others)
        and words[1] not in kit.words.never_object
    )


def _sentences(kit: LanguageKit, line: Line, states: Callable[[Line], bool]) -> Iterator[tuple[Line, Line]]:
    for mark, part in _parts(kit, line):
        for number, one in enumerate(_sentences_in(kit, part, states)):
            yield (Line("; ", "; ") if number else mark), one


def _parts(kit: LanguageKit, line: Line) -> list[tuple[Line, Line]]:
    parts: list[tuple[Line, Line]] = []
    mark, at = Line("", ""), 0
    numbers = [found.span() for found in kit.patterns.numbers.finditer(line.folded)]
    for match in kit.patterns.any_break.finditer(line.folded):
        if any(start < match.start() < end for start, end in numbers) or _is_adverb(kit, line, at, match):
            continue
        parts.append((mark, line.part(at, match.start())))
        mark, at = line.part(match.start(), match.end()), match.end()
    parts.append((mark, line.after(at)))
    return parts


def _is_adverb(kit: LanguageKit, line: Line, at: int, match: re.Match[str]) -> bool:
    """Whether a conjunction stands between a verb and what completes it: "[ich wohne] aber [seit Mai in Ulm]"."""
    if not kit.patterns.breaks.match(match[0]) or not match[0].replace(" ", "").isalpha():
        return False
    before = line.part(at, match.start()).written.split()
    return 0 < len(before) <= _OPEN and before[-1].lower() in kit.words.verbs and before[-1].islower()


def _is_statement(kit: LanguageKit, line: Line, states: Callable[[Line], bool]) -> bool:
    words = line.folded.split()
    return states(line) or (len(words) > 2 and words[1] in kit.words.finite)


def _sentences_in(kit: LanguageKit, line: Line, states: Callable[[Line], bool]) -> Iterator[Line]:
    """Yield the sentences of a line without punctuation: "my name is Ahmed | i am 32 | i live in Berlin"."""
    at, before = 0, ""
    for match in re.finditer(r"[^ ]+ ", line.folded):
        word, start = match[0].strip(), match.start()
        is_new = start > at and word in kit.words.nominative and before not in kit.words.stopwords
        before = word
        if is_new and states(line.part(at, start)) and _is_statement(kit, line.after(start), states):
            yield line.part(at, start)
            at = start
    yield line.after(at)
