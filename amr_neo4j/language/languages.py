"""Languages by their codes, with the tables and rules of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from functools import cache, cached_property
from importlib import import_module, resources
from itertools import chain, dropwhile, takewhile
from pathlib import Path

import amr_neo4j.language
from amr_neo4j.domain.event import Evidence
from amr_neo4j.domain.ports import FootageWords
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.errors import ConfigError
from amr_neo4j.language.bullets import Bullets, BulletTable, TopicTable
from amr_neo4j.language.en import content, deeds, identities, mentions, spatial, verbs, words
from amr_neo4j.language.en import sentences as sentence_forms
from amr_neo4j.language.en.grammar import EnglishGrammar
from amr_neo4j.language.fact_tables import FactTable, FirstNames
from amr_neo4j.language.first_person import FirstPerson, FirstPersonTable
from amr_neo4j.language.grammar import AnswerTable, Grammar
from amr_neo4j.language.instructions import Instructions, InstructionTable
from amr_neo4j.language.nouns import ContentWord, Gloss, NamedMention, StatedRelation, Transition
from amr_neo4j.language.opposites import Opposites, OppositesTable
from amr_neo4j.language.plans import PlanQuestion, Plans, PlanTable
from amr_neo4j.language.questions import AskingPatterns, QuestionTable
from amr_neo4j.language.relation_words import RelationWords
from amr_neo4j.language.report_reader import ReportReader
from amr_neo4j.language.scenes import Scenes, SceneTable
from amr_neo4j.language.time_expressions import NamedTime, TimeExpressions, TimeExpressionTable
from amr_neo4j.language.values import StatedValue, Values, ValueTable
from amr_neo4j.tables import AnyTable, load

DEFAULT = "en"
"""The language whose rules and tables are used for a language that has none of its own."""
_NO_PART_OF_NAME = re.compile(r"\([^)]*\)|[\d_]+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
# "After lunch" is no time of the calendar, and answers "When?".
_BESIDE_EVENT = re.compile(r"\b(?:after|before|during|until|since)\b", re.IGNORECASE)
# Between the names of several: "dog/man".
_SEVERAL_NAMED = re.compile(r"[,/&+]|\band\b")
_ENDING_QUESTIONS = ("?", "？", "؟")
_CLOSING = "\"'”’»)* "
# Beside a question, a sentence of at most this many words ("Hi!") states nothing.
_FEW_WORDS = 2


@cache
def _kinds_of_animals() -> frozenset[str]:
    """Return the words for animals in kin.yaml: kinds, and kinds of kinds ("terrier")."""
    kinds = content.kin("animal")
    return kinds.union(*map(content.kin, kinds), {"animal"})


@cache
def _kinds_of_people() -> frozenset[str]:
    return content.kin("person") | {"person", "people"}


class Language:
    """One language: the tables of its folder `language/<code>/`, and rules for its words and sentences.

    Without the table in its folder, `facts` and `answers` are None and `first_names` is empty; every other table is
    the English one. The rules are English. A language with rules of its own is a subclass that overrides them
    (docs/languages.md).
    """

    # Words of a text, and their forms
    words_of = staticmethod(content.words_of)
    is_word = staticmethod(words.is_word)
    forms: Callable[[str], frozenset[str]] = staticmethod(content.forms)
    all_forms: Callable[[str], frozenset[str]] = staticmethod(content.all_forms)
    content_words: Callable[[str], tuple[ContentWord, ...]] = staticmethod(content.content_words)
    telling_words: Callable[[str], frozenset[str]] = staticmethod(content.telling_words)
    has_function_words: Callable[[str], bool] = staticmethod(content.has_function_words)
    phrasal_verbs = staticmethod(content.phrasal_verbs)
    manners = staticmethod(content.manners)
    going = staticmethod(content.going)
    gist = staticmethod(content.gist)
    is_determiner = staticmethod(content.is_determiner)
    owned = staticmethod(content.owned)
    kin = staticmethod(content.kin)
    says_more = staticmethod(content.says_more)
    preposition_of = staticmethod(content.preposition_of)

    # Sentences
    sentences = staticmethod(mentions.sentences)
    count_sentences = staticmethod(sentence_forms.count_sentences)
    quoted_sentences = staticmethod(sentence_forms.quoted_sentences)

    # Identities of persons and objects
    object_key = staticmethod(identities.object_key)
    person_key = staticmethod(identities.person_key)
    short_id = staticmethod(identities.short_id)
    names_apart = staticmethod(identities.names_apart)
    unquoted = staticmethod(identities.unquoted)
    is_unknown = staticmethod(identities.is_unknown)
    is_indistinct = staticmethod(identities.is_indistinct)
    mentioned_names = staticmethod(identities.mentioned_names)
    named_in = staticmethod(identities.named_in)

    # What verbs do to their objects, and where things are
    known_verbs = staticmethod(verbs.known_verbs)
    transition = staticmethod(verbs.transition)
    states_meant = staticmethod(verbs.states_meant)
    kinds_of_state = staticmethod(verbs.kinds_of_state)
    states_told = staticmethod(content.states_told)
    lemma = staticmethod(verbs.lemma)
    deeds_in = staticmethod(deeds.deeds_in)
    spatial_relations = staticmethod(spatial.spatial_relations)
    place_of = staticmethod(spatial.place_of)
    opposite_relation = staticmethod(spatial.opposite_relation)
    relation_is = staticmethod(spatial.relation_is)

    # What turns mention and state
    is_pronoun = staticmethod(mentions.is_pronoun)
    own_name = staticmethod(mentions.own_name)

    # Sentences that the program writes in answers
    grammar: Grammar = EnglishGrammar()

    def __init__(self, code: str, footage: str = "") -> None:
        """code: an ISO 639 code. A language without a folder has no tables of its own.

        footage: the language of the analyses; by default the same. `asked`: that of the questions.
        """
        self.code = self.asked = code
        self.footage = footage or code

    def is_first_person(self, word: str) -> bool:
        """Return whether a word refers to the speaker. "Mia" is a name, and "mia" may mean "my"."""
        is_name = word[:1].isupper() and is_first_name(word)
        return mentions.is_first_person(word) and not is_name

    @property
    def reads_statements(self) -> bool:
        """Whether `stated_relations` and `named_mentions` can read this language. If not, only a model can."""
        return self.code == DEFAULT

    @property
    def rules_version(self) -> int:
        """The version of the rules for mentions, which is recorded with what they extract."""
        return mentions.mention_table().version

    @cached_property
    def asking(self) -> AskingPatterns:
        """Patterns for what a question asks for."""
        states = "|".join(sorted({verb.to_state for verb in self.known_verbs() if verb.to_state}))
        numbers = "|".join(self._values.numbers)
        units = "|".join(many for _, many in Language.grammar.units.values())
        return self.table("asking.yaml", AskingPatterns, number=numbers, state=states, units=units)

    @property
    def time_expressions(self) -> TimeExpressions:
        """Reads times in questions."""
        return _time_expressions(self.code)

    def time_in(self, text: str) -> tuple[str, NamedTime | None]:
        """Return (the text without its time range, the range); the range is None if the text names none."""
        return self.time_expressions.time_in(text)

    def asks_of_present(self, text: str) -> bool:
        """Return whether a question is about the present ("Where do I live today?")."""
        return self.time_expressions.is_present(text)

    def type_question(self, text: str) -> QuestionType:
        """Return the type of a question; General if no rule fits."""
        return self._question_table.type_question(text)

    @cached_property
    def scenes(self) -> Scenes:
        """Writes sentences about what was seen and heard in a clip."""
        return Scenes(self.table("scenes.yaml", SceneTable))

    @property
    def codes(self) -> Scenes:
        """Writes the names and places of detected things as the graph stores them: always in English."""
        return ENGLISH.scenes

    @cached_property
    def _reports(self) -> ReportReader | None:
        """Reads the sentences that `scenes` of the language of the analyses writes; None if they are English."""
        told = language(self.footage).scenes
        return ReportReader(told, ENGLISH.scenes) if told.table.nouns else None

    def as_read(self, summary: str) -> str:
        """Return a summary as the rules read it: a report of the local analyser in English."""
        return self._reports.in_english(summary) if self._reports else summary

    @cached_property
    def _told(self) -> FootageWords | None:
        """The glossary of the language of the analyses; None for English and for a language without one."""
        # A glossary is made of a language's tables, so its module imports this one.
        has_glossary = language(self.footage).has_table("glossary.yaml")
        return import_module("amr_neo4j.language.glossary").glossary(self.footage) if has_glossary else None

    @cached_property
    def first_person(self) -> FirstPerson:
        """How analyses say "I"."""
        table = language(self.footage).table("first_person.yaml", FirstPersonTable)
        return FirstPerson(table, self._told.kinds, ENGLISH.first_person) if self._told else FirstPerson(table)

    def effect(self, verb: str, thing: str = "", where: str | None = None) -> Transition | None:
        """Return what an action of an analysis does to its object, as `transition` does of English words."""
        if self._told is None:
            return self.transition(verb, thing, where)
        thing, where = self.told_in_english(thing), where and self.told_in_english(where)
        meant = (self.transition(each, thing, where) for each in self._told.verbs(verb))
        return next(filter(None, meant), None)

    def told_in_english(self, words: str) -> str:
        """Return words of an analysis, such as those for a thing or a place, as the English rules read them."""
        return self._told.place(words) if self._told else words

    def denied_in(self, text: str) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield (the sign, the forms of the first telling word after it, else the sign) of each denial in a text."""
        for found in self.asking.denied.finditer(text):
            sign = found[0].casefold()
            told = self.content_words(re.split(r"[,;:.!?]", text[found.end() :].lstrip(" ,"))[0])
            yield sign, told[0].forms if told else frozenset({sign})

    def in_english(self, question: str, persons: Collection[str], objects: Collection[str]) -> Gloss:
        """Return a question as the rules read it. persons, objects: the identities that memory knows."""
        return Gloss(question)

    def says_me(self, question: str) -> bool:
        """Return whether a question speaks of whoever asks it: "I" or "me", but not in "I don't know who ..."."""
        return bool(self.asking.of_asker.search(self._without_frame(question)))

    def asker_acts(self, clause: str) -> bool:
        """Return whether a clause of a question has whoever asks it as its subject: "I" or "we"."""
        return bool(self.asking.speaker.search(self._without_frame(clause)))

    def asks_for_several(self, question: str) -> bool:
        """Return whether a question asks how many, how often or in which order."""
        return bool(self.asking.several.search(question))

    def _without_frame(self, clause: str) -> str:
        return self.asking.frame.sub("", clause)

    def is_animal(self, name: str) -> bool:
        """Return whether a name in an analysis describes nothing but animals: "a black dog", "Dog 1".

        In doubt it is a person, because a dog that is counted does less harm than an intruder who is not: "Wolf",
        "anna wolf", "Mr Fox" and "woman walking dog" are persons.
        """
        plain = _NO_PART_OF_NAME.sub(" ", name)
        words = self.words_of(plain)
        first = words[0] if words else ""
        # "Jack" is a word, too: "jack russell terrier".
        is_named = is_first_name(first) and (len(words) == 1 or not self.is_word(first))
        if is_named or first in titles_anywhere() or (len(words) > 1 and self.person_key(plain).is_name):
            return False
        return all(map(self._is_animal, _SEVERAL_NAMED.split(self.told_in_english(plain))))

    def _is_animal(self, description: str) -> bool:
        """Return whether an English description is one of an animal."""
        words = list(dropwhile(self.is_determiner, self.words_of(description)))
        # What is described stands before the first "in" or "with": "person in a dog costume".
        words = list(takewhile(lambda word: word not in identities.function_words(), words))
        if any(not self.forms(word).isdisjoint(_kinds_of_people()) for word in words):
            return False
        # And before the first participle: "courier walking a dog", "dog running".
        described = [*words[:1], *takewhile(lambda word: not word.endswith("ing"), words[1:])]
        return any(not self.forms(word).isdisjoint(_kinds_of_animals()) for word in described[-1:])

    def alike(self, word: ContentWord) -> frozenset[str]:
        """Return the base forms of a word and of other words that may describe the same: "hand" for "give"."""
        return word.forms | self.kin(word.word)

    def number(self, word: str) -> int | None:
        """Return the number that a numeral stands for, in digits or as a word; None if it is not a numeral."""
        return int(word) if word.isdecimal() else self._values.numbers.get(word)

    def repetitions(self, text: str) -> int:
        """Return how many times a text says that something is done: 3 for "three times", 1 if it does not say."""
        found = self.asking.repeated.search(text)
        if not found:
            return 1
        if found["twice"]:
            return 2
        if found["thrice"]:
            return 3
        return self.number(found["number"].casefold()) or 1

    def values_stated(self, text: str) -> list[StatedValue]:
        """Return the numbers, amounts, dates and times that a text states, in order."""
        return self._values.values_in(text)

    def times_stated(self, text: str, said_at: datetime | None) -> list[StatedValue]:
        """Return the times that a text states, in order.

        said_at: when the text was said; "yesterday" is counted from it. With None, only times that need no such date
            are returned.
        """
        return self._values.times_in(text, said_at)

    def only_asks(self, text: str) -> bool:
        """Return whether a turn only asks: questions, with at most a word or two beside them ("Hi!", "Thanks.")."""
        if not any(mark in text for mark in _ENDING_QUESTIONS):
            return False
        parts = [sentence.rstrip(_CLOSING) for sentence in self.sentences(text)]
        others = [part for part in parts if not part.endswith(_ENDING_QUESTIONS)]
        return len(others) < len(parts) and all(len(self.words_of(part)) <= _FEW_WORDS for part in others)

    def states_time(self, text: str) -> bool:
        """Return whether a text states a time: a day, an hour, a date, a length of time."""
        dated = (each.kind in ("date", "clock") for each in self.values_stated(text))
        has_words = _YEAR.search(text) or _BESIDE_EVENT.search(text)
        return bool(has_words) or self.time_expressions.time_in(text)[1] is not None or any(dated)

    @cached_property
    def facts(self) -> FactTable | None:
        """How the language states facts; None if it has no table for that."""
        return self.table("facts.yaml", FactTable) if self.has_table("facts.yaml") else None

    @property
    def fact_table(self) -> FactTable:
        """The table of `facts`, but never None. Raises ConfigError: the language has no such table."""
        if self.facts is None:
            raise ConfigError(
                f"no rules read facts in the language {self.code!r}", hint="leave it out of HOTMEM_LANGS"
            )
        return self.facts

    @cached_property
    def answers(self) -> AnswerTable | None:
        """The sentences of answers in this language; None if it has no table of them."""
        return self.table("answers.yaml", AnswerTable) if self.has_table("answers.yaml") else None

    def named_mentions(self, sentence: str, known: tuple[str, ...] = ()) -> list[NamedMention]:
        """Return what a sentence mentions besides its relations. known: names of persons.

        A first name that opens the sentence counts as known: every first word has a capital, so the capital alone
        would not show a name.
        """
        opening = re.match(r"(\w+)(?: ([A-Z]))?", sentence)
        if opening and is_first_name(opening[1]) and (opening[2] or not self.is_word(opening[1])):
            known = (*known, opening[1])
        return mentions.named_mentions(sentence, known, folded_first_names())

    def stated_relations(self, sentence: str) -> list[StatedRelation]:
        """Return the relations that a sentence states. Questions, conditions and denials state none."""
        return mentions.stated_relations(sentence, folded_first_names())

    def persons_named(self, text: str, known: Iterable[str], *, caption: bool) -> dict[str, Evidence | None]:
        """Return the names of persons in a text that more than a capital shows (identities.persons_named)."""
        text = self.as_read(text) if caption else text
        return identities.persons_named(text, known, self._name_signs, caption=caption)

    def roles_named(self, text: str) -> list[str]:
        """Return the persons that a text names by a role of the closed list: "the waiter", "the landlord"."""
        named = (found[1] or found[2] for found in self._roles.finditer(text))
        return list(dict.fromkeys(map(str.casefold, named)))

    @cached_property
    def _roles(self) -> re.Pattern[str]:
        signs = self._name_signs
        # There is no space after "l'".
        article = rf"(?:{_one_of(signs.articles)})(?:(?<=['’])| )"
        things, others = signs.also_things, frozenset[str]().union(*signs.roles.values()) - signs.also_things
        acting = rf"(?:{_one_of(things)})(?= (?:{_one_of(signs.after | signs.deeds)})\b)"
        # "Habla con el piloto", "saluda al piloto": the article may contain the preposition.
        spoken_to = _one_of({*signs.to_persons, *(words.split()[0] for words in signs.to_persons)})
        first = rf"{article}({_one_of(others)}|{acting})"
        return re.compile(rf"\b(?:{first}|(?:{spoken_to}) {article}({_one_of(things)}))\b", re.IGNORECASE)

    @cached_property
    def _name_signs(self) -> identities.NameSigns:
        signs = self.table("name_signs.yaml", identities.NameSigns)
        return signs.model_copy(update={"first_names": folded_first_names()})

    @cached_property
    def relation_words(self) -> RelationWords:
        """How facts of each relation read, how questions ask for them, and the nouns for roles."""
        return self.table("relation_words.yaml", RelationWords)

    @cached_property
    def bullets(self) -> Bullets:
        """Writes facts as sentences for a prompt."""
        topics = self.table("topics.yaml", TopicTable).topics
        return Bullets(self.table("bullets.yaml", BulletTable), self.relation_words, topics)

    def quote(self, words: str, at: datetime) -> str:
        """Return the words of the user as a quotation with its date, for a prompt."""
        month = self.answers.months[at.month - 1] if self.answers else f"{at:%B}"
        day = self.answers.first_day if self.answers and at.day == 1 else at.day
        return self.bullets.table.quote.format(day=day, month=month, year=at.year, words=words)

    @cached_property
    def plans(self) -> Plans:
        """Reads what is planned."""
        return Plans(self.table("plans.yaml", PlanTable))

    @cached_property
    def instructions(self) -> Instructions:
        """Reads what an assistant is told to do from now on."""
        return Instructions(self.table("instructions.yaml", InstructionTable))

    def forms_in_plans(self, word: str) -> frozenset[str]:
        """Return the forms of a word of a plan, and of those that mean the same in one."""
        return frozenset[str]().union(*map(self.forms, self.plans.alike(word)))

    def is_plan_asked_for(self, what: str, question: PlanQuestion, but: Collection[str] = ()) -> bool:
        """Return whether what is planned has all words of a question. but: words to leave out."""
        there = self.all_forms(what)
        return all(not there.isdisjoint(self.forms_in_plans(word)) for word in question.words if word not in but)

    @cached_property
    def opposites(self) -> Opposites:
        """Which words deny or exclude one another."""
        return Opposites(self.table("opposites.yaml", OppositesTable))

    @cached_property
    def stemmer(self) -> str:
        """The language's name in Snowball; empty if its words are not stemmed."""
        return self.opposites.table.stemmer if self.has_table("opposites.yaml") else ""

    @property
    def written(self) -> str:
        """The language in which models are asked to write analyses: this one if rules can read them, else English.

        By its English name, which is the one of its stemmer.
        """
        reads = self.code == DEFAULT or self.has_table("glossary.yaml")
        return self.stemmer.capitalize() if reads else ENGLISH.written

    @cached_property
    def joins_words(self) -> bool:
        """Whether it joins words to one, as German does in "Rotwein"."""
        return self.opposites.table.compounds

    @cached_property
    def first_names(self) -> FirstNames:
        """First names that are common in the language."""
        has_names = self.has_table("first_names.yaml")
        return self.table("first_names.yaml", FirstNames) if has_names else FirstNames(version=2)

    def table(self, name: str, model: type[AnyTable], **words: str) -> AnyTable:
        """Load a YAML table from the language's folder, or from the English one if the language has none.

        words: {name: what {name} in the table's patterns stands for}.
        """
        folder = self.code if self.has_table(name) else DEFAULT
        return _loaded(folder, name, model, tuple(words.items()))

    def text(self, name: str) -> str:
        """Return the text of a file in the language's folder."""
        return (resources.files(amr_neo4j.language.__name__) / self.code / name).read_text("utf-8")

    @cached_property
    def _question_table(self) -> QuestionTable:
        return self.table("questions.yaml", QuestionTable)

    @cached_property
    def _values(self) -> Values:
        calendar = self.table("time_expressions.yaml", TimeExpressionTable)
        return Values(self.table("values.yaml", ValueTable), calendar)

    def has_table(self, table: str) -> bool:
        """Return whether the language has a table of its own."""
        return any((folder / table).is_file() for folder in _folders() if folder.name == self.code)


@cache
def _loaded(folder: str, name: str, model: type[AnyTable], words: tuple[tuple[str, str], ...]) -> AnyTable:
    """Return a table. Each pair of languages of a question and of footage is an object, and all read English ones."""
    return load(f"{amr_neo4j.language.__name__}.{folder}", name, model, context=dict(words))


ENGLISH = Language(DEFAULT)


@cache
def language(code: str) -> Language:
    """Return the language with this code. A language without a package of its own uses the English rules."""
    if code == DEFAULT:
        return ENGLISH
    if any((folder / "__init__.py").is_file() for folder in _folders() if folder.name == code):
        return import_module(f"{amr_neo4j.language.__name__}.{code}").LANGUAGE
    return Language(code)


@cache
def _time_expressions(code: str) -> TimeExpressions:
    """Return the time expressions of a language, or the English ones if it has no table of them.

    Compiling a table takes up to a second, and looking for one reads the folders of all languages.
    """
    own = language(code)
    if code != DEFAULT and not own.has_table("time_expressions.yaml"):
        return _time_expressions(DEFAULT)
    return TimeExpressions(own.table("time_expressions.yaml", TimeExpressionTable))


@cache
def first_names_anywhere() -> tuple[str, ...]:
    """Return the first names of all languages, because people talk about friends from everywhere."""
    codes = sorted(folder.name for folder in _folders())
    return tuple(name for code in codes for name in language(code).first_names.names)


@cache
def first_names_by_sex() -> tuple[frozenset[str], frozenset[str]]:
    """Return the first names that only women have in every language, and those that only men have."""
    all_names = [language(folder.name).first_names for folder in _folders()]
    women = frozenset(name for each in all_names for name in each.women)
    men = frozenset(name for each in all_names for name in each.men)
    either = frozenset(name for each in all_names for name in each.either)
    return women - men - either, men - women - either


@cache
def folded_first_names() -> frozenset[str]:
    """Return the names of `first_names_anywhere` in lower case."""
    return frozenset(name.casefold() for name in first_names_anywhere())


@cache
def titles_anywhere() -> frozenset[str]:
    """Return the titles before names of all languages: "frau", "mr", "Me"."""
    return identities.titles().union(abbreviated_titles(), *(each.titles for each in _signs_anywhere()))


@cache
def abbreviated_titles() -> frozenset[str]:
    """Return the titles of all languages whose full stop ends no sentence: "mr", "Me", "sra"."""
    return identities.abbreviations().union(*(each.abbreviations for each in _signs_anywhere()))


def _signs_anywhere() -> list[identities.NameSigns]:
    return [language(folder.name).table("name_signs.yaml", identities.NameSigns) for folder in _folders()]


def is_first_name(word: str) -> bool:
    """Return whether a word is a common first name in any language."""
    return word.casefold() in folded_first_names()


def _one_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first: "bus driver" is no driver. Nothing matches none."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)"


def _folders() -> list[Path]:
    entries = chain.from_iterable(Path(place).iterdir() for place in amr_neo4j.language.__path__)
    return [entry for entry in entries if entry.is_dir()]
