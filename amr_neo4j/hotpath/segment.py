"""Clauses of a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amr_neo4j.hotpath.language_kit import LanguageKit
from amr_neo4j.hotpath.lines import Line, join
from amr_neo4j.hotpath.normalise import is_name
from amr_neo4j.hotpath.subjects import role_opening, role_phrase

_HEADS = frozenset({":", "-", "–", "—"})
"""After a noun phrase, these stand for "is"."""


@dataclass(frozen=True, slots=True)
class Clause:
    """joined: continues the clause before and may share its subject. relative: is about what was mentioned last."""

    line: Line
    joined: bool = False
    relative: bool = False


def clauses(kit: LanguageKit, line: Line, states: Callable[[Line], bool]) -> list[Clause]:
    """Cuts a sentence at conjunctions and commas, where the next part is a clause of its own.

    states: whether a part states something, given that its subject may be left out.
    """
    made: list[Clause] = []
    is_cut = False
    for mark, bare_part in _parts(kit, line):
        part = _supposed(kit, mark, bare_part)
        is_cut = is_cut or bool(kit.hard_breaks.match(mark.folded))
        if not part.folded.strip():
            continue
        is_relative = bool(mark.folded and kit.relatives.match(mark.folded))
        if (
            made
            and not is_relative
            and _is_subject(kit, made[-1].line, states, is_heading=mark.folded.strip() in _HEADS)
            and states(whole := join(made[-1].line, mark, part))
        ):
            made[-1] = Clause(whole, made[-1].joined, made[-1].relative)
            continue
        is_new = not made or is_relative or is_cut or states(part)
        is_cut = False
        if is_new or _has_subject(kit, part) or _names_somebody(kit, part):
            made.append(Clause(part, joined=bool(made), relative=is_relative))
        else:
            last = made[-1]
            made[-1] = Clause(join(last.line, mark, part), last.joined, last.relative)
    return made


def _supposed(kit: LanguageKit, mark: Line, part: Line) -> Line:
    """The part with its conjunction where that makes it a condition."""
    is_condition = kit.conditions.match(join(mark, part).folded) and not kit.conditions.match(part.folded)
    return join(mark, part) if part.folded.strip() and is_condition else part


def _is_subject(kit: LanguageKit, line: Line, states: Callable[[Line], bool], *, is_heading: bool) -> bool:
    """Whether a part is a noun phrase alone, the first of two subjects: "my cousin Declan [and I ran]"."""
    words = line.folded.split()
    if len(words) > 4 or any(word in kit.finite for word in words[1:]):
        return False
    is_owned = kit.possessives.match(line.folded) is not None or words[0] in kit.speaker
    if not is_heading and not is_owned and not (line.written[0].isupper() and is_name(kit, line)):
        return False
    return not states(line)


def _names_somebody(kit: LanguageKit, line: Line) -> bool:
    """Whether a part is "my brother Tom", or "my brother, Tom" as its next part tells."""
    owned = kit.possessives.match(line.folded)
    rest = line.part(owned.end(), len(line.folded)) if owned else None
    role = (role_phrase(kit, rest) or role_opening(kit, rest)) if rest else None
    return role is not None and bool(role[1].folded)


def _has_subject(kit: LanguageKit, line: Line) -> bool:
    words = line.folded.split(maxsplit=2)
    if kit.articles.match(line.folded):
        return False
    return len(words) > 1 and (words[0] in kit.speaker or words[0] in kit.others) and words[1] not in kit.never_object


def _parts(kit: LanguageKit, line: Line) -> list[tuple[Line, Line]]:
    parts: list[tuple[Line, Line]] = []
    mark, at = Line("", ""), 0
    numbers = [found.span() for found in kit.numbers.finditer(line.folded)]
    for match in kit.breaks.finditer(line.folded):
        if any(start < match.start() < end for start, end in numbers):
            continue
        parts.append((mark, line.part(at, match.start())))
        mark, at = line.part(match.start(), match.end()), match.end()
    parts.append((mark, line.part(at, len(line.folded))))
    return parts
