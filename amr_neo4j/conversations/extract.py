"""Extracts mentions and relations from the episodes in the graph, each once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from amr_neo4j.conversations.extract_by_model import by_model
from amr_neo4j.conversations.extract_by_rules import by_rules
from amr_neo4j.domain.mention import Extracted, Window
from amr_neo4j.domain.ports import ChatModel, MentionStore, Notify
from amr_neo4j.errors import ConfigError, ModelFailed, ModelUnavailable
from amr_neo4j.language.base import Language
from amr_neo4j.prompts.library import prompt_version


@dataclass
class ExtractReport:
    """The outcome of an extraction. refused: what the model stated and the window does not support.

    left: episodes that the model failed at, for the next run; away: it could not be reached, and the run ended.
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
    """Extracts by a model where there is one, else by the rules of the language.

    spoken: the code of the group's language, which may have no rules.
    """

    store: MentionStore
    language: Language
    spoken: str
    model: ChatModel | None = None
    notify: Notify = logging.getLogger(__name__).info

    def extract(self, user_id: str, session_id: str | None = None) -> ExtractReport:
        """From every episode not extracted yet, in order of session and turn.

        An episode that the model fails at is left for the next run; a model that is away ends this one.
        Raises ModelDenied, NoSuchModel, StoreUnavailable; what was extracted by then stays. ConfigError: there are
        neither a model nor rules for the language.
        """
        if not self.model and self.language.code != self.spoken:
            hint = "choose a provider: its model reads any language"
            raise ConfigError(f"there are no rules for conversations in {self.spoken}", hint=hint)
        report = ExtractReport()
        for page in self.store.waiting(user_id, session_id):
            if report.away:
                report.left += len(page)
            else:
                self._take(page, user_id, report)
        return report

    def _take(self, page: Sequence[str], user_id: str, report: ExtractReport) -> None:
        """Extract a page of episodes. A model's result is committed before its next call; rules' results together."""
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
        """The extractor's name, kept with each episode."""
        if self.model:
            return f"{self.model.model}, prompt {prompt_version('mentions')}"
        return f"rules {self.language.rules_version}"

    def _read(self, window: Window) -> Extracted:
        if self.model:
            return by_model(window, self.model, self.language)
        return by_rules(window, self.language)

    def _commit(self, user_id: str, found: Mapping[str, Extracted], report: ExtractReport) -> None:
        taken = self.store.commit(user_id, found, _joined(found.values()), self.extractor)
        for episode_id in taken:
            report.episodes += 1
            report.mentions += len(found[episode_id].mentions)
            report.relations += len(found[episode_id].relations)
            report.refused += len(found[episode_id].refused)
            for why in found[episode_id].refused:
                self.notify(f"{episode_id}: not supported: {why}")


def _with(found: Mapping[str, Extracted], window: Window) -> Window:
    """The window with the mentions found in this run, after it was read."""
    new = [mention for e in window.episodes[:-1] for mention in found.get(e.episode_id, Extracted()).mentions]
    return replace(window, mentions=(*window.mentions, *new))


def _joined(found: Iterable[Extracted]) -> Extracted:
    parts = list(found)
    return Extracted(tuple(m for part in parts for m in part.mentions), tuple(r for p in parts for r in p.relations))
