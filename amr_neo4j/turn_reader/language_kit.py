"""Compiles the table of one language to the patterns and word sets that the reader uses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property, lru_cache, partial
from itertools import chain
from threading import Lock
from typing import Any, Generic, TypeVar

from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.fact_tables import CompiledAs, FactTable, Rewording
from amr_neo4j.language.languages import first_names_anywhere, first_names_by_sex, language
from amr_neo4j.turn_reader.expressions import compile_once, compiled
from amr_neo4j.turn_reader.frames import Frames
from amr_neo4j.turn_reader.lines import KEPT, Line, fold, line_of
from amr_neo4j.turn_reader.templates import Templates

NOTED = "theuser"
"""A first name that no text has, which the reader puts for "the user" in the note of a program."""

_NO_ENDING = ("\0",)
"""An ending that no word has."""
_LIST_SLOT = re.compile(r"=(\w+)\+\}")
"""The macros whose phrases a slot takes as a list."""


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
    for word in (form.split()[0] for form in forms):
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


def _any_of(words: Iterable[str]) -> str:
    """Return an expression for any of these words; without words, one that never matches."""
    return "|".join(re.escape(fold(word)) for word in words) or "(?!)"


Made = TypeVar("Made")


class Group(Generic[Made]):
    """Compiled fields of one kind, as attributes with the names of the fields: `kit.patterns.hedges`.

    The names are the table's, so none is declared again here.
    """

    def __init__(self, fields: Mapping[str, Made]) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Made:
        # Python calls this for missing names only. For the type checker, its return type is that of every field.
        raise AttributeError(f"no field of this group: {name}")


class LazyGroup(Group[Made]):
    """A group whose fields are made when they are first read.

    Compiling all patterns of a language takes half a second, and a turn needs few of them.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Made]]) -> None:
        self._makers = makers

    def __getattr__(self, name: str) -> Made:
        if name.startswith("_") or name not in self._makers:
            return super().__getattr__(name)
        # Two threads may make one field at the same time. They make the same pattern, so either may stay.
        made = self.__dict__[name] = self._makers[name]()
        return made

    def make_all(self, between: Callable[[], object]) -> None:
        """Make every field now. between: called before each one."""
        for name in self._makers:
            between()
            getattr(self, name)


def _expressions(sources: Mapping[str, str]) -> LazyGroup[re.Pattern[str]]:
    return LazyGroup({name: partial(compiled, source) for name, source in sources.items()})


_MACRO_PATTERNS = {
    "again": CompiledAs.STARTING,
    "both_of_us": CompiledAs.STARTING,
    "calling": CompiledAs.STARTING,
    "clock": CompiledAs.STARTING,
    "event": CompiledAs.ANYWHERE,
    "span": CompiledAs.STARTING,
    "tag": CompiledAs.ENDING,
    "there": CompiledAs.ANYWHERE,
    "vaguely": CompiledAs.STARTING,
}
"""{macro of a table that the reader also needs as a pattern of its own: where in a text the pattern matches}."""
_MACRO_WORDS = (
    "demonstrative",
    "everyday",
    "for_hire",
    "genitive",
    "kin",
    "momentary",
    "no_longer",
    "nominative",
    "partitive",
    "passing",
    "prepositions",
    "schools",
    "street",
    "title",
)
"""Macros of a table that the reader also needs as word sets."""
_ONE_PATTERN = {
    CompiledAs.ANYWHERE: Templates.anywhere,
    CompiledAs.STARTING: Templates.starting,
    CompiledAs.ENDING: Templates.ending,
}
_PATTERN_EACH = {CompiledAs.EACH_STARTING: Templates.starting, CompiledAs.EACH_ANYWHERE: Templates.anywhere}


def _fields(table: FactTable) -> Iterator[tuple[CompiledAs, str, tuple[str, ...]]]:
    """Yield (how to compile it, name, words) for each field and macro of a table that the reader needs."""
    for part in (table, table.reading):
        for name, field in type(part).model_fields.items():
            for compiled_as in field.metadata:
                if isinstance(compiled_as, CompiledAs):
                    yield compiled_as, name, getattr(part, name)
    for name, compiled_as in _MACRO_PATTERNS.items():
        yield compiled_as, name, table.macros.get(name, ())
    for name in _MACRO_WORDS:
        yield CompiledAs.WORD_SET, name, table.macros.get(name, ())


def _patterns(table: FactTable, templates: Templates) -> LazyGroup[re.Pattern[str]]:
    reading, macros = table.reading, table.macros
    makers = {
        name: partial(_ONE_PATTERN[how], templates, words)
        for how, name, words in _fields(table)
        if how in _ONE_PATTERN
    }
    breaks = [*reading.breaks, *reading.relatives, *reading.joins]
    makers |= {
        "any_break": partial(templates.anywhere, breaks),
        "indefinite": partial(templates.starting, macros.get("a", ())),
        "some": partial(templates.starting, macros.get("some", macros.get("a", ()))),
        "number": partial(templates.starting, ("<num>",)),
        "numbers": partial(templates.anywhere, ("<num>",)),
        "polite_end": partial(templates.ending, reading.polite),
    }
    return LazyGroup(makers)


def _each(table: FactTable, templates: Templates) -> LazyGroup[list[re.Pattern[str]]]:
    def compiled(compile_one: Callable[..., re.Pattern[str]], words: Iterable[str]) -> list[re.Pattern[str]]:
        return [compile_one(templates, (template,)) for template in words]

    return LazyGroup(
        {
            name: partial(compiled, _PATTERN_EACH[how], words)
            for how, name, words in _fields(table)
            if how in _PATTERN_EACH
        }
    )


def _endings(table: FactTable) -> Group[tuple[str, ...]]:
    fields = {name: words for how, name, words in _fields(table) if how is CompiledAs.ENDING_TUPLE}
    fields |= {
        "adverb_endings": table.macros.get("adverb_endings", ("",)),
        "event": table.macros["event"],
        "noun_endings": table.macros.get("noun_endings", _NO_ENDING),
        "schools": table.macros.get("schools", _NO_ENDING),
    }
    return Group({name: tuple(fold(ending) for ending in endings) for name, endings in fields.items()})


class WordTag(StrEnum):
    """The class of a word, as one letter: a clause becomes a string of them, in which expressions find its parts."""

    VERB = "V"
    """A finite verb."""
    PRONOUN = "N"
    """A pronoun as a subject."""
    POSSESSIVE = "P"
    ARTICLE = "D"
    ROLE = "K"
    """A noun for a relative or an animal."""
    NAME = "M"
    PREPOSITION = "O"
    RELATIVE = "R"
    SUBORDINATOR = "X"
    CONJUNCTION = "J"
    COMMA = "C"
    NUMBER = "F"
    ADVERB = "A"
    OTHER = "W"


def _closed_classes(table: FactTable) -> dict[WordTag, frozenset[str]]:
    """Return {class: its words} for the classes whose words can all be listed."""
    classes = table.word_classes
    return {
        WordTag.PRONOUN: _folded(classes.get("pronoun", ())),
        WordTag.POSSESSIVE: _folded((*table.possessives, *table.other_possessives)),
        WordTag.CONJUNCTION: _folded(classes.get("conjunction", ())),
        WordTag.RELATIVE: _folded(classes.get("relative", ())),
        WordTag.SUBORDINATOR: _folded(classes.get("subordinator", ())),
        WordTag.PREPOSITION: _folded(classes.get("preposition", ())),
        WordTag.ARTICLE: _folded(table.articles),
    }


def _word_sets(code: str, table: FactTable) -> Group[frozenset[str]]:
    reading, macros, classes = table.reading, table.macros, table.word_classes
    fields = {name: _folded(words) for how, name, words in _fields(table) if how is CompiledAs.WORD_SET}
    fields["several"] |= _folded(language(code).relation_words.plural)
    closed = frozenset[str]().union(*_closed_classes(table).values())
    called = language(code).first_names
    women, men, either = map(_folded, (called.women, called.men, called.either))
    foreign_women, foreign_men = map(_folded, first_names_by_sex())
    foreign_women, foreign_men = foreign_women - foreign_men, foreign_men - foreign_women
    own_forms = [form for rule in table.rules for form in rule.speaker]
    others_forms = [form for rule in table.rules for form in rule.other]
    no_particles = fields["prepositions"] - _folded(macros["particle"]) if "particle" in macros else frozenset[str]()
    names = {
        "first_names": women | men | either | {NOTED},
        # "Renée" and "René" are folded to one name. Foreign names count as well: "Karl" is a man in Spanish, too.
        "women": women - men - either | foreign_women - women - men - either,
        "men": men - women - either | foreign_men - women - men - either,
        # First names of all languages. With a capital, they are names in every language.
        "names_anywhere": _folded(first_names_anywhere()),
    }
    never = (*table.never_name, *table.stopwords)
    as_typed = {word.lower() for word in (*never, *table.is_always, *table.occupations)}
    # First names that are spelt like a common word but for its accents: "Marie" and "marié".
    names["names_without_accents"] = names["names_anywhere"] - as_typed
    names["never_name"] = _folded(never) - names["names_without_accents"]
    verbs = {
        "auxiliaries": _folded(classes.get("auxiliary", ())),
        # In lower case, both as written and without accents.
        "verbs": frozenset(_heads(table)) - closed,
        "own_verbs": frozenset(_heads_of(own_forms)) - closed,
        "others_verbs": frozenset(_heads_of(others_forms)),
        "verb_forms": _folded([*own_forms, *others_forms]),
        # Forms of common verbs, with their accents. No rule needs them, but they show where a clause begins.
        "conjugated": frozenset(_conjugated(table)),
    }
    between = (*reading.fillers, *reading.hedges, *reading.negations)
    others = {
        "adverbs": _folded([*between, *reading.joins, *table.never_subject]),
        "between": _folded((*between, *classes.get("clitic", ()))),
        "closed": closed,
        "closed_prepositions": _folded(classes.get("preposition", ())),
        "conjunctions": _folded(classes.get("conjunction", ())),
        "closed_written": frozenset(word for words in classes.values() for word in words),
        "dates": _folded((*macros.get("month", ()), *macros.get("day", ()))),
        "no_particles": no_particles,
        "professions": _folded(table.profession_names),
        "possessive_words": fields["possessives"] | fields["other_possessives"],
    }
    return Group(fields | names | verbs | others)


def _clause_patterns(table: FactTable, templates: Templates) -> LazyGroup[re.Pattern[str]]:
    """Return patterns for the marks and words that separate a clause from what does not belong to it."""
    reading, macros, classes = table.reading, table.macros, table.word_classes
    fillers = templates.anywhere(reading.fillers).pattern
    joins = templates.starting(reading.joins).pattern
    negation = templates.starting(reading.negations).pattern
    contrast = _any_of(macros.get("contrast", ()))
    versus = templates.anywhere(reading.versus).pattern
    relatives, clitics = _any_of(classes.get("relative", ())), _any_of(classes.get("clitic", ()))
    subjects = _any_of(sorted(_folded(macros.get("nominative", ()))))
    verbs = _any_of(classes.get("auxiliary", ()))
    genitive = _any_of(macros.get("genitive", ()))
    stops = "|".join(re.escape(fold(word)) for word in table.stopwords)
    frames = [each for rule in table.rules for each in rule.frame]
    listed = {macro for each in frames for macro in _LIST_SLOT.findall(each)}
    one_listed = templates.anywhere(sorted(f"<{macro}>" for macro in listed)).pattern
    how_well = templates.alternatives(macros["how_well"]) if "how_well" in macros else "(?!)"
    return _expressions(
        {
            "listed": one_listed,
            "how_well": rf"(?:{how_well})+(?={one_listed})",
            "asides": rf"(?<!\S), (?:{fillers})+, ",
            "pauses": r"(?<!\S)[,;:()–—…-] ",
            "contrast": rf"(?<!\S), (?:{joins})?{negation}(?P<denied>(?:[^\s,]+ ){{1,4}})$",
            "bare_contrast": rf"(?<!\S)(?P<kept>[^\s,;:]+) (?:{contrast}) (?P<denied>(?:[^\s,;:]+ ){{1,3}})$",
            "versus": rf"{versus}(?:[^\s,;:()]+ ){{1,5}}?(?=[,;:.!?)…] |$)",
            "denied_relative": rf"(?<!\S)(?:{relatives}) (?:(?:{subjects}|{clitics}|{verbs}) ){{0,2}}{negation}",
            "genitive": rf"(?<= )(?:{genitive}) (?=(?!(?:{stops}) )[^\s]|$)",
        }
    )


def _role_patterns(
    table: FactTable, nouns: Mapping[str, tuple[str, ...]], templates: Templates
) -> LazyGroup[re.Pattern[str]]:
    """Return patterns for a relative's role ("my brother") beside a name, a pronoun or somebody else's role."""
    macros, source = table.macros, templates.source
    role, any_word, mine = source("<role>"), source("<x1>"), source("<my> [<x1>] <role>")
    name = source("[<the>] <x1> [<x1>] [<x1>]")
    owned = source("(<my>|<one>) [<x1>] <role>")
    more = f"(?:{source('<of> <x1> [<x1>]')})?"
    relative = source("<my> [<x1>] <role> [<x1>]")
    again = _any_of(sorted(_folded(macros.get("nominative", ())) - _folded(table.speaker)))
    pronouns = _any_of(word for words in table.others.values() for word in words)
    somebody = source("<my> [<x1>] <role> [<x1>] [<x1>]")
    kin = source("<my> [<x1>] <kin>") if "kin" in macros else "(?!)"
    # "My ex-husband Neil", as Reader._without_former joins it.
    former = rf"{source('<my>')}(?:{_any_of(table.former)})-{role}"
    before_name = [words for role_name, words in nouns.items() if relation_kind(role_name).before_name]
    titles = list(chain.from_iterable(before_name))
    owner = source("(<my>|<kin_article>) [<x1>]?")
    return _expressions(
        {
            "doubled": rf"(?P<subject>{relative})(?:, )?(?:{again}) ",
            "dislocated": rf"(?:{pronouns}) (?P<said>.+?), (?P<subject>{somebody})(?:[.!…] )*$",
            "role_then_name": rf"(?<!\S)(?P<role>{owned}){more}[,(] (?P<name>{name})(?:[,.!…)] |$)",
            "name_then_role": rf"(?:(?<=, )|^)(?P<name>{name}), (?P<role>{owned})(?:, |$)",
            "name_after": rf"(?<!\S)(?P<name>{name}), (?P<role>{mine})(?:[,.!…] |$)",
            "named_role": rf"(?<!\S){source('<my>')}(?:{any_word}){{0,2}}?(?=({role}))",
            "named_of_another": rf"(?<!\S){source('<their>')}(?:{any_word}){{0,2}}?(?=({role}))",
            "named_kin": rf"(?<!\S)(?:{kin}|{former})(?P<name>{any_word})",
            "titled_kin": rf"(?<!\S)(?:{templates.alternatives(titles)})(?=\S)",
            "owned_role": rf"(?<!\S){owner}(?P<role>{role})",
            "former": rf"(?<!\S)(?P<word>{_any_of((*table.former, *table.deceased))})[ -](?=(?P<role>{role}))",
        }
    )


def _reworded(rewordings: Iterable[Rewording], templates: Templates) -> list[tuple[re.Pattern[str], str]]:
    """Return (pattern of an unusual word order, the usual order that it reads as) for each of these."""
    return [(templates.starting((template,)), each.reads) for each in rewordings for template in each.say]


class LanguageKit:
    """The patterns and word lists of one language, folded; each pattern is compiled once, when it is first needed.

    patterns, each, words, endings: the fields of the table under their own names (CompiledAs says which are where),
        and what is derived from them.
    role_patterns, clause_patterns: expressions put together from several fields.
    others, roles, genders, favorites, activities: word -> the group of the table that lists it (`kit.roles["sister"]`
        is "sister", `kit.others["she"]` "f").
    role_groups: {"siblings": (brother, sister)}.
    role_genders: {"sister": "f"}.
    """

    def __init__(self, code: str) -> None:
        table, relations = language(code).fact_table, language(code).relation_words
        templates = Templates(table, chain.from_iterable(relations.nouns.values()))
        reading = table.reading
        self.code = code
        self.table = table
        table.expand.update(_run_together(table))  # into the table itself, which `line_of` reads
        self.frames = Frames(table, templates)
        self._templates = templates

        self.patterns = _patterns(table, templates)
        self.each = _each(table, templates)
        self.words = _word_sets(code, table)
        self.endings = _endings(table)
        self.clause_patterns = _clause_patterns(table, templates)
        self.role_patterns = _role_patterns(table, relations.nouns, templates)

        self.others = _inverse(table.others)
        self.roles = _inverse(relations.nouns)
        self.genders = _inverse(relations.genders) | _inverse(table.genders)
        self.role_groups = {fold(word): roles for word, roles in relations.groups.items()}
        self.role_genders = {self.roles[noun]: gender for noun, gender in _inverse(relations.genders).items()}
        self.favorites = _inverse(table.favorites)
        self.topics = {
            " ".join(fold(phrase).replace("'", "' ").split()): relation
            for phrase, relation in _inverse(table.topics).items()
        }
        self.activities = _inverse(table.activities)
        self.lengths = {unit: _folded(words) for unit, words in reading.lengths.items()}
        self.ended_by = {tuple(over.split()): _folded(states) for over, states in reading.ended_by.items()}
        self.closed_classes = _closed_classes(table)

        self.abbreviations = frozenset(table.abbreviations)
        self.line = lru_cache(KEPT)(partial(line_of, table=table))
        """Returns a text as a line."""
        self.copula = _line(table.copula)
        self.speaker_copula = _line(table.speaker_copula)
        self.mine = Line(f"{table.possessives[0]} ", f"{fold(table.possessives[0])} ")
        self.inverts = any(order.startswith("{verb} {subject}") for order in table.orders)
        self.numerals = {fold(word): number for word, number in table.numerals.items()}

    @cached_property
    def no_nouns(self) -> frozenset[str]:
        """Verbs, function words and numbers: where a noun has ended."""
        words = self.words
        return frozenset[str]().union(
            words.verbs, words.finite, words.conjugated, words.closed, words.between, self.numerals
        )

    @cached_property
    def persons(self) -> frozenset[str]:
        """Nouns and pronouns for people and pets."""
        return frozenset[str]().union(self.roles, self.words.kin, self.words.speaker, self.others)

    @cached_property
    def verbs_of_speaker(self) -> frozenset[str]:
        """Verbs that show the speaker as their subject by themselves, in a language that leaves subjects out."""
        return self.words.own_verbs - self.words.others_verbs if self.table.drops_subject else frozenset()

    @cached_property
    def rewordings(self) -> list[tuple[re.Pattern[str], str]]:
        """(pattern of an unusual word order, the usual order that it reads as)."""
        return _reworded(self.table.reading.rewordings, self._templates)

    @cached_property
    def answers(self) -> list[tuple[re.Pattern[str], str]]:
        """(pattern of an answer to a question, the statement that it reads as)."""
        return _reworded(self.table.reading.answers, self._templates)

    @cached_property
    def joined_verbs(self) -> re.Pattern[str]:
        """Finds verb forms with a conjunction in them: "born and raised"."""
        return self.frames.verbs_with(self.patterns.joins)

    @cached_property
    def cuts(self) -> dict[str, re.Pattern[str]]:
        """{relation: pattern of the words that are cut from its object, with all that follows}."""
        return {relation: self._templates.anywhere(words) for relation, words in self.table.cuts.items()}

    @cached_property
    def over_with(self) -> dict[tuple[str, ...], tuple[re.Pattern[str], frozenset[str]]]:
        """{relations: idioms that say it is over with a value that is named beside them}: their pattern and words."""
        found: dict[tuple[str, ...], tuple[re.Pattern[str], frozenset[str]]] = {}
        for over, idioms in self.table.reading.over_with.items():
            words = re.findall(r"[^\W\d_]+", re.sub(r"<\w+>", " ", " ".join(idioms)))
            found[tuple(over.split())] = self._templates.anywhere(idioms), frozenset(map(fold, words))
        return found

    def compile(self, between: Callable[[], object] = lambda: None) -> None:
        """Compile everything now, of the frames only those that are not kept compiled.

        A turn needs nearly all other patterns, and few frames.

        between: called before each pattern, so that other work can go first.
        """
        for group in (self.patterns, self.each, self.clause_patterns, self.role_patterns):
            group.make_all(between)
        _ = self.rewordings, self.answers, self.joined_verbs, self.cuts, self.over_with
        tables = map(language(self.code).text, ("facts.yaml", "relation_words.yaml"))
        compile_once("\n".join((self.code, *tables)), partial(self.frames.compile, between))

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
