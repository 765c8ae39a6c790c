"""What a turn changes of what was said before: an end, a second job, a correction, a joke."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import StatedFact, Triple, TurnContext, Understood
from amr_neo4j.turn_reader.understand import read_by_rules


def read(lang: str, *turns: str) -> Understood:
    *earlier, turn = turns
    return read_by_rules(turn, lang, TurnContext(tuple(earlier)))


@pytest.mark.parametrize(
    ("lang", "before", "turn", "gone"),
    [
        ("en", "I work at Target.", "Today was my last day at Target!", ("works_at", "target")),
        ("en", "I work at Target.", "Last day at Target was Friday.", ("works_at", "target")),
        ("en", "I work at Target.", "I had my last day at Target yesterday.", ("works_at", "target")),
        ("de", "Ich arbeite bei Opel.", "Seit Freitag bin ich in Rente, endlich!", ("works_at", "")),
        ("fr", "Mon mari s'appelle Luc.", "Depuis hier, Luc et moi sommes divorcés.", ("husband", "")),
    ],
)
def test_an_end_takes_back(lang: str, before: str, turn: str, gone: tuple[str, str]) -> None:
    assert Triple("you", *gone) in read(lang, before, turn).retracted


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "Next Friday is my last day at Target."),
        ("en", "Last day at Target before Christmas!"),
        ("de", "Am Montag ist mein letzter Tag bei Opel."),
        ("de", "Gestern sind wir getrennt nach Hause gefahren."),
        ("it", "Magari, se hai tempo, ci vediamo domani"),
        ("en", "My brother's last day at Target was Friday."),
        ("de", "Mein Vater ist seit Freitag in Rente."),
        ("es", "Mi padre se jubiló el viernes."),
    ],
)
def test_a_coming_end_or_somebody_elses_takes_nothing_back(lang: str, turn: str) -> None:
    before = {
        "en": "I work at Target.",
        "de": "Ich arbeite bei Opel. Meine Frau heißt Ana.",
        "es": "Trabajo en Repsol.",
        "it": "Vivo a Roma.",
    }
    assert read(lang, before[lang]).facts
    assert not read(lang, before[lang], turn).retracted


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "I work at Costa after the office."),
        ("de", "Zwei Abende die Woche arbeite ich bei Rewe."),
        ("fr", "Deux soirs par semaine je travaille chez Paul."),
        ("es", "Después de la oficina trabajo en Zara."),
        ("it", "Ho cominciato a fare il volontario alla Croce Rossa, due sere a settimana."),
    ],
)
def test_work_beside_the_main_one_is_said_to_be_so(lang: str, turn: str) -> None:
    assert [fact.strength for fact in read(lang, turn).facts if fact.triple.relation == "works_at"] == ["beside"]


@pytest.mark.parametrize(
    ("lang", "before", "turn", "place"),
    [
        (
            "de",
            "Ich wohne in Frankfurt.",
            "Moment, falsch getippt: ich meinte Freiburg, nicht Frankfurt.",
            "freiburg",
        ),
        ("fr", "J'habite à Nantes.", "Oups, erreur : Nancy.", "nancy"),
        ("es", "Vivo en Cádiz.", "Espera, error mío: Córdoba, no Cádiz.", "córdoba"),
        ("it", "Vivo a Parma.", "Scusa, errore di battitura: volevo dire Pavia, non Parma.", "pavia"),
        ("en", "I live in Parma.", "Sorry, brain fog from lack of sleep: I meant Pavia.", "pavia"),
    ],
)
def test_an_excuse_before_a_correction_is_no_value(lang: str, before: str, turn: str, place: str) -> None:
    understood = read(lang, before, turn)
    assert [fact.triple for fact in understood.facts] == [Triple("you", "lives_in", place)]
    assert understood.retracted


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "Another meeting at dawn. I just love early meetings. /s"),
        ("de", "Ich liebe Staus ... Scherz, ich hasse sie."),
        ("fr", "J'adore les embouteillages... je plaisante, je les déteste."),
        ("es", "Me encantan los atascos... es broma, los odio."),
        ("it", "Adoro il traffico... scherzo, lo odio."),
        ("en", "Haha yes of course, and I live in Buckingham Palace."),
    ],
)
def test_a_joke_states_nothing(lang: str, turn: str) -> None:
    assert not [fact for fact in read(lang, turn).facts if _is_of_user(fact)]


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "I love Leeds. No, thanks."),
        ("de", "Ich mag Tee. Nein danke."),
        ("es", "Me gusta el té. No, gracias."),
        ("en", "Yes of course, and I live in Leeds too."),
    ],
)
def test_a_polite_no_and_a_sincere_yes_take_nothing_back(lang: str, turn: str) -> None:
    assert any(_is_of_user(fact) for fact in read(lang, turn).facts)


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("es", "Ayer fue mi primer día en el gimnasio"),
        ("en", "First day with Tom as my boss"),
        ("en", "My first day at Acme was ten years ago"),
        ("en", "Yesterday was my first day at Oktoberfest"),
        ("en", "Joke: the user works at Acme"),
        ("de", "Falsch verbunden, Tom"),
    ],
)
def test_first_days_jokes_and_calls_state_no_employer(lang: str, turn: str) -> None:
    assert not read(lang, "I work at Google.", turn).facts


def _is_of_user(fact: StatedFact) -> bool:
    return fact.triple.subject == "you" and fact.triple.relation in ("likes", "lives_in")


@pytest.mark.parametrize(
    ("lang", "turn", "fact"),
    [
        ("en", "Memory note: The user is 47 years old.", ("age", "47")),
        ("en", "[memory] The user lives in Leeds.", ("lives_in", "leeds")),
        ("de", "Notiz: Der Nutzer wohnt in Ulm.", ("lives_in", "ulm")),
    ],
)
def test_the_head_of_a_note_does_not_hide_it(lang: str, turn: str, fact: tuple[str, str]) -> None:
    assert Triple("you", *fact) in [each.triple for each in read(lang, turn).facts]


def test_a_question_with_an_article_is_no_second_half_of_the_turn_before() -> None:
    turns = ("Ma cousine Élodie est passée", "Elle travaille chez Danone", "une idée de goûter ?")
    assert not read("fr", *turns).continues


def test_a_wish_is_no_second_half_of_the_turn_before() -> None:
    assert read("de", "Ich habe Asthma.", "danke dir", "Vergiss bitte, dass ich Asthma habe").forgets


@pytest.mark.parametrize(
    ("lang", "turn", "gone"),
    [
        ("en", "My husband Rob passed away.", ("husband", "rob")),
        ("en", "We had to put our dog Rex down.", ("dog", "rex")),
        ("en", "I broke up with my girlfriend Ida.", ("girlfriend", "ida")),
        ("de", "Mein Mann Rob ist gestorben.", ("husband", "rob")),
        ("de", "Ich habe mich von meiner Freundin Ida getrennt.", ("girlfriend", "ida")),
        ("es", "Mi marido Rob murió.", ("husband", "rob")),
        ("fr", "Mon chien Rex est mort.", ("dog", "rex")),
        ("it", "Ho lasciato la mia ragazza Ida.", ("girlfriend", "ida")),
    ],
)
@pytest.mark.parametrize("is_known", [True, False])
def test_an_end_that_names_the_person_states_nobody(
    lang: str, turn: str, gone: tuple[str, str], is_known: bool
) -> None:
    believed = [Triple("you", *gone)] if is_known else []
    understood = read_by_rules(turn, lang, TurnContext(believed=believed))
    assert not understood.facts
    assert Triple("you", *gone) in understood.retracted


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "My father died in 2019."),
        ("de", "Mein Vater ist gestorben."),
        ("es", "Mi padre murió."),
        ("fr", "Mon père est mort."),
        ("it", "Mio padre è morto."),
    ],
)
def test_a_father_who_died_stays_the_father(lang: str, turn: str) -> None:
    believed = [Triple("you", "father", "karl")]
    gone = read_by_rules(turn, lang, TurnContext(believed=believed)).retracted
    assert believed[0] not in gone and "father" not in {triple.relation for triple in gone}


@pytest.mark.parametrize(
    ("lang", "before", "turn", "home"),
    [
        ("en", "I live in Rome.", "No, Leeds.", "leeds"),
        ("en", "I live in Rome.", "Correction: Leeds.", "leeds"),
        ("en", "I live in Rome.", "Scratch that, Leeds!", "leeds"),
        ("en", "I live in Rome.", "No, Leeds!", "leeds"),
        ("en", "I live in Rome.", "Oh, Paris!", ""),
        ("en", "I live in Rome.", "No, thanks.", ""),
        ("de", "Ich wohne in Rom.", "Ach, Paris!", ""),
        ("es", "Vivo en Roma.", "¡Ah, París!", ""),
        ("fr", "J'habite à Rome.", "Ah, Paris !", ""),
        ("it", "Abito a Roma.", "Ah, Parigi!", ""),
    ],
)
def test_a_place_alone_corrects_a_home_and_an_exclamation_does_not(
    lang: str, before: str, turn: str, home: str
) -> None:
    facts = read_by_rules(turn, lang, TurnContext([before])).facts
    assert [fact.triple.object for fact in facts] == ([home] if home else [])


@pytest.mark.parametrize(
    ("lang", "before", "reply", "turn"),
    [
        ("en", "I live in Rome.", "Shall I look for flights from Rome?", "No, Leeds."),
        ("de", "Ich wohne in Rom.", "Soll ich Flüge ab Rom suchen?", "Nein, Leeds."),
        ("es", "Vivo en Roma.", "¿Busco vuelos desde Roma?", "No, Leeds."),
        ("fr", "J'habite à Rome.", "Je cherche des vols depuis Rome ?", "Non, Leeds."),
        ("it", "Abito a Roma.", "Cerco voli da Roma?", "No, Leeds."),
    ],
)
def test_an_answer_to_a_question_corrects_no_earlier_turn(lang: str, before: str, reply: str, turn: str) -> None:
    assert not read_by_rules(turn, lang, TurnContext([before], reply=reply)).facts


def test_a_number_alone_corrects_a_count() -> None:
    facts = read_by_rules("Sorry, three.", "en", TurnContext(["I have two cats."])).facts
    assert [fact.triple for fact in facts] == [Triple("cats", "quantity", "3")]


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "I turned 40 pages."),
        ("en", "I hit 40 balls."),
        ("en", "I reached 100 followers."),
        ("en", "I'm 20 years into my mortgage."),
        ("fr", "J'ai 20 ans d'expérience."),
        ("it", "Ho 20 anni di esperienza."),
    ],
)
def test_a_number_of_something_is_no_age(lang: str, turn: str) -> None:
    assert "age" not in {fact.triple.relation for fact in read_by_rules(turn, lang).facts}


@pytest.mark.parametrize(
    ("lang", "turn", "ages"),
    [
        ("en", "Tom is a plumber and only 17.", {("tom", "17")}),
        ("en", "His best pal Jaydon is a plumber and only 17.", set()),
        ("en", "Her boss is Kim and only 33.", set()),
        ("it", "Il suo amico è idraulico, 17 anni.", set()),
        ("fr", "Son pote est plombier, 17 ans.", set()),
        ("en", "I'm a nurse and only 29.", {("you", "29")}),
        ("en", "I'm more or less 30.", {("you", "30")}),
        ("en", "My wife says hi. The big 40 today!", {("you", "40")}),
    ],
)
def test_an_age_without_a_subject_is_that_of_the_clause_before(
    lang: str, turn: str, ages: set[tuple[str, str]]
) -> None:
    facts = read_by_rules(turn, lang).facts
    assert {(fact.triple.subject, fact.triple.object) for fact in facts if fact.triple.relation == "age"} == ages


def test_the_mate_of_a_tradesman_is_no_friend() -> None:
    assert "friend_of" not in {
        fact.triple.relation for fact in read_by_rules("Tom is an electrician's mate.", "en").facts
    }


@pytest.mark.parametrize(
    ("lang", "before", "turn"),
    [
        ("en", "Leo turned 5 in May", "their gran picks them up on Mondays"),
        ("fr", "mon grand-père Marcel a 93 ans et coupe encore son bois", "j'ai 35 ans et je souffle"),
    ],
)
def test_a_whole_turn_that_ends_with_a_word_like_a_verb_loses_nothing(lang: str, before: str, turn: str) -> None:
    found = read(lang, before, turn)
    assert not found.retracted
    assert [fact.triple for fact in found.facts] == [fact.triple for fact in read(lang, turn).facts]


@pytest.mark.parametrize(
    ("lang", "before", "turn", "fact"),
    [
        ("en", "I work", "at Siemens", ("works_at", "siemens")),
        ("fr", "je m'appelle", "Tobias", ("name", "tobias")),
    ],
)
def test_a_half_that_ends_with_its_verb_goes_on(lang: str, before: str, turn: str, fact: tuple[str, str]) -> None:
    assert ("you", *fact) in [each.triple for each in read(lang, before, turn).facts]


@pytest.mark.parametrize(
    ("lang", "turns"),
    [
        ("en", ("I am 30.", "Set a timer for five minutes.", "No, ten.")),
        ("en", ("I live in Rome.", "Play the film on Disney.", "No, Netflix.")),
        ("en", ("My brother is Tom.", "Call Jim.", "No, Kate.")),
        ("en", ("I live in Rome.", "No, on Mondays.")),
        ("en", ("I live in Rome.", "No, Mr Smith.")),
        ("en", ("I live in Rome.", "No, God no.")),
        ("de", ("Ich bin 30.", "Stell den Wecker auf fünf Minuten.", "Nein, zehn.")),
        ("es", ("Tengo 30 años.", "Pon una alarma de cinco minutos.", "No, diez.")),
        ("fr", ("J'ai 30 ans.", "Mets un minuteur de cinq minutes.", "Non, dix.")),
        ("it", ("Ho 30 anni.", "Imposta un timer di cinque minuti.", "No, dieci.")),
    ],
)
def test_a_value_alone_corrects_no_turn_but_the_last(lang: str, turns: tuple[str, ...]) -> None:
    understood = read(lang, *turns)
    assert not understood.facts and not understood.retracted
