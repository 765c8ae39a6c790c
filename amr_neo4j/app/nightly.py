"""The nightly run over a user's facts: it reads new turns, plans changes, and carries out the plan.

Only one run of a user is under way at a time. The next run finishes one that was interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np

from amr_neo4j.app.fact_reading import RuleReader
from amr_neo4j.app.facts_of_events import look_at_events
from amr_neo4j.app.facts_of_talk import is_dead
from amr_neo4j.domain.batches import batched
from amr_neo4j.domain.belief import Belief, Consolidated, FactMeasures, HeardTurn, Near, Plan, Resolution, Support
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.episode import Forgotten
from amr_neo4j.domain.fact import FactChange, Intent
from amr_neo4j.domain.page import WHOLE, Page, PageRequest
from amr_neo4j.domain.ports import ChatModel, Counting, Embedder, Vectors
from amr_neo4j.errors import AmrError, InputError, ModelFailed, NotInMemory, StoreBusy
from amr_neo4j.facts.comparison import Comparer, Pair
from amr_neo4j.facts.confidence import supports
from amr_neo4j.facts.consolidate import EarlierDecisions, ModelJudge, plan
from amr_neo4j.facts.measures import MeasuredFact, measured
from amr_neo4j.facts.rules import fact_rules
from amr_neo4j.language.languages import DEFAULT, Language
from amr_neo4j.language.synonyms import SenseKeys, Synonyms
from amr_neo4j.turn_reader.understand import may_state

if TYPE_CHECKING:
    from amr_neo4j.store.read.facts import StoredFacts
    from amr_neo4j.store.write.fact_upkeep import FactRun, FactUpkeep

# Turns per transaction, and texts per call of the embedder.
_TURNS_PER_READ, _BATCH = 250, 512
# The most turns that a dry run reads.
_MOST_SHOWN = 5000
# The most turns without a topic that wait for later ones. If there are more, no model reads the oldest.
_MOST_GATHERED = 500
_QUESTIONS = frozenset({Intent.PURE_QUESTION, Intent.REACTION})
_Embed = Callable[[Sequence[str]], Vectors]
_UNFINISHED = frozenset({"reading", "planned"})


@dataclass(frozen=True)
class _Read:
    """The result of reading.

    turns, stated: how many turns and facts.
    supporting: turns that may support a fact.
    """

    turns: int
    stated: int
    supporting: tuple[HeardTurn, ...]


@dataclass(frozen=True)
class _Topics:
    """What a model read from topics.

    gathered: numbers of the turns that wait until enough of them belong together.
    stated: the number of facts.
    refused: a line for each fact that its turns do not support.
    problems: lines on what failed.
    """

    gathered: tuple[int, ...]
    stated: int = 0
    refused: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


NearPairs = Callable[[Vectors, Sequence[Sequence[int]], float], Iterable[tuple[int, int, float]]]
"""(vectors, groups of rows, least cosine) -> (row, row, cosine) of the pairs within a group above that cosine."""


@dataclass(frozen=True, kw_only=True)
class Consolidation:
    """The nightly run over the facts of one user.

    store: the facts of this user.
    undoable: how many of the latest runs can be undone.
    reader: reads turns by rules.
    model: opens the model that reads what rules do not, and judges contradictions; returns None to do without.
    language: of the facts that events show.
    synonyms: opens the English synonyms; returns None if the word net is not installed.
    forget_expired: (moment, dry_run=) forgets what is older than the settings say; returns what went, or would go.
    """

    user_id: str
    store: FactUpkeep
    undoable: int
    reader: RuleReader
    embedder: Callable[[], Embedder]
    model: Callable[[], ChatModel | None]
    counting: Counting
    language: Language
    near_pairs: NearPairs
    synonyms: Callable[[], Synonyms | None]
    forget_expired: Callable[..., Forgotten]

    def run(self, at: datetime) -> Consolidated:
        """Consolidate the facts as of `at`, or finish an interrupted run for the time that it was started for."""
        with self._lease() as is_known:
            if not is_known:
                return Consolidated("", self.user_id, at, "completed", {})
            earlier = self.store.runs()
            cut_off = next((run for run in earlier if run.status in _UNFINISHED), None)
            run = cut_off or self.store.begin(f"{at:%Y%m%d}-{uuid4().hex[:6]}", at)
            done = self._finish(run, [each for each in earlier if each is not cut_off], resumed=cut_off is not None)
            # Last, so that facts are read from turns before these go.
            return replace(done, counts=_counted(done.counts, _expired(self.forget_expired(run.at))))

    def dry_run(self, at: datetime) -> Consolidated:
        """Return what a run would change. Writes nothing and calls no model."""
        turns = self.store.new_turns(self.store.peek_read_to(), _MOST_SHOWN, self.embedder().model)
        unread = [turn for turn in turns if not turn.states]
        read = [change for turn in unread for change in self._changes(turn)]
        stated = sum(not change.retracted for change in read)
        supporting = [turn for turn in turns if self._may_support(turn)]
        planned = self._plan(at, _since(at, self.store.runs()), supporting, ask=False)
        expired = _expired(self.forget_expired(at, dry_run=True))
        counts = _counted(planned.counts, {"turns read": len(turns), "facts read": stated}, expired)
        return Consolidated(
            run_id="",
            user_id=self.user_id,
            at=at,
            status="dry run",
            counts=counts,
            reasons=planned.reasons,
            problems=planned.problems,
        )

    def undo(self, run_id: str, *, dry_run: bool = False) -> int:
        """Undo a run and all later ones, the latest first. Returns how many changes were undone.

        dry_run: only count, also while another run is under way.
        Raises NotInMemory if there is no such run. Raises InputError if the run is too long ago.
        """
        if dry_run:
            return self.store.would_undo(self._undone_by(run_id))
        with self._lease():
            return sum(self.store.undo(run) for run in self._undone_by(run_id))

    def _undone_by(self, run_id: str) -> list[FactRun]:
        """Return a run that is to be undone and all later ones, the latest first. Raises as `undo` does."""
        runs = [run for run in self.store.runs() if run.status != "undone"]
        names = [run.run_id for run in runs]
        if run_id not in names:
            raise NotInMemory(f"no run {run_id} to undo", hint="amr consolidate --runs lists them")
        chosen = runs[: names.index(run_id) + 1]
        if len(chosen) > self.undoable:
            raise InputError(
                f"{run_id} is too long ago to undo", hint=f"the latest {self.undoable} runs can be undone"
            )
        return chosen

    def runs(self, asked: PageRequest = WHOLE) -> Page[FactRun]:
        """Return a page of the runs, the latest first."""
        return self.store.runs(asked)

    # --- one run

    @contextmanager
    def _lease(self) -> Generator[bool]:
        """Hold the lease on this user's facts. Yields False, without a lease, if there is nothing to consolidate.

        Raises StoreBusy: another process holds the lease.
        """
        holder = self.store.take(is_dead)
        if holder:
            host, process, *_ = holder.split()
            raise StoreBusy(
                f"the facts of {self.user_id} are being consolidated by process {process} on {host}",
                hint="wait until it is done; after a crash on another machine, for 15 minutes",
            )
        try:
            yield holder is not None
        finally:
            # A lease that cannot be released expires by itself.
            with suppress(AmrError):
                self.store.release()

    def _finish(self, run: FactRun, earlier: Sequence[FactRun], *, resumed: bool) -> Consolidated:
        with self.counting() as calls:
            problems: list[str] = []
            reasons: Sequence[str] = ()
            counts, waiting = dict(run.counts), run.waiting
            # An interrupted run whose plan was saved only has to carry it out.
            if run.status == "reading":
                read = self._read(run)
                topics = self._read_topics(run, read.supporting)
                looked = look_at_events(
                    self.store,
                    run.run_id,
                    fact_rules(),
                    language=self.language,
                    embedder=self.embedder(),
                    model=self.model(),
                )
                planned = self._plan(run.at, _since(run.at, earlier), read.supporting, ask=True)
                new = {"turns read": read.turns, "facts read": read.stated, "facts read by the model": topics.stated}
                counts = _counted(planned.counts, new, looked.counts, {"facts refused": len(topics.refused)})
                problems += [*topics.problems, *looked.problems, *planned.problems]
                reasons, waiting = (*topics.refused, *looked.refused, *planned.reasons), planned.waiting
                self.store.save_plan(
                    run.run_id, planned.units, counts=counts, waiting=waiting, gathered=topics.gathered
                )
            if left := self.store.carry_out(run.run_id):
                problems.append(f"{left} changes are left for the next run: the facts changed during this one")
            status = "incomplete" if problems else "completed"
            self.store.end(run.run_id, status, counts=counts, waiting=waiting, earlier=earlier)
        usage = Usage.of(calls)
        return Consolidated(
            run_id=run.run_id,
            user_id=self.user_id,
            at=run.at,
            status=status,
            counts=counts,
            reasons=reasons,
            problems=problems,
            usage=usage,
            resumed=resumed,
            waiting=waiting,
        )

    def _read(self, run: FactRun) -> _Read:
        """Read the turns that no run has read. Each page is written with its facts in one transaction."""
        turns, stated, supporting = 0, 0, list[HeardTurn]()
        done, model = self.store.read_to(), self.embedder().model
        after = run.read_from
        while page := self.store.new_turns(after, _TURNS_PER_READ, model):
            after = page[-1].number
            supporting += [turn for turn in page if self._may_support(turn)]
            turns += len(page)
            # A resumed run reads its turns again for `supporting`, but must not state the facts of finished pages
            # twice.
            if after > done:
                fresh = [(turn, self._changes(turn)) for turn in page if not turn.states and turn.number > done]
                stated += self.store.state(run.run_id, fresh, after)
        return _Read(turns, stated, tuple(supporting))

    def _read_topics(self, run: FactRun, new: Sequence[HeardTurn]) -> _Topics:
        """Let the model read the turns of a topic. Turns without a topic wait, and without a model all of them."""
        from amr_neo4j.facts.topics import facts_of_topics  # noqa: PLC0415 (only with a model)

        left = self.store.gathered_turns(run.run_id, self.embedder().model)
        # Another command may have read a turn in the meantime.
        turns = [*(turn for turn in left if not turn.states), *new]
        waiting, model = _numbers(turns), self.model()
        if not model or not turns:
            return _Topics(waiting)
        try:
            read = facts_of_topics(
                turns,
                self._said(turns),
                model,
                unrelated=self.embedder().unrelated,
                language_of=self._language_of,
                may_state=lambda turn, triple: may_state(turn.text, self._language_of(turn), triple),
            )
        except ModelFailed as error:
            return _Topics(waiting, problems=(f"{len(turns)} turns are not read by the model: {error}",))
        rows = [(turn, read.stated[turn.episode_id]) for turn in turns if turn.episode_id in read.stated]
        stated = self.store.state(run.run_id, rows, self.store.read_to()) if rows else 0
        return _Topics(_numbers(turn for turn in turns if turn.number not in read.shown), stated, read.refused)

    def _language_of(self, turn: HeardTurn) -> str:
        return self.reader.understand(turn, self.user_id).language

    def _said(self, turns: Sequence[HeardTurn]) -> Vectors:
        """Return the vectors of turns of the user, of shape (turns, dim). Turns without a stored one are embedded."""
        return self._filled([turn.vector for turn in turns], [turn.text for turn in turns])

    def _changes(self, turn: HeardTurn) -> tuple[FactChange, ...]:
        return self.reader.changes(turn, self.user_id)

    def _may_support(self, turn: HeardTurn) -> bool:
        """Whether a turn is the user's own, states or takes back no fact, and is no question or mere reaction."""
        if turn.states or not self.reader.is_users(turn, self.user_id):
            return False
        understood = self.reader.understand(turn, self.user_id)
        return not understood.facts and understood.intent not in _QUESTIONS and not understood.retracted

    def _plan(self, at: datetime, since: datetime, turns: Sequence[HeardTurn], *, ask: bool) -> Plan:
        rules, known = fact_rules(), self.store.beliefs(self.embedder().model)
        beliefs, vectors = [fact for fact, _ in known], self._vectors(known)
        model = self.model() if ask else None
        return plan(
            beliefs,
            self._supports(beliefs, vectors, turns),
            self._near(beliefs, vectors, rules.similar),
            known=self._known(),
            now=at,
            since=since,
            comparer=Comparer(rules, _ObjectCosines(beliefs, self._embedded), self._senses),
            judge=ModelJudge(model) if model else None,
        )

    def _supports(self, beliefs: Sequence[Belief], vectors: Vectors, turns: Sequence[HeardTurn]) -> list[Support]:
        said, unrelated = self._said(turns), self.embedder().unrelated
        near = supports(beliefs, turns, fact_rules(), vectors=vectors, turn_vectors=said, unrelated=unrelated)
        return list(near)

    def _near(self, beliefs: Sequence[Belief], vectors: Vectors, over: float) -> list[Near]:
        """Return the pairs of facts about the same subject whose texts have a cosine above `over`."""
        subjects: dict[str, list[int]] = {}
        for row, fact in enumerate(beliefs):
            subjects.setdefault(fact.triple.subject, []).append(row)
        found: list[Near] = []
        for one, other, cosine in self.near_pairs(vectors, list(subjects.values()), over):
            ids = sorted((beliefs[one].fact_id, beliefs[other].fact_id))
            found.append(Near(ids[0], ids[1], cosine))
        return found

    def _vectors(self, known: Sequence[tuple[Belief, bytes]]) -> Vectors:
        """Return the facts' vectors, of shape (facts, dim). Facts without a stored vector are embedded now."""
        return self._filled([data for _, data in known], [fact.text for fact, _ in known])

    def _filled(self, stored: Sequence[bytes], texts: Sequence[str]) -> Vectors:
        """Return vectors as an array: the stored ones, and those of the texts for rows without one."""
        # 4 bytes per float32. A vector of another length comes from another model, or is missing.
        dim = self.embedder().dim
        vectors: Vectors = np.zeros((len(stored), dim), np.float32)
        missing = [row for row, data in enumerate(stored) if len(data) != 4 * dim]
        for row, data in enumerate(stored):
            if len(data) == 4 * dim:
                vectors[row] = np.frombuffer(data, np.float32)
        if missing:
            vectors[missing] = self._embedded([texts[row] for row in missing])
        return vectors

    def _known(self) -> EarlierDecisions:
        contradictions: dict[Pair, Resolution] = {}
        distinct, given = set[Pair](), dict[Pair, int]()
        for row in self.store.decided():
            ends = (row["source"], row["target"])
            # Contradictions and distinctions have no direction, so their key is the sorted pair. Merges have one.
            if row["link"] == "CONTRADICTS":
                contradictions[min(ends), max(ends)] = row["resolution"] or "newer"
            elif row["link"] == "DISTINCT_FROM":
                distinct.add((min(ends), max(ends)))
            else:
                given[ends] = row["evidence"] or 0
        return EarlierDecisions(contradictions, frozenset(distinct), given)

    def _embedded(self, texts: Sequence[str]) -> Vectors:
        embedder = self.embedder()
        parts = [embedder.embed(batch) for batch in batched(texts, _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, embedder.dim), np.float32)

    def _senses(self, fact: Belief) -> SenseKeys:
        # The word net is English only.
        known = self.synonyms() if (fact.language or DEFAULT) == DEFAULT else None
        return known.keys(fact.triple.object) if known else SenseKeys()


def consolidate_all(
    users: Iterable[str], consolidation: Callable[[str], Consolidation], at: datetime, *, dry_run: bool
) -> Iterator[Consolidated]:
    """Consolidate one user after the other, and yield a report for each. consolidation: user_id -> the user's run.

    A user whom another process is consolidating is reported as incomplete. A user who is forgotten is left out.
    Any other error ends the loop; finished users stay done, and the next night continues.
    """
    for user_id in users:
        run = consolidation(user_id)
        try:
            yield run.dry_run(at) if dry_run else run.run(at)
        except NotInMemory:
            continue
        except StoreBusy as error:
            yield Consolidated("", user_id, at, "incomplete", {}, problems=[str(error)])


def fact_measures(facts: StoredFacts, user_id: str, runs: Iterable[FactRun]) -> FactMeasures:
    """Return how well a user's facts are kept and used. runs: the nightly runs of the user."""
    made = [run for run in runs if run.status != "undone"]
    held, waiting = [MeasuredFact(*fact) for fact in facts.held(user_id)], made[0].waiting if made else 0
    return measured(held, [run.counts for run in made], facts.use(user_id), waiting=waiting)


class _ObjectCosines:
    """Return the cosine of the objects of two facts, by their ids. Objects are embedded only when asked for."""

    def __init__(self, beliefs: Sequence[Belief], embed: _Embed) -> None:
        self._objects = {fact.fact_id: fact.triple.object for fact in beliefs}
        self._embed = embed

    def __call__(self, one: str, other: str) -> float:
        vectors = self._embed([self._objects[one], self._objects[other]])
        # The vectors have length 1, so their dot product is the cosine.
        return float(vectors[0] @ vectors[1])


def _counted(*counts: Mapping[str, int]) -> dict[str, int]:
    total = Counter[str]()
    for each in counts:
        total.update(each)
    return {name: number for name, number in total.items() if number}


def _numbers(turns: Iterable[HeardTurn]) -> tuple[int, ...]:
    """Return the numbers of the latest of these turns: those that a run notes down for the next run."""
    return tuple(turn.number for turn in turns)[-_MOST_GATHERED:]


def _expired(gone: Forgotten) -> dict[str, int]:
    return {"turns forgotten": gone.episodes, "facts forgotten": gone.facts}


def _since(at: datetime, earlier: Sequence[FactRun]) -> datetime:
    """Return the time of the latest earlier run that was not undone; `at` if there is none."""
    return max((run.at for run in earlier if run.status != "undone" and run.at < at), default=at)
