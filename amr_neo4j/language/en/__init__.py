"""English. LANGUAGE offers what base.Language asks for; a language close to English may inherit from `English`."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from importlib import resources

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.language.base import (
    AskingPatterns,
    Grammar,
    Language,
    SceneSentences,
    SentenceForms,
    StatedValue,
    TimeExpressions,
)
from amr_neo4j.language.en import (
    asking,
    content,
    deeds,
    mentions,
    naming,
    objects,
    persons,
    questions,
    spatial,
    verbs,
    words,
)
from amr_neo4j.language.en import grammar as answers
from amr_neo4j.language.en import kin as word_classes
from amr_neo4j.language.en import scenes as scene_sentences
from amr_neo4j.language.en import sentences as forms_of_sentences
from amr_neo4j.language.en.time_expressions import EnglishTimes, TimeExpressionTable
from amr_neo4j.language.en.values import EnglishValues, ValueTable
from amr_neo4j.tables import AnyTable, load


class English:
    """The rules of English, by the modules and tables of this folder."""

    code = "en"
    sentence_forms: SentenceForms = forms_of_sentences
    scenes: SceneSentences = scene_sentences
    grammar: Grammar = answers

    words_of = staticmethod(content.words_of)
    is_word = staticmethod(words.is_word)
    forms = staticmethod(content.forms)
    all_forms = staticmethod(content.all_forms)
    phrasal_verbs = staticmethod(content.phrasal_verbs)
    content_words = staticmethod(content.content_words)
    has_function_words = staticmethod(content.has_function_words)
    gist = staticmethod(content.gist)
    owners = staticmethod(content.owners)
    kin = staticmethod(word_classes.kin)
    says_more = staticmethod(word_classes.says_more)
    preposition_of = staticmethod(content.preposition_of)
    sentences = staticmethod(mentions.sentences)
    sentences_in = staticmethod(forms_of_sentences.sentences_in)
    quoted_sentences = staticmethod(forms_of_sentences.quoted_sentences)

    object_key = staticmethod(objects.object_key)
    person_key = staticmethod(persons.person_key)
    short_id = staticmethod(persons.short_id)
    is_unknown = staticmethod(persons.is_unknown)
    is_indistinct = staticmethod(persons.is_indistinct)
    mentioned_names = staticmethod(persons.mentioned_names)
    named_in = staticmethod(naming.named_in)

    known_verbs = staticmethod(verbs.known_verbs)
    transition = staticmethod(verbs.transition)
    states_meant = staticmethod(verbs.states_meant)
    lemma = staticmethod(verbs.lemma)
    deeds_in = staticmethod(deeds.deeds_in)

    spatial_relations = staticmethod(spatial.spatial_relations)
    opposite_relation = staticmethod(spatial.opposite_relation)
    relation_is = staticmethod(spatial.relation_is)

    is_pronoun = staticmethod(mentions.is_pronoun)
    is_first_person = staticmethod(mentions.is_first_person)
    own_name = staticmethod(mentions.own_name)
    stated_relations = staticmethod(mentions.stated_relations)
    named_mentions = staticmethod(mentions.named_mentions)

    @property
    def asking(self) -> AskingPatterns:
        """The patterns of asking.yaml."""
        return self._asking

    @property
    def time_expressions(self) -> TimeExpressions:
        """The patterns of time_expressions.yaml, and what their marks mean."""
        return self._time_expressions

    def number(self, word: str) -> int | None:
        """The number that a numeral of values.yaml, or one in digits, stands for."""
        return int(word) if word.isdecimal() else self._values.numbers.get(word)

    def values_stated(self, text: str) -> list[StatedValue]:
        """The values of values.yaml that a text states, in its order."""
        return self._values.values_in(text)

    def times_stated(self, text: str, said_at: datetime | None) -> list[StatedValue]:
        """The times of values.yaml that a text states, in its order."""
        return self._values.times_in(text, said_at)

    def type_question(self, text: str) -> QuestionType:
        """The type of the first rule of questions.yaml that fits; General where none does."""
        return self._questions.type_question(text)

    @cached_property
    def _asking(self) -> AskingPatterns:
        return asking.compiled(self.table("asking.yaml", asking.AskingTable), self._value_table.numbers)

    @cached_property
    def _time_expressions(self) -> TimeExpressions:
        return EnglishTimes(self.table("time_expressions.yaml", TimeExpressionTable))

    @cached_property
    def _values(self) -> EnglishValues:
        return EnglishValues(self._value_table, self.table("time_expressions.yaml", TimeExpressionTable))

    @cached_property
    def _value_table(self) -> ValueTable:
        return self.table("values.yaml", ValueTable)

    @cached_property
    def _questions(self) -> questions.QuestionRules:
        return questions.QuestionRules(self.table("questions.yaml", questions.QuestionTable))

    @property
    def rules_version(self) -> int:
        """The version of mentions.yaml."""
        return mentions.mention_table().version

    def table(self, name: str, model: type[AnyTable]) -> AnyTable:
        """A YAML table of the language's own folder, or of this one where that has none of the name."""
        own = type(self).__module__
        return load(own if resources.files(own).joinpath(name).is_file() else __name__, name, model)


LANGUAGE: Language = English()
