"""Records conversations. An accepted turn is first written to the spool on disk, then committed to the graph."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Lock
from uuid import uuid4

from amr_neo4j.conversations.formats import ParsedTurn
from amr_neo4j.conversations.record import Turn, one_episode, several_episodes
from amr_neo4j.domain.episode import Accepted, ChatReport, Episode, EpisodeReceipt, LastSaid, Session
from amr_neo4j.domain.ports import Embedder, EpisodeWriter, Follow, Notify, TurnSpool, Vectors
from amr_neo4j.errors import EmbedderMismatch, InputError, ModelError, StoreDenied, StoreRefused, StoreUnavailable
from amr_neo4j.language.languages import Language

# Episodes per transaction and per call of the embedder.
_EPISODES_PER_COMMIT = 250
# The same in the background, so that a question waits for a short transaction at most.
_SMALL_PAGE = 25
# If many turns waited, only this many of the newest are embedded before they are committed. The others are embedded
# by the queue.
_NEWEST = 8


@dataclass(frozen=True)
class Conversations:
    """Records the conversations of one group.

    embedder: opens the embedder of turns, when it is first needed.
    masks: mask secrets in turns before anything is stored.
    now: returns the present moment in the time zone of a user.
    ready: brings the schema of the graph up to date; called before each write. Raises StoreUnavailable.
    draining: the lock that is held while a page of turns is committed. All users of one spool in this process share
        it, so that no two threads commit the same turn.
    committed: called with the user_ids of turns that were committed.
    queued: called when facts, or turns without a vector, were committed: they wait in the embedding queue.
    continues: takes two turns of one speaker; returns whether the second goes on with a sentence that was cut in two.
    give_way: called before each page by a thread in the background; waits until nobody waits for an answer. Such a
        thread sees outages as errors and tries again; everybody else gets a line by `notify`.
    """

    group_id: str
    spool: TurnSpool
    writer: EpisodeWriter
    embedder: Callable[[], Embedder]
    now: Callable[[str], datetime]
    ready: Callable[[], None]
    language: Language
    notify: Notify = logging.getLogger(__name__).warning
    masks: bool = False
    draining: Lock = field(default_factory=Lock)
    follow: Follow = lambda embedded: False
    committed: Callable[..., object] = lambda *user_ids: None
    queued: Callable[[], object] = lambda: None
    continues: Callable[[str, str], bool] = lambda before, turn: False
    give_way: Callable[[], None] | None = None

    def remember(self, turns: Iterable[Turn], user_id: str, session_id: str) -> ChatReport:
        """Record turns of a session, in order.

        Raises InputError: a turn is invalid. Raises EmbedderMismatch: the group uses another embedder. Raises
        NoSpace. Nothing is recorded in these cases.
        """
        try:
            session = Session(self.group_id, user_id, session_id)
        except ValueError as error:
            raise InputError(str(error), hint="name the user and the session") from error
        return self.record(several_episodes(turns, session, self.now(user_id), self.language, masks=self.masks))

    def record_parsed(self, turns: Iterable[ParsedTurn], user_id: str, report: ChatReport) -> None:
        """Record the turns of a file, page by page. An invalid turn is rejected; the others are recorded."""
        page: list[Episode] = []
        for parsed in turns:
            found = self._read(parsed, user_id, page[-1].content if page else "")
            if isinstance(found, Episode):
                page.append(found)
            else:
                report.add([found])
            if len(page) >= _EPISODES_PER_COMMIT:
                report.add_all(self.record(page))
                page = []
        report.add_all(self.record(page))

    def _read(self, parsed: ParsedTurn, user_id: str, before: str) -> Episode | EpisodeReceipt:
        """Return a turn of a file as an episode, or the receipt of its rejection."""
        wrong = f"turn {parsed.number}: {parsed.wrong}"
        try:
            session = Session(self.group_id, user_id, parsed.session_id)
            if not parsed.wrong:
                now = self.now(user_id)
                return one_episode(
                    parsed.turn, session, now, self.language, parsed.number, masks=self.masks, before=before
                )
        except InputError as error:
            wrong = error.message
        except ValueError as error:  # from Session: an id that the graph cannot store
            wrong = f"turn {parsed.number}: {error}"
        return EpisodeReceipt(parsed.session_id, "", "rejected", error=f"{parsed.session_id}: {wrong}")

    def record(self, said: Sequence[Episode]) -> ChatReport:
        """Record episodes in the spool, then in the graph if it can be reached."""
        report = ChatReport()
        if not said:
            return report
        # The intake id marks this call as the one that brought the episode in: the receipt then says "committed",
        # even if another process writes the episode to the graph.
        said = [replace(episode, intake_id=uuid4().hex) for episode in said]
        taken = self.spool.accept(said)
        try:
            receipts = self._drain({each.number for each in taken}, embeds_all=True)
        except EmbedderMismatch:
            # The error says that nothing was recorded, so take the new episodes out of the spool again.
            self.spool.done([each.number for each in taken if each.is_new])
            raise
        report.add(self._receipts(said, taken, receipts))
        # The receipt reports these refusals to the caller, so they need not stay in the spool for a person to find.
        self.spool.done([each.number for each in taken if self.spool.refusal(each.number)])
        return report

    def _receipts(
        self, said: Sequence[Episode], taken: Sequence[Accepted], drained: Mapping[int, EpisodeReceipt]
    ) -> list[EpisodeReceipt]:
        """Return a receipt per episode, in the order of `said`.

        taken: what the spool returned per episode.
        drained: receipts of what this call committed, by number in the spool.
        """
        refusals = {each.number: self.spool.refusal(each.number) for each in taken if each.number not in drained}
        # refusal() is None for a number that the spool no longer holds. Such a new episode, if this call did not
        # drain it, was committed by another process.
        gone = [
            episode
            for episode, each in zip(said, taken, strict=True)
            if each.is_new and each.number in refusals and refusals[each.number] is None
        ]
        elsewhere = self._committed_elsewhere(gone)
        receipts: list[EpisodeReceipt] = []
        for episode, each in zip(said, taken, strict=True):
            here = EpisodeReceipt(episode.session.session_id, episode.episode_id, "unchanged")
            if each.other:
                found = replace(here, outcome="rejected", error=episode.conflict(each.other))
            elif each.number in drained:
                found = drained[each.number]
                again = found.outcome == "committed" and not each.is_new
                found = replace(found, outcome="unchanged") if again else found
            elif why := refusals[each.number]:
                found = replace(here, outcome="rejected", error=why)
            elif why == "":  # still in the spool and not refused
                found = replace(here, outcome="accepted")
            else:
                found = elsewhere.get(episode.intake_id, here)
            receipts.append(found)
        return receipts

    def _committed_elsewhere(self, gone: Sequence[Episode]) -> Mapping[str, EpisodeReceipt]:
        """Return {intake_id: receipt} for new episodes that another process has taken out of the spool."""
        there: Sequence[EpisodeReceipt | None] = [None] * len(gone)
        if gone:
            # If the graph cannot be asked now, the receipt lacks the turn's number, but "committed" is still right.
            with suppress(StoreUnavailable):
                there = self.writer.unchanged(gone)
        return {
            episode.intake_id: receipt or EpisodeReceipt(episode.session.session_id, episode.episode_id, "committed")
            for episode, receipt in zip(gone, there, strict=True)
        }

    def drain(self, user_id: str = "") -> Mapping[int, EpisodeReceipt]:
        """Commit the episodes that wait in the spool. Returns {number in the spool: receipt}.

        Only the newest are embedded right away; the embedding queue takes the others. If the graph refuses an
        episode, `notify` reports it. If the database cannot be reached, `notify` reports that too, and the rest stays
        in the spool.
        user_id: only those of this user, since a question does not wait for what others said.
        Raises EmbedderMismatch; in the background (`give_way`) also StoreUnavailable, StoreDenied and ModelError,
        instead of reporting an outage.
        """
        return self._drain(set(), user_id, embeds_all=False)

    def _drain(self, mine: Set[int], user_id: str = "", *, embeds_all: bool) -> Mapping[int, EpisodeReceipt]:
        """Commit as `drain` does. mine: the numbers in the spool that the caller waits for."""
        receipts: dict[int, EpisodeReceipt] = {}
        most = _SMALL_PAGE if self.give_way else _EPISODES_PER_COMMIT
        while True:
            if self.give_way:
                self.give_way()
            # Looked up before the lock is taken: a caller with nothing to commit need not wait for commits of others.
            if not self._page(1, user_id):
                return receipts
            with self.draining:
                # What was committed or refused waits no more, so the loop ends when the spool is empty.
                page = self._page(most, user_id)
                if not page:
                    return receipts
                newest = _NEWEST if len(page) < most else 0
                try:
                    self.ready()
                    committed = self._commit_all([episode for _, episode in page], most if embeds_all else newest)
                except (StoreUnavailable, StoreDenied, ModelError) as error:
                    if self.give_way:
                        raise
                    why = f"{error.message}; the turns are kept on this machine and committed later ({error.hint})"
                    self.notify(why)
                    return receipts
                for (number, _), receipt in zip(page, committed, strict=True):
                    receipts[number] = receipt
                    # What was forgotten in the meantime, here or on another machine, leaves this disk too.
                    if receipt.outcome == "rejected" and not receipt.is_forgotten:
                        self.spool.refuse(number, receipt.error)
                        if number not in mine:
                            # Without the reason, which may quote the turn: a server's log has what is notified.
                            self.notify("a waiting turn was refused (amr spool list shows why)")
                kept = [r.outcome == "rejected" and not r.is_forgotten for r in committed]
                self.spool.done([n for (n, _), stays in zip(page, kept, strict=True) if not stays])

    def _page(self, most: int, user_id: str) -> list[tuple[int, Episode]]:
        """Return (number, episode) of at most `most` waiting turns of one user: by default, of who spoke first.

        Turns of several users go into a transaction each, however they alternate.
        """
        oldest = [] if user_id else self.spool.waiting(self.group_id, 1)
        whose = user_id or next((episode.session.user_id for _, episode in oldest), "")
        return self.spool.waiting(self.group_id, most, whose) if whose else []

    def _commit_all(self, said: Sequence[Episode], newest: int) -> list[EpisodeReceipt]:
        """Return a receipt per episode. An episode that the database refuses is rejected; the others are committed.

        A refused batch is halved until the refused episode is alone: a few more transactions, not one per episode.
        """
        try:
            return self._commit(said, newest)
        except (InputError, StoreRefused) as error:
            if len(said) > 1:
                half = len(said) // 2
                return self._commit_all(said[:half], newest) + self._commit_all(said[half:], newest)
            [episode] = said
            return [EpisodeReceipt(episode.session.session_id, episode.episode_id, "rejected", error=error.message)]

    def _commit(self, said: Sequence[Episode], newest: int) -> list[EpisodeReceipt]:
        """Return a receipt per episode. Episodes that the graph already has are not embedded again.

        newest: how many of the last ones are embedded now. None is if the embedder does not answer.
        """
        there = self.writer.unchanged(said)
        new = [episode for episode, receipt in zip(said, there, strict=True) if not receipt]
        if not new:
            return [receipt for receipt in there if receipt]
        new = self._continued(new)
        embedder = self.embedder()
        later = max(0, len(new) - newest)
        vectors: list[Vectors | None] = [None] * len(new)
        with suppress(ModelError):
            vectors[later:] = embedder.embed([episode.embedded for episode in new[later:]])
        try:
            committed = iter(self.writer.commit(new, vectors, (embedder.model, embedder.dim)))
        except EmbedderMismatch as error:
            # Another process has given the group another embedder.
            if not self.follow(error.embedded):
                raise
            return self._commit(said, newest)
        self.committed(*{episode.session.user_id for episode in new})
        if any(episode.changes for episode in new) or any(vector is None for vector in vectors):
            self.queued()
        return [receipt or next(committed) for receipt in there]

    def _continued(self, new: Sequence[Episode]) -> list[Episode]:
        """Return the episodes with `continues` decided by the turn before, in this page or in the graph."""
        undecided = {episode.session for episode in new if episode.continues is None}
        if not undecided:
            return list(new)
        before = dict(self.writer.last_said(list(undecided)))
        found: list[Episode] = []
        for episode in new:
            last = before.get(episode.session, LastSaid("", "", 0))
            turn = last.turn + 1 if episode.turn is None else episode.turn
            is_next = (last.actor_id, last.turn + 1) == (episode.actor_id, turn)
            goes_on = is_next and self.continues(last.content, episode.content)
            found.append(replace(episode, continues=goes_on) if episode.continues is None else episode)
            before[episode.session] = LastSaid(episode.actor_id, episode.content, turn)
        return found
