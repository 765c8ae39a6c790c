"""Reads questions: patterns for what a question asks for (asking.yaml), and rules for its type (questions.yaml)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache, cached_property
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.language.en.content import all_forms, words_of
from amr_neo4j.language.en.identities import mentioned_names
from amr_neo4j.language.en.verbs import transition
from amr_neo4j.tables import Table

COLOUR = "colour"
"""The name of the colour attribute in the table of every language."""


def _compiled(text: str) -> re.Pattern[str]:
    """Compile a pattern that ignores case.

    The table breaks long patterns before "|", which leaves a space to remove.
    """
    return re.compile(text.replace(" |", "|"), re.IGNORECASE)


def _with_words(text: str, info: ValidationInfo[dict[str, str]]) -> re.Pattern[str]:
    """Compile a pattern in which each {name} is replaced by the words that the loader passes for it."""
    for name, words in info.context.items():
        text = text.replace("{" + name + "}", words)
    return _compiled(text)


def _with_numerals(text: str, info: ValidationInfo[dict[str, str]]) -> re.Pattern[str]:
    """Compile a pattern with {numeral} for a word of `numerals`, and {nth} for one of them or for "3rd"."""
    # Without `numerals`, they were invalid, which is an error of its own.
    numerals = "|".join(info.data.get("numerals", ()))
    return _compiled(text.replace("{nth}", rf"{numerals}|\d+(st|nd|rd|th)").replace("{numeral}", numerals))


Pattern = Annotated[re.Pattern[str], BeforeValidator(_with_words)]
NumberedPattern = Annotated[re.Pattern[str], BeforeValidator(_with_numerals)]


class Attribute(BaseModel):
    """Something that a question may ask about a thing: its colour, its price, the reason for it.

    asked: finds the attribute in a question.
    stated: finds its value in a text.
    optional: a text may answer without stating it; a list of things answers "how many".
    within: the value is at most this many words from the word for the thing; None: anywhere.
    proper: the value is a name, and not that of a person in the event.
    needed: an event that does not state the value is not an answer.
    in_pictures: the film may show the value where no text states it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    asked: Pattern
    stated: Pattern
    optional: bool = False
    within: int | None = None
    proper: bool = False
    needed: bool = False
    in_pictures: bool = False


class SpeechAct(BaseModel):
    """Something that people do by speaking: ask, recommend, promise.

    asked: finds it in a question.
    line: finds its signs in a line.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asked: Pattern
    line: Pattern


class ReportedWords(BaseModel):
    """Words of a question, and words in reports of the local analyser that may mean the same.

    worn: the words name garments. A report states only the colours of clothes, so a match is only a guess.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    said: frozenset[str]
    reported: tuple[str, ...]
    worn: bool = False


def _with_names(attributes: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": name, **row} for name, row in attributes.items()]


class _Instead(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    pattern: Pattern
    instead: str
    rare: bool = False


class AskingPatterns(Table):
    """asking.yaml: what answer a question wants, and which of the matching events it means.

    The table's comments explain the other patterns.

    answer_types, relations, ends: {name of an AnswerType or Order of recall: pattern}; the first that matches counts.
    between: patterns with the groups main, reference, until.
    of_films: {what is asked of the films themselves: pattern}.
    lead: words that only introduce a question.
    numerals: {"first": 1, ...}.
    attributes: the first one that the question asks for counts.
    """

    answer_types: dict[str, Pattern]
    relations: dict[str, Pattern]
    nearness: str
    ends: dict[str, Pattern]
    between: tuple[Pattern, ...]
    at_last_time: tuple[Pattern, ...]
    setting: Pattern
    auxiliaries: frozenset[str]
    now: Pattern
    then: Pattern
    follows: Pattern
    films: str
    of_films: dict[str, str]
    nth_film: Pattern
    places_of_films: dict[str, int]
    of_all: Pattern
    of_every_film: Pattern
    rewritten: tuple[_Instead, ...]
    longest: tuple[_Instead, ...]
    habits: tuple[_Instead, ...]
    tastes: tuple[_Instead, ...]
    numerals: dict[str, int]
    nth: NumberedPattern
    nth_visitor: NumberedPattern
    in_rank: NumberedPattern
    of_now: Pattern
    of_future: Pattern
    going_on: Pattern
    numbered: NumberedPattern
    repeated: Pattern
    lead: Pattern
    either: Pattern
    of_manner: Pattern
    of_place: Pattern
    who_did: Pattern
    who_somebody_is: Pattern
    same_action: Pattern
    pronouns: Pattern
    speaker: Pattern
    of_assistant: Pattern
    of_saying: Pattern
    spoken_about: Pattern
    said_about: Pattern
    speech_acts: tuple[SpeechAct, ...]
    category: Pattern
    doer: Pattern
    which: Pattern
    attributes: Annotated[tuple[Attribute, ...], BeforeValidator(_with_names)]
    current_value: Pattern
    changed: Pattern
    being_there: Pattern
    arriving: Pattern
    at_place: str
    at_door: str
    of_door: Pattern
    to_place: str
    before_place: Pattern
    after_place: tuple[str, ...]
    there: str
    of_camera: str
    the_camera: str
    of_film: str
    the_film: str
    of_state: Pattern
    staying: Pattern
    vague_deed: Pattern
    clothes_stated: Pattern
    denied: Pattern
    of_thing_denied: Pattern
    frame: Pattern
    tag: Pattern
    denied_in_form: Pattern
    asks_for_what: Pattern
    excepted: Pattern
    of_asker: Pattern
    asker_verbs: dict[str, str]
    of_askers: Pattern
    gives_away: frozenset[str]
    had_once: Pattern
    of_past: Pattern
    of_sound: Pattern
    sounds: frozenset[str]
    of_duty: Pattern
    not_done: Pattern
    deed_to_it: Pattern
    absent: Pattern
    of_talk: Pattern
    beside: Pattern
    anybody: Pattern
    several: Pattern
    counted: Pattern
    lasting: frozenset[str]
    movers: frozenset[str]
    falls: frozenset[str]
    sexes: tuple[frozenset[str], ...]
    anew: Pattern
    measures: frozenset[str]
    calendar_words: frozenset[str]
    present_tense: frozenset[str]
    new_things: frozenset[str]
    stays_on: frozenset[str]
    states_at_the_end: frozenset[str]
    taken_from: frozenset[str]
    brought_to: frozenset[str]
    carrying: frozenset[str]
    others: Pattern
    perceived: Pattern
    arrives: Pattern
    as_reported: tuple[ReportedWords, ...]
    before_worn_colour: Pattern
    all_clothes: tuple[str, ...]
    in_part: Pattern

    @cached_property
    def leading(self) -> re.Pattern[str]:
        """Matches "After the bell rang, who came in", with the groups relation, reference and main."""
        return _compiled(rf"{self._any_relation}\s(?P<reference>[^,]+),\s*(?P<main>.+)$")

    @cached_property
    def trailing(self) -> re.Pattern[str]:
        """Matches "Who came in after the bell rang", with the groups main, relation and reference."""
        near = rf"(\b({self.nearness}) )?"
        return _compiled(rf"(?P<main>.+?){near}\b{self._any_relation}\s(?P<reference>.*\w.*)$")

    @property
    def _any_relation(self) -> str:
        return f"(?P<relation>{'|'.join(relation.pattern for relation in self.relations.values())})"

    @cached_property
    def worn(self) -> frozenset[str]:
        """Words for garments, including those of the local analyser. Some are verbs too."""
        garments = [row for row in self.as_reported if row.worn]
        return frozenset(word for row in garments for word in (*row.said, *row.reported))

    def asked_of_films(self, question: str) -> tuple[str, str]:
        """Return what a question asks of the films themselves, and the words that may name one of them.

        It is a key of `of_films`; empty for any other question. "How long is the shopcam video?" asks for
        the length of "shopcam".
        """
        before = _compiled(rf"(?<=\bthe )(?P<name>[\w.-]+( [\w.-]+){{0,2}})[ -](?=({self.films})\b)").search(question)
        # In a translated question the name may stand before the verb, or behind it.
        verb = "recorded|filmed|made|shot|picked up|registered"
        behind = rf"(?<=\bthe )({self.films})( ({verb}))? (?P<name>[\w.-]+)(?=\W*$| ({verb})\W*$)"
        named = before or _compiled(behind).search(question)
        without = " ".join(f"{question[: named.start('name')]} {question[named.end() :]}".split()) if named else ""
        patterns = [(what, pattern.replace("<films>", f"({self.films})")) for what, pattern in self.of_films.items()]
        for text, name in ((question, ""), (without, named["name"] if named else "")):
            for what, pattern in patterns:
                if _compiled(pattern).search(text):
                    return what, name
        return "", ""

    def is_film(self, word: str) -> bool:
        """Return whether a word stands for films: "video", "clips"."""
        return bool(_compiled(self.films).fullmatch(word))

    def is_colour(self, word: str) -> bool:
        """Return whether a word names a colour."""
        return any(each.name == COLOUR and each.stated.fullmatch(word) for each in self.attributes)

    def in_third_person(self, question: str, asker: str) -> str:
        """Return the question with the name of whoever asks for "I", "me" and "my", but for what it quotes."""
        joined = re.compile(
            rf"\bI[’'](?!d like to (know|see)\b)(?P<verb>{'|'.join(self.asker_verbs)})\b", re.IGNORECASE
        )
        parts = re.split(r'([“"«].*?[”"»])', question)
        # Every second part is quoted.
        for place in range(0, len(parts), 2):
            said = joined.sub(lambda found: f"{asker} {self.asker_verbs[found['verb'].casefold()]}", parts[place])
            parts[place] = self.of_askers.sub(f"{asker}'s", self.of_asker.sub(asker, said))
        return "".join(parts)

    def speaks_of_asker(self, text: str) -> bool:
        """Return whether a text says "I", "me" or "my" outside what it quotes."""
        parts = re.split(r'[“"«].*?[”"»]', text)
        return any(self.of_asker.search(part) or self.of_askers.search(part) for part in parts)

    def speech_act(self, question: str) -> SpeechAct | None:
        """Return what a question says that somebody did by speaking; None if that was only to say something."""
        return next((act for act in self.speech_acts if act.asked.search(question)), None)

    def asks_for_a_current_value(self, question: str) -> bool:
        """Return whether a question asks for a value that stays valid until another one is stated."""
        return bool(self.current_value.search(question)) and not self.changed.search(question)

    def asks_for_a_date(self, question: str) -> bool:
        """Return whether a question names a unit of the calendar ("on which day")."""
        return not self.calendar_words.isdisjoint(words_of(question))

    def asks_about_the_present(self, question: str) -> bool:
        """Return whether a question is in the present tense ("how long has the lamp been on")."""
        return not self.present_tense.isdisjoint(words_of(question))

    def state_words(self, question: str) -> frozenset[str]:
        """Return the words that may name a state ("was the stove on"); none if it asks about a deed."""
        words = words_of(question)
        # "How long did the door stay open" asks for a state, although it has "did".
        if "did" in words and self.stays_on.isdisjoint(words):
            return frozenset()
        anywhere = [word for word in words if word not in self.states_at_the_end]
        return frozenset(words[-1:]).union(*map(all_forms, anywhere))

    def unit_counted(self, question: str) -> tuple[str, bool]:
        """Return what a question counts in ("night" for "how many nights"), and whether it says "on how many"."""
        asked = self.answer_types["DAYS"].search(question)
        unit = asked and (asked["unit"] or asked["units"])
        return (unit.casefold().removesuffix("s"), bool(asked["unit"])) if asked and unit else ("day", True)

    def plainly(self, text: str) -> str:
        """Return a question with the words that are read as others replaced: "how long ago" by "when last"."""
        for row in self.rewritten:
            text, _ = self._instead(text, (row,))
        return text

    def without_future(self, question: str) -> tuple[str, bool]:
        """Split off the auxiliary of what will be: "When will Ann call?" -> ("When Ann call?", True)."""
        found = self.of_future.search(question)
        helping = next((name for name in ("helping", "first") if found and found[name]), "")
        if not found or not helping:
            return question, False
        return f"{question[: found.start(helping)]}{question[found.end(helping) :].lstrip()}", True

    def without_habit(self, text: str) -> tuple[str, bool]:
        """Split off that a question asks what is usual: "who usually cooks" -> ("who cooks", True)."""
        return self._instead(text, self.habits)

    def as_habit(self, text: str) -> tuple[str, bool]:
        """Return a question for a taste as one for the habit that shows it, and whether it is one."""
        return self._instead(text, self.tastes)

    def as_how_long(self, text: str) -> tuple[str, bool]:
        """Return a question for who stayed longest as one for how long each stayed, and whether it is one."""
        return self._instead(text, self.longest)

    @staticmethod
    def _instead(text: str, rows: Iterable[_Instead]) -> tuple[str, bool]:
        for row in rows:
            if row.pattern.search(text):
                return " ".join(row.pattern.sub(row.instead, text).split()), True
        return text, False

    def asks_what_is_rare(self, text: str) -> bool:
        """Return whether a question asks what rarely happens: "who hardly ever cooks"."""
        return any(habit.rare and habit.pattern.search(text) for habit in self.habits)

    def without_occurrence_number(self, text: str) -> tuple[str, int]:
        """Split off which of several times is meant: "when did it ring the second time" -> ("when did it ring", 2).

        The number is 0 if the text names none, and negative if it is counted from the last time.
        """
        found = self.nth.search(text)
        text, number = self._without_number(text, self.nth)
        return text, -number if found and found["back"] else number

    def without_visitor_number(self, text: str) -> tuple[str, int]:
        """Split off which of several people is meant: "the second visitor" -> ("the visitor", 2); 0 if none."""
        return self._without_number(text, self.nth_visitor)

    def _without_number(self, text: str, pattern: re.Pattern[str]) -> tuple[str, int]:
        found = pattern.search(text)
        if not found:
            return text, 0
        return " ".join((text[: found.start()] + text[found.end() :]).split()), self._number(found["nth"])

    def with_numbers(self, text: str, persons: Collection[str]) -> str:
        """Return a text with "voice 2" for "the second voice", if memory knows the person voice_2."""

        def numbered(found: re.Match[str]) -> str:
            kind, number = found["kind"].casefold(), self._number(found["nth"])
            return f"{kind} {number}" if f"{kind}_{number}" in persons else found[0]

        return self.numbered.sub(numbered, text)

    def _number(self, named: str) -> int:
        # "3rd" has the number in digits, and "third" stands in the table.
        digits = re.match(r"\d+", named)
        return int(digits[0]) if digits else self.numerals[named.casefold()]

    def is_in_rank(self, text: str) -> bool:
        """Return whether a question asks for one of several in their order: "Who was the second to come?"."""
        return bool(self.in_rank.search(text))


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    type: QuestionType
    pattern: str
    changes: bool = False


class QuestionTable(Table):
    """questions.yaml. The comments in the file explain its keys."""

    lead: str
    words: dict[str, str]
    rules: tuple[_Rule, ...]

    def type_question(self, text: str) -> QuestionType:
        """Return the type of the first rule that fits; General if none does, as for any question not in English."""
        plain = self._plain(text)
        for rule, pattern in zip(self.rules, self._spelt_out, strict=True):
            if _case_sensitive(pattern).search(plain) and (not rule.changes or _changes_a_state(plain)):
                return rule.type
        return QuestionType.GENERAL

    def _plain(self, text: str) -> str:
        """Return a question in lower case, without polite words, each name replaced by the table's placeholder."""
        text = unicodedata.normalize("NFC", text).replace("’", "'")
        # Names are replaced while the text still has its capitals, by which they are found.
        for word in {word for name in mentioned_names(text) for word in name.split()}:
            text = re.sub(rf"\b{re.escape(word)}\b", self.words["name"], text)
        return _case_sensitive(self.lead).sub("", text.casefold())

    @cached_property
    def _spelt_out(self) -> tuple[str, ...]:
        """The patterns of the rules, with each {name} replaced by its alternatives from `words`."""
        spelt: list[str] = []
        for rule in self.rules:
            pattern = rule.pattern
            for name, alternatives in self.words.items():
                pattern = pattern.replace("{" + name + "}", f"({alternatives.replace(' |', '|')})")
            spelt.append(pattern)
        return tuple(spelt)


@cache
def _case_sensitive(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, cached. It is compiled when first needed, because most questions fit one of the first
    rules.
    """
    return re.compile(pattern)


def _changes_a_state(plain: str) -> bool:
    """Return whether any verb of the question changes the state of something."""
    words = re.findall(r"[\w']+", plain)
    # From the second word on, because a question does not begin with its main verb.
    readings = (transition(" ".join(words[place:])) for place in range(1, len(words)))
    return any(reading and reading.to_state for reading in readings)
