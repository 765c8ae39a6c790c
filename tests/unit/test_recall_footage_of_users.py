"""A user's question that conversations leave in doubt is asked of footage alone."""

from __future__ import annotations

from typing import NoReturn

import pytest

from amr_neo4j.app.beliefs import UserBeliefs, language_asked
from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords
from tests.unit.test_recall_films import REPORTS, film

LANGUAGES = ("en", "de", "fr", "es", "it")
FILMS = ["How many videos are there?", "Wie viele Videos gibt es?", "Combien de vidéos y a-t-il ?"]
FILMS += ["¿Cuántos vídeos hay?", "Quanti video ci sono?"]
SEEN = ["Where was the horse last?", "Wo war das Pferd zuletzt?", "Où était le cheval en dernier ?"]
SEEN += ["¿Dónde estuvo el caballo por última vez?", "Dov'era il cavallo l'ultima volta?"]
SEEN += [
    "Where is the horse?",
    "Wo ist das Pferd?",
    "Où est le cheval ?",
    "¿Dónde está el caballo?",
    "Dov'è il cavallo?",
]
SEEN += ["Where are the horses?", "Wo sind die Pferde?", "Où sont les chevaux ?", "¿Dónde están los caballos?"]
SEEN += ["Dov'è il cavallo?", "Dove sono i cavalli?"]


def _graph() -> FakeGraph:
    graph = film(REPORTS)
    graph.recordings = lambda scope: {"meadow": Video("test", "meadow", duration_s=30.0)}
    return graph


def _sources(question: str, graph: FakeGraph, user: str) -> Sources:
    scope = Scope("test", user_id=user)
    return Sources(scope, graph, graph, HashedWords(), language_asked(question, scope, LANGUAGES, ENGLISH))


def _of_user(question: str, told: list[str]) -> Answer:
    graph = _graph()
    sources, footage = _sources(question, graph, "anna"), _sources(question, graph, "")
    return ask(question, sources, footage=footage, notify=told.append)


@pytest.mark.parametrize("question", [*FILMS, *SEEN])
def test_a_user_gets_the_answer_of_footage(question: str) -> None:
    told: list[str] = []
    answer, alone = _of_user(question, told), ask(question, _sources(question, _graph(), ""))
    assert alone.found
    assert (answer.text, answer.found) == (alone.text, True)
    assert all(claim in answer.text for claim in told)


@pytest.mark.parametrize("question", ["How long is the horse video?", "How long is the meadow video?"])
def test_each_claim_is_told_once(question: str) -> None:
    told: list[str] = []
    answer = _of_user(question, told)
    assert told == [answer.text]


OF_USER = ["Where do I live?", "How many videos do we have?", "Wie viele Videos habe ich?", "Wo wohne ich?"]
OF_USER += ["Combien de vidéos ai-je vues, moi ?", "Où est mon vélo ?", "¿Cuántos vídeos tengo?", "¿Dónde vivo?"]
OF_USER += ["Quanti video ho?", "Dove abito?", "Where is Anna's bicycle?"]
OF_USER += ["Chi sono?", "Di dove sono?", "Dove sono nato?", "Dove sono i miei occhiali?"]
OF_USER += ["Sono un medico o un avvocato?", "Sono la sorella di Ben?"]
OF_OTHERS = ["Dove sono state messe le chiavi?", "Dove sono tutti i piatti?", "Dove sono Carla e Ben?"]


@pytest.mark.parametrize(
    ("question", "is_theirs"), [*((q, True) for q in OF_USER), *((q, False) for q in [*SEEN, *OF_OTHERS])]
)
def test_a_question_about_the_user_is_not_asked_of_footage(question: str, *, is_theirs: bool) -> None:
    beliefs = UserBeliefs(lambda group, user: no_facts(), LANGUAGES, called="anna")
    assert beliefs.speaks_of_user(question) is is_theirs


def no_facts() -> NoReturn:
    raise AssertionError("the words of the question decide")
