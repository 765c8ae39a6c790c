"""The operator of each type of answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.operators.clothing import clothing
from amr_neo4j.recall.answer.operators.contents import contents
from amr_neo4j.recall.answer.operators.count import count
from amr_neo4j.recall.answer.operators.duration import duration
from amr_neo4j.recall.answer.operators.event import event
from amr_neo4j.recall.answer.operators.headcount import headcount
from amr_neo4j.recall.answer.operators.history import history, itinerary
from amr_neo4j.recall.answer.operators.moment import moment
from amr_neo4j.recall.answer.operators.overview import overview
from amr_neo4j.recall.answer.operators.person import person
from amr_neo4j.recall.answer.operators.place import place
from amr_neo4j.recall.answer.operators.presence import presence
from amr_neo4j.recall.answer.operators.sequence import sequence
from amr_neo4j.recall.answer.operators.sighting import sighting
from amr_neo4j.recall.answer.operators.speech import speech
from amr_neo4j.recall.answer.operators.state import state
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion

# Makes the claims of an answer from the selected events.
Operator = Callable[[ParsedQuestion, Evidence], Claims | Unknown]

OPERATORS: Mapping[AnswerType, Operator] = {
    AnswerType.PLACE: place,
    AnswerType.CONTENTS: contents,
    AnswerType.STATE: state,
    AnswerType.HISTORY: history,
    AnswerType.ITINERARY: itinerary,
    AnswerType.SIGHTING: sighting,
    AnswerType.COUNT: count,
    AnswerType.DURATION: duration,
    AnswerType.PERSON: person,
    AnswerType.MOMENT: moment,
    AnswerType.SPEECH: speech,
    AnswerType.SEQUENCE: sequence,
    AnswerType.PRESENCE: presence,
    AnswerType.HEADCOUNT: headcount,
    AnswerType.CLOTHING: clothing,
    AnswerType.OVERVIEW: overview,
    AnswerType.EVENT: event,
}
