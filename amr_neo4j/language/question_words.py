"""Finds which words of a turn ask for which relation, in one language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from amr_neo4j.domain.fact import SPEAKER
from amr_neo4j.domain.relations import KIN, people_of, relation_kind, relation_names
from amr_neo4j.language.fact_tables import FactTable
from amr_neo4j.language.languages import Language, language
from amr_neo4j.language.relation_words import RelationWords
from amr_neo4j.language.stems import folded, forms, stems

Words = Mapping[str, frozenset[str]]
"""{word: its forms}, such as {"cities": {"cities", "citi"}}."""


@dataclass(frozen=True)
class QuestionWords:
    """The words of one language that ask for relations.

    stop: words that ask for nothing.
    cues: {relation: forms of the words that ask for it}.
    own: {relation: forms of those of its cues that ask for it by themselves}.
    weights: {form of a cue: 1 / the number of relations that it may ask for}.
    nouns: {role: its nouns, each as the forms of its words}, such as {"mother": (({"mum"},), ...)}.
    genders: {role of kin: "m" or "f"}, of those that are always the same.
    roles: {noun, without accents: its roles}.
    pronouns: {pronoun of the third person: "m" or "f"; empty if it may be of either}.
    """

    language: str
    stop: frozenset[str]
    cues: Mapping[str, frozenset[str]]
    own: Mapping[str, frozenset[str]]
    weights: Mapping[str, float]
    nouns: Mapping[str, Sequence[Sequence[frozenset[str]]]]
    genders: Mapping[str, str]
    roles: Mapping[str, Sequence[str]]
    pronouns: Mapping[str, str]

    @classmethod
    def of(cls, own: Language) -> QuestionWords:
        """Build the words from the tables of a language."""
        bullets, language = own.bullets, own.code
        stop = bullets.stop_words | {SPEAKER}
        cues = {each: _forms(" ".join(bullets.cues(each)), language, stop) for each in bullets.relations}
        by_itself = {each: stems(" ".join(bullets.own_cues(each)), language) for each in cues}
        counts = Counter(form for found in cues.values() for form in found)
        weights = {form: 1 / count for form, count in counts.items()}
        nouns = _nouns(own.relation_words)
        spelt = {role: [tuple(forms(noun, language).values()) for noun in said] for role, said in nouns.items()}
        roles: dict[str, list[str]] = {}
        for role, said in nouns.items():
            for noun in said:
                roles.setdefault(folded(noun), []).append(role)
        kin = {role: words for role, words in own.relation_words.roles.items() if role in people_of(KIN)}
        genders = {role: "m" if words.m else "f" for role, words in kin.items() if bool(words.m) != bool(words.f)}
        return cls(language, stop, cues, by_itself, weights, spelt, genders, roles, _pronouns(own.fact_table))

    def of_turn(self, text: str, entities: Collection[str]) -> Words:
        """Return the words of a turn and of the entities it names, without words that ask for nothing."""
        own = forms(f"{text} {' '.join(entities)}", self.language)
        return {word: each for word, each in own.items() if len(word) > 1 and word not in self.stop}

    def asks_for(self, relation: str) -> frozenset[str]:
        """Return the forms of the words that ask for a relation.

        A relation without cues in the table is asked for by the words of its own name.
        """
        return self.cues.get(relation) or _forms(relation.replace("_", " "), self.language, self.stop)

    def relations_asked(self, named: frozenset[str]) -> list[str]:
        """Return the relations that any of these forms asks for."""
        return [relation for relation, cues in self.cues.items() if not named.isdisjoint(cues)]

    def names_role(self, role: str, named: frozenset[str]) -> bool:
        """Return whether these forms are of a noun for a role ("mum"), or of another word that asks for it."""
        return self.says_role(role, named) or not named.isdisjoint(self.cues.get(role, ()))

    def says_role(self, role: str, named: frozenset[str]) -> bool:
        """Return whether these forms are of a noun for a role, or of a word for several such as "family".

        Words that ask for anybody's name, such as "called", are of no role.
        """
        is_said = any(all(not word.isdisjoint(named) for word in noun) for noun in self.nouns.get(role, ()))
        return is_said or not (named - self._of_any_role).isdisjoint(self.cues.get(role, ()))

    @cached_property
    def _of_any_role(self) -> frozenset[str]:
        """The words that ask for whoever has a role: "called", "name", "who"."""
        roles = [name for name in relation_names() if relation_kind(name).role in ("person", "pet")]
        first, *others = [self.cues[name] for name in roles if name in self.cues] or [frozenset[str]()]
        return first.intersection(*others)

    def roles_of(self, noun: str) -> Collection[str]:
        """Return the roles that a noun is for: ["mother"] for "mum", ["son", "daughter"] for "kids"."""
        return self.roles.get(folded(noun), ())

    def weight(self, word: frozenset[str]) -> float:
        """Return the weight of a word, given by its forms: the more relations it may ask for, the lower.

        A word that asks for no relation weighs 1.
        """
        return min((self.weights[form] for form in word if form in self.weights), default=1.0)


@cache
def question_words(code: str) -> QuestionWords:
    """Return the words of a language, read once."""
    return QuestionWords.of(language(code))


def all_forms(words: Words) -> frozenset[str]:
    """Return the forms of all words."""
    return frozenset[str]().union(*words.values())


def _forms(text: str, language: str, stop: frozenset[str]) -> frozenset[str]:
    return all_forms({word: each for word, each in forms(text, language).items() if word not in stop})


def _nouns(words: RelationWords) -> dict[str, list[str]]:
    """Return {role: its nouns}, those for several roles ("kids") among them."""
    found = {role: [*nouns] for role, nouns in words.nouns.items()}
    for group, roles in words.groups.items():
        for role in roles:
            found[role].append(group)
    return found


def _pronouns(rules: FactTable) -> dict[str, str]:
    """Return {pronoun: gender}. Articles are left out, which German uses as pronouns, too."""
    found = dict.fromkeys(rules.other_possessives, "")
    for gender, words in rules.others.items():
        if gender != "n":
            found |= dict.fromkeys(words, gender if gender in ("m", "f") else "")
    return {word: gender for word, gender in found.items() if " " not in word and word not in rules.articles}
