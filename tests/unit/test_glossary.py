"""A question in another language becomes an English one, by a table of words."""

from __future__ import annotations

import inspect
import re
from datetime import UTC, datetime, timedelta

import pytest

from amr_neo4j.app.beliefs import language_asked, language_of_question
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language import grammar
from amr_neo4j.language.en import grammar as english_grammar
from amr_neo4j.language.glossary import glossary
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.language.spoken import AskedLanguage

LANGUAGES = ("de", "fr", "es", "it")
ALL = ("en", "es", "fr", "de", "it")


@pytest.mark.parametrize(
    ("code", "question", "english"),
    [
        (
            "de",
            "Wo hat Anna gestern Abend den roten Schirm hingelegt?",
            "where did Anna put yesterday evening the red umbrella?",
        ),
        ("de", "Wer hat die Tür geöffnet, bevor Ben kam?", "who opened the door, before Ben came?"),
        # "Vor" belongs to a verb ("hat ... vor") only at the end of the clause.
        ("de", "Was hat Ben vor der Tür gemacht?", "what did Ben do before the door?"),
        ("de", "Wer hob die Tasse auf dem Tisch auf?", "who picked up the mug on the table?"),
        ("de", "Was hat Ben vor?", "what did Ben intend?"),
        ("de", "Wer hat die Tür vor Montag geöffnet?", "who opened the door before monday?"),
        ("fr", "Qui est venu à 8 heures du matin ?", "who came at 8 o'clock in the morning?"),
        ("es", "¿Quién vino a las 8 de la mañana?", "who came at 8 o'clock in the morning?"),
        # Words before the question word that are no part of the question.
        ("de", "Weißt du, wer die Tür geöffnet hat?", "who opened the door?"),
        ("fr", "Sais-tu qui a ouvert la porte ?", "who opened the door?"),
        ("es", "¿Sabes quién abrió la puerta?", "who opened the door?"),
        ("it", "Non so chi ha aperto la porta?", "who opened the door?"),
        # So do other words of their own, and without a comma.
        ("de", "Wer macht die Tür auf bevor Ben kommt?", "who undid the door, before Ben came?"),
        ("de", "Wer zog die Jacke an gestern?", "who put on the jacket yesterday?"),
        ("de", "Was hat Anna vor zu tun?", "what did Anna intend to do?"),
        # Words before "which", and a noun behind "what".
        ("de", "Vor welcher Tür stand Ben?", "before which door did Ben stand?"),
        ("de", "Was für eine Tür hat Ben geöffnet?", "what kind of door did Ben open?"),
        ("fr", "Devant quelle porte était Ben ?", "in front of which door was Ben?"),
        ("es", "¿Qué puerta abrió Ben?", "what door did Ben open?"),
        # What kind of thing.
        ("de", "Welche Art von Tee hat Ben gekauft?", "what kind of tea did Ben buy?"),
        ("fr", "Quel genre de thé a acheté Ben ?", "what kind of tea did Ben buy?"),
        ("es", "¿Qué clase de té compró Ben?", "what kind of tea did Ben buy?"),
        ("it", "Che tipo di tè ha comprato Ben?", "what kind of tea did Ben buy?"),
        # What is counted stands before a verb, and what it costs before a noun or nothing.
        ("it", "Quanto costa il pane?", "how much did the bread cost?"),
        ("it", "Quanto costa?", "how much did cost?"),
        ("it", "Quanto pane compra Anna?", "how much bread did Anna buy?"),
        ("es", "¿Cuánto cuesta el pan?", "how much did the bread cost?"),
        ("es", "¿Cuántos platos lava Ben?", "how many plate did Ben wash?"),
        # A thing with its complement.
        ("fr", "Combien de bouteilles d'eau Ben a-t-il achetées ?", "how many bottle of water did Ben buy?"),
        ("es", "¿Cuántas botellas de agua compró Ben?", "how many bottle of water did Ben buy?"),
        ("it", "Quante bottiglie d'acqua ha comprato Ben?", "how many bottle of water did Ben buy?"),
        # The subject behind the object, and two of them.
        ("it", "Dove ha messo la chiave Anna?", "where did Anna put the key?"),
        ("es", "¿Dónde dejaron ayer Anna y Ben las llaves?", "where did Anna and Ben leave yesterday the key?"),
        # A verb right behind the question word, and one with its pronoun.
        ("es", "¿Dónde guarda Ben las llaves?", "where did Ben keep the key?"),
        ("fr", "Où Ben cache-t-il la clé ?", "where did Ben hide the key?"),
        ("fr", "Combien de chaises avons-nous achetées ?", "how many chair did we buy?"),
        # What somebody does to themselves.
        ("es", "¿Con qué se cortó Anna el dedo?", "what with did Anna cut the finger?"),
        # The subject of the main clause is that of an infinitive.
        ("fr", "Qu'a fait Anna juste avant de partir ?", "what did Anna do, right before Anna left?"),
        ("es", "¿Qué hizo Anna antes de comer?", "what did Anna do, before Anna ate?"),
        ("it", "Che cosa ha fatto Anna prima di uscire?", "what did Anna do, before Anna went out?"),
        ("de", "Was passierte gleich, nachdem Anna ging?", "what happened, right after Anna went?"),
        ("fr", "Qui a été le premier ?", "who was the first?"),
        ("it", "Perché Anna è arrivata in ritardo?", "why did Anna arrive late?"),
        # To whom, with whom, about what.
        ("de", "Wem hat Ben den Schlüssel gegeben?", "whom did Ben give the key?"),
        ("es", "¿A quién le dio Ben la llave?", "whom did Ben give the key?"),
        ("de", "Mit wem hat Anna gesprochen?", "with whom did Anna speak?"),
        ("de", "Worüber haben Anna und Ben gesprochen?", "about what did Anna and Ben speak?"),
        # Where something is.
        ("de", "Wo befindet sich die Schere?", "where is the scissors?"),
        ("fr", "Où se trouvent les ciseaux ?", "where are the scissors?"),
        ("es", "¿Dónde se encuentra la llave?", "where is the key?"),
        ("it", "Dove si trovano le forbici?", "where are the scissors?"),
        # A state behind its thing.
        ("fr", "Qui a laissé la lumière allumée ?", "who left the light on?"),
        ("it", "Chi ha lasciato la luce accesa?", "who left the light on?"),
        # The subject of other clauses.
        ("es", "¿Qué pasó cuando entró Ben?", "what happened, when Ben came in?"),
        ("it", "Che cosa ha fatto Anna dopo essere arrivata?", "what did Anna do, after Anna arrived?"),
        ("fr", "Où était Anna avant d'entrer ?", "where was Anna, before Anna came in?"),
        ("es", "¿Qué fue lo primero que hizo Anna?", "what first did Anna do?"),
        ("fr", "Est-ce que Ben a ouvert la porte ?", "did Ben open the door?"),
        ("es", "¿Qué lleva puesto Ben?", "what did Ben wear?"),
        ("es", "¿Cuántas sillas había en el patio?", "how many chair were there in the yard?"),
        ("it", "Davanti a quale porta era Ben?", "in front of which door was Ben?"),
        # A name that memory knows, as the first word.
        ("fr", "Ben a ouvert la porte ?", "did Ben open the door?"),
        ("it", "Ben ha aperto la porta?", "did Ben open the door?"),
        ("de", "Wie oft wurde das Fenster am Montag geschlossen?", "how often was the window on monday closed?"),
        ("de", "Was ist vor 2 Stunden passiert?", "what happened 2 hours ago?"),
        ("de", "Wie lange war Annas Lampe an?", "how long was Anna's lamp on?"),
        ("fr", "Qui a ouvert la porte la deuxième fois ?", "who opened the door the second time?"),
        ("fr", "Où Ben a-t-il mis la tasse bleue ?", "where did Ben put the blue mug?"),
        ("fr", "La fenêtre est-elle ouverte ?", "is the window open?"),
        # After "est", a word that may be a noun is the form of a verb.
        ("fr", "Quand Anna est-elle partie ?", "when did Anna leave?"),
        ("fr", "Quand la première personne est-elle arrivée ?", "when did the first person arrive?"),
        ("fr", "Quand est l'arrivée ?", "when is the arrival?"),
        ("fr", "Que se passe-t-il en ce moment ?", "what happens at the moment?"),
        ("de", "Was passiert im Moment?", "what happened at the moment?"),
        ("es", "¿Qué pasa en la cocina?", "what happens in the kitchen?"),
        ("it", "Cosa succede prima del terzo minuto?", "what happened, before the third minute?"),
        ("it", "Cosa succede prima della porta?", "what happened, before the door?"),
        ("it", "Chi è la prima della fila?", "who is the first of the row?"),
        ("es", "¿Quién salió de la cocina?", "who went out of the kitchen?"),
        ("de", "Wer blieb am längsten?", "who stayed longest?"),
        ("fr", "Qui est resté le plus longtemps ?", "who stayed longest?"),
        ("es", "¿Quién se quedó más tiempo?", "who stayed longest?"),
        ("it", "Chi è rimasto più a lungo?", "who stayed longest?"),
        ("de", "An wie vielen Tagen hat Mara geklingelt?", "on how many days did Mara ring?"),
        ("es", "¿Qué está pasando en este momento?", "what happened at the moment?"),
        ("it", "Chi c'è in questo momento?", "who is there at the moment?"),
        ("fr", "Qu'est-ce qui s'est passé il y a 3 jours ?", "what happened 3 days ago?"),
        ("es", "¿Qué hizo Ana después de que Ben cerró la ventana?", "what did Ana do, after Ben closed the window?"),
        ("es", "¿Cuántas veces se abrió la nevera ayer?", "how many times was the fridge yesterday opened?"),
        ("es", "¿Dónde puso Ana las llaves el lunes a las 8?", "where did Ana put the key on monday at 8 o'clock?"),
        ("it", "Chi ha lavato la tazza rossa questa mattina?", "who washed the red mug this morning?"),
        ("it", "Dove è stato il coltello?", "where has the knife been?"),
        ("it", "Quanti cani ci sono nel giardino?", "how many dog are there in the garden?"),
        ("it", "Chi suona il pianoforte?", "who played the piano?"),
        ("it", "Chi ha suonato la chitarra?", "who played the guitar?"),
        ("it", "Chi suonò il campanello?", "who rang the bell?"),
        ("es", "¿A quién echó de menos Ana?", "whom did Ana miss?"),
        ("es", "¿Qué ponía en el sobre?", "what was written on the envelope?"),
        ("de", "Wo hat Ben nach der Probe die Tasse hingestellt?", "where did Ben put the mug after the rehearsal?"),
        ("de", "Hat am Montag jemand geklingelt?", "did somebody ring on monday?"),
        ("de", "Wann hat Ben am Montag das Auto gewaschen?", "when did Ben wash the car on monday?"),
        ("de", "Wer hat vor dem Haus das Auto gewaschen?", "who washed the car in front of the house?"),
        ("de", "Wer hat sich auf den Stuhl gesetzt?", "who sat on the chair?"),
        ("de", "Wohin setzte sich Ben?", "where did Ben sit?"),
    ],
)
def test_the_words_and_the_order_are_english(code: str, question: str, english: str) -> None:
    assert glossary(code).english(question, {"anna", "ana", "ben"}).text == english


@pytest.mark.parametrize(
    ("code", "question", "english"),
    [
        ("de", "Wer kam am 3. Mai 2024?", "who came on 3 may 2024?"),
        ("de", "Wer kam vor dem 3. Mai?", "who came before 3 may?"),
        ("de", "Wer kam zwei Tage nach dem 3. Mai?", "who came 2 days after 3 may?"),
        ("de", "Wer kam vom 3. bis zum 5. Mai?", "who came from 3 to 5 may?"),
        ("de", "Wer kam am 3. Mai um 18.30 Uhr?", "who came on 3 may at 18:30?"),
        ("fr", "Qui est venu le 1er mai ?", "who came on 1 may?"),
        ("fr", "Qui est venu le week-end avant le 3 mai 2024 ?", "who came at the weekend before 3 may 2024?"),
        ("fr", "Qui est venu entre le 3 et le 5 mai ?", "who came between 3 and 5 may?"),
        ("es", "¿Quién vino el 3 de mayo de 2024?", "who came on 3 may of 2024?"),
        ("es", "¿Quién vino antes del 3 de mayo?", "who came before 3 may?"),
        ("es", "¿Quién vino dos días después del 3 de mayo?", "who came 2 days after 3 may?"),
        ("it", "Chi è venuto prima dell'8 maggio?", "who came before 8 may?"),
        ("it", "Chi è venuto dal 3 al 5 maggio?", "who came from 3 to 5 may?"),
        # A day of the week as the end of a time.
        ("fr", "Qui est venu avant lundi ?", "who came before monday?"),
        ("fr", "Qui est venu depuis lundi ?", "who came since monday?"),
        ("fr", "Qui est venu entre lundi et vendredi ?", "who came between monday and friday?"),
        ("fr", "Qui est venu du lundi au mercredi ?", "who came from monday to wednesday?"),
        ("es", "¿Quién vino antes del lunes?", "who came before monday?"),
        ("es", "¿Quién vino hasta el lunes?", "who came until monday?"),
        ("it", "Chi è venuto prima di lunedì?", "who came before monday?"),
        ("it", "Chi è venuto da lunedì?", "who came since monday?"),
        ("it", "Chi è venuto da lunedì a mercoledì?", "who came from monday to wednesday?"),
        # Hours of a day.
        ("de", "Wer kam gegen 8 Uhr?", "who came around 8 o'clock?"),
        ("de", "Wer kam zwischen 8 und 9 Uhr?", "who came between 8 o'clock and 9 o'clock?"),
        ("fr", "Qui est venu à 17h30 ?", "who came at 17:30?"),
        ("es", "¿Quién vino antes de las 8?", "who came before 8 o'clock?"),
        ("it", "Chi è venuto dopo le 17?", "who came after 17 o'clock?"),
        ("it", "Chi è venuto dalle 8 alle 10?", "who came from 8 o'clock to 10 o'clock?"),
    ],
)
def test_a_date_is_one_in_every_wording(code: str, question: str, english: str) -> None:
    text = glossary(code).english(question).text
    assert text == english
    _, named = ENGLISH.time_expressions.time_in(text)
    assert named and set(named.words.split()) == set(english.removeprefix("who came ").removesuffix("?").split())


@pytest.mark.parametrize(
    ("code", "question", "english"),
    [
        ("de", "Was hat Frau Berg gekauft?", "what did Mrs Berg buy?"),
        ("de", "Wo steht der Küchentisch?", "where did the kitchen table stand?"),
        ("fr", "Qu'a dit Mme. Petit ?", "what did Mrs Petit say?"),
        ("fr", "Qui a relevé la barrière ?", "who relieved the barrier?"),
        ("es", "¿Qué compró la señora Ruiz?", "what did Mrs Ruiz buy?"),
        ("it", "Che cosa ha detto il signor Rossi?", "what did Mr Rossi say?"),
        ("it", "Chi ha riparato il forno?", "who repaired the oven?"),
    ],
)
def test_titles_and_compounds_and_what_a_participle_looks_like(code: str, question: str, english: str) -> None:
    assert glossary(code).english(question).text == english


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_question_without_words_has_no_clauses(code: str) -> None:
    assert glossary(code).english("¿").text == ""


@pytest.mark.parametrize(
    ("code", "question", "english"),
    [
        ("es", "¿Quién fregó el suelo?", "who washed the floor?"),
        ("es", "¿Cuál es el estado de la puerta?", "what is the condition of the door?"),
        ("fr", "Qui a entendu le son ?", "who heard the sound?"),
        ("it", "Dov'è la cosa rossa?", "where is the red thing?"),
        ("it", "Chi ha gettato l'ancora?", "who threw the anchor?"),
        ("de", "Wer hat die Waren gebracht?", "who brought the merchandise?"),
        ("de", "Wie lange hat die Ehe gehalten?", "how long did the marriage hold?"),
        # The same words elsewhere.
        ("es", "¿Quién abrió el sobre sobre la mesa?", "who opened the envelope about the table?"),
        ("es", "¿Qué pasó a la una?", "what happened at 1 o'clock?"),
        ("fr", "Où est son chat ?", "where is his cat?"),
        ("fr", "Qui arrose le lundi ?", "who watered on mondays?"),
        ("it", "A che ora è arrivata Anna?", "at what time did Anna arrive?"),
        ("es", "¿Cuándo fue la última vez que la haya visto?", "when was, when last the saw?"),
    ],
)
def test_after_an_article_a_function_word_is_the_noun_spelled_like_it(code: str, question: str, english: str) -> None:
    """`The usually` was found nowhere, and another event was taken for that of the floor."""
    assert glossary(code).english(question).text == english


def test_the_word_that_memory_has_is_taken() -> None:
    tables = glossary("es")
    assert tables.english("¿Dónde está el carro?", (), {"red car"}).text == "where is the car?"
    assert tables.english("¿Dónde está el bote?", (), {"boat"}).text == "where is the boat?"
    assert tables.english("¿Dónde está la taza?", (), {"blue cup"}).text == "where is the cup?"
    assert tables.english("¿Dónde está la taza?", (), {"blue mug"}).text == "where is the mug?"
    # Also where it is spelt as in the question.
    assert "brioche" in glossary("fr").english("Où est la brioche ?", (), {"brioche"}).others["bun"]
    assert "brioche" not in glossary("fr").english("Où est la brioche ?", (), {"bun", "brioche"}).others.get(
        "bun", ()
    )


@pytest.mark.parametrize(
    ("code", "days", "hour"),
    [
        ("de", "vor etwa 2 Tagen", "vor etwa 1 Stunde"),
        ("fr", "il y a environ 2 jours", "il y a environ 1 heure"),
        ("es", "hace aproximadamente 2 días", "hace aproximadamente 1 hora"),
        ("it", "circa 2 giorni fa", "circa 1 ora fa"),
    ],
)
def test_how_long_ago_something_was_is_said_in_words(code: str, days: str, hour: str) -> None:
    grammar = AskedLanguage(code, "en").grammar
    at = datetime(2026, 5, 1, 12, tzinfo=UTC)
    event = Event(1, "g", "k", ("c",), 0, 2.0, 8.0, "Anna waves.", at=at)
    assert grammar.ago(event, at + timedelta(days=2, hours=3)) == days
    assert grammar.ago(event, at + timedelta(minutes=70)) == hour


def test_a_french_play_is_a_room_unless_memory_has_a_play() -> None:
    question = "À quelle heure commence la pièce ?"
    gloss = glossary("fr").english(question)
    assert gloss.text == "at what time did the room start?"
    assert "play" in gloss.others["room"]
    assert glossary("fr").english(question, objects=["play"]).text == "at what time did the play start?"


def test_words_of_the_question_are_kept_with_the_english_ones() -> None:
    gloss = glossary("de").english("Wer hat das Einhorn gekocht?")
    assert gloss.text == "who cooked the einhorn?"
    assert gloss.words == {"cooked": "gekocht", "einhorn": "Einhorn"}
    assert "boil" in gloss.others["cooked"]


def test_each_sentence_of_the_tables_is_one_that_answers_have() -> None:
    """A sentence that nothing asks for would be translated into every language in vain."""
    source = inspect.getsource(grammar) + inspect.getsource(english_grammar)
    named = set(re.findall(r"[\"'](\w+)[\"']", source))
    asked = named | {f"{name}_of" for name in re.findall(r"_say_of\(\"(\w+)\"", source)}
    for code in ("en", *LANGUAGES):
        answers = language(code).answers
        assert answers and set(answers.sentences) <= asked


def test_english_has_each_sentence_that_it_does_not_build_itself() -> None:
    own = vars(english_grammar.EnglishGrammar)
    methods = [each for name, each in vars(grammar.Grammar).items() if name not in own and inspect.isfunction(each)]
    named = set(re.findall(r"[\"'](\w+)[\"']", "".join(map(inspect.getsource, methods))))
    german, english = language("de").answers, language("en").answers
    assert german and english
    assert named & set(german.sentences) <= set(english.sentences)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_same_sentences_and_slots(code: str) -> None:
    def slots(of: str) -> dict[str, set[str]]:
        answers = language(of).answers
        assert answers and len(answers.weekdays) == 7
        return {name: set(re.findall(r"\{(\w+)\}", text)) for name, text in answers.sentences.items()}

    assert slots(code) == slots("de")


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("fr", "Que mangeait le garçon ?"),
        ("it", "Quante candeline c'erano sulla torta?"),
        ("en", "What did the boy eat?"),
        ("de", "Was hat Ben gegessen?"),
        ("es", "¿Qué comió Ben?"),
    ],
)
def test_a_short_question_shows_its_language(code: str, question: str) -> None:
    assert language_of_question(question, ALL) == code


@pytest.mark.parametrize("question", ["qx zz?", "???", "#!/?x", "0x7f 33"])
def test_what_is_no_words_is_in_no_other_language(question: str) -> None:
    """Such a search would make a group embed all of its texts for many languages."""
    assert language_of_question(question, ALL) == "en"


@pytest.mark.parametrize(
    ("asked", "question"),
    [("de", "Wo sind die Schlüssel?"), ("fr", "Où sont les clés ?"), ("en", "Where are the keys?")],
)
def test_footage_in_another_language_is_searched_and_compared_in_it(asked: str, question: str) -> None:
    read = AskedLanguage(asked, "de")
    gloss = read.in_english(question, (), ())
    assert "schlüssel" in " ".join(gloss.told).casefold()
    [word] = [word for word in read.content_words(gloss.text) if word.names]
    assert not word.forms.isdisjoint(read.all_forms("Anna legt die Schlüssel auf die Fensterbank."))
    assert word.forms.isdisjoint(read.all_forms("Ben öffnet das Fenster."))


def test_footage_in_english_is_compared_as_before() -> None:
    assert AskedLanguage("de", "en").all_forms("Anna took the keys") == ENGLISH.all_forms("Anna took the keys")


@pytest.mark.parametrize("code", LANGUAGES)
def test_who_was_there_is_said_in_the_language(code: str) -> None:
    event = Event(1, "g", "k", ("c",), 0, 2.0, 8.0, "Anna waves.")
    told = AskedLanguage(code, "en").grammar.company([("Ben", 0.0, 9.0)], event)
    assert "Ben (" in told and "Anna waves" in told
    besides = AskedLanguage(code, "en").grammar.company([("Ben", 0.0, 9.0)], event, [("Ida", 60.0, 70.0)])
    assert besides.index("Ben (") < besides.index("Ida (") < besides.index("Anna waves")


@pytest.mark.parametrize(
    ("code", "question", "time"),
    [
        ("de", "Wer kam um halb neun?", "at 8:30 o'clock"),
        ("de", "Wer kam um fünf vor halb neun?", "at 8:25 o'clock"),
        ("de", "Wer kam gestern um Viertel vor eins?", "yesterday at 12:45 o'clock"),
        ("de", "Wer kam um zwanzig nach acht?", "at 8:20 o'clock"),
        ("de", "Wer kam zwischen Montag und Freitag?", "between monday and friday"),
        ("de", "Wer kam am Freitag, dem 30. Oktober?", "on friday 30 october"),
        ("de", "Wer kam am 30.10.?", "on 30 october"),
        ("de", "Wer kam im Oktober?", "in october"),
        ("de", "Wer kam am letzten Freitag im Oktober?", "on the last friday in october"),
        ("de", "Wer kam vor einem Monat?", "a month ago"),
        ("de", "Wer kam vor anderthalb Stunden?", "1 and a half hours ago"),
        ("de", "Wer kam in der Nacht auf Samstag?", "in the night to saturday"),
        ("de", "Wer kam am Montagabend?", "on monday evening"),
        ("de", "Wer kam heute Nacht?", "this night"),
        ("de", "Wer kam jeden zweiten Freitag?", "every other friday"),
        ("de", "Wer kam am zweiten Tag?", "on the second day"),
        ("fr", "Qui est venu le dernier jour ?", "on the last day"),
        ("es", "¿Quién vino el último día?", "on the last day"),
        ("it", "Chi è venuto l'ultimo giorno?", "on the last day"),
        ("fr", "Qui est venu à huit heures et demie ?", "at 8:30 o'clock"),
        ("fr", "Qui est venu vers neuf heures moins le quart ?", "around 8:45 o'clock"),
        ("fr", "Qui est venu à huit heures vingt ?", "at 8:20 o'clock"),
        ("fr", "Qui est venu le vendredi 30 octobre ?", "on friday 30 october"),
        ("fr", "Qui est venu le dernier vendredi d'octobre ?", "the last friday of october"),
        ("fr", "Qui est venu il y a une heure et demie ?", "1 and a half hours ago"),
        ("fr", "Qui est venu la veille de jeudi ?", "the day before thursday"),
        ("fr", "Qui est venu dans la nuit de vendredi à samedi ?", "in the night from friday to saturday"),
        ("fr", "Qui est venu en octobre ?", "in october"),
        ("fr", "Qui est venu à la mi-octobre ?", "in mid october"),
        ("es", "¿Quién vino a las ocho y media?", "at 8:30 o'clock"),
        ("es", "¿Quién vino a las nueve menos cuarto?", "at 8:45 o'clock"),
        ("es", "¿Quién vino a la una y media de la tarde?", "at 1:30 o'clock in the afternoon"),
        ("es", "¿Quién vino la mañana del lunes?", "on monday morning"),
        ("es", "¿Quién vino el último viernes de octubre?", "the last friday of october"),
        ("es", "¿Quién vino hace un mes?", "a month ago"),
        ("es", "¿Quién vino el viernes 30 de octubre?", "on friday 30 october"),
        ("it", "Chi è venuto alle otto e mezza?", "at 8:30 o'clock"),
        ("it", "Chi è venuto alle nove meno un quarto?", "at 8:45 o'clock"),
        ("it", "Chi è venuto all'una e mezza?", "at 1:30 o'clock"),
        ("it", "Chi è venuto l'ultimo venerdì di ottobre?", "the last friday of october"),
        ("it", "Chi è venuto un'ora e mezza fa?", "1 and a half hours ago"),
        ("it", "Chi è venuto nella notte tra venerdì e sabato?", "in the night from friday to saturday"),
        ("it", "Chi è venuto nell'ultima settimana?", "in the last week"),
        ("de", "Wer kam tagsüber?", "by day"),
        ("fr", "Qui est venu pendant la journée ?", "by day"),
        ("es", "¿Quién vino de día?", "by day"),
        ("it", "Chi è venuto di giorno?", "by day"),
        ("de", "Wer kam seit 18 Uhr?", "since 18 o'clock"),
        ("de", "Wer kam am 23.?", "on the 23."),
        ("fr", "Qui est venu le 23 ?", "the 23"),
        ("fr", "Qui a ouvert la porte le 23 ?", "the 23"),
        ("de", "Wer kam vor mehr als zwei Stunden?", "more than 2 hours ago"),
        ("fr", "Qui est venu il y a plus de deux heures ?", "more than 2 hours ago"),
        ("es", "¿Quién vino hace más de dos horas?", "more than 2 hours ago"),
        ("it", "Chi è venuto più di due ore fa?", "more than 2 hours ago"),
        ("de", "Wer kam vor weniger als einem Monat?", "less than a month ago"),
        ("fr", "Qui est venu il y a moins d'un mois ?", "less than a month ago"),
        ("es", "¿Quién vino hace menos de un mes?", "less than a month ago"),
        ("it", "Chi è venuto meno di un mese fa?", "less than a month ago"),
        ("de", "Wer kam vor nicht mehr als zwei Tagen?", "no more than 2 days ago"),
        ("fr", "Qui est venu il y a au moins deux mois ?", "at least 2 months ago"),
        ("es", "¿Quién vino hace al menos dos meses?", "at least 2 months ago"),
        ("it", "Chi è venuto al massimo un'ora fa?", "at most an hour ago"),
        ("es", "¿Quién vino de noche?", "at night"),
        ("de", "Wer kam am dreiundzwanzigsten Oktober?", "on 23 october"),
        ("fr", "Qui est venu le premier septembre ?", "on 1 september"),
        ("it", "Chi è venuto il primo settembre?", "on 1 september"),
        ("it", "Chi è venuto il ventitré ottobre?", "on 23 october"),
        ("es", "¿Quién vino el primero de septiembre?", "on 1 september"),
        ("es", "¿Quién vino el treinta y uno de agosto?", "on 31 august"),
        ("fr", "Qui est venu le vingt et un octobre ?", "on 21 october"),
        ("de", "Wer kam im September letzten Jahres?", "in september last year"),
        ("fr", "Qui est venu en septembre de l'année dernière ?", "in september of last year"),
        ("es", "¿Quién vino en septiembre del año pasado?", "in september of last year"),
        ("it", "Chi è venuto nel settembre dell'anno scorso?", "september of last year"),
        ("de", "Wer kam am 23. des letzten Monats?", "the 23 of last month"),
        ("fr", "Qui est venu le 23 du mois dernier ?", "the 23 of last month"),
        ("es", "¿Quién vino el 23 del mes pasado?", "the 23 of last month"),
        ("it", "Chi è venuto il 23 del mese scorso?", "the 23 of last month"),
        ("de", "Wer kam vor zwei Freitagen?", "2 fridays ago"),
        ("fr", "Qui est venu il y a deux vendredis ?", "2 fridays ago"),
        ("es", "¿Quién vino hace dos viernes?", "2 fridays ago"),
        ("it", "Chi è venuto due sabati fa?", "2 saturdays ago"),
        ("es", "¿Quién vino hace cuarenta y dos horas?", "42 hours ago"),
        ("es", "¿Quién vino el 23?", "the 23"),
        ("it", "Chi è venuto il 23?", "the 23"),
    ],
)
def test_spoken_hours_and_days_are_read_in_every_language(code: str, question: str, time: str) -> None:
    text = glossary(code).english(question).text
    read = ENGLISH.time_expressions.time_in(text)[1]
    assert time in text and read


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "Wer kam zu Pfingsten?"),
        ("de", "Wer kam am nächsten Morgen?"),
        ("de", "Wer kam in KW 43?"),
        ("de", "Wer kam neulich?"),
        ("de", "Wer hat am nächsten Morgen das Basilikum gegossen?"),
        ("de", "Wer hat in der zweiten Nacht Ben gesehen?"),
        ("de", "Wer hat an jenem Tag das Basilikum gegossen?"),
        ("de", "Wer kam letzten Sommer?"),
        ("fr", "Qui est venu à la Pentecôte ?"),
        ("fr", "Qui est venu le Vendredi saint ?"),
        ("fr", "Qui est venu le lendemain ?"),
        ("fr", "Qui est venu l'autre jour ?"),
        ("es", "¿Quién vino en Semana Santa?"),
        ("es", "¿Quién vino al día siguiente?"),
        ("es", "¿Quién vino el verano pasado?"),
        ("it", "Chi è venuto a Pasqua?"),
        ("it", "Chi è venuto l'altro giorno?"),
        ("it", "Chi è venuto un venerdì sì e uno no?"),
    ],
)
def test_a_time_that_is_not_understood_is_named_in_every_language(code: str, question: str) -> None:
    _, named = ENGLISH.time_expressions.time_in(glossary(code).english(question).text)
    assert named
    assert named.unknown


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "Wer stand vor der Tür?"),
        ("de", "Wer hat das halbe Pfund Butter?"),
        ("de", "Was geschah, nachdem Ben die Tür geöffnet hatte?"),
        ("de", "Wer hat im zweiten Stock das Licht gelöscht?"),
        ("fr", "Qui a mangé un quart de la pizza ?"),
        ("fr", "Qui habite dans le quartier ?"),
        ("fr", "Qui est monté au deuxième étage ?"),
        ("es", "¿Quién está en el cuarto de baño?"),
        ("es", "¿Quién tomó las dos tazas y los tres platos?"),
        ("es", "¿Quién lleva una media roja?"),
        ("it", "Chi ha bevuto mezza bottiglia di latte?"),
        ("it", "Chi ha preso le due tazze e i tre piatti?"),
        ("de", "Wer trank 1/2 Liter Milch?"),
        ("de", "Wer öffnet die Tür 24/7?"),
        ("de", "Wer nimmt den Schlüssel kurz vor der Tür?"),
        ("fr", "Qui a bu 3/4 de litre ?"),
        ("es", "¿Quién hace mucho ruido?"),
        ("it", "Natale ha preso la chiave?"),
    ],
)
def test_what_is_no_time_is_not_named_as_one(code: str, question: str) -> None:
    _, named = ENGLISH.time_expressions.time_in(glossary(code).english(question).text)
    assert named is None


def test_toujours_is_still_of_a_state_and_always_of_a_deed() -> None:
    assert "still" in glossary("fr").english("La porte est-elle toujours ouverte ?").text
    assert "always" in glossary("fr").english("Où Anna pose toujours ses clés ?").text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "Was macht Clara beruflich?"),
        ("de", "Was macht Clara?"),
        ("en", "Was Clara at home?"),
        ("en", "Was Anna happy?"),
        ("en", "Clara?"),
        ("it", "Dove vive Clara?"),
        ("es", "¿A qué se dedica Clara?"),
        ("fr", "Que fait Clara dans la vie ?"),
    ],
)
def test_a_question_about_conversations_is_answered_in_its_language(code: str, question: str) -> None:
    spoken = language_asked(question, Scope("test", user_id="clara"), ALL, ENGLISH)
    assert spoken.code == code


@pytest.mark.parametrize(
    ("code", "question", "known", "english"),
    [
        ("fr", "La fille a ouvert la porte ?", "maria_de_la_cruz", "did the girl open the door?"),
        ("it", "La porta è aperta?", "maria_la_rosa", "is the door open?"),
        ("es", "¿De quién es la llave?", "maria_de_la_cruz", "whose is the key?"),
        ("de", "Hat Ben die Tür geöffnet?", "woman_with_hat", "did Ben open the door?"),
        ("de", "Wo war Ben?", "wo_chan", "where was Ben?"),
    ],
)
def test_a_function_word_is_no_name_at_the_start(code: str, question: str, known: str, english: str) -> None:
    assert glossary(code).english(question, {known, "ben"}).text == english


@pytest.mark.parametrize(
    ("code", "question", "english"),
    [
        ("fr", "Quand est le rendez-vous ?", "when is the appointment?"),
        ("es", "¿Quién vino en la tarde?", "who came in the afternoon?"),
        ("es", "¿Quién llegó tarde?", "who came late?"),
    ],
)
def test_a_word_is_read_whole_and_beside_its_verb(code: str, question: str, english: str) -> None:
    assert glossary(code).english(question).text == english


@pytest.mark.parametrize(
    ("code", "question", "english"),
    [
        # A verb of the first person says "I" by its form alone.
        ("es", "¿Dónde puse la llave?", "where did I put the key?"),
        ("es", "¿Dónde he puesto la llave?", "where did I put the key?"),
        ("es", "¿Qué hice ayer?", "what did I do yesterday?"),
        ("es", "¿Por qué no crucé la calle?", "why did I cross not the street?"),
        ("es", "¿A quién le di la llave?", "whom did I give the key?"),
        ("es", "¿Cuándo riego la albahaca?", "when did I water the basil?"),
        ("es", "¿Cuándo voy a regar la albahaca?", "when will I water the basil?"),
        ("es", "¿Acabo de regar la albahaca?", "did I water the basil last?"),
        ("es", "¿Qué hizo Anna después de que abrí la puerta?", "what did Anna do, after I opened the door?"),
        ("it", "Dove ho messo la chiave?", "where did I put the key?"),
        ("it", "Dove misi la chiave?", "where did I put the key?"),
        ("it", "Cosa facevo ieri?", "what did I do yesterday?"),
        ("it", "Quando feci il controllo?", "when did I do the inspection?"),
        ("it", "Quando sono andata al mercato?", "when did I go to the market?"),
        ("it", "L'ho messa nel cassetto?", "did I put in the drawer?"),
        ("it", "Che libro leggo?", "what book did I read?"),
        ("it", "Non ho chiuso la porta?", "did I close not the door?"),
        ("it", "Con chi ero quando ho dipinto il quadro?", "with whom was I when I painted the picture?"),
        ("it", "Quante volte abbiamo annaffiato il basilico?", "how many times did we water the basil?"),
        ("es", "¿Cuántas veces hemos regado la albahaca?", "how many times did we water the basil?"),
        ("es", "¿Dónde habéis puesto la llave?", "where did you put the key?"),
        ("fr", "Combien de fois est-ce que j'ai arrosé le basilic ?", "how many times did I water the basil?"),
        ("fr", "Est-ce que j'ai ouvert le colis ?", "did I open the parcel?"),
        ("fr", "Où étais-je ?", "where was I?"),
        ("it", "A che ora ho annaffiato il basilico?", "at what time did I water the basil?"),
        # Other words are spelt as such verbs are.
        ("es", "¿Qué juego compró Anna?", "what game did Anna buy?"),
        ("es", "¿Quién hizo el trabajo?", "who did the job?"),
        ("es", "¿Quién vino a las 8?", "who came at 8 o'clock?"),
        ("es", "¿Qué traje llevaba Anna?", "what suit did Anna carry?"),
        ("it", "Chi ha preso il libro?", "who took the book?"),
        ("it", "Dove sono le chiavi?", "where are the key?"),
        ("it", "Dove sono stati presi i libri?", "where are the book taken?"),
        ("it", "Quando sono già stati presi i libri?", "when are already the book taken?"),
        (
            "it",
            "In che giorno ha letto Anna il libro che ho preso?",
            "on which day did Anna read the book that I took?",
        ),
        ("it", "Che telefono usa Anna?", "what phone usa Anna?"),
        ("it", "Che cos'è il libro?", "what is the book?"),
        # And a pronoun that is there is not repeated.
        ("es", "¿Qué hice yo ayer?", "what did I do yesterday?"),
        ("it", "Dove ho messo io la chiave?", "where did I put the key?"),
    ],
)
def test_a_verb_of_the_first_person_has_its_pronoun(code: str, question: str, english: str) -> None:
    assert glossary(code).english(question, {"anna"}).text == english


def test_words_of_the_question_are_quoted_as_typed() -> None:
    gloss = glossary("es").english("¿Cuántas veces regué la albahaca?")
    assert gloss.words["water"] == "regué" and gloss.runs["I water the basil"] == "regué la albahaca"


@pytest.mark.parametrize(
    ("question", "may_be"),
    [
        ("¿Cuántas veces regaba la albahaca?", True),
        ("¿Qué estaba haciendo?", True),
        ("¿Dónde había puesto la llave?", True),
        ("¿Cuándo llamaba a Anna?", True),
        ("¿Qué hacía cuando entró Anna?", True),
        ("¿Adónde iba?", True),
        ("¿Anna regaba la albahaca?", False),
        ("¿qué hacía anna?", False),
        ("¿Qué hacía Anna?", False),
        ("¿Qué hacía la mujer de rojo?", False),
        ("¿Quién regaba la albahaca?", False),
        ("¿Dónde estaba la llave?", False),
        ("¿Cuántas sillas había en el patio?", False),
        ("¿Cuántas veces regué la albahaca?", False),
    ],
)
def test_a_verb_may_be_of_the_first_person(question: str, *, may_be: bool) -> None:
    assert glossary("es").english(question, {"anna"}).may_be_own is may_be
