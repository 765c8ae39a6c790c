"""The schema of facts.yaml, which says how one language words each relation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator

from amr_neo4j.tables import Table, Words, listed

_CHOICE = re.compile(r"\[([^\[\]()]*)\]\??|\(([^\[\]()]*)\)")


def _spelt_out(forms: Any) -> Any:
    """Return every form that the brackets stand for: "[ci] vivo" -> "vivo", "ci vivo"; "(mio|tuo) zio" has two,
    too.
    """
    made: list[str] = []
    waiting = list(listed(forms))
    while waiting:
        form = waiting.pop(0)
        choice = _CHOICE.search(form)
        if choice is None:
            made.append(" ".join(form.split()))
            continue
        options = choice[2].split("|") if choice[2] is not None else ["", *choice[1].split("|")]
        # The new forms may have more choices. They go to the front, so that the order of the file is kept.
        waiting[:0] = [form[: choice.start()] + option + form[choice.end() :] for option in options]
    return tuple(dict.fromkeys(made))


Forms = Annotated[tuple[str, ...], BeforeValidator(_spelt_out)]
"""Phrases in which the choices [x] and (x|y) are spelt out: "[ci] vivo" -> ("vivo", "ci vivo")."""
Templates = Words
"""Patterns of words, such as "i live in {object}".

{slot}: the words to extract; turn_reader/templates.py lists the slots. <macro>: any phrase of the macro.
{slot=macro}: a slot that only a phrase of the macro fills. {slot=macro+}: the same, or a list of its phrases.
[x]: optional. [x]?: optional, and left out if both fit. (x|y): either.
"""


class CompiledAs(Enum):
    """What the turn reader compiles a field of the table to.

    The result has the field's name in a group of turn_reader/language_kit.py, such as `kit.patterns.hedges`. A field
    may be compiled to several: `fillers` is a pattern (`kit.patterns.fillers`) and a word set (`kit.words.fillers`).
    """

    ANYWHERE = auto()
    """One pattern that matches any template at the start of any word: `kit.patterns`."""
    STARTING = auto()
    """One pattern that matches any template where the line starts: `kit.patterns`."""
    ENDING = auto()
    """One pattern that matches any template at the end of the line: `kit.patterns`."""
    EACH_STARTING = auto()
    """A list with a pattern for each template, which matches where the line starts: `kit.each`."""
    EACH_ANYWHERE = auto()
    """A list with a pattern for each template, which matches at the start of any word: `kit.each`."""
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


def _whole_words(names: Iterable[str]) -> tuple[str, ...]:
    """Return the professions that are words, without a hyphen."""
    return tuple(name.removeprefix("-") for name in names if not name.startswith("--"))


def _with_professions(words: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Put the table's professions in the place of <profession>."""
    # Without `professions`, they were invalid, which is an error of its own.
    names = _whole_words(info.data.get("professions", ()))
    return tuple(chain.from_iterable(names if word == "<profession>" else (word,) for word in words))


WordSetWithProfessions = Annotated[WordSet, AfterValidator(_with_professions)]

Person = Literal["speaker", "other", "bare"]
WordClass = Literal["pronoun", "preposition", "relative", "subordinator", "conjunction", "auxiliary", "clitic"]


class Rule(BaseModel):
    """One way to state a relation.

    gives: the relation of {object}.
    also: {other slot, such as second or year: its relation}.
    say: templates of whole clauses.
    frame: templates of what follows the verb, put into every word order of the language.
    speaker, other, bare: the verb's forms with the speaker as subject, with another subject, and with the speaker
        left out.
    denied: the relation that a negated clause states.
    shape: what the object must be.
    ends: the rule states that the relation is over; without an object, whatever it was.
    over: further relations that are over with it: if the rule ends it, or the clause says "no longer".
    joined: the subject is that of the clause before, and not the speaker.
    shared: the subject is that of the clause before, whoever it is.
    him: the subject is whoever a pronoun would stand for.
    about: the subject must have one of these words.
    hedged: the rule's words are a guess.
    only_denied: the rule needs a negation.
    recalled: the rule only repeats what was said before.
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
    over: Words = ()
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


class Rewording(BaseModel):
    """A rare word order and the usual one that is read instead.

    "it was {object} that {second}" is read as "{second} {object}".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    say: Templates
    reads: str


class ReadingTemplates(BaseModel):
    """Templates for what makes the reader skip a sentence, and for what it cuts from a clause before matching.

    The type of a field says how the reader compiles it; a new field needs nothing else to become a pattern.

    refuse_turn, refuse_sentence, refuse_clause: with a match, nothing is read from that much text.
    answers: questions, and the statement that a short answer {object} to one stands for.
    aged: a {role} with an age {number} inside its phrase ("my 7 year old son").
    respellings: says how the last name is spelt ("it 's spelled {object} [not {old}]").
    echoes: repeats the last statement for one more subject {subject}.
    onward: comes before the next place after a move ("moved to Rome in 2019 [and last month to] Bari").
    remnants: the beginning of a clause that leaves out the verb of the clause before ("and my brother in Paris").
    droppable: cut only if the words state nothing.
    chains: the {role} of one of the speaker's relatives, the {owner} ("brother 's wife").
    tellings: questions that state what follows ("did I tell you that").
    requests: to the listener, where "me" is only the one who hears the answer ("tell me").
    naming_verbs: verbs after which a name may be only an idea.
    versus: comes before what is not so ("rather than").
    comparatives: contain a word of `ended` or a negation, but end and deny nothing ("more and more", "not long ago").
    no_hedges: contain a word of `hedges`, but doubt nothing ("this sort of").
    unsure_of: doubts something else than what follows it ("not sure if I told you, but").
    greetings: introductions in the third person ("hi it is").
    here: comes before the place where the speaker is, in any clause ("here in").
    at_home: comes before the place where the speaker lives, in any clause ("my flat in").
    lived_in: comes after such a place ("where I live").
    awhile: says that something holds for a while ("this week", "until Sunday").
    nowadays: means today alone or these days ("heute").
    present: makes being somewhere momentary ("I'm in Paris right now"), but not doing something.
    stays: being somewhere.
    visits: verbs that by themselves mean a stay.
    trips: says that somebody who is "here in Rome" is only there for a while ("on holiday", "flying home").
    lasting: says that something has changed for good, whenever that was ("moved this week").
    past: says that a home or a job is one of before ("I worked at").
    moving: says of a home that it is a new one ("moved", "now"), so that the address before is over.
    back_then: words that date a statement back ("as a child").
    newly: says of somebody that they are the next ("my new boss").
    beside: says that something is not the main one ("on weekends").
    further: says that something is not the main one, if another one is known ("also").
    yesterday: words for yesterday.
    last, ago: words of what is past ("last month", "two weeks ago").
    lengths: units of time with their words.
    today, weekend: words for the end of today and of this week.
    recent: says of one of several values that it is the latest ("last month").
    ended_by: {relations that are over: what somebody is then}, such as {works_at: unemployed}.
    over_with: {relations: idioms that say it is over with a value that the same clause names}.
    hosts: words before somebody with whom one stays ("chez Tom"), who is no home.
    first_person: the speaker as a subject: "I", "we".
    plural_person: of these and of verbs, those of several people.
    quoting_verbs, quoting_nouns: a phrase with one of these introduces the words of somebody else after a colon
        ("my client says:", "the lyrics:").
    quotatives: a speaker with the words that introduce the speech ("my boss was like:").
    reported: the same without a colon ("my client says that I").
    interjections: after one of these alone, a value is no correction: "Oh, Paris!".
    agrees, disagrees: begin an answer of yes or no.
    offers: words of a question that offers or wishes something, so that a yes to it confirms no fact.
    plural_verb_endings: endings of the verbs of several people, where these differ from those of one.
    causes: words of questions that also begin a reason, if a comma follows and no question mark ("Como vivo en
        Roma, ...").
    supposed: says that what follows in the sentence is not so, or not known to be ("I hope that").
    unreal: the sentence and all that follows it are a dream, a game, a story or not meant seriously.
    plays: opens a game or a story told in the first person, which goes on in later turns.
    plays_end: ends it.
    not_so: a sentence that takes back the one before it in the same turn ("Not.").
    jokes: a sentence that takes back what was said last, also in the turn before ("Just kidding."). What follows its
        comma is meant.
    unsaid: the same in words that mean something else before a comma ("As if").
    forgets_that: a sentence that asks memory to forget what was said last.
    unremembered: a sentence that asks memory to keep nothing of this turn ("don't remember this").
    forgets: a sentence that asks memory to forget {object}, whatever that is.
    forgets_statements: one that does so only if {object} states something.
    forgets_topics: one that does so only if {object} is a topic ("Delete my address", not "Delete my photo").
    polite: words that may stand around it.
    the_user: the user in a note that a program wrote.
    user_alone: the same, only at the beginning of a sentence.
    users_own: a thing {object} of theirs ("the user 's name").
    note_heads: words of what stands before such a note ("Memory note:").
    it: words for what was said last ("Delete that, it's private").
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
    no_hedges: Anywhere = ()
    unsure_of: Starting = ()
    negations: Anywhere
    ended: Anywhere
    comparatives: Anywhere = ()
    ended_if_denied: Anywhere = ()
    corrects: Starting
    corrections: EachStarting
    respellings: EachStarting
    breaks: Starting
    joins: Anywhere
    relatives: Starting
    rewordings: tuple[Rewording, ...] = ()
    answers: tuple[Rewording, ...] = ()
    aged: EachAnywhere = ()
    echoes: EachStarting = ()
    onward: Anywhere = ()
    remnants: Starting = ()
    droppable: Anywhere = ()
    chains: EachStarting = ()
    tellings: Starting = ()
    requests: Anywhere = ()
    naming_verbs: WordSet = ()
    versus: Templates = ()
    greetings: Starting = ()
    here: Anywhere = ()
    at_home: Anywhere = ()
    lived_in: Starting = ()
    awhile: Anywhere = ()
    nowadays: Anywhere = ()
    present: Anywhere = ()
    stays: Anywhere = ()
    visits: Anywhere = ()
    trips: Anywhere = ()
    lasting: Anywhere = ()
    past: Anywhere = ()
    moving: WordSet = ()
    hosts: WordSet = ()
    back_then: WordSet = ()
    beside: Anywhere = ()
    further: Anywhere = ()
    lengths: dict[str, Words] = Field(default_factory=dict[str, Words])
    today: WordSet = ()
    yesterday: WordSet = ()
    last: WordSet = ()
    ago: WordSet = ()
    weekend: WordSet = ()
    recent: Anywhere = ()
    ended_by: dict[str, Words] = Field(default_factory=dict[str, Words])
    over_with: dict[str, Templates] = Field(default_factory=dict[str, Templates])
    first_person: WordSet = ()
    plural_person: WordSet = ()
    newly: WordSet = ()
    quoting_verbs: WordSet = ()
    quoting_nouns: WordSet = ()
    quotatives: Anywhere = ()
    reported: Anywhere = ()
    agrees: Starting = ()
    disagrees: Starting = ()
    offers: WordSet = ()
    interjections: WordSet = ()
    plural_verb_endings: WordEndings = ()
    causes: Starting = ()
    supposed: Anywhere = ()
    unreal: Anywhere = ()
    plays: Anywhere = ()
    plays_end: Anywhere = ()
    not_so: Starting = ()
    jokes: Starting = ()
    unsaid: Starting = ()
    forgets_that: Starting = ()
    unremembered: Anywhere = ()
    forgets: EachStarting = ()
    forgets_statements: EachStarting = ()
    forgets_topics: EachStarting = ()
    polite: Starting = ()
    the_user: Anywhere = ()
    user_alone: StartingAndWordSet = ()
    users_own: EachAnywhere = ()
    note_heads: WordSet = ()
    it: WordSet = ()


class Paradigms(BaseModel):
    """Common verbs that no rule uses. After a conjunction, one of them begins a new clause.

    verbs: their base forms.
    endings: {ending of a base form: finite forms}, with ~ for the stem; the longest ending that fits counts.
    forms: finite forms of irregular verbs.
    alone: whether a form counts as a verb by itself. If not, it counts only before a word of a closed class ("and
        sing in", but not "and song").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: Words
    endings: dict[str, Words]
    forms: Words = ()
    alone: bool = False


class FirstNames(Table):
    """first_names.yaml: first names that mean a person even in lower case.

    either: of women and of men, and of pets.
    """

    women: Words = ()
    men: Words = ()
    either: Words = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.women, *self.men, *self.either)


class FactTable(Table):
    """How one language states facts.

    Verbs and word order.
    drops_subject: verbs may stand without a subject.
    own_endings: endings of verbs that only the speaker can be the subject of, where the subject is dropped ("-é").
    own_present: such endings that many nouns have, too ("-o").
    dropped: auxiliaries that are left out together with the speaker ("[i have] bought").
    pasts, past_endings: verb forms that may stand without the speaker, because they cannot be a command.
    dropped_ending: the ending of the speaker's verbs that speech leaves out ("wohn").
    orders: word orders of {subject}, {verb} and {complement} (the rest).

    Spelling.
    run_together: {a subject written as one word with its verb ("jbosse"): what it is read as}.
    expand: {spelling: what is read instead}.
    final_accents: {a vowel with an apostrophe ("citta'"): the accented vowel}.
    capitals_are_names: within a sentence only names have capitals.
    capitals_are_nouns: all nouns have capitals, and a profession has no article ("ist Koch").

    Nouns.
    several: further nouns for several people or pets, which are no role's (relation_words.yaml).
    genders: further nouns that "he" and "she" may take up, which are no role's.
    other_kin: words that change the noun after them to another relation (step-, ex-).
    former: words that say that somebody is not in the role after them any more (ex-, previous).
    deceased: words that say that somebody is dead ("late"): a father stays a father, a marriage is over.
    no_places: words for a time, a floor or a number, at which nobody lives or works as at a place.
    waters: rivers, lakes, seas and their shores, which are no home ("am Rhein").
    topics: {relation: phrases that name what it states of the speaker ("where I live")}.
    favorites: {topic: nouns}.
    activities: {verb form: what somebody likes who does it gladly}.
    professions: what somebody does for a living. "-baker" is also the end of a longer word: "masterbaker". "--tore"
        is only that. All others are the macro <profession>, which `occupations` and `is_always` may contain, too.
    occupations: nouns that alone can say what somebody is.
    nowhere: words that are not a place to live, work or go to.
    towns: well-known towns, regions and countries, even in lower case.
    never_name: words that are no names, or that no name of several words begins or ends with, even with a capital.
    is_never: words that are no profession, town or trait of somebody: "member", "hungry".
    never_name_endings: endings of words that are not names.
    never_had: objects with which "I have" states nothing.

    Others.
    others: pronouns by gender (n: things, p: groups).
    impersonal: words after a pronoun with which it is nobody ("il faut", "il y a").
    numbers: the words for 0, 1, 2 and so on, in order.
    number_words: further words for numbers.
    paradigms: see Paradigms.
    """

    drops_subject: bool = False
    own_endings: WordEndings = ()
    own_present: WordEndings = ()
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
    impersonal: WordSet = ()
    other_kin: WordSet = ()
    former: WordSet = ()
    deceased: WordSet = ()
    no_places: WordSet = ()
    waters: WordSet = ()
    never_subject: WordSet
    never_object: WordSet
    never_name: Words
    never_had: WordSet = ()
    professions: Words
    occupations: WordSetWithProfessions = ()
    organisations: WordSet = ()
    copula: str = ""
    speaker_copula: str = ""
    naming: Anywhere = ()
    plural_verbs: Literal["", "speaker"] = ""
    word_classes: dict[WordClass, Words] = Field(default_factory=dict[WordClass, Words])
    several: WordSet = ()
    genders: dict[Literal["m", "f"], Words] = Field(default_factory=dict[Literal["m", "f"], Words])
    towns: WordSet = ()
    never_name_endings: WordEndings = ()
    favorites: dict[str, Words]
    topics: dict[str, Words] = Field(default_factory=dict[str, Words])
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
    is_always: WordSetWithProfessions = ()
    finite: WordSet
    verbal_endings: WordEndings = ()
    reading: ReadingTemplates
    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]

    @property
    def profession_names(self) -> tuple[str, ...]:
        """The words of `professions`, without the hyphens."""
        return _whole_words(self.professions)

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The words, in lower case, that are not names: "the", "an"."""
        return frozenset(word.lower() for word in (*self.never_name, *self.stopwords, *self.articles))

    @property
    def numerals(self) -> dict[str, int]:
        """{words for a number: the number}. A hyphen may be left out: "twenty one"."""
        found = {word: number for number, word in enumerate(self.numbers)} | self.number_words
        return {word.replace("-", " "): number for word, number in found.items()} | found
