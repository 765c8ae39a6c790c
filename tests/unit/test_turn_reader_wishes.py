"""Whose words a turn has, whether they are meant, and what a speaker wants memory to forget."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple, TurnContext, Understood
from amr_neo4j.turn_reader.understand import read_by_rules

HOME = Triple("you", "lives_in", "leeds")
ANY_HOME = HOME._replace(object="")


def read(lang: str, *turns: str, reply: str = "") -> Understood:
    *earlier, turn = turns
    return read_by_rules(turn, lang, TurnContext(tuple(earlier), reply))


def stated(lang: str, *turns: str) -> set[Triple]:
    return {fact.triple for fact in read(lang, *turns).facts}


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "My client says: I live in Bonn."),
        ("en", "Someone wrote: my name is Zorro. I am a fox."),
        ("en", 'She said, "I live in Rome."'),
        ("en", 'The caption reads "I live in Oslo".'),
        ("en", "My boss told me that I work at Nestle."),
        ("en", "Send a mail to my client Jonas: I moved to Kiel."),
        ("en", "Translate to Spanish: I live in Leeds and work at Shell."),
        ("en", "Here is the chorus: I live in a yellow submarine"),
        ("es", "Mi cliente dice: Vivo en Bonn."),
        ("es", "Dice que vivo en Bonn."),
        ("fr", "Ma cliente dit : J'habite à Bonn."),
        ("fr", "Écris un mail à Tom : j'ai déménagé à Kiel."),
        ("de", "Mein Kunde sagt: Ich wohne in Bonn."),
        ("de", "Er hat gesagt, dass ich in Bonn wohne."),
        ("de", "In dem Lied heißt es: Ich wohne in einem Luftschloss."),
        ("it", "Il mio cliente dice: Vivo a Bonn."),
        ("it", "Traduci in inglese: vivo a Roma."),
        ("it", "Anna ha scritto: mi chiamo Anna e abito a Roma"),
        ("de", "Mein Bruder hat geantwortet: Ich wohne in Rom."),
        ("es", "Mi hermano ha contestado: vivo en Roma"),
    ],
)
def test_words_of_others_state_nothing_of_the_user(lang: str, turn: str) -> None:
    assert not stated(lang, turn)


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "Yeah right, I live in a castle."),
        ("en", "Great, I love Mondays. Not."),
        ("en", "I live in Leeds. Just kidding."),
        ("en", "Last night I dreamt I lived in Paris. I worked at the Louvre."),
        ("en", "Let's play a game. I'm a pirate and I live in Tortuga."),
        ("en", "Suppose I lived in Oslo. I work at Equinor."),
        ("es", "Soñé que vivía en Roma. Trabajo en Fiat."),
        ("fr", "J'ai rêvé que j'habitais à Rome. Je travaille chez Fiat."),
        ("de", "Ich liebe Montage. Nicht."),
        ("de", "Ich habe geträumt, dass ich in Rom wohne. Ich arbeite bei Fiat."),
        ("it", "Sì, certo, e io sono Napoleone."),
        ("en", "In Monopoly I own three hotels."),
        ("en", "Playing Catan, I have two cities."),
        ("es", "En el Monopoly tengo tres hoteles."),
        ("fr", "Dans Skyrim je vis à Blancherive."),
        ("de", "In Skyrim wohne ich in Weißlauf."),
        ("it", "In Minecraft ho un castello."),
    ],
)
def test_what_is_not_meant_is_not_stated(lang: str, turn: str) -> None:
    assert not stated(lang, turn)


@pytest.mark.parametrize(
    ("lang", "turn", "fact"),
    [
        ("en", "As I said: I live in Leeds.", HOME),
        ("en", "I always say I live in Leeds.", HOME),
        ("en", "My job: nurse.", ("you", "is", "nurse")),
        ("de", "Ich habe gesagt, dass ich in Leeds wohne.", HOME),
        ("es", "Mi hermana dice que vive en Bonn.", ("hermana", "lives_in", "bonn")),
    ],
)
def test_the_speakers_own_words_are_stated(lang: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert Triple(*fact) in stated(lang, turn)


@pytest.mark.parametrize(
    ("lang", "before", "wish", "gone"),
    [
        ("en", "I live in Leeds.", "Forget that I live in Leeds.", HOME),
        ("en", "I live in Leeds.", "Please forget where I live.", ANY_HOME),
        ("en", "I live in Leeds.", "Forget what I just said.", HOME),
        ("en", "My wife is Eva.", "Forget about my wife.", ("you", "wife", "")),
        ("es", "Vivo en Leeds.", "Olvida que vivo en Leeds.", HOME),
        ("fr", "J'habite à Leeds.", "Oublie que j'habite à Leeds.", HOME),
        ("fr", "J'habite à Leeds.", "Oublie où j'habite.", ANY_HOME),
        ("de", "Ich wohne in Leeds.", "Vergiss bitte, wo ich wohne.", ANY_HOME),
        ("de", "Ich wohne in Leeds.", "Vergiss, dass ich in Leeds wohne.", HOME),
        ("it", "Vivo a Leeds.", "Dimentica dove vivo.", ANY_HOME),
        ("en", "I live in Leeds.", "Actually please delete where I live, I shouldn't have shared that.", ANY_HOME),
        ("en", "I live in Leeds.", "Could you delete that I live in Leeds?", HOME),
        ("en", "I live in Leeds.", "I don't want you to remember where I live.", ANY_HOME),
        ("en", "I live in Leeds.", "Delete that, I don't want you to know it.", HOME),
        ("de", "Ich wohne in Leeds.", "Vergiss bitte, dass ich in Leeds wohne, das soll nirgends stehen.", HOME),
        ("de", "Ich wohne in Leeds.", "Bitte meine Adresse löschen.", ANY_HOME),
        ("de", "Ich wohne in Leeds.", "Streich das mit meiner Adresse.", ANY_HOME),
        ("de", "Ich wohne in Leeds.", "Ich möchte nicht, dass du dir merkst, wo ich wohne.", ANY_HOME),
        ("fr", "J'habite à Leeds.", "En fait, oublie mon adresse, s'il te plaît.", ANY_HOME),
        ("fr", "J'habite à Leeds.", "Peux-tu effacer le fait que j'habite à Leeds ?", HOME),
        ("fr", "J'habite à Leeds.", "Je ne veux pas que tu retiennes où j'habite.", ANY_HOME),
        ("es", "Vivo en Leeds.", "Borra eso, no quiero que recuerdes dónde vivo.", HOME),
        ("es", "Vivo en Leeds.", "Mejor olvida que vivo en Leeds, por favor, no quiero que quede guardado.", HOME),
        ("es", "Vivo en Leeds.", "Borra mi dirección, que es privada.", ANY_HOME),
        ("it", "Vivo a Leeds.", "Anzi, cancella che vivo a Leeds.", HOME),
        ("it", "Vivo a Leeds.", "Non voglio che ti ricordi dove vivo.", ANY_HOME),
        ("it", "Vivo a Leeds.", "Ho cambiato idea, elimina il mio indirizzo.", ANY_HOME),
        ("en", "I live in Leeds.", "So could you please wipe where I live from whatever you've got?", ANY_HOME),
        ("en", "I live in Leeds.", "We moved last year, so please forget that I live in Leeds.", HOME),
        ("en", "I live in Leeds.", "Delete that, it's private.", HOME),
        ("en", "I live in Leeds.", "Forget what I just said, it's private.", HOME),
        ("de", "Ich wohne in Leeds.", "Das ist privat, bitte vergiss, dass ich in Leeds wohne.", HOME),
        ("de", "Ich wohne in Leeds.", "Vergiss das, das ist privat.", HOME),
        ("es", "Vivo en Leeds.", "Es privado, por favor olvida que vivo en Leeds.", HOME),
        ("fr", "J'habite à Leeds.", "C'est privé, s'il te plaît oublie que j'habite à Leeds.", HOME),
        ("it", "Vivo a Leeds.", "È privato, per favore dimentica che vivo a Leeds.", HOME),
        ("es", "Vivo en Leeds.", "Oye, lo de dónde vivo bórralo, que mi madre se pone histérica.", ANY_HOME),
    ],
)
def test_a_wish_to_forget_takes_back(lang: str, before: str, wish: str, gone: tuple[str, str, str]) -> None:
    understood = read(lang, before, wish)
    assert understood.forgets
    assert understood.retracted == (Triple(*gone),)
    assert not understood.facts


@pytest.mark.parametrize(
    "wish",
    [
        "Forget about my diabetes.",
        "I changed my mind, please forget my diabetes.",
        "Please remove the bit about my diabetes, it's private.",
        "Forget my diabetes.",
    ],
)
def test_what_is_no_fact_yet_is_forgotten_by_its_words(wish: str) -> None:
    assert read("en", wish).forgotten == ("my diabetes",)


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "Don't remember this: I have diabetes."),
        ("en", "I have diabetes, but please don't store that."),
        ("en", "Off the record, I work at Nestle."),
        ("es", "No guardes esto, pero tengo diabetes."),
        ("fr", "Ne retiens pas ça : j'ai du diabète."),
        ("de", "Das bitte nicht merken: Mein Chef heißt Holger."),
        ("it", "Non memorizzare questo: ho il diabete."),
    ],
)
def test_a_turn_that_is_not_to_be_remembered_states_nothing(lang: str, turn: str) -> None:
    understood = read(lang, turn)
    assert understood.unremembered
    assert not understood.facts


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "Don't forget that I live in Leeds."),
        ("en", "I don't remember where I live."),
        ("en", "I forgot my keys at home."),
        ("de", "Vergiss nicht, dass ich in Leeds wohne."),
        ("es", "No olvides que vivo en Leeds."),
        ("en", "Forget it, I'll do it myself."),
        ("en", "Did you forget where I live?"),
        ("en", "Delete the last paragraph, where I live should stay."),
        ("en", "Remove my name from the guest list."),
        ("en", "How do I delete my account?"),
        ("de", "Lösch den letzten Absatz."),
        ("en", "He always says, forget where I live"),
        ("en", "Don't remember where I live, do you?"),
        ("en", "Remove that comma"),
        ("en", "Forget that, we're late!"),
        ("de", "Meine Adresse vergessen, sorry"),
        ("de", "Streich das Wohnzimmer"),
        ("it", "Quando bevi, dimentichi il mio nome"),
        ("fr", "Oublier Lyon ? Jamais !"),
        ("fr", "Efface la dernière phrase."),
        ("it", "Cancella l'ultima frase."),
    ],
)
def test_a_reminder_is_no_wish_to_forget(lang: str, turn: str) -> None:
    understood = read(lang, turn)
    assert not (understood.forgets or understood.unremembered or understood.retracted)


def test_an_answer_takes_nothing_back() -> None:
    """After "Do you like it?" "No." is about liking."""
    assert not read("en", "I live in Leeds.", "No.", reply="Do you like it?").retracted


@pytest.mark.parametrize(
    ("lang", "first", "second", "fact"),
    [
        ("en", "My name is", "Tobias.", ("you", "name", "tobias")),
        ("en", "I work", "at Siemens.", ("you", "works_at", "siemens")),
        ("en", "I live in Rome, no wait,", "Milan I mean.", ("you", "lives_in", "milan")),
        ("es", "Trabajo en", "Mercadona.", ("you", "works_at", "mercadona")),
        ("fr", "Je m'appelle", "Clotilde.", ("you", "name", "clotilde")),
        ("de", "Ich wohne in", "Oldenburg.", ("you", "lives_in", "oldenburg")),
        ("de", "Ich wohne in Rom, nein warte,", "Mailand meine ich.", ("you", "lives_in", "mailand")),
        ("it", "Mi chiamo", "Gaetano.", ("you", "name", "gaetano")),
    ],
)
def test_a_turn_cut_in_two_is_read_as_one(lang: str, first: str, second: str, fact: tuple[str, str, str]) -> None:
    assert stated(lang, first, second) == {Triple(*fact)}


def test_a_sentence_of_its_own_ends_no_earlier_turn() -> None:
    read = read_by_rules("before that I was at N26 for four years", "en", TurnContext(["I work at Monzo"]))
    assert not read.continues and not read.retracted


def test_what_the_first_half_stated_is_not_stated_again() -> None:
    assert stated("en", "I live in Rome", "and I work at Fiat.") == {Triple("you", "works_at", "fiat")}


def test_turns_with_a_reply_between_are_not_one() -> None:
    assert not read("en", "My name is", "Tobias and I know each other.", reply="Sorry?").facts
