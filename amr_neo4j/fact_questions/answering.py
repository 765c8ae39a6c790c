"""Decides which believed facts answer a question, by the words of the question alone (decision 0100).

Each content word of the question must be a word of the fact or ask for its relation. "Where does my sister live?" is
answered by (fiona, lives_in, bath) if Fiona is the only sister.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from itertools import chain, combinations, pairwise

from amr_neo4j.domain.fact import SPEAKER, KnownFact, Triple
from amr_neo4j.domain.ports import Shared
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.domain.relations import KIN, lasting_relation, relation_kind
from amr_neo4j.fact_questions.same_person import (
    PersonQuestion,
    names_in,
    names_somebody,
    own_verbs_in,
    pronouns_of_others,
    without_persons,
)
from amr_neo4j.language.bullets import Bullets
from amr_neo4j.language.compounds import with_compounds
from amr_neo4j.language.fact_tables import FactTable
from amr_neo4j.language.languages import language
from amr_neo4j.language.plans import PlanQuestion
from amr_neo4j.language.question_words import QuestionWords, Words, all_forms, question_words
from amr_neo4j.language.relation_words import RelationWords
from amr_neo4j.language.role_phrases import role_phrases, role_spans, roles_in
from amr_neo4j.language.stems import forms, stems, words_in
from amr_neo4j.language.topics import asking_for, consists_of_others, is_about, topics_asked

# This relation is asked for by naming its object ("Am I vegetarian?") or by a set phrase that asks for a profession.
# "What am I?" does neither.
_BY_OBJECT = "is"
# A subject has at most this many words.
_LONGEST_SUBJECT = 4
_NAME = re.compile(r"[^\W_]+(?:['’‐-][^\W_]+)*")
# A capitalised word within a sentence.
_INNER_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-Ý][^\W\d_]+")
# Words in quotation marks are no words of the user: they name a song or a film.
_QUOTATION = re.compile(r"[\"“„«][^\"“”„«»]*[\"”“»]")
_CLAUSES = re.compile(r"[,;:.!?]")
# The genitive of English, as a word of its own: "Zoe's boyfriend" is "zoe", "s", "boyfriend".
_GENITIVE = "s"
# The types of objects that are numbers.
_COUNTED = frozenset({"NUMBER", "TIME"})
# "Who is Max?" is answered by at most this many facts besides those that say who he is.
_MOST_OF_SOMEBODY = 3


@dataclass(frozen=True)
class FactQuestion:
    """A question that the facts of a user may answer.

    user: the user's name. In a question it stands for the speaker.
    language: its code.
    then: it asks about another time than now. Only single-valued relations tell what was so then.
    relatives: {name: role for the speaker} of the relatives whom the question mentions, e.g. {"fiona": "sister"}.
    nouns: {word for a role: name} of those who are the only one in their role, e.g. {"sister": "fiona"}.
    owners: {name: the words that say whose relative they are} of relatives of somebody else whom it mentions:
        {"berta": {"lorena"}} for "Lorena's sister".
    full_names: longer names that the question may mean by their first or last word: "sean o'brien" for "Sean".
    is_meant: returns whether a turn states something. "If I had a boat" only supposes it.
    """

    text: str
    user: str
    language: str
    then: bool = False
    relatives: Mapping[str, str] = field(default_factory=dict[str, str])
    nouns: Mapping[str, str] = field(default_factory=dict[str, str])
    owners: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    full_names: frozenset[str] = frozenset()
    is_meant: Callable[[str], bool] = lambda turn: True

    @classmethod
    def of(cls, text: str, user: str, language: str, *, then: bool = False) -> FactQuestion:
        """Make a question of a text, without the phrases in it that ask for nothing."""
        return cls(_without_asides(text, language), user, language, then)

    @cached_property
    def bullets(self) -> Bullets:
        """How the language asks for facts."""
        return language(self.language).bullets

    @cached_property
    def rules(self) -> FactTable:
        """How the language states facts."""
        return language(self.language).fact_table

    @cached_property
    def relation_words(self) -> RelationWords:
        """The words of the language for relations and roles."""
        return language(self.language).relation_words

    @cached_property
    def words(self) -> QuestionWords:
        """The words of the language that ask for relations."""
        return question_words(self.language)

    @property
    def subjects(self) -> list[str]:
        """The subjects whose facts may answer it: the speaker, relatives, and every run of up to four of its words.

        Empty if the question is of a kind that no fact answers, such as a wish.
        """
        # A name of several words, such as "anna maria", is one subject.
        runs: list[str] = []
        for words in (words_in(self.text), *_as_names(self.text)):
            for length in range(1, _LONGEST_SUBJECT + 1):
                runs += [" ".join(words[start : start + length]) for start in range(len(words) - length + 1)]
        runs += self._names.values()
        whose = dict.fromkeys([SPEAKER, *runs, *self.relatives, *self.nouns, *sorted(self.full_names)])
        return [] if self._is_refused else list(whose)

    @cached_property
    def others(self) -> frozenset[str]:
        """The other people than its speaker whom alone it asks about: their names, and the words for their roles.

        Empty if it may ask about the speaker ("Where did I meet Ben?"), about somebody's relative or thing whose name
        the facts must tell first ("Ben's sister", "my brother's dog"), or about anybody ("Who lives in Bath?").
        """
        if self.owners:
            return frozenset(self.owners)
        words = words_in(self.text)
        # "My friend Ben" and "Frau Lang" are named, and no role of theirs need be known.
        spans = [
            start
            for start, end, roles in role_spans(words, self.language)
            if not (self._names.keys() & {*words[end : end + 1]})
            or (roles and self._is_possessive(words[max(0, start - 1)]))
        ]
        names_user = self._names_user and not self.roles
        if (
            len(spans) > 1
            or bool(spans) != bool(self.roles)
            or names_user
            or self.asks_who_has
            or self._tells_of_own
            or self._asks_for_group
        ):
            return frozenset()
        return frozenset(
            (*self.relatives, *self.nouns, *self.nouns.values(), *self._names.values(), *self.full_names)
        )

    @cached_property
    def _asks_for_group(self) -> bool:
        """Whether it asks for the family or the pets: "the user's family" is about the user."""
        return any(map(consists_of_others, topics_asked(self.text, self.language)))

    def _is_possessive(self, word: str) -> bool:
        return word in self.rules.possessives or word in self.rules.other_possessives

    @cached_property
    def _tells_of_own(self) -> bool:
        """Whether it has "I" or "me", or a verb of the speaker that is no noun: "el trabajo de Ben" is Ben's work."""
        words = [*words_in(self.text), ""]
        nouns = {word for word, after in pairwise(words) if after in self.bullets.asking.of}
        return bool(self._person_by_meaning.own - nouns)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """{word: first name} of those whom it names; in German, the word may be a genitive ("Svenjas")."""
        return names_in(self.text, self.language)

    @cached_property
    def _is_refused(self) -> bool:
        """Whether it is a condition or a wish, or has a pronoun for somebody whom it does not name itself."""
        refused = self.bullets.asking.refuse.intersection(self._all)
        if refused and names_somebody(self.text, self.language):
            refused -= pronouns_of_others(self.language)  # "What does Wendy have in her garden?"
        return bool(refused)

    @property
    def name_parts(self) -> list[str]:
        """The words that may be the first or the last of a longer name: "sean" in "Where does Sean live?".

        Empty if no relation of people is asked for.
        """
        relations = [each for each in self.relations if relation_kind(each).subject == "PERSON"]
        if self._is_refused or not relations:
            return []
        asking = frozenset[str]().union(*map(self._words_for, relations))
        parts = {word for word, each in self._content.items() if asking.isdisjoint(each)}
        names = chain.from_iterable(_as_names(self.text))
        return sorted(parts.union(name for name in names if not parts.isdisjoint(words_in(name))))

    @property
    def relations(self) -> list[str]:
        """The relations that its words ask for. If it asks who somebody is, these are all relations."""
        return self._relations

    @cached_property
    def _relations(self) -> list[str]:
        known = dict.fromkeys([*self.words.cues, *(f"favorite_{topic}" for topic in self.rules.favorites)])
        if self._topics:
            return [each for each in known if relation_kind(each).category in self._topics]
        if self._of_somebody:
            return list(known)
        asked = {each: self._asked(each) for each in known}
        by_kind = {_BY_OBJECT} if self._kinds else set[str]()
        return [each for each, by in asked.items() if by and (each in by_kind or self._asks_for(by, named=True))]

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The topics whose kind of thing somebody may be: "which illness" asks for what makes somebody a coeliac.

        Not taste, if it asks what somebody likes: "You are a vegetarian" does not answer "What do I like?".
        """
        if self._denies or (self._phrased and _BY_OBJECT not in self._phrased):
            return frozenset()
        liking = (each for each in self.words.cues if relation_kind(each).opposite)
        asked = (each for each in liking if self._asks_for(each, named=False))
        return topics_asked(self.text, self.language).difference(relation_kind(each).category for each in asked)

    def _is_of_kind(self, triple: Triple, whose: frozenset[str]) -> bool:
        """Return whether a fact says what somebody is, in the sense that the question asks for.

        A gymnast does a sport, but a nurse has no illness by the profession.
        """
        kinds = [each for each in self._kinds if is_about([each], triple.object, self.language)]
        if _names_profession(triple.object, self.language):
            kinds = [each for each in kinds if each != "health"]
        asking = (asking_for(each, self.language) for each in kinds)
        return triple.relation == _BY_OBJECT and bool(kinds) and self._has_only(whose.union(*asking))

    @cached_property
    def _topics(self) -> frozenset[str]:
        """The topics of the speaker that it asks for, if it has no other words: "My work?", "the user's work"."""
        if not self._is_of_speaker and not self._names_user:
            return frozenset()
        topics = topics_asked(self.text, self.language)
        asking = frozenset[str]().union(*(asking_for(topic, self.language) for topic in topics))
        beside = self.bullets.asking.speaker.union(self.rules.articles, words_in(self.user))
        others = (word for word, each in self._all.items() if each.isdisjoint(asking) and len(word) > 1)
        return topics if all(word in beside for word in others) else frozenset()

    @property
    def asks_who(self) -> bool:
        """Whether it asks who somebody is ("Who is Max?", but not "Who is my boss?"), or who has a fact."""
        return self._asks_who

    @cached_property
    def _asks_who(self) -> bool:
        who = not self._has_none_of(self.bullets.asking.who)
        return who and not self._is_of_speaker and bool(self._content)

    @property
    def asks_who_has(self) -> bool:
        """Whether it asks who has a fact: "Who works at BMW?"."""
        asked = self._phrased or self.words.relations_asked(all_forms(self._beside_roles))
        return self.asks_who and any(map(_is_held_by_one_side, asked))

    @property
    def asks_when(self) -> bool:
        """Whether it asks for a time: "When is the exam?", "What day is it on?"."""
        return "time" in self._phrased or any("time" in relations for relations in self._only)

    @property
    def asks_for_other(self) -> bool:
        """Whether it asks who else than its speaker: "Who came home before me?", "Who is my boss?"."""
        asking = self.bullets.asking
        return not (self._has_none_of(asking.speaker) or self._has_none_of(asking.who))

    @property
    def asks_for_figure(self) -> bool:
        """Whether it asks for a number or a time in a set phrase: "How old is Ann?". Not any number is that."""
        return any(relation_kind(each).object in _COUNTED for each in self._phrased)

    @property
    def objects(self) -> list[str]:
        """The objects of facts that may answer it, whoever their subject is: every run of its words.

        A fact of a `two_sided` relation tells of its object; "Who works at BMW?" asks for the subject of any.
        """
        if self.asks_who:
            return [each for each in self.subjects if each != SPEAKER]
        return self.subjects if self.two_sided else []

    @property
    def two_sided(self) -> list[str]:
        """The relations that it asks for whose facts tell of their object as well as of their subject.

        "Marie and Luc are friends" answers "Who are Luc's friends?". Who somebody is, any role tells: "Max?".
        """
        kinds = {each: relation_kind(each) for each in self.relations}
        return [each for each, kind in kinds.items() if kind.mutual or (kind.role and self._of_somebody)]

    @cached_property
    def asks_about(self) -> bool:
        """Whether it names no relation and so asks for all that is known about a person: "And my sister?", "Max?"."""
        # "Marie?" asks for no husband, although "mari" is its stem.
        beside = {word: each for word, each in self._beside_roles.items() if word not in self._names}
        asked = self.words.relations_asked(all_forms(beside))
        return bool(self._content) and not (self.asks_who or self._phrased or asked)

    @property
    def object_words(self) -> Sequence[frozenset[str]]:
        """The forms of each word that the object of a fact about the speaker must have for the fact to answer.

        These are the content words that ask for no relation: "olives" in "And the olives?".
        """
        return self._object_words

    @cached_property
    def _object_words(self) -> Sequence[frozenset[str]]:
        kinds = (asking_for(topic, self.language) for topic in self._kinds)
        others = _relation_words(self.language).union(self.bullets.asking.light, *self._mentioned.values(), *kinds)
        whose = self._subject_words(SPEAKER)
        return [each for each in self._content.values() if each.isdisjoint(others) and each.isdisjoint(whose)]

    @property
    def _kin(self) -> Mapping[str, str]:
        """{name: role} of the relatives whom it mentions, if nobody else has the role."""
        alone = frozenset(self.nouns.values())
        return {name: role for name, role in self.relatives.items() if name in alone and name != role}

    @property
    def kin_words(self) -> list[tuple[str, str]]:
        """(word of the question, another word for the same relative): ("clara", "sister"), ("sister", "clara").

        Only of relatives who are alone in their role, as far as `nouns` knows them.
        """
        pairs: list[tuple[str, str]] = []
        for noun, name in self.nouns.items():
            pairs += [(noun, name)] if noun in self._all else []
            pairs += [(word, noun) for word in self._all if name in (word, self._names.get(word))]
        return [pair for pair in pairs if pair[0] != pair[1]]

    @property
    def _of_somebody(self) -> bool:
        return self.asks_who or self.asks_about

    @cached_property
    def _beside_roles(self) -> Words:
        """The content words that name no role."""
        roles = frozenset[str]().union(*map(self._role_words, self.roles))
        return {word: each for word, each in self._content.items() if each.isdisjoint(roles)}

    @property
    def roles(self) -> list[str]:
        """The roles by which it mentions relatives of the speaker: "sister" in "Where does my sister live?"."""
        of_speaker = self._is_of_speaker or (self._names_user and not self._asks_for_group)
        return list(self._mentioned) if of_speaker else list(self._known_by_article)

    @cached_property
    def _known_by_article(self) -> frozenset[str]:
        """The roles that it mentions with "the" or like a name, and nobody else's name: "the boss", "Grandma"."""
        said, asking = words_in(self.text), self.bullets.asking
        # In a text without capitals, "quanti anni" and "mamie" may look like names.
        is_named = not self._names.keys() <= self._asking_words | asking.address
        if is_named or not pronouns_of_others(self.language).isdisjoint(said):
            return frozenset()
        articles = frozenset(self.rules.articles)
        the = articles.difference(self.rules.macros.get("a", ()))
        others = (articles - the).union(self.rules.other_possessives)
        known: list[str] = []
        for start, end, roles in role_spans(said, self.language):
            before, after = {*said[:start][-1:]}, {*said[end:][:1]}
            is_called = " ".join(said[start:end]) in asking.address and others.isdisjoint(before)
            if (is_called or the & before) and not asking.of & after:
                known += roles
        return frozenset(known)

    @cached_property
    def _mentioned(self) -> Mapping[str, frozenset[str]]:
        """{role: the words by which it is mentioned}."""
        return roles_in(self.text, self.language)

    @property
    def roles_to_know(self) -> list[str]:
        """The roles whose holders must be looked up: those that it mentions, or all if it may mention a relative by
        name.

        Empty if it asks who somebody is, because the roles are then read together with the other facts about them.
        """
        about_speaker = self._names_user or self._is_of_speaker
        return self.roles or ([] if about_speaker or self.asks_who else list(self.relation_words.nouns))

    @property
    def names_of_others(self) -> list[str]:
        """The relations that state somebody else's name, such as sister.

        Empty unless the question asks for a name and mentions no role.
        """
        roles = [each for each in self.words.cues if relation_kind(each).is_role]
        return roles if "name" in self.relations and not self.roles else []

    def knowing(self, named: Iterable[Triple]) -> FactQuestion:
        """Return the question with `relatives` and `nouns` filled in.

        named: triples that say who has the roles of `roles_to_know`, e.g. (you, sister, fiona).
        """
        having: dict[str, set[str]] = {}
        for triple in named:
            having.setdefault(triple.relation, set()).add(triple.object)
        # All forms of all words of the question, to find those who are mentioned by name.
        called = self._all_forms
        relatives: dict[str, str] = {}
        for role, names in having.items():
            by_name = {name for name in names if name in self._names.values() or self._without_title(name) <= called}
            meant = names if role in self.roles else by_name
            relatives.update(dict.fromkeys(meant, role))
        # "My sister" names somebody only if the user has one sister.
        alone = {name: role for name, role in relatives.items() if len(having[role]) == 1}
        # Facts about a relative without a known name are stored under a word for the role: (mum, born_in, ibadan).
        alone |= {role: role for role in self.roles if role not in having}
        others = self._of_other_gender
        nouns: dict[str, str] = {}
        for name, role in alone.items():
            nouns |= dict.fromkeys(self.relation_words.nouns[role], name)
        nouns = {noun: name for noun, name in nouns.items() if noun not in others}
        return replace(self, relatives=relatives | alone, nouns=nouns)

    @property
    def kin_of_others(self) -> list[Triple]:
        """The relatives of somebody else whom it mentions, without their names: (lorena, sister, "").

        Whom a word such as "brother" in "my brother's dog" means is known only after `knowing`.
        """
        return [Triple(self.nouns.get(owner, owner), role, "") for owner, _, roles in self._owned for role in roles]

    def knowing_kin_of_others(self, named: Iterable[Triple]) -> FactQuestion:
        """Return the question with the names of `kin_of_others`. named: e.g. (lorena, sister, berta)."""
        relatives, owners = dict(self.relatives), dict(self.owners)
        owned = [(self.nouns.get(owner, owner), words, roles) for owner, words, roles in self._owned]
        for subject, relation, name in named:
            for owner, words, roles in owned:
                if subject == owner and relation in roles:
                    relatives[name] = relation
                    owners[name] = words
        return replace(self, relatives=relatives, owners=owners)

    @cached_property
    def _owned(self) -> list[tuple[str, frozenset[str], tuple[str, ...]]]:
        """(a word for the owner, all words for the owner, roles) of each relative of somebody else whom it mentions.

        "Zoe's boyfriend", "Janas Mann", "la hermana de Lorena", "le chien de mon frère", "der Hund meines Bruders".
        """
        said = words_in(self.text)
        spans = role_spans(said, self.language)
        starts, ends = {start: end for start, end, _ in spans}, {end: start for start, end, _ in spans}
        possessives = frozenset(self.rules.possessives)
        between = possessives.union(self.rules.articles)
        found: list[tuple[str, frozenset[str], tuple[str, ...]]] = []
        for start, end, roles in spans:
            before, after = said[:start], said[end:]
            begin = 0
            if before[-1:] == [_GENITIVE] and len(before) > 1:
                stop = start - 1
                begin = ends.get(stop, stop - 1)
            elif before and self._names.get(before[-1], before[-1]) != before[-1]:
                begin, stop = start - 1, start
            elif after and (after[0] in self.bullets.asking.of or after[0] in possessives):
                begin = end + next((place for place, word in enumerate(after) if place and word not in between), 0)
                stop = starts.get(begin, begin + 1)
                if begin == end:
                    continue
            else:
                continue
            words = frozenset(said[begin:stop])
            if roles and words.isdisjoint(self.bullets.asking.speaker):
                found.append((self._nominative(" ".join(said[begin:stop])), words, roles))
        return found

    def _nominative(self, word: str) -> str:
        """Return a name, or a word for a role, as it stands without a German genitive: "bruders" is "bruder"."""
        if word in self._names:
            return self._names[word]
        plain = word.removesuffix("s")
        return plain if self.rules.capitals_are_nouns and roles_in(plain, self.language) else word

    def _without_title(self, name: str) -> frozenset[str]:
        """Return the forms of a name, without a title before it: "Herrn Lang" is "herr lang"."""
        titles = frozenset(word.rstrip(".") for word in self.rules.macros.get("title", ()))
        words = words_in(name)
        return stems(" ".join(words[1:] if len(words) > 1 and words[0] in titles else words), self.language)

    @property
    def _of_other_gender(self) -> frozenset[str]:
        """The nouns for relatives of another gender than those whom it mentions: "prima" for "mi primo"."""
        kin = {role: words for role, words in self._mentioned.items() if relation_kind(role).category == KIN}
        said = frozenset[str]().union(*kin.values())
        nouns = frozenset(noun for role in kin for noun in self.relation_words.nouns[role])
        genders = [frozenset(words) for words in self.relation_words.genders.values()]
        own = frozenset[str]().union(*(words for words in genders if not said.isdisjoint(words)))
        return nouns.intersection(frozenset[str]().union(*genders) - own) if own else frozenset()

    def answered_by(self, facts: Iterable[Recalled]) -> list[Recalled]:
        """Return the facts that answer it, in their order. For a single-valued relation, return only the first.

        If it asks who somebody is, the facts that say so come first, and then the first few other facts about them.
        """
        found: list[Recalled] = []
        taken: set[tuple[str, str]] = set()
        for fact in facts:
            triple = fact.triple
            if triple is None or not self.is_answered_by(triple):
                continue
            # "Sister" and "fiona" are one subject if Fiona is the only sister.
            slot = (self.nouns.get(triple.subject, triple.subject), triple.relation)
            if slot in taken and relation_kind(triple.relation).single:
                continue
            taken.add(slot)
            found.append(fact)
        # A fact that holds for a while (a hotel) answers only if no lasting one (a home) does.
        lasting = {fact.triple[:2] for fact in found if fact.triple}
        found = [fact for fact in found if fact.triple and _lasting(fact.triple) not in lasting]
        if not self._of_somebody:
            # "What does my brother have?": first what he has, then what he is called.
            about = {fact.triple.subject for fact in found if fact.triple} - {SPEAKER}
            return sorted(found, key=lambda fact: self._names_one_of(fact.triple, about))
        who = [fact for fact in found if fact.triple and self._tells_who(fact.triple)]
        others = [fact for fact in found if fact not in who][:_MOST_OF_SOMEBODY]
        return [*others, *who] if self._has_none_of(self.bullets.asking.who) else [*who, *others]

    def asks_for_plan(self, plan: KnownFact, now: datetime) -> bool:
        """Return whether it asks for plans ("What do I have to do tomorrow?"), and this is one that it asks for."""
        if self._plans is None:
            return False
        ends = None if plan.ends is None else datetime.fromtimestamp(plan.ends, now.tzinfo)
        is_named = language(self.language).is_plan_asked_for(plan.triple.object, self._plans)
        return is_named and self._plans.is_for(ends, now)

    @cached_property
    def _plans(self) -> PlanQuestion | None:
        return language(self.language).plans.asked(self.text)

    @property
    def turn_words(self) -> Sequence[frozenset[str]]:
        """The forms of each word that an answering turn must have; empty if no turn can answer."""
        if not self.subjects:
            return ()
        roles = frozenset[str]().union(*(_phrase_words(self.language, role) for role in self._mentioned))
        return [each for each, is_name in self._wanted if not is_name] + ([roles] if roles else [])

    @property
    def meaning(self) -> str:
        """Its words without persons, for finding turns of similar meaning. `shared_with` then checks the persons."""
        return without_persons(self.text, self.language)

    def is_answered_in(self, turn: str, subject: str = "") -> bool:
        """Return whether a turn of the user answers it, so that it may be quoted if no fact answers.

        The turn must have each content word of the question, or another word that asks for the same relation ("own"
        and "have"), and further words. If a number or a time is asked for, it must have one. It must be about the
        same person, and about now if the question is.
        subject: the person whom all facts of the turn are about: "wendy" for "she has a kiln in her garden".
        """
        turn = _QUOTATION.sub(" ", turn)
        if not self.turn_words:
            return False
        said = stems(f"{subject} {turn}", self.language)
        wanted = self._wanted_in(said)
        people = [self._person_by_words]
        if wanted != self._wanted:
            people.append(self._person_question([each for each, _ in wanted]))
        return (
            all(not said.isdisjoint(each) or (is_name and self._has_name(turn)) for each, is_name in wanted)
            and self._has_what_is_asked(turn)
            and any(person.is_about_the_same(turn, subject) for person in people)
            and self._tells_more(turn)
        )

    def shared_with(
        self, turn: str, subject: str = "", before: Sequence[str] = (), stated: Collection[Triple] = ()
    ) -> Shared | None:
        """Return what a turn of similar meaning has in common with it; None if the turn is not an answer.

        A turn is no answer if it may be about somebody else, or tells nothing beyond the question.
        subject: as in `is_answered_in`.
        before: what the user said just before the turn, the latest first.
        stated: the facts that were read from the turn. If all are of the person asked about, so is the turn.
        """
        turn = _QUOTATION.sub(" ", turn)
        # What is said of Lorena does not answer what her sister does.
        kin = frozenset[str]().union(*map(self._role_words, chain.from_iterable(roles for *_, roles in self._owned)))
        if kin and stems(turn, self.language).isdisjoint(kin.union(self.owners)):
            return None
        person = self._person_by_meaning
        if not (self._is_about_only(stated) or person.may_be_about_the_same(turn, subject, before)):
            return None
        if not self._tells_more(turn):
            return None
        # The person was compared above, so only the other words count here.
        asked, said = words_in(self.meaning), stems(turn, self.language)
        there = [not said.isdisjoint(each) for each, _ in self._wanted_in(said) if not each.isdisjoint(asked)]
        # A number alone may be of anything: "I pay 650 a month" says nothing of what the bike cost.
        is_of_it = any(there) or not self._relations_meant
        return Shared(sum(there) / len(there) if there else 0.0, is_of_it and self._has_what_is_asked(turn))

    def asks_for_else(self, stated: Iterable[Triple]) -> bool:
        """Return whether it asks for a relation in a set phrase, and a turn that states this tells only of others.

        "Ann likes tea" does not answer "How old is Ann?". Whose kin somebody is counts as no news of them. What
        somebody does for a living may be told by any relation: "Ann runs a bakery".
        """
        told = {triple.relation for triple in stated if not relation_kind(triple.relation).role}
        return bool(self._phrased and told) and self._phrased.isdisjoint({*told, _BY_OBJECT})

    def _wanted_in(self, said: frozenset[str]) -> list[tuple[frozenset[str], bool]]:
        """Return `_wanted` for a text with these forms, which may have the parts of a compound, or a compound."""
        asked = frozenset[str]().union(*(each for each, _ in self._wanted))
        return [(with_compounds(each, asked, said, self.language), is_name) for each, is_name in self._wanted]

    def seems_answered_in(self, turn: str) -> bool:
        """Return whether a turn has words of the question and may be about the same person.

        If it asks who somebody is, or who has a fact, the turn needs all words of the question.
        """
        if self.asks_who:
            said = stems(turn, self.language)
            return all(not said.isdisjoint(each) for each, _ in self._wanted_in(said))
        shared = self.shared_with(turn)
        return bool(shared and shared.words)

    def gives_figure(self, turn: str) -> bool:
        """Return whether a turn has a number and a word for what is asked: "Biscuit is 3 years old"."""
        has_number = any(map(str.isdigit, turn)) or not self.rules.numerals.keys().isdisjoint(words_in(turn))
        said = stems(turn, self.language) - self.words.stop
        return has_number and any(not said.isdisjoint(self._own_words(each)) for each in self._phrased)

    @cached_property
    def _person_by_words(self) -> PersonQuestion:
        return self._person_question(self.turn_words)

    @cached_property
    def _person_by_meaning(self) -> PersonQuestion:
        return self._person_question([each for each, _ in self._wanted])

    def _is_about_only(self, stated: Collection[Triple]) -> bool:
        """Return whether these facts are of the person asked about. If there are several people, any may be meant.

        "My friend Ben" is no fact of the speaker, who has none at all if the question mentions somebody else.
        """
        of_others = bool(self._person_by_meaning.persons or self._person_by_meaning.other_names)

        def is_theirs(triple: Triple) -> bool:
            if SPEAKER not in (triple.subject, triple.object):
                # "Ma grand-mère" is not whom a fact of "mère" is about.
                roles = roles_in(triple.subject, self.language).keys()
                return self._is_about(triple) and (not roles or not roles.isdisjoint(self._mentioned))
            if relation_kind(triple.relation).role:
                return triple.relation in self.roles
            return self._is_about(triple) and not of_others

        told = [triple for triple in stated if not relation_kind(triple.relation).role] or stated
        return bool(told) and all(map(is_theirs, told))

    def _person_question(self, wanted: Sequence[frozenset[str]]) -> PersonQuestion:
        return PersonQuestion(self.text, self.language, self._kin, wanted=wanted, is_own=self._is_of_speaker)

    def _tells_more(self, turn: str) -> bool:
        """Return whether a turn states more than the question does.

        It must be meant, have other words than the question, and be about now if the question is. "I don't know where
        my passport is" only asks the same.
        """
        told, past = self.words.of_turn(turn, ()), self.bullets.asking.past
        asks = self.bullets.asking.within.intersection(self._all)
        wanted = frozenset[str]().union(*(each for each, _ in self._wanted))
        asking = (each for each in _CLAUSES.split(turn) if not asks.isdisjoint(words_in(each)))
        return (
            all(stems(each, self.language).isdisjoint(wanted) for each in asking)
            and (not self._has_none_of(past) or any(map(past.isdisjoint, self._clauses_of_it(turn, wanted))))
            and not all(word in self._all or not each.isdisjoint(self._all_forms) for word, each in told.items())
            and self.is_meant(turn)
        )

    def _clauses_of_it(self, turn: str, wanted: frozenset[str]) -> list[list[str]]:
        """Return the words of each clause of a turn that has a wanted word; if none has one, all words of the turn.

        "He's mad about trains, he used to drive them" tells what he is mad about now.
        """
        clauses = [
            words_in(each) for each in _CLAUSES.split(turn) if not stems(each, self.language).isdisjoint(wanted)
        ]
        return clauses or [list(words_in(turn))]

    @cached_property
    def _wanted(self) -> list[tuple[frozenset[str], bool]]:
        """(forms, whether a name will do instead) for each content word that names no role.

        An answering turn must have one of the forms, or else a name.
        """
        roles = frozenset[str]().union(*self._mentioned.values())
        beside = self.bullets.asking.light | self.bullets.asking.generic | roles
        wanted: list[tuple[frozenset[str], bool]] = []
        for word in (each for name, each in self._content.items() if name not in beside):
            asked = [relation for relation, own in self.words.own.items() if not own.isdisjoint(word)]
            # Within a German sentence, a capital shows no name.
            is_name = "name" in asked and not self.rules.capitals_are_nouns
            cues = frozenset[str]().union(*(self.words.own[relation] for relation in asked if not is_name))
            wanted.append((word | (cues - self.words.stop), is_name))
        return wanted

    @cached_property
    def _relations_meant(self) -> frozenset[str]:
        """The relations that a set phrase asks for, or else a word that permits only some: "how much"."""
        return self._phrased or frozenset[str]().union(*self._only)

    def _has_name(self, turn: str) -> bool:
        """Return whether a turn has a name that the question does not have: "I have a boat, the Kittiwake"."""
        return any(name.casefold() not in self._all for name in _INNER_NAME.findall(turn))

    def _has_what_is_asked(self, turn: str) -> bool:
        """Return whether a turn has a number, a name or a word for the relation, if the question asks for one."""
        asked = self._relations_meant
        words, said = words_in(turn), stems(turn, self.language)
        has_digits = any(map(str.isdigit, turn))
        has_count = not self.rules.numerals.keys().isdisjoint(words)
        return not asked or any(
            (has_digits and relation_kind(each).object in _COUNTED)
            or (each == "name" and not self.rules.capitals_are_nouns and self._has_name(turn))
            or (has_count and each == "quantity")
            or not said.isdisjoint(self._own_words(each) - self.words.stop)
            for each in asked
        )

    @cached_property
    def _is_of_speaker(self) -> bool:
        """Whether it has a word for the speaker, or a verb of theirs in a language that leaves the pronoun out."""
        is_named = not self._has_none_of(self.bullets.asking.speaker)
        return is_named or bool(own_verbs_in(self.text, self.language))

    @cached_property
    def _all(self) -> dict[str, frozenset[str]]:
        return forms(self.text, self.language)

    @cached_property
    def _all_forms(self) -> frozenset[str]:
        return all_forms(self._all)

    @cached_property
    def _content(self) -> Words:
        """The words that say what it is about, without those that make it a question."""
        words = self.words.of_turn(self.text, ())
        return {word: each for word, each in words.items() if word not in self._asking_words}

    @cached_property
    def _phrased(self) -> frozenset[str]:
        """The relations that it asks for in a set phrase. In the table, " ." ends a phrase that must stand last."""
        text = f" {' '.join(words_in(self.text))} . "
        named = (relations for phrase, relations in self.bullets.asking.phrases.items() if f" {phrase} " in text)
        return frozenset(chain.from_iterable(named))

    def _is_of_topic(self, triple: Triple) -> bool:
        return triple.subject == SPEAKER and relation_kind(triple.relation).category in self._topics

    def is_answered_by(self, triple: Triple) -> bool:
        """Return whether a fact answers the question or, if the question asks for a topic, belongs to that topic."""
        return self._is_of_topic(triple) if self._topics else self._fits(triple)

    def _fits(self, triple: Triple) -> bool:
        """Return whether a fact answers the question, which asks for no topic.

        It must be about the right subject, be asked for, and leave no content word of the question over.
        """
        objects, whose = stems(triple.object, self.language), self._subject_words(triple.subject)
        is_now, is_about = self._has_its_tense(triple), self._is_about(triple)
        if is_now and self._of_somebody:
            # Any fact about Max answers "Who is Max?", and so does whose brother he is.
            says_who = self._says_who(triple)
            is_of_them = says_who or (is_about and triple.subject != SPEAKER)
            # "How long have I been married?" asks for no other fact of the wife.
            is_asked = is_of_them and self._is_allowed(triple.relation)
            if is_asked and self._has_only(whose | objects if says_who else whose):
                return True
        if not is_now or not is_about:
            return self._asks_who_has(triple)
        if triple.subject == SPEAKER and any(each.isdisjoint(objects) for each in self._object_words):
            return False
        named = any(not each.isdisjoint(objects) for each in self._content.values())
        # "What is Joel allergic to?" has words of the object of (joel, is, allergic to shellfish), and no others.
        is_all = named and self._has_only(whose | objects) and not self._phrased
        if (is_all and self._is_allowed(triple.relation)) or self._is_of_kind(triple, whose):
            return True
        asked = self._asked(triple.relation)
        if not asked or not self._asks_for(asked, named=named) or not (named or self._may_be_unnamed(triple)):
            return False
        own = whose.union(objects, *map(self._words_for, _meant(asked, named=named)))
        return bool(self._content or self._phrased) and self._has_only(own)

    def _asks_who_has(self, triple: Triple) -> bool:
        """Return whether it asks whose fact this is, by its relation and all words of its object."""
        if not _is_held_by_one_side(triple.relation):
            return False
        objects, asked = stems(triple.object, self.language), self._asked(triple.relation)
        if not (self.asks_who and asked and objects <= self._all_forms and self._has_its_tense(triple)):
            return False
        words = objects.union(*map(self._words_for, _meant(asked, named=True)))
        return self._asks_for(asked, named=True) and self._has_only(words)

    def _has_only(self, allowed: frozenset[str]) -> bool:
        """Return whether each content word of the question has a form among these."""
        light = self.bullets.asking.light
        return all(word in light or not each.isdisjoint(allowed) for word, each in self._content.items())

    def _asked(self, relation: str) -> str:
        """Return the relation that must be asked for, for a fact of this relation to answer.

        That is the relation itself. If the question denies ("What do I not like?"), it is the opposite, or "" if
        there is none.
        """
        return relation_kind(relation).opposite if self._denies else relation

    @cached_property
    def _denies(self) -> bool:
        return not self._has_none_of(self.bullets.asking.denying)

    def _is_about(self, triple: Triple) -> bool:
        """Return whether the question mentions the subject of a fact, or the object of a mutual one: a relative, the
        speaker, or all words of a name.
        """
        is_mutual = relation_kind(triple.relation).mutual
        return self._mentions(triple.subject) or (is_mutual and self._mentions(triple.object))

    def _mentions(self, name: str) -> bool:
        if name in self.relatives or name in self.nouns or name in self.full_names:
            return True
        if name != SPEAKER:
            return name in self._names.values() or self._subject_words(name) <= self._all_forms
        return self._is_of_speaker or self._names_user

    def _asks_for(self, relation: str, *, named: bool) -> bool:
        """Return whether a word of the question asks for `relation`, and none asks only for other relations.

        named: whether the question names the object of the fact.
        """
        if relation in self._phrased:
            return True
        if self._phrased or (relation == _BY_OBJECT and not named) or not self._is_allowed(relation):
            return False
        cues = frozenset[str]().union(*map(self._own_words, _meant(relation, named=named)))
        return not self._all_forms.isdisjoint(cues)

    def _is_allowed(self, relation: str) -> bool:
        """Return whether the words of the question permit the relation. "When" permits only "time".

        If the question asks for a name, a relation that names a role counts as a name.
        """
        kind = self.bullets.kind(relation)
        if kind == "role" and not self._own_words("name").isdisjoint(self._all):
            kind = "name"
        if self.asks_for_other and relation_kind(relation).object == "LOCATION":
            return False  # "Who do I live with in Delft?"
        return all(relation in relations or kind in relations for relations in self._only)

    @cached_property
    def _only(self) -> list[Collection[str]]:
        """The relations that each word of the question permits, for words that permit only some."""
        return [relations for word, relations in self.bullets.asking.only.items() if word in self._all]

    def _may_be_unnamed(self, triple: Triple) -> bool:
        """Return whether a fact may answer a question that does not name its object.

        Facts of the relation `is` may only if they name a profession, because the set phrases ask for one.
        """
        return triple.relation != _BY_OBJECT or _names_profession(triple.object, self.language)

    def _tells_who(self, triple: Triple) -> bool:
        """Return whether a fact that answers says who somebody is, or whose it is."""
        return self._says_who(triple) or not self._is_about(triple)

    def _names_one_of(self, triple: Triple | None, people: Collection[str]) -> bool:
        return triple is not None and self._says_who(triple) and triple.object in people

    def _says_who(self, triple: Triple) -> bool:
        """Return whether a fact states the role of a person or pet, such as "sister"."""
        return bool(relation_kind(triple.relation).role)

    def _has_its_tense(self, triple: Triple) -> bool:
        """Return whether a fact can answer a question in this tense.

        A fact says what is so now. Only relations of things that happened, such as born_in, answer a question in the
        past tense.
        """
        subject, relation, _ = triple
        kind = relation_kind(relation)
        if self.then:
            return kind.single
        # "What was my dog called?" asks for a name that has been said, not for an earlier one, and "What did my dad
        # work as?" for the job that is known of him. "What did he do before?" asks for another.
        stays = kind.happened or kind.is_role or relation == "name"
        is_known = relation == _BY_OBJECT and subject != SPEAKER and self._has_none_of(self.bullets.asking.earlier)
        return stays or is_known or self._has_none_of(self.bullets.asking.past)

    def _has_none_of(self, words: Collection[str]) -> bool:
        return all(word not in words for word in self._all)

    def _subject_words(self, subject: str) -> frozenset[str]:
        """Return the words by which a question may mention a subject: its name, and for a relative also the role."""
        if subject == SPEAKER:
            return stems(self.user, self.language) if self._names_user else frozenset()
        subject = self.nouns.get(subject, subject)
        role = self.relatives.get(subject)
        words = frozenset(words_in(subject)) | {word for word, name in self._names.items() if name == subject}
        words |= self.owners.get(subject, frozenset())
        return words | self._role_words(role) if role else words

    def _role_words(self, role: str) -> frozenset[str]:
        """Return the single words for somebody in this role and for a group of them, and those of the question."""
        return _role_nouns(self.language, role) | self._mentioned.get(role, frozenset())

    def _own_words(self, relation: str) -> frozenset[str]:
        """Return the forms of the words that ask for a relation by themselves."""
        own, nouns = _cues_and_nouns(self.language, relation)
        if self._mentioned and self.bullets.kind(relation) == "role":
            # "My sister" asks for no cousin ("cousin-sister"), and "mi hermana" for no "hermano".
            mentioned = self._mentioned.get(relation, ())
            return (
                own | nouns | (stems(" ".join(mentioned), self.language) - self.words.stop)
                if mentioned
                else frozenset()
            )
        if self.bullets.kind(relation) == "favorite" and not self._says_favorite:
            return own
        return own | nouns

    @cached_property
    def _says_favorite(self) -> bool:
        """Whether the question says "favourite". Some languages say it within the noun ("Lieblingsfarbe")."""
        return self.bullets.joins_favorites or any("favorite" in asked for asked in self._only)

    def _words_for(self, relation: str) -> frozenset[str]:
        """Return the forms of all words that a question for a relation may have.

        A question for a number may also have words for having: "How many cats do I have?".
        """
        others = ("has", "owns") if relation == "quantity" else ()
        return self._own_words(relation).union(*map(self.words.asks_for, (relation, *others)))

    @cached_property
    def _names_user(self) -> bool:
        named = forms(self.user, self.language)
        return bool(named) and named.keys() <= self._all.keys()

    @cached_property
    def _asking_words(self) -> frozenset[str]:
        """The words that make it a question: those of its set phrases, and words such as who, when and not.

        "Mother tongue" has no mother, but "my mother's mother tongue" has.
        """
        asking, text = self.bullets.asking, f" {' '.join(words_in(self.text))} "
        phrases = [phrase for phrase, asked in asking.phrases.items() if self._phrased.intersection(asked)]
        for phrase in phrases:
            text = text.replace(f" {phrase} ", " ")
        rest = text.split()
        kin = chain.from_iterable(rest[start:end] for start, end, _ in role_spans(rest, self.language))
        return frozenset(words_in(" ".join([*phrases, *asking.only, *asking.who, *asking.denying]))).difference(kin)


def _is_held_by_one_side(relation: str) -> bool:
    """Return whether only its subject can be asked for by "who".

    In "Who does Anna like?" and "Who is Anna's boss?" it is the object, which may be a person too.
    """
    kind = relation_kind(relation)
    return kind.object != "PERSON" and not kind.opposite


def _lasting(triple: Triple) -> tuple[str, str] | None:
    """Return the subject and the lasting relation of a fact that holds for a while; None for another fact."""
    relation = lasting_relation(triple.relation)
    return (triple.subject, relation) if relation else None


def _names_profession(phrase: str, code: str) -> bool:
    """Return whether a phrase has a word for a profession: "a nurse", "gelernter Koch", "sales rep"."""
    words, (names, endings) = words_in(phrase), _professions(code)
    if any(word.endswith(endings) for word in words):
        return True
    parts = (" ".join(words[begin:end]) for begin, end in combinations(range(len(words) + 1), 2))
    return not names.isdisjoint(parts)


@cache
def _professions(code: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the names of professions, and those that also count as the end of a word."""
    table = language(code).fact_table
    endings = tuple(name.lstrip("-") for name in table.professions if name.startswith("-"))
    return frozenset(" ".join(words_in(name)) for name in table.profession_names), endings


@cache
def _phrase_words(code: str, role: str) -> frozenset[str]:
    """Return the forms of all words in the phrases for a role."""
    phrases = (words for words, roles in role_phrases(code).items() if role in roles)
    return stems(" ".join(chain.from_iterable(phrases)), code)


@cache
def _role_nouns(code: str, role: str) -> frozenset[str]:
    """Return the single words for somebody in a role, and for a group of them.

    Phrases of several words are left out: "cousin-sister" must not make "my sister" a cousin.
    """
    own = language(code)
    words = (*own.relation_words.nouns.get(role, ()), *own.bullets.group_words(role))
    return frozenset(word for word in words if len(words_in(word)) == 1)


@cache
def _cues_and_nouns(code: str, relation: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the forms of (the words that ask for a relation by themselves, the nouns for a role or a favourite)."""
    bullets, words = language(code).bullets, question_words(code)
    own = words.own.get(relation) or stems(" ".join(bullets.own_cues(relation)), code)
    match bullets.kind(relation):
        case "role":  # the sentences of a role have function words too ("your sister"), which ask for nothing
            return own - words.stop, stems(" ".join(_role_nouns(code, relation)), code) - words.stop
        case "favorite":
            topic = language(code).fact_table.favorites.get(relation.removeprefix("favorite_"), ())
            return own, stems(" ".join(noun for noun in topic if " " not in noun), code)
        case _:
            return own, frozenset()


@cache
def _relation_words(code: str) -> frozenset[str]:
    """Return the forms of all words that ask for some relation."""
    words = question_words(code)
    known = [*words.cues, *(f"favorite_{topic}" for topic in language(code).fact_table.favorites)]
    own = chain.from_iterable(_cues_and_nouns(code, each) for each in known)
    return frozenset[str]().union(*own, *map(words.asks_for, known))


def prepare(code: str) -> None:
    """Read the tables of a language that its first question needs; that takes up to a third of a second."""
    _relation_words(code)
    _asides(code)
    PersonQuestion("my sister Anna", code, is_own=True).may_be_about_the_same("I")


def _as_names(text: str) -> list[list[str]]:
    """Return the words of a text as names are written, with their apostrophes and hyphens: "o'brien", "anne-marie".

    Returns three lists: the words as they stand, without a genitive ("o'brien's"), and without an elision
    ("d'anne-marie").
    """
    words = [word.replace("’", "'").replace("‐", "-") for word in _NAME.findall(text.casefold())]
    return [words, [word.removesuffix("'s") for word in words], [word.partition("'")[2] or word for word in words]]


def _without_asides(text: str, code: str) -> str:
    """Return a question without the phrases that ask for nothing: "can you tell me", "again"."""
    return " ".join(_asides(code).sub(" ", text).split())


@cache
def _asides(code: str) -> re.Pattern[str]:
    # The longest first, since "can you tell me" has "tell me" in it.
    phrases = sorted(language(code).bullets.asking.aside, key=len, reverse=True)
    spelt = "|".join(r"[\W_]+".join(map(re.escape, phrase.split())) for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{spelt})(?!\w)", re.IGNORECASE)


def _meant(relation: str, *, named: bool) -> list[str]:
    """Return the relations that may answer a question for this one: itself, and with a named object its opposite.

    "Do I like tea?" is answered by likes and by dislikes.
    """
    opposite = relation_kind(relation).opposite if named else ""
    return [relation, opposite] if opposite else [relation]


def favorite_asked(question: str, code: str) -> Words:
    """Return {word: its forms} for a question about a favourite. An answering turn contains one form of every word.

    The words are those for the kind of thing and one that says that it is liked. Example, for "What is my favourite
    film?": {"favourite": {"favourite", "like", "love", ...}, "film": {"film", "movie", ...}}. Empty for other
    questions, and where a language says both in one word ("Lieblingsfilm").
    """
    bullets = language(code).bullets
    # German "wie" permits a favourite among other things.
    says = {word for word, asked in bullets.asking.only.items() if set(asked) == {"favorite"}}
    saying = says.intersection(words_in(question))
    if not saying:
        return {}
    content = question_words(code).of_turn(question, ())
    asking = {*bullets.function_words, *bullets.asking.only}
    kinds = {word: each for word, each in content.items() if word not in asking}
    for nouns in map(frozenset, language(code).fact_table.favorites.values()):
        named = [word for word in kinds if word in nouns]
        kinds |= {word: kinds[word] | stems(" ".join(nouns), code) for word in named}
    return {next(iter(saying)): stems(" ".join([*says, *bullets.cues("likes")]), code), **kinds} if kinds else {}


def language_of(question: str, languages: Sequence[str]) -> str:
    """Return the one of these languages that has most of the question's words among its `query_words`.

    Ties go to the language that has most of them among its function words, then to the first. Turns are told apart by
    turn_reader/detect.py instead, which needs the far larger tables of fact rules.
    languages: codes, at least one.
    """
    return languages_likely(question, languages)[0]


def languages_likely(question: str, languages: Sequence[str]) -> Sequence[str]:
    """Return the languages between which `language_of` cannot decide: at least one."""
    # Without a language no stems are made: the words are compared as they are written.
    words = set(forms(question, ""))
    known = {code: _known(words, language(code).bullets) for code in languages}
    return [code for code in languages if known[code] == max(known.values())]


def _known(words: set[str], bullets: Bullets) -> tuple[int, int]:
    return len(words & bullets.query_words), len(words & bullets.function_words)
