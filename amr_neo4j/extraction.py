"""What conversations mention and state, taken from what is in the graph. Wiring; no algorithm."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from amr_neo4j.domain.episode import ChatReport, Episode, EpisodeReceipt
from amr_neo4j.domain.mention import Extracted, Window
from amr_neo4j.domain.ports import ChatModel, Say
from amr_neo4j.episodes.export import from_json, same, to_json
from amr_neo4j.episodes.extract import by_model
from amr_neo4j.episodes.rules import by_rules
from amr_neo4j.errors import ModelFailed, ModelUnavailable
from amr_neo4j.language.mentions import mention_table
from amr_neo4j.prompts.library import prompt_version
from amr_neo4j.store.mention_store import MentionStore

# What an episode keeps of who extracted it, where a document brought what it mentions.
IMPORTED = "import"


@dataclass
class ExtractReport:
    """What came of an extraction. refused: what the model said and the window does not bear out.

    left: episodes for the next run, since the model failed.
    """

    episodes: int = 0
    mentions: int = 0
    relations: int = 0
    refused: int = 0
    left: int = 0
    errors: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Extraction:
    """Takes from each episode, once, what it mentions and states: by a model where there is one, else by rules."""

    store: MentionStore
    model: ChatModel | None = None
    say: Say = logging.getLogger(__name__).info

    def extract(self, user_id: str, session_id: str | None = None) -> ExtractReport:
        """From every episode not extracted yet, in order of session and turn.

        An episode that the model fails at is left for the next run; a model that is away ends this one.
        Raises ModelDenied, NoSuchModel, StoreUnavailable; what was extracted by then stays.
        """
        report = ExtractReport()
        waiting = self.store.waiting(user_id, session_id)
        for episode_id in waiting:
            window = self.store.window(user_id, episode_id)
            try:
                found = self._read(window)
            except ModelFailed as error:
                report.left += 1
                report.errors.append(f"{episode_id}: {error.message}")
                if isinstance(error, ModelUnavailable):
                    report.left += sum(1 for _ in waiting)
                continue
            if self.store.commit(user_id, [episode_id], found, self.extractor):
                self._count(report, episode_id, found)
        return report

    @property
    def extractor(self) -> str:
        """What an episode keeps of who extracted it."""
        if self.model:
            return f"{self.model.model}, prompt {prompt_version('mentions')}"
        return f"rules {mention_table().version}"

    def _read(self, window: Window) -> Extracted:
        return by_model(window, self.model) if self.model else by_rules(window)

    def _count(self, report: ExtractReport, episode_id: str, found: Extracted) -> None:
        report.episodes += 1
        report.mentions += len(found.mentions)
        report.relations += len(found.relations)
        report.refused += len(found.refused)
        for why in found.refused:
            self.say(f"{episode_id}: not taken: {why}")


def exported(store: MentionStore, user_id: str, session_id: str | None = None) -> dict[str, Any]:
    """Episodes with what they mention and state, as seed 004's JSON."""
    return to_json(store.episodes(user_id, session_id), store.extracted(user_id, session_id))


def taken_in(
    document: Mapping[str, Any],
    user_id: str,
    store: MentionStore,
    record: Callable[[Sequence[Episode]], ChatReport],
    now: datetime,
) -> ChatReport:
    """A document of that kind into the graph: its episodes by `record`, then what they mention and state.

    What is there and says the same is unchanged; what an episode that cannot be taken mentions is not taken either.
    Raises InputError, StoreUnavailable: nothing is taken, or episodes alone; taking it in again does the rest.
    """
    episodes, found = from_json(document, store.group_id, user_id, now)
    ids = [episode.episode_id for episode in episodes]
    there = store.episodes_by_id(user_id, ids)
    known = [episode for episode in episodes if same(episode, there.get(episode.episode_id))]
    report = record([episode for episode in episodes if episode not in known])
    report.add(EpisodeReceipt(e.session.session_id, e.episode_id, "unchanged", e.turn) for e in known)
    there = store.episodes_by_id(user_id, ids)
    taken = _of({e.episode_id for e in episodes if same(e, there.get(e.episode_id))}, found)
    store.take_in(user_id, taken, IMPORTED)
    if left := len(found.mentions) + len(found.relations) - len(taken.mentions) - len(taken.relations):
        report.errors.append(f"{left} mentions and relations are of episodes that were not taken")
    return report


def _of(episode_ids: Set[str], found: Extracted) -> Extracted:
    """What these episodes mention, and state of what they mention."""
    mentions = [m for m in found.mentions if m.episode_id in episode_ids]
    inside = [r for r in found.relations if {r.episode_id, r.source.episode_id, r.target.episode_id} <= episode_ids]
    return Extracted(tuple(mentions), tuple(inside))
