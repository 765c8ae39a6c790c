"""Reads a question of another language as an English one, by the words of a table.

One parser reads the questions of all languages: each word or phrase is replaced by the English one, and the verb is
put where English has it. What the table does not know stays as it is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise, product
from operator import itemgetter
from os.path import commonprefix
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from amr_neo4j.language.en.sentences import gerund, past_participle, past_tense
from amr_neo4j.language.first_person import FirstPerson
from amr_neo4j.language.languages import ENGLISH, folded_first_names, language
from amr_neo4j.language.nouns import Gloss
from amr_neo4j.language.opposites import LEAST_BEFORE, LEAST_NOUN
from amr_neo4j.language.stems import folded, stem, words_in
from amr_neo4j.language.time_expressions import NamedTime
from amr_neo4j.tables import Table

_TOKEN = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_]+'|[^\W\d_]\w*(?:-\w+)*|\S")
_NUMBER = re.compile(r"\d+(?:[.:+]\d+)*")
_WORDS = re.compile(r"\w+")
_MINUTES = re.compile(r"(\d+)[.:](\d\d) o'clock")
_ORDINAL = re.compile(r"(?<=\d)(?:\.|er|º)(?=\s)")
"""What makes the number of a day one: "am 3. Mai", "le 1er mai"."""
_WEEKDAY = r"(monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b"
_DAY = rf"(?:the )?(?:on )?{_WEEKDAY}"
_MONTHS = "|".join(ENGLISH.time_expressions.months)
_OF_DAYS = (
    (re.compile(rf"(?: ,)? (before|after|since|until) {_DAY}"), r" \1 \2"),
    (re.compile(rf" between {_DAY} and {_DAY}"), r" between \1 and \2"),
    (re.compile(rf" (?:from|of) {_DAY} (?:to|until) {_DAY}"), r" from \1 to \2"),
    (re.compile(rf" from {_DAY}(?! to )"), r" since \1"),
    (re.compile(rf" (the )?(first|second|third|fourth|fifth|last|next) {_DAY}"), r" \1\2 \3"),
    (re.compile(r"(?<! on) the (\d{1,2})(?=(?: [?!])?$)"), r" the \1."),
    (re.compile(r"\bin the (?=(?:19|20)\d\d\b)"), "in "),
    (re.compile(rf" on {_WEEKDAY}(?:,? the)?,? (?=\d{{1,2}} (?:{_MONTHS})\b)"), r" on \1 "),
)
"""Days of the week as ends of a time: "avant lundi" is no "before on monday", and "da lunedì" is since then."""
_SPOKEN_MARK = re.compile(r"\b(\d{1,2})\+(\d\d)(?: o'clock)?")
_HOUR = re.compile(r"\b(\d{1,2}) ?h\b(?! ?\d)")
_DAY_AND_MONTH = re.compile(
    r"\b(?P<day>\d{1,2})(?:\.(?=\d{1,2}\.)|/)(?P<month>\d{1,2})(?:[./](?P<year>\d{4})\b|\.(?!\d)|(?=[ ,?]|$))"
)
_BARE_YEAR = re.compile(r"(?<=\s)(ich|du|er|sie|es|wir|ihr|man|[A-ZÄÖÜ]\w+)(?= (?:19|20)\d\d\b)")
"""German has no word before a year: "Wo wohnte ich 2019?"."""
_HOUR_AND_MINUTE = re.compile(r"\b(\d{1,2}) ?h ?(\d\d)\b(?! heures)")
_QUESTION = re.compile(r"\b(what|which|when|where|why|how|who|whom|whose)\b")
_INVERTED = re.compile(r"(?P<verb>\w+)(?:(?:-t)?-(?:ils?|elles?|on)|-(?P<pronoun>je|tu|nous|vous))", re.IGNORECASE)
_MOST_WORDS = 7
_LONGEST_MONTH = 31
_LONGEST_RUN = 6
_GENITIVE = "s"
# English for words before which a clause ends, also without a comma.
_BEHIND_CLAUSE = frozenset(
    {"and", "or", "because", "while", "until", ", before", ", after", ", when", ", as soon as", "at", "now"}
)
_RELATIVE_DAYS = frozenset({"today", "yesterday", "tomorrow"})
_MARKS = frozenset(",.?!;")
_SWITCHED = frozenset({"on", "off"})
"""Adjectives that stand after their noun: "left the light on"."""
_BEING = frozenset({"is", "are", "am", "was", "were"})
_TELLING = _BEING | {"happened", "happens", "has", "had", "became"}
_DETERMINERS = {"the", "a", "an", "my", "his", "her", "your", "their", "our"}
_ARTICLES = frozenset({*_DETERMINERS, "of the", "to the", "in the", "on the", "from the", ", before the"})
_BEHIND_PREPOSITION = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
"""Most languages have one form for both: "nous" is we, "avec nous" is with us, and "qui nous a vus" who saw us."""
_BEFORE_PRONOUN = frozenset(
    {"who", "with", "without", "for", "to", "from", "of", "at", "behind", "beside", "next to", "near", "between"}
)
_PRONOUNS = frozenset({"I", "you", "he", "she", "it", "we", "they", "somebody", "nobody"})
_BEFORE_VERB = frozenset({"who", "where", "when", "why", "how"})
"""After these, languages other than German have the verb: "dónde guarda" does not mean a guard."""
_REFLEXIVE = frozenset({"se", "si"})
"""What makes a passive, where the subject is not a person: "se rompió la taza"."""
_BEGINNING = frozenset({"who", "which", "that", "when", "whom", "between", "and", "with which"})
_SET_FIRST = frozenset({"after", "before", "during", "at", "in", "on"})
"""With these begins a time or a place, which German has before the object: "nach der Probe die Krone"."""
_COUNTING = ("how many", "how much", "which", "what kind of", "what colour")


class SpokenClock(BaseModel):
    """`clock` of glossary.yaml: minutes beside an hour, as they are spoken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    behind: tuple[str, ...]
    no_minutes_behind: tuple[str, ...]
    unit: str
    one: tuple[str, ...]
    said: dict[str, tuple[int, int]]


Folded = Annotated[re.Pattern[str], BeforeValidator(lambda text: re.compile(str(text), re.IGNORECASE))]


class GlossaryTable(Table):
    """glossary.yaml. The comments in the file explain its keys."""

    phrases: dict[str, str]
    ago: str
    compared: dict[str, str]
    ordinals: dict[str, int]
    months: tuple[str, ...]
    dates: dict[str, str]
    weekdays: tuple[str, ...]
    days: dict[str, str]
    clock: SpokenClock
    of_deeds: dict[str, str]
    of_places: dict[str, str]
    plurals: dict[str, tuple[str, ...]]
    titles: dict[str, str]
    frames: tuple[str, ...]
    future: tuple[tuple[re.Pattern[str], str], ...]
    about_to: Folded
    just: Folded
    past: Folded


class _Kind(StrEnum):
    VERB = "verb"
    ADJECTIVE = "adjective"
    NOUN = "noun"
    NAME = "name"
    OTHER = "other"


@dataclass(frozen=True)
class _Word:
    """An English word or phrase.

    said: the words of the question that it stands for.
    phrase: those of a phrase of the table.
    others: other English words for these.
    auxiliary: what the word is without a verb ("has" for "did").
    passive: the verb after it is passive.
    """

    text: str
    said: str = ""
    phrase: str = ""
    others: tuple[str, ...] = ()
    kind: _Kind = _Kind.OTHER
    auxiliary: str = ""
    passive: bool = False

    @property
    def helps(self) -> bool:
        """Whether a verb may follow."""
        return bool(self.auxiliary or self.passive or self.text == "did" or self.text in _BEING)

    @property
    def tells(self) -> bool:
        """Whether it is a verb, or a phrase with one ("what happened to")."""
        return self.kind is _Kind.VERB or self.helps or not _TELLING.isdisjoint(self.text.split())


class Glossary:
    """The words of one language."""

    def __init__(self, code: str) -> None:
        """code: of a language with glossary.yaml and dictionary.tsv."""
        self._code = code
        self._table = language(code).table("glossary.yaml", GlossaryTable)
        facts = language(code).facts
        self._compounds = language(code).joins_words
        self._capitals = bool(facts and facts.capitals_are_nouns)
        self._numbers = {
            word: str(number) for number, word in enumerate(facts.numbers if facts else ()) if number > 1
        }

        # Recall asks them of every action of every event that it looks at.
        self.verbs, self.place = lru_cache(maxsize=8192)(self._verbs), lru_cache(maxsize=8192)(self._place)

    def _verbs(self, said: str) -> list[str]:
        """Return what the verb of an analysis may be in English, the likeliest first; empty if it is denied.

        Models write verbs in English beside words of another language, too, so the verb as it is written is one.
        """
        first = next(iter(words_in(said)), "")
        english = self.english(said).text if first else ""
        if not first or "not" in english.split():
            return []
        meant = [english, *(verb for _, verb in self._akin(first, _Kind.VERB))]
        listed = any(kind is _Kind.VERB for kind, _ in self._entries.get(first, ()))
        return [*meant, said] if listed else [said, *meant]

    def _place(self, said: str) -> str:
        """Return the words of an analysis for a thing or a place in English.

        Models write English beside words of another language, too: what is English and not of this language stays.
        """
        if self._is_english(words_in(said)):
            return said
        tokens: list[str] = _TOKEN.findall(said)
        words = " ".join(self._table.of_places.get(token.casefold(), token) for token in tokens)
        return self.english(words).text if words else ""

    def _is_english(self, words: Sequence[str]) -> bool:
        """Return whether all words are English, and at least one of them is none of this language."""
        is_english = all(ENGLISH.is_word(word) or ENGLISH.has_function_words(word) for word in words)
        return is_english and not all(map(self._is_own, words))

    def _is_own(self, word: str) -> bool:
        """Return whether the table has a word as it is written, or as a plural: "pan", "panes"."""
        endings = self._table.plurals.items()
        pairs = ((singular, plural) for singular, plurals in endings for plural in plurals)
        before = (f"{word.removesuffix(plural)}{singular}" for singular, plural in pairs if word.endswith(plural))
        return word in self._written or not self._written.isdisjoint(before)

    @cached_property
    def _written(self) -> frozenset[str]:
        """The words of the table as they are written."""
        rows = (said.split() for _, _, said in self._rows)
        return frozenset(chain(self._words_of_phrases, self._table.of_places, chain.from_iterable(rows)))

    def english(self, text: str, persons: Collection[str] = (), objects: Collection[str] = ()) -> Gloss:
        """Return a question in English.

        persons, objects: the identities that memory knows, whose words are preferred.
        """
        words, to_come, is_just = self._read(text, persons, objects)
        words = [word for word in words if word.text or word.helps]
        clauses = _with_subjects(list(_clauses(words)))
        ordered = [
            _ordered(
                clause,
                asked=not place and "?" in text,
                ends_with_verb=self._capitals,
                to_come=frozenset() if place else to_come,
            )
            for place, clause in enumerate(clauses)
        ]
        words = [word for word in chain.from_iterable(map(_one_article, ordered)) if word.text]
        said: dict[str, str] = {}
        for word in words:
            if word.said:
                said |= dict.fromkeys(word.text.split(), word.said)
        others = {word.text: word.others for word in words if word.others}
        joined = _joined_up(words)
        joined = re.sub(r"(?= *[.?!]*$)", " last", joined, count=1) if is_just else joined
        english = re.sub(r"(?: *,)* +([,.?!;:])", r"\1", joined).strip(" ,")
        return Gloss(english, said, others, runs=_runs(words), may_be_own=self._may_be_own(text, english, persons))

    def _may_be_own(self, asked: str, english: str, persons: Collection[str]) -> bool:
        """Return whether a question may ask for what whoever asks did: "regaba", unless its subject is a person."""
        known = {part for person in persons for part in person.split("_")}
        names = {part for part in known if self._is_known_name(part.title(), known)}
        is_open = self._first_person.may_act(_WORDS.findall(asked), names)
        words = ENGLISH.content_words(english) if is_open else ()
        return is_open and not (any(word.describes_person for word in words) or ENGLISH.roles_named(english))

    def time_in(self, text: str) -> tuple[str, NamedTime | None]:
        """Return (the text without its time range, the range), as TimeExpressions.time_in does of English."""
        # Verbs tell no time, and the German ones stand after it: "in May lived".
        words = [word for word in self._read(text)[0] if word.kind is not _Kind.VERB]
        named = ENGLISH.time_expressions.time_in(_joined_up(words))[1]
        if named is None or not named.is_understood:
            return text, None
        is_told = set(named.words.casefold().split()).issuperset
        telling = {place for place, word in enumerate(words) if is_told(word.text.casefold().split())}
        if _time_of(words[place] for place in sorted(telling)) != replace(named, words=""):
            telling = set(range(len(words)))
        for place in sorted(telling) if len(telling) > 1 else ():
            fewer = telling - {place}
            if _time_of(words[each] for each in sorted(fewer)) == replace(named, words=""):
                telling = fewer
        said = [
            (place, word.phrase or word.said or word.text) for place, word in enumerate(words) if place in telling
        ]
        runs: list[list[str]] = []
        for place, phrase in said:
            if place - 1 in telling:
                runs[-1] += _WORDS.findall(phrase)
            else:
                runs.append(_WORDS.findall(phrase))
        rest = text
        for run in runs:
            # The first word may not be in the text: "2019" is read as "in 2019".
            spelt = "|".join(
                rf"\b{joint}\b" for words in (run, run[1:]) if (joint := r"\W+".join(map(re.escape, words)))
            )
            rest = re.sub(spelt, " ", rest, count=1, flags=re.IGNORECASE)
        return " ".join(rest.split()), replace(named, words=" ".join(phrase for _, phrase in said))

    def names_day(self, text: str) -> bool:
        """Return whether a text has the number of a day after the word that stands before one: "am 15."."""
        return any(
            before.casefold() in self._before_days and number.isdigit() and 0 < int(number) <= _LONGEST_MONTH
            for before, number in pairwise(_WORDS.findall(text))
        )

    def asks_of_past(self, text: str) -> bool:
        """Return whether a question asks for what was so, or was done.

        Many nouns and names are spelt as such a verb is: "la partita", "Unterricht", "María". So words after an
        article and words with a capital are left out.
        """
        words = [token for token in _TOKEN.findall(text.replace("’", "'")) if token[0].isalpha()]
        verbs = (
            word
            for before, word in pairwise(["", *words])
            if not (before and word[0].isupper()) and self._phrases.get((before.casefold(),)) not in _ARTICLES
        )
        return bool(self._table.past.search(" ".join(verbs)))

    def word_by_word(self, text: str) -> str:
        """Return a text with English words for its words, in their order."""
        return _joined_up(self._read(text)[0])

    def _read(
        self, text: str, persons: Collection[str] = (), objects: Collection[str] = ()
    ) -> tuple[list[_Word], set[str], bool]:
        """Return the English words of a text in its order, verbs of what will be, and if a moment ago is meant."""
        known = {part for person in persons for part in person.split("_")}
        things = {part for thing in objects for part in thing.split()}
        text = _BARE_YEAR.sub(self._with_in, text) if self._capitals else text
        text = self._in_digits(_DAY_AND_MONTH.sub(self._dated, text))
        text = _HOUR.sub(r"\1 heures", text) if self._code == "fr" else text
        text = _HOUR_AND_MINUTE.sub(r"\1:\2 heures" if self._code == "fr" else r"\1:\2", text)
        text = _ORDINAL.sub("", text.replace("¿", " ").replace("¡", " ").replace("’", "'"))
        # "Am Freitag, dem 30. Oktober, ...": the commas begin no clause.
        to_come = set[str]()
        found = self._table.about_to.search(text)
        if found and (infinitive := self._infinitive(found["infinitive"])):
            to_come.add(infinitive)
            text = self._without_helper(found)
        if is_just := self._table.just.search(text):
            text = self._without_helper(is_just)
        tokens = self._without_frame(_TOKEN.findall(self._dated_weekday.sub(r"\1 \2", text)))
        tokens, typed = self._first_person.with_subject(self._with_marks(self._uninverted(tokens)))
        for place, token in enumerate(tokens):
            if infinitive := self._infinitive_of_future(token if place else token.casefold()):
                to_come.add(infinitive)
                tokens[place] = infinitive
        words = [
            replace(word, said=typed.get(word.said, word.said), phrase=typed.get(word.phrase, word.phrase))
            for word in self._words(tokens, known, things)
        ]
        return words, to_come, is_just is not None

    @property
    def _first_person(self) -> FirstPerson:
        return language(self._code).first_person

    def _without_helper(self, found: re.Match[str]) -> str:
        """Return a text without the words that make a verb one of what will be, but with who is meant by them."""
        kept = found["kept"] or self._first_person.subject_of(found[0].partition(" ")[0])
        return f"{found.string[: found.start()]}{kept}{found.string[found.end() :]}"

    def _infinitive(self, word: str) -> str:
        """Return a verb as the dictionary writes it; empty if it has no such verb, or for a name."""
        spelt = (word.casefold(), folded(word)) if word.islower() else ()
        return next((each for each in spelt if _Kind.VERB in dict(self._entries.get(each, ()))), "")

    def _infinitive_of_future(self, word: str) -> str:
        """Return the infinitive of a form of what will be; empty for any other word."""
        for form, verb in self._table.future:
            found = form.fullmatch(word)
            if found and (infinitive := self._infinitive(found.expand(verb))):
                return infinitive
        return ""

    def _uninverted(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens with each verb split from the pronoun hyphenated to it: "range-t-il", "avons-nous".

        A pronoun of the third person is left out, because it mostly repeats the subject: "Où Yusuf range-t-il ...".
        """
        found: list[str] = []
        for token in tokens:
            inverted = _INVERTED.fullmatch(token) if self._code == "fr" else None
            is_word = token.casefold() in self._words_of_phrases or token.casefold() in self._entries  # "rendez-vous"
            if inverted and not is_word:
                found += filter(None, (inverted["verb"], inverted["pronoun"]))
            else:
                found.append(token)
        return found

    @cached_property
    def _words_of_phrases(self) -> frozenset[str]:
        return frozenset(word for phrase in self._phrases for word in phrase)

    def _with_marks(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens with a mark for an hour and its minutes: "huit heures et demie" -> "8+30 heures".

        The sign tells such a time, in either half of the day, from 8:30.
        """
        clock, found, rest = self._table.clock, list[str](), list(tokens)
        while rest:
            mark = self._spoken_mark(found, rest) if found and found[-1].casefold() in clock.behind else None
            if mark:
                is_told = not clock.unit or clock.unit in map(str.casefold, rest[:1])
                found += [mark] if is_told else [mark, clock.unit]
            else:
                found.append(rest.pop(0))
        return found

    def _spoken_mark(self, before: Sequence[str], rest: list[str]) -> str:
        """Take an hour with its minutes from the tokens; empty if they do not begin with one."""
        clock = self._table.clock
        is_pair = before[-2:-1] and before[-2].casefold() in clock.no_minutes_behind
        for said, (base, times) in self._clock:
            named = {"#h": 0, "#m": 0}
            if len(said) > len(rest) or (is_pair and times):
                continue
            for part, token in zip(said, rest, strict=False):
                word = token.casefold()
                number = "1" if word in clock.one else self._number(word)
                if part in named and number.isdigit():
                    named[part] = int(number)
                elif part != word:
                    break
            else:
                hour, minutes = named["#h"], base + times * named["#m"]
                if not (0 < hour <= 24 and abs(minutes) < 60):
                    continue
                del rest[: len(said)]
                at = hour * 60 + minutes
                if hour > 12:
                    return f"{at // 60 % 24}:{at % 60:02}"
                return f"{(at - 60) % 720 // 60 + 1}+{at % 60:02}"
        return ""

    def _with_in(self, before: re.Match[str]) -> str:
        """Write "in" after a word before a year. "Wo steht der Peugeot 2008?" names no year."""
        is_of_time = before[0].islower() or self.asks_of_past(before.string)
        return f"{before[0]} in" if is_of_time and before[0].casefold() not in self._table.months else before[0]

    def _dated(self, found: re.Match[str]) -> str:
        """Return a day and a month in numbers with the name of the month: "30.10." -> "30 oktober".

        "1/2" is half of something, unless a year follows it or a word for dates comes before it ("am 1/2").
        """
        months, month = self._table.months, int(found["month"])
        before = _TOKEN.findall(found.string[: found.start()].casefold())[-1:]
        is_date = "." in found[0] or found["year"] or self._before_days.issuperset(before or [""])
        if not (is_date and 1 <= month <= len(months) and 1 <= int(found["day"]) <= _LONGEST_MONTH):
            return found[0]
        joint = " de " if "# de +" in self._table.dates else " "
        return f"{found['day']}{joint}{months[month - 1]} {found['year'] or ''}".rstrip()

    def _in_digits(self, text: str) -> str:
        """Return the text with digits for the day before a month, and for "cuarenta y dos"."""
        for words in self._long_numbers.findall(text):
            text = text.replace(words, self._numbers[words.casefold()], 1)
        return self._nth_of_month.sub(lambda found: str(self._table.ordinals[found[1].casefold()]), text)

    @cached_property
    def _long_numbers(self) -> re.Pattern[str]:
        longest = sorted((word for word in self._numbers if " " in word), key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(longest) or '(?!)'})\b", re.IGNORECASE)

    @cached_property
    def _nth_of_month(self) -> re.Pattern[str]:
        ordinals, months = "|".join(self._table.ordinals), "|".join(self._table.months)
        return re.compile(rf"\b({ordinals})(?=(?: de)? (?:{months})\b)", re.IGNORECASE)

    def _compared_times(self) -> dict[str, str]:
        """Return the phrases for lengths of time before now with each comparison: "vor mehr als # tagen"."""
        ago, compared = self._table.ago, self._table.compared.items()
        lengths = {
            said.removeprefix(ago).strip(): english
            for said, english in self._table.phrases.items()
            if english.endswith(" ago") and said.startswith(ago)
        }
        return {
            f"{ago} {word} {length}".strip(): f"{meant} {english}"
            for word, meant in compared
            for length, english in lengths.items()
        }

    @cached_property
    def _before_days(self) -> frozenset[str]:
        """The words that stand before the day of a date: "am", "vom"."""
        words = (phrase.split() for phrase in self._table.dates)
        pairs = chain.from_iterable(map(pairwise, words))
        behind = {first for first, second in pairs if second == "#"}
        return frozenset({*behind, *self._table.weekdays})

    @cached_property
    def _dated_weekday(self) -> re.Pattern[str]:
        table = self._table
        days, months = "|".join(table.weekdays), "|".join(table.months)
        return re.compile(
            rf"\b({days}),?(?: dem| den| le| el)? (\d{{1,2}} (?:de )?(?:{months})\b(?: (?:de )?\d{{4}})?),?", re.I
        )

    @cached_property
    def _clock(self) -> list[tuple[tuple[str, ...], tuple[int, int]]]:
        said = [(tuple(words.split()), minutes) for words, minutes in self._table.clock.said.items()]
        return sorted(said, key=lambda each: len(each[0]), reverse=True)

    def known(self, words: Iterable[str]) -> int:
        """Return how many words of a question in lower case the table has."""
        return sum(
            (word,) in self._phrases or word in self._entries or stem(word, self._code) in self._stemmed
            for word in words
        )

    def kinds(self, word: str) -> frozenset[str]:
        """Return what a word is as it is written, such as a verb and a noun; nothing of an unknown word."""
        return frozenset(kind.value for kind, _ in self._entries.get(word, ()))

    def meanings(self, word: str) -> frozenset[str]:
        """Return the English words for a word."""
        found = self._entries.get(word) or self._akin(word)
        return frozenset(part for _, english in found for part in english.split())

    def is_one_word(self, word: str) -> bool:
        """Return whether the first English for a word is a single one: "hospital" for "krankenhaus"."""
        found = self._entries.get(word) or self._akin(word)
        return bool(found) and " " not in found[0][1]

    def words_for(self, english: str) -> Sequence[str]:
        """Return the words for an English one, in any of its forms."""
        return [each for form in ENGLISH.forms(english) for each in self._of_english.get(form, ())]

    def _without_frame(self, tokens: list[str]) -> list[str]:
        """Return the tokens of a question from its question word on, where it begins with a frame: "no sé quién"."""
        plain = [token.casefold() for token in tokens]
        for frame in self._table.frames:
            said = frame.casefold().split()
            behind = len(said) + (plain[len(said) : len(said) + 1] in ([","], [":"]))
            asks = (self._phrases.get((word,), "") for word in plain[behind : behind + 2])
            if plain[: len(said)] == said and any(map(_QUESTION.match, asks)):
                return tokens[behind:]
        return tokens

    def _words(self, tokens: list[str], known: AbstractSet[str], things: Collection[str]) -> list[_Word]:
        words: list[_Word] = []
        names = known | folded_first_names()
        english = (self._phrases.get((token.casefold(),), "") for token in tokens)
        is_state = any(not _BEING.isdisjoint(each.split()) for each in english)
        while tokens:
            if not is_state and (deed := self._table.of_deeds.get(tokens[0].casefold())):
                words.append(_Word(deed))
                del tokens[:1]
                continue
            if titled := self._titled(tokens):
                if words and words[-1].text == "the":
                    words.pop()  # "la signora Rossi" is Mrs Rossi
                words += titled
                continue
            first = tokens[0]
            # The first word of a question has a capital, whether it is a name or not.
            is_capital = first[:1].isupper() and (bool(words) or self._is_known_name(first, known))
            if is_capital and (name := self._name(first, names)):
                if words and words[-1].phrase.casefold() == "bei":
                    words[-1] = replace(words[-1], text="with")
                words.append(_Word(name, kind=_Kind.NAME))
                del tokens[:1]
                continue
            is_noun = self._is_noun_after_article(tokens, words)
            found = None if is_noun else self._parted_phrase(tokens) or self._phrase(tokens)
            found = found or self._single(tokens, words, things)
            if found is None:
                plain = first.casefold() if self._capitals and first.casefold() not in names else first
                plain = self._numbers.get(plain, plain)
                kind = _Kind.NOUN if plain.isalpha() else _Kind.OTHER
                if plain[:1].isupper():
                    kind = _Kind.NAME
                found = _Word(plain, said=first if plain.isalpha() else "", kind=kind)
                del tokens[:1]
            if found.text in _BEHIND_PREPOSITION and words and words[-1].text in _BEFORE_PRONOUN:
                found = replace(found, text=_BEHIND_PREPOSITION[found.text])
            if found.phrase.casefold() == "che" and all(map(_is_preposition, words)) and not _has_mark(words):
                found = replace(found, text="what")  # "in che via"
            # "Préfère boire": what is preferred is a deed.
            if found.kind is _Kind.VERB and words and words[-1].text == "prefer":
                words[-1] = _Word("preferably")
            place = len(words)
            describes = found.kind is _Kind.ADJECTIVE and found.text not in _SWITCHED
            if describes and not self._capitals and words and words[-1].kind is _Kind.NOUN:
                place -= 1  # "taza azul" is a blue mug
            words.insert(place, found)
        return words

    def _is_known_name(self, word: str, known: AbstractSet[str]) -> bool:
        """Return whether a question's first word is a name: not "De" of "Maria de la Cruz", or "Hat"."""
        plain = word.casefold()
        return plain in known and (plain,) not in self._phrases and ENGLISH.person_key(word).is_name

    def _titled(self, tokens: list[str]) -> list[_Word]:
        """Take a title and the name after it from the tokens: "Frau Berg", "Mme. Petit"."""
        title = self._table.titles.get(tokens[0].casefold(), "")
        at = 2 if tokens[1:2] == ["."] else 1
        name = tokens[at] if title and len(tokens) > at else ""
        if not name[:1].isupper():
            return []
        del tokens[: at + 1]
        return [_Word(title, kind=_Kind.NAME), _Word(name, kind=_Kind.NAME)]

    def _name(self, token: str, names: Collection[str]) -> str:
        """Return a name as English writes it; empty if the token is none."""
        plain = token.casefold()
        if plain in names:
            return token
        if self._capitals and plain.endswith(_GENITIVE) and plain[:-1] in names:
            return f"{token[:-1]}'s"
        known = plain in self._entries or (plain,) in self._phrases
        # In most languages a capital within a question shows a name.
        return "" if self._capitals or known else token

    def _parted_phrase(self, tokens: list[str]) -> _Word | None:
        """Take a phrase with other words within from the tokens: "schaltete ... ein"."""
        plain = [each.casefold() for each in tokens]
        end = next((at for at, each in enumerate(plain) if each in _MARKS), len(plain))
        for first, last, word in self._parted.get(plain[0], ()):
            places = [at for at in range(len(first), end) if plain[at] == last]
            # "Was hat Ben vor der Tür gemacht?": a word of its own ends the phrase only where it ends the clause.
            if word.kind is _Kind.VERB and (last,) in self._phrases:
                places = [at for at in places if at == end - 1 or self._ends_clause(tokens[at + 1 :])]
            if plain[: len(first)] == first and places:
                del tokens[places[0]], tokens[: len(first)]
                return replace(word, said=" ".join((*first, last)) if word.kind is _Kind.VERB else "")
        return None

    def _ends_clause(self, rest: Sequence[str]) -> bool:
        """Return whether a clause ends before these tokens: "... auf, weil", "... vor zu tun", "... an gestern"."""
        following = rest[0].casefold()
        english = self._phrases.get((following,), "")
        to_do = english == "to" and "".join(rest[1:2]).islower() and (rest[1],) not in self._phrases
        return to_do or english in _BEHIND_CLAUSE or not _RELATIVE_DAYS.isdisjoint(self.meanings(following))

    def _phrase(self, tokens: list[str]) -> _Word | None:
        """Take the longest phrase with which the tokens begin."""
        words = tuple(each.casefold() for each in tokens[:_MOST_WORDS])
        numbers = [self._number(word) for word in words]
        slots = tuple("#" if number else word for number, word in zip(numbers, words, strict=True))
        for length in range(len(words), 0, -1):
            key = slots[:length]
            english = self._phrases.get(words[:length], self._phrases.get(key))
            if english is None and length > 1:
                english = self._unaccented.get(tuple(map(folded, key)))
            if english is not None and key != ("#",):
                for number in filter(None, numbers[:length]):
                    english = english.replace("#", number, 1)
                english = _MINUTES.sub(r"\1:\2", english)
                text, _, alone = english.partition("|")
                said = " ".join(tokens[:length]).replace("' ", "'")
                del tokens[:length]
                return _Word(text.rstrip("~"), phrase=said, auxiliary=alone, passive=text.endswith("~"))
        return None

    def _is_noun_after_article(self, tokens: Sequence[str], before: Sequence[_Word]) -> bool:
        """Return whether the tokens begin with a noun that is spelled like a word of the table.

        After an article, "suelo" is the floor ("usually" elsewhere), "sobre" an envelope, and "son" a sound.
        """
        if not before or before[-1].text not in _ARTICLES or (self._capitals and not tokens[0][:1].isupper()):
            return False
        nouns = [english for kind, english in self._entries.get(tokens[0].casefold(), ()) if kind is _Kind.NOUN]
        rest = list(tokens)
        phrase = self._phrase(rest) if nouns else None
        if not phrase or len(tokens) - len(rest) > 1:
            return False
        # "La" is a pronoun, too: "que la haya visto". German nouns have a capital.
        is_verb = phrase.helps and not self._capitals
        meant = set(phrase.text.split())
        return not (is_verb or phrase.text in ("a", "of the") or any(meant & set(noun.split()) for noun in nouns))

    def _number(self, word: str) -> str:
        """Return the digits of a number in digits or words; empty if it is none. "Ein" is an article, too."""
        return word if _NUMBER.fullmatch(word) else self._numbers.get(word, self._numbers.get(folded(word), ""))

    def _single(self, tokens: list[str], before: Sequence[_Word], things: Collection[str]) -> _Word | None:
        """Take the word or words with which the tokens begin, if the table has them."""
        for length in range(min(_MOST_WORDS, len(tokens)), 0, -1):
            there = " ".join(tokens[:length]).replace("' ", "'")
            is_counted = not self._ends_counting(tokens[length : length + 1])
            if found := self._likely(there, before, forms=length == 1, is_counted=is_counted):
                del tokens[:length]
                known = [each for each in found if things and set(each[1].split()) <= set(things)]
                kind, text = (known or found)[0]
                others = tuple(dict.fromkeys(word for of, word in found if of is kind and word != text))
                if not known and there.casefold() in things:
                    others += (there.casefold(),)  # memory has no "bun", but a "brioche"
                return _Word(text, said=there, others=others, kind=kind)
        if joined := self._joined(tokens[0].casefold()):
            return _Word(joined, said=tokens.pop(0), kind=_Kind.NOUN)
        return None

    def _ends_counting(self, following: Sequence[str]) -> bool:
        """Return whether nothing follows, or an article: "quanto costa?", "quanto costa il pane?"."""
        return not following or following[0] in _MARKS or self._phrases.get((following[0].casefold(),)) in _ARTICLES

    def _likely(
        self, said: str, before: Sequence[_Word], *, forms: bool, is_counted: bool = True
    ) -> list[tuple[_Kind, str]]:
        """Return what words of the question mean, of the kind that is likely after those before; empty if unknown.

        forms: also look for words of which it is another form.
        is_counted: a word after "how much" may be the noun that is counted.
        """
        plain = said.casefold()
        exact = self._entries.get(plain) or self._entries.get(folded(plain)) or []
        akin = self._akin(plain) if forms else []
        if self._capitals and before and said[:1].isupper():
            akin = [each for each in akin if each[0] is _Kind.NOUN]
        # After an auxiliary, a word may be the form of a verb: "a relevé" is no statement, "est arrivée" no arrival.
        is_form = bool(before) and (before[-1].helps or (not self._capitals and _verb_may_follow(before)))
        kinds = [self._kind_wanted(said, before, is_counted=is_counted), *([_Kind.VERB] if is_form else [])]
        of_verb = self._akin(plain, _Kind.VERB) if forms and is_form else []
        for found in [exact, akin, of_verb] if is_form or not exact else [exact]:
            for kind in kinds:
                if of_kind := [each for each in found if each[0] is kind]:
                    return of_kind
        return exact or akin

    def _akin(self, word: str, wanted: _Kind | None = None) -> list[tuple[_Kind, str]]:
        """Return what the table has for other forms of a word, those that are spelled most like it.

        wanted: the kind of word that counts; None for any.
        """
        alike = defaultdict[int, list[tuple[_Kind, str]]](list)
        for kind, english, said in self._stemmed.get(stem(word, self._code), ()):
            if wanted not in (None, kind):
                continue
            alike[len(commonprefix([folded(said), folded(word)]))].append((kind, english))  # noqa: RUF071 (of strings)
        return alike[max(alike)] if alike else []

    def _joined(self, word: str) -> str:
        """Return the English words for a compound that the table has in parts: "farbeimer" -> "paint bucket"."""
        for at in range(LEAST_BEFORE, len(word) - LEAST_NOUN + 1) if self._compounds else ():
            parts = [self._akin(part) for part in (word[:at], word[at:])]
            of_thing = [english for kind, english in parts[1] if kind is _Kind.NOUN]
            before = [english for kind, english in parts[0] if kind is not _Kind.ADJECTIVE]
            if before and of_thing:
                return f"{before[0]} {of_thing[0]}"
        return ""

    def _kind_wanted(self, said: str, before: Sequence[_Word], *, is_counted: bool) -> _Kind:
        """Return which kind of word is likely, where several are spelt alike."""
        last = before[-1] if before else None
        counts = last is not None and last.text.endswith(_COUNTING) and is_counted
        if last and ((self._capitals and said[:1].isupper()) or last.text in _ARTICLES or counts):
            return _Kind.NOUN
        begun = [place for place, word in enumerate(before) if word.text in _BEGINNING or word.text[:1] in _MARKS]
        before = before[begun[-1] :] if begun else before
        helping = [word for word in before if word.helps]
        is_state = helping and helping[-1].text in _BEING and not helping[-1].passive
        has_verb = any(word.kind is _Kind.VERB for word in before)
        if (is_state or has_verb) and not any(word.text == "been" for word in before):
            return _Kind.ADJECTIVE
        return _Kind.VERB

    @cached_property
    def _phrases(self) -> dict[tuple[str, ...], str]:
        table = self._table
        times = ENGLISH.time_expressions
        dates = _filled(table.dates, zip(table.months, times.months, strict=True))
        days = _filled(table.days, zip(table.weekdays, times.weekdays, strict=True))
        every = {**dates, **days, **table.phrases, **self._compared_times()}
        return {tuple(said.casefold().split()): english for said, english in every.items()}

    @cached_property
    def _unaccented(self) -> dict[tuple[str, ...], str]:
        return {tuple(map(folded, said)): english for said, english in self._phrases.items()}

    @cached_property
    def _rows(self) -> list[tuple[_Kind, str, str]]:
        """(kind, English, words of the language) of dictionary.tsv, a row for each that may stand for another."""
        lines = language(self._code).text("dictionary.tsv").splitlines()
        rows = (line.split("\t") for line in lines if not line.startswith("#"))
        placed: list[tuple[int, _Kind, str, str]] = []
        for kind, several, said in rows:
            for english in several.split(", "):
                for place, form in enumerate(said.split("; ")):
                    placed += [(place, _Kind(kind), english, each) for each in _spellings(form)]
        # Each row begins with the words that mean the English one before all else.
        return [(kind, english, said) for _, kind, english, said in sorted(placed, key=itemgetter(0))]

    @cached_property
    def _of_english(self) -> dict[str, list[str]]:
        found = defaultdict[str, list[str]](list)
        for _, english, said in self._rows:
            if " " not in said:
                found[english].append(said)
        return dict(found)

    @cached_property
    def _parted(self) -> dict[str, list[tuple[list[str], str, _Word]]]:
        """{first word: [(the first words, the last word, English)]} of phrases that enclose other words."""
        found = defaultdict[str, list[tuple[list[str], str, _Word]]](list)
        phrases = [(_Kind.OTHER, english, said.casefold()) for said, english in self._table.phrases.items()]
        for kind, english, said in [*phrases, *self._rows]:
            before, gap, last = said.partition(" ... ")
            if gap:
                first = before.split()
                found[first[0]].append((first, last, _Word(english, kind=kind)))
        return found

    @cached_property
    def _entries(self) -> dict[str, list[tuple[_Kind, str]]]:
        found = defaultdict[str, list[tuple[_Kind, str]]](list)
        for kind, english, said in self._rows:
            for spelling in dict.fromkeys((said, folded(said))):
                found[spelling].append((kind, english))
        return dict(found)

    @cached_property
    def _stemmed(self) -> dict[str, list[tuple[_Kind, str, str]]]:
        """{stem: [(kind, English, the word)]}"""
        found = defaultdict[str, list[tuple[_Kind, str, str]]](list)
        for kind, english, said in self._rows:
            if " " not in said:
                found[stem(said, self._code)].append((kind, english, said))
        return dict(found)


def _filled(phrases: Mapping[str, str], names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return phrases and their English with each name, and its English, in the place of +."""
    found, names = dict[str, str](), list(names)
    for said, english in phrases.items():
        for named in product(names, repeat=said.count("+")):
            filled, in_english = said, english
            for name, english_name in named:
                filled, in_english = filled.replace("+", name, 1), in_english.replace("+", english_name, 1)
            found[filled] = in_english
    return found


def _joined_up(words: Iterable[_Word]) -> str:
    """Return words as a text, with its days and clock times as English says them."""
    joined = " ".join(word.text for word in words if word.text)
    for pattern, english in _OF_DAYS:
        joined = pattern.sub(english, joined)
    return _SPOKEN_MARK.sub(r"\1:\2 o'clock", joined)


def _time_of(words: Iterable[_Word]) -> NamedTime | None:
    named = ENGLISH.time_expressions.time_in(_joined_up(words))[1]
    return replace(named, words="") if named else None


def _runs(words: Sequence[_Word]) -> dict[str, str]:
    """Return {a few words of the English question: what they stand for}."""
    found: dict[str, str] = {}
    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + _LONGEST_RUN, len(words)) + 1):
            run = words[begin:end]
            said = " ".join(word.phrase or word.said or word.text for word in run)
            found[" ".join(word.text for word in run)] = " ".join(said.split())
    return found


def _verb_may_follow(words: Sequence[_Word]) -> bool:
    """Return whether the next word may be the verb, in a language that puts the verb before the subject."""
    is_subject = words[-1].kind is _Kind.NOUN and not any(word.tells for word in words)
    return words[-1].text in _BEFORE_VERB or is_subject


def _spellings(form: str) -> list[str]:
    """Return a word of the table in lower case; a parted one also as subordinate clauses have it: "hebt ... auf"."""
    plain = form.casefold()
    before, gap, last = plain.partition(" ... ")
    return [plain, last + before] if gap else [plain]


def _clauses(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Yield the clauses: they begin at a comma, or at a word that begins one where a verb came before."""
    clause: list[_Word] = []
    for place, word in enumerate(words):
        around = (*clause[-1:], *words[place + 1 : place + 2])
        joins_names = word.text == "and" and all(each.kind is _Kind.NAME for each in around)
        begins = word.text in _BEGINNING and not joins_names and any(each.tells for each in clause)
        begins = begins and any(each.tells for each in words[place:])
        if clause and (begins or word.text[:1] in _MARKS):
            yield clause
            clause = []
        clause.append(word)
    if clause:
        yield clause


def _with_subjects(clauses: list[list[_Word]]) -> list[list[_Word]]:
    """Return the clauses with the name in the first as the subject of those without one: "before [Ben] left"."""
    first = clauses[0] if clauses else []
    named = [place for place, word in enumerate(first) if word.kind is _Kind.NAME]
    names = [first[place] for place in named if not place or not _is_preposition(first[place - 1])]
    for clause in clauses[1:] if len(names) == 1 else []:
        if len(clause) > 1 and clause[0].text.endswith(("before", "after")) and clause[1].kind is _Kind.VERB:
            clause.insert(1, names[0])
    return clauses


def _has_mark(words: Iterable[_Word]) -> bool:
    return not _MARKS.isdisjoint(word.text for word in words)


def _is_preposition(word: _Word) -> bool:
    return word.kind is _Kind.OTHER and not (word.tells or word.text == "and" or _QUESTION.search(word.text))


def _ordered(clause: list[_Word], *, asked: bool, ends_with_verb: bool, to_come: Collection[str] = ()) -> list[_Word]:
    """Return a clause with its verb where English has it: "what did Ben the mug put" -> "what did Ben put the mug".

    asked: it is the main clause of a question.
    ends_with_verb: the verb of other clauses is their last word.
    to_come: verbs, as they are written, of what will be.
    """
    verbs = [place for place, word in enumerate(clause) if word.kind is _Kind.VERB]
    helping = [place for place, word in enumerate(clause) if word.helps]
    been = [word for word in clause if word.text == "been"]
    # In German the verb follows all else, in other languages it follows the auxiliary.
    after = [place for place in verbs if helping and place > helping[0]]
    main = next(iter([*after, *verbs]), None)
    if main and clause[main - 1].text in _ARTICLES and not asked:
        return _as_noun(clause, main)
    helper = clause[helping[0]] if helping else None
    if helper and helper.phrase.casefold() in _REFLEXIVE and any(word.kind is _Kind.NAME for word in clause):
        helper, helping = None, []  # "Se cortó Jolanta el dedo": people do it
        clause = [word for word in clause if word.phrase.casefold() not in _REFLEXIVE]
        main = next((place for place, word in enumerate(clause) if word.kind is _Kind.VERB), None)
    if ends_with_verb and (helper or verbs):
        clause = _with_that(clause)
    if main is None and helper is None:
        return clause
    rest = [word for place, word in enumerate(clause) if place not in (main, *helping[:1]) and word not in been]
    lead = _lead(rest)
    # An auxiliary ends the words of the question, unless it begins the clause ("Hat Ben ...").
    if helping and helping[0]:
        lead = min(lead, helping[0])
    if asked or ends_with_verb:
        rest = _with_things_first(rest, lead) if ends_with_verb else _with_name_first(rest, lead)
    happens = main is not None and clause[main].text == "happen"
    is_who = bool(rest) and (
        (rest[0].text.startswith("who") and rest[0].text != "whom") or (rest[0].text == "what" and happens)
    )
    if is_who and been and main is None:
        helper, been = _Word("was"), []
    if main is None and helper:
        at = lead if asked or ends_with_verb else helping[0]
        return _with_auxiliary_alone(rest, helper, been, at=at, asked=asked)
    verb = clause[main or 0]
    subject = lead if is_who else _after_subject(rest, lead)
    rest = _with_things_first(rest, subject) if ends_with_verb else rest
    if not asked and not ends_with_verb:
        subject = (main or 0) - sum(place < (main or 0) for place in helping[:1])
        # "Cuando entró Ben".
        if subject == 1 and rest[1:] and rest[1].kind is _Kind.NAME:
            subject = _after_subject(rest, 1)
    if been or (helper and helper.passive):
        between = (lead, len(rest)) if asked else (subject, subject)
        return _passive(rest, verb, helper, between=between)
    # After an infinitive there may be a pronoun: "regarla".
    will_be = verb.said.casefold().startswith(tuple(to_come))
    return _active(rest, verb, (lead, subject), asks_with_did=asked and not is_who, will_be=will_be)


def _as_noun(clause: list[_Word], main: int) -> list[_Word]:
    """Return a clause whose verb is a noun, as its article shows: "Between the switching off of the lamp and ..."."""
    named = [*clause[: main - 1], replace(clause[main], text=gerund(clause[main].text)), *clause[main + 1 :]]
    return [replace(word, text="the") if word.text == "of the" else word for word in named]


def _with_that(clause: list[_Word]) -> list[_Word]:
    """Return a clause with "that" for an article after its comma, a relative pronoun: "the lamp, the on was"."""
    if clause[0].text == "," and clause[1:] and clause[1].text in _ARTICLES:
        return [clause[0], replace(clause[1], text="that"), *clause[2:]]
    return clause


def _with_auxiliary_alone(
    rest: list[_Word], helper: _Word, been: list[_Word], *, at: int, asked: bool
) -> list[_Word]:
    """Return a clause whose only verb is an auxiliary, which goes to the place `at`."""
    text = "has" if been else helper.auxiliary or helper.text
    told = [*rest[:at], _Word(text), *rest[at:], *been]
    return _with_state_last(told, at + 1) if asked else told


def _active(
    rest: list[_Word], verb: _Word, places: tuple[int, int], *, asks_with_did: bool, will_be: bool
) -> list[_Word]:
    """Return an active clause, with "did" or "will" before its subject if it asks.

    places: (where the subject begins, where it ends) in `rest`.
    """
    lead, subject = places
    if asks_with_did:
        return [*rest[:lead], _Word("will" if will_be else "did"), *rest[lead:subject], verb, *rest[subject:]]
    told = [_Word("will"), verb] if will_be else [replace(verb, text=past_tense(verb.text))]
    return [*rest[:subject], *told, *rest[subject:]]


def _passive(rest: list[_Word], verb: _Word, helper: _Word | None, *, between: tuple[int, int]) -> list[_Word]:
    """Return a passive clause. between: (place of "was", place of the participle) in `rest`."""
    be = _Word(helper.text if helper and helper.text in ("were", "are") else "was")
    done = replace(verb, text=past_participle(verb.text))
    return [*rest[: between[0]], be, *rest[between[0] : between[1]], done, *rest[between[1] :]]


def _with_name_first(words: list[_Word], lead: int) -> list[_Word]:
    """Return words with a name after other words as the subject: "where did [the bicycle Yusuf] leave".

    lead: how many words the question word takes. A name after a preposition is no subject.
    """
    first = next((place for place in range(lead, len(words)) if words[place].kind is _Kind.NAME), lead)
    if first == lead or words[first - 1].kind not in (_Kind.NOUN, _Kind.ADJECTIVE):
        return words
    end = _after_subject(words, first)
    return [*words[:lead], *words[first:end], *words[lead:first], *words[end:]]


def _with_things_first(words: list[_Word], begin: int) -> list[_Word]:
    """Return words with the thing or person before the times and places that stand before it from `begin` on."""
    before, rest, start = words[:begin], [word for word in words[begin:] if word.text], 0
    while rest[start:] and rest[start].text.partition(" ")[0] in _SET_FIRST:
        *begun, last = rest[start].text.split()
        is_whole = begun and last != "of" and last not in _DETERMINERS  # "on monday", but not "in front of"
        nouns = 0 if is_whole else _noun_with_article(rest[start + 1 :])
        if not nouns and not is_whole:
            return words
        start += 1 + nouns
    is_person = bool(rest[start:]) and (rest[start].kind is _Kind.NAME or rest[start].text in _PRONOUNS)
    is_thing = bool(rest[start:]) and rest[start].text in _DETERMINERS
    length = 1 if is_person else 0
    if is_thing:
        length = _noun_with_article(rest[start:])
    end = start + length
    return [*before, *rest[start:end], *rest[:start], *rest[end:]]


def _noun_with_article(words: Sequence[_Word]) -> int:
    """Return how many words a noun takes with its article and adjectives; 0 without a noun."""
    before = _first_few(words, lambda word: word.text in _DETERMINERS or word.kind is _Kind.ADJECTIVE)
    nouns = _noun_phrase(words[before:])
    return before + nouns if nouns else 0


def _with_state_last(words: list[_Word], at: int) -> list[_Word]:
    """Return "is the window open" for "is open the window". at: where the adjective is."""
    if at + 1 < len(words) and words[at].kind is _Kind.ADJECTIVE and words[at + 1].text in _ARTICLES:
        behind = _after_subject(words, at + 1)
        return [*words[:at], *words[at + 1 : behind], words[at], *words[behind:]]
    return words


def _one_article(words: Sequence[_Word]) -> list[_Word]:
    """Return the words without an article before another: "the her delivery"."""
    following = pairwise([*words, _Word("")])
    return [word for word, then in following if not (word.text == "the" and then.text in _ARTICLES)]


def _lead(words: Sequence[_Word]) -> int:
    """Return how many words the question word and what it counts take: 2 of "how many guests"."""
    if not words:
        return 0
    first = words[0].text
    # "In front of which door", "from which drawer".
    before = _first_few(words[:3], lambda word: word.kind is _Kind.OTHER and not _QUESTION.search(word.text))
    if before and words[before:] and words[before].text in ("which", "what", "whom", "whose"):
        return before + _lead(words[before:])
    if not (_QUESTION.search(first) or first.startswith(",") or first in _BEGINNING):
        return 0
    place = 2 if first == "," and words[1:] and words[1].text == "that" else 1
    # "Qué puerta": what door.
    if first.endswith(_COUNTING) or (first == "what" and words[1:] and words[1].kind is _Kind.NOUN):
        place += _noun_phrase(words[place:])
    return place


def _after_subject(words: Sequence[_Word], start: int) -> int:
    """Return the place after the subject: the first name, else the first noun with what is before it."""
    names = [place for place in range(start, len(words)) if words[place].kind is _Kind.NAME]
    place = names[0] if names else start
    before = words[place:]
    if before and before[0].text in _ARTICLES - _DETERMINERS:
        return place  # "in the cement mixer" is no subject
    if names:
        named = _first_few(before, lambda word: word.kind is _Kind.NAME)
        joined = [word.kind is _Kind.NAME or word.text == "and" for word in before[named : named + 2]]
        # "Bea and Petra".
        return place + named + (2 if joined == [True, True] else 0)
    if before and before[0].text in _PRONOUNS:
        return place + 1
    described = _first_few(before, lambda word: word.text in _ARTICLES or word.kind is _Kind.ADJECTIVE)
    nouns = _noun_phrase(before[described:])
    return place + described + nouns if nouns else place


def _noun_phrase(words: Sequence[_Word]) -> int:
    """Return the length of a noun phrase in words, with adjectives and complement: 3 for "crates of eggs"."""
    nouns = _first_few(words, lambda word: word.kind in (_Kind.ADJECTIVE, _Kind.NOUN))
    if not nouns or nouns + 1 >= len(words) or words[nouns].text != "of":
        return nouns
    complement = _first_few(words[nouns + 1 :], lambda word: word.kind in (_Kind.ADJECTIVE, _Kind.NOUN))
    return nouns + 1 + complement if complement else nouns


def _first_few(words: Sequence[_Word], fits: Callable[[_Word], bool]) -> int:
    """Return how many words fit before the first that does not."""
    return next((place for place, word in enumerate(words) if not fits(word)), len(words))


@cache
def glossary(code: str) -> Glossary:
    """Return the glossary of a language, read once."""
    return Glossary(code)


@cache
def has_glossary(code: str) -> bool:
    """Return whether questions in a language are read by a glossary."""
    return language(code).has_table("glossary.yaml")
