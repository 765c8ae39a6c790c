"""Reads what a question asks to see, and weighs how well an event of the local analyser fits it. No model is used."""

from __future__ import annotations

import re
from dataclasses import dataclass

from amr_neo4j.domain.analysis import AnalysedEvent, SpeakerTurn, StatedAction
from amr_neo4j.domain.folding import folded_words
from amr_neo4j.errors import ConfigError
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.tables import Table

# The parts of a fit, which add up to 1. A part that the question does not ask about counts in full.
_DEED, _THING, _PART, _DETAIL = 0.35, 0.25, 0.2, 0.2
# The highest fit of an event that lacks the deed of the question, and of one that has none of its things.
_OTHER_DEED, _OTHER_THING = 0.45, 0.2
# The deed of somebody who speaks, and the highest fit of their words if the question asks for no deed.
_SAY, _SAID = "say", 0.6
# How far a deed such as "appear" counts as done if the thing is merely there: it may have been there before.
_THERE = 0.5
# How well a thing fits the wanted one if it has no name; if it is of another class, since the analyser may be wrong.
_UNNAMED, _MISNAMED = 0.5, 0.25
# How far a wanted colour counts if somebody wears another one beside it: too little for an answer at once.
_WORN_IN_PART = 0.2


class PicturePart(Table):
    """A part of the picture.

    seen: the analyser's words for it.
    asked: a pattern for those of a question.
    """

    version: int = 1
    seen: str
    asked: str


class Looking(Table):
    """looking.yaml of a language, whose head explains its keys."""

    deeds: dict[str, list[str]]
    includes: dict[str, list[str]]
    seen_when_there: frozenset[str]
    parts: dict[str, PicturePart]
    people: frozenset[str]
    garments: frozenset[str]
    worn: tuple[str, ...]
    ignored: frozenset[str]
    unseen: frozenset[str]
    unnamed: str
    counts: str
    colours: dict[str, str]
    sentences: dict[str, str]


@dataclass(frozen=True)
class Wanted:
    """What a question asks to see. "When does a red car leave on the left?" -> deed leave, thing car, detail red.

    deeds: canonical verbs; empty if none is named.
    things, details: the set of its forms for each word.
    parts: the named parts of the picture.
    person: a person is asked for.
    unseen: words for what the analyser cannot see, in their order.
    worn: the named parts of clothes.
    """

    deeds: frozenset[str]
    things: tuple[frozenset[str], ...]
    details: tuple[frozenset[str], ...]
    parts: frozenset[str]
    person: bool
    unseen: tuple[str, ...] = ()
    worn: frozenset[str] = frozenset()


class QuestionReader:
    """Reads questions, and weighs events by them, in one language."""

    def __init__(self, language: Language) -> None:
        """Raises ConfigError: the language has no looking.yaml."""
        self._language = language
        try:
            self.table = language.table("looking.yaml", Looking)
        except FileNotFoundError as error:
            hint = "set a provider, so that a model explores; or ask in English with language: en"
            raise ConfigError(f"the language {language.code} has no looking.yaml", hint=hint) from error
        # The longest first, so that a phrase is found before one that is a part of it.
        self._phrases = sorted(
            ((phrase, deed) for deed, phrases in self.table.deeds.items() for phrase in [deed, *phrases]),
            key=lambda pair: -len(pair[0]),
        )

    def wanted(self, question: str) -> Wanted:
        """Return what a question asks to see."""
        text = folded_words(question)
        parts = {name for name, part in self.table.parts.items() if re.search(part.asked, text)}
        # Taken out first, so that "on the left" is not read as a form of "leave".
        for part in self.table.parts.values():
            text = re.sub(part.asked, " ", text)
        deeds, rest = self._deeds(text)
        left = frozenset(self._language.words_of(rest))
        content = [word for word in self._language.content_words(question) if word.word in left]
        words = [w for w in content if self._describes(w)]
        person = any(not self.table.people.isdisjoint(w.forms) for w in content)
        person = person or not self.table.people.isdisjoint(left)
        colours = {*self.table.colours, *self.table.colours.values()}
        is_thing = [w.names and w.word not in colours for w in words]
        return Wanted(
            deeds=frozenset(deeds),
            things=tuple(w.forms for w, thing in zip(words, is_thing, strict=True) if thing),
            details=tuple(self._alike(w.forms) for w, thing in zip(words, is_thing, strict=True) if not thing),
            parts=frozenset(parts),
            person=person,
            unseen=tuple(
                dict.fromkeys(word for word in self._language.words_of(question) if word in self.table.unseen)
            ),
            worn=frozenset(self.table.worn) & left,
        )

    def counts(self, question: str) -> bool:
        """Return whether a question asks how many or how often."""
        return re.search(self.table.counts, question.casefold()) is not None

    def fit(self, wanted: Wanted, event: AnalysedEvent) -> float:
        """Return how well an event fits, 0 to 1."""
        said = " ".join(
            [self._language.as_read(event.summary), *(each.name for each in event.objects), *event.dialogue]
        )
        forms = self._language.all_forms(said)
        deed = self._deed_fit(wanted, event)
        things = _share(wanted.things, forms)
        if wanted.person and not wanted.things:
            things = float(not self.table.people.isdisjoint(forms))
        total = _DEED * deed + _THING * things + _PART * self._part_fit(wanted, event)
        total += _DETAIL * self._detail_fit(wanted, said, forms)
        if things == 0 and (wanted.things or wanted.person):
            return min(total, _OTHER_THING)
        # Words that fit a question for what is seen are the closest answer at most.
        if not wanted.deeds and [act.verb for act in event.actions] == [_SAY]:
            return min(total, _SAID)
        # Capped, so that an event with all the right details but another deed is no answer.
        return min(total, _OTHER_DEED) if deed == 0 else total

    def spoken(self, turn: SpeakerTurn) -> AnalysedEvent:
        """Return what is said as an event. Whose voice it is cannot be told within a segment."""
        scenes = self._language.codes
        return AnalysedEvent(
            time_start=turn.time_start,
            time_end=turn.time_end,
            summary=scenes.says([scenes.someone], turn.utterance),
            actions=(StatedAction(verb=_SAY),),
        )

    def likeness(self, wanted: Wanted, event: AnalysedEvent) -> float:
        """Return how well an event would fit, 0 to 1, if its things were what is asked for.

        0 if it has no things, or if a thing of another name is merely there.
        """
        names = [each.name for each in event.objects]
        if not names or not (wanted.things or wanted.person):
            return 0.0
        unnamed, deed = any(name.startswith(self.table.unnamed) for name in names), self._deed_fit(wanted, event)
        if not unnamed and deed < 1:
            return 0.0
        said = " ".join([self._language.as_read(event.summary), *names])
        total = _DEED * deed + _THING * (_UNNAMED if unnamed else _MISNAMED) + _PART * self._part_fit(wanted, event)
        return total + _DETAIL * self._detail_fit(wanted, said, self._language.all_forms(said))

    def sentence(self, name: str, **values: object) -> str:
        """Return a sentence of the table, with its placeholders filled."""
        return self.table.sentences[name].format(**values)

    def _deed_fit(self, wanted: Wanted, event: AnalysedEvent) -> float:
        if not wanted.deeds:
            return 1.0
        acted = [each.verb for each in event.actions]
        done = {self._canonical(verb) for verb in acted} or self._deeds(
            self._without_parts(self._language.as_read(event.summary))
        )[0]
        if not done and not wanted.deeds.isdisjoint(self.table.seen_when_there):
            return _THERE
        also = {each for deed in done for each in self.table.includes.get(deed, ())}
        return float(not wanted.deeds.isdisjoint(done | also))

    def _without_parts(self, summary: str) -> str:
        """Return a summary without the parts of the picture: "on the left" does not mean that somebody left."""
        text = summary.casefold()
        for part in self.table.parts.values():
            text = text.replace(part.seen, " ")
        return text

    def _part_fit(self, wanted: Wanted, event: AnalysedEvent) -> float:
        """Return 1 if the thing was in the part of the picture that is asked for, else 0; 0.5 if the event states no
        part.
        """
        if not wanted.parts:
            return 1.0
        where = next((each.spatial_description for each in event.objects if each.spatial_description), event.summary)
        places = {where.find(part.seen): name for name, part in self.table.parts.items() if part.seen in where}
        return (float(places[min(places)] in wanted.parts)) if places else 0.5

    def _detail_fit(self, wanted: Wanted, said: str, forms: frozenset[str]) -> float:
        """Return the share of the details that are there.

        Somebody asked for in one colour should wear no other beside it.
        """
        found = re.findall(rf"(\w+) ({'|'.join(self.table.worn)})\b", said.casefold())
        colours = {colour for colour, part in found if part in wanted.worn or not wanted.worn}
        shares: list[float] = []
        for detail in wanted.details:
            if len(colours) > 1 and not detail.isdisjoint(colours):
                shares.append(_WORN_IN_PART)
            else:
                shares.append(float(not detail.isdisjoint(forms)))
        return sum(shares) / len(shares) if shares else 1.0

    def _deeds(self, text: str) -> tuple[set[str], str]:
        """Return (the canonical deeds that a text names, the text without their words)."""
        found: set[str] = set()
        for phrase, deed in self._phrases:
            pattern = rf"\b{re.escape(phrase)}\b"
            if re.search(pattern, text):
                found.add(deed)
                text = re.sub(pattern, " ", text)
        for word in self._language.content_words(text):
            deed = self._canonical(word.word)
            # "Watch" may be a verb or a thing. Such a word counts as a deed only if the analyser uses the same verb.
            if deed in self.table.deeds and (deed == self._language.lemma(word.word) or not word.names):
                found.add(deed)
                text = re.sub(rf"\b{re.escape(word.word)}\b", " ", text)
        return found, text

    def _canonical(self, verb: str) -> str:
        """Return the analyser's verb for the same deed, else the verb's base form."""
        lemma = self._language.lemma(verb)
        if lemma in self.table.deeds:
            return lemma
        for phrase, deed in self._phrases:
            if lemma == phrase:
                return deed
        effect = self._language.transition(lemma)
        for deed in self.table.deeds:
            own = self._language.transition(deed)
            # Two verbs that move a thing in the same way are one deed, such as "grab" and "pick up".
            if effect and own and own.moves and (effect.to_state, effect.moves) == (own.to_state, own.moves):
                return deed
        return lemma

    def _describes(self, word: ContentWord) -> bool:
        """Return whether a word describes what is wanted. Words for people and garments do not, because both have
        own fields.
        """
        table, forms = self.table, {word.word, *word.forms}
        return len(word.word) > 1 and forms.isdisjoint(table.ignored | table.garments | table.people)

    def _alike(self, forms: frozenset[str]) -> frozenset[str]:
        return forms | {self.table.colours[form] for form in forms if form in self.table.colours}


def _share(wanted: tuple[frozenset[str], ...], forms: frozenset[str]) -> float:
    """Return which share of the wanted words occurs in `forms`; 1.0 if `wanted` is empty."""
    return sum(not each.isdisjoint(forms) for each in wanted) / len(wanted) if wanted else 1.0
