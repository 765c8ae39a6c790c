"""English sentences of answers that depend on number or on the form of a verb. The others stand in answers.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from amr_neo4j.domain.event import Action, Event
from amr_neo4j.domain.timestamps import lasting
from amr_neo4j.domain.video import Video
from amr_neo4j.language.en.content import words_of
from amr_neo4j.language.en.identities import object_key, person_key
from amr_neo4j.language.en.sentences import ago_in_words, number_words, past_participle
from amr_neo4j.language.grammar import MOST_FILMS, AnswerTable, Grammar
from amr_neo4j.language.values import StatedValue
from amr_neo4j.tables import load

_ARTICLES = ("a ", "an ", "the ")
_DETERMINERS = ("his", "her", "the", "their")
_NO_PLURAL = ("ss", "us", "is")


class EnglishGrammar(Grammar):
    """Writes answers in English, and says more than the tables of other languages. Docstrings: see `Grammar`."""

    def __init__(self) -> None:
        super().__init__(load("amr_neo4j.language.en", "answers.yaml", AnswerTable))

    def in_doubt(self, missing_words: Sequence[str] = (), attribute: str = "") -> str:
        if attribute and not missing_words:
            return self._say("in_doubt_attribute", attribute=attribute)
        return super().in_doubt(missing_words)

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        return self._say("not_stated_attribute", attribute=attribute) if attribute else super().not_stated(words)

    def stated_moment(self, time: StatedValue, event: Event) -> str:
        said = "" if time.words == time.value else f" (“{time.words}”)"
        return f"{time.value}{said}: {self.event_at(event)}"

    def ago(self, event: Event, asked_at: datetime) -> str:
        return ago_in_words((asked_at - event.at).total_seconds()) if event.at else ""

    def person_name(self, name: str) -> str:
        return name if person_key(name).is_name or name.casefold().startswith(_ARTICLES) else f"the {name}"

    def not_in_company(self, names: Sequence[str], event: Event) -> str:
        if len(names) == 1:
            return self._say("not_in_company_alone", names=names[0], at=self.event_at(event))
        return super().not_in_company(names, event)

    def change_at(self, action: Action, lemma: str, actor: str, event: Event, *, last: bool = False) -> str:
        """Return text such as "the keys were last put down on the hook, by Anna, at 00:12:31 of kitchen_morning"."""
        done = past_participle(lemma)
        # The verb "put in" and the place "into the case" give "put into the case".
        if action.spatial_relation.startswith(f"{done.rpartition(' ')[2]}to "):
            done = done.rpartition(" ")[0]
        verb = " ".join(filter(None, ["last" if last else "", done, action.spatial_relation]))
        by = f", by {actor}" if actor else ""
        then = event if action.time is None else replace(event, time_start=action.time)
        return f"{_with_the(action.object)} {_was(action.object)} {verb}{by}, {self.when(then)}"

    def described_at(self, thing: str, where: str, event: Event) -> str:
        return f"{_with_the(thing)} {_was(thing)} {where.rstrip('. ')}, {self.when(event)}"

    def with_place_unknown(self, clause: str, thing: str) -> str:
        pronoun = "they were" if _is_plural(thing) else "it was"
        return f"{clause}. Nothing later says where {pronoun} put"

    def counted_in_view(self, at_once: int, by_looks: int, in_all: int, clause: str) -> str:
        if in_all <= at_once:
            return f"at least {number_words(at_once)} at once: {clause}"
        guess = f"by their looks perhaps {number_words(by_looks)}, " if at_once < by_looks < in_all else ""
        most = (
            f"{guess}at most {number_words(in_all)} of those recognised (who are never in view together may be one)"
        )
        return f"at least {number_words(at_once)} at once, {most}: {clause}"

    def counted_visits(self, at_once: int, different: int, visits: int, clause: str) -> str:
        least = f"at least {number_words(max(at_once, different))}"
        how = " at once" if visits > 1 else ""
        if different > at_once:
            how = " different"
        if visits <= max(at_once, different):
            return f"{least}{how}: {clause}"
        return f"{least}{how}, in {number_words(visits)} visits, which may be of the same: {clause}"

    def counted_by_name(self, persons: int, visits: int, clause: str) -> str:
        often = f", in {number_words(visits)} visits" if visits > persons else ""
        return f"{number_words(persons)} by name{often}: {clause}"

    def counted_by_looks(self, count: int, persons: int, clause: str) -> str:
        return f"perhaps {number_words(persons)} by their looks, {self._times(count)} in all: {clause}"

    def intervals(self, lengths: Sequence[float], clause: str, unknown: int = 0) -> str:
        each = ""
        if lengths[1:]:
            each = f", {self._times(len(lengths))} from {lasting(min(lengths))} to {lasting(max(lengths))}"
        more = f", and {self._times(unknown)} more for an unknown time" if unknown else ""
        return f"{lasting(sum(lengths))}{' in all' if each else ''}{each}{more}; first and last {clause}"

    def films(self, videos: Sequence[Video], *, of: str) -> str:
        said = [self._film(video, of=of) for video in videos[:MOST_FILMS]]
        more = f" and {len(videos) - MOST_FILMS} more" if len(videos) > MOST_FILMS else ""
        if of != "span" and len(videos) == 1:
            return f"{'One video: ' if of == 'number' else ''}{said[0]}."
        seconds = [video.duration_s for video in videos if video.duration_s is not None]
        in_all = f", {lasting(sum(seconds))} in all" if len(seconds) == len(videos) else ""
        count = "" if of == "span" else f"{len(videos)} videos{in_all}: "
        return f"{count}{'; '.join(said)}{more}."

    def _film(self, video: Video, *, of: str) -> str:
        begun, length = video.recorded_at, video.duration_s
        if of != "span" or begun is None:
            return super()._film(video, of=of)
        until = f" to {begun + timedelta(seconds=length):%H:%M:%S}" if length is not None else ""
        return f"{video.video_id}: {begun:%A} {begun.day} {begun:%B %Y} from {begun:%H:%M:%S}{until} {begun:%Z}"


class EnglishOfForeignWords(EnglishGrammar):
    """Writes answers in English about footage whose verbs, things and places are words of another language."""

    change_at = Grammar.change_at
    described_at = Grammar.described_at


def _with_the(thing: str) -> str:
    return thing if next(iter(words_of(thing)), "") in _DETERMINERS else f"the {thing}"


def _was(thing: str) -> str:
    return "were" if _is_plural(thing) else "was"


def _is_plural(thing: str) -> bool:
    """Return whether the head of a thing's name is a plural: it has another singular, or ends in s ("scissors")."""
    word = words_of(thing.split(" of ", maxsplit=1)[0])[-1]  # a "basket of lemons" is one thing
    return object_key(word) != word or (word.endswith("s") and not word.endswith(_NO_PLURAL))
