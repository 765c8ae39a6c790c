"""Languages of questions: for conversations in a language without rules, and for footage in another language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from functools import cached_property, lru_cache

from amr_neo4j.language.en.grammar import EnglishOfForeignWords
from amr_neo4j.language.glossary import glossary, has_glossary
from amr_neo4j.language.grammar import AnswerTable, Grammar
from amr_neo4j.language.languages import DEFAULT, ENGLISH, Language, is_first_name, language
from amr_neo4j.language.nouns import ContentWord, Gloss, KnownNames
from amr_neo4j.language.stems import stems, words_in
from amr_neo4j.language.time_expressions import NamedTime
from amr_neo4j.language.values import StatedValue


class SpokenLanguage(Language):
    """Compares words by the language's stems, reads times by their English words, and answers in its sentences.

    Everything else follows the English rules.
    """

    def __init__(
        self, spoken: Language, answers: AnswerTable, language_of: Callable[[str], str], footage: str
    ) -> None:
        """language_of: returns the code of the language that a text is most likely in.

        footage: the code of the language of the analyses.
        """
        super().__init__(spoken.code, footage)
        self._language_of = language_of
        self.grammar = Grammar(answers, spoken.code)
        self._function = (spoken.bullets.interrogatives | answers.function) - answers.telling
        self._aside = answers.aside

    def in_english(self, question: str, persons: Collection[str], objects: Collection[str]) -> Gloss:
        """Return a question as it is, with English words for its words, because footage may be described by these."""
        if not has_glossary(self.code):
            return Gloss(question)
        table = glossary(self.code)
        others = {each.word: sorted(table.meanings(each.word)) for each in self.content_words(question)}
        return Gloss(question, others=others, may_be_own=table.english(question, persons).may_be_own)

    def asker_acts(self, clause: str) -> bool:
        """Return whether the main clause of a question, which is not parted here, has "I" or "we" as its subject."""
        return bool(self.asking.speaker.search(self._without_frame(clause).partition(",")[0]))

    def asks_for_several(self, question: str) -> bool:
        """Return whether a question asks how many, how often or in which order."""
        return super().asks_for_several(self._by_glossary(question))

    def _without_frame(self, clause: str) -> str:
        return super()._without_frame(self._by_glossary(clause))

    def _by_glossary(self, text: str) -> str:
        # The patterns are English, and `in_english` leaves the words as they are.
        return glossary(self.code).english(text).text if has_glossary(self.code) else text

    def time_in(self, text: str) -> tuple[str, NamedTime | None]:
        """Return (the text without its time range, the range), read by the English words for its words."""
        return self._time_in(text) if has_glossary(self.code) else super().time_in(text)

    @cached_property
    def _time_in(self) -> Callable[[str], tuple[str, NamedTime | None]]:
        # A question is read more than once: as a whole, by its clauses, and again when memory has new names.
        return lru_cache(maxsize=32)(glossary(self.code).time_in)

    def asks_of_present(self, text: str) -> bool:
        """Return whether a question is about the present."""
        return (
            not glossary(self.code).asks_of_past(text) if has_glossary(self.code) else super().asks_of_present(text)
        )

    def states_time(self, text: str) -> bool:
        """Return whether a text states a time, judging by its word-by-word English translation."""
        if not has_glossary(self.code):
            return super().states_time(text)
        words = glossary(self.code)
        return super().states_time(words.word_by_word(text)) or words.names_day(text)

    def times_stated(self, text: str, said_at: datetime | None) -> list[StatedValue]:
        """Return the times that a text states, with their places in its English words."""
        return (
            super().times_stated(glossary(self.code).word_by_word(text), said_at) if has_glossary(self.code) else []
        )

    def forms(self, word: str) -> frozenset[str]:
        """Return the word as written, the word without accents, and its stem."""
        found = stems(word, self.code)
        return found | {word[:-1]} if self._is_genitive(word) else found

    def all_forms(self, text: str) -> frozenset[str]:
        """Return the forms of all words of a text."""
        return stems(text, self.code).union(word[:-1] for word in words_in(text) if self._is_genitive(word))

    def _is_genitive(self, word: str) -> bool:
        """Return whether a word is a name with the German ending of whose something is: "Adas Haus".

        "Andreas" is a name itself, and no word for what is Andrea's.
        """
        table = self.facts
        is_german = bool(table and table.capitals_are_nouns)
        return is_german and word.endswith("s") and is_first_name(word[:-1]) and not is_first_name(word)

    def content_words(self, text: str) -> tuple[ContentWord, ...]:
        """Return the words that are not function words, each once, in order.

        All count as names, because the rules cannot tell nouns from verbs here: an answer must state each of them.
        """
        # With nothing left, as of "Qué hora es?", any turn would be an answer.
        asked = self._content_words(self._aside.sub(" ", text)) if self._aside else ()
        return asked or self._content_words(text)

    def telling_words(self, text: str) -> frozenset[str]:
        """Return the words of `content_words`."""
        return frozenset(word.word for word in self.content_words(text))

    def _content_words(self, text: str) -> tuple[ContentWord, ...]:
        named = {word: self.forms(word) for word in words_in(text) if len(word) > 1 and not word.isdigit()}
        return tuple(
            ContentWord(word, each, names=True) for word, each in named.items() if word not in self._function
        )

    def has_function_words(self, text: str) -> bool:
        """Return whether a text is in the language and has function words of it."""
        return self._language_of(text) == self.code and not self._function.isdisjoint(words_in(text))


class AskedLanguage(Language):
    """English, except that questions are in another language, or the analyses of the footage are.

    Words of the footage are compared by their stems and by the English words for them.
    """

    def __init__(self, asked: str, footage: str) -> None:
        """asked: the language of the questions.

        footage: that of the analyses. Each is English or has a glossary.
        """
        super().__init__(DEFAULT, footage)
        self.asked = asked
        answers = language(asked).answers
        if asked != DEFAULT and answers:
            self.grammar = Grammar(answers, asked)
        elif footage != DEFAULT:
            self.grammar = EnglishOfForeignWords()

    def in_english(self, question: str, persons: Collection[str], objects: Collection[str]) -> Gloss:
        """Return a question in English. persons, objects: the identities that memory knows."""
        read = glossary(self.asked) if self.asked != DEFAULT else None
        gloss = read.english(question, persons, objects) if read else Gloss(question)
        if self._told is None:
            return gloss
        told = [each for word in words_in(gloss.text) for each in self._told.words_for(word)]
        same = dict(gloss.words) if self.asked == self.footage else dict[str, str]()
        others = {
            word: (*gloss.others.get(word, ()), *sorted(stems(said, self.footage))) for word, said in same.items()
        }
        return replace(gloss, others={**gloss.others, **others}, told=tuple(dict.fromkeys([*same.values(), *told])))

    def forms(self, word: str) -> frozenset[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the forms of a word of a question or of the footage."""
        found = ENGLISH.forms(word)
        return found | self._told.meanings(word) | stems(word, self.footage) if self._told else found

    def all_forms(self, text: str) -> frozenset[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the forms of all words of a text."""
        found = ENGLISH.all_forms(text)
        return found.union(*map(self.forms, self.words_of(text))) if self._told else found

    def named_in(self, text: str, persons: Collection[str], objects: Collection[str]) -> KnownNames:
        """Return the known person ids and object keys that a question names.

        An object that is known in another language is named by the English words for it, too.
        """
        called = defaultdict[str, list[str]](list)
        for key in objects:
            for name in {key, self.object_key(self.told_in_english(key))}:
                called[name].append(key)
        named = super().named_in(text, persons, called)
        return replace(named, objects=tuple(dict.fromkeys(key for name in named.objects for key in called[name])))


@lru_cache(maxsize=50_000)
def _meant(word: str, code: str) -> frozenset[str]:
    # "Abholen" is to pick up, which is not all that goes up.
    english = (each for each in glossary(code).meanings(word) if not ENGLISH.has_function_words(each))
    return stems(word, code).union(*map(ENGLISH.forms, english))


def forms_and_english(text: str, code: str) -> frozenset[str]:
    """Return the forms of all words of a text and of the English words for them, which compare any two languages."""
    if code == DEFAULT or not has_glossary(code):
        return ENGLISH.all_forms(text)
    return frozenset[str]().union(*(_meant(word, code) for word in words_in(text)))


def function_words(code: str) -> frozenset[str]:
    """Return the words of a language that say nothing by themselves; none for English, whose rules tell them."""
    spoken = language(code)
    return spoken.bullets.interrogatives | spoken.answers.function if spoken.answers else frozenset()


def telling_words(text: str, code: str) -> list[str]:
    """Return the words of a text without function words."""
    function = function_words(code)
    if code == DEFAULT or not function:
        return [word.word for word in ENGLISH.content_words(text)]
    return [word for word in words_in(text) if word not in function]


def translated(text: str, code: str, other: str) -> str:
    """Return the words for a text in another language, in any order, several for each where it may mean several."""
    english = sorted({each for word in telling_words(text, code) for each in _in_english(word, code)})
    if other == DEFAULT or not has_glossary(other):
        return " ".join(english)
    return " ".join(dict.fromkeys(each for word in english for each in glossary(other).words_for(word)))


def _in_english(word: str, code: str) -> Collection[str]:
    return glossary(code).meanings(word) if has_glossary(code) else (word,)


def without_time(text: str, code: str) -> str:
    """Return a question without the time range that it names."""
    return (glossary(code) if has_glossary(code) else ENGLISH).time_in(text)[0]


def tells_of_past(text: str, code: str) -> bool | None:
    """Return whether a form of the verb shows that a text is about the past; None without a glossary."""
    return glossary(code).asks_of_past(text) if has_glossary(code) else None
