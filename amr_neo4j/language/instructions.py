"""Reads what a sentence tells an assistant to do from now on: "Always answer in French" (instructions.yaml)."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator

from amr_neo4j.tables import ListOfTexts, Table

# A longer sentence is a task, and not a rule to remember.
_MOST_WORDS = 40
_BETWEEN = re.compile(r"[\s,:;–—-]*")


def _any_of(patterns: list[str]) -> str:
    # In "n'utilise", no space follows.
    return rf"(?<!\w)(?:{'|'.join(patterns)})(?:(?!\w)|(?<='))"


AnyOf = Annotated[re.Pattern[str], BeforeValidator(_any_of), ListOfTexts]
"""Finds one of the phrases in the file, as whole words."""


class InstructionTable(Table):
    """instructions.yaml. The comments in the file explain its keys."""

    leads: AnyOf
    always: AnyOf
    denies: AnyOf
    asked: AnyOf
    verbs: AnyOf
    wants: AnyOf
    no_rules: AnyOf


class Instructions:
    """Finds the standing instructions in one language's sentences."""

    def __init__(self, table: InstructionTable) -> None:
        self._table = table

    def read(self, sentence: str) -> str:
        """Return the standing instruction that a sentence gives an assistant; empty if it gives none.

        It says what to do ("include version numbers") and that this holds always, or whenever something comes up:
        "when I ask about libraries". A task for once, such as "Include version numbers", is none.
        """
        table, said = self._table, sentence.strip().rstrip(" .!?")
        before, colon, _ = said.casefold().partition(":")
        # "Translate: always be on time" gives somebody else's words.
        if colon and not (table.always.search(before) or table.asked.search(before) or self._begins(before)):
            return ""
        plain = said.casefold().replace("’", "'")
        if len(plain.split()) > _MOST_WORDS or table.no_rules.search(plain):
            return ""
        if not (table.always.search(plain) or table.asked.search(plain)):
            return ""
        start = self._start(plain)
        # "Could you always answer in French?" asks politely, "Always in French?" asks back.
        asks_back = start == 0 and sentence.rstrip().endswith("?")
        return said[start:] if start >= 0 and not asks_back else ""

    def topic(self, instruction: str) -> str:
        """Return what must come up for an instruction to apply: "libraries"; empty if it always applies."""
        plain = instruction.casefold().replace("’", "'")
        found = self._table.asked.search(plain)
        if not found:
            return ""
        behind = instruction[found.end() :]
        # "When I ask about dates, always ...": the clause ends at the comma.
        return behind.partition(",")[0].strip() if self._begins(plain[: found.start()]) else behind.strip()

    def _begins(self, before: str) -> bool:
        """Return whether nothing but leads and words for "always" stand before a clause."""
        return not self._table.always.sub("", self._table.leads.sub("", before)).strip(" ,:;–—-")

    def _start(self, plain: str) -> int:
        """Return where an instruction begins, behind what only leads to it; -1 if none follows."""
        table, at, start = self._table, 0, -1
        while at < len(plain):
            between = _BETWEEN.match(plain, at)
            at = between.end() if between else at
            rest = plain[at:]
            if table.verbs.match(rest) or table.wants.match(rest):
                return at if start < 0 else start
            if found := table.asked.match(rest):
                start = at if start < 0 else start
                clause = rest.find(",", found.end())
                if clause < 0:
                    return -1
                at += clause
            elif found := table.denies.match(rest) or table.always.match(rest):
                start = at if start < 0 else start
                at += found.end()
            elif found := table.leads.match(rest):
                at += found.end()
            else:
                return -1
        return -1
