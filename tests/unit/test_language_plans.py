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
        ("en", "Can you remind me to call mum?", Intention("call mum")),
        ("en", "Could you please remind me to buy milk tomorrow?", Intention("buy milk", Until("day", 1))),
        ("en", "Did Ann remind me to call mum?", None),
        (
            "de",
            "Kannst du mich daran erinnern, morgen Milch zu kaufen?",
            Intention("milch zu kaufen", Until("day", 1)),
        ),
        ("fr", "Peux-tu me rappeler d'arroser le basilic demain ?", Intention("arroser le basilic", Until("day", 1))),
        ("es", "¿Puedes recordarme regar la albahaca mañana?", Intention("regar la albahaca", Until("day", 1))),
        ("it", "Puoi ricordarmi di comprare il latte domani?", Intention("comprare il latte", Until("day", 1))),
        ("en", "We still need milk.", Intention("fetch milk")),
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
        # Dates.
        ("en", "I need to call the dentist on 14 March.", Intention("call the dentist", Until("month", 3, day=14))),
        ("en", "I need to call mum on March 14th, 2027.", Intention("call mum", Until("month", 3, 2027, 14))),
        ("en", "Let's buy milk next Friday.", Intention("buy milk", Until("weekday", 4))),
        ("en", "Let's buy milk in two days.", Intention("buy milk", Until("day", 2))),
        (
            "en",
            "We have to renew the passport by the end of the month.",
            Intention("renew the passport", Until("rest_of_month", 0)),
        ),
        ("en", "We have to paint the fence next week.", Intention("paint the fence", Until("week", 1))),
        ("en", "I have to pay this month's rent.", Intention("pay this month's rent")),
        # A date in the name of a thing is no day of the plan.
        ("en", "Let's buy tickets for the Friday concert.", Intention("buy tickets for the friday concert")),
        (
            "en",
            "I need to print the 14 March report on Friday.",
            Intention("print the 14 march report", Until("weekday", 4)),
        ),
        ("en", "Let's paint the fence at the weekend.", Intention("paint the fence", Until("week", 0))),
        ("de", "Ich muss den Bericht vom 14. März drucken.", Intention("bericht vom 14. märz drucken")),
        ("fr", "Je dois acheter le journal du dimanche.", Intention("acheter le journal du dimanche")),
        ("es", "Tengo que imprimir el informe del 14 de marzo.", Intention("imprimir el informe del 14 de marzo")),
        ("it", "Devo comprare il giornale della domenica.", Intention("comprare il giornale della domenica")),
        # The evening of a date, or the course of a week, is a time.
        (
            "en",
            "I have to call the bank on the morning of 5 March.",
            Intention("call the bank on the morning of", Until("month", 3, day=5)),
        ),
        (
            "en",
            "I have to see the dentist the 5th of March without fail.",
            Intention("see the dentist without fail", Until("month", 3, day=5)),
        ),
        (
            "de",
            "Ich muss am Morgen vom 5. März die Bank anrufen.",
            Intention("am morgen vom die bank anrufen", Until("month", 3, day=5)),
        ),
        (
            "fr",
            "Je dois arroser les plantes dans la soirée du 5 mars.",
            Intention("arroser les plantes dans la soirée du", Until("month", 3, day=5)),
        ),
        (
            "es",
            "Tengo que terminar el informe a finales de este mes.",
            Intention("terminar el informe", Until("rest_of_month", 0)),
        ),
        (
            "es",
            "Tengo que llamar al banco el lunes de la próxima semana.",
            Intention("llamar al banco", Until("week", 1)),
        ),
        (
            "it",
            "Devo chiamare Anna nel pomeriggio del 5 marzo.",
            Intention("chiamare anna nel pomeriggio del", Until("month", 3, day=5)),
        ),
        (
            "it",
            "Voglio chiamare Anna alle 8 del 5 marzo.",
            Intention("chiamare anna alle 8 del", Until("month", 3, day=5)),
        ),
        (
            "es",
            "Voy a llamar al banco a primera hora de mañana.",
            Intention("llamar al banco a primera hora", Until("day", 1)),
        ),
        (
            "fr",
            "Je vais commencer le régime à compter du 5 mars.",
            Intention("commencer le régime à compter du", Until("month", 3, day=5)),
        ),
        # "Her" is also whom something is done to.
        (
            "en",
            "I'm going to visit her Friday straight after work.",
            Intention("visit her straight after work", Until("weekday", 4)),
        ),
        ("en", "I have to call mum at five on Friday.", Intention("call mum at five", Until("weekday", 4))),
        (
            "de",
            "Ich muss am 14. März den Zahnarzt anrufen.",
            Intention("zahnarzt anrufen", Until("month", 3, day=14)),
        ),
        ("de", "Wir müssen in zwei Wochen das Auto reparieren.", Intention("auto reparieren", Until("day", 14))),
        ("de", "Wir müssen nächste Woche den Zaun streichen.", Intention("zaun streichen", Until("week", 1))),
        (
            "es",
            "Tengo que llamar al dentista el 14 de marzo.",
            Intention("llamar al dentista", Until("month", 3, day=14)),
        ),
        (
            "es",
            "Tengo que pagar el alquiler a fin de mes.",
            Intention("pagar el alquiler", Until("rest_of_month", 0)),
        ),
        ("es", "Tenemos que pintar la valla la semana que viene.", Intention("pintar la valla", Until("week", 1))),
        (
            "fr",
            "Je dois appeler le dentiste le 14 mars.",
            Intention("appeler le dentiste", Until("month", 3, day=14)),
        ),
        ("fr", "Je dois acheter du pain dans deux jours.", Intention("acheter du pain", Until("day", 2))),
        (
            "fr",
            "Je dois payer le loyer avant la fin du mois.",
            Intention("payer le loyer", Until("rest_of_month", 0)),
        ),
        (
            "it",
            "Devo chiamare il dentista il 14 marzo.",
            Intention("chiamare il dentista", Until("month", 3, day=14)),
        ),
        ("it", "Devo chiamare Ada l'8 marzo.", Intention("chiamare ada", Until("month", 3, day=8))),
        ("it", "Devo comprare il pane tra due giorni.", Intention("comprare il pane", Until("day", 2))),
        (
            "it",
            "Devo pagare l'affitto entro la fine del mese.",
            Intention("pagare l'affitto", Until("rest_of_month", 0)),
        ),
        # Going somewhere keeps its verb, and is a plan only with a time.
        ("en", "I'm going to Paris tomorrow.", Intention("go to paris", Until("day", 1))),
        ("en", "I'm going to visit Ana on Friday.", Intention("visit ana", Until("weekday", 4))),
        ("en", "I have to go to the bank tomorrow.", Intention("go to the bank", Until("day", 1))),
        ("de", "Ich muss morgen zum Arzt.", Intention("zum arzt", Until("day", 1))),
        ("es", "Voy a Madrid mañana.", Intention("ir a madrid", Until("day", 1))),
        ("es", "Voy a visitar a Ana el viernes.", Intention("visitar a ana", Until("weekday", 4))),
        ("fr", "Je vais chez le médecin demain.", Intention("aller chez le médecin", Until("day", 1))),
        ("fr", "Je vais acheter du pain demain.", Intention("acheter du pain", Until("day", 1))),
        ("it", "Vado a Roma domani.", Intention("andare a roma", Until("day", 1))),
        ("it", "Vado a comprare il pane domani.", Intention("comprare il pane", Until("day", 1))),
        # A time of any day is none of the days to come.
        ("en", "I have to pick up Ana at noon tomorrow.", Intention("pick up ana at noon", Until("day", 1))),
        ("en", "Remind me to take my pills every morning.", Intention("take my pills every morning")),
        ("es", "Tengo que regar las plantas por la mañana.", Intention("regar las plantas por la mañana")),
        ("es", "Tengo que ir al banco mañana por la mañana.", Intention("ir al banco", Until("day", 1))),
        ("de", "Ich muss am Morgen die Blumen gießen.", Intention("am morgen die blumen gießen")),
        ("de", "Ich muss morgen die Blumen gießen.", Intention("blumen gießen", Until("day", 1))),
        ("fr", "Rappelle-moi de prendre mes médicaments le matin.", Intention("prendre mes médicaments le matin")),
        ("it", "Devo lavorare lunedì.", Intention("lavorare", Until("weekday", 0))),
        ("it", "Devo restituirgli il libro.", Intention("restituirgli il libro")),
    ],
)
def test_what_a_sentence_plans(code: str, sentence: str, plan: Intention | None) -> None:
    assert language(code).plans.read(sentence) == ([plan] if plan else [])


@pytest.mark.parametrize(
    ("code", "sentence", "plans"),
    [
        ("en", "We still need milk, white bread and eggs.", ["fetch milk", "fetch white bread", "fetch eggs"]),
        ("en", "I have to buy a cake and invite Ana.", ["buy a cake", "invite ana"]),
        ("en", "Let's buy the tickets and go home.", ["buy the tickets"]),
        ("en", "Let's call Ana and Ben tomorrow.", ["call ana and ben"]),
        ("de", "Wir müssen noch Milch, Brot und Eier kaufen.", ["milch kaufen", "brot kaufen", "eier kaufen"]),
        ("es", "Tenemos que comprar leche y huevos.", ["comprar leche", "comprar huevos"]),
        ("fr", "Je dois acheter du lait et des œufs demain.", ["acheter du lait", "acheter des œufs"]),
        ("it", "Dobbiamo ancora comprare il latte e il pane.", ["comprare il latte", "comprare il pane"]),
    ],
)
def test_each_of_several_things_to_get_is_a_plan(code: str, sentence: str, plans: list[str]) -> None:
    assert [plan.what for plan in language(code).plans.read(sentence)] == plans


ORDINARY = {
    "en": """I have to say I love this song. | I have to admit I was wrong.
        | I need to know what time it is. | I want to thank you. | I need to think about it.
        | I have to agree. | I have to go. | I have to work. | I don't have to work tomorrow.
        | I don't need to buy milk. | I don't think I have to call him tomorrow. | I'm going to bed.
        | We might go to Rome. | I could call him tomorrow. | I might buy a car tomorrow.
        | I have to get up at six every morning. | I have to work every Monday. | I want to be happy.
        | I still need time. | I remember to this day how he laughed. | I will always love you.""",
    "de": """Ich muss los. | Ich muss sagen, das schmeckt gut. | Ich muss zugeben, dass ich müde bin.
        | Ich muss wissen, wo er ist. | Ich muss darüber nachdenken. | Ich muss dir was erzählen.
        | Ich muss mal. | Ich muss nicht mehr arbeiten. | Ich muss morgen nicht arbeiten.
        | Ich will nicht mehr rauchen. | Ich muss jeden Morgen um sechs aufstehen.
        | Wir könnten morgen ins Kino gehen. | Ich brauche noch Zeit.""",
    "es": """Quiero mucho a mi madre. | Te quiero. | Quiero que vengas. | Quiero un café. | Debo dinero.
        | Debo 20 euros a Luis. | Debo decir que es bueno. | Tengo que decir que no. | Hay que ver.
        | Pienso en ti. | Ya no tengo que trabajar. | No tengo que trabajar mañana. | No quiero ir.
        | Podríamos ir al cine mañana. | Voy a la escuela.
        | Tengo que regar las plantas todas las mañanas.""",
    "fr": """Je veux bien. | Je veux bien un café. | Je dois dire que c'est bon. | Je dois 20 euros à Luc.
        | Je n'ai plus à travailler. | Je ne dois pas travailler demain.
        | Je dois pas travailler demain. | Je veux que tu viennes. | Il faut dire que c'est beau.
        | Il faut deux heures pour y aller. | Je compte sur toi. | J'ai besoin de toi.
        | Je vais à l'école. | Je vais bien. | On pourrait aller au cinéma demain.
        | Je dois me lever tous les matins à six heures. | Je dois travailler le lundi.""",
    "it": """Ti voglio bene. | Voglio bene a mia madre. | Voglio un caffè. | Voglio che tu venga.
        | Devo 20 euro a Luca. | Devo dire che è buono. | Devo andare. | Non devo lavorare domani.
        | Non voglio andare. | Vado a scuola. | Mi manca mia madre. | Potremmo andare al cinema domani.
        | Voglio dire, è difficile. | Devo annaffiare le piante ogni mattina.
        | Devo alzarmi la mattina alle sei.""",
}


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(code, each.strip()) for code, sentences in ORDINARY.items() for each in sentences.split("|")],
)
def test_ordinary_talk_plans_nothing(code: str, sentence: str) -> None:
    assert not language(code).plans.read(sentence)


@pytest.mark.parametrize(
    ("code", "question", "asked"),
    [
        ("en", "What did Alice plan to do with the basil?", PlanQuestion(frozenset({"alice", "basil"}), None)),
        ("en", "What did we plan for Friday?", PlanQuestion(frozenset(), Until("weekday", 4))),
        ("en", "What did we still want to buy?", PlanQuestion(frozenset({"buy"}), None)),
        ("en", "What is planned for this evening?", PlanQuestion(frozenset(), Until("day", 0))),
        ("en", "What are we doing on Friday?", PlanQuestion(frozenset(), Until("weekday", 4))),
        ("en", "Did we call the plumber?", None),
        ("en", "Where is the cup?", None),
        ("en", "Where is the floor plan?", None),
        ("en", "Who drew the plan?", None),
        ("en", "Who needs to buy a pillow?", PlanQuestion(frozenset({"buy", "pillow"}), None)),
        ("en", "What to eat for dinner?", PlanQuestion(frozenset({"eat", "dinner"}), None)),
        ("en", "What are we going to bake tomorrow?", PlanQuestion(frozenset({"bake"}), Until("day", 1))),
        ("en", "When are we going to the lake?", None),
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
    # Nobody will know what "it" was.
    assert not read_by_rules("I have to buy it.", "en").intentions


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


@pytest.mark.parametrize(
    ("lang", "text", "is_plan"),
    [
        ("de", "Kannst du mich daran erinnern, Milch zu kaufen?", True),
        ("de", "Kannst du mich erinnern, wo meine Schwester wohnt?", False),
        ("en", "Can you remind me where I live?", False),
        ("es", "¿Puedes recordarme llamar a mamá?", True),
        ("es", "¿Me puedes recordar dónde vive mi hermana?", False),
        ("es", "¿Puedes recordarme el nombre de la calle?", False),
        ("fr", "Tu peux me rappeler d'acheter du lait ?", True),
        ("fr", "Tu peux me rappeler de quoi on parlait ?", False),
        ("it", "Puoi ricordarmi di comprare il latte?", True),
        ("it", "Puoi ricordarmi che cosa ho detto ieri?", False),
    ],
)
def test_who_asks_to_be_reminded_of_what_is_known_plans_nothing(lang: str, text: str, is_plan: bool) -> None:
    assert bool(language(lang).plans.read(text)) == is_plan
