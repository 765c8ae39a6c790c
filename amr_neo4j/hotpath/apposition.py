"""Names set off by commas, put where the frames expect them: "my sister, Ana, lives" and "Ana, my sister, lives"."""

from __future__ import annotations

import re

from amr_neo4j.hotpath.language_kit import LanguageKit
from amr_neo4j.hotpath.lines import Line, fold
from amr_neo4j.hotpath.normalise import bare, edges, is_name


def without_apposition(kit: LanguageKit, line: Line) -> Line:
    """The line with "my sister Ana" for either order; the same line where there is none."""
    return _joined(kit, _joined(kit, line, kit.role_then_name), kit.name_then_role)


def _joined(kit: LanguageKit, line: Line, pattern: re.Pattern[str]) -> Line:
    at = 0
    while match := pattern.search(line.folded, at):
        name = edges(line.part(*match.span("n")))
        at = match.start("n")
        if not is_name(kit, bare(kit, name)) or not name.written.split()[-1][0].isupper():
            continue
        role = line.part(*match.span("r"))
        end = match.end() if kit.possessives.match(role.folded) else match.end("n")
        text = line.written[: match.start()] + role.written + name.written + line.written[end:]
        line = Line(text, fold(text))
    return line
