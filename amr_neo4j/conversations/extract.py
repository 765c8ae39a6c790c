"""Extracts mentions, relations and facts from the episodes in the graph. Each episode is extracted once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from amr_neo4j.conversations.extract_by_model import asked_about, by_model
from amr_neo4j.conversations.extract_by_rules import by_rules
from amr_neo4j.domain.episode import Episode
from amr_neo4j.domain.fact import FactChange, Understood
from amr_neo4j.domain.mention import Extracted, Window
from amr_neo4j.domain.ports import ChatModel, MentionStore, Notify
from amr_neo4j.errors import ConfigError, CostLimit, ModelFailed, ModelUnavailable
from amr_neo4j.language.languages import Language
from amr_neo4j.prompts.library import prompt_version


@dataclass
class ExtractReport:
    """The outcome of an extraction.

    episodes, mentions, relations, facts: how many were read and written; facts are always read by rules.
    refused: how many statements of the model the window does not support.
    left: how many episodes the next run tries again.
    away: the model could not be reached, so the run ended early.
    errors: a line for each episode at which the model failed.
    tokens_in, most_usd: of a dry run, which reads nothing: about how many tokens the model would be sent for these
        episodes, and the most that its replies would cost with them; None if its price is not known.
    """

    episodes: int = 0
    mentions: int = 0
    relations: int = 0
    facts: int = 0
    refused: int = 0
    left: int = 0
    away: bool = False
    errors: list[str] = field(default_factory=list[str])
    tokens_in: int = 0
    most_usd: float | None = 0.0


@dataclass(frozen=True)
class _Found:
    extracted: Extracted
    changes: tuple[FactChange, ...]


@dataclass(frozen=True)
class Extraction:
    """Extracts mentions and relations by a model if there is one, else by rules. Facts are always read by rules.

    language: the group's language, which may have no rules.
    read_turn: returns what the last turn of a window says, and the facts that it changes.
    turn_languages: codes of the languages that `read_turn` reads.
    window: how many turns are read together, of which the last is the one that is extracted.
    """

    store: MentionStore
    language: Language
    read_turn: Callable[[Window], tuple[Understood, tuple[FactChange, ...]]]
    turn_languages: Collection[str]
    model: ChatModel | None = None
    window: int = 4
    notify: Notify = logging.getLogger(__name__).info

    def extract(
        self, user_id: str, session_id: str | None = None, *, again: bool = False, dry_run: bool = False
    ) -> ExtractReport:
        """Extract from every episode that was not extracted yet, in order of session and turn.

        If the model fails at an episode, that episode is left for the next run. If the model cannot be reached, this
        run ends.
        again: then also read by the model what rules have read. What it finds replaces their mentions and relations;
            facts stay as they are.
        dry_run: only count the episodes and the cost.
        Raises ModelDenied, NoSuchModel, CostLimit, StoreUnavailable: what was extracted before stays. Raises
        ConfigError: there is neither a model nor rules for the language, or no model to read again.
        """
        if again and not self.model:
            raise ConfigError("no model is chosen, and only a model reads again", hint="set provider: docs/models.md")
        if not self.model and not self.language.reads_statements and self.language.code not in self.turn_languages:
            hint = "choose a provider: its model reads any language"
            raise ConfigError(f"there are no rules for conversations in {self.language.code}", hint=hint)
        report = ExtractReport()
        # What is unread comes first, so that the second part does not read it a second time.
        for of_rules in (False, True) if again else (False,):
            for page in self.store.waiting(user_id, session_id, again=of_rules):
                if dry_run:
                    self._count(page, user_id, report)
                elif report.away:
                    report.left += len(page)
                else:
                    self._take(page, user_id, report, again=of_rules)
        return report

    def _count(self, page: Sequence[str], user_id: str, report: ExtractReport) -> None:
        """Add a page of episodes to the report of a dry run."""
        report.episodes += len(page)
        if not self.model:
            return
        for window in self.store.windows(user_id, page, self.window):
            tokens = asked_about(window).tokens
            report.tokens_in += tokens
            try:
                most = self.model.most_cost(tokens)
            except ConfigError:  # its price is not known
                report.most_usd = None
            else:
                report.most_usd = None if report.most_usd is None else report.most_usd + most

    def _take(self, page: Sequence[str], user_id: str, report: ExtractReport, *, again: bool) -> None:
        """Extract from a page of episodes.

        With a model, each result is committed before the next call, so that no paid call is lost. With rules, the
        whole page is committed in one transaction.
        """
        found: dict[str, _Found] = {}
        episodes: list[Episode] = []
        for window in self.store.windows(user_id, page, self.window):
            try:
                read = found[window.now.episode_id] = self._read(_with(found, window))
            # It is a ModelFailed too, but it must end the run.
            except CostLimit:
                raise
            except ModelFailed as error:
                report.errors.append(f"{window.now.episode_id}: {error.message}")
                # The model would fail for all other turns too, so the rest waits for the next run.
                if isinstance(error, ModelUnavailable):
                    report.away = True
                    break
                continue
            # Facts that rules have read are in the graph, and may have been replaced or taken back since.
            episodes.append(replace(window.now, changes=() if again else read.changes))
            if self.model:
                self._commit(user_id, episodes[-1:], found, report, again=again)
        if not self.model:
            self._commit(user_id, episodes, found, report, again=again)
        report.left += len(page) - len(found)

    @property
    def extractor(self) -> str:
        """The name that is stored with each episode: the model with the prompt's version, or the rules' version."""
        if self.model:
            return f"{self.model.model}, prompt {prompt_version('mentions')}"
        return f"rules {self.language.rules_version}"

    def _read(self, window: Window) -> _Found:
        understood, changes = self.read_turn(window)
        if self.model:
            return _Found(by_model(window, self.model, self.language), changes)
        # The patterns are those of the group's language. A turn in another language is left to the rules for facts.
        has_patterns = self.language.reads_statements and understood.language in ("", self.language.code)
        return _Found(by_rules(window, self.language if has_patterns else None, understood.facts), changes)

    def _commit(
        self,
        user_id: str,
        episodes: Sequence[Episode],
        found: Mapping[str, _Found],
        report: ExtractReport,
        *,
        again: bool,
    ) -> None:
        taken = [found[episode.episode_id] for episode in episodes]
        joined = _joined(each.extracted for each in taken)
        written = self.store.commit(user_id, episodes, joined, self.extractor, again=again)
        report.facts += written.facts
        for episode_id in written.episode_ids:
            extracted = found[episode_id].extracted
            report.episodes += 1
            report.mentions += len(extracted.mentions)
            report.relations += len(extracted.relations)
            report.refused += len(extracted.refused)
            if extracted.refused:
                # Without the statements, which quote the turn: a server's log has what is notified.
                self.notify(f"{episode_id}: {len(extracted.refused)} statements are not in the turn, and are dropped")


def _with(found: Mapping[str, _Found], window: Window) -> Window:
    """Return the window with the mentions that this run has found in its earlier turns.

    The store read all windows of the page at once, before any of these mentions existed. What rules had found in such
    a turn may be gone.
    """
    before = [mention for mention in window.mentions if mention.episode_id not in found]
    read = [found[each.episode_id] for each in window.episodes[:-1] if each.episode_id in found]
    new = [mention for each in read for mention in each.extracted.mentions]
    return replace(window, mentions=(*before, *new))


def _joined(found: Iterable[Extracted]) -> Extracted:
    parts = list(found)
    return Extracted(tuple(m for part in parts for m in part.mentions), tuple(r for p in parts for r in p.relations))
