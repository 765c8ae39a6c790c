"""Plans one nightly run over the facts of a user (specification 002 5). The store carries the plan out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations
from typing import Any

from amr_neo4j.domain.belief import Belief, Change, Link, LinkChange, Near, Plan, Resolution, Support, Unit
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.relations import relation_family, relation_kind
from amr_neo4j.domain.replies import Verdict, Verdicts
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.comparison import (
    Comparer,
    Comparison,
    Likeness,
    Pair,
    newer_stands,
    older_and_newer,
)
from amr_neo4j.facts.confidence import first_seen, updated
from amr_neo4j.facts.merge import components, is_auto_mergeable, merged, winner
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.prompts.library import prompt

# Characters of a fact that the model sees.
_CHARACTERS_SHOWN = 300
# The properties of a fact that a run may change.
_CHANGED_BY_RUNS = (
    "confidence", "evidence_count", "counted", "last_updated", "said", "decayed_at", "status", "flagged", "category",
)  # fmt: skip


@dataclass(frozen=True)
class EarlierDecisions:
    """What earlier runs and people decided.

    contradictions: {(fact_id, fact_id): how it ended}.
    distinct: pairs that were judged not to be the same.
    given: {(loser, winner): how much evidence the loser handed over when it was merged}.
    """

    contradictions: Mapping[Pair, Resolution] = field(default_factory=dict[Pair, Resolution])
    distinct: frozenset[Pair] = frozenset()
    given: Mapping[Pair, int] = field(default_factory=dict[Pair, int])

    def is_open(self, pair: Pair) -> bool:
        """Return whether a contradiction of these facts waits for a decision. Both were halved when it began."""
        return self.contradictions.get(pair) == "open"

    def given_by(self) -> Counter[str]:
        """Return {fact_id: evidence that it has handed to winners in all}."""
        total = Counter[str]()
        for (loser, _), evidence in self.given.items():
            total[loser] += evidence
        return total


Judge = Callable[[Sequence[Sequence[Belief]]], Mapping[int, Verdict]]
"""Takes clusters of facts and returns {index of the cluster: verdict}, without the clusters it cannot decide.

Raises ModelFailed.
"""


class Night:
    """A plan in the making.

    facts: by fact_id, as they will be.
    links: to be made.
    why: {fact_id: short codes}.
    joined: pairs of facts that must change together.
    """

    def __init__(self, beliefs: Iterable[Belief], *, rules: FactRules, known: EarlierDecisions, at: datetime) -> None:
        self.rules, self.known, self.at = rules, known, at
        # Sorted, so that equal facts give an equal plan.
        self.before = {fact.fact_id: fact for fact in sorted(beliefs, key=lambda fact: fact.fact_id)}
        self.facts = dict(self.before)
        self.links: list[LinkChange] = []
        self.joined: list[Pair] = []
        self.why: dict[str, list[str]] = {}
        self.counts: Counter[str] = Counter()
        self.reasons: list[str] = []

    @property
    def active(self) -> dict[str, Belief]:
        """The facts that are still believed, by fact_id; computed anew at each call."""
        return {name: fact for name, fact in self.facts.items() if fact.status in ("active", "pending_embed")}

    def set(self, fact: Belief, why: str) -> None:
        """Set a fact's new state. why: a short code such as `decay`; not recorded if nothing changes."""
        if fact != self.facts[fact.fact_id]:
            self.facts[fact.fact_id] = fact
            self.why.setdefault(fact.fact_id, []).append(why)

    def link(
        self, link: Link, source: str, target: str, before: Mapping[str, Any] | None = None, **props: Any
    ) -> None:
        """Make a relationship, or change an existing one that has the properties `before`.

        Facts that it connects are committed together. DERIVED_FROM leads to an episode and so joins no facts.
        """
        self.links.append(LinkChange(link, source, target, props, before))
        if link != "DERIVED_FROM":
            self.joined.append((source, target))

    def done(self, what: str, reason: str = "") -> None:
        """Add one to a count of the report. reason: a line for a person to read."""
        self.counts[what] += 1
        if reason:
            self.reasons.append(reason)

    def units(self) -> tuple[Unit, ...]:
        """Return the changes, one unit for each group of facts that are joined by links."""
        # A fact that is joined to nothing is paired with itself, so that it becomes a unit of its own.
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
        old, new = self.before[name], self.facts[name]
        different = [part for part in _CHANGED_BY_RUNS if getattr(old, part) != getattr(new, part)]
        was, will = ({part: getattr(fact, part) for part in different} for fact in (old, new))
        return Change(name, old.version, was, will, tuple(self.why.get(name, ())))


def plan(
    beliefs: Collection[Belief],
    supports: Iterable[Support],
    near: Collection[Near],
    *,
    known: EarlierDecisions,
    now: datetime,
    since: datetime,
    comparer: Comparer,
    judge: Judge | None = None,
) -> Plan:
    """Plan a run at `now`: update confidence, settle contradictions, merge, deprecate.

    near: pairs of one subject whose texts have a cosine over rules.similar.
    since: time of the previous run; a fact decays from then on at the earliest, however long ago it was said.
    judge: decides what the rules cannot; without one, such facts stay as they are.
    """
    # The order matters. Merging and deprecation go by the new confidence. Contradictions come before merging, so that
    # a fact that was replaced is not merged. The model decides before weak facts are deprecated, because its verdict
    # may restore the confidence that an open contradiction has halved.
    night = Night(beliefs, rules=comparer.rules, known=known, at=now)
    _sort_by_category(night)
    _update_confidence(night, supports, since)
    found = comparer.compare(night.active, near)
    _settle(night, found)
    doubtful = _merge(night, found)
    waiting, problems = _judge(night, doubtful, judge)
    _deprecate(night)
    return Plan(night.units(), dict(sorted(night.counts.items())), tuple(night.reasons), waiting, problems)


def _sort_by_category(night: Night) -> None:
    for fact in night.before.values():
        if not fact.category and (category := relation_kind(fact.triple.relation).category):
            night.set(replace(fact, category=category), "category")


def _update_confidence(night: Night, supports: Iterable[Support], since: datetime) -> None:
    """Count the new evidence of each fact and let it decay. since: time of the previous run."""
    by_fact: dict[str, list[Support]] = {}
    for support in supports:
        by_fact.setdefault(support.fact_id, []).append(support)
    for name, fact in night.active.items():
        found = by_fact.get(name, [])
        latest = max((support.at for support in found), default=None)
        seen = first_seen(fact, since)
        new = updated(seen, supporting=len(found), latest=latest, now=night.at, rules=night.rules)
        for support in sorted(found, key=lambda support: support.episode_id):
            night.link("DERIVED_FROM", name, support.episode_id, at=support.at, similarity=support.cosine)
        if new.counted != fact.counted:
            night.done("strengthened")
        if new.confidence < seen.confidence:
            night.done("decayed")
        night.counts["supporting turns"] += len(found)
        if found or new.counted != fact.counted:
            night.set(new, "evidence")
        else:
            night.set(new, "seen" if new == seen else "decay")


# --- contradictions


def _settle(night: Night, found: Comparison) -> None:
    """Archive facts that a newer one replaces, and halve the confidence of the pairs that stay open.

    Pairs that a person or a model has decided on are left alone.
    """
    pairs = [
        pair
        for pair in found.of(Likeness.VALUE, Likeness.OPPOSITE)
        if night.known.contradictions.get(pair) not in ("both", "kept", "hand")
    ]
    beliefs = night.active
    changed = [
        pair for pair in pairs if newer_stands(beliefs[pair[0]], beliefs[pair[1]], found.relations[pair], night.rules)
    ]
    # The newest first: a fact must not be replaced by one that is itself replaced in this run.
    ordered = sorted(
        (older_and_newer(beliefs[one], beliefs[other]) for one, other in changed),
        key=lambda both: (-both[1].said, both[1].fact_id, both[0].fact_id),
    )
    for old, new in ordered:
        if {old.fact_id, new.fact_id} <= night.active.keys() and not old.pinned:
            pair = min(old.fact_id, new.fact_id), max(old.fact_id, new.fact_id)
            was_open = night.known.is_open(pair)
            resolution: Resolution = "newer" if new.said >= old.said else "pinned"
            if was_open:  # the winner was halved by an earlier run: give it its confidence back
                _lift(night, pair, resolution, only=new.fact_id)
            _retire(night, old.fact_id, new.fact_id, resolution=resolution, was_open=was_open)
    for pair in pairs:
        if pair not in changed and not night.known.is_open(pair) and night.active.keys() >= set(pair):
            _halve(night, *pair)


def _retire(night: Night, old: str, new: str, *, resolution: Resolution, was_open: bool) -> None:
    """Archive a fact that another one replaces. was_open: `_lift` has updated their CONTRADICTS already."""
    gone, stands = night.facts[old], night.facts[new]
    night.set(replace(gone, status="archived", flagged=False), "replaced")
    if not was_open:
        night.link("CONTRADICTS", new, old, at=night.at, resolution=resolution)
    what = "settled by the model" if resolution == "model" else "replaced"
    why = {"pinned": "which is pinned", "model": "as the model decided"}.get(resolution, "said later")
    night.done(what, f"replaced: {gone.text!r} by {stands.text!r}, {why}")


def _halve(night: Night, one: str, other: str) -> None:
    """Open a contradiction: multiply both confidences by rules.penalty. A pinned fact keeps its own."""
    for name in (one, other):
        fact = night.facts[name]
        confidence = fact.confidence if fact.pinned else fact.confidence * night.rules.penalty
        night.set(replace(fact, confidence=confidence, flagged=True), "contradiction")
    night.link("CONTRADICTS", one, other, at=night.at, resolution="open")
    texts = " and ".join(repr(night.facts[name].text) for name in (one, other))
    night.done("contradictions", f"contradiction, both halved: {texts}")


# --- merging


def _merge(night: Night, found: Comparison) -> list[tuple[str, ...]]:
    """Merge the clusters that the rules can decide; return those for a model, as sorted tuples of fact_ids."""
    active = night.active
    apart = {*found.of(Likeness.VALUE, Likeness.OPPOSITE), *night.known.distinct}
    same = [p for p in found.of(Likeness.SAME) if p not in apart and active.keys() >= set(p)]
    unclear = [p for p in found.of(Likeness.UNCLEAR) if p not in apart and active.keys() >= set(p)]
    unlike = {*apart, *unclear}
    hubs = _through_hubs(same, unlike)
    clear = [pair for pair in same if pair not in hubs]
    doubtful: list[tuple[str, ...]] = []
    for names in components(clear):
        cluster = [active[name] for name in names]
        if is_auto_mergeable(cluster, night.rules) and not _has_pair(names, unlike):
            _merge_cluster(night, cluster, "rule")
    still = night.active
    for names in components(same):
        # They say the same, but rules may not merge them: category or confidence differ, or some contradict.
        if len(left := tuple(name for name in names if name in still)) > 1:
            doubtful.append(left)
    doubtful += [pair for pair in unclear if not any(set(pair) <= set(names) for names in doubtful)]
    return sorted(names for names in doubtful if still.keys() >= set(names))


def _through_hubs(same: Sequence[Pair], unlike: Collection[Pair]) -> set[Pair]:
    """Return the pairs of a fact with two others that are not alike.

    "Developer" is like "backend developer" and like "frontend developer".
    """
    like: dict[str, set[str]] = {}
    for one, other in same:
        like.setdefault(one, set()).add(other)
        like.setdefault(other, set()).add(one)
    found = set[Pair]()
    for one, other in unlike:
        for hub in like.get(one, set()) & like.get(other, set()):
            found |= {(min(hub, end), max(hub, end)) for end in (one, other)}
    return found


def _has_pair(names: Collection[str], pairs: Collection[Pair]) -> bool:
    among = set(names)
    return any(one in among and other in among for one, other in pairs) if pairs else False


def _merge_cluster(night: Night, cluster: Collection[Belief], by: str) -> None:
    given, stands = night.known.given_by(), winner(cluster).fact_id
    for fact in cluster:
        # The winner may have been merged into this fact in an earlier run. The evidence that it gave then comes back
        # now and must not count as new.
        given[fact.fact_id] += night.known.given.get((stands, fact.fact_id), 0)
    best, losers = merged(cluster, given)
    night.set(best, "merged")
    for loser in losers:
        night.set(loser, "merged")
        before = night.known.given.get((loser.fact_id, best.fact_id))
        gave = max(0, loser.evidence_count - given.get(loser.fact_id, 0)) + (before or 0)
        was = None if before is None else {"evidence": before}
        night.link("MERGED_INTO", loser.fact_id, best.fact_id, was, at=night.at, evidence=gave, resolution=by)
        night.done("merged", f"merged: {loser.text!r} into {best.text!r}")


# --- what a model decides


def _judge(night: Night, doubtful: Sequence[tuple[str, ...]], judge: Judge | None) -> tuple[int, tuple[str, ...]]:
    """Let the model decide on clusters; return (number of clusters left for a later run, lines on what failed).

    At most rules.clusters_per_night are asked about, open contradictions first.
    """
    active = night.active
    # First of all, because an open contradiction keeps the confidence of both facts halved.
    open_ones = filter(night.known.is_open, sorted(night.known.contradictions))
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
            _apply(night, names, verdicts[place])
    left = len(asked) - decided
    problems = (f"the model decided on {decided} of {len(asked)} clusters",) if left else ()
    return len(clusters) - decided, problems


def _apply(night: Night, names: tuple[str, ...], verdict: Verdict) -> None:
    """Carry out a verdict. One that does not fit the facts counts as "keep apart".

    A merge does not fit an open contradiction or two pinned facts. A contradiction does not fit facts of different
    subjects or families of relations.
    """
    cluster = [night.facts[name] for name in names]
    pairs = list(combinations(names, 2))
    opposed = list(filter(night.known.is_open, pairs))
    slots = {(fact.triple.subject, relation_family(fact.triple.relation)[0]) for fact in cluster}
    if verdict.decision == "MERGE" and not opposed and sum(fact.pinned for fact in cluster) <= 1:
        _merge_cluster(night, cluster, "model")
    elif verdict.decision == "CONTRADICTION" and len(slots) == 1:
        _contradict(night, names, verdict.stands, opposed=opposed)
    else:
        night.done("kept apart")
        for pair in pairs:
            night.link("DISTINCT_FROM", *pair, at=night.at)
        for pair in opposed:
            _lift(night, pair, "both")


def _contradict(night: Night, names: tuple[str, ...], stands: int | None, *, opposed: Collection[Pair]) -> None:
    """Carry out that facts contradict each other. stands: number of the right one, from 1; None if none is known.

    opposed: pairs of them that are open already, and so are halved already.
    """
    if stands is None:
        for one, other in combinations(names, 2):
            if (one, other) not in opposed:
                _halve(night, one, other)
        return
    best = names[stands - 1]
    for pair in opposed:
        _lift(night, pair, "model", only=best)
    for name in names:
        if name != best and not night.facts[name].pinned:
            pair = min(name, best), max(name, best)
            _retire(night, name, best, resolution="model", was_open=pair in opposed)


def _lift(night: Night, pair: Pair, resolution: Resolution, *, only: str = "") -> None:
    """Close an open contradiction and undo the halving of its facts. only: the fact_id to restore, if not both."""
    for name in pair:
        fact = night.facts[name]
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


# --- asking a model


@dataclass(frozen=True)
class ModelJudge:
    """A `Judge` that asks a chat model."""

    model: ChatModel

    def __call__(self, clusters: Sequence[Sequence[Belief]]) -> Mapping[int, Verdict]:
        """Return {index of the cluster: verdict}, without clusters that the reply leaves out or has no usable verdict
        for.

        Raises ModelError: no usable reply.
        """
        text = "\n\n".join(_shown(n, cluster) for n, cluster in enumerate(clusters, 1))
        reply, _ = self.model.ask(prompt("facts_alike", clusters=text, count=len(clusters)), Verdicts)
        return sensible(reply, clusters)


def sensible(reply: Verdicts, clusters: Sequence[Sequence[Belief]]) -> Mapping[int, Verdict]:
    """Return {index of the cluster: verdict} for the verdicts that fit. A cluster with two verdicts is left out."""
    found: dict[int, list[Verdict]] = {}
    for verdict in reply.decisions:
        place = verdict.cluster - 1
        if place < len(clusters) and (verdict.stands is None or verdict.stands <= len(clusters[place])):
            found.setdefault(place, []).append(verdict)
    return {place: verdicts[0] for place, verdicts in found.items() if len(verdicts) == 1}


def _shown(number: int, cluster: Sequence[Belief]) -> str:
    lines = [
        f"{n}. {fact.text[:_CHARACTERS_SHOWN]} (confidence {fact.confidence:.2f}, said {_day(fact.said)})"
        for n, fact in enumerate(cluster, 1)
    ]
    return "\n".join([f"Cluster {number}", *lines])


def _day(said: float) -> str:
    return datetime.fromtimestamp(said, UTC).date().isoformat()
