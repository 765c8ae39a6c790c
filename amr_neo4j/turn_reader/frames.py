"""Compiles the rules of a table to regular expressions, and finds those that match a clause.

A language has hundreds of frames. A clause is matched only against those whose verb forms share a word with it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from amr_neo4j.language.fact_tables import FactTable, Rule
from amr_neo4j.turn_reader.expressions import compiled
from amr_neo4j.turn_reader.lines import Line, fold
from amr_neo4j.turn_reader.templates import Templates

_OPTION = re.compile(r"\[[^\[\]]*\] ")
_SLOT = re.compile(r"[<{]")
# A verb must be longer than this for its ending to be dropped.
_SHORTEST_VERB = 4
_ANYBODY = frozenset({"speaker", "other", "bare"})


class VerbForms:
    """The verb forms of a rule, which its frames share. `persons` is empty if the rule has no verb."""

    def __init__(self, rule: Rule, templates: Templates) -> None:
        self._templates = templates
        self.persons = _persons(rule)
        """{verb form, as in the table and also folded: whom it may be said of}, e.g. {"live": {"speaker"}}."""

    @cached_property
    def expression(self) -> str:
        return f"(?:{self._templates.alternatives(self.persons)})"

    @cached_property
    def anywhere(self) -> re.Pattern[str]:
        """Finds one of the forms: a cheap test before a clause is matched."""
        return compiled(rf"(?<!\S){self.expression}")

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keywords: every clause with one of the forms has at least one. Empty if none are known."""
        return self._templates.keywords(self.persons)

    @cached_property
    def _has_gaps(self) -> bool:
        return any("<" in form for form in self.persons)

    def allows(self, verb: str) -> bool:
        """Return whether a matched verb is spelt like one of the forms. verb: as typed.

        Matching ignores accents. People may leave an accent out, but may not add one: "à" is not the verb "a".
        """
        written = verb.strip().lower()
        return written == fold(written) or written in self.persons or (" " in written and self._has_gaps)

    def said_of(self, verb: str) -> frozenset[str]:
        """Return whom a matched verb form may be said of: "speaker", "other", "bare". verb: in lower case."""
        known = self.persons.get(verb) or self.persons.get(fold(verb))
        if known is not None:
            return known
        line = f"{fold(verb)} "
        fitting = (persons for pattern, persons in self._open_forms if pattern.fullmatch(line))
        return frozenset[str]().union(*fitting)

    @cached_property
    def _open_forms(self) -> list[tuple[re.Pattern[str], frozenset[str]]]:
        """The forms with gaps that any words may fill, such as "took <x1> <x1>", as patterns."""
        return [
            (compiled(self._templates.source(form)), persons) for form, persons in self.persons.items() if "<" in form
        ]


@dataclass
class RuleFrame:
    """One rule in one word order. Its expression is compiled when it is first needed."""

    rule: Rule
    template: str
    templates: Templates
    verb: VerbForms

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """Matches a whole clause."""
        return compiled(self.templates.source(self.template, verb=self.verb.expression))

    @property
    def has_verb(self) -> bool:
        return "{verb}" in self.template

    @property
    def lists(self) -> bool:
        """Whether a slot takes a list whose items are all in the table: "German, English and French"."""
        return "+}" in self.template

    @cached_property
    def about(self) -> frozenset[str]:
        """Folded words; the subject must contain one of them. Empty: no condition."""
        return frozenset(map(fold, self.rule.about))


@dataclass(frozen=True, slots=True)
class Found:
    """A frame that matches a clause. persons: whom the verb form may be said of; empty if the rule has no verb."""

    frame: RuleFrame
    match: re.Match[str]
    clause: Line
    persons: frozenset[str]

    def __getitem__(self, name: str) -> Line | None:
        """Return what stands in a slot: `found["object"]`. None if the rule has no such slot or the clause leaves it
        out.
        """
        if name == "subject" and "pronoun" in self.match.re.groupindex:
            name = "pronoun"
        start, end = self.match.span(name) if name in self.match.re.groupindex else (-1, -1)
        return None if start < 0 else self.clause.part(start, end)


class Frames:
    """All frames of a table: each rule in each word order of the language."""

    def __init__(self, table: FactTable, templates: Templates) -> None:
        rules = [_with_dropped(rule, table) for rule in table.rules]
        self._verbs = [VerbForms(rule, templates) for rule in rules]
        self._frames = [
            RuleFrame(rule, template, templates, verb)
            for rule, verb in zip(rules, self._verbs, strict=True)
            for template in _word_orders(rule, table)
        ]
        self._genitive = templates.genitive()
        self._gapped: dict[str, list[RuleFrame]] = {}
        self._table, self._templates = table, templates
        # RuleFrame numbers by a word that the clause must have, and those of frames for which no such word is known.
        self._always: list[int] = []
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, frame in enumerate(self._frames):
            keys = frame.verb.keys if frame.has_verb else templates.anchors(frame.template)
            for key in keys:
                self._by_word[key].append(number)
            if not keys:
                self._always.append(number)

    def verbs_with(self, joins: re.Pattern[str]) -> re.Pattern[str]:
        """Return a pattern for the verb forms that contain a conjunction: "born and raised". joins: a conjunction."""
        forms = {form for verb in self._verbs for form in verb.persons}
        plain = [form for form in forms if not _SLOT.search(form)]
        across = [form for form in plain if any(joins.match(f"{word} ") for word in form.split()[1:-1])]
        return self._templates.anywhere(sorted(across))

    def _without_genitive(self, folded: str) -> str:
        """Blank out genitives that look like a verb: the "'s" of "my brother 's wife" is no "is".

        The text keeps its length, so that positions in it stay valid.
        """
        return self._genitive.sub(lambda match: "\0" * (len(match[0]) - 1) + " ", folded)

    def find(self, clause: Line) -> Iterator[Found]:
        """Yield the frames that match the whole clause, in the order of the table: the first ones are preferred."""
        folded = self._without_genitive(clause.folded)
        numbers = set(self._always)
        for word in folded.split():
            numbers.update(self._by_word.get(word, ()))
        for number in sorted(numbers):
            frame = self._frames[number]
            if frame.has_verb and frame.verb.anywhere.search(folded) is None:
                continue
            if match := frame.expression.fullmatch(folded):
                persons = frozenset[str]()
                if frame.has_verb:
                    verb = clause.written[slice(*match.span("verb"))].strip().lower()
                    if not frame.verb.allows(verb):
                        continue
                    persons = frame.verb.said_of(verb)
                yield Found(frame, match, clause, persons)

    def gapped(self, relation: str, clause: Line) -> Iterator[Found]:
        """Yield the frames by which a clause without a verb continues a statement of this relation.

        "My brother in Paris" fits "{subject} in {object}" after a statement of lives_in.
        """
        if relation not in self._gapped:
            frames: list[RuleFrame] = []
            for rule in self._table.rules:
                if rule.gives != relation or rule.ends or rule.him:
                    continue
                bare = ("{object}",) if rule.speaker or rule.other else ()
                for complement in rule.frame or bare:
                    template = "{subject} [<comma>] " + complement
                    frames.append(RuleFrame(rule, template, self._templates, VerbForms(rule, self._templates)))
            self._gapped[relation] = frames  # whole, since another thread may read a turn of the same language
        for frame in self._gapped[relation]:
            if match := frame.expression.fullmatch(clause.folded):
                yield Found(frame, match, clause, _ANYBODY)

    def compile(self, between: Callable[[], object] = lambda: None) -> None:
        """Compile every frame now. between: called before each one, so that the caller can give way to other work."""
        for frame in self._frames:
            between()
            _ = frame.expression, frame.has_verb and frame.verb.anywhere


def _with_dropped(rule: Rule, table: FactTable) -> Rule:
    """Return the rule with the forms that informal writing uses without "I": "[I have] bought", "[I] went".

    A past form is also added for others, since it is the same for everybody: "she came and enjoyed it".
    """
    bare, other = list(rule.bare), list(rule.other)
    speaker = [*rule.speaker, *_shortened(rule, table)]
    for form in rule.speaker:
        first, _, rest = form.partition(" ")
        if first in table.dropped:
            first = rest.partition(" ")[0]
            # Without its auxiliary, "am <x1> [at]" would take any word for a verb.
            made = [rest] if first and first not in table.dropped and not _SLOT.match(rest) else []
            bare += made
            other += made if rule.other else []
        elif first in table.pasts or first.endswith(table.past_endings or ("\0",)):
            bare.append(form)
            other += [form] if rule.other else []
    return rule.model_copy(
        update={
            "speaker": tuple(dict.fromkeys(speaker)),
            "bare": tuple(dict.fromkeys(bare)),
            "other": tuple(dict.fromkeys(other)),
        }
    )


def _shortened(rule: Rule, table: FactTable) -> Iterator[str]:
    """Yield the speaker's verb forms without the ending that speech drops: "ich wohn" for "ich wohne"."""
    ending = table.dropped_ending
    for form in rule.speaker if ending else ():
        first, _, rest = form.partition(" ")
        if first.isalpha() and first.endswith(ending) and len(first) > _SHORTEST_VERB:
            yield f"{first.removesuffix(ending)} {rest}".strip()


def _persons(rule: Rule) -> dict[str, frozenset[str]]:
    forms: dict[str, frozenset[str]] = {}
    for person, words in (("speaker", rule.speaker), ("other", rule.other), ("bare", rule.bare)):
        alone = frozenset({person})  # one set for all forms: a language has tens of thousands of them
        for form in words:
            for spelt in dict.fromkeys((fold(form), form.lower())):
                forms[spelt] = forms[spelt] | alone if spelt in forms else alone
    return forms


def _word_orders(rule: Rule, table: FactTable) -> Iterator[str]:
    """Yield the templates of a rule: those in `say`, and its frame in each word order of the language.

    If a bare object stands first, only a pronoun can be the subject ({pronoun}): two noun phrases in a row could not
    be told apart. {front} is the frame up to its object and {back} the rest, for languages that put the verb between
    them.
    """
    yield from rule.say
    for order in table.orders:
        for complement in rule.frame:
            if "{front}" in order:
                front, _, back = complement.partition("{object}")
                if back.strip() and "{object}" in complement:
                    whose = order if front.strip() else order.replace("{subject}", "{pronoun}")
                    yield whose.replace("{front}", front + "{object}").replace("{back}", back.strip())
                continue
            is_inverted = not order.startswith(("[{subject}", "{subject}"))
            is_loose = is_inverted and _OPTION.sub("", complement).startswith("{object}")
            yield (order.replace("{subject}", "{pronoun}") if is_loose else order).replace("{complement}", complement)
