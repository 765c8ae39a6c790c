"""Conversations into memory: what is accepted is on disk before it is in the graph. Wiring; no algorithm."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from amr_neo4j.domain.episode import ChatReport, Episode, EpisodeReceipt, Session
from amr_neo4j.domain.ports import Embedder, EpisodeWriter, Say
from amr_neo4j.episodes.formats import Told
from amr_neo4j.episodes.record import Turn, one_episode, several_episodes
from amr_neo4j.errors import EmbedderMismatch, InputError, ModelError, StoreUnavailable
from amr_neo4j.spool.queue import Spool

_PAGE = 250

Key = tuple[str, str]


@dataclass(frozen=True)
class Conversations:
    """What the users of one group said, on its way into the graph."""

    group_id: str
    spool: Spool
    writer: EpisodeWriter
    embedder: Callable[[], Embedder]
    now: Callable[[], datetime]
    say: Say = logging.getLogger(__name__).warning

    def remember(self, turns: Iterable[Turn], user_id: str, session_id: str) -> ChatReport:
        """Take in turns of a session, in order. Raises InputError: none is taken then; EmbedderMismatch; NoSpace."""
        try:
            session = Session(self.group_id, user_id, session_id)
        except ValueError as error:
            raise InputError(str(error), hint="say whose conversation it is, and which") from error
        return self.record(several_episodes(turns, session, self.now()))

    def record_told(self, turns: Iterable[Told], user_id: str, report: ChatReport) -> None:
        """Take in the turns of a file, page by page; one that cannot be taken is rejected and the others go on."""
        page: list[Episode] = []
        for told in turns:
            found = self._read(told, user_id)
            if isinstance(found, Episode):
                page.append(found)
            else:
                report.add([found])
            if len(page) >= _PAGE:
                report.add_all(self.record(page))
                page = []
        report.add_all(self.record(page))

    def _read(self, told: Told, user_id: str) -> Episode | EpisodeReceipt:
        """A turn of a file as an episode, or why it is none."""
        wrong = told.wrong
        try:
            session = Session(self.group_id, user_id, told.session_id)
            if not wrong:
                return one_episode(told.turn, session, self.now(), told.number)
        except (InputError, ValueError) as error:
            wrong = error.message if isinstance(error, InputError) else str(error)
        return EpisodeReceipt(told.session_id, "", "rejected", error=f"{told.session_id}: {wrong}")

    def record(self, said: Sequence[Episode]) -> ChatReport:
        """Take in episodes: into the spool, then into the graph if it can be reached."""
        if not said:
            return ChatReport()
        report = ChatReport()
        taken = self.spool.accept(said)
        for episode, other in zip(said, taken, strict=True):
            if other:
                report.add([_refused(episode, other)])
        accepted = [episode for episode, other in zip(said, taken, strict=True) if not other]
        try:
            told = self.drain()
        except EmbedderMismatch:
            self.spool.drop(accepted)  # the caller is told that nothing was taken
            raise
        self.spool.drop([e for e in accepted if told.get(_key(e)) and told[_key(e)].outcome == "rejected"])
        report.add(told.get(_key(episode)) or self._elsewhere(episode) for episode in accepted)
        return report

    def drain(self) -> Mapping[Key, EpisodeReceipt]:
        """Bring what waits into the graph; what became of each, by user and id.

        A database or a model that is away is said, and the rest goes on waiting. Raises EmbedderMismatch.
        """
        receipts: dict[Key, EpisodeReceipt] = {}
        while page := self.spool.waiting(self.group_id, _PAGE):
            try:
                committed = self._commit([episode for _, episode in page])
            except (StoreUnavailable, ModelError) as error:
                self.say(f"{error.message}; what was said is kept on this machine and goes in later ({error.hint})")
                return receipts
            for (number, episode), receipt in zip(page, committed, strict=True):
                receipts[_key(episode)] = receipt
                if receipt.outcome == "rejected":
                    self.spool.refuse(number, receipt.error)
            self.spool.done([n for (n, _), r in zip(page, committed, strict=True) if r.outcome != "rejected"])
        return receipts

    def _commit(self, said: Sequence[Episode]) -> list[EpisodeReceipt]:
        """One receipt each; what the graph has already is not embedded again."""
        there = self.writer.unchanged(said)
        new = [episode for episode, receipt in zip(said, there, strict=True) if not receipt]
        if not new:
            return [receipt for receipt in there if receipt]
        embedder = self.embedder()
        vectors = embedder.embed([f"{episode.actor}: {episode.told}" for episode in new])
        committed = iter(self.writer.commit(new, vectors, embedder.model))
        return [receipt or next(committed) for receipt in there]

    def _elsewhere(self, episode: Episode) -> EpisodeReceipt:
        """What became of one that this call has not brought into the graph: it waits, or another process did."""
        session_id = episode.session.session_id
        refused = {_key(other): why for other, why in self.spool.refused(self.group_id)}
        if why := refused.get(_key(episode)):
            return EpisodeReceipt(session_id, episode.episode_id, "rejected", error=why)
        waits = self.spool.holds(episode)
        return EpisodeReceipt(session_id, episode.episode_id, "accepted" if waits else "committed")


def _key(episode: Episode) -> Key:
    return episode.session.user_id, episode.episode_id


def _refused(episode: Episode, other: Episode) -> EpisodeReceipt:
    return EpisodeReceipt(
        episode.session.session_id, episode.episode_id, "rejected", error=episode.conflict(other.content)
    )
