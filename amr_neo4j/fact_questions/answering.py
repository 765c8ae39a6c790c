"""Which believed facts answer a question, by its words alone: every word of it must be the fact's or ask for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.bullets import Bullets
from amr_neo4j.language.fact_tables import FactTable
from amr_neo4j.language.question_words import QuestionWords, Words
from amr_neo4j.language.stems import forms, stems, words_in

# Asked for by its object, or in the set words of a profession: "What am I?" names none.
_BY_OBJECT = "is"
_LONGEST_SUBJECT = 3
# What is known of somebody beside who they are.
_MOST_OF_SOMEBODY = 3


@dataclass(frozen=True)
class FactQuestion:
    """A question to the facts of a user.

    user: the user's name, which in a question stands for the speaker. rules: how the language states facts.
    then: it asks for another time than now, of which only relations with one object at a time say what held.
    relatives: name -> the role that it has for the speaker ("fiona": "sister"), of those whom it calls by a role or
    by name. nouns: the words for those of them who are alone in their role -> the name ("sister": "fiona").
    """

    text: str
    user: str
    language: str
    bullets: Bullets
    words: QuestionWords
    rules: FactTable
    then: bool = False
    relatives: Mapping[str, str] = field(default_factory=dict[str, str])
    nouns: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(
        cls, text: str, user: str, language: str, bullets: Bullets, rules: FactTable, *, then: bool = False
    ) -> FactQuestion:
        """A question in the language with this code, whose sentences are `bullets`."""
        return cls(text, user, language, bullets, QuestionWords.of(bullets, language), rules, then)

    @property
    def subjects(self) -> list[str]:
        """Whose facts may answer it: the speaker's, those of each run of its words, and those of relatives.

        None of conditions and wishes.
        """
        words = words_in(self.text)
        runs = [
            " ".join(words[start : start + length])
            for length in range(1, _LONGEST_SUBJECT + 1)
            for start in range(len(words) - length + 1)
        ]
        whose = dict.fromkeys([SPEAKER, *runs, *self.relatives, *self.nouns])
        return list(whose) if self._has_none_of(self.bullets.asking.refuse) else []

    @property
    def relations(self) -> list[str]:
        """The relations that its words ask for; any where it asks who somebody is."""
        known = dict.fromkeys([*self.words.cues, *(f"favorite_{topic}" for topic in self.rules.favorites)])
        asked = {each: self._asked(each) for each in known}
        return [each for each, by in asked.items() if self.asks_who or (by and self._asks_for(by, named=True))]

    @cached_property
    def asks_who(self) -> bool:
        """Whether it asks who somebody is, and calls them by name: "Who is Max?"."""
        who = not self._has_none_of(self.bullets.asking.who)
        return who and self._has_none_of(self.bullets.asking.speaker) and bool(self._content)

    @property
    def roles(self) -> list[str]:
        """The roles by which it calls somebody of the speaker's: "sister" in "Where does my sister live?"."""
        if self._has_none_of(self.bullets.asking.speaker):
            return []
        return [role for role in self.rules.roles if not self._role_words(role).isdisjoint(self._all)]

    @property
    def roles_to_know(self) -> list[str]:
        """The roles of which it matters who has them: those that it names, or all where it may name a relative.

        Who somebody is, is read with what else is known of them.
        """
        about_speaker = self._names_user or not self._has_none_of(self.bullets.asking.speaker)
        return self.roles or ([] if about_speaker or self.asks_who else list(self.rules.roles))

    @property
    def names_of_others(self) -> list[str]:
        """The relations that state the name of somebody else ("sister"), where it asks for a name and for no role."""
        roles = [each for each in self.words.cues if relation_kind(each).is_role]
        return roles if "name" in self.relations and not self.roles else []

    def knowing(self, named: Iterable[Triple]) -> FactQuestion:
        """The question with what it means by a role or a name. named: who has the roles of `roles_to_know`."""
        having: dict[str, set[str]] = {}
        for triple in named:
            having.setdefault(triple.relation, set()).add(triple.object)
        called = frozenset[str]().union(*self._all.values())
        relatives = {
            name: role
            for role, names in having.items()
            for name in names
            if role in self.roles or stems(name, self.language) <= called
        }
        alone = {name: role for name, role in relatives.items() if len(having[role]) == 1}
        nouns = {noun: name for name, role in alone.items() for noun in self._role_words(role)}
        return replace(self, relatives=relatives, nouns=nouns)

    def answered_by(self, facts: Iterable[Recalled]) -> list[Recalled]:
        """Those of the facts that answer it, in their order; of relations with one object at a time the first.

        Who somebody is comes before what else is known of them, of which only the first few answer.
        """
        found: list[Recalled] = []
        taken: set[tuple[str, str]] = set()
        for fact in facts:
            triple = fact.triple
            if triple is None or not self._fits(triple):
                continue
            slot = (self.nouns.get(triple.subject, triple.subject), triple.relation)
            if slot in taken and relation_kind(triple.relation).single:
                continue
            taken.add(slot)
            found.append(fact)
        if not self.asks_who:
            return found
        who = [fact for fact in found if fact.triple and self._says_who(fact.triple)]
        return [*who, *[fact for fact in found if fact not in who][:_MOST_OF_SOMEBODY]]

    @cached_property
    def _all(self) -> dict[str, frozenset[str]]:
        return forms(self.text, self.language)

    @cached_property
    def _content(self) -> Words:
        """The words that say what it is about: none of those that make it a question."""
        words = self.words.of_turn(self.text, ())
        return {word: each for word, each in words.items() if word not in self._asking_words}

    @cached_property
    def _phrased(self) -> frozenset[str]:
        """The relations that it asks for in set words, of which a full stop stands for the end."""
        text = f" {' '.join(words_in(self.text))} . "
        phrases = self.bullets.asking.phrases
        return frozenset(each for phrase, relations in phrases.items() if f" {phrase} " in text for each in relations)

    def _fits(self, triple: Triple) -> bool:
        if not self._is_about(triple) or not self._has_its_tense(triple.relation):
            return False
        objects, whose = stems(triple.object, self.language), self._subject_words(triple.subject)
        if self.asks_who and (triple.subject != SPEAKER or self._says_who(triple)):
            named_by = whose | objects if self._says_who(triple) else whose
            if self._has_only(named_by):
                return True
        named = any(not each.isdisjoint(objects) for each in self._content.values())
        asked = self._asked(triple.relation)
        if not asked or not self._asks_for(asked, named=named) or not (named or self._may_be_unnamed(triple)):
            return False
        own = whose.union(objects, *map(self._words_for, _meant(asked, named=named)))
        return bool(self._content or self._phrased) and self._has_only(own)

    def _has_only(self, allowed: frozenset[str]) -> bool:
        return all(not each.isdisjoint(allowed) for each in self._content.values())

    def _asked(self, relation: str) -> str:
        """The relation that a question which this one answers asks for: where it denies, the opposite, or nothing."""
        denies = not self._has_none_of(self.bullets.asking.denying)
        return relation_kind(relation).opposite if denies else relation

    def _is_about(self, triple: Triple) -> bool:
        if triple.subject in self.relatives or triple.subject in self.nouns:
            return True
        if triple.subject != SPEAKER:
            return self._subject_words(triple.subject) <= frozenset().union(*self._all.values())
        speaks = not self._has_none_of(self.bullets.asking.speaker) or self._names_user
        return speaks or (self.asks_who and self._says_who(triple))

    def _asks_for(self, relation: str, *, named: bool) -> bool:
        """Whether one of its words asks for the relation, and none for others alone. named: it names the object."""
        if relation in self._phrased:
            return True
        if self._phrased or (relation == _BY_OBJECT and not named) or not self._is_allowed(relation):
            return False
        cues = frozenset[str]().union(*map(self._own_words, _meant(relation, named=named)))
        return any(not each.isdisjoint(cues) for each in self._all.values())

    def _is_allowed(self, relation: str) -> bool:
        """Whether none of its words asks for other relations alone; a role is asked for by a name."""
        only = [set(relations) for word, relations in self.bullets.asking.only.items() if word in self._all]
        kind = self.bullets.kind(relation)
        if kind == "role" and not self._own_words("name").isdisjoint(self._all):
            kind = "name"
        return all(not relations.isdisjoint((relation, kind)) for relations in only)

    def _may_be_unnamed(self, triple: Triple) -> bool:
        """Whether a fact may answer a question that does not name its object: set words ask for professions."""
        professions = self.bullets.asking.professions
        return triple.relation != _BY_OBJECT or any(word.endswith(professions) for word in words_in(triple.object))

    def _says_who(self, triple: Triple) -> bool:
        """Whether a fact says who somebody is to the speaker."""
        return relation_kind(triple.relation).is_role or triple[1:] == ("friend_of", SPEAKER)

    def _has_its_tense(self, relation: str) -> bool:
        if self.then:
            return relation_kind(relation).single
        return relation_kind(relation).happened or self._has_none_of(self.bullets.asking.past)

    def _has_none_of(self, words: Collection[str]) -> bool:
        return all(word not in words for word in self._all)

    def _subject_words(self, subject: str) -> frozenset[str]:
        if subject == SPEAKER:
            return stems(self.user, self.language) if self._names_user else frozenset()
        subject = self.nouns.get(subject, subject)
        role = self.relatives.get(subject)
        words = frozenset(subject.casefold().split())
        return words | self._role_words(role) if role else words

    def _role_words(self, role: str) -> frozenset[str]:
        """The words for somebody in this role, of one word each."""
        return frozenset(word for word in self.rules.roles.get(role, ()) if " " not in word)

    def _own_words(self, relation: str) -> frozenset[str]:
        """The forms of the words that alone ask for a relation."""
        own = stems(" ".join(self.bullets.own_cues(relation)), self.language)
        match self.bullets.kind(relation):
            case "role":  # the sentences say "your" with it
                return own.union(stems(" ".join(self._role_words(relation)), self.language)) - self.words.stop
            case "favorite":
                return own | self._favorite_words(relation)
            case _:
                return own

    def _favorite_words(self, relation: str) -> frozenset[str]:
        """The forms of the nouns for a topic, which say "favourite" themselves or beside another word that does."""
        nouns = [noun for noun in self.rules.favorites.get(relation.removeprefix("favorite_"), ()) if " " not in noun]
        says = any("favorite" in asked for word, asked in self.bullets.asking.only.items() if word in self._all)
        return stems(" ".join(nouns), self.language) if says or self.bullets.joins_favorites else frozenset()

    def _words_for(self, relation: str) -> frozenset[str]:
        """The forms of all words that a question for a relation may have; one for a number says who has so many."""
        others = ("has", "owns") if relation == "quantity" else ()
        return self._own_words(relation).union(*map(self.words.asks_for, (relation, *others)))

    @cached_property
    def _names_user(self) -> bool:
        named = forms(self.user, self.language)
        return bool(named) and named.keys() <= self._all.keys()

    @cached_property
    def _asking_words(self) -> frozenset[str]:
        """The words that make it a question: of set phrases that it has, of who, when, how many and not."""
        asking = self.bullets.asking
        phrases = [phrase for phrase, asked in asking.phrases.items() if self._phrased.intersection(asked)]
        return frozenset(words_in(" ".join([*phrases, *asking.only, *asking.who, *asking.denying])))


def _meant(relation: str, *, named: bool) -> list[str]:
    """The relations that the words for one ask for; with a named object the opposite as well ("Do I like tea?")."""
    opposite = relation_kind(relation).opposite if named else ""
    return [relation, opposite] if opposite else [relation]


def favorite_asked(question: str, language: str, bullets: Bullets, rules: FactTable) -> Words:
    """What a turn must have that answers a question for a favourite, each in one of its forms: the kind of thing, by
    any word for it, and that it is liked. Empty for other questions, and where one word says both.
    """
    says = {word for word, asked in bullets.asking.only.items() if "favorite" in asked}
    saying = says.intersection(words_in(question))
    if not saying:
        return {}
    content = QuestionWords.of(bullets, language).of_turn(question, ())
    asking = {*bullets.function_words, *bullets.asking.only}
    kinds = {word: each for word, each in content.items() if word not in asking}
    for nouns in map(frozenset, rules.favorites.values()):
        named = [word for word in kinds if word in nouns]
        kinds |= {word: kinds[word] | stems(" ".join(nouns), language) for word in named}
    return {next(iter(saying)): stems(" ".join([*says, *bullets.cues("likes")]), language), **kinds} if kinds else {}


def language_of(question: str, tables: Mapping[str, Bullets]) -> str:
    """The code of the language that has most of the question's words among its function words; of equals the one that
    has most among its cues, then the first.

    tables: by code, at least one. The detector of turns reads the far larger tables of fact rules for this.
    """
    words = set(forms(question, ""))
    return max(tables, key=lambda code: _known(words, tables[code]))


def _known(words: set[str], bullets: Bullets) -> tuple[int, int]:
    return len(words & bullets.function_words), len(words & bullets.cue_words)
