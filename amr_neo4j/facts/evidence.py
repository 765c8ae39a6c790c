"""Tells by words whether a text supports a fact (specification 002 3, 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language
from amr_neo4j.language.question_words import Words, question_words
from amr_neo4j.language.role_phrases import role_spans
from amr_neo4j.language.stems import forms, stems, words_in


def agrees(triple: Triple, text: str, code: str) -> bool:
    """Return whether a text denies what a fact denies, and has no word that excludes its object.

    code: the language of the fact.
    """
    table = language(code).opposites
    # A dislike is a denial, but a dislike of "no tea" is not.
    is_denied = (triple.relation == "dislikes") != table.denies(triple.object)
    return table.denies(text) == is_denied and not table.exclude(table.words(triple.object), table.words(text))


def supporting(triple: Triple, texts: Sequence[str], codes: Sequence[str]) -> list[int]:
    """Return the places of the texts that support a fact; none if they do not state it between them.

    Each of these texts has a word of the object, and denies it if the fact does. Together they have all words of
    the object, and of the subject unless that is the user. A relation with one value at a time needs more, because
    its fact replaces what is believed: one text must have the whole object and a word for the relation, such as
    "home" for lives_in.
    codes: the language of each text.
    """
    subject = "" if triple.subject == SPEAKER else triple.subject
    found: list[int] = []
    missing: frozenset[str] | None = None
    is_stated = subject != "" or not relation_kind(triple.relation).single
    for place, (text, code) in enumerate(zip(texts, codes, strict=True)):
        said = stems(text, code)
        objects = _words(triple.object, code)
        absent = frozenset(word for word, each in objects.items() if each.isdisjoint(said))
        if len(absent) == len(objects) or not agrees(triple, text, code):
            continue
        found.append(place)
        absent |= {word for word, each in _words(subject, code).items() if each.isdisjoint(said)}
        missing = absent if missing is None else missing & absent
        is_stated |= not absent and not said.isdisjoint(question_words(code).asks_for(triple.relation))
    return [] if missing or not is_stated else found


def _words(text: str, code: str) -> Words:
    """Return {word: its forms} of a text, without words that add no meaning; of all its words if it has no others."""
    own = forms(" ".join(language(code).opposites.in_order(text)), code)
    return {word: each for word, each in own.items() if len(word) > 1} or forms(text, code)


def said_again(triples: Sequence[Triple], codes: Sequence[str], turns: Sequence[str]) -> set[tuple[int, int]]:
    """Return (place of a fact, place of a turn) of the user's turns that say a fact again in other words.

    Such a turn is about the subject of the fact and supports it by its words, as strictly for others as for the user:
    Ben's home is not where his train goes. Of the user this finds 45 of 77 turns that say a fact again, and none of
    39 that only name the same thing. A cosine over 0.75 would find 6 of the 77.
    codes: the language of each fact, in which the turns are read too.
    """
    by_form: dict[tuple[str, str], set[int]] = {}
    for place, (triple, code) in enumerate(zip(triples, codes, strict=True)):
        for each in _words(triple.object, code).values():
            for form in each:
                by_form.setdefault((code, form), set()).add(place)
    people, found = _People.of(triples), set[tuple[int, int]]()
    for column, text in enumerate(turns):
        for code in dict.fromkeys(codes):
            said = stems(text, code)
            told = people.told_of(text, said, code)
            near = (
                set[int]().union(*(by_form.get((code, form), ()) for form in said))
                if told.subjects or told.is_possessive
                else set[int]()
            )
            for place in near:
                triple = triples[place]
                of_user = triple._replace(subject=SPEAKER)
                if told.may_say(triple) and supporting(of_user, [text], [code]):
                    found.add((place, column))
    return found


@dataclass(frozen=True)
class _Told:
    """Whom a turn is about. is_possessive: it has words such as "my" for the user, and none such as "I"."""

    subjects: frozenset[str]
    is_possessive: bool

    def may_say(self, triple: Triple) -> bool:
        """Return whether a fact may be said again. "My dog Rex" is about Rex, and says whose dog he is."""
        is_role = triple.subject == SPEAKER and bool(relation_kind(triple.relation).role)
        return triple.subject in self.subjects or (is_role and self.is_possessive)


@dataclass(frozen=True)
class _People:
    """The subjects of facts.

    by_word: {first word of a name: the subjects that begin with it}.
    holders: {role: who alone has it for the user}.
    """

    by_word: Mapping[str, Sequence[str]]
    holders: Mapping[str, str]

    @classmethod
    def of(cls, triples: Iterable[Triple]) -> _People:
        by_word, holding = dict[str, list[str]](), dict[str, set[str]]()
        for triple in triples:
            if triple.subject == SPEAKER and relation_kind(triple.relation).is_role:
                holding.setdefault(triple.relation, set()).add(triple.object)
        named = {triple.subject for triple in triples} | set[str]().union(*holding.values())
        for name in sorted(named - {SPEAKER}):
            if words := words_in(name):
                by_word.setdefault(words[0], []).append(name)
        return cls(by_word, {role: next(iter(names)) for role, names in holding.items() if len(names) == 1})

    def told_of(self, text: str, said: frozenset[str], code: str) -> _Told:
        """Return whom a text is about: others if it names them and has only possessives of the user ("my brother").

        said: the forms of its words.
        """
        words, possessives = words_in(text), frozenset(language(code).fact_table.possessives)
        speaker = language(code).bullets.asking.speaker.intersection(words)
        forms = said.union(words)
        # "My [younger] brother"; but Spanish "pequeño" is a son only there.
        roles = set[str]()
        for start, _, named in role_spans(words, code):
            if not possessives.isdisjoint(words[max(0, start - 2) : start]):
                roles.update(named)
        called = (name for word in forms for name in self.by_word.get(word, ()))
        others = {name for name in called if forms.issuperset(words_in(name))}
        others |= {self.holders[role] for role in roles if role in self.holders}
        is_possessive = bool(speaker) and speaker <= possessives
        of_user = bool(speaker) and not (is_possessive and (others or roles))
        return _Told(frozenset([SPEAKER] if of_user else others), is_possessive)
