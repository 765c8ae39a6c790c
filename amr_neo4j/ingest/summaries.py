"""Checks whether a summary is acceptable (specification 000 I.3.3), and writes summaries of merged events (I.4.2).

A summary tells in a sentence of its own what the fields of an event say. It does not just join the fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import MergedSummary
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.prompts.library import Plain, prompt

# A longer summary is refused (decision 0001).
_MOST_SENTENCES, _MOST_WORDS = 2, 80
# Fields of fewer words may be repeated. This share of a summary may be copied from several longer fields.
_FIELD_WORDS, _MOST_COPIED = 3, 0.8
_LOCAL_ID = re.compile(r"\b[CSE]\d+\b")
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?…]\s)\W*$")


@dataclass(frozen=True)
class Fields:
    """The fields of an event.

    objects: (name, where).
    actions: (actor, verb, object, where).
    """

    summary: str
    actors: tuple[str, ...] = ()
    objects: tuple[tuple[str, str], ...] = ()
    dialogue: tuple[str, ...] = ()
    actions: tuple[tuple[str, ...], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every field as text."""
        objects = (" ".join(thing) for thing in self.objects)
        actions = (" ".join(action) for action in self.actions)
        return (self.summary, ", ".join(name for name, _ in self.objects), *objects, *self.dialogue, *actions)


def refusal(summary: str, fields: Iterable[str], language: Language, ids: Collection[str] = ()) -> str:
    """Return why a summary of an event with these fields is refused; empty if it is acceptable.

    ids: the local ids of the clip, such as C1 and S1.
    """
    words = language.words_of(summary)
    if not words:
        return "is empty"
    if language.count_sentences(summary) > _MOST_SENTENCES or len(words) > _MOST_WORDS:
        return f"is longer than {_MOST_SENTENCES} sentences or {_MOST_WORDS} words"
    if any(found[0] in ids or _is_reference(found, language) for found in _LOCAL_ID.finditer(summary)):
        return "contains ids that mean nothing outside the clip"
    return "is a concatenation of the fields" if is_concatenation(summary, fields, language) else ""


def _is_reference(found: re.Match[str], language: Language) -> bool:
    """Return whether an id stands for a person, as in "C7 waits" and "to C7", unlike "an S3 phone" and "gate C4"."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    beside = [*language.words_of(before)[-1:], *language.words_of(after)[:1]]
    return bool(_SENTENCE_BEGINS.search(before)) or all(language.has_function_words(word) for word in beside)


def is_concatenation(summary: str, fields: Iterable[str], language: Language) -> bool:
    """Return whether the text is mostly two or more of the fields word for word, ignoring case and punctuation."""
    words = language.words_of(summary)
    rest, copied = f" {' '.join(words)} ", 0
    # The longest first, so that a field within another is not counted before it.
    for field in sorted({" ".join(language.words_of(field)) for field in fields}, key=len, reverse=True):
        if len(field.split()) >= _FIELD_WORDS and f" {field} " in rest:
            rest = rest.replace(f" {field} ", " ", 1)
            copied += 1
    return copied > 1 and len(rest.split()) < (1 - _MOST_COPIED) * len(words)


# A second sentence is worth adding if it has this many new words.
_WORTH_ADDING = 2


@dataclass(frozen=True)
class RuleSummary:
    """Summarises by rules: at most two of the analyser's own sentences, unchanged."""

    language: Language

    def __call__(self, events: Sequence[EventDraft]) -> tuple[str, tuple[str, ...]]:
        """Pick the sentence with most of the common words and the one that adds most to it.

        They keep their original order.
        """
        language = self.language
        texts = [text for event in events for text in language.quoted_sentences(event.summary_text)]
        distinct = {tuple(language.words_of(text)): text for text in texts}
        sentences = list(distinct.values()) or [events[0].summary_text]
        words = [language.content_words(text) for text in sentences]
        # What several events say is what the merged event is about.
        common = Counter(word.word for each in words for word in each)
        first = _most([sum(common[word.word] for word in each) for each in words])
        known = language.all_forms(sentences[first])
        new = [[word for word in each if word.forms.isdisjoint(known)] for each in words]
        second = _most([len(each) for each in new])
        chosen = {first, second} if _is_worth_adding(new[second], words[second]) else {first}
        return " ".join(sentences[i] for i in sorted(chosen)), ()


class ModelSummary:
    """Summarises by a chat model; by rules, with a note, if its reply is unusable."""

    def __init__(self, model: ChatModel, language: Language) -> None:
        self._model = model
        self._language = language
        self._rules = RuleSummary(language)

    def __call__(self, events: Sequence[EventDraft]) -> tuple[str, tuple[str, ...]]:
        """Summarise the events; see `Summarise`. Raises ModelDenied, NoSuchModel, CostLimit."""
        parts, written_in = "\n\n".join(map(_described, events)), Plain(self._language.written)
        asked = prompt("merged", events=parts, count=len(events), language=written_in)
        try:
            reply, slips = self._model.ask(asked, MergedSummary)
        # It is a ModelFailed too, but it must end the run.
        except CostLimit:
            raise
        except ModelFailed as error:
            return self._by_rules(events, error.message)
        summary = reply.summary.strip()
        parts = [event.summary_text for event in events]
        fields = [*parts, *(line for event in events for line in event.dialogue_snippets)]
        if why := refusal(summary, fields, self._language):
            return self._by_rules(events, f"the model's summary {why}")
        return summary, slips

    def _by_rules(self, events: Sequence[EventDraft], why: str) -> tuple[str, tuple[str, ...]]:
        summary, notes = self._rules(events)
        return summary, (*notes, f"{len(events)} merged events are summarised by rules: {why}")


def _is_worth_adding(new: Sequence[ContentWord], all_words: Sequence[ContentWord]) -> bool:
    """Return whether a sentence names another action, or has enough new words.

    In a short sentence all words must be new.
    """
    return any(word.acts for word in new) or len(new) >= min(_WORTH_ADDING, len(all_words))


def _most(counts: Sequence[int]) -> int:
    """Return the index of the largest count. Among equal counts, the first wins."""
    return max(range(len(counts)), key=lambda i: (counts[i], -i))


def _described(event: EventDraft) -> str:
    """Return an event in words for a model: when, what happened, what was said, and who did what."""
    done = (" ".join(filter(None, (a.actor, a.verb, a.object, a.spatial_relation))) for a in event.actions)
    parts = [f"{event.time_start:g}-{event.time_end:g} s: {event.summary_text}"]
    parts += [f'said: "{line}"' for line in event.dialogue_snippets]
    parts += [f"where: {line}" for line in event.spatial_descriptions]
    return "\n".join([*parts, *(f"done: {action}" for action in done)])
