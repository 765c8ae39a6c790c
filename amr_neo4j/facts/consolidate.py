"""What one nightly run does with the facts of a user (specification 002 5): a pure plan, carried out by the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations
from typing import Any

from amr_neo4j.domain.belief import Belief, Change, Link, LinkChange, Near, Plan, Resolution, Support, Unit
from amr_neo4j.domain.relations import relation_family, relation_kind
from amr_neo4j.domain.replies import Verdict
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.confidence import first_seen, updated
from amr_neo4j.facts.contradictions import Found, Pair, compare, newer_stands, older_and_newer
from amr_neo4j.facts.meaning import ObjectCosine, Relation, Senses, no_senses
from amr_neo4j.facts.merge import components, is_auto_mergeable, merged, winner
from amr_neo4j.facts.rules import FactRules

_KEPT = ("confidence", "evidence_count", "counted", "last_updated", "decayed_at", "status", "flagged", "category")


@dataclass(frozen=True)
class Known:
    """What was decided before. contradictions: pairs -> how they ended. distinct: pairs that are not the same.

    given: evidence that a fact has handed to a winner, by their fact_ids.
    """

    contradictions: Mapping[Pair, Resolution] = field(default_factory=dict[Pair, Resolution])
    distinct: frozenset[Pair] = frozenset()
    given: Mapping[Pair, int] = field(default_factory=dict[Pair, int])

    def given_by(self) -> Counter[str]:
        """Evidence that a fact has handed to winners, by its fact_id."""
        total = Counter[str]()
        for (loser, _), evidence in self.given.items():
            total[loser] += evidence
        return total


Judge = Callable[[Sequence[Sequence[Belief]]], Mapping[int, Verdict]]
"""Decides on clusters, by their places; those it cannot decide are left out. Raises ModelFailed."""


class Night:
    """The state of a plan in the making: facts by id as they will be, links to make, and why."""

    def __init__(self, beliefs: Iterable[Belief], rules: FactRules) -> None:
        self.rules = rules
        self.before = {fact.fact_id: fact for fact in sorted(beliefs, key=lambda fact: fact.fact_id)}
        self.now = dict(self.before)
        self.links: list[LinkChange] = []
        self.joined: list[Pair] = []
        self.why: dict[str, list[str]] = {}
        self.counts: Counter[str] = Counter()
        self.reasons: list[str] = []

    @property
    def active(self) -> dict[str, Belief]:
        """Those that are still believed."""
        return {name: fact for name, fact in self.now.items() if fact.status in ("active", "pending_embed")}

    def set(self, fact: Belief, why: str) -> None:
        """Take a fact's new state."""
        if fact != self.now[fact.fact_id]:
            self.now[fact.fact_id] = fact
            self.why.setdefault(fact.fact_id, []).append(why)

    def link(
        self, link: Link, source: str, target: str, before: Mapping[str, Any] | None = None, **props: Any
    ) -> None:
        """Make a relationship, or change one that has `before`; facts that one joins change together."""
        self.links.append(LinkChange(link, source, target, props, before))
        if link != "DERIVED_FROM":
            self.joined.append((source, target))

    def done(self, what: str, reason: str = "") -> None:
        """Count something, with a line for a person."""
        self.counts[what] += 1
        if reason:
            self.reasons.append(reason)

    def units(self) -> tuple[Unit, ...]:
        """The changes, those of facts that are joined together."""
        alone = [*self.why, *(link.source for link in self.links)]
        groups = components([*self.joined, *((name, name) for name in alone)])
        place = {name: n for n, names in enumerate(groups) for name in names}
        changes: list[list[Change]] = [[] for _ in groups]
        links: list[list[LinkChange]] = [[] for _ in groups]
        for name, n in sorted(place.items()):
            changes[n].append(self._change(name))
        for link in self.links:
            links[place[link.source]].append(link)
        return tuple(Unit(tuple(c), tuple(x)) for c, x in zip(changes, links, strict=True))

    def _change(self, name: str) -> Change:
        old, new = self.before[name], self.now[name]
        different = [part for part in _KEPT if getattr(old, part) != getattr(new, part)]
        was, will = ({part: getattr(fact, part) for part in different} for fact in (old, new))
        return Change(name, old.version, was, will, tuple(self.why.get(name, ())))


def plan(
    beliefs: Collection[Belief],
    supports: Iterable[Support],
    near: Collection[Near],
    known: Known,
    now: datetime,
    *,
    since: datetime,
    rules: FactRules,
    object_cosine: ObjectCosine,
    senses: Senses = no_senses,
    judge: Judge | None = None,
) -> Plan:
    """What a run at `now` does: confidence, contradictions, merging, deprecation, in this order.

    near: pairs of one subject with a cosine over rules.similar. since: the time of the run before; a fact decays from
    then on at the earliest, however long ago it was said. judge: of what rules cannot decide; without one it stays as
    it is.
    """
    night = Night(beliefs, rules)
    _sort_by_category(night)
    _update_confidence(night, supports, now, since)
    found = compare(night.active, near, object_cosine, rules, senses)
    _settle(night, found, known, now)
    doubtful = _merge(night, found, known, now)
    waiting, problems = _judge(night, doubtful, known, judge, now)
    _deprecate(night)
    return Plan(night.units(), dict(sorted(night.counts.items())), tuple(night.reasons), waiting, problems)


def _sort_by_category(night: Night) -> None:
    for fact in night.before.values():
        if not fact.category and (category := relation_kind(fact.triple.relation).category):
            night.set(replace(fact, category=category), "category")


def _update_confidence(night: Night, supports: Iterable[Support], now: datetime, since: datetime) -> None:
    by_fact: dict[str, list[Support]] = {}
    for support in supports:
        by_fact.setdefault(support.fact_id, []).append(support)
    for name, fact in night.active.items():
        found = by_fact.get(name, [])
        latest = max((support.at for support in found), default=None)
        seen = first_seen(fact, since)
        new = updated(seen, len(found), latest, now, night.rules)
        for support in sorted(found, key=lambda support: support.episode_id):
            night.link("DERIVED_FROM", name, support.episode_id, at=support.at, similarity=support.cosine)
        if new.counted != fact.counted:
            night.done("strengthened")
        if new.decayed_at != seen.decayed_at:
            night.done("decayed")
        night.counts["supporting turns"] += len(found)
        why = "evidence" if found or new.counted != fact.counted else "seen" if new == seen else "decay"
        night.set(new, why)


# --- contradictions


def _settle(night: Night, found: Found, known: Known, now: datetime) -> None:
    """Retire what a newer fact replaces, then halve what is open. Decisions of people and models stand."""
    pairs = [
        pair
        for pair in found.of(Relation.VALUE, Relation.OPPOSITE)
        if known.contradictions.get(pair) not in ("both", "kept", "hand")
    ]
    beliefs = night.active
    changed = [
        pair for pair in pairs if newer_stands(beliefs[pair[0]], beliefs[pair[1]], found.relations[pair], night.rules)
    ]
    # The newest first, so that a fact is replaced by one that stands itself.
    ordered = sorted(
        (older_and_newer(beliefs[one], beliefs[other]) for one, other in changed),
        key=lambda both: (-both[1].said, both[1].fact_id, both[0].fact_id),
    )
    for old, new in ordered:
        if {old.fact_id, new.fact_id} <= night.active.keys() and not old.pinned:
            pair = min(old.fact_id, new.fact_id), max(old.fact_id, new.fact_id)
            was_open = known.contradictions.get(pair) == "open"
            resolution: Resolution = "newer" if new.said >= old.said else "pinned"
            if was_open:
                _lift(night, pair, resolution, now, only=new.fact_id)
            _retire(night, old.fact_id, new.fact_id, resolution, now, was_open=was_open)
    for pair in pairs:
        if pair not in changed and known.contradictions.get(pair) != "open" and night.active.keys() >= set(pair):
            _halve(night, *pair, now)


def _retire(
    night: Night, old: str, new: str, resolution: Resolution, now: datetime, *, was_open: bool = False
) -> None:
    gone, stands = night.now[old], night.now[new]
    night.set(replace(gone, status="archived", flagged=False), "replaced")
    if not was_open:
        night.link("CONTRADICTS", new, old, at=now, resolution=resolution)
    why = "which is pinned" if resolution == "pinned" else "said later"
    night.done("replaced", f"replaced: {gone.text!r} by {stands.text!r}, {why}")


def _halve(night: Night, one: str, other: str, now: datetime) -> None:
    for name in (one, other):
        fact = night.now[name]
        confidence = fact.confidence if fact.pinned else fact.confidence * night.rules.penalty
        night.set(replace(fact, confidence=confidence, flagged=True), "contradiction")
    night.link("CONTRADICTS", one, other, at=now, resolution="open")
    texts = " and ".join(repr(night.now[name].text) for name in (one, other))
    night.done("contradictions", f"contradiction, both halved: {texts}")


# --- merging


def _merge(night: Night, found: Found, known: Known, now: datetime) -> list[tuple[str, ...]]:
    """Merge what rules can; returns the clusters that are for a model."""
    active = night.active
    apart = {*found.of(Relation.VALUE, Relation.OPPOSITE), *known.distinct}
    same = [p for p in found.of(Relation.SAME) if p not in apart and active.keys() >= set(p)]
    doubtful: list[tuple[str, ...]] = []
    for names in components(same):
        cluster = [active[name] for name in names]
        if is_auto_mergeable(cluster, night.rules) and not _has_pair(names, apart):
            _merge_cluster(night, cluster, known, now, "rule")
        else:
            doubtful.append(names)
    still = night.active
    unclear = [p for p in found.of(Relation.UNCLEAR) if p not in apart and still.keys() >= set(p)]
    return sorted({*(names for names in doubtful if still.keys() >= set(names)), *unclear})


def _has_pair(names: Collection[str], pairs: Collection[Pair]) -> bool:
    among = set(names)
    return any(one in among and other in among for one, other in pairs) if pairs else False


def _merge_cluster(night: Night, cluster: Collection[Belief], known: Known, now: datetime, by: str) -> None:
    given, stands = known.given_by(), winner(cluster).fact_id
    for fact in cluster:
        # What the winner once gave to it comes back: that is no new evidence.
        given[fact.fact_id] += known.given.get((stands, fact.fact_id), 0)
    result = merged(cluster, given)
    best = result.winner
    night.set(best, "merged")
    for loser in result.losers:
        night.set(loser, "merged")
        before = known.given.get((loser.fact_id, best.fact_id))
        gave = max(0, loser.evidence_count - given.get(loser.fact_id, 0)) + (before or 0)
        was = None if before is None else {"evidence": before}
        night.link("MERGED_INTO", loser.fact_id, best.fact_id, was, at=now, evidence=gave, resolution=by)
        night.done("merged", f"merged: {loser.text!r} into {best.text!r}")


# --- what a model decides


def _judge(
    night: Night, doubtful: Sequence[tuple[str, ...]], known: Known, judge: Judge | None, now: datetime
) -> tuple[int, tuple[str, ...]]:
    """(clusters left for a later run, what failed). Open contradictions are asked about first."""
    active = night.active
    open_ones = [p for p in sorted(known.contradictions) if known.contradictions[p] == "open"]
    clusters = [*(pair for pair in open_ones if active.keys() >= set(pair)), *doubtful]
    asked = clusters[: night.rules.clusters_per_night]
    if not judge or not asked:
        return len(clusters), ()
    try:
        verdicts = judge([[active[name] for name in names] for names in asked])
    except ModelFailed as error:
        return len(clusters), (f"{len(asked)} unclear clusters are left for the next run: {error}",)
    decided = 0
    for place, names in enumerate(asked):
        # A fact of an earlier cluster may be gone by now.
        if place in verdicts and night.active.keys() >= set(names):
            decided += 1
            _apply(night, names, verdicts[place], known, now)
    left = len(asked) - decided
    problems = (f"the model decided on {decided} of {len(asked)} clusters",) if left else ()
    return len(clusters) - decided, problems


def _apply(night: Night, names: tuple[str, ...], verdict: Verdict, known: Known, now: datetime) -> None:
    cluster = [night.now[name] for name in names]
    pairs = list(combinations(names, 2))
    opposed = [pair for pair in pairs if known.contradictions.get(pair) == "open"]
    slots = {(fact.triple.subject, relation_family(fact.triple.relation)[0]) for fact in cluster}
    if verdict.decision == "MERGE" and not opposed and sum(fact.pinned for fact in cluster) <= 1:
        _merge_cluster(night, cluster, known, now, "model")
    elif verdict.decision == "CONTRADICTION" and len(slots) == 1:
        _contradict(night, names, verdict.stands, opposed, now)
    else:
        night.done("kept apart")
        for pair in pairs:
            night.link("DISTINCT_FROM", *pair, at=now)
        for pair in opposed:
            _lift(night, pair, "both", now)


def _contradict(
    night: Night, names: tuple[str, ...], stands: int | None, opposed: Collection[Pair], now: datetime
) -> None:
    if stands is None:
        for one, other in combinations(names, 2):
            if (one, other) not in opposed:
                _halve(night, one, other, now)
        return
    best = names[stands - 1]
    for pair in opposed:
        _lift(night, pair, "model", now, only=best)
    for name in names:
        if name != best and not night.now[name].pinned:
            pair = min(name, best), max(name, best)
            _retire(night, name, best, "model", now, was_open=pair in opposed)


def _lift(night: Night, pair: Pair, resolution: Resolution, now: datetime, only: str = "") -> None:
    """Take back that a contradiction halved its facts, or only one of them."""
    for name in pair:
        fact = night.now[name]
        if not fact.pinned and only in ("", name):
            confidence = min(1.0, fact.confidence / night.rules.penalty)
            night.set(replace(fact, confidence=confidence, flagged=False), "resolved")
    night.link("CONTRADICTS", *pair, before={"resolution": "open"}, resolution=resolution)
    night.done("resolved")


def _deprecate(night: Night) -> None:
    for fact in night.active.values():
        if fact.confidence < night.rules.deprecated_under and not fact.pinned:
            night.set(replace(fact, status="deprecated", flagged=False), "deprecated")
            night.done("deprecated", f"no longer believed, confidence {fact.confidence:.2f}: {fact.text!r}")
