"""What conversations mention and state, taken from what is in the graph. Wiring; no algorithm."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from amr_neo4j.conversations.export import from_json, same, to_json
from amr_neo4j.conversations.extract_by_model import by_model
from amr_neo4j.conversations.extract_by_rules import by_rules
from amr_neo4j.domain.episode import ChatReport, Episode, EpisodeReceipt
from amr_neo4j.domain.mention import Extracted, Window
from amr_neo4j.domain.ports import ChatModel, Notify
from amr_neo4j.errors import ConfigError, ModelFailed, ModelUnavailable
from amr_neo4j.language.en.mentions import mention_table
from amr_neo4j.prompts.library import prompt_version
from amr_neo4j.store.write.mention_store import MentionStore

# What an episode keeps of who extracted it, where a document brought what it mentions.
IMPORTED = "import"


@dataclass
class ExtractReport:
    """What came of an extraction. refused: what the model said and the window does not bear out.

    left: episodes for the next run, since the model failed; away: it could not be reached, so no more was asked.
    """

    episodes: int = 0
    mentions: int = 0
    relations: int = 0
    refused: int = 0
    left: int = 0
    away: bool = False
    errors: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Extraction:
    """Takes from each episode, once, what it mentions and states: by a model where there is one, else by rules."""

    store: MentionStore
    model: ChatModel | None = None
    language: str = "en"
    notify: Notify = logging.getLogger(__name__).info

    def extract(self, user_id: str, session_id: str | None = None) -> ExtractReport:
        """From every episode not extracted yet, in order of session and turn.

        An episode that the model fails at is left for the next run; a model that is away ends this one.
        Raises ModelDenied, NoSuchModel, StoreUnavailable; what was extracted by then stays. ConfigError: there is no
        model, and the rules are of English.
        """
        if not self.model and self.language != "en":
            raise ConfigError(
                f"no rules read conversations in {self.language}", hint="choose a provider: its model does"
            )
        report = ExtractReport()
        for page in self.store.waiting(user_id, session_id):
            if report.away:
                report.left += len(page)
            else:
                self._take(page, user_id, report)
        return report

    def _take(self, page: Sequence[str], user_id: str, report: ExtractReport) -> None:
        """A page of episodes. What a model found is in the graph before it is asked again; rules cost little."""
        found: dict[str, Extracted] = {}
        for window in self.store.windows(user_id, page):
            try:
                found[window.now.episode_id] = self._read(_with(found, window))
            except ModelFailed as error:
                report.errors.append(f"{window.now.episode_id}: {error.message}")
                if isinstance(error, ModelUnavailable):
                    report.away = True
                    break
            else:
                if self.model:
                    self._commit(user_id, {window.now.episode_id: found[window.now.episode_id]}, report)
        if not self.model:
            self._commit(user_id, found, report)
        report.left += len(page) - len(found)

    @property
    def extractor(self) -> str:
        """What an episode keeps of who extracted it."""
        if self.model:
            return f"{self.model.model}, prompt {prompt_version('mentions')}"
        return f"rules {mention_table().version}"

    def _read(self, window: Window) -> Extracted:
        return by_model(window, self.model) if self.model else by_rules(window)

    def _commit(self, user_id: str, found: Mapping[str, Extracted], report: ExtractReport) -> None:
        taken = self.store.commit(user_id, found, _joined(found.values()), self.extractor)
        for episode_id in taken:
            report.episodes += 1
            report.mentions += len(found[episode_id].mentions)
            report.relations += len(found[episode_id].relations)
            report.refused += len(found[episode_id].refused)
            for why in found[episode_id].refused:
                self.notify(f"{episode_id}: not taken: {why}")


def _with(found: Mapping[str, Extracted], window: Window) -> Window:
    """The window with what was found in this run, which was not there when it was read."""
    new = [mention for e in window.episodes[:-1] for mention in found.get(e.episode_id, Extracted()).mentions]
    return replace(window, mentions=(*window.mentions, *new))


def _joined(found: Iterable[Extracted]) -> Extracted:
    parts = list(found)
    return Extracted(tuple(m for part in parts for m in part.mentions), tuple(r for p in parts for r in p.relations))


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
