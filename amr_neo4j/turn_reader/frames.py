"""The rules of a table as regular expressions, found by the verb forms that a clause has."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

from amr_neo4j.language.fact_tables import FactTable, Rule
from amr_neo4j.turn_reader.lines import Line, fold
from amr_neo4j.turn_reader.templates import Templates

_CHOICE = re.compile(r"([\[(])([^\[\]()]*)[\])]")
_OPTION = re.compile(r"\[[^\[\]]*\] ")
_SLOT = re.compile(r"[<{]")
_SHORTEST = 4
_ANYBODY = frozenset({"speaker", "other", "bare"})


@dataclass
class Frame:
    """One rule in one word order; the expression is compiled when first needed."""

    rule: Rule
    template: str
    templates: Templates

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """Matches a whole clause."""
        return re.compile(self.templates.source(self.template, verb=f"(?:{self._verbs})"))

    @cached_property
    def _verbs(self) -> str:
        return self.templates.alternatives(self.persons)

    @cached_property
    def verb(self) -> re.Pattern[str] | None:
        """Finds one of the verb forms, so that a clause without any need not be matched; None for a rule without."""
        return _verb(self._verbs) if "{verb}" in self.template else None

    def allows(self, verb: str) -> bool:
        """Whether the verb has no accent that its form lacks: an accent may be left out, but "à" is not "a"."""
        written = verb.strip().lower()
        return (
            written == fold(written)
            or written in self._written
            or (" " in written and any("<" in form for form in self._written))
        )

    @cached_property
    def about(self) -> frozenset[str]:
        """Words of which the subject must have one, folded."""
        return frozenset(map(fold, self.rule.about))

    @cached_property
    def _written(self) -> frozenset[str]:
        forms = (*self.rule.speaker, *self.rule.other, *self.rule.bare)
        return frozenset(full.lower() for form in forms for full in spelt_out(form))

    @cached_property
    def persons(self) -> dict[str, frozenset[str]]:
        """Verb form, as the table has it or without accents -> whom it may be said of."""
        forms: defaultdict[str, set[str]] = defaultdict(set)
        for person, words in (("speaker", self.rule.speaker), ("other", self.rule.other), ("bare", self.rule.bare)):
            for form in chain.from_iterable(spelt_out(word) for word in words):
                forms[fold(form)].add(person)
                forms[form.lower()].add(person)
        return {form: frozenset(persons) for form, persons in forms.items()}

    def persons_of(self, verb: str) -> frozenset[str]:
        """Whom a matched verb form may be said of. verb: in lower case."""
        known = self.persons.get(verb) or self.persons.get(fold(verb))
        if known is not None:
            return known
        line = f"{fold(verb)} "
        fitting = (persons for pattern, persons in self._open_forms if pattern.fullmatch(line))
        return frozenset[str]().union(*fitting)

    @cached_property
    def _open_forms(self) -> list[tuple[re.Pattern[str], frozenset[str]]]:
        """The forms that any words may fill: "took <x1> <x1>"."""
        return [
            (re.compile(self.templates.source(form)), persons)
            for form, persons in self.persons.items()
            if "<" in form
        ]


@dataclass(frozen=True, slots=True)
class Found:
    """A frame that matches a clause. persons: of the verb form; empty where the rule has no verb."""

    frame: Frame
    match: re.Match[str]
    clause: Line
    persons: frozenset[str]

    def __getitem__(self, name: str) -> Line | None:
        """What stands in a slot: `found["object"]`; None for one that the rule has not, or that is left out."""
        if name == "subject" and "pronoun" in self.match.re.groupindex:
            name = "pronoun"
        start, end = self.match.span(name) if name in self.match.re.groupindex else (-1, -1)
        return None if start < 0 else self.clause.part(start, end)


class Frames:
    """All rules of a table."""

    def __init__(self, table: FactTable, templates: Templates) -> None:
        self._frames = [
            Frame(rule, template, templates)
            for rule in (_with_dropped(rule, table) for rule in table.rules)
            for template in _word_orders(rule, table)
        ]
        self._genitive = templates.genitive()
        self._gapped: dict[str, list[Frame]] = {}
        self._table, self._templates = table, templates
        self._always: list[int] = []
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, frame in enumerate(self._frames):
            keys = _keys(frame.rule, templates) if "{verb}" in frame.template else templates.anchors(frame.template)
            for key in keys:
                self._by_word[key].append(number)
            if not keys:
                self._always.append(number)

    def verbs_with(self, joins: re.Pattern[str]) -> re.Pattern[str]:
        """Finds the verb forms that have a conjunction inside: "born and raised". joins: matches one."""
        plain = {form for frame in self._frames for form in frame.persons if not _SLOT.search(form)}
        across = [form for form in plain if any(joins.match(f"{word} ") for word in form.split()[1:-1])]
        return self._templates.anywhere(sorted(across))

    def _without_genitive(self, folded: str) -> str:
        """The words with a genitive that a verb is spelt like ("my brother 's wife") made unlike it, equally long."""
        return self._genitive.sub(lambda match: "\0" * (len(match[0]) - 1) + " ", folded)

    def find(self, clause: Line) -> Iterator[Found]:
        """The frames that match the whole clause, in the order of the table."""
        folded = self._without_genitive(clause.folded)
        numbers = set(self._always)
        for word in folded.split():
            numbers.update(self._by_word.get(word, ()))
        for number in sorted(numbers):
            frame = self._frames[number]
            if frame.verb is not None and frame.verb.search(folded) is None:
                continue
            if match := frame.expression.fullmatch(folded):
                has_verb = "verb" in match.re.groupindex
                if has_verb and not frame.allows(clause.written[slice(*match.span("verb"))]):
                    continue
                verb = clause.written[slice(*match.span("verb"))].strip().lower() if has_verb else ""
                persons = frame.persons_of(verb) if has_verb else frozenset[str]()
                yield Found(frame, match, clause, persons)

    def gapped(self, relation: str, clause: Line) -> Iterator[Found]:
        """The ways a clause without a verb continues a statement of this relation: "my brother in Paris"."""
        if relation not in self._gapped:
            rules = [rule for rule in self._table.rules if rule.gives == relation and not (rule.ends or rule.him)]
            self._gapped[relation] = [
                Frame(rule, template, self._templates)
                for rule in rules
                for complement in (rule.frame or (("{object}",) if rule.speaker or rule.other else ()))
                for template in ("{subject} [<comma>] " + complement,)
            ]
        for frame in self._gapped[relation]:
            if match := frame.expression.fullmatch(clause.folded):
                yield Found(frame, match, clause, _ANYBODY)

    def compile(self, between: Callable[[], object] = lambda: None) -> None:
        """Compiles every frame now. between: called before each."""
        for frame in self._frames:
            between()
            _ = frame.expression, frame.verb


def _with_dropped(rule: Rule, table: FactTable) -> Rule:
    """The rule with the forms that informal writing uses without "I": "[I have] bought", "[I] went".

    A past is the same for everybody: "she came and enjoyed it".
    """
    bare, other = list(rule.bare), list(rule.other)
    speaker = [*rule.speaker, *_shortened(rule, table)]
    for form in rule.speaker:
        first, _, rest = form.partition(" ")
        if first in table.dropped:
            first = rest.partition(" ")[0]
            made = [rest] if first and first not in table.dropped else []
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
    """The speaker's verbs without the ending that speech drops: "ich wohn"."""
    ending = table.dropped_ending
    for form in rule.speaker if ending else ():
        first, _, rest = form.partition(" ")
        if first.isalpha() and first.endswith(ending) and len(first) > _SHORTEST:
            yield f"{first.removesuffix(ending)} {rest}".strip()


@cache
def _verb(verbs: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{verbs})")


def spelt_out(form: str) -> list[str]:
    """A verb form with each of its options and alternatives: "[have] (liked|loved)" stands for four."""
    choice = _CHOICE.search(form)
    if choice is None:
        return [" ".join(form.split())]
    words = [*choice[2].split("|"), *([""] if choice[1] == "[" else [])]
    return [full for word in words for full in spelt_out(form[: choice.start()] + word + form[choice.end() :])]


def _word_orders(rule: Rule, table: FactTable) -> Iterator[str]:
    """The templates of a rule. Where a bare object is put first, only a pronoun can be the subject ({pronoun}).

    {front} is the rest up to its object and {back} what follows it, for languages that put the verb between them.
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


def _keys(rule: Rule, templates: Templates) -> frozenset[str]:
    """Words of which a clause with one of the verb forms has one; none where that is unknown."""
    forms = [full for form in (*rule.speaker, *rule.other, *rule.bare) for full in spelt_out(form)]
    anchors = [templates.anchors(form) for form in forms]
    return frozenset[str]().union(*anchors) if all(anchors) else frozenset()
