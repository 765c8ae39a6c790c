"""Plans that sentences state, in five languages."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Until
from amr_neo4j.language.languages import language
from amr_neo4j.language.plans import Intention, PlanQuestion
from amr_neo4j.turn_reader.understand import read_by_rules


@pytest.mark.parametrize(
    ("code", "sentence", "plan"),
    [
        ("en", "Remind me to water the basil tomorrow morning.", Intention("water the basil", Until("day", 1))),
        ("en", "We still need milk and eggs.", Intention("milk and eggs")),
        ("en", "Let's fetch the cake.", Intention("fetch the cake")),
        ("en", "Let's see.", None),
        ("en", "I'll put it here.", None),
        ("en", "Can you buy bread?", None),
        ("en", "I already bought the milk.", None),
        ("en", "Let's not do it.", None),
        ("en", "We don't need milk any more.", Intention("milk", dropped=True)),
        ("de", "Ich muss am Freitag den Klempner anrufen.", Intention("klempner anrufen", Until("weekday", 4))),
        ("de", "Wir brauchen keine Milch mehr.", Intention("milch", dropped=True)),
        ("de", "Mal sehen.", None),
        ("es", "Recuérdame regar la albahaca mañana.", Intention("regar la albahaca", Until("day", 1))),
        ("es", "Ya no necesitamos leche.", Intention("leche", dropped=True)),
        ("fr", "Rappelle-moi d'arroser le basilic demain.", Intention("arroser le basilic", Until("day", 1))),
        ("fr", "On n'a plus besoin de lait.", Intention("lait", dropped=True)),
        ("it", "Dobbiamo ancora comprare il latte.", Intention("comprare il latte")),
        ("it", "Non ci serve più il latte.", Intention("latte", dropped=True)),
    ],
)
def test_what_a_sentence_plans(code: str, sentence: str, plan: Intention | None) -> None:
    assert language(code).plans.read(sentence) == plan


@pytest.mark.parametrize(
    ("code", "question", "asked"),
    [
        ("en", "What did we still want to buy?", PlanQuestion(frozenset({"buy"}), None)),
        ("en", "What is planned for this evening?", PlanQuestion(frozenset(), Until("day", 0))),
        ("en", "What are we doing on Friday?", PlanQuestion(frozenset(), Until("weekday", 4))),
        ("en", "Did we call the plumber?", None),
        ("en", "Where is the cup?", None),
        ("en", "Where is the floor plan?", None),
        ("en", "Who drew the plan?", None),
        ("en", "What is the plan for today?", PlanQuestion(frozenset(), Until("day", 0))),
        ("de", "Wer stand vor der Tür?", None),
        ("de", "Was haben wir vor?", PlanQuestion(frozenset(), None)),
        ("de", "Wo ist der Bauplan?", None),
        ("fr", "Où est le plan de la ville ?", None),
        ("it", "Chi suona il piano?", None),
        ("de", "Was wollten wir noch kaufen?", PlanQuestion(frozenset({"kaufen"}), None)),
        ("es", "¿Qué queríamos comprar todavía?", PlanQuestion(frozenset({"comprar"}), None)),
        ("fr", "Qu'est-ce qui est prévu pour ce soir ?", PlanQuestion(frozenset(), Until("day", 0))),
        ("it", "Che cosa volevamo ancora comprare?", PlanQuestion(frozenset({"comprare"}), None)),
    ],
)
def test_questions_for_plans(code: str, question: str, asked: PlanQuestion | None) -> None:
    assert language(code).plans.asked(question) == asked


def test_a_turn_keeps_its_plans_apart_from_what_is_so() -> None:
    understood = read_by_rules("I live in Rome. Remind me to call Ana tomorrow.", "en")
    assert [fact.triple.relation for fact in understood.facts] == ["lives_in"]
    assert [fact.triple for fact in understood.said_by("ben").intentions] == [("ben", "plans", "call ana")]


@pytest.mark.parametrize(
    ("code", "question", "asks"),
    [
        ("en", "Did we call the plumber?", True),
        ("en", "Who called the plumber?", True),
        ("en", "Did I want to be a pilot?", False),
        ("en", "Who brings the cake?", False),
        ("en", "When will we visit grandma?", False),
        ("de", "Haben wir den Klempner angerufen?", True),
        ("de", "Hat Anna versprochen, den Kuchen zu bringen?", False),
        ("es", "¿Hemos llamado al fontanero?", True),
        ("es", "¿Ha prometido traer el pastel?", False),
        ("fr", "Est-ce qu'on a appelé le plombier ?", True),
        ("fr", "Est-ce qu'elle a promis d'apporter le gâteau ?", False),
        ("it", "Abbiamo chiamato l'idraulico?", True),
        ("it", "Ha promesso di portare la torta?", False),
    ],
)
def test_a_question_for_what_was_wanted_or_promised_asks_for_no_deed(code: str, question: str, asks: bool) -> None:
    assert language(code).plans.asks_deed(question) is asks
