"""Tells which replies of a model say that what it was shown does not hold the answer.

Such a reply has a denial beside words for what was shown, for telling or for knowing, and all of these stand before
the words of the scene or after them: "The context does not say | where Anna is", "Anna's name | is not mentioned in
the context". "Anna | does not say where she goes" is an answer. refusals.yaml has the words and which must meet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from amr_neo4j import tables

# A refusal says so early. The bound keeps the time short.
_LONGEST_READ = 400
# "§" stands for a quotation.
_WORD = re.compile(r"[^\W_]+|§")
# Quotation marks, outermost first. An apostrophe within a word is none.
_QUOTED = re.compile(
    r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|\"[^\"]*\"|(?<!\w)‘.*?’(?!\w)|(?<!\w)'.*?'(?!\w)", re.DOTALL
)
_COMMA = re.compile(r"[,.:!?]\s+")

# Behind a word of information, words of these classes say of what it is.
_OF_WHAT = ("about", "asking", "when")

# The classes of words that refusals.yaml must have: without one of them, a rule would not apply, or reading a reply
# would fail.
_CLASSES = (
    "denials", "nothing", "unknown", "lacking", "open", "records", "things", "information", "answers", "speaker",
    "it", "they", "telling", "showing", "emerging", "knowing", "finding", "told", "shown", "clear", "known",
    "being", "asking", "when", "that", "within", "but", "joins", "about", "recipients", "other", "speech",
)  # fmt: skip

Words = Mapping[str, frozenset[str]]
"""{language or class: words}."""
Rule = Annotated[
    tuple[frozenset[str], ...],
    BeforeValidator(lambda groups: tuple(frozenset(group.split()) for group in groups)),
    tables.ListOfTexts,
]


class _Table(tables.Table):
    """refusals.yaml. The comments in the file explain its keys."""

    before: tuple[Rule, ...]
    behind: tuple[Rule, ...]
    replies: frozenset[str]
    written: dict[str, str]
    classes: Annotated[Mapping[str, Words], tables.every(_CLASSES)]


_table = tables.shipped("amr_neo4j.language", "refusals.yaml", _Table)


@cache
def _classes(code: str) -> Words:
    """Return {class: its words in a language}. `closed` has those that are not of the scene."""
    classes = {name: of.get(code, frozenset[str]()) for name, of in _table().classes.items()}
    classes["denials"] |= classes["nothing"]
    closed = frozenset[str]().union(*(words for name, words in classes.items() if name != "speech"))
    return {**classes, "closed": closed}


@cache
def _halves(code: str) -> re.Pattern[str]:
    """Return what divides halves of a sentence that may have one subject: "but", and "and" before "does not say"."""
    classes = _classes(code)
    verbs = classes["denials"] | classes["telling"] | classes["showing"] | {"does", "do"}
    but, joins, begins = (
        "|".join(map(re.escape, sorted(words))) for words in (classes["but"], classes["joins"], verbs)
    )
    return re.compile(rf";|\b(?:{but})\b|\b(?:{joins})\s+(?=(?:{begins})\b)")


@dataclass(frozen=True)
class _Run:
    """Words that are not of the scene, in a row. ends: nothing of the scene follows."""

    words: Sequence[str]
    ends: bool
    classes: Words

    def place(self, name: str) -> int:
        """Return where the first word of a class stands; -1 if there is none."""
        words = self.classes[name]
        return next((place for place, word in enumerate(self.words) if word in words), -1)

    def denial(self) -> int:
        """Return where the first denial stands; -1 if there is none."""
        return min((at for at in map(self.place, ("denials", "unknown", "open")) if at >= 0), default=-1)

    def tells_that(self) -> bool:
        """Return whether a source tells what follows, be it a denial: "The context says that it was not possible"."""
        if self.place("records") < 0 and self.place("things") < 0:
            return False
        denial = self.denial()
        before = self.words[:denial] if denial >= 0 else self.words
        verbs = self.classes["telling"] | self.classes["showing"]
        verb = next((at for at, word in enumerate(before) if word in verbs), len(before))
        return not self.classes["that"].isdisjoint(before[verb:])

    def marks(self) -> set[str]:
        """Return the classes of its words, and what else the rules ask for."""
        found = {name for name in self.classes if self.place(name) >= 0}
        if found & {"records", "things"}:
            found.add("source")
        begin = set(self.words[:1])
        found |= {"ends"} if self.ends else set()
        found |= {f"begins_with_{name}" for name in ("nothing", "denials", "within") if begin & self.classes[name]}
        denial = self.denial()
        asking = self.classes["asking"] | self.classes["when"]
        question = next((at for at, word in enumerate(self.words) if at >= denial and word in asking), -1)
        if question >= 0:
            found.add("asks")
            # "No dice cómo se llama": what stands in the question does not count.
            found -= {name for name in ("being", "speaker", "they") if self.place(name) > question}
        lacking, what = self.place("lacking"), max(self.place("information"), self.place("answers"))
        # "The detail is missing on the dress" is about a dress.
        if min(lacking, what) >= 0 and (self.ends or lacking < what):
            found.add("lacks")
        rest = self.words[self.place("information") + 1 :]
        if "information" in found and (
            self.ends or any(word in self.classes[name] for word in rest for name in _OF_WHAT)
        ):
            found.add("informs")
        return found


def _denies(marks: set[str]) -> bool:
    return bool(marks & {"denials", "unknown", "lacks"}) or {"open", "asks"} <= marks


def _meets(marks: set[str], rules: Sequence[Rule]) -> bool:
    return any(all(marks & group for group in rule) for rule in rules)


def is_refusal(text: str) -> bool:
    """Return whether a text says so, in any language: "The context does not say where the keys are.".

    What stands in quotation marks, before ", said Ben" or after "Ben says" is said by somebody else. "Event 54 does
    not say who, but event 55 shows that Ben did" is an answer: what the last clause about a source says counts.
    """
    plain = _QUOTED.sub(" § ", unicodedata.normalize("NFC", text[:_LONGEST_READ].casefold()))
    for written, meant in _table().written.items():
        plain = plain.replace(written, meant)
    if " ".join(_WORD.findall(plain)) in _table().replies:
        return True
    return any(_refuses(plain, _classes(code), _halves(code)) for code in _table().classes["denials"])


def _refuses(text: str, classes: Words, between_halves: re.Pattern[str]) -> bool:
    refuses = has_source = False
    for half in between_halves.split(text):
        told_nothing = False
        clauses = [(words, _opening(words, classes)) for words in _clauses(half, classes)]
        spoken = [_is_spoken(words, opening) for words, opening in clauses]
        for at, (_, opening) in enumerate(clauses):
            marks = opening.marks()
            has_source = has_source or ("source" in marks and "begins_with_within" not in marks)
            if opening.tells_that():
                refuses = told_nothing = False
            elif _denies(marks):
                is_own = not any(spoken[:at] + spoken[at + 1 :])
                told_nothing = told_nothing or (is_own and _tells_nothing(opening, marks, has_source=has_source))
            elif "source" in marks and marks & {"telling", "showing"}:
                refuses = told_nothing = False
        refuses = refuses or told_nothing or _leaves_untold(_words(half), classes)
    return refuses


def _clauses(half: str, classes: Words) -> list[list[str]]:
    """Return the words of each clause. "When Ben leaves, ..." and a clause with an indirect question are one."""
    clauses = list[list[str]]()
    for part in _COMMA.split(half):
        words = _words(part)
        begin = set(words[:1])
        if clauses and (set(clauses[0][:1]) & classes["when"] or begin & (classes["asking"] | classes["when"])):
            clauses[-1] += words
        elif words:
            clauses.append(words)
    return clauses


def _words(clause: str) -> list[str]:
    """Return the words of a clause without numbers: "event" for "event 55"."""
    return [word for word in _WORD.findall(clause) if not word.isdecimal()]


def _opening(words: Sequence[str], classes: Words) -> _Run:
    end = next((at for at, word in enumerate(words) if word not in classes["closed"]), len(words))
    return _Run(words[:end], end == len(words), classes)


def _is_spoken(words: Sequence[str], opening: _Run) -> bool:
    """Return whether somebody of the scene speaks in a clause."""
    return not opening.marks() & {"source", "it"} and not opening.classes["speech"].isdisjoint(words)


def _tells_nothing(run: _Run, marks: set[str], *, has_source: bool) -> bool:
    """Return whether the first words of a clause, which deny something, deny that a source tells or that one knows.

    has_source: a clause before it names a source, which may be its subject: "The video shows Ben but not why".
    """
    if not run.ends and "source" not in marks and run.words[-1] in run.classes["recipients"]:
        return False  # "unknown to Ben"
    if "they" in marks and "speaker" not in marks and not has_source:
        return False
    if has_source and not marks & {"it", "speaker", "answers", "information"}:
        marks = {*marks, "source"}
    return _meets(marks, _table().before)


def _leaves_untold(words: Sequence[str], classes: Words) -> bool:
    """Return whether the words after the last one of the scene deny that something is known or told."""
    closed = classes["closed"]
    start = next((at + 1 for at in reversed(range(len(words))) if words[at] not in closed), 0)
    run = _Run(words[start:], ends=True, classes=classes)
    marks, first = run.marks(), set(words[:1])
    denial = start + max(0, *map(run.place, ("denials", "unknown", "lacking")))
    is_said = not classes["speech"].isdisjoint(words[:denial])
    opening = _opening(words, classes)
    if not start or is_said or opening.tells_that() or not (_denies(marks) or "open" in marks):
        return False
    if first & classes["asking"]:
        marks.add("asked")
    if "source" in opening.marks():
        marks.add("sourced")
    return _meets(marks, _table().behind)
