"""What tells nothing about the user does not answer a question about the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import Mock

import pytest

from amr_neo4j.app.beliefs import UserBeliefs
from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.recall import Recalled, Scope
from amr_neo4j.domain.speakers import Speakers

_SCOPE = Scope("home", user_id="anna")
_FACTS = Mock()
_FACTS.return_value.full_names.return_value = frozenset()
_FACTS.return_value.about.return_value = []
_BELIEFS = UserBeliefs(_FACTS, ("en", "es", "fr", "de", "it"), speakers=Speakers.with_agents("Jarvis"))
_ABOUT_USER = {
    "en": "Where do I live?",
    "es": "¿Dónde trabajo?",
    "fr": "Comment je m'appelle ?",
    "de": "Wie heißt meine Katze?",
    "it": "Come mi chiamo?",
}


def _turn(text: str, actor: str = "user") -> Event:
    turn = Turn("e", "s", 0, "t", actor)
    return Event(-1, "home", "s", (), 0, 0.0, 1.0, f"{actor}: {text}", turn=turn)


@pytest.mark.parametrize("question", _ABOUT_USER.values())
@pytest.mark.parametrize("actor", ["assistant", "system", "tool", "Système", "gpt-4o", "jarvis", "weather-bot"])
def test_the_words_of_programs_are_no_evidence(question: str, actor: str) -> None:
    assert _BELIEFS.no_evidence(question, [_turn("You live in Rome.", actor)], _SCOPE) == {-1}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Is there a good dentist in Leamington?"),
        ("en", "where can I find a dentist in Rome"),
        ("en", "What if I bought a Tesla?"),
        ("en", 'How do you say "my name is Otto" in German?'),
        ("en", "Translate: I live in Rome."),
        ("en", "If I lived in Rome, I would eat pizza every day."),
        ("en", "Imagine I lived in Rome."),
        ("es", "¿Hay un buen dentista en Getafe?"),
        ("es", "Si viviera en Roma, comería pizza."),
        ("es", "Traduce: vivo en Roma."),
        ("fr", "Y a-t-il un bon dentiste à Reims ?"),
        ("fr", "Traduis : j'habite à Rome."),
        ("fr", "Imagine que j'habite à Rome."),
        ("fr", "Si j'avais un bateau, je naviguerais vers Corfou."),
        ("de", "Angenommen, ich hätte eine Katze namens Mimi, wäre das ein guter Name?"),
        ("de", "Wenn ich in Rom wohnte, würde ich Pizza essen."),
        ("de", "Übersetze: Ich wohne in Rom."),
        ("it", "C'è un bravo dentista a Pavia?"),
        ("it", "Traduci: abito a Roma."),
        ("it", 'Come si dice "mi chiamo Otto" in tedesco?'),
    ],
)
def test_questions_hypotheses_and_tasks_are_no_evidence(code: str, text: str) -> None:
    assert _BELIEFS.no_evidence(_ABOUT_USER[code], [_turn(text)], _SCOPE) == {-1}


@pytest.mark.parametrize(
    "text",
    [
        "I live in Rome, right?",
        "I live in Rome. Where can I eat?",
        "Did I tell you that I live in Rome?",
        "Which is why I moved to Rome.",
        "If it rains I take my umbrella.",
        "Thanks! My car is a Tesla.",
        "Vivo en Roma, ¿verdad?",
        "J'habite à Rome, non ?",
        "Wenn es regnet, bleibe ich zu Hause.",
    ],
)
def test_statements_are_evidence(text: str) -> None:
    assert _BELIEFS.no_evidence("Where do I live?", [_turn(text), _turn(text, "Ben")], _SCOPE) == set()


@pytest.mark.parametrize(
    "question",
    ["What did you recommend to me?", "¿Qué me recomendaste?", "What did I ask you?", "What is Anna's job?"],
)
def test_questions_about_others_and_about_what_was_said_take_all_turns(question: str) -> None:
    turns = [_turn("You might like Rome.", "assistant"), _turn("Is Rome nice?")]
    assert _BELIEFS.no_evidence(question, turns, _SCOPE) == set()


@pytest.mark.parametrize(
    ("question", "text", "is_evidence"),
    [
        ("What is my name?", "I live in Porto.", False),
        ("What is my name?", "I live in Porto, but everyone says Toby.", True),
        ("What is my name?", "Toby here.", True),
        ("Where do I work?", "I like tea.", False),
        ("What is my job?", "I work at BMW.", True),
        ("Do I have a dog?", "I live in Porto.", False),
        ("Wie heiße ich?", "Ich wohne in Ulm.", False),
        ("¿Cómo me llamo?", "Vivo en Vigo.", False),
        ("Comment je m'appelle ?", "J'habite à Nantes.", False),
        ("Quanti anni ho?", "Abito a Roma.", False),
    ],
)
def test_a_turn_that_states_something_else_in_all_its_words_is_no_evidence(
    question: str, text: str, *, is_evidence: bool
) -> None:
    assert (_BELIEFS.no_evidence(question, [_turn(text)], _SCOPE) == set()) is is_evidence


@pytest.mark.parametrize(
    ("earlier", "later", "are_contrary"),
    [
        ("The deploy on Fridays is allowed.", "The deploy on Fridays is not allowed.", True),
        ("Dogs are allowed in the office.", "As of this week dogs are forbidden in the office.", True),
        ("You can park here.", "You can't park here anymore.", True),
        ("I love Thai food.", "Sorry. I hate Thai food.", True),
        ("The gym is open on Sundays.", "The gym is closed on Sundays.", True),
        ("The gym is open on Sundays.", "The gym is not open on bank holidays.", False),
        ("I love Thai food.", "I hate Greek food.", False),
        ("Ich liebe Opern.", "Ich hasse Opern.", True),
        ("J'adore dormir sous la tente.", "Je déteste dormir sous la tente.", True),
        ("Me encanta dormir en tienda.", "Odio dormir en tienda.", True),
        ("Adoro dormire in tenda.", "Odio dormire in tenda.", True),
        ("Our neighbours love the new bridge.", "Our neighbours hate the new bridge.", True),
        ("Unsere Nachbarn lieben die neue Brücke.", "Unsere Nachbarn hassen die neue Brücke.", True),
        ("Nos voisins adorent le nouveau pont.", "Nos voisins détestent le nouveau pont.", True),
        ("Nuestros vecinos adoran el puente nuevo.", "Nuestros vecinos odian el puente nuevo.", True),
        ("I nostri vicini adorano il ponte nuovo.", "I nostri vicini odiano il ponte nuovo.", True),
        ("The boss enjoys the new rule.", "The boss detests the new rule.", True),
        ("Der Chef genießt die neue Regel.", "Der Chef verabscheut die neue Regel.", True),
        ("Al jefe le gusta la regla nueva.", "El jefe odia la regla nueva.", True),
        ("Al capo piace la nuova regola.", "Il capo odia la nuova regola.", True),
        ("Ich liebe Opern.", "Ich hasse Musicals.", False),
        ("Al capo piace la nuova regola.", "Il capo odia la vecchia regola.", False),
        ("It works.", "It doesn't work.", False),
        ("Está permitido fumar en la terraza.", "Desde hoy no está permitido fumar en la terraza.", True),
        ("Le wifi marche.", "Le wifi ne marche pas.", True),
        ("Les vélos sont autorisés dans la cour.", "Maintenant les vélos sont interdits dans la cour.", True),
        ("Hunde sind im Büro erlaubt.", "Ab sofort sind Hunde im Büro nicht mehr erlaubt.", True),
        ("In giardino il cane è ammesso.", "Da oggi in giardino il cane non è più ammesso.", True),
        ("Il est permis de fumer ici le soir.", "Il n'est pas permis de fumer ici le soir.", True),
        ("Dogs are allowed in our office, best perk ever", "new rule: dogs are not allowed in our office", True),
        ("I eat meat.", "I don't eat meat anymore, went vegetarian in January.", True),
        ("I take the bus to work.", "I didn't take the bus today.", False),
        ("The shop opens at nine on Mondays.", "No, the shop opens at nine.", False),
        ("Early, as always, Tom came at six.", "Late, as always, Anna came at eight.", False),
        ("Dogs are allowed in the building.", "Dogs are not allowed in the kitchen.", False),
        ("I live in Rome with Ben.", "I don't live with my parents.", False),
        ("I like tea, but I don't like coffee.", "I like tea.", False),
        ("Je mange de la viande.", "Je ne mange plus de viande, je suis végétarien.", True),
        ("Il parcheggio è permesso, per fortuna", "Nuova regola: il parcheggio non è permesso.", True),
    ],
)
def test_the_later_of_two_contrary_turns_is_known(earlier: str, later: str, *, are_contrary: bool) -> None:
    assert _BELIEFS.contrary([earlier, later]) == ({0: 1} if are_contrary else {})


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I live?", "Dr. Miriam Salt lives in Zurich and works at ETH. She is 47."),
        ("How old am I?", "ok cool. need it quick tho, my shift starts at 2"),
        ("Where do I work?", "nah just daydreaming"),
        ("Who lives in Paris?", "Leah lives in Dublin now, she's lovely"),
        ("¿Cómo me llamo?", 'estamos con Miguel Hernández en clase: "Me llamo barro aunque Miguel me llame"'),
        ("¿Dónde vivo?", "te copio un mail:\n> Hola, ya vivo en Valencia y trabajo en Mercadona."),
        ("Quel âge ai-je ?", "j'adore cette réplique : « il a 45 ans et il sort »"),
        ("Wo wohne ich?", "hä wie kommst du darauf"),
        ("Wie heiße ich?", '"Ich heiße Paul Wirth und wohne in Kiel."'),
        ("Dove vivo?", '"Mi chiamo Paolo Ricci, ho 45 anni, vivo a Milano e lavoro da Prada."'),
        ("How old is Biscuit?", "Biscuit ate 3 socks"),
        ("¿Cuántos años tiene Biscuit?", "Biscuit se comió 3 calcetines"),
        ("Quel âge a Biscuit ?", "Biscuit a mangé 3 chaussettes"),
        ("Wie alt ist Biscuit?", "Biscuit hat 3 Socken gefressen"),
        ("Quanti anni ha Biscuit?", "Biscuit ha mangiato 3 calzini"),
    ],
)
def test_turns_that_do_not_state_the_fact_asked_for(question: str, text: str) -> None:
    assert not _BELIEFS.fact_asked(question, _SCOPE).may_be_stated([_turn(text)])
    assert _BELIEFS.fact_asked("What did I say about the weather?", _SCOPE).may_be_stated([_turn(text)]), (
        "none asked for"
    )


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I live?", "I live in Rome."),
        ("What vegetable do I dislike?", "I hate okra"),
        ("¿Dónde vivo?", "uf en Bilbao, si yo vivo en Vitoria... toca madrugar"),
        ("Où est-ce que je travaille ?", "moi je travaille chez Ubisoft, je te l'avais dit ?"),
        ("Wo arbeite ich?", "und bei BMW bin ich auch nicht, ich arbeite bei Krones"),
        ("Dove lavoro?", "lavoro all'Enel io"),
        ("Who lives in Dublin?", "my cousin who lives in Dublin has a dog"),
        ("How old is Biscuit?", "Biscuit is 3 years old"),
        ("¿Cuántos años tiene Biscuit?", "Biscuit ya tiene 3 años"),
        ("Quel âge a Biscuit ?", "Biscuit a déjà 3 ans"),
        ("Wie alt ist Biscuit?", "Biscuit ist schon 3 Jahre alt"),
        ("Quanti anni ha Biscuit?", "Biscuit ha già 3 anni"),
    ],
)
def test_turns_that_may_state_the_fact_asked_for(question: str, text: str) -> None:
    assert _BELIEFS.fact_asked(question, _SCOPE).may_be_stated([_turn("wrong place lol whatever"), _turn(text)])


def test_whom_a_question_names_is_looked_up_once() -> None:
    facts = Mock()
    facts.return_value.about.return_value = []
    facts.return_value.full_names.return_value = frozenset()
    facts.return_value.turns_of_others.return_value = set()
    asked = UserBeliefs(facts, ("en",)).fact_asked("Where does my sister live?", _SCOPE)
    assert not asked.stated_of_others([_turn("I live in Bonn.")])
    assert asked.may_be_stated([_turn("My sister lives in Rome.")])
    facts.return_value.about.assert_called_once()


@pytest.mark.parametrize(
    ("question", "named", "role"),
    [
        ("When is Clara's wedding?", "clara", "sister"),
        ("When is my sister's wedding?", "sister", "clara"),
        ("¿Cuándo es la boda de Clara?", "clara", "hermana"),
        ("Quand est le mariage de Clara ?", "clara", "sœur"),
        ("Wann ist Claras Hochzeit?", "claras", "schwester"),
        ("Quando è il matrimonio di Clara?", "clara", "sorella"),
    ],
)
def test_the_other_words_for_a_relative_who_is_alone_in_the_role(question: str, named: str, role: str) -> None:
    facts = Mock()
    clara, dora = (
        Recalled("fact", "", 1.0, None, None, triple=Triple("you", "sister", name)) for name in ("clara", "dora")
    )
    facts.return_value.about.return_value = [clara]
    beliefs = UserBeliefs(facts, ("en", "es", "fr", "de", "it"))
    assert (named, role) in beliefs.kin_words(question, _SCOPE)
    facts.return_value.about.return_value = [clara, dora]
    assert not [pair for pair in beliefs.kin_words(question, _SCOPE) if role in pair], "which sister?"


class _Judge:
    """Finds what is about allergies helpful."""

    def relevance(self, question: str, turns: Sequence[str]) -> list[float]:
        return [0.9 if "allergic" in turn else 0.8 if "vegan" in turn else 0.1 for turn in turns]


@pytest.mark.parametrize(
    ("said", "best"),
    [
        (["I work in Lima.", "I'm vegan.", "I'm allergic to nuts."], "I'm allergic to nuts."),
        (["I'm vegan.", "Am I allergic to nuts?"], "I'm vegan."),  # a question states nothing
        (["I work in Lima."], None),
    ],
)
def test_the_turn_that_helps_most_needs_no_word_of_the_question(said: list[str], best: str | None) -> None:
    turns = [replace(_turn(text), node_id=-number) for number, text in enumerate(said, 1)]
    turns.append(replace(_turn("You are allergic to cats.", "assistant"), node_id=-9))
    beliefs = replace(_BELIEFS, relevance=_Judge)
    found = beliefs.fact_asked("What should I not eat?", _SCOPE).most_helpful(turns)
    assert found == (None if best is None else -1 - said.index(best))
    # Nobody asks what is true of the user.
    assert beliefs.fact_asked("Who ate the nuts?", _SCOPE).most_helpful(turns) is None
