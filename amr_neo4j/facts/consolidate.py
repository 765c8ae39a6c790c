"""What one nightly run does with the facts of a user (specification 002 5): a pure plan, carried out by the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from amr_neo4j.domain.belief import Belief, Change, Link, LinkChange, Near, Plan, Resolution, Support, Unit
from amr_neo4j.domain.replies import Verdict
from amr_neo4j.facts.confidence import updated
from amr_neo4j.facts.contradictions import Found, Pair, compare, newer_stands, older_and_newer
from amr_neo4j.facts.meaning import ObjectCosine, Relation, Words
from amr_neo4j.facts.merge import components, is_auto_mergeable, merged
from amr_neo4j.facts.rules import FactRules

_KEPT = ("confidence", "evidence_count", "counted", "last_updated", "decayed_at", "status", "flagged", "category")


@dataclass(frozen=True)
class Known:
    """What was decided before. contradictions: pairs -> how they ended. distinct: pairs that are not the same.

    given: evidence that a fact has handed to winners, by fact_id.
    """

    contradictions: Mapping[Pair, Resolution] = field(default_factory=dict[Pair, Resolution])
    distinct: frozenset[Pair] = frozenset()
    given: Mapping[str, int] = field(default_factory=dict[str, int])


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

    def link(self, link: Link, source: str, target: str, **props: Any) -> None:
        """Make a relationship; facts that one joins change together."""
        self.links.append(LinkChange(link, source, target, props))
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
    rules: FactRules,
    words: Words,
    object_cosine: ObjectCosine,
    judge: Judge | None = None,
) -> Plan:
    """What a run at `now` does: confidence, contradictions, merging, deprecation, in this order.

    near: pairs of one subject with a cosine over rules.similar. judge: of what rules cannot decide; without one it
    stays as it is.
    """
    night = Night(beliefs, rules)
    _sort_by_category(night)
    _update_confidence(night, supports, now)
    found = compare(night.active, near, object_cosine, rules, words)
    _settle(night, found, known, now)
    doubtful = _merge(night, found, known, now)
    waiting, problems = _judge(night, doubtful, found, judge, now)
    _deprecate(night)
    return Plan(night.units(), dict(sorted(night.counts.items())), tuple(night.reasons), waiting, problems)


def _sort_by_category(night: Night) -> None:
    for fact in night.before.values():
        if not fact.category and (category := night.rules.category(fact.triple.relation)):
            night.set(replace(fact, category=category), "category")


def _update_confidence(night: Night, supports: Iterable[Support], now: datetime) -> None:
    by_fact: dict[str, list[Support]] = {}
    for support in supports:
        by_fact.setdefault(support.fact_id, []).append(support)
    for name, fact in night.active.items():
        found = by_fact.get(name, [])
        latest = max((support.at for support in found), default=None)
        new = updated(fact, len(found), latest, now, night.rules)
        for support in sorted(found, key=lambda support: support.episode_id):
            night.link("DERIVED_FROM", name, support.episode_id, at=support.at, similarity=support.cosine)
        if new.counted != fact.counted:
            night.done("strengthened")
        if new.decayed_at != fact.decayed_at:
            night.done("decayed")
        night.counts["supporting turns"] += len(found)
        night.set(new, "evidence" if found or new.counted != fact.counted else "decay")


# --- contradictions


def _settle(night: Night, found: Found, known: Known, now: datetime) -> None:
    """Retire what a newer fact replaces, then halve what is open."""
    pairs = [pair for pair in found.of(Relation.VALUE, Relation.OPPOSITE) if pair not in known.contradictions]
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
            _retire(night, old.fact_id, new.fact_id, "newer", now)
    for one, other in pairs:
        if (one, other) not in changed and {one, other} <= night.active.keys():
            _halve(night, one, other, now)


def _retire(night: Night, old: str, new: str, resolution: Resolution, now: datetime) -> None:
    gone, stands = night.now[old], night.now[new]
    night.set(replace(gone, status="archived", flagged=False), "replaced")
    night.link("CONTRADICTS", new, old, at=now, resolution=resolution)
    night.done("replaced", f"replaced: {gone.text!r} by {stands.text!r}, said later")


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
            _merge_cluster(night, cluster, known.given, now, "rule")
        else:
            doubtful.append(names)
    still = night.active
    unclear = [p for p in found.of(Relation.UNCLEAR) if p not in apart and still.keys() >= set(p)]
    return sorted({*(names for names in doubtful if still.keys() >= set(names)), *unclear})


def _has_pair(names: Collection[str], pairs: Collection[Pair]) -> bool:
    among = set(names)
    return any(one in among and other in among for one, other in pairs) if pairs else False


def _merge_cluster(
    night: Night, cluster: Collection[Belief], given: Mapping[str, int], now: datetime, by: str
) -> None:
    result = merged(cluster, given)
    night.set(result.winner, "merged")
    for loser in result.losers:
        night.set(loser, "merged")
        gave = max(0, loser.evidence_count - given.get(loser.fact_id, 0))
        night.link("MERGED_INTO", loser.fact_id, result.winner.fact_id, at=now, evidence=gave, resolution=by)
        night.done("merged", f"merged: {loser.text!r} into {result.winner.text!r}")


# --- what a model decides


def _judge(
    night: Night, doubtful: Sequence[tuple[str, ...]], found: Found, judge: Judge | None, now: datetime
) -> tuple[int, tuple[str, ...]]:
    """(clusters left for a later run, what failed)."""
    return len(doubtful), ()


def _deprecate(night: Night) -> None:
    for fact in night.active.values():
        if fact.confidence < night.rules.deprecated_under and not fact.pinned:
            night.set(replace(fact, status="deprecated", flagged=False), "deprecated")
            night.done("deprecated", f"no longer believed, confidence {fact.confidence:.2f}: {fact.text!r}")
