"""A candidate: an event that may answer a question, with what the stages found out about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field
from operator import attrgetter

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Hit, Path
from amr_neo4j.language.grammar import Grammar
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.question.clause import Clause, Effect
from amr_neo4j.recall.retrieve.features import EventFeatures, features_of


def path_text(path: Path, events: Mapping[int, Event], grammar: Grammar) -> str:
    """ "event 3 (00:00:12 of kitchen) -> the key, then held -> event 9 (00:01:02 of kitchen)".

    events: the events of the path by node_id. A missing one is shown by its number.
    """
    first = path.node_ids[0]
    parts = [grammar.path_place(first, events.get(first))]
    for here, node_id, edge in zip(path.node_ids, path.node_ids[1:], path.edges, strict=False):
        spoken = any(event and event.turn for event in (events.get(here), events.get(node_id)))
        step = grammar.path_step(edge, forwards=edge.src == here, spoken=spoken)
        parts += [step, grammar.path_place(node_id, events.get(node_id))]
    return " -> ".join(parts)


@dataclass(slots=True)
class Candidate:
    """An event and how it was found.

    Treat it as immutable: a frozen dataclass would take three times as long to make.

    language: the language of the event's text.
    node_id: the event's id.
    summary: the event's summary as the rules read it. Answers quote the event's own.

    Retrieval sets:
    path: how the walk came to it.
    ranks: {ranking: rank from 1}.
    cosines: {clause text: cosine}; empty if the index has no vector for the event.

    Ranking sets:
    fused: {clause text: fused score from 0 to 1}.
    reach: the fused score of its path's anchor times the score of the path, from 0 to 1.
    score: from 0 to 1.
    weights: {word of the question: its weight}, which rank/score.py computes; 1 for any other word.
    path_events: {node_id: event}, with at least the events of its path.
    corrects: the older turn whose value this turn corrects. This turn then counts as having the words of both.

    askers: the person_ids of whoever asks, if the question says "I".

    Verification sets:
    judged: how relevant a model finds its group, from 0 to 1.
    """

    event: Event
    path: Path
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])
    reach: float = 0.0
    fused: Mapping[str, float] = field(default_factory=dict[str, float])
    score: float = 0.0
    judged: float | None = None
    path_events: Mapping[int, Event] = field(default_factory=dict[int, Event], repr=False)
    corrects: Event | None = field(default=None, repr=False)
    askers: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    weights: Mapping[str, float] = field(default_factory=dict[str, float], compare=False, repr=False)
    language: Language = field(kw_only=True, compare=False, repr=False)
    summary: str = field(init=False, compare=False, repr=False)
    features: EventFeatures = field(init=False, compare=False, repr=False)
    node_id: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.summary = self.event.summary_text if self.event.turn else self.language.as_read(self.event.summary_text)
        self.features = features_of(self.event, self.language)
        self.node_id = self.event.node_id

    @property
    def forms(self) -> Set[str]:
        """Every form of every word of the event, and of the turn that it corrects."""
        own = self.features.form_counts.keys()
        return own | features_of(self.corrects, self.language).form_counts.keys() if self.corrects else own

    @property
    def is_report(self) -> bool:
        """Whether the event is a report of the local analyser, which states all that it can see."""
        return self.language.grammar.is_report(self.summary)

    @property
    def text(self) -> str:
        """Its summary, after the summary of the turn that it corrects, if any."""
        summary = self.event.summary_text
        return f"{self.corrects.summary_text} {summary}" if self.corrects else summary

    @property
    def objects(self) -> frozenset[str]:
        """The identities of its objects."""
        return self.features.objects

    @property
    def people(self) -> Mapping[str, str]:
        """{person_id: name as the event has it} of everybody in the event."""
        return self.features.people

    @property
    def doing(self) -> frozenset[str]:
        """The ids of those who act in the event; of everybody in it if it lists no actor."""
        return frozenset(action.actor for action in self.event.actions if action.actor) or frozenset(self.people)

    @property
    def actors_on_objects(self) -> frozenset[tuple[str, str]]:
        """(person_id, object) of each action."""
        return self.features.actors_on_objects

    @property
    def effects(self) -> frozenset[Effect]:
        """The states that its actions leave their objects in."""
        return self.features.effects

    def matched(self, clause: Clause, forms: Collection[str]) -> float:
        """Return the total weight of the clause's words that have one of these forms."""
        return sum(self.weights.get(word.word, 1.0) for word in clause.words if not word.forms.isdisjoint(forms))

    @classmethod
    def found_alone(cls, event: Event, language: Language) -> Candidate:
        """Return a candidate that no walk reached and no ranking found."""
        return cls(event, Path((event.node_id,), (), 0.0), language=language)

    def hit(self) -> Hit:
        """Return the candidate as an answer lists it."""
        best = {"fused": max(self.fused.values(), default=0.0), "cosine": max(self.cosines.values(), default=0.0)}
        trail = path_text(self.path, self.path_events, self.language.grammar)
        judge = {} if self.judged is None else {"judge": self.judged}
        return Hit(
            event=self.event,
            score=self.score,
            ranks=self.ranks,
            path=self.path,
            trail=trail,
            scores=best | {"reach": self.reach} | judge,
        )


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates by their score, the highest first; equal ones by node_id."""
    # Sorts are stable, so equal scores keep the order of node_id.
    return sorted(sorted(candidates, key=attrgetter("node_id")), key=attrgetter("score"), reverse=True)
