"""What a speaker says in a game, in irony or in the words of somebody else is not believed; what looks alike is."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple, TurnContext, Understood
from amr_neo4j.turn_reader.understand import read_by_rules


def read(lang: str, *turns: str) -> Understood:
    *earlier, turn = turns
    return read_by_rules(turn, lang, TurnContext(tuple(earlier)))


def stated(lang: str, *turns: str) -> set[Triple]:
    return {fact.triple for fact in read(lang, *turns).facts}


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "my boss goes: I'm 50"),
        ("en", "and my sister was like: I live in Leeds"),
        ("en", "he's just like: I work at Aldi"),
        ("de", "und der azubi so: ich bin 17 und wohne noch bei mama"),
        ("de", "meine chefin nur so: ich wohne in Bonn"),
        ("fr", "mon chef genre : j'habite à Lyon"),
        ("fr", "ma voisine me fait : je travaille chez Fnac"),
        ("es", "mi jefa en plan: vivo en Murcia"),
        ("es", "el camarero me suelta: tengo 19 años"),
        ("it", "il capo tipo: abito a Bari"),
        ("it", "la mia vicina mi fa: lavoro alla Fiat"),
    ],
)
def test_the_words_of_others_need_no_quotation_marks(lang: str, turn: str) -> None:
    assert not stated(lang, turn)


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "the careers woman came in and she goes I'm an engineer and I live for bridges"),
        ("en", "my uncle keeps at it and he shouts I live in Leeds"),
        ("en", "mum's neighbour came round and shes like I'm allergic to cats"),
        ("de", "mein friseur erzählt beim schneiden ich bin 40 und wohne in Kiel"),
        ("de", "der opa brummt dauernd ich bin 90 und habe sechs kinder"),
        ("fr", "le plombier m'a sorti j'ai cinq gosses et j'habite à Lille"),
        ("fr", "mon oncle répète toujours je suis boulanger"),
        ("es", "mi suegro siempre con lo mismo, yo soy albañil y vivo en Triana"),
        ("es", "el vecino salta que vivo en Murcia de toda la vida"),
        ("en", "everyone at work goes I am a genius"),
        ("it", "nonno attacca sempre con io ho sei figli e vivo a Charleroi"),
        ("it", "la vicina ripete sempre che abito a Bari"),
    ],
)
def test_the_words_of_others_need_no_colon(lang: str, turn: str) -> None:
    assert not [fact for fact in stated(lang, turn) if fact.subject == "you"]


@pytest.mark.parametrize(
    ("lang", "turn", "fact"),
    [
        ("en", "my sister went home, I live in Leeds", ("you", "lives_in", "leeds")),
        ("en", "He goes to school in York and I work at Aldi", ("you", "works_at", "aldi")),
        ("de", "mein Bruder ruft später an, ich wohne in Bonn", ("you", "lives_in", "bonn")),
        ("fr", "ma soeur sort ce soir et moi j'habite à Lyon", ("you", "lives_in", "lyon")),
        ("es", "mi hermano canta en un coro y yo vivo en Murcia", ("you", "lives_in", "murcia")),
        ("it", "mia sorella fa il medico, io abito a Bari", ("you", "lives_in", "bari")),
        ("en", "my mother moans, I live with her in Leeds", ("you", "lives_in", "leeds")),
        ("de", "mein Mann ruft, ich wohne in Bonn", ("you", "lives_in", "bonn")),
        ("fr", "mon fils crie, moi j'habite à Lyon", ("you", "lives_in", "lyon")),
        ("fr", "ma soeur pleure, j'habite à Nice", ("you", "lives_in", "nice")),
        ("es", "mi perro salta, yo vivo en Murcia", ("you", "lives_in", "murcia")),
        ("it", "mio marito risponde, io abito a Bari", ("you", "lives_in", "bari")),
        ("en", "My son goes to my old school in York and I work at Aldi", ("you", "works_at", "aldi")),
        ("en", "My boss is like my father and I work at Aldi", ("you", "works_at", "aldi")),
        ("de", "meine Tochter ruft meine Oma an, ich wohne in Kiel", ("you", "lives_in", "kiel")),
        ("fr", "mon mari me soutient, je travaille chez Fnac", ("you", "works_at", "fnac")),
        ("it", "un anno fa ho comprato casa e abito a Bari", ("you", "lives_in", "bari")),
    ],
)
def test_what_others_do_does_not_report_the_next_clause(lang: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert {each for each in stated(lang, turn) if each.relation == fact[1]} == {Triple(*fact)}


@pytest.mark.parametrize(
    ("lang", "turn", "fact"),
    [
        ("en", "It's like this: I live in Leeds.", ("you", "lives_in", "leeds")),
        ("en", "In short: I work at Aldi.", ("you", "works_at", "aldi")),
        ("de", "Es ist so: ich wohne in Bonn.", ("you", "lives_in", "bonn")),
        ("de", "Also so: ich arbeite bei Siemens.", ("you", "works_at", "siemens")),
        ("fr", "C'est simple : j'habite à Lyon.", ("you", "lives_in", "lyon")),
        ("fr", "En gros : je travaille chez Fnac.", ("you", "works_at", "fnac")),
        ("es", "En resumen: vivo en Murcia.", ("you", "lives_in", "murcia")),
        ("it", "In breve: abito a Bari.", ("you", "lives_in", "bari")),
    ],
)
def test_what_the_speaker_introduces_is_the_speakers_own(lang: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert Triple(*fact) in stated(lang, turn)


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "yeah right, and I'm the Pope and live in Rome"),
        ("en", "yeah sure mate, and I'm Beyoncé and I live in Malibu"),
        ("de", "ja nee ist klar, und ich bin Heidi Klum und wohne in Malibu"),
        ("de", "na klar du, und ich heiße Elon und wohne in Malibu"),
        ("fr", "mais bien sûr chéri, et moi je suis Shakira et j'habite à Miami"),
        ("fr", "c'est ça, et moi je m'appelle Elon et j'habite à Malibu"),
        ("es", "claro que sí guapi, y yo soy Shakira y vivo en Miami"),
        ("es", "sí hombre, y yo me llamo Elon y vivo en Malibú"),
        ("it", "eh certo, perché io mi chiamo Elon e abito a Beverly Hills"),
        ("it", "sì certo ciccio, e io sono Madonna e vivo a Malibu"),
    ],
)
def test_an_ironic_reply_is_not_meant(lang: str, turn: str) -> None:
    assert not stated(lang, turn)


@pytest.mark.parametrize(
    ("lang", "turn", "fact"),
    [
        ("en", "Yes, and I live in Leeds.", ("you", "lives_in", "leeds")),
        ("en", "Right, and I work at Aldi.", ("you", "works_at", "aldi")),
        ("de", "Genau, und ich wohne in Bonn.", ("you", "lives_in", "bonn")),
        ("de", "Ja, und ich arbeite bei Siemens.", ("you", "works_at", "siemens")),
        ("fr", "Oui, et moi j'habite à Lyon.", ("you", "lives_in", "lyon")),
        ("es", "Claro, y además vivo en Murcia.", ("you", "lives_in", "murcia")),
        ("it", "Sì, e io abito a Bari.", ("you", "lives_in", "bari")),
        ("it", "Certo, io lavoro alla Fiat.", ("you", "works_at", "fiat")),
    ],
)
def test_an_agreement_is_meant(lang: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert Triple(*fact) in stated(lang, turn)


PLAYS = [
    ("en", "let's do a role play, I'm a pirate", "I live in Leeds", "ok that's enough of the game"),
    ("en", "I'm writing a novel in the first person", "I live in Leeds", "Back to reality."),
    ("de", "lass uns ein rollenspiel machen, ich bin pirat", "ich wohne in Leeds", "so, spiel vorbei"),
    ("de", "ich schreibe einen roman in der ich-form", "ich wohne in Leeds", "jetzt mal im ernst"),
    ("fr", "viens on fait un jeu de rôle, je suis un pirate", "j'habite à Leeds", "bon, fin du jeu"),
    ("fr", "j'écris un roman à la première personne", "j'habite à Leeds", "dans la vraie vie c'est autre chose"),
    ("es", "vamos a jugar a un juego de rol, yo soy un pirata", "vivo en Leeds", "Bueno, lo dejamos."),
    ("es", "estoy escribiendo una novela en primera persona", "vivo en Leeds", "ahora en serio"),
    ("it", "facciamo un gioco di ruolo, io sono un pirata", "vivo a Leeds", "ok basta con il gioco"),
    ("it", "sto scrivendo un romanzo in prima persona", "vivo a Leeds", "torniamo alla realtà"),
]


@pytest.mark.parametrize(("lang", "opening", "turn", "end"), PLAYS)
def test_a_play_goes_on_until_it_ends(lang: str, opening: str, turn: str, end: str) -> None:
    home = Triple("you", "lives_in", "leeds")
    assert home in stated(lang, turn)
    assert not stated(lang, opening, turn)
    assert not stated(lang, opening, turn, turn)
    assert home in stated(lang, opening, turn, end, turn)


@pytest.mark.parametrize(
    ("lang", "before", "turn"),
    [
        ("en", "let's play tennis on Monday", "I live in Leeds"),
        ("en", "I'm reading a novel about pirates", "I live in Leeds"),
        ("en", "We are going to play dnd on Friday with my brother.", "I live in Leeds"),
        ("en", "My wife wrote a book in the first person.", "I live in Leeds"),
        ("de", "Wir spielen jeden Freitag Pen and Paper.", "ich wohne in Leeds"),
        ("de", "Ich lese ein Buch in der Ich-Form.", "ich wohne in Leeds"),
        ("fr", "On fait un jeu de rôle tous les vendredis.", "j'habite à Leeds"),
        ("es", "Me gusta jugar a rol los viernes.", "vivo en Leeds"),
        ("it", "Leggo un libro in prima persona.", "vivo a Leeds"),
        ("de", "wir spielen am montag fußball", "ich wohne in Leeds"),
        ("de", "ich lese gerade einen roman", "ich wohne in Leeds"),
        ("fr", "on joue au foot lundi", "j'habite à Leeds"),
        ("es", "vamos a jugar al tenis", "vivo en Leeds"),
        ("es", "estoy leyendo una novela", "vivo en Leeds"),
        ("it", "giochiamo a calcio lunedì", "vivo a Leeds"),
    ],
)
def test_a_match_or_a_book_opens_no_play(lang: str, before: str, turn: str) -> None:
    assert Triple("you", "lives_in", "leeds") in stated(lang, before, turn)


def test_a_wish_to_forget_is_heard_in_a_play() -> None:
    understood = read("en", "let's do a role play", "please forget where I live")
    assert understood.retracted == (Triple("you", "lives_in", ""),)


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "don't save this bit: I work at Gucci"),
        ("de", "die sache hier bitte nicht speichern: ich arbeite bei Gucci"),
        ("fr", "garde pas ça stp : je travaille chez Gucci"),
        ("es", "esta cosa no la guardes: trabajo en Gucci"),
        ("it", "sta cosa non salvarla pls: lavoro alla Gucci"),
    ],
)
def test_a_thing_that_is_not_to_be_kept(lang: str, turn: str) -> None:
    understood = read(lang, turn)
    assert understood.unremembered
    assert not understood.facts


@pytest.mark.parametrize(
    ("lang", "before", "wish"),
    [
        ("en", "I live in Metz", "actually forget that pls, I don't want you to keep where I live"),
        ("de", "ich wohne in Metz", "vergiss das bitte, ich will nicht dass du dir merkst wo ich wohne"),
        ("fr", "j'habite à Metz", "en fait oublie ça stp, je veux pas que tu gardes où j'habite"),
        ("es", "vivo en Metz", "olvida eso porfa, no quiero que guardes dónde vivo"),
        ("it", "vivo a Metz", "dimentica questo per favore, non voglio che tu salvi dove vivo"),
    ],
)
def test_a_wish_may_come_with_a_second_one(lang: str, before: str, wish: str) -> None:
    understood = read(lang, before, wish)
    assert understood.forgets
    assert any(each[:2] == ("you", "lives_in") for each in understood.retracted)
    assert not understood.facts


@pytest.mark.parametrize(
    ("lang", "turns", "ended"),
    [
        ("en", ("I work at Nando's.", "nando's let me go today"), ("you", "works_at", "nando's")),
        ("en", ("I work at Wendy's.", "Wendy's fired me this morning"), ("you", "works_at", "wendy's")),
        ("en", ("My husband is Tom.", "my divorce came through today"), ("you", "husband", "")),
        ("en", ("My husband is Tom.", "our divorce is final"), ("you", "husband", "")),
        ("en", ("My boyfriend is Tom.", "me and Tom are over"), ("you", "boyfriend", "tom")),
        ("en", ("My boyfriend is Tom.", "it's over with Tom"), ("you", "boyfriend", "tom")),
        ("de", ("Ich arbeite bei Siemens.", "die haben mich heute gefeuert"), ("you", "works_at", "")),
        ("de", ("Mein Mann heißt Tom.", "meine Scheidung ist durch"), ("you", "husband", "")),
        ("de", ("Mein Freund heißt Tom.", "mit Tom ist es aus"), ("you", "boyfriend", "tom")),
        ("fr", ("Mon mari s'appelle Julien.", "mon divorce a été prononcé"), ("you", "husband", "")),
        ("fr", ("Mon copain s'appelle Julien.", "avec Julien c'est fini"), ("you", "boyfriend", "julien")),
        ("es", ("Trabajo en Zara.", "me han despedido esta mañana"), ("you", "works_at", "")),
        ("es", ("Trabajo en Zara.", "hoy me han echado del curro"), ("you", "works_at", "")),
        ("es", ("Mi marido se llama Luis.", "ya salió mi divorcio"), ("you", "husband", "")),
        ("es", ("Mi novio se llama Luis.", "lo mío con Luis se acabó"), ("you", "boyfriend", "luis")),
        ("it", ("Lavoro da Zara.", "mi hanno licenziata stamattina"), ("you", "works_at", "")),
        ("it", ("Mio marito si chiama Luca.", "è arrivato il mio divorzio"), ("you", "husband", "")),
        ("it", ("Il mio ragazzo si chiama Luca.", "con Luca è finita"), ("you", "boyfriend", "luca")),
    ],
)
def test_an_end_is_told_of_the_employer_or_the_partner(
    lang: str, turns: tuple[str, ...], ended: tuple[str, str, str]
) -> None:
    assert Triple(*ended) in read(lang, *turns).retracted


@pytest.mark.parametrize(
    ("lang", "turns"),
    [
        ("en", ("I work at Nando's.", "Nando's let me go home early today")),
        ("en", ("My husband is Tom.", "my sister's divorce came through")),
        ("en", ("My husband is Tom.", "Tom and I are done with the dishes")),
        ("de", ("Mein Freund heißt Tom.", "die Scheidung meiner Schwester ist durch")),
        ("de", ("Mein Freund heißt Tom.", "mit Tom ist es lustig")),
        ("fr", ("Mon copain s'appelle Julien.", "le film avec Julien est fini")),
        ("es", ("Mi novio se llama Luis.", "la película con Luis se acabó")),
        ("it", ("Il mio ragazzo si chiama Luca.", "la cena con Luca è finita")),
    ],
)
def test_what_only_sounds_like_an_end_ends_nothing(lang: str, turns: tuple[str, ...]) -> None:
    assert not read(lang, *turns).retracted


@pytest.mark.parametrize(
    ("lang", "turn", "home"),
    [
        ("es", "Sí, vivo en Murcia.", "murcia"),
        ("es", "Sí que vivo en Murcia.", "murcia"),
        ("it", "Sì, abito a Bari.", "bari"),
        ("de", "Ich wohne in Frankfurt am Main.", "frankfurt am main"),
        ("es", "Vivo en Mar del Plata.", "mar del plata"),
        ("it", "Vivo a Riva del Garda.", "riva del garda"),
        ("es", "Si vivo en Murcia, voy al mar.", ""),
        ("es", "Si viviera en Murcia, iría al mar.", ""),
        ("de", "jetzt wohn ich direkt am rhein", ""),
        ("de", "Ich wohne an der Elbe.", ""),
        ("de", "Ich bin ans Meer gezogen.", ""),
        ("en", "I moved to the coast.", ""),
        ("en", "I live near the river.", ""),
        ("fr", "Maintenant j'habite au bord du Rhin.", ""),
        ("fr", "J'ai déménagé à la mer.", ""),
        ("es", "Me he mudado a la playa.", ""),
        ("it", "Mi sono trasferito al mare.", ""),
    ],
)
def test_a_yes_is_no_condition_and_a_shore_is_no_home(lang: str, turn: str, home: str) -> None:
    assert [fact.object for fact in stated(lang, turn) if fact.relation == "lives_in"] == [home] * bool(home)


@pytest.mark.parametrize(
    ("lang", "turns", "facts"),
    [
        ("de", ("Meine Mutter ist 47.", "stop, 48! vertippt"), {("mutter", "age", "48")}),
        ("de", ("Ich wohne in Bonn.", "sorry, Köln"), {("you", "lives_in", "köln")}),
        ("fr", ("Mon neveu a 20 ans.", "pardon, 21 ans"), {("neveu", "age", "21")}),
        ("es", ("Mi sobrino tiene 20 años.", "perdón, 21"), {("sobrino", "age", "21")}),
        ("it", ("Mio nipote ha 20 anni.", "scusa, 21"), {("nipote", "age", "21")}),
        (
            "fr",
            ("J'habite à Tours.", "oups pardon, c'est ma mère qui habite à Tours, moi j'habite à Angers"),
            {("mère", "lives_in", "tours"), ("you", "lives_in", "angers")},
        ),
        ("en", ("My name is Ben.", "Oh, Anna!"), set()),
        ("en", ("I work at Tesco.", "Oh, Ben called"), set()),
        ("en", ("I am allergic to nuts.", "ugh, Mondays"), set()),
        ("en", ("My husband is Tom. My sister is in Rome.", "The divorce came through."), set()),
        ("en", ("My brother Theo is 19.", "sorry, 21 is too late for me"), set()),
        ("en", ("My brother Theo is 19.", "sorry, 21 minutes late"), set()),
        ("en", ("My brother Theo is 19.", "sorry, no idea"), set()),
        ("en", ("My son is 20 and my daughter is 18.", "sorry, 21"), set()),
        ("en", ("I live in Leeds.", "Sorry, Ben"), set()),
        ("de", ("Ich wohne in Bonn.", "sorry, Ben"), set()),
        ("es", ("Mi hijo tiene 20 años y mi hija tiene 18.", "perdón, 21"), set()),
        ("es", ("Vivo en Murcia.", "Perdón, Luis"), set()),
        ("en", ("I keep losing my keys.",), set()),
    ],
)
def test_a_value_alone_corrects_the_turn_before(
    lang: str, turns: tuple[str, ...], facts: set[tuple[str, str, str]]
) -> None:
    assert stated(lang, *turns) == {Triple(*fact) for fact in facts}


@pytest.mark.parametrize(
    ("lang", "turn", "fact"),
    [
        ("en", "Ivys dad, my ex husband Neil, says yes. he lives in Aberdeen", ("neil", "lives_in", "aberdeen")),
        ("en", "Ivy's teacher, my brother Neil, agrees. He lives in Ayr.", ("neil", "lives_in", "ayr")),
        ("de", "Ivys Vater, mein Ex-Mann Jens, sagt ja. Er wohnt in Bremen.", ("jens", "lives_in", "bremen")),
        ("fr", "Le père de Léa, mon ex mari Marc, dit oui. Il habite à Brest.", ("marc", "lives_in", "brest")),
        ("es", "El padre de Lola, mi ex marido Juan, dice que sí. Vive en Cádiz.", ("juan", "lives_in", "cádiz")),
        (
            "it",
            "Il papà di Mia, il mio ex marito Carlo, dice di sì. Lui abita a Bari.",
            ("carlo", "lives_in", "bari"),
        ),
    ],
)
def test_a_pronoun_means_the_name_of_an_apposition(lang: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert Triple(*fact) in stated(lang, turn)
    assert not {"husband", "wife"} & {each.relation for each in stated(lang, turn)}


@pytest.mark.parametrize(
    ("lang", "turn", "home"),
    [
        ("es", "vivo en mar del plata", "mar del plata"),
        ("it", "vivo a riva del garda", "riva del garda"),
        ("en", "i live in lake oswego", "lake oswego"),
    ],
)
def test_a_town_may_be_named_after_a_water(lang: str, turn: str, home: str) -> None:
    assert Triple("you", "lives_in", home) in stated(lang, turn)


def test_a_wish_to_forget_in_a_play_states_nothing_else() -> None:
    play = "let's do a role play, you are a shopkeeper"
    assert not stated("en", play, "Forget my age. I live in Mordor.")
    assert not stated("en", play, "When is my sword ready? Get back to me, shopkeeper.", "I live in Mordor.")


@pytest.mark.parametrize(
    ("lang", "turn", "facts"),
    [
        ("en", "my sister yodels and I live in Cork", [("you", "lives_in", "cork")]),
        ("en", "My uncle panicked and I was born in Cork.", [("you", "born_in", "cork")]),
        ("en", "my parents yodel while I live in Cork", [("you", "lives_in", "cork")]),
        ("en", "my sister Ana yodels so I am a vet", [("you", "sister", "ana"), ("you", "is", "vet")]),
        ("en", "my sister yodels and lives in Cork", [("sister", "lives_in", "cork")]),
        (
            "en",
            "My sister yodels, she lives in York, I live in Hull.",
            [("sister", "lives_in", "york"), ("you", "lives_in", "hull")],
        ),
        ("en", "My brother visited, he lives in Crewe.", [("brother", "lives_in", "crewe")]),
        (
            "en",
            "my cousin Declan and I live in Cork",
            [("you", "cousin", "declan"), ("declan", "lives_in", "cork"), ("you", "lives_in", "cork")],
        ),
        ("de", "meine ältere Schwester jodelt und ich wohne in Ulm", [("you", "lives_in", "ulm")]),
        (
            "de",
            "Mein Bruder Jonas schnarcht und ich habe einen Hund.",
            [("you", "brother", "jonas"), ("you", "has", "hund")],
        ),
        ("de", "meine Schwester jodelt und meine Frau wohnt in Ulm", [("frau", "lives_in", "ulm")]),
        ("fr", "Mon oncle panique et je suis né à Lyon", [("you", "born_in", "lyon")]),
        ("fr", "mes parents jonglent et je vis à Lyon", [("you", "lives_in", "lyon")]),
        ("fr", "Mon oncle jongle, il habite à Lyon.", [("oncle", "lives_in", "lyon")]),
        ("es", "Mi tío bosteza y yo nací en Vigo", [("you", "born_in", "vigo")]),
        ("es", "mis abuelos bostezan y yo vivo en Vigo", [("you", "lives_in", "vigo")]),
        ("es", "mi hermana bosteza y vive en Vigo", [("hermana", "lives_in", "vigo")]),
        ("it", "Mio zio sbadiglia e io sono nato a Bari", [("you", "born_in", "bari")]),
        ("it", "mia sorella sbadiglia e mia moglie vive a Bari", [("moglie", "lives_in", "bari")]),
    ],
)
def test_an_unknown_verb_is_no_name_and_its_subject_none_of_the_next_clause(
    lang: str, turn: str, facts: list[tuple[str, str, str]]
) -> None:
    assert set(stated(lang, turn)) == {Triple(*fact) for fact in facts}


@pytest.mark.parametrize(
    ("lang", "turns", "people"),
    [
        ("en", ("My mates Josh and Dan came round.", "He works at Nando's."), ("josh", "dan")),
        ("de", ("Meine Kolleginnen Petra und Silke waren gestern da.", "Sie wohnt in Neuss."), ("petra", "silke")),
        ("fr", ("Mes tantes Josette et Monique arrivent.", "Elle habite à Albi."), ("josette", "monique")),
        ("es", ("Mis hermanos Luis y Paco vinieron ayer.", "Él vive en Getafe."), ("luis", "paco")),
        ("it", ("I miei fratelli Luca e Marco sono venuti.", "Lui vive a Pisa."), ("luca", "marco")),
    ],
)
def test_a_pronoun_after_several_of_one_role_may_be_either(
    lang: str, turns: tuple[str, ...], people: tuple[str, ...]
) -> None:
    understood = read(lang, *turns)
    assert [{*each.people} for each in understood.unclear] == [{*people}]
    assert not understood.facts


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "the mother of my husband, Odette, lives in Hull"),
        ("de", "die Mutter von meinem Mann, Odette, wohnt in Soest"),
        ("fr", "la mère de mon mari, Odette, habite à Vannes"),
        ("es", "la madre de mi marido, Odette, vive en Soria"),
        ("it", "la madre di mio marito, Odette, abita a Pisa"),
    ],
)
def test_a_name_after_a_relatives_relative_is_not_the_relatives(lang: str, turn: str) -> None:
    assert not [fact for fact in stated(lang, turn) if fact.relation == "husband"]


def test_what_follows_somebodys_relative_is_not_about_the_somebody() -> None:
    said = stated("es", "el cuñado de mi jefe, un tal Fermín, vive en Tudela y tiene 50 tacos")
    assert not [fact for fact in said if fact.subject == "jefe"]


def test_a_name_with_a_particle_is_read_once() -> None:
    facts = stated("de", "Mein Nachbar Karl-Heinz von der Lühe arbeitet bei ThyssenKrupp.")
    assert [fact.object for fact in facts if fact.relation == "neighbor"] == ["karl-heinz von der lühe"]
