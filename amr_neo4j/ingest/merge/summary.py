"""What several events tell together in one or two sentences (seed 000, 4.2), by rules or by a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.ports import ChatModel, Summarise
from amr_neo4j.domain.replies import MergedSummary
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.summary_check import refusal
from amr_neo4j.language.en.content import ContentWord, all_forms, content_words, words_of
from amr_neo4j.prompts.library import prompt

# A sentence ends at a mark that no quotation holds and no title has.
_TITLES = "".join(rf"(?<!\b{title}\.)" for title in ("Mr", "Mrs", "Ms", "Dr", "St"))
_END = re.compile(_TITLES + r"""(?<=[.!?…。！？"”])\s+(?=[^"”]*(?:["“][^"”]*["”][^"”]*)*$)""")
# So many words that the first sentence has not are worth a second.
_WORTH_TELLING = 2


def telling_sentences(events: Sequence[EventDraft]) -> tuple[str, tuple[str, ...]]:
    """The sentence that tells most of what they have in common, then the one that adds most to it, in their order.

    Summarise by rules: what an analyser wrote, none of it changed, and no more than two sentences of it.
    """
    told = {tuple(words_of(text)): text for event in events for text in _sentences(event.summary_text)}
    sentences = list(told.values()) or [events[0].summary_text]
    words = [content_words(text) for text in sentences]
    common = Counter(word.word for each in words for word in each)
    first = _most([sum(common[word.word] for word in each) for each in words])
    known = all_forms(sentences[first])
    new = [[word for word in each if word.forms.isdisjoint(known)] for each in words]
    second = _most([len(each) for each in new])
    chosen = {first, second} if _is_worth_telling(new[second], words[second]) else {first}
    return " ".join(sentences[i] for i in sorted(chosen)), ()


class ModelSummary:
    """Summarise by a chat model; by rules, with a note, where nothing usable comes of it."""

    def __init__(self, model: ChatModel, rules: Summarise = telling_sentences) -> None:
        self._model = model
        self._rules = rules

    def __call__(self, events: Sequence[EventDraft]) -> tuple[str, tuple[str, ...]]:
        """As Summarise. Raises ModelDenied, NoSuchModel, CostLimit."""
        asked = prompt("merged", events="\n\n".join(map(_told, events)), count=len(events))
        try:
            reply, slips = self._model.ask_leniently(asked, MergedSummary)
        except CostLimit:
            raise
        except ModelFailed as error:
            return self._by_rules(events, error.message)
        summary = reply.summary.strip()
        parts = [event.summary_text for event in events]
        if why := refusal(summary, [*parts, *(line for event in events for line in event.dialogue_snippets)]):
            return self._by_rules(events, f"the one that a model wrote {why}")
        return summary, slips

    def _by_rules(self, events: Sequence[EventDraft], why: str) -> tuple[str, tuple[str, ...]]:
        summary, notes = self._rules(events)
        return summary, (*notes, f"what {len(events)} events are together is summarised by rules: {why}")


def _is_worth_telling(new: Sequence[ContentWord], all_words: Sequence[ContentWord]) -> bool:
    """Something else is done in it, or much is new; where words are not told apart by spaces, the whole of it."""
    return any(word.acts for word in new) or len(new) >= min(_WORTH_TELLING, len(all_words))


def _most(counts: Sequence[int]) -> int:
    """Where the most is; of equals the first."""
    return max(range(len(counts)), key=lambda i: (counts[i], -i))


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _END.split(text.strip()) if sentence]


def _told(event: EventDraft) -> str:
    """One event for a model: when, what, what was said, and who did what."""
    done = (" ".join(filter(None, (a.actor, a.verb, a.object, a.spatial_relation))) for a in event.actions)
    parts = [f"{event.time_start:g}-{event.time_end:g} s: {event.summary_text}"]
    parts += [f'said: "{line}"' for line in event.dialogue_snippets]
    return "\n".join([*parts, *(f"done: {action}" for action in done)])
