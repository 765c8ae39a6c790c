"""Conversations into memory: what is accepted is on disk before it is in the graph. Wiring; no algorithm."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from amr_neo4j.conversations.formats import ParsedTurn
from amr_neo4j.conversations.record import Turn, one_episode, several_episodes
from amr_neo4j.domain.episode import ChatReport, Episode, EpisodeReceipt, Session
from amr_neo4j.domain.ports import Embedder, EpisodeWriter, Notify
from amr_neo4j.errors import EmbedderMismatch, InputError, ModelError, StoreUnavailable
from amr_neo4j.spool.turns import Accepted, Spool

_PAGE = 250


@dataclass(frozen=True)
class Conversations:
    """What the users of one group said, on its way into the graph. ready: called before it is written to."""

    group_id: str
    spool: Spool
    writer: EpisodeWriter
    embedder: Callable[[], Embedder]
    now: Callable[[], datetime]
    ready: Callable[[], None]
    notify: Notify = logging.getLogger(__name__).warning

    def remember(self, turns: Iterable[Turn], user_id: str, session_id: str) -> ChatReport:
        """Take in turns of a session, in order. Raises InputError: none is taken then; EmbedderMismatch; NoSpace."""
        try:
            session = Session(self.group_id, user_id, session_id)
        except ValueError as error:
            raise InputError(str(error), hint="say whose conversation it is, and which") from error
        return self.record(several_episodes(turns, session, self.now()))

    def record_told(self, turns: Iterable[ParsedTurn], user_id: str, report: ChatReport) -> None:
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

    def _read(self, told: ParsedTurn, user_id: str) -> Episode | EpisodeReceipt:
        """A turn of a file as an episode, or why it is none."""
        wrong = f"turn {told.number}: {told.wrong}"
        try:
            session = Session(self.group_id, user_id, told.session_id)
            if not told.wrong:
                return one_episode(told.turn, session, self.now(), told.number)
        except InputError as error:
            wrong = error.message
        except ValueError as error:
            wrong = f"turn {told.number}: {error}"
        return EpisodeReceipt(told.session_id, "", "rejected", error=f"{told.session_id}: {wrong}")

    def record(self, said: Sequence[Episode]) -> ChatReport:
        """Take in episodes: into the spool, then into the graph if it can be reached."""
        report = ChatReport()
        if not said:
            return report
        taken = self.spool.accept(said)
        try:
            told = self.drain(taken)
        except EmbedderMismatch:
            self.spool.done([each.number for each in taken if each.is_new])  # the caller hears that nothing was taken
            raise
        report.add(self._receipt(episode, each, told) for episode, each in zip(said, taken, strict=True))
        self.spool.done([each.number for each in taken if self.spool.refusal(each.number)])
        return report

    def _receipt(self, episode: Episode, taken: Accepted, told: Mapping[int, EpisodeReceipt]) -> EpisodeReceipt:
        """What became of one that the spool was handed."""
        session_id, episode_id = episode.session.session_id, episode.episode_id
        if taken.other:
            return EpisodeReceipt(session_id, episode_id, "rejected", error=episode.conflict(taken.other))
        if receipt := told.get(taken.number):
            again = receipt.outcome == "committed" and not taken.is_new
            return replace(receipt, outcome="unchanged") if again else receipt
        if why := self.spool.refusal(taken.number):
            return EpisodeReceipt(session_id, episode_id, "rejected", error=why)
        # Another process has brought it into the graph, or it waits.
        waits = self.spool.refusal(taken.number) == ""
        return EpisodeReceipt(session_id, episode_id, "accepted" if waits else "committed")

    def drain(self, asked: Sequence[Accepted] = ()) -> Mapping[int, EpisodeReceipt]:
        """Bring what waits into the graph; what became of each, by its number in the spool.

        A database or a model that is away is said, and the rest goes on waiting; so is one that the graph will not
        take, unless it is one of those that are asked about. Raises EmbedderMismatch.
        """
        receipts: dict[int, EpisodeReceipt] = {}
        mine = {each.number for each in asked}
        while page := self.spool.waiting(self.group_id, _PAGE):
            try:
                self.ready()
                committed = self._commit_all([episode for _, episode in page])
            except (StoreUnavailable, ModelError) as error:
                self.notify(
                    f"{error.message}; what was said is kept on this machine and goes in later ({error.hint})"
                )
                return receipts
            for (number, _), receipt in zip(page, committed, strict=True):
                receipts[number] = receipt
                if receipt.outcome == "rejected":
                    self.spool.refuse(number, receipt.error)
                    if number not in mine:
                        self.notify(f"what waited could not go in: {receipt.error}")
            self.spool.done([n for (n, _), r in zip(page, committed, strict=True) if r.outcome != "rejected"])
        return receipts

    def _commit_all(self, said: Sequence[Episode]) -> list[EpisodeReceipt]:
        """One receipt each; one that the database cannot take costs no other."""
        try:
            return self._commit(said)
        except InputError as error:
            if len(said) > 1:
                return [receipt for episode in said for receipt in self._commit_all([episode])]
            [episode] = said
            return [EpisodeReceipt(episode.session.session_id, episode.episode_id, "rejected", error=error.message)]

    def _commit(self, said: Sequence[Episode]) -> list[EpisodeReceipt]:
        """One receipt each; what the graph has already is not embedded again."""
        there = self.writer.unchanged(said)
        new = [episode for episode, receipt in zip(said, there, strict=True) if not receipt]
        if not new:
            return [receipt for receipt in there if receipt]
        embedder = self.embedder()
        vectors = embedder.embed([episode.spoken for episode in new])
        committed = iter(self.writer.commit(new, vectors, embedder.model))
        return [receipt or next(committed) for receipt in there]
