"""Puts a name that commas set off from its role where the frames expect it.

"My sister, Ana, lives in Rome" and "Ana, my sister, lives in Rome" both become "my sister Ana lives in Rome".
"""

from __future__ import annotations

import re

from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold
from amr_neo4j.turn_reader.normalise import bare, edges, is_name
from amr_neo4j.turn_reader.subjects import looks_named

_MOST = 12
"""The most names of a line that are tried for each pattern."""


def without_apposition(kit: LanguageKit, line: Line) -> Line:
    """Return the line with "my sister Ana" for either order; the same line if there is no apposition."""
    patterns = (
        kit.role_patterns.role_then_name,
        kit.role_patterns.name_then_role,
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
        name = _without_fillers(kit, edges(line.group(match, "name")))
        at = match.start("name") + 1  # it must advance: a name may stand at the start
        if not name.folded or not is_name(kit, bare(kit, name)) or not looks_named(kit, bare(kit, name)):
            continue
        # "I work with Ana, my sister": a preposition or another function word before the name, or a known first name,
        # shows where the name begins.
        before = line.folded[: match.start("name")].split()[-1:]
        is_apart = kit.words.stopwords.issuperset(before) or fold(name.written).split()[0] in kit.words.first_names
        if pattern is kit.role_patterns.name_after and not (is_apart or kit.words.prepositions.issuperset(before)):
            continue
        role = line.group(match, "role")
        is_subject = line.folded[match.end() :].split(" ", 1)[0] in kit.words.verbs
        # If the phrase continues as a subject, the comma after it is removed too. Otherwise the comma still ends the
        # phrase.
        end = match.end() if is_subject or kit.patterns.possessives.match(role.folded) else match.end("name")
        text = line.written[: match.start()] + role.written + name.written + line.written[end:]
        line = Line(text, fold(text))
    return line


def _without_fillers(kit: LanguageKit, name: Line) -> Line:
    """Return the name without fillers before it: "Mostly Rex, my dog" is about Rex."""
    while len(words := name.folded.split(maxsplit=1)) > 1 and words[0] in kit.words.fillers:
        name = name.after(len(words[0]) + 1)
    return name
