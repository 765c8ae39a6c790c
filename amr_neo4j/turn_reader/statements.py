"""Turns a matched frame into the triples that it states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.frames import Found
from amr_neo4j.turn_reader.language_kit import NOTED, LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, plain
from amr_neo4j.turn_reader.mentions import MAN, MANY, SOMEBODY, THING, WOMAN, Mentions, Referent
from amr_neo4j.turn_reader.normalise import Thing, bare, is_name, is_unaccented_name, split, things, trim
from amr_neo4j.turn_reader.subjects import (
    FRIEND,
    OTHER,
    YOU,
    Subject,
    genitive,
    mention_of,
    owner_of,
    possessor,
    role_facts,
    role_opening,
    subjects,
)

CALLED, FRIENDS, ROLE, FAVORITE, OF_MINE = "called", "friends", "role", "favorite", "friend"
"""Relations that the slots of a rule settle: a role's name, two friends, {role} of the speaker, favorite {topic}."""

# In years. A number in a list ("nurse, Leeds, 47") is an age from ADULT on, a number alone from _GROWN on, and no age
# is above OLDEST.
ADULT, _GROWN, OLDEST = 16, 12, 120
_OF_THE_LIVING = ("lives_in", "works_at", "works_in")
_OF_A_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*(?:[.'’-]+[^\W\d_]*)*")
_YEAR = re.compile(r"\d\d|(?:1[89]|20)\d\d")
NOBODY = Referent("", "")
"""The subject of a clause that could not be resolved. What is joined to that clause is not about the speaker."""


@dataclass(slots=True)
class ClauseStatement:
    """What a clause states.

    triples: its facts.
    named: the facts implied by how the subject is named ("my sister Ana").
    last: whom the next clause may be about.
    guess: whether a pronoun or a lower-case name had to be resolved.
    over: facts that it ends; an empty object stands for every object.
    exchanged: a home or an employer was left for another, and which of the two is not said ("I left Siemens for
        Bosch").
    """

    triples: list[Triple] = field(default_factory=list[Triple])
    named: list[Triple] = field(default_factory=list[Triple])
    last: Referent | None = None
    guess: bool = False
    over: list[Triple] = field(default_factory=list[Triple])
    exchanged: bool = False


def statement(  # noqa: PLR0911 (one return for each kind of rule)
    kit: LanguageKit, found: Found, mentions: Mentions, inherited: Referent | None, pronoun: Referent | None
) -> ClauseStatement | None:
    """Return what a frame states; None if it cannot be meant, since the subject is unknown or the object does not
    fit.

    inherited: the subject of the clause before, for clauses joined to it.
    pronoun: whom a verb without a subject is about.
    """
    relation = found.frame.rule.gives
    if relation == ROLE:
        return _role(kit, found, mentions)
    who = _who(kit, found, mentions, inherited, pronoun)
    if not who:  # no fact, but the next clause may be about a person who is named here
        return _named_alone(kit, found) if relation == CALLED else None
    if relation == FAVORITE:
        return _favorite(kit, found, who)
    if relation == FRIENDS:
        return _of_each_other(kit, found, who, mentions)
    if relation == OF_MINE:
        made = _opening(who)
        made.triples = [Triple(subject.mention.text, FRIEND, SPEAKER) for subject in who]
        return None if YOU.text in {subject.mention.text for subject in who} else made
    if relation == CALLED:
        return _called(kit, found, who, mentions)
    return _plain(kit, found, who, mentions)


def _who(
    kit: LanguageKit, found: Found, mentions: Mentions, inherited: Referent | None, pronoun: Referent | None
) -> list[Subject]:
    """Return whom a frame is about; empty if that cannot be told, or if the verb form does not fit the subject.

    inherited, pronoun: as for `statement`.
    """
    rule, line = found.frame.rule, found["subject"]
    if inherited is NOBODY:
        # The clause before was about somebody unknown, and this verb is about the same person.
        if line is None and ("other" in found.persons or _is_bare_age(kit, found)):
            return []
        inherited = None
    if rule.shared or rule.joined:
        is_known = inherited is not None and (rule.shared or inherited != YOU)
        return [Subject(inherited)] if inherited and is_known else []
    if people := _together(kit, found, mentions):
        return people
    if line is None or rule.him:
        return _left_out(kit, found, mentions, inherited, pronoun)
    if rule.about and found.frame.about.isdisjoint(line.folded.split()):
        return []
    is_us = "speaker" in found.persons and kit.patterns.both_of_us.fullmatch(line.folded)
    who = [Subject(YOU)] if is_us else subjects(kit, line, mentions, rule.gives)
    return who if not found.persons or found.persons & _persons_of(kit, who) else []


def _left_out(
    kit: LanguageKit, found: Found, mentions: Mentions, inherited: Referent | None, pronoun: Referent | None
) -> list[Subject]:
    """Return whom a clause without a subject is about, by the form of its verb; empty if that cannot be told."""
    if found.frame.rule.him:
        return [Subject(pronoun, guess=True)] if pronoun else []
    persons, drops = found.persons, kit.table.drops_subject
    if not persons and "subject" not in found.match.re.groupindex:
        # "Tom is a plumber and only 17."
        return [Subject(inherited if inherited and _is_bare_age(kit, found) else YOU)]
    if inherited is not None and (not persons or ("speaker" if inherited.text == SPEAKER else "other") in persons):
        return [Subject(inherited)]
    # "Vivo a Roma": the form of the verb shows that the speaker is meant.
    if "bare" in persons or (drops and "speaker" in persons):
        return [Subject(YOU)]
    if drops and "other" in persons:
        if pronoun is not None:
            return [Subject(pronoun, guess=True)]
        if fitting := mentions.unclear.get(""):
            mentions.unclear[found.match["verb"].strip()] = (
                fitting  # the verb stands for the pronoun that is left out
            )
    return []


def _is_bare_age(kit: LanguageKit, found: Found) -> bool:
    """Return whether an age has no subject and no word such as "I" or "my" beside it: "only 17"."""
    speaks = not kit.words.speaker.isdisjoint(found.match[0].split())
    return found.frame.rule.gives == "age" and not found.persons and not speaks


def _together(kit: LanguageKit, found: Found, mentions: Mentions) -> list[Subject]:
    """Return everybody whom "they" or a plural verb ("viven", "sie wohnen") means; empty if it means one person."""
    line = found["subject"]
    word = line.folded.strip() if line is not None else ""
    verb = (found.match.groupdict().get("verb") or "").split(" ")[0]
    is_plural = verb.endswith(kit.endings.plural_verb_endings or ("\0",))
    if line is None:
        may_be = is_plural and kit.table.drops_subject and found.persons == frozenset({"other"})
    else:
        may_be = kit.others.get(word) == MANY or (is_plural and kit.others.get(word) in (MAN, WOMAN))
    return [Subject(each, guess=True) for each in mentions.together()] if may_be else []


def _persons_of(kit: LanguageKit, who: list[Subject]) -> frozenset[str]:
    """Return the verb forms that these subjects may take. "My wife and I" may take any."""
    speaks = [subject.mention is YOU for subject in who]
    if kit.table.plural_verbs and (len(who) > 1 or any(subject.mention.kind == MANY for subject in who)):
        return frozenset({"other", kit.table.plural_verbs})
    return frozenset([*(["speaker", "bare"] if any(speaks) else []), *(["other"] if not all(speaks) else [])])


def _plain(kit: LanguageKit, found: Found, who: list[Subject], mentions: Mentions) -> ClauseStatement | None:
    """Return what a frame of an ordinary relation states of its subjects; None if an object does not fit."""
    rule = found.frame.rule
    made = _opening(who)
    made.exchanged = rule.shape == "destination"
    if ends_all(found):
        over = (*rule.over, rule.gives)
        made.triples = [Triple(subject.mention.text, each, "") for subject in who for each in over]
        return made
    if not _may_be_said_of(kit, found, who):
        return None
    if (text := _without_phrase(kit, found, mentions)) is not None:
        made.triples = [Triple(subject.mention.text, rule.gives, text) for subject in who]
        return made if text else None
    if (referred := _referred(kit, found, mentions)) is not None:
        relations = (rule.gives, *(rule.over if rule.ends else ()))
        made.triples = [Triple(subject.mention.text, each, referred.text) for subject in who for each in relations]
        return made
    for slot, relation in {"object": rule.gives, **rule.also}.items():
        phrase, shape = found[slot], ""
        if slot == "object":
            phrase = phrase or found["number"] or found["exact"] or found["year"] or found["occupation"]
            shape = rule.shape
        objects = _objects(kit, phrase, relation, shape) if phrase is not None else []
        if not objects and (slot == "object" or phrase is not None):
            return None
        # "Retired after 40 years at Ford" states no job at Ford.
        if relation == "is" and any(_is_over(kit, thing) for thing in objects):
            made.triples = [triple for triple in made.triples if triple.relation != "works_at"]
        many = _number(kit, found) if slot == "object" and relation in ("has", "owns") else ""
        for subject in who:
            _add_objects(
                kit, found, made, subject=subject, relation=relation, objects=objects, mentions=mentions, many=many
            )
    return made


def _may_be_said_of(kit: LanguageKit, found: Found, who: list[Subject]) -> bool:
    """Whether subjects can have a relation: people have no duration, things no parents, and "we are four" no age."""
    rule, kind = found.frame.rule, relation_kind(found.frame.rule.gives)
    if kind.object == "TIME" and not all(_takes_time(kit, subject.mention) for subject in who):
        return False
    if (kind.people_only or rule.shape == "origin") and any(_is_thing(kit, subject.mention) for subject in who):
        return False
    return rule.gives != "age" or not (_counts_people(kit, found, who) or _numbers_thing(kit, found, who))


def _without_phrase(kit: LanguageKit, found: Found, mentions: Mentions) -> str | None:
    """Return the object of a clause that names it by a verb ("I paint") or by "there"; None if it is a phrase.

    Empty if nothing was said that "there" may mean.
    """
    if (form := found["activity"]) and found["object"] is None:
        return kit.activities[form.folded.strip()]
    if found["there"]:
        return mentions.place
    return None


def _add_objects(
    kit: LanguageKit,
    found: Found,
    made: ClauseStatement,
    *,
    subject: Subject,
    relation: str,
    objects: list[Thing],
    mentions: Mentions,
    many: str,
) -> None:
    """Add that a subject stands in a relation to some objects.

    many: how many there are, if the clause says so apart from them; empty if not.
    """
    rule, text, is_you = found.frame.rule, subject.mention.text, subject.mention is YOU
    listed = _listed_names(kit, objects) if relation == "has" else []
    if relation == "is":
        made.over += _ended_by(kit, text, objects)
    made.triples += [fact for role, name in listed for fact in role_facts(role, name, text)]
    # The listed names were read as people above, so they are no things that somebody has.
    for thing in objects[: len(objects) - len(listed)]:
        if relation == "has" and (named := _named(kit, thing)):
            made.triples += role_facts(named.role, named.text, text)
            if is_you:
                mentions.name(named.role, thing.line.folded.split()[0], named.text)
                made.last = named
            continue
        if rule.ends and "pet" in rule.over:
            made.over += _ended_by_death(kit, thing, found["object"], mentions)
        if rule.over and (ended := _ended_role(kit, thing, found["object"])):
            whole, anybody = ended
            made.over += whole
            made.triples += anybody
        else:
            made.triples += _triples(kit, text, relation, replace(thing, many=many or thing.many))
            made.triples += [Triple(text, each, thing.text) for each in rule.over if rule.ends]
    if relation == "has" and not listed and len(objects) == 1:
        made.triples += _called_relative(kit, text, objects[0], found["object"])


def _ended_by_death(kit: LanguageKit, thing: Thing, phrase: Line | None, mentions: Mentions) -> list[Triple]:
    """Return what is over for somebody who died, even if they were a relative for life: a home and a job."""
    words, noun = thing.line.folded.split(), thing.line.folded.strip()
    if phrase is not None and len(bare(kit, phrase).folded.split()) > len(words):
        return []  # "der Hund vom Nachbarn"
    if noun in kit.roles:
        who = mentions.called(noun, thing.line)
    elif named := _named(kit, thing):
        who = named.text
    else:
        is_known = mentions.knows(thing.text) or words[0] in kit.words.first_names
        who = thing.text if is_known else ""  # no phone
    return [Triple(who, each, "") for each in _OF_THE_LIVING] if who else []


def _ended_role(kit: LanguageKit, thing: Thing, phrase: Line | None) -> tuple[list[Triple], list[Triple]] | None:
    """Return (the speaker's facts that ended when a named person left or died, the same for an unnamed person).

    "My husband [Rob] died" ends a marriage; a father stays one. None if the phrase is not a role, or is the role of
    another person's relative or pet: "der Hund vom Nachbarn ist tot".
    """
    if phrase is not None and len(bare(kit, phrase).folded.split()) > len(thing.line.folded.split()):
        return None
    named, role = _named(kit, thing), kit.roles.get(thing.line.folded.strip())
    relation = named.role if named else role
    if not relation or relation_kind(relation).is_for_life:
        return ([], []) if relation else None
    return (role_facts(relation, named.text), []) if named else ([], [Triple(SPEAKER, relation, "")])


def _counts_people(kit: LanguageKit, found: Found, who: list[Subject]) -> bool:
    """Whether a number says how many the speakers are and not how old: "we are four", but "we are both thirty"."""
    words = found.match[0].split()
    is_ours = who == [Subject(YOU)] and not kit.words.plural_person.isdisjoint(words)
    return is_ours and kit.patterns.both_of_us.match(found.match[0]) is None


def _numbers_thing(kit: LanguageKit, found: Found, who: list[Subject]) -> bool:
    """Return whether a number is not an age, since a thing has it and no year is named: "my house number is 33"."""
    is_thing = any(_is_thing(kit, subject.mention) for subject in who)
    return is_thing and kit.lengths["year"].isdisjoint(found.match[0].split())


def ends_all(found: Found) -> bool:
    """Whether a frame says that something is over, whatever it was: "I quit", or "we are [no longer] together"."""
    rule = found.frame.rule
    return bool(rule.ends or rule.over) and not {"object", "object_pronoun"} & found.match.re.groupindex.keys()


def _ended_by(kit: LanguageKit, subject: str, states: list[Thing]) -> Iterator[Triple]:
    """Yield what is over for somebody who is this: "unemployed" ends every works_at."""
    said = {thing.line.folded.strip() for thing in states}
    for relations, ending in kit.ended_by.items():
        if not said.isdisjoint(ending):
            yield from (Triple(subject, relation, "") for relation in relations)


def _is_over(kit: LanguageKit, thing: Thing) -> bool:
    """Return whether this word says that the job is over: "retired after 40 years at"."""
    return thing.line.folded.split(maxsplit=1)[0] in kit.words.no_longer


def _listed_names(kit: LanguageKit, objects: list[Thing]) -> list[tuple[str, str]]:
    """Return (role, name) of people who are named after their role: "two daughters, Ann and Sue"."""
    noun = (
        next((kit.roles[word] for word in objects[0].line.folded.split() if word in kit.roles), "") if objects else ""
    )
    names = objects[1:]
    are_counted = bool(names) and objects[0].many == str(len(names))
    is_named = all(
        is_name(kit, thing.line) and not thing.many and (are_counted or thing.line.written[0].isupper())
        for thing in names
    )
    return [(noun, thing.text) for thing in names] if noun and is_named else []


def _is_thing(kit: LanguageKit, mention: Referent) -> bool:
    return mention.kind == THING and not mention.role and fold(mention.text) not in kit.roles


def _takes_time(kit: LanguageKit, mention: Referent) -> bool:
    """Return whether a subject can have a time or a duration: a thing, or an appointment such as "the dentist"."""
    return mention.kind == THING or fold(mention.text) in kit.words.everyday


def _number(kit: LanguageKit, found: Found) -> str:
    """Return the number that stands apart from its object, in digits: "of cats we have two"; empty for none."""
    line = found["number"]
    value = kit.value(line) if line else None
    return "" if value is None else str(value)


def _called_relative(kit: LanguageKit, subject: str, thing: Thing, phrase: Line | None) -> list[Triple]:
    """Return who a relative is that somebody else has: "[Bill has] a son called Max"."""
    role = kit.roles.get(thing.line.folded.strip(), "")
    naming = kit.patterns.naming.search(phrase.folded) if phrase and role and subject != SPEAKER else None
    name = trim(kit, phrase.after(naming.end())) if phrase and naming else None
    return role_facts(role, plain(name), subject) if name and is_name(kit, name) and name.written[0].isupper() else []


def _named(kit: LanguageKit, thing: Thing) -> Referent | None:
    """Return whom a phrase such as "brother Tom" names; None if it is not a role with a name."""
    first = thing.line.folded.split(maxsplit=1)[0]
    line = thing.line.after(len(first) + 1) if first in kit.words.newly else thing.line  # "[I have] a new boss Dana"
    role = role_opening(kit, line)
    if role is None or len(f"{role[0]} {role[1].folded}") < len(line.folded):
        return None
    return mention_of(kit, role[0], plain(role[1]))


def _referred(kit: LanguageKit, found: Found, mentions: Mentions) -> Referent | None:
    """Return what an object pronoun stands for; None if the object is not a pronoun or nothing fits."""
    phrase = found["object_pronoun"] or found["object"]
    if phrase is not None and relation_kind(found.frame.rule.gives).role:  # "I broke up with her"
        word = phrase.folded.strip()
        return mentions.meant(word, kit.others[word]) if kit.others.get(word) in (MAN, WOMAN) else None
    if (
        found.frame.rule.gives in ("time", "duration", "has")
        or phrase is None
        or phrase.folded.strip() not in kit.words.object_pronouns
    ):
        return None
    return mentions.resolve(THING)


def _opening(who: list[Subject]) -> ClauseStatement:
    """Return a statement about these subjects, so far without triples."""
    made = ClauseStatement(last=who[-1].mention, guess=any(subject.guess for subject in who))
    made.named = [fact for subject in who for fact in subject.facts]
    return made


def _triples(kit: LanguageKit, subject: str, relation: str, thing: Thing) -> list[Triple]:
    """Return the triple of an object, and one for its quantity: (you, has, cats) and (cats, quantity, 3).

    Only what the speaker has is counted: a quantity does not say whose things it counts.
    """
    text = thing.text
    if relation == "age":
        value = kit.value(thing.line)
        return [Triple(subject, relation, str(value))]
    if relation == "duration":
        text = _in_digits(kit, thing.line)
    triples = [Triple(subject, relation, text)]
    if thing.many and subject == SPEAKER:
        triples.append(Triple(text, "quantity", thing.many))
    return triples


def _in_digits(kit: LanguageKit, line: Line) -> str:
    """Return a span of time with its number in digits, as in ages and quantities: "3 weeks" for "three weeks"."""
    number = kit.patterns.number.match(line.folded)
    value = kit.value(line.part(0, number.end())) if number and number.end() < len(line.folded) else None
    return plain(line) if number is None or value is None else f"{value} {plain(line.after(number.end()))}"


def _objects(kit: LanguageKit, phrase: Line, relation: str, shape: str) -> list[Thing]:
    """Return the objects in a phrase that fit a relation and the shape of its rule."""
    return [thing for thing in things(kit, phrase, relation) if _fits(_Object(kit, thing, phrase), relation, shape)]


@dataclass(frozen=True)
class _Object:
    """A thing that may be the object of a fact. phrase: the words that it was cleaned from, with their article."""

    kit: LanguageKit
    thing: Thing
    phrase: Line

    @cached_property
    def words(self) -> list[str]:
        return self.thing.line.folded.split()

    @property
    def text(self) -> str:
        return self.thing.line.folded.strip()

    @property
    def ends(self) -> tuple[str, str]:
        """The first and the last word."""
        return self.words[0], self.words[-1]

    @property
    def is_capital(self) -> bool:
        return self.thing.line.written[0].isupper()

    @property
    def is_town(self) -> bool:
        """Whether it is a well-known town or country."""
        return self.text in self.kit.words.towns

    @property
    def is_street(self) -> bool:
        """Whether it is named after a street: "5 Main Street"; in a language with compounds also "Hauptstraße"."""
        street = self.kit.words.street
        is_compound = any(word.endswith(tuple(street)) for word in self.words)
        return (is_compound and self.kit.table.capitals_are_nouns) or not street.isdisjoint(self.words)

    @property
    def is_water(self) -> bool:
        """Whether it is a river, a sea or a shore: "Rhein", "riva al mare"; not the town "Riva del Garda"."""
        waters = self.kit.words.waters
        return self.words[0] in waters and self.words[-1] in waters

    @property
    def value(self) -> int | None:
        """The number that it is."""
        return self.kit.value(self.thing.line)

    def begins_with(self, pattern: re.Pattern[str]) -> bool:
        """Return whether the phrase begins with an article, a possessive or a number."""
        return pattern.match(self.phrase.folded) is not None

    def is_verbal(self, word: str) -> bool:
        """Return whether a word has the ending of a verb."""
        return word.endswith(self.kit.endings.verbal_endings)


def _fits(one: _Object, relation: str, shape: str) -> bool:
    kit, kind = one.kit, relation_kind(relation)
    if kind.somewhere and not (kit.words.nowhere | kit.words.dates).isdisjoint(one.ends):
        return False
    # "Ein Kanu hat [meine Schwester] gekauft", "über die Feiertage bin ich bei [meinen Eltern]".
    people = {"owns": kit.roles.keys(), "works_at": kit.words.kin}.get(relation, ())
    if one.words[0] in people and one.begins_with(kit.patterns.possessives):
        return False
    # An address is a relation of its own, and nobody lives in a river.
    is_other = relation == "lives_in" and (one.is_street or one.is_water)
    if is_other or (shape == "capital" and not one.is_capital):
        return False
    if relation == "is" and is_unaccented_name(kit, one.thing.line):
        return False
    if kit.table.capitals_are_nouns and kind.noun_last and _ends_in_verb(one.thing):
        return False
    fits = _SHAPES.get(shape) or _SHAPES.get(relation_kind(relation).shape, _fits_any)
    return fits(one)


def _ends_in_verb(thing: Thing) -> bool:
    """Return whether a noun has another verb's participle after it: "[er hat] den Hof übernommen"."""
    *before, last = thing.line.written.split()
    return last[0].islower() and any(word[0].isupper() for word in before)


def _fits_any(one: _Object) -> bool:
    return one.words[0] not in one.kit.others and (
        len(one.words) > 1 or not _is_function_word(one.kit, one.thing.line)
    )


def _is_function_word(kit: LanguageKit, line: Line) -> bool:
    """Whether a word has only a grammatical role. An accent that was typed counts: "té" is tea, "te" is a pronoun."""
    word = line.written.strip().casefold()
    has_accent = word != fold(word)
    return word in kit.table.stopwords if has_accent else word in kit.words.stopwords


def _fits_organisation(one: _Object) -> bool:
    first, last = one.ends
    is_noun = len(one.words) <= 4 and first not in one.kit.words.never_name and not one.is_verbal(last)
    return is_noun and not one.is_town and not one.begins_with(one.kit.patterns.indefinite)


def _fits_event(one: _Object) -> bool:
    first, last = one.ends
    return first.endswith(one.kit.endings.event) and not (len(one.words) > 1 and one.is_verbal(last))


def _fits_possession(one: _Object) -> bool:
    kit, words, (first, last) = one.kit, one.words, one.ends
    is_given = not kit.words.articles.isdisjoint(words)  # "bought [my son a bike]"
    is_person = first in kit.roles or first in kit.words.several or first in kit.words.kin
    if is_person and (is_given or one.begins_with(kit.patterns.possessives)):  # "I live with [my parents]"
        return False
    never = kit.words.closed_prepositions | kit.words.momentary | kit.words.never_had | kit.words.passing
    if first in never or last in kit.words.passing or one.value is not None or one.is_verbal(last):
        return False
    if one.thing.many and kit.patterns.span.fullmatch(f"{one.thing.many} {one.thing.line.folded}"):
        return False
    if one.thing.many or one.begins_with(kit.patterns.indefinite):
        return True
    # "Ich habe den Schlüssel in die Schublade gelegt"
    if kit.table.capitals_are_nouns and one.is_verbal(one.phrase.folded.split()[-1]):
        return False
    # "[she has a son and] studies abroad"
    return len(words) <= 3 and not one.is_verbal(first) and not (len(words) > 1 and _begins_with_verb(one))


def _begins_with_verb(one: _Object) -> bool:
    patterns, verbs = one.kit.patterns, one.kit.words.others_verbs | one.kit.words.own_verbs
    word = one.thing.line.written.split(maxsplit=1)[0]
    has_article = one.begins_with(patterns.articles) or one.begins_with(patterns.possessives)
    return not has_article and word.islower() and word in verbs


def _fits_determined(one: _Object) -> bool:
    """Something counted, or with one of the articles that a language asks for ("un", "des", "du")."""
    patterns = one.kit.patterns
    return _fits_possession(one) and (one.begins_with(patterns.number) or one.begins_with(patterns.some))


def _is_age(one: _Object, least: int = 1) -> bool:
    return least <= (one.value or 0) < OLDEST


def _fits_place(one: _Object) -> bool:
    kit, (first, last) = one.kit, one.ends
    # "At night", "in der Hausnummer 12"; a firm may be called Midnight.
    is_common = one.thing.line.written[0].islower() or kit.table.capitals_are_nouns
    if is_common and not kit.words.no_places.isdisjoint((first, last)):
        return False
    return first not in kit.roles and (one.is_town or first not in kit.words.never_name)  # "Nice"


def _fits_home(one: _Object) -> bool:
    return not one.text[0].isdigit() and _fits_place(one)


def _fits_destination(one: _Object) -> bool:
    """Return whether it is a town or an employer: "I left Paris for [Rome]", not for Anna or for an internship."""
    kit = one.kit
    if one.is_town or one.words[0] in kit.words.names_anywhere:
        return one.is_town
    # "For work" and "für ein Praktikum" are no destinations. A capital tells a name from a task, but not in German.
    is_common = one.begins_with(kit.patterns.articles) or not kit.words.everyday.isdisjoint(one.ends)
    is_noun = kit.table.capitals_are_nouns and one.begins_with(kit.patterns.some)
    return _fits_home(one) and not is_noun and (one.is_capital or not is_common)


def _fits_employer(one: _Object) -> bool:
    kit, (first, last) = one.kit, one.ends
    if one.is_town:
        return False
    if len(one.words) > 1 and one.begins_with(kit.patterns.articles):  # "a small hotel"
        return first not in kit.roles and last not in kit.words.never_name and not first.isdecimal()
    return _fits_place(one) and kit.patterns.number.match(one.thing.line.folded) is None


def _fits_staff(one: _Object) -> bool:
    """Return whether an employer is a name and no school: somebody who is at a school may study there."""
    return one.is_capital and one.kit.words.schools.isdisjoint(one.words) and _fits_employer(one)


def _fits_town(one: _Object) -> bool:
    kit, (first, last) = one.kit, one.ends
    is_lasting = (
        last not in kit.words.everyday
        and last not in kit.words.passing
        and first not in kit.words.is_never
        and not (one.thing.line.written[0].islower() and one.is_verbal(last))
    )
    if one.begins_with(kit.patterns.indefinite) and not kit.patterns.naming.search(one.phrase.folded):
        return False
    return is_lasting and len(one.words) <= 2 and first.isalpha() and _fits_place(one)


def _fits_abode(one: _Object) -> bool:
    """Whether somebody may live there: a known town or a name, but no everyday place or abbreviation ("A&E")."""
    words = one.thing.line.written.split()
    return one.is_town or (
        words[0][0].isupper()
        and all(_OF_A_NAME.fullmatch(word) and (len(word) == 1 or not word.isupper()) for word in words)
        and (one.kit.words.everyday | one.kit.words.passing).isdisjoint(one.ends)
        and _fits_place(one)
    )


def _fits_origin(one: _Object) -> bool:
    """Return whether somebody can come from there: a named place, or a short one without a common noun."""
    kit, words = one.kit, one.words
    common = kit.words.passing | kit.words.everyday | kit.words.nowhere | kit.roles.keys() | kit.words.kin
    if one.is_town:
        return True
    if len(words) > 1 and words[1] in kit.words.articles:
        return False  # "[elle vient d'] acheter une Vespa"
    if not words[0][0].isalpha() or not common.isdisjoint(one.ends):
        return False
    if any(word[0].isupper() for word in one.thing.line.written.split()):
        return _fits_place(one)
    has_article = one.begins_with(kit.patterns.articles) or one.begins_with(kit.patterns.possessives)
    return not has_article and _fits_town(one)


def _fits_job(one: _Object) -> bool:
    return one.words[0] not in one.kit.words.is_never and len(one.words) <= 3


def _fits_occupation(one: _Object) -> bool:
    known = one.kit.words.occupations
    is_known = one.words[0] in known or " ".join(one.words[:2]) in known
    return len(one.words) <= 5 and (is_known or one.kit.patterns.calling.match(one.thing.line.folded) is not None)


def is_what(kit: LanguageKit, line: Line, phrase: Line) -> bool:  # noqa: PLR0911 (the ways to be no role, in order)
    """Whether somebody is this permanently: a profession, a nationality or a trait, but no state of the moment."""
    words = line.folded.split()
    if kit.patterns.possessives.match(phrase.folded) or any(word in kit.words.is_never for word in words):
        return False
    if (kit.value(line) or 0) > 1:
        return False
    if words[0] in kit.words.first_names and words[0] not in kit.words.is_always | kit.words.occupations:
        return False
    if kit.table.capitals_are_names and line.written[0].isupper():
        return False
    if kit.table.capitals_are_nouns and _is_noun_alone(kit, line, phrase):
        return True
    if words[-1].isdecimal() and not kit.words.closed_prepositions.isdisjoint(words):
        return False  # "el dentista a las 5"
    if words[0] in kit.words.is_always or words[-1] in kit.words.is_always or kit.patterns.calling.match(line.folded):
        return True
    if any(word.isdecimal() for word in words):
        return False
    if _fits_occupation(_Object(kit, Thing(line), phrase)):
        return True
    if kit.patterns.indefinite.match(trim(kit, phrase).folded):
        return len(words) <= 5
    return len(words) <= 4 and any(
        word.endswith(kit.endings.is_endings) for word in (words[0], words[-1]) if kit.endings.is_endings
    )


def _is_noun_alone(kit: LanguageKit, line: Line, phrase: Line) -> bool:
    """Return whether it is a noun without an article, maybe with an adjective: "gelernter Koch"."""
    *adjectives, noun = line.written.split()
    are_adjectives = len(adjectives) < 2 and all(
        word.islower() and word.endswith(("e", "er", "es")) and word not in kit.words.verbs for word in adjectives
    )
    return line.written.startswith(phrase.written.split()[0]) and noun[0].isupper() and are_adjectives


def _role(  # noqa: PLR0911 (the ways to be no role, in order)
    kit: LanguageKit, found: Found, mentions: Mentions
) -> ClauseStatement | None:
    """Return who has a role: "my sister is Ana", "his wife is called Ruth"; None if the object is not a name."""
    noun, phrase = found["role"], found["object"]
    if noun is None or phrase is None:
        return None
    key = noun.folded.strip()
    opening = found.clause.folded[: found.match.start("role")]
    if not relation_kind(kit.roles[key]).is_for_life and not _past(kit).isdisjoint(opening.split()):
        return None  # "had a dog called Rex"
    # "Tom 's sister is Ana" names no sister of the speaker.
    before = opening.rpartition(" 's ")
    if before[1] and found["owner"] is None and not kit.patterns.possessives.match(before[2]):
        return None
    shape = found.frame.rule.shape
    if shape == "several" and (value := _counted_role(kit, found, key, phrase)):
        return value
    if shape == "copula" and _is_lower(found, phrase):
        return None
    # "My dog is Captain" tells its name: pets have no profession.
    is_pet_name = relation_kind(kit.roles[key]).role == "pet" and phrase.folded.strip() in kit.words.professions
    several = shape == "several" or key in kit.words.several
    names = names_in(kit, phrase, several=several, shape="said" if is_pet_name else shape)
    if not names or (shape == "several" and len(names) < 2):
        return None
    if other := found["owner"]:
        owners = [_owner(kit, found, each, phrase, mentions) for each in split(other, kit.patterns.joins)]
    elif whose := possessor(kit, found.clause.part(0, found.match.start("role"))):
        owners = [mentions.meant(whose, kit.others.get(whose, SOMEBODY))]
    elif whose := _genitive_before(kit, found):
        owners = [Referent(whose, SOMEBODY) if whose in kit.words.first_names or whose in kit.roles else None]
    else:
        owners = []
    if owners:
        known = [owner for owner in owners if owner is not None]
        facts = chain.from_iterable(role_facts(kit.roles[key], name, each.text) for name in names for each in known)
        last = replace(mention_of(kit, key, names[-1]), role="")
        return ClauseStatement([*facts], last=last, guess=True) if len(known) == len(owners) else None
    if len(names) == 1:
        mentions.name(kit.roles[key], key, names[0])
    facts = [fact for text in names for fact in role_facts(_role_by_gender(kit, key, text, mentions), text)]
    return ClauseStatement(facts, last=mention_of(kit, key, names[-1]))


def _past(kit: LanguageKit) -> frozenset[str]:
    """Return the folded words that tell of the past: "had", "formerly"."""
    return frozenset(map(fold, language(kit.code).bullets.asking.past))


def _owner(kit: LanguageKit, found: Found, other: Line, phrase: Line, mentions: Mentions) -> Referent | None:
    """Return whose relative a phrase names: Ben for "der Hund von Ben heißt Spot"; None if it names nobody."""
    # "Heißt" gives a name, "ist" may say what somebody is.
    if kit.table.copula in found.match[0].split() and is_what(kit, things_first(kit, phrase), phrase):
        return None
    if not kit.roles.keys().isdisjoint(phrase.folded.split()):
        return None  # "Mi tío Blas es amigo de Eva": he is named by his own role
    owner = owner_of(kit, bare(kit, other), mentions)
    # "Necessity is the mother of invention" names nobody.
    is_thing = found.frame.rule.shape == "capital" and owner and not owner.role and _is_lower(found, other)
    return None if is_thing else owner


def _genitive_before(kit: LanguageKit, found: Found) -> str:
    """Return whose role a German clause names: "eva" for "Evas Mann heißt Tom"; empty for no such."""
    before = found.clause.part(0, found.match.start("role")).written.replace("'", " ").split()
    return genitive(kit, before[-1]) if before else ""


def names_in(kit: LanguageKit, phrase: Line, *, several: bool, shape: str) -> list[str]:
    """Return [the name] if a phrase is a name, or several names if `several` is set. Empty if a part is no name."""
    if shape == "capital" and not (phrase.written[0].isupper() or phrase.folded.split()[0] in kit.words.first_names):
        return []
    if (named := kit.patterns.naming.search(phrase.folded)) and not kit.words.finite.isdisjoint(
        phrase.folded[: named.start()].split()
    ):
        return []  # "my sister 's [cat is called Mog]"
    parts = split(phrase, kit.patterns.joins) if several else [things_first(kit, phrase)]
    names = [trim(kit, bare(kit, trim(kit, part))) for part in parts]
    if shape == "said" and all(_is_said(kit, name) for name in names):
        return [plain(name) for name in names]
    if not all(is_name(kit, name) and not _is_common(kit, name, phrase, shape) for name in names):
        return []
    return [plain(name) for name in names]


def _is_said(kit: LanguageKit, name: Line) -> bool:
    """Return whether one word can be a name where the sentence says that it is one."""
    words = name.folded.split()
    never = (
        kit.words.never_name,
        kit.words.finite,
        kit.roles,
        kit.words.kin,
        kit.words.occupations,
        kit.words.is_always,
    )
    return len(words) == 1 and words[0].isalpha() and not any(words[0] in group for group in never)


def _counted_role(kit: LanguageKit, found: Found, noun: str, phrase: Line) -> ClauseStatement | None:
    """ "I have two sons, Ken and Bob": who they are, and how many."""
    names = [thing.line for thing in things(kit, phrase, "")]
    if "number" not in found.frame.rule.also or not names or not all(is_name(kit, name) for name in names):
        return None
    made = ClauseStatement([fact for name in names for fact in role_facts(kit.roles[noun], plain(name))])
    if value := _number(kit, found):
        made.triples += [Triple(SPEAKER, "has", noun), Triple(noun, "quantity", value)]
    elif "number" in found.frame.rule.also:
        made.triples.append(Triple(SPEAKER, "has", noun))
    return made


def _is_lower(found: Found, name: Line) -> bool:
    """Return whether what could be a name is not written as one by somebody who writes capitals."""
    return found.clause.written[0].isupper() and not name.written.split()[-1][0].isupper()


def _is_common(  # noqa: PLR0911 (the signs of a name or of a common word, in order)
    kit: LanguageKit, name: Line, phrase: Line, shape: str
) -> bool:
    """Return whether what follows "is" says what somebody is rather than the name."""
    words = name.folded.split()
    if shape not in ("copula", "capital") or (len(words) == 1 and words[0] in kit.words.first_names):
        return False
    is_named = words[0] in kit.roles or words[0].endswith(".")  # "aunt Smith", "J. Smith"
    if len(words) > 1 and is_named and name.written.split()[-1][0].isupper():
        return False
    if kit.patterns.indefinite.match(phrase.folded):
        return True
    if kit.table.capitals_are_names and name.written != name.written.lower():
        return False
    if kit.table.capitals_are_nouns and len(words) == 1 and words[0].endswith(kit.endings.noun_endings):
        return words[0] not in kit.words.names_anywhere
    first = words[0] if words[0] not in kit.roles and not name.written.split()[-1][0].isupper() else words[-1]
    if {first, words[-1]} & (kit.words.is_always | kit.words.occupations) or (
        len(words) > 1 and words[0] in kit.words.occupations
    ):
        return True
    if not name.written.split()[-1][0].isupper() and kit.patterns.calling.match(name.folded):
        return True
    return words[-1].endswith(tuple(ending for ending in kit.endings.is_endings if len(ending) > 2))


def things_first(kit: LanguageKit, phrase: Line) -> Line:
    """Return the phrase up to its first comma or conjunction."""
    return next((thing.line for thing in things(kit, phrase, "name")), phrase)


def _favorite(kit: LanguageKit, found: Found, who: list[Subject]) -> ClauseStatement | None:
    """Return a favourite, whose relation is made of its topic: (you, favorite_color, blue)."""
    topic, phrase = found["topic"] or found["new_topic"], found["object"]
    if topic is None or phrase is None:
        return None
    noun = topic.folded.strip()
    known = kit.favorites.get(noun) or kit.favorites.get(noun.split()[-1])
    if known is None and any(word in kit.words.never_name | kit.words.finite for word in noun.split()):
        return None
    relation = f"favorite_{known or noun.replace(' ', '_')}"
    objects = _objects(kit, phrase, relation, "")
    made = _opening(who)
    made.triples = [Triple(subject.mention.text, relation, thing.text) for subject in who for thing in objects[:1]]
    return made if objects else None


def _of_each_other(kit: LanguageKit, found: Found, who: list[Subject], mentions: Mentions) -> ClauseStatement | None:
    """Return what two subjects are to each other: (ana, friend_of, you), where the speaker comes last.

    Siblings are a brother and a sister by their names.
    """
    if len(who) != 2:
        return None
    first, second = sorted((subject.mention.text for subject in who), key=lambda text: text == SPEAKER)
    line = found["role"]
    noun = line.folded.strip() if line else ""
    roles = [_role_by_gender(kit, noun, name, mentions) if noun else FRIEND for name in (first, second)]
    if OTHER in roles or (second == SPEAKER and roles[0] != FRIEND):
        return None
    made = _opening(who)
    if relation_kind(roles[0]).mutual:
        made.triples.append(Triple(first, roles[0], second))
    elif noun in kit.role_groups and relation_kind(roles[0]).peers:
        made.triples += [Triple(second, roles[0], first), Triple(first, roles[1], second)]
    return made if made.triples else None


def _role_by_gender(kit: LanguageKit, noun: str, name: str, mentions: Mentions) -> str:
    """Return the role of somebody whom a noun for one role or several means: a parent Ana is a mother.

    A name does not make a dog of a pet. OTHER if the name does not tell.
    """
    role, roles = kit.roles[noun], kit.role_groups.get(noun)
    if not roles or relation_kind(role).mutual or relation_kind(role).role == "pet":
        return role
    kind = mentions.kind_of(fold(name).split()[0])
    return next((each for each in roles if kit.role_genders.get(each) == kind), OTHER)


def _called(  # noqa: PLR0911 (whose name it may be, in order)
    kit: LanguageKit, found: Found, who: list[Subject], mentions: Mentions
) -> ClauseStatement | None:
    """Return the name of the speaker, a relative or a thing: "my sister is called Ana"; None if it is not a name."""
    phrase = found["object"]
    if phrase is None or len(who) != 1:
        return None
    mention = who[0].mention
    names = names_in(kit, phrase, several=mention.text in kit.words.several, shape=found.frame.rule.shape)
    if not names:
        return None
    text = names[0]
    if mention.text in (SPEAKER, NOTED):
        return ClauseStatement([Triple(SPEAKER, "name", text)], last=YOU)
    if mention.role and found["subject"] is None and fold(mention.text) not in kit.roles:
        # "My sister Inés has a boyfriend, [he] is called Raúl": Inés has a name already.
        unnamed = next((each.kind for each in mentions.stack[-1:] if not each.text), SOMEBODY)
        mentions.nameless.pop(mentions.sentence, None)
        return ClauseStatement(last=Referent(text, unnamed))
    if mention.role:
        noun = fold(mention.text)
        if len(names) == 1 and noun in kit.roles and noun not in kit.words.several:
            mentions.name(mention.role, noun, text)
        return ClauseStatement(
            [fact for name in names for fact in role_facts(mention.role, name)],
            last=Referent(text, mention.kind, mention.role),
        )
    if who[0].owner:  # "his wife is called Rosa"
        facts = role_facts(who[0].role, text, who[0].owner)
        return ClauseStatement(facts, last=Referent(text, mention.kind), guess=True)
    if mention.text in kit.words.kin:
        mentions.named[fold(mention.text)] = text
        mentions.add(Referent(text, SOMEBODY))
    if mention.kind != THING or len(split(phrase, kit.patterns.joins)) > 1:
        return None
    is_person = fold(mention.text) in kit.words.occupations or fold(text).split()[0] in kit.words.first_names
    return ClauseStatement(
        [Triple(mention.text, "name", text)], last=Referent(text, SOMEBODY if is_person else THING)
    )


def _named_alone(kit: LanguageKit, found: Found) -> ClauseStatement | None:
    """Return a statement without facts for "he is called Tom", if "he" is unknown: later clauses may be about Tom."""
    who, phrase = found["subject"], found["object"]
    if who is None or phrase is None or kit.others.get(who.folded.strip()) not in (MAN, WOMAN):
        return None
    names = names_in(kit, phrase, several=False, shape=found.frame.rule.shape)
    return ClauseStatement(last=Referent(names[0], kit.others[who.folded.strip()])) if names else None


def _fits_visited(one: _Object) -> bool:
    kit, first = one.kit, one.words[0]
    is_deed = one.thing.line.written[0].islower() and (one.is_verbal(first) or first in kit.words.own_verbs)
    is_common = first in kit.roles or not kit.words.everyday.isdisjoint(one.ends)
    return not (is_deed or is_common or one.text.isdecimal())


_SHAPES: dict[str, Callable[[_Object], bool]] = {
    "job": _fits_job,
    "occupation": _fits_occupation,
    "organisation": lambda one: not one.kit.words.organisations.isdisjoint(one.words),
    "birth_year": lambda one: _YEAR.fullmatch(one.text) is not None,
    "adult": lambda one: _is_age(one, ADULT),
    "listed": lambda one: not one.kit.words.is_always.isdisjoint(one.ends),
    "org": _fits_organisation,
    "staff": _fits_staff,
    "taste": lambda one: not one.kit.words.never_name.issuperset(one.words),
    "suffix": _fits_event,
    "event": lambda one: one.kit.patterns.event.search(one.thing.line.folded) is not None,
    "possession": _fits_possession,
    "determined": _fits_determined,
    # The template itself lists what the object may be.
    "given": lambda one: True,
    "street": lambda one: one.is_street,
    # "I work in IT", but not "in it".
    "sector": lambda one: one.is_capital or one.text not in one.kit.words.object_pronouns,
    "age": _is_age,
    # A smaller number alone ("I'm 7") may count something.
    "grown": lambda one: _is_age(one, _GROWN),
    # People and animals, counted and nothing else: "three kids".
    "kin": lambda one: one.text in one.kit.roles,
    "one": lambda one: (
        one.text not in one.kit.words.is_always | one.kit.words.occupations
        and (len(one.words) == 1 or one.is_capital)
    ),
    "name": lambda one: is_name(one.kit, one.thing.line),
    # Where all nouns have a capital, "a friend of jazz" names nobody.
    "person": lambda one: (
        is_name(one.kit, one.thing.line)
        and one.words[0] in one.kit.words.names_anywhere | one.kit.words.title | one.kit.roles.keys()
    ),
    "school": lambda one: any(word.endswith(one.kit.endings.schools) for word in one.words),
    "man": lambda one: is_name(one.kit, one.thing.line) and one.words[0] in one.kit.words.men,
    "woman": lambda one: is_name(one.kit, one.thing.line) and one.words[0] in one.kit.words.women,
    "origin": _fits_origin,
    "driven": lambda one: one.kit.words.for_hire.isdisjoint(one.ends) and _fits_possession(one),
    "abode": _fits_abode,
    "town": lambda one: one.is_town or _fits_town(one),
    "proper": lambda one: one.is_capital or one.is_town,
    "known_town": lambda one: one.is_town,
    "year": lambda one: one.text.isdecimal() and len(one.text) == 4,
    "time": lambda one: one.kit.patterns.clock.fullmatch(one.thing.line.folded) is not None,
    "duration": lambda one: one.kit.patterns.span.fullmatch(one.thing.line.folded) is not None,
    "what": lambda one: is_what(one.kit, one.thing.line, one.phrase),
    "visited": _fits_visited,
    "home": _fits_home,
    "destination": _fits_destination,
    "birthplace": _fits_place,
    "employer": _fits_employer,
}
"""{shape of a rule, or else of its relation: the test that an object must pass}."""


def fits_relation(kit: LanguageKit, line: Line, relation: str) -> bool:
    """Return whether a phrase can be the object of a relation."""
    return _SHAPES.get(relation_kind(relation).shape, _fits_any)(_Object(kit, Thing(line), line))
