"""What a turn ends in an idiom, corrects within a sentence, or says of a stay; what looks alike changes nothing."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple, TurnContext, Understood
from amr_neo4j.turn_reader.understand import read_by_rules


def read(lang: str, *turns: str) -> Understood:
    *earlier, turn = turns
    return read_by_rules(turn, lang, TurnContext(tuple(earlier)))


@pytest.mark.parametrize(
    ("lang", "turn", "stated"),
    [
        ("en", "I live in Leeds, sorry, Luton", ("lives_in", "luton")),
        ("en", "i work at Barnardos, no wait, at Shelter", ("works_at", "shelter")),
        ("en", "I'm 34, no wait, 35", ("age", "35")),
        ("de", "ich arbeite bei der Caritas, nein warte, bei der Diakonie", ("works_at", "diakonie")),
        ("de", "Ich wohne in Kiel, Quatsch, in Lübeck", ("lives_in", "lübeck")),
        ("fr", "je bosse chez Emmaüs, non attends, au Secours catholique", ("works_at", "secours catholique")),
        ("es", "trabajo en Cáritas, no espera, en la Cruz Roja", ("works_at", "cruz roja")),
        ("es", "vivo en Vigo, perdón, en Lugo", ("lives_in", "lugo")),
        ("it", "lavoro alla Caritas, no aspetta, alla Croce Rossa", ("works_at", "croce rossa")),
        ("it", "vivo a Lecce, anzi no, a Bari", ("lives_in", "bari")),
    ],
)
def test_a_sentence_may_correct_itself(lang: str, turn: str, stated: tuple[str, str]) -> None:
    assert {fact.triple[1:] for fact in read(lang, turn).facts} == {stated}


@pytest.mark.parametrize(
    ("lang", "turn", "stated"),
    [
        ("en", "I live in Leeds, well, I like it", "leeds"),
        ("en", "I live in Leeds, sorry, is that far?", "leeds"),
        ("en", "I live in Leeds, no, I don't mind the rain", "leeds"),
        ("de", "Ich wohne in Kiel, nein, ich bereue nichts", "kiel"),
        ("fr", "j'habite à Lille, non, je ne regrette rien", "lille"),
        ("it", "vivo a Lecce, no, non mi pento", "lecce"),
    ],
)
def test_a_no_that_names_no_other_value_corrects_nothing(lang: str, turn: str, stated: str) -> None:
    assert stated in {fact.triple.object for fact in read(lang, turn).facts if fact.triple.relation == "lives_in"}


@pytest.mark.parametrize(
    ("lang", "turns", "ended"),
    [
        ("en", ("I work at Asda.", "that's me done at Asda"), ("works_at", "asda")),
        ("en", ("I live in Leeds.", "We gave up the flat in Leeds in May"), ("lives_in", "leeds")),
        ("en", ("My girlfriend is called Priya.", "Priya and me called it a day"), ("girlfriend", "priya")),
        ("en", ("I love black coffee.", "i've given up coffee"), ("likes", "black coffee")),
        ("en", ("My boss is Nadia.", "nadia left, it's someone called Phil now"), ("boss", "nadia")),
        ("de", ("Ich wohne in Kassel.", "Die Wohnung in Kassel haben wir aufgegeben"), ("lives_in", "kassel")),
        ("de", ("Ich liebe Kaffee.", "kaffee hab ich mir abgewöhnt"), ("likes", "kaffee")),
        ("de", ("Ich spiele Geige.", "Mit der Geige habe ich aufgehört"), ("plays_instrument", "geige")),
        ("de", ("meine freundin heißt Aylin", "mit Aylin ists aus"), ("girlfriend", "aylin")),
        ("fr", ("Je travaille chez Leclerc.", "Leclerc c'est fini"), ("works_at", "leclerc")),
        ("fr", ("J'habite à Fécamp.", "on a rendu les clés à Fécamp"), ("lives_in", "fécamp")),
        ("fr", ("J'adore le café.", "le café j'ai arrêté"), ("likes", "café")),
        ("es", ("Vivo en Laredo.", "entregamos las llaves en Laredo"), ("lives_in", "laredo")),
        ("es", ("Me encanta el café.", "el café lo he dejado"), ("likes", "café")),
        ("es", ("mi novia se llama Inés", "con Inés se acabó"), ("girlfriend", "inés")),
        ("it", ("Vivo a Lecce.", "Abbiamo lasciato l'appartamento di Lecce"), ("lives_in", "lecce")),
        ("it", ("Adoro il caffè.", "il caffè l'ho tolto"), ("likes", "caffè")),
        ("en", ("My husband is called Ben.", "I broke it off with Ben last week"), ("husband", "ben")),
        ("en", ("I love coffee.", "I've stopped drinking coffee completely"), ("likes", "coffee")),
        ("de", ("Ich arbeite bei Netto.", "Den Job bei Netto hab ich hingeschmissen"), ("works_at", "netto")),
        ("de", ("Ich liebe Kaffee.", "Mit Kaffee hab ich endlich aufgehört"), ("likes", "kaffee")),
        ("es", ("Vivo en Vigo.", "He dejado el piso de Vigo definitivamente"), ("lives_in", "vigo")),
        ("es", ("Me encanta el café.", "He dejado de tomar el café"), ("likes", "café")),
        ("it", ("Lavoro alla Fiat.", "Con la Fiat ho chiuso"), ("works_at", "fiat")),
        ("it", ("Gioco a calcio.", "ho appeso gli scarpini al chiodo"), ("plays_sport", "calcio")),
    ],
)
def test_an_idiom_ends_what_it_names(lang: str, turns: tuple[str, ...], ended: tuple[str, str]) -> None:
    assert Triple("you", *ended) in read(lang, *turns).retracted


@pytest.mark.parametrize(
    ("lang", "turns"),
    [
        ("en", ("I work at Asda.", "I'm done at Asda at ten")),
        ("en", ("I work at Asda.", "My sister is done at Asda")),
        ("en", ("I love coffee.", "The coffee fell off the table")),
        ("en", ("I love coffee.", "I would never have given up coffee")),
        ("en", ("My boss is Nadia.", "nadia left, it's raining now")),
        ("de", ("Meine Freundin heißt Aylin.", "Aylin ist aus Bremen")),
        ("de", ("Ich arbeite bei Netto.", "Bei Netto ist heute um acht schluss")),
        ("fr", ("J'adore le café.", "Le bus s'est arrêté devant le café")),
        ("fr", ("J'habite à Lille.", "Ma sœur a rendu les clés à Lille")),
        ("es", ("Me encanta el café.", "he dejado el café en la mesa")),
        ("es", ("Trabajo en Zara.", "el pan se acabó en Zara")),
        ("it", ("Adoro il caffè.", "Tom il caffè l'ha tolto")),
        # Something else is over than what is known.
        ("en", ("I work at Asda.", "I'm nearly done with the Asda report")),
        ("en", ("I work at Asda.", "The last shift was hard at Asda")),
        ("en", ("My husband is called Ben.", "I am done with Ben's homework")),
        ("en", ("My husband is called Ben.", "Ben and I called it a day after the third hill")),
        ("en", ("My husband is called Ben.", "Ben called it a day")),
        ("en", ("My husband is called Ben.", "Ben and I called it a day and went to the pub")),
        ("de", ("Mein Mann heißt Tom.", "Tom und ich haben Schluss gemacht und sind heimgefahren")),
        ("en", ("I live in Leeds.", "The company moved out of Leeds")),
        ("en", ("I live in Leeds.", "I gave back the keys to the rental car in Leeds")),
        ("en", ("I love coffee.", "We gave up waiting and drank coffee")),
        ("en", ("I play tennis.", "I hung up my boots to dry")),
        ("en", ("I play tennis.", "I quit the tennis final")),
        ("de", ("Mein Mann heißt Tom.", "Tom und ich haben für heute Schluss gemacht")),
        ("de", ("Mein Mann heißt Tom.", "Mit Tom ist alles aus Holz")),
        ("de", ("Ich wohne in Kiel.", "Das Zimmer im Hotel in Kiel haben wir abgegeben")),
        ("fr", ("Je travaille chez Leclerc.", "La réunion chez Leclerc c'est fini")),
        ("fr", ("J'habite à Lille.", "On a rendu les clés de la voiture à Lille")),
        ("fr", ("J'habite à Lille.", "J'ai laissé la maison de Lille propre")),
        ("fr", ("Mon mari s'appelle Luc.", "avec Luc c'est fini pour aujourd'hui")),
        ("es", ("Vivo en Vigo.", "Dejamos la casa de Vigo limpia")),
        ("es", ("Vivo en Vigo.", "Dejé la casa de Vigo a las ocho")),
        ("es", ("Mi marido se llama Luis.", "Con Luis se acabó el vino")),
        ("es", ("Me encanta el café.", "he dejado el café frío")),
        ("it", ("Lavoro alla Fiat.", "Ho chiuso la porta alla Fiat")),
        ("it", ("Vivo a Lecce.", "Ho lasciato la casa di Lecce in ordine")),
        ("it", ("Mio marito si chiama Luca.", "Ho chiuso con Luca il negozio")),
        ("it", ("Adoro il caffè.", "Ho smesso di bere il caffè freddo")),
    ],
)
def test_what_is_over_for_the_day_or_for_another_ends_nothing(lang: str, turns: tuple[str, ...]) -> None:
    known = {fact.triple for fact in read(lang, turns[0]).facts}
    assert known and known.isdisjoint(read(lang, *turns).retracted)


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "Tom: I live in Kent"),
        ("en", "card from my aunt: we've moved to Devon and I'm retired at last"),
        ("en", "check this cover letter for my son pls. I am 19, I live in Crewe and I work at Costa"),
        ("en", "Dear Sir, my name is Emeka, I'm a prince. - is this spam?"),
        ("en", "according to my horoscope I'm a leader"),
        ("en", "yeah totally, i live in Buckingham Palace"),
        ("de", "karte von meiner tante: wir sind nach Husum gezogen und ich bin endlich rentnerin"),
        ("de", "Sehr geehrte Damen und Herren, mein Name ist Emeka. - Ist das Spam?"),
        ("de", "laut meinem horoskop bin ich eine geborene anführerin"),
        ("fr", "relis la lettre de motivation de mon fils. J'ai 19 ans, j'habite à Laval"),
        ("fr", "d'après mon horoscope je suis une meneuse"),
        ("fr", "moi je suis le pape"),
        ("es", "revisa la carta de mi hijo. Tengo 19 años, vivo en Getafe y trabajo en Zara"),
        ("es", "Sí, claro, soy el rey y vivo en Roma"),
        ("es", "ahora resulta que soy fontanero, todo el domingo debajo del fregadero"),
        ("it", "cartolina di mia zia: ci siamo trasferiti a Jesolo e finalmente sono pensionata"),
        ("it", "controlla la lettera di mio figlio. Ho 19 anni, vivo a Rho"),
        ("it", "secondo il mio oroscopo sono una leader nata"),
    ],
)
def test_letters_of_others_and_what_nobody_means_state_nothing(lang: str, turn: str) -> None:
    assert not [fact for fact in read(lang, turn).facts if fact.triple.subject == "you"]


@pytest.mark.parametrize(
    ("lang", "turn", "stated"),
    [
        ("en", "You are the best and I am grateful. I live in Leeds", ("lives_in", "leeds")),
        ("en", "Read an email from my boss, I work at Asda now", ("works_at", "asda")),
        ("en", "Hi Anna: I live in Leeds now", ("lives_in", "leeds")),
        ("en", "About my sister: I live with her in Leeds", ("lives_in", "leeds")),
        ("en", "My brother: I live with him in Leeds", ("lives_in", "leeds")),
        ("en", "I like tea, sorry, mum", ("likes", "tea")),
        ("de", "Hallo Oma: ich wohne jetzt in Köln", ("lives_in", "köln")),
        ("de", "Zu meiner Schwester: ich wohne mit ihr in Köln", ("lives_in", "köln")),
        ("fr", "Pour ma mère : j'habite à Lyon", ("lives_in", "lyon")),
        ("fr", "En un mot : j'habite à Lyon", ("lives_in", "lyon")),
        ("es", "Sobre mi hermana: vivo con ella en Madrid", ("lives_in", "madrid")),
        ("es", "Soy vegano, lo que significa que no como carne", ("is", "vegano")),
        ("es", "Según el test soy alérgica a las nueces", ("is", "alérgica a las nueces")),
        ("es", "Ahora resulta que soy alérgica al gluten", ("is", "alérgica al gluten")),
        ("it", "Su mia sorella: vivo con lei a Roma", ("lives_in", "roma")),
        ("it", "Secondo il test sono allergica alle noci", ("is", "allergica alle noci")),
        ("it", "Mia moglie è gentile e vivo a Roma", ("lives_in", "roma")),
        ("it", "Vivo a Roma, che significa molto traffico", ("lives_in", "roma")),
    ],
)
def test_what_looks_like_a_letter_a_role_or_a_quotation_is_believed(
    lang: str, turn: str, stated: tuple[str, str]
) -> None:
    assert ("you", *stated) in {fact.triple for fact in read(lang, turn).facts}


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "my job: I work at Asda"),
        ("en", "I read the letter from my boss, I work at Asda"),
        ("de", "mein Job: ich arbeite bei Netto"),
        ("fr", "mon boulot : je travaille chez Leclerc"),
        ("es", "mi trabajo: trabajo en Zara"),
        ("it", "il mio lavoro: lavoro alla Coop"),
    ],
)
def test_what_the_speaker_says_of_themselves_stays_theirs(lang: str, turn: str) -> None:
    assert [fact for fact in read(lang, turn).facts if fact.triple.relation == "works_at"]


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "I'm in hospital in Derby since Monday"),
        ("fr", "je suis à l'hosto à Rouen, ils me gardent"),
        ("es", "estoy en planta en Huesca"),
        ("it", "sono in reparto a Udine"),
        ("de", "Ich wohne gerade bei Tom"),
    ],
)
def test_a_bed_in_a_hospital_or_at_a_friends_is_no_home(lang: str, turn: str) -> None:
    assert not [
        fact for fact in read(lang, turn).facts if fact.triple.relation == "lives_in" and fact.strength != "momentary"
    ]
