"""Compiles the table of one language to the patterns and word sets that the reader uses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any

from amr_neo4j.language.fact_tables import FactTable
from amr_neo4j.language.languages import first_names_anywhere, language
from amr_neo4j.turn_reader.frames import Frames, spelt_out
from amr_neo4j.turn_reader.lines import Line, fold
from amr_neo4j.turn_reader.templates import Templates

_TITLE_ROLES = ("aunt", "uncle", "grandmother", "grandfather")
"""Relatives whose role stands before their name as a title: "Aunt Rosa"."""


# In the expressions below, "(?!)" matches nothing. It stands in for a list of alternatives that a language leaves
# empty: an empty alternative would match everywhere. "\0" and "\1" stand for words that no text has.


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(word) for word in words)


def _line(word: str) -> Line | None:
    return Line(f"{word} ", f"{fold(word)} ") if word else None


def _run_together(table: FactTable) -> Iterator[tuple[str, str]]:
    """Yield (spelling, full words) of verbs written as one word with their subject: ("jbosse", "je bosse")."""
    verbs = {form.split()[0].lower() for rule in table.rules for form in rule.speaker}
    for start, full in table.run_together.items():
        for verb in verbs:
            word = start + fold(verb)
            if verb.isalpha() and len(verb) > len(start) + 1 and word not in verbs and word not in table.expand:
                yield word, f"{full} {verb}"


def _inverse(groups: Mapping[Any, Iterable[str]]) -> dict[str, str]:
    """Return {folded word: its group}, e.g. {"mum": "mother"} from {"mother": ("mum", ...)}."""
    return {fold(word): name for name, words in groups.items() for word in words}


def _heads(table: FactTable) -> Iterator[str]:
    """Yield the finite verbs that a table knows, as written and folded."""
    forms = (form for rule in table.rules for form in (*rule.speaker, *rule.other))
    return _heads_of((*table.finite, *table.word_classes.get("auxiliary", ()), *forms))


def _heads_of(forms: Iterable[str]) -> Iterator[str]:
    for word in (full.split()[0] for form in forms for full in spelt_out(form)):
        if "<" not in word:
            yield word.lower()
            yield fold(word)


def _conjugated(table: FactTable) -> Iterator[str]:
    """Yield the finite forms of the common verbs, made from the paradigms of the table."""
    if (paradigms := table.paradigms) is None:
        return
    yield from paradigms.forms
    for verb in paradigms.verbs:
        for ending in sorted(paradigms.endings, key=len, reverse=True):  # the longest ending that fits decides
            if verb.endswith(ending):
                stem = verb.removesuffix(ending)
                yield from (form.replace("~", stem) for form in paradigms.endings[ending])
                break


class LanguageKit:
    """The patterns and word sets of one language, folded and compiled once.

    Patterns match the folded text of a `Line`. The tables that they are made of are explained in
    language/fact_tables.py.
    """

    def __init__(self, code: str) -> None:  # noqa: PLR0915 (a list of patterns)
        table = language(code).fact_table
        templates = Templates(table)
        reading = table.reading
        self.table = table
        table.expand.update(_run_together(table))  # into the table itself, which `line_of` reads
        self.frames = Frames(table, templates)
        self.refuse_turn = templates.starting(reading.refuse_turn)
        self.refuse_sentence = templates.anywhere(reading.refuse_sentence)
        self.refuse_clause = templates.anywhere(reading.refuse_clause)
        self.conditions = templates.anywhere(reading.conditions)
        self.questions = templates.starting(reading.questions)
        self.reactions = templates.starting(reading.reactions)
        self.fillers = templates.anywhere(reading.fillers)
        self.filler_words = _folded(reading.fillers)
        self.asides = re.compile(rf"(?<!\S), (?:{self.fillers.pattern})+, ")
        self.leads = templates.starting(reading.leads)
        self.pauses = re.compile(r"(?<!\S)[,;:()–—…-] ")
        self.nominatives = _folded(table.macros.get("nominative", ()))
        others = self.nominatives - _folded(table.speaker)
        again = "|".join(re.escape(word) for word in sorted(others)) or "(?!)"
        relative = templates.source("<my> [<x1>] <role> [<x1>]")
        self.doubled = re.compile(rf"(?P<subject>{relative})(?:, )?(?:{again}) ")
        self.prepositions = _folded(table.macros.get("prepositions", ()))
        self.possessive_words = _folded((*table.possessives, *table.other_possessives))
        self.echoes = [templates.starting((template,)) for template in reading.echoes]
        self.rewordings = [
            (templates.starting((template,)), rewording.reads)
            for rewording in reading.rewordings
            for template in rewording.say
        ]
        self.answers = [
            (templates.starting((template,)), answer.reads) for answer in reading.answers for template in answer.say
        ]
        self.tails = templates.ending(reading.tails)
        self.hedges = templates.anywhere(reading.hedges)
        self.negations = templates.anywhere(reading.negations)
        self.ended = templates.anywhere(reading.ended)
        self.comparatives = templates.anywhere(reading.comparatives)
        self.ended_if_denied = templates.anywhere(reading.ended_if_denied)
        negation = templates.starting(reading.negations).pattern
        self.contrast = re.compile(
            rf"(?<!\S), (?:{templates.starting(reading.joins).pattern})?{negation}(?P<denied>(?:[^\s,]+ ){{1,4}})$"
        )
        bare_contrast = "|".join(re.escape(fold(word)) for word in table.macros.get("contrast", ())) or "(?!)"
        self.bare_contrast = re.compile(
            rf"(?<!\S)(?P<kept>[^\s,;:]+) (?:{bare_contrast}) (?P<denied>(?:[^\s,;:]+ ){{1,3}})$"
        )
        versus = templates.anywhere(reading.versus).pattern
        self.versus = re.compile(rf"{versus}(?:[^\s,;:()]+ ){{1,5}}?(?=[,;:.!?)…] |$)")
        self.corrects = templates.starting(reading.corrects)
        self.corrections = [templates.starting((template,)) for template in reading.corrections]
        relatives = "|".join(re.escape(fold(word)) for word in table.word_classes.get("relative", ())) or "(?!)"
        clitics = "|".join(re.escape(fold(word)) for word in table.word_classes.get("clitic", ())) or "(?!)"
        subjects = "|".join(re.escape(word) for word in sorted(self.nominatives)) or "(?!)"
        verbs = "|".join(map(re.escape, map(fold, table.word_classes.get("auxiliary", ()))))
        self.denied_relative = re.compile(
            rf"(?<!\S)(?:{relatives}) (?:(?:{subjects}|{clitics}|{verbs or '(?!)'}) ){{0,2}}{negation}"
        )
        self.at_home = templates.anywhere(reading.at_home)
        self.lived_in = templates.starting(reading.lived_in)
        self.breaks = templates.anywhere([*reading.breaks, *reading.relatives, *reading.joins])
        self.hard_breaks = templates.starting(reading.breaks)
        self.relatives = templates.starting(reading.relatives)
        self.joins = templates.anywhere(reading.joins)
        self.joined_verbs = self.frames.verbs_with(self.joins)
        self.contraries = [templates.starting((template,)) for template in reading.contraries]
        self.furthermore = [templates.starting((template,)) for template in reading.furthermore]
        self.remnants = templates.starting(reading.remnants)
        self.requests = templates.anywhere(reading.requests)
        self.tellings = templates.starting(reading.tellings)
        self.naming_verbs = _folded(reading.naming_verbs)
        self.aspects = [(templates.anywhere(aspects.before), aspects) for aspects in reading.aspects]
        self.dates = _folded((*table.macros.get("month", ()), *table.macros.get("day", ())))
        self.chains = [templates.starting((template,)) for template in reading.chains]
        self.for_hire = _folded(table.macros.get("for_hire", ()))
        self.droppable = templates.anywhere(reading.droppable)
        self.articles = templates.starting(table.articles)
        self.possessives = templates.starting(table.possessives)
        self.other_possessives = templates.starting(table.other_possessives)
        self.indefinite = templates.starting(table.macros.get("a", ()))
        self.some = templates.starting(table.macros.get("some", table.macros.get("a", ())))
        self.tag = templates.ending(table.macros.get("tag", ()))
        self.kin = _folded(table.macros.get("kin", ()))
        self.activities = _inverse(table.activities)
        self.nowhere = _folded(table.nowhere)
        self.momentary = _folded(table.macros.get("momentary", ()))
        self.callings = templates.starting(table.macros.get("calling", ()))
        self.clock = templates.starting(table.macros["clock"])
        self.span = templates.starting(table.macros["span"])
        self.event = templates.anywhere(table.macros["event"])
        owned = templates.source("(<my>|<one>) [<x1>] <role>")
        more = f"(?:{templates.source('<of> <x1> [<x1>]')})?"
        name = templates.source("[<the>] <x1> [<x1>] [<x1>]")
        self.role_then_name = re.compile(rf"(?<!\S)(?P<role>{owned}){more}[,(] (?P<name>{name})(?:[,.!…)] |$)")
        self.name_then_role = re.compile(rf"(?:(?<=, )|^)(?P<name>{name}), (?P<role>{owned})(?:, |$)")
        self.no_particles = (
            self.prepositions - _folded(table.macros["particle"]) if "particle" in table.macros else ()
        )
        self.there = templates.anywhere(table.macros.get("there", ()))
        self.again = templates.starting(table.macros.get("again", ()))
        mine = templates.source("<my> [<x1>] <role>")
        self.name_after = re.compile(rf"(?<!\S)(?P<name>{name}), (?P<role>{mine})(?:[,.!…] |$)")
        self.name_beside_role = re.compile(
            rf"(?<!\S)(?P<name>{templates.source('<x1>')})(?P<role>{templates.source('<my> <role>')})"
        )
        self.name_and_role = re.compile(rf"(?<!\S)(?P<name>{templates.source('<x1>')}+?)\( (?P<role>{owned})\) ")
        self.passing = _folded(table.macros.get("passing", ()))
        self.school_words = tuple(fold(word) for word in table.macros.get("schools", ("\0",)))
        self.schools = _folded(table.macros.get("schools", ()))
        self.no_longer = _folded(table.macros.get("no_longer", ()))
        third = "|".join(re.escape(fold(word)) for words in table.others.values() for word in words) or "(?!)"
        somebody = templates.source("<my> [<x1>] <role> [<x1>] [<x1>]")
        self.dislocated = re.compile(rf"(?:{third}) (?P<said>.+?), (?P<subject>{somebody})(?:[.!…] )*$")
        beside = templates.source("<my>"), templates.source("<x1>"), templates.source("<role>")
        self.named_role = re.compile(r"(?<!\S){}(?:{}){{0,2}}?(?=({}))".format(*beside))
        beside = templates.source("<their>"), templates.source("<x1>"), templates.source("<role>")
        kin = templates.source("<my> [<x1>] <kin>") if "kin" in table.macros else "(?!)"
        self.named_kin = re.compile(rf"(?<!\S){kin}(?P<name>{templates.source('<x1>')})")
        titles = [word for role in _TITLE_ROLES for word in table.roles.get(role, ())]
        self.titled_kin = re.compile(rf"(?<!\S)(?:{templates.alternatives(titles)})(?=\S)")
        self.named_of_another = re.compile(r"(?<!\S){}(?:{}){{0,2}}?(?=({}))".format(*beside))
        self.everyday_places = _folded(table.macros.get("everyday", ()))
        self.event_words = tuple(fold(word) for word in table.macros["event"])
        self.vaguely = templates.starting(table.macros.get("vaguely", ()))
        self.in_role = templates.starting(table.macros.get("in_role", ()))
        owner = templates.source("(<my>|<kin_article>) [<x1>]?")
        self.owned_role = re.compile(rf"(?<!\S){owner}(?P<role>{templates.source('<role>')})")
        together = templates.alternatives(table.macros["together"]) if "together" in table.macros else "(?!)"
        self.companion = re.compile(
            rf"(?<!\S){together}{templates.source('<my> [<x1>]')}(?={templates.source('<role>')})"
        )
        self.both_of_us = templates.starting(table.macros.get("both_of_us", ()))
        self.naming = templates.anywhere(table.naming)
        self.numbers = templates.anywhere(("<num>",))
        self.number = templates.starting(("<num>",))
        self.cuts = {relation: templates.anywhere(words) for relation, words in table.cuts.items()}
        self.thing_cuts = templates.anywhere(table.cuts["subject"])
        self.speaker = _folded(table.speaker)
        self.others = _inverse(table.others)
        self.object_pronouns = _folded(table.object_pronouns)
        self.roles = _inverse(table.roles)
        self.genders = _inverse(table.genders)
        self.favorites = _inverse(table.favorites)
        self.other_kin = _folded(table.other_kin)
        self.never_subject = _folded(table.never_subject)
        self.never_object = _folded(table.never_object)
        self.never_name = _folded(table.never_name) | _folded(table.stopwords)
        self.occupations = _folded(table.occupations)
        self.lone = {fold(one): other for one, other in table.copula_spelt.items()}
        self.organisations = _folded(table.organisations)
        self.never_had = _folded(table.never_had)
        self.stopwords = _folded(table.stopwords)
        self.finite = _folded(table.finite)
        self.is_never = _folded(table.is_never)
        self.is_always = _folded(table.is_always)
        self.verbal_endings = tuple(fold(ending) for ending in table.verbal_endings)
        self.several = _folded(table.several)
        self.genitive_words = _folded(table.macros.get("genitive", ()))
        genitive = "|".join(re.escape(fold(word)) for word in table.macros.get("genitive", ())) or "(?!)"
        stops = "|".join(re.escape(fold(word)) for word in table.stopwords)
        self.genitive = re.compile(rf"(?<= )(?:{genitive}) (?=(?!(?:{stops}) )[^\s]|$)")
        self.adverbs = _folded(
            [*reading.fillers, *reading.hedges, *reading.negations, *reading.joins, *table.never_subject]
        )
        self.adverb_endings = tuple(fold(ending) for ending in table.macros.get("adverb_endings", ("",)))
        self.aged = [re.compile(r"(?<!\S)" + templates.source(template)) for template in reading.aged]
        self.demonstratives = _folded(table.macros.get("demonstrative", ()))
        self.instead = [templates.starting((template,)) for template in reading.instead]
        self.greetings = templates.starting(reading.greetings)
        self.titles = _folded(table.macros.get("title", ()))
        self.first_names = _folded(language(code).first_names)
        self.names_anywhere = _folded(first_names_anywhere())
        """First names of all languages. They count as names only where they have a capital."""
        self.towns = _folded(table.towns)
        after = "|".join(re.escape(fold(word)) for word in reading.unmarked_genitive) or "(?!)"
        self.unmarked_genitive = re.compile(rf"(?<!\S)(?P<name>[^\W\d_]{{2,}})s (?=(?:{after}|\d+) )")
        self.women = _folded(table.women)
        self.men = self.first_names - self.women - _folded(table.either_sex)
        self.never_name_endings = tuple(fold(ending) for ending in table.never_name_endings)
        self.noun_endings = tuple(fold(ending) for ending in table.macros.get("noun_endings", ("\0",)))
        self.is_endings = tuple(fold(ending) for ending in table.is_endings)
        self.abbreviations = frozenset(table.abbreviations)
        self.copula = _line(table.copula)
        self.speaker_copula = _line(table.speaker_copula)
        classes = table.word_classes
        self.closed_classes = {
            "N": _folded(classes.get("pronoun", ())),
            "P": _folded(word for words in (table.possessives, table.other_possessives) for word in words),
            "J": _folded(classes.get("conjunction", ())),
            "R": _folded(classes.get("relative", ())),
            "X": _folded(classes.get("subordinator", ())),
            "O": _folded(classes.get("preposition", ())),
            "D": _folded(table.articles),
        }
        self.closed_written = frozenset(word for words in classes.values() for word in words)
        self.auxiliaries = _folded(classes.get("auxiliary", ()))
        closed = self.closed = frozenset[str]().union(*self.closed_classes.values())
        self.verbs = frozenset(_heads(table)) - closed
        """Finite verbs in lower case, both as written and without accents."""
        self.between = _folded((*reading.fillers, *reading.hedges, *reading.negations, *classes.get("clitic", ())))
        self.own_verbs = frozenset(_heads_of(form for rule in table.rules for form in rule.speaker)) - closed
        self.others_verbs = frozenset(_heads_of(form for rule in table.rules for form in rule.other))
        self.verb_forms = _folded(form for rule in table.rules for form in (*rule.speaker, *rule.other))
        self.conjugated = frozenset(_conjugated(table))
        """Finite forms of common verbs, with their accents."""
        self.inverts = any(order.startswith("{verb} {subject}") for order in table.orders)
        self.numerals = {fold(word): number for number, word in enumerate(table.numbers)}
        self.numerals |= {fold(word): number for word, number in table.number_words.items()}

    def owns_s(self, word: str) -> bool:
        """Whether an s at the end of this folded word is a genitive or a verb without its apostrophe: "my mums name".

        Not if the word with the s is a first name itself.
        """
        is_somebody = word in self.roles or word in self.kin or word in self.first_names
        return is_somebody and f"{word}s" not in self.first_names

    def value(self, line: Line) -> int | None:
        """Return the number that a line states in digits or words; None if it states none."""
        text = line.folded.strip()
        return int(text) if text.isdecimal() and len(text) < 9 else self.numerals.get(text)


_kits: dict[str, LanguageKit] = {}
_making: defaultdict[str, Lock] = defaultdict(Lock)


def language_kit(code: str) -> LanguageKit:
    """Return the kit of a language, made once. Raises FileNotFoundError: the language has no table of facts."""
    # Checked again under the lock, so that two threads do not compile one language. It is a lock per language: one
    # that is being compiled must not hold up turns in another.
    if code not in _kits:
        with _making[code]:
            if code not in _kits:
                _kits[code] = LanguageKit(code)
    return _kits[code]
