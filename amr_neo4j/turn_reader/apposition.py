"""Names set off by commas, put where the frames expect them: "my sister, Ana, lives" and "Ana, my sister, lives"."""

from __future__ import annotations

import re

from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold
from amr_neo4j.turn_reader.normalise import bare, edges, is_name
from amr_neo4j.turn_reader.subjects import looks_named

_MOST = 12
"""Names tried in a line."""


def without_apposition(kit: LanguageKit, line: Line) -> Line:
    """The line with "my sister Ana" for either order; the same line where there is none."""
    patterns = (
        kit.role_patterns.role_then_name,
        kit.role_patterns.name_then_role,
        kit.role_patterns.name_and_role,
        kit.role_patterns.name_beside_role,
        kit.role_patterns.name_after,
    )
    for pattern in patterns:
        line = _joined(kit, line, pattern)
    return line


def _joined(kit: LanguageKit, line: Line, pattern: re.Pattern[str]) -> Line:
    at = 0
    for _ in range(_MOST):
        match = pattern.search(line.folded, at)
        if match is None:
            break
        name = _without_fillers(kit, edges(line.part(*match.span("name"))))
        at = match.start("name") + 1  # it must advance: a name may stand at the start
        if not name.folded or not is_name(kit, bare(kit, name)) or not looks_named(kit, bare(kit, name)):
            continue
        before = line.folded[: match.start("name")].split()[-1:]
        is_apart = kit.words.stopwords.issuperset(before) or fold(name.written).split()[0] in kit.words.first_names
        if pattern is kit.role_patterns.name_after and not (is_apart or kit.words.prepositions.issuperset(before)):
            continue
        if pattern is kit.role_patterns.name_beside_role and fold(name.written.strip()) not in kit.words.first_names:
            continue
        role = line.part(*match.span("role"))
        is_subject = line.folded[match.end() :].split(" ", 1)[0] in kit.words.verbs
        end = match.end() if is_subject or kit.patterns.possessives.match(role.folded) else match.end("name")
        text = line.written[: match.start()] + role.written + name.written + line.written[end:]
        line = Line(text, fold(text))
    return line


def _without_fillers(kit: LanguageKit, name: Line) -> Line:
    """What a name may be where a filler stands before it: "Mostly Rex, my dog" is of Rex."""
    while len(words := name.folded.split(maxsplit=1)) > 1 and words[0] in kit.words.fillers:
        name = name.part(len(words[0]) + 1, len(name.folded))
    return name
