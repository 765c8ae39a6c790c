"""The tables of facts: how one language words each relation (facts.yaml in the language's folder)."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from amr_neo4j.tables import Table


def _listed(words: Any) -> Any:
    return tuple(word.strip() for word in words.split(",") if word.strip()) if isinstance(words, str) else words


Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""Words or phrases; in the file with commas between them."""


_CHOICE = re.compile(r"\[([^\[\]()]*)\]\??|\(([^\[\]()]*)\)")


def _spelt_out(forms: Any) -> Any:
    """Forms without brackets: "[ci] vivo" is two, "(mio|tuo) zio" too."""
    made: list[str] = []
    waiting = list(_listed(forms))
    while waiting:
        form = waiting.pop(0)
        choice = _CHOICE.search(form)
        if choice is None:
            made.append(" ".join(form.split()))
            continue
        options = choice[2].split("|") if choice[2] is not None else ["", *choice[1].split("|")]
        waiting[:0] = [form[: choice.start()] + option + form[choice.end() :] for option in options]
    return tuple(dict.fromkeys(made))


Forms = Annotated[tuple[str, ...], BeforeValidator(_spelt_out)]
"""Words in a row, each choice of [x] and (x|y) in its own phrase."""
Templates = Words
"""Words in a row. <macro>: any phrase of it, {slot}: what is looked for, {slot=macro}: that, as a phrase of a macro.

The slots are listed in turn_reader/templates.py: "i live in {object}" has one.

[x]: optional, [x]?: optional and rather left out, (x|y): either.
"""


class CompiledAs(Enum):
    """What the reader makes of a field, for the group of turn_reader/language_kit.py that has the field's name.

    A field may have several of these: `fillers` is a pattern and a word set.
    """

    ANYWHERE = auto()
    """One pattern that matches any template at the start of any word: `kit.patterns`."""
    STARTING = auto()
    """One pattern that matches any template where the line starts: `kit.patterns`."""
    ENDING = auto()
    """One pattern that matches any template at the end of the line: `kit.patterns`."""
    EACH_STARTING = auto()
    """A list with a pattern for each template: `kit.each`."""
    EACH_ANYWHERE = auto()
    """The same, each matching at the start of any word: `kit.each`."""
    WORD_SET = auto()
    """The folded words as a set: `kit.words`."""
    ENDING_TUPLE = auto()
    """Folded endings of words, for str.endswith: `kit.endings`."""


Anywhere = Annotated[Templates, CompiledAs.ANYWHERE]
Starting = Annotated[Templates, CompiledAs.STARTING]
Ending = Annotated[Templates, CompiledAs.ENDING]
EachStarting = Annotated[Templates, CompiledAs.EACH_STARTING]
EachAnywhere = Annotated[Templates, CompiledAs.EACH_ANYWHERE]
WordSet = Annotated[Words, CompiledAs.WORD_SET]
WordEndings = Annotated[Words, CompiledAs.ENDING_TUPLE]
AnywhereAndWordSet = Annotated[Templates, CompiledAs.ANYWHERE, CompiledAs.WORD_SET]
StartingAndWordSet = Annotated[Templates, CompiledAs.STARTING, CompiledAs.WORD_SET]

Person = Literal["speaker", "other", "bare"]
WordClass = Literal["pronoun", "preposition", "relative", "subordinator", "conjunction", "auxiliary", "clitic"]


class Rule(BaseModel):
    """One way to state a relation.

    gives: the relation of {object}; other slots ({second}, {year}) have theirs in `also`. say: templates; without
    them `frame` (what follows the verb) is put in every word order of the language. speaker, other, bare: the verb's
    forms with the speaker, with somebody else, and with the speaker left out. denied: the relation where negated.
    shape: what the object must be. ends: states that the relation is over. joined: only about the subject of the
    clause before, who is not the speaker; shared: about it, whoever it is. him: about whom a pronoun would stand
    for. about: words of which the subject must have one. hedged: its words are a guess. only_denied: only where
    negated. recalled: only of what was said before.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    gives: str
    say: Templates = ()
    frame: Templates = ()
    speaker: Forms = ()
    other: Forms = ()
    bare: Forms = ()
    also: dict[str, str] = Field(default_factory=dict)
    denied: str = ""
    shape: str = ""
    ends: bool = False
    joined: bool = False
    shared: bool = False
    him: bool = False
    about: Words = ()
    hedged: bool = False
    only_denied: bool = False
    recalled: bool = False

    @model_validator(mode="after")
    def _has_words(self) -> Rule:
        if not self.say and not self.frame:
            raise ValueError(f"a rule of {self.gives} has neither say nor frame")
        return self


class Aspects(BaseModel):
    """Verbs that say how the next one goes on ("ended up buying"), said of one person.

    before: templates. endings: ending of an infinitive or gerund -> finite forms of its stem ~, where a rule has
    them. forms: those of verbs that follow no ending.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: Templates
    endings: dict[str, Words]
    forms: dict[str, Words] = Field(default_factory=dict[str, Words])


class Rewording(BaseModel):
    """A word order that no rule has, and the usual one: "it was {object} that {second}" reads "{second} {object}"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    say: Templates
    reads: str


class Reading(BaseModel):
    """What turns a sentence away, and what is cut from a clause before it is matched.

    The type of a field says how the reader compiles it. A new field needs nothing else to become a pattern.

    answers: questions, and how the phrase {object} that answers one reads as a statement.
    aged: {role} with an age {number} inside its phrase ("my 7 year old son").
    instead: give the new object {object} of what was just taken back. echoes: say the last statement of one more
    subject {subject}. furthermore: of one more object ("and also {object}"). contraries: deny it of one more
    subject. remnants: how a clause begins that leaves out the verb of the one before ("and my brother in Paris").
    droppable: cut only where nothing is stated with it. chains: {role} of a relative of the speaker's ("brother 's
    wife"). tellings: questions that state what follows ("did I tell you that"). requests: to the listener, in which
    the speaker is who hears the answer ("tell me"). naming_verbs: with these a name may be one that was only thought
    of. versus: before what is not so ("rather than"). comparatives: what has a word of `ended` and ends nothing.
    unmarked_genitive: words before which an s at the end of a relative or a name is a genitive or a verb written
    without its apostrophe ("my mums name").
    greetings: introductions in the third person ("hi it is"). at_home: before the place where the speaker lives, in
    any clause ("here in"). lived_in: after it ("where I live").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    refuse_turn: Starting
    refuse_sentence: Anywhere
    refuse_clause: Anywhere
    conditions: Anywhere
    questions: Starting
    reactions: Starting
    fillers: AnywhereAndWordSet
    leads: Starting
    tails: Ending
    hedges: Anywhere
    negations: Anywhere
    ended: Anywhere
    comparatives: Anywhere = ()
    ended_if_denied: Anywhere = ()
    corrects: Starting
    corrections: EachStarting
    breaks: Starting
    joins: Anywhere
    relatives: Starting
    instead: EachStarting = ()
    rewordings: tuple[Rewording, ...] = ()
    answers: tuple[Rewording, ...] = ()
    aged: EachAnywhere = ()
    echoes: EachStarting = ()
    furthermore: EachStarting = ()
    contraries: EachStarting = ()
    remnants: Starting = ()
    droppable: Anywhere = ()
    chains: EachStarting = ()
    tellings: Starting = ()
    requests: Anywhere = ()
    naming_verbs: WordSet = ()
    versus: Templates = ()
    unmarked_genitive: Words = ()
    greetings: Starting = ()
    at_home: Anywhere = ()
    lived_in: Starting = ()
    aspects: tuple[Aspects, ...] = ()


class Paradigms(BaseModel):
    """Common verbs that no rule needs: where one follows a conjunction, a clause begins.

    verbs: their base forms. endings: ending of a base form -> finite forms of its stem ~, by the longest that fits.
    forms: finite forms of irregular verbs. alone: whether a form is a verb by itself; else only before a word of a
    closed class ("and sing in", not "and song").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: Words
    endings: dict[str, Words]
    forms: Words = ()
    alone: bool = False


class FirstNames(Table):
    """first_names.yaml: a person also in lower case."""

    names: Words


class FactTable(Table):
    """How one language states facts.

    drops_subject: verbs may stand without one. dropped: auxiliaries left out with the speaker ("[i have] bought").
    pasts, past_endings: verb forms that may stand without the speaker, being no order. dropped_ending: of the
    speaker's verbs, left out in speech ("wohn"). run_together: a subject written in one with its verb ("jbosse"),
    and what it is read as. expand: spellings and what is read instead. final_accents: of a vowel at the end of a
    word, with an apostrophe typed for its accent ("citta'"). orders: word orders, of {subject}, {verb} and
    {complement}, the rest. roles: relation -> nouns of people and pets; genders: of these nouns; activities: verb
    form -> what is liked by who does it gladly. nowhere: what is no place to live, work or go to. several: the
    plural ones. never_name_endings: of words that are none. other_kin: words that make another of the noun after
    them (step-, ex-). capitals_are_names: only names have capitals within a sentence. capitals_are_nouns: all nouns
    do, and who is something has no article ("ist Koch"). favorites: topic -> nouns. others: pronouns by gender (n:
    things, p: groups). numbers: the words of 0, 1, 2 ... in order. women, either_sex: first names that are no man's
    alone. towns: well-known towns, regions and countries, also in lower case. occupations: what a noun alone can say
    that somebody is. copula_spelt: words that people write for the copula when they leave out accents: read so where
    a clause states nothing else. never_had: what "I have" with it does not state. paradigms: see there.
    """

    drops_subject: bool = False
    dropped: Words = ()
    pasts: Words = ()
    past_endings: Words = ()
    dropped_ending: str = ""
    run_together: dict[str, str] = Field(default_factory=dict)
    elides: bool = False
    capitals_are_names: bool = False
    capitals_are_nouns: bool = False
    abbreviations: Words = ()
    expand: dict[str, str] = Field(default_factory=dict)
    final_accents: dict[str, str] = Field(default_factory=dict)
    clitics: dict[str, str] = Field(default_factory=dict)
    speaker: WordSet
    possessives: StartingAndWordSet
    others: dict[Literal["m", "f", "n", "p", "mf"], Words]
    other_possessives: StartingAndWordSet
    articles: StartingAndWordSet
    object_pronouns: WordSet = ()
    other_kin: WordSet = ()
    never_subject: WordSet
    never_object: WordSet
    never_name: Words
    never_had: WordSet = ()
    occupations: WordSet = ()
    organisations: WordSet = ()
    copula: str = ""
    speaker_copula: str = ""
    naming: Anywhere = ()
    plural_verbs: Literal["", "speaker"] = ""
    word_classes: dict[WordClass, Words] = Field(default_factory=dict[WordClass, Words])
    copula_spelt: dict[str, str] = Field(default_factory=dict)
    roles: dict[str, Words]
    several: WordSet = ()
    women: WordSet = ()
    towns: WordSet = ()
    either_sex: WordSet = ()
    never_name_endings: WordEndings = ()
    genders: dict[Literal["m", "f"], Words]
    favorites: dict[str, Words]
    activities: dict[str, Words] = Field(default_factory=dict[str, Words])
    nowhere: WordSet = ()
    numbers: Words
    number_words: dict[str, int] = Field(default_factory=dict)
    uncounted: Words = ()
    stopwords: WordSet
    paradigms: Paradigms | None = None
    macros: dict[str, Words] = Field(default_factory=dict)
    orders: Templates
    cuts: dict[str, Templates]
    is_never: WordSet
    is_endings: WordEndings = ()
    is_always: WordSet = ()
    finite: WordSet
    verbal_endings: WordEndings = ()
    reading: Reading
    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]
