"""The answer operators. Each makes the claims of an answer of one type from the selected events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.operators.counts import count, headcount
from amr_neo4j.recall.answer.operators.duration import duration
from amr_neo4j.recall.answer.operators.events import event, moment, sequence
from amr_neo4j.recall.answer.operators.film import clothing, overview, presence
from amr_neo4j.recall.answer.operators.habits import habit
from amr_neo4j.recall.answer.operators.objects import contents, history, itinerary, place, sighting, state
from amr_neo4j.recall.answer.operators.people import person, speech
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence

# Takes the question and the evidence.
Operator = Callable[[ParsedQuestion, Evidence], Claims | Unknown]
OPERATORS: Mapping[AnswerType, Operator] = {
    AnswerType.PLACE: place,
    AnswerType.CONTENTS: contents,
    AnswerType.STATE: state,
    AnswerType.HISTORY: history,
    AnswerType.ITINERARY: itinerary,
    AnswerType.SIGHTING: sighting,
    AnswerType.COUNT: count,
    AnswerType.HABIT: habit,
    AnswerType.DURATION: duration,
    AnswerType.PERSON: person,
    AnswerType.COMPANY: person,
    AnswerType.MOMENT: moment,
    AnswerType.SPEECH: speech,
    AnswerType.SEQUENCE: sequence,
    AnswerType.PRESENCE: presence,
    AnswerType.HEADCOUNT: headcount,
    AnswerType.CLOTHING: clothing,
    AnswerType.OVERVIEW: overview,
    AnswerType.EVENT: event,
}
