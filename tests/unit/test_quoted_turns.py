"""Where no fact answers a question, the user's own turn is quoted with its date."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from amr_neo4j.app.chatting import about_facts
from amr_neo4j.domain.fact import SAID, Triple
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.ports import AskedFacts, Nearness, ReadAs
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.score import score_table
from amr_neo4j.live_chat.session import LiveChat
from amr_neo4j.turn_reader.understand import Understander

MAY = datetime(2026, 5, 3, 9, tzinfo=UTC)
LANGUAGES = ["en", "es", "fr", "de", "it"]


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander(LANGUAGES)


class Near:
    """A PassiveMemory to which all turns mean the same as any question, the latest first. Recalls nothing else.

    relevance: of each turn to any question, with which it then has no similarity.
    """

    held = frozenset[str]()

    def __init__(self, relevance: float | None = None) -> None:
        self.relevance = relevance
        self.turns: list[str] = []
        self.asked: list[str] = []

    def said(self, episode_id: str, text: str, *, personal: bool = True) -> None:
        self.turns.insert(0, episode_id)

    def turns_like(self, question: AskedFacts, read_as: ReadAs) -> dict[str, Nearness]:
        self.asked.append(question.meaning)
        if self.relevance is not None:
            return {turn: Nearness(0.0, self.relevance) for turn in self.turns}
        return {turn: Nearness(1 - place / 100) for place, turn in enumerate(self.turns)}


def talk(
    understander: Understander, turns: Sequence[str], index: HotIndex | None = None, passive: Any = None
) -> LiveChat:
    kept: list[str] = []

    def keep(turn: object) -> str:
        kept.append(str(turn))
        return f"e{len(kept)}"

    chat = LiveChat(
        "s",
        user_id="u1",
        index=HotIndex() if index is None else index,
        understand=understander.understand,
        ask=partial(about_facts, "u1"),
        keep=keep,
        options=HotOptions(),
        now=lambda: MAY,
        clock=time.perf_counter,
        passive=passive,
    )
    for turn in turns:
        chat.observe(turn)
    return chat


@pytest.mark.parametrize(
    ("said", "question", "quoted"),
    [
        ("my ex, Dominic, kept the house in Fife", "Where is Dominic's house?", "You said on 3 May 2026: “{}”"),
        ("the kiln at the shed cost me 900 pounds", "How much did my kiln cost?", "You said on 3 May 2026: “{}”"),
        ("el chalet de Toledo se lo quedó Rubén", "¿Dónde está el chalet de Rubén?",
         "El 3 de mayo de 2026 dijiste: «{}»"),
        ("mon ex, Fabrice, a gardé la maison de Dole", "Où est la maison de Fabrice ?",
         "Le 3 mai 2026, tu as dit : « {} »"),
        ("am Nachbarschalter sitzt Frau Pohl", "Wer ist Frau Pohl?", "Am 3. Mai 2026 hast du gesagt: „{}“"),
        ("suo figlio Gianni alleva maiali", "Cosa alleva Gianni?", "Il 3 maggio 2026 hai detto: «{}»"),
    ],
)  # fmt: skip
def test_a_turn_that_answers_is_quoted_with_its_date(
    understander: Understander, said: str, question: str, quoted: str
) -> None:
    chat = talk(understander, [said])
    hints = chat.observe(question).hints
    assert [hint.text for hint in hints] == [quoted.format(said)]
    assert hints[0].triple == Triple("you", SAID, said)
    assert quoted.format(said) in str(chat.inject([{"role": "user", "content": question}]))


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I share a flat with Sunil", "How old is Sunil?"),
        ("My dad collects stamps, boring if you ask me", "What do I collect?"),
        ("ma mère est née à Thiès", "Où est née ma grand-mère ?"),
        ("I watch Netflix every night", "What is Netflix?"),
        ("Mein Sauerteig steht im Keller", "Was ist Sauerteig?"),
        ("wohne mit Kemal in einer WG", "Wie alt ist Kemal?"),
        ("Did I tell you about Dominic's house?", "Where is Dominic's house?"),
    ],
)
def test_no_turn_is_quoted_that_does_not_answer(understander: Understander, said: str, question: str) -> None:
    assert not talk(understander, [said]).observe(question).hints


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("My daughter's teacher is Mrs Bell", "Who is Tom's teacher?"),
        ("Anna's teacher is Mrs Bell, Tom likes her", "Who is Tom's teacher?"),
        ("Tom met Anna's teacher yesterday", "Who is Tom's teacher?"),
        ("his boat is moored in Fowey", "Where is my boat?"),
        ("my barber's boat is moored in Fowey", "Where is my boat?"),
        ("the boat of my barber is moored in Fowey", "Where is my boat?"),
        ("they sold their boat for 900 pounds", "How much did my boat cost?"),
        ("my ex-husband sold the caravan in Wales", "Where is my husband's caravan?"),
        ("my ex-wife's caravan is in Wales", "Where is my wife's caravan?"),
        ("I saw the play in Leeds with Kate", "Where does Kate play?"),
        ("my sister's friend has a kiln in Stoke", "Where is my friend's kiln?"),
        ("Tom told me about the kiln in Stoke", "Where is Tom's kiln?"),
        ("su barco está en Gijón", "¿Dónde está mi barco?"),
        ("el barco del barbero está en Gijón", "¿Dónde está mi barco?"),
        ("mi exmarido vendió la caravana en Soria", "¿Dónde está la caravana de mi marido?"),
        ("fui a Roma con Lucía en barco", "¿Dónde está el barco de Lucía?"),
        ("son bateau est à Brest", "Où est mon bateau ?"),
        ("le bateau de mon coiffeur est à Brest", "Où est mon bateau ?"),
        ("ma belle-mère élève des chèvres à Gap", "Où ma mère élève-t-elle des chèvres ?"),
        ("sein Boot liegt in Kiel", "Wo liegt mein Boot?"),
        ("das Boot von meinem Friseur liegt in Kiel", "Wo liegt mein Boot?"),
        ("ihr Boot liegt in Kiel", "Wo liegt mein Boot?"),
        ("mein Exmann hat den Wohnwagen in Suhl verkauft", "Wo steht der Wohnwagen von meinem Mann?"),
        ("la barca del mio barbiere è a Chioggia", "Dov'è la mia barca?"),
        ("mia suocera alleva capre a Nuoro", "Dove alleva capre mia madre?"),
        ("l'insegnante di Anna è la signora Corsi", "Chi è l'insegnante di Marco?"),
        ("the daughter of my neighbour bakes bread in Ely", "Where does my daughter bake bread?"),
        ("die Tochter meines Nachbarn backt Brot in Hof", "Wo backt meine Tochter Brot?"),
        ("la fille de mon voisin s'appelle Ann", "Comment s'appelle ma fille ?"),
        ("le mari de Marie cuit le pain à Brest", "Où est-ce que mon mari cuit le pain ?"),
        ("la hija de mi vecino hornea pan en Jaca", "¿Dónde hornea pan mi hija?"),
        ("la figlia del mio vicino cuoce il pane a Nuoro", "Dove cuoce il pane mia figlia?"),
    ],
)
def test_no_turn_is_quoted_that_is_about_somebody_else(understander: Understander, said: str, question: str) -> None:
    assert not talk(understander, [said]).observe(question).hints
    assert not talk(understander, [said], passive=Near()).observe(question).hints


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I don't know where my passport is", "Where is my passport?"),
        ("no idea where I left my passport", "Where is my passport?"),
        ('that song, "my boat is in Fowey", is stuck in my head', "Where is my boat?"),
        ("no sé dónde está mi pasaporte", "¿Dónde está mi pasaporte?"),
        ("je ne sais pas où est mon passeport", "Où est mon passeport ?"),
        ("ich weiß nicht, wo mein Pass ist", "Wo ist mein Pass?"),
        ("non so dov'è il mio passaporto", "Dov'è il mio passaporto?"),
    ],
)
def test_no_turn_is_quoted_that_only_asks_or_quotes(understander: Understander, said: str, question: str) -> None:
    assert not talk(understander, [said]).observe(question).hints


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("my passport is with my sister", "Where is my passport?"),
        ("Tom's teacher is Mrs Bell", "Who is Tom's teacher?"),
        ("my mother keeps bees in Kent", "Where does my mother keep bees?"),
        ("my sister's kiln is in Stoke", "Where is my sister's kiln?"),
        ("mi madre cría cabras en Jaca", "¿Dónde cría cabras mi madre?"),
        ("le bateau de Maxence est à Brest", "Où est le bateau de Maxence ?"),
        ("meine Mutter züchtet Ziegen in Hof", "Wo züchtet meine Mutter Ziegen?"),
        ("mia madre alleva capre a Nuoro", "Dove alleva capre mia madre?"),
    ],
)
def test_a_turn_about_the_person_asked_for_is_quoted(understander: Understander, said: str, question: str) -> None:
    assert talk(understander, [said]).observe(question).hints


def test_a_fact_comes_before_the_words_that_state_it(understander: Understander) -> None:
    [hint] = talk(understander, ["I live in Porto."]).observe("Where do I live?").hints
    assert hint.text == "You live in Porto"


def test_the_latest_of_two_turns_is_quoted(understander: Understander) -> None:
    chat = talk(understander, ["the house of Dominic is for sale", "the house of Dominic is sold"])
    assert [hint.triple.object for hint in chat.observe("Where is Dominic's house?").hints] == [
        "the house of Dominic is sold"
    ]


def test_a_turn_whose_fact_was_replaced_or_forgotten_is_not_quoted(understander: Understander) -> None:
    index = HotIndex()
    chat = talk(understander, ["I live in Porto."], index)
    index.remove("you", "lives_in")
    assert not chat.observe("Where do I live?").hints


def test_words_that_are_to_be_forgotten_are_not_quoted(understander: Understander) -> None:
    chat = talk(understander, ["the house of Dominic is sold", "I like tea.", "Forget that I like tea."])
    assert not chat.observe("Where is Dominic's house?").hints


def test_a_quote_leaves_the_prompt_when_its_turn_is_gone(understander: Understander) -> None:
    chat = talk(understander, ["the house of Dominic is sold"])
    [quote] = chat.observe("Where is Dominic's house?").hints
    asked = [{"role": "user", "content": "Where is Dominic's house?"}]
    assert quote.text in str(chat.inject(asked))
    chat._index.said_turns.drop(frozenset({"e1"}))
    assert chat.inject(asked) == asked


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("if I had a boat I'd call it Nessie", "What is my boat called?"),
        ("I wish I had a kiln in Fife", "Where is my kiln?"),
        ("I used to have a piano in the hall", "Where is my piano?"),
        ("früher hatte ich ein Klavier im Flur", "Wo ist mein Klavier?"),
        ("si j'avais un bateau je l'appellerais Nessie", "Comment s'appelle mon bateau ?"),
        ("avant j'avais un piano dans l'entrée", "Où est mon piano ?"),
        ("antes yo tenía un piano en el salón", "¿Dónde está mi piano?"),
        ("prima avevo un pianoforte in salotto", "Dov'è il mio pianoforte?"),
        ("no me gusta", "¿Qué no me gusta?"),
    ],
)
def test_no_turn_is_quoted_that_supposes_or_is_over_or_says_nothing_more(
    understander: Understander, said: str, question: str
) -> None:
    assert not talk(understander, [said]).observe(question).hints


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (["my friend Wendy is a potter", "she has a kiln in her garden"], "What does Wendy have in her garden?"),
        (["my friend Wendy is a potter", "she has a kiln in her garden"], "Where is Wendy's kiln?"),
        (["My birthday is on the 3rd of August"], "When is my birthday?"),
        (["j'ai un petit voilier, le Goéland, à La Rochelle"], "Comment s'appelle mon voilier ?"),
        (["ho una barca, la Perla, a Camogli"], "Come si chiama la mia barca?"),
        (["tengo un barco, la Perla, en Cádiz"], "¿Cómo se llama mi barco?"),
    ],
)
def test_a_turn_is_quoted_by_whom_its_facts_are_of(
    understander: Understander, said: list[str], question: str
) -> None:
    hints = talk(understander, said).observe(question).hints
    assert [hint.triple for hint in hints] == [Triple("you", SAID, said[-1])]


@pytest.mark.parametrize(
    ("said", "question", "planned"),
    [
        ("I have to call the plumber tomorrow", "What do I have to do tomorrow?", "call the plumber"),
        ("ich muss morgen den Klempner anrufen", "Was muss ich morgen tun?", "klempner anrufen"),
        ("mañana tengo que llamar al fontanero", "¿Qué tengo que hacer mañana?", "llamar al fontanero"),
        ("demain je dois appeler le plombier", "Qu'est-ce que je dois faire demain ?", "appeler le plombier"),
        ("domani devo chiamare l'idraulico", "Cosa devo fare domani?", "chiamare l'idraulico"),
    ],
)
def test_plans_answer_a_question_for_them_of_their_day(
    understander: Understander, said: str, question: str, planned: str
) -> None:
    chat = talk(understander, [said, "I'm going to paint the fence on Saturday"])
    assert [hint.triple for hint in chat.observe(question).hints] == [Triple("you", "plans", planned)]


@pytest.mark.parametrize(
    ("said", "question", "quoted"),
    [
        (["Lea can't eat walnuts", "I go swimming on Sundays"], "What is Lea allergic to?", "Lea can't eat walnuts"),
        (["Lea darf keine Walnüsse essen", "ich schwimme sonntags"], "Wogegen ist Lea allergisch?",
         "Lea darf keine Walnüsse essen"),
        (["Léa ne peut pas manger de noix"], "À quoi Léa est-elle allergique ?", "Léa ne peut pas manger de noix"),
        (["Lea no puede comer nueces"], "¿A qué es alérgica Lea?", "Lea no puede comer nueces"),
        (["Lea non può mangiare noci"], "A che cosa è allergica Lea?", "Lea non può mangiare noci"),
        (["I'm hopeless with heights"], "What am I afraid of?", "I'm hopeless with heights"),
        # Of whom a pronoun is, the turn before says; and names that no list has count, too.
        (["Wendy called", "she's saving for a camper van"], "What does Wendy put money aside for?",
         "she's saving for a camper van"),
        (["my mate Quillon gets airsick, so he went by train"], "Why isn't Quillon flying?",
         "my mate Quillon gets airsick, so he went by train"),
        (["I've got my own deadline, the thesis is due in June"], "When do I have to hand in my thesis?",
         "I've got my own deadline, the thesis is due in June"),
        (["no puedo comer marisco"], "¿A qué tengo alergia?", "no puedo comer marisco"),
        # Titles are no names of somebody else, nor are words such as "can" in a turn without capitals, nor months.
        (["Mr Baptiste called", "his roses have black spot"], "What's wrong with Mr Baptiste's roses?",
         "his roses have black spot"),
        (["the new place has no oven, can you believe that"], "What is missing in our new place?",
         "the new place has no oven, can you believe that"),
        (["Handyvertrag gekündigt, läuft bis Ende August"], "Wie lange gilt mein Handyvertrag?",
         "Handyvertrag gekündigt, läuft bis Ende August"),
        # Pets that are asked for are nobody. A pronoun may stand for one of two, or for a name that no list has.
        (["la voisine Mme Ferrand a des poules, elles picorent tout"], "Quels animaux a Mme Ferrand ?",
         "la voisine Mme Ferrand a des poules, elles picorent tout"),
        (["she knits for the whole family, Uncle Bertie got a balaclava"], "What did Uncle Bertie get from Gran?",
         "she knits for the whole family, Uncle Bertie got a balaclava"),
        (["Quillon needs braces", "he's only worried whether he can play the trumpet"], "What scares Quillon?",
         "he's only worried whether he can play the trumpet"),
        (["my nephew Felix is two", "he won't sleep without his rabbit Mr Flop"], "What does Felix need at night?",
         "he won't sleep without his rabbit Mr Flop"),
        # What is the speaker's own and named first is nobody else's.
        (["the spare key is with Mr Osei at number 9"], "Who has my spare key?",
         "the spare key is with Mr Osei at number 9"),
        (["j'ai rendez-vous le 8 avril à 9 h"], "Quand est mon rendez-vous chez le dentiste ?",
         "j'ai rendez-vous le 8 avril à 9 h"),
        (["ieri è passato mio zio", "alleva cavalli e non esce mai"], "Che cosa alleva mio zio?",
         "alleva cavalli e non esce mai"),
        (["El examen de conducir lo tengo el 6 de noviembre"], "¿Qué día me examino de conducir?",
         "El examen de conducir lo tengo el 6 de noviembre"),
        # A verb of the speaker's, where the pronoun is left out, makes a question theirs.
        (["me apunté a esgrima, espada"], "¿Qué arma elegí?", "me apunté a esgrima, espada"),
        (["son 94 escalones, un suplicio"], "¿Cuántos peldaños subo hasta el reloj?",
         "son 94 escalones, un suplicio"),
        (["la mia collezione di fumetti puzza"], "Che cosa conservavo nella cantina?",
         "la mia collezione di fumetti puzza"),
        # Who is known to be the user's sister may be named or not.
        (["ma soeur Maëlle est costumière", "Maëlle s'est planté l'aiguille dans le pouce"],
         "Qu'est-il arrivé au doigt de ma sœur ?", "Maëlle s'est planté l'aiguille dans le pouce"),
        (["my sister Fiona came by", "my sister sprained her ankle"], "What happened to Fiona's foot?",
         "my sister sprained her ankle"),
        # A word behind a title is a name only as names are written; "which animals" asks for no pet.
        (["la zia gli ha insegnato a bestemmiare"], "Cosa ha insegnato la zia alla bestiola?",
         "la zia gli ha insegnato a bestemmiare"),
        # The speaker is in the question, too.
        (["Lorraine shares the shed with me, she only makes urns"], "What does Lorraine produce in our shed?",
         "Lorraine shares the shed with me, she only makes urns"),
        # What is asked in another clause than that of the thing.
        (["El carné lo saco el 6 de noviembre, qué nervios"], "¿Qué día me examino del carné?",
         "El carné lo saco el 6 de noviembre, qué nervios"),
    ],
)  # fmt: skip
def test_a_turn_that_means_the_same_is_quoted_where_none_has_the_words(
    understander: Understander, said: list[str], question: str, quoted: str
) -> None:
    hints = talk(understander, said, passive=Near()).observe(question).hints
    assert [hint.triple for hint in hints] == [Triple("you", SAID, quoted)]


@pytest.mark.parametrize(
    ("code", "question", "meaning"),
    [
        ("en", "Where does my brother Tom live?", "where does my live"),
        ("en", "What is Quillon's rent?", "what is rent"),
        ("de", "Wogegen ist Lea allergisch?", "wogegen ist allergisch"),
        ("en", "Where do I live?", "where do i live"),
        ("en", "Tom?", "Tom?"),
    ],
)
def test_turns_are_compared_with_a_question_without_its_persons(code: str, question: str, meaning: str) -> None:
    assert about_facts("u1", question, code).meaning == meaning


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Tom can't eat walnuts", "What is Lea allergic to?"),  # of somebody else
        ("Lea can't eat walnuts", "What am I allergic to?"),
        ("she can't eat walnuts", "What am I allergic to?"),
        ("my mate Tom can't eat walnuts", "What is Quillon allergic to?"),
        ("mio zio spara fuochi|abita in piazza", "Dove abito?"),  # the verb goes on about the uncle
        ("I can't eat walnuts", "What are walnuts good for?"),  # about the world
        ("I live in Porto", "Where do I live?"),  # a fact answers
    ],
)
def test_turns_of_others_are_not_quoted_nor_any_about_the_world(
    understander: Understander, said: str, question: str
) -> None:
    hints = talk(understander, said.split("|"), passive=Near()).observe(question).hints
    assert not [hint for hint in hints if hint.triple.relation == SAID]


@pytest.mark.parametrize(
    ("said", "question", "relevance", "is_quoted"),
    [
        ("Lea can't eat walnuts", "What may I not put in Lea's cake?", 0.8, True),
        ("Lea can't eat walnuts", "What may I not put in Lea's cake?", 0.3, False),
        ("Tom can't eat walnuts", "What may I not put in Lea's cake?", 0.8, False),
        ("her brother Tom can't eat walnuts", "What may I not bake for Lea's family?", 0.99, True),
        ("The plumber is coming on Monday", "When is the plumber coming?", 0.95, True),  # names nobody
        ("The plumber is coming on Monday", "When do plumbers work?", 0.8, False),
    ],
)
def test_a_network_that_reads_both_tells_whether_a_turn_is_quoted(
    understander: Understander, said: str, question: str, relevance: float, *, is_quoted: bool
) -> None:
    """A turn whose persons speak against it must be surer to help."""
    hints = talk(understander, [said], passive=Near(relevance)).observe(question).hints
    assert [hint.triple for hint in hints if hint.triple.relation == SAID] == is_quoted * [Triple("you", SAID, said)]


@pytest.mark.parametrize(
    ("said", "forgotten", "question"),
    [
        ("I want to buy a boat", "forget that I want a boat", "What do I want to buy?"),
        ("ich will ein Boot kaufen", "vergiss, dass ich ein Boot will", "Was will ich kaufen?"),
        ("quiero comprar una bici", "olvida que quiero una bici", "¿Qué planes tengo?"),
        ("je veux acheter un bateau", "oublie que je veux un bateau", "Qu'est-ce que je veux acheter ?"),
        ("voglio comprare una barca", "dimentica che voglio una barca", "Che piani ho?"),
    ],
)
def test_a_plan_that_is_forgotten_is_not_quoted(
    understander: Understander, said: str, forgotten: str, question: str
) -> None:
    assert talk(understander, [said]).observe(question).hints
    assert not talk(understander, [said, forgotten]).observe(question).hints


def test_the_more_turns_the_nearer_one_must_be() -> None:
    """Of a thousand turns, one is near to any question by chance."""
    quote = score_table().quote
    assert quote.is_like(quote.least, None, 5)
    assert not quote.is_like(quote.least + 0.15, None, 1000)


def test_likeness_and_what_the_network_finds_are_weighed_together() -> None:
    """The network gives .9 to many a turn that names the person asked about, whatever it tells of them."""
    quote = score_table().quote
    assert quote.is_like(0.1, 0.5, 5)
    assert not quote.is_like(-0.1, 0.9, 5)
    assert not quote.is_like(0.1, 0.5, 1000)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("an heirloom from my uncle. my friend Olivia has a peacock", "What beast does Olivia keep in her garden?"),
        ("Erbe vom Onkel. meine Freundin Lena hat einen Pfau", "Welches Vieh hält Lena im Garten?"),
        ("herencia de mi tío. mi amiga Lucía tiene un pavo real", "¿Qué bicho cría Lucía en el jardín?"),
        ("hérité de mon oncle. mon amie Léa a un paon", "Quelle bête élève Léa dans son jardin ?"),
        ("eredità dello zio. la mia amica Chiara ha un pavone", "Che bestia tiene Chiara in giardino?"),
    ],
)
def test_a_fact_that_was_read_from_a_turn_shows_whom_it_is_about(
    understander: Understander, said: str, question: str
) -> None:
    """Somebody else is named first, but what is stated is of the person asked about."""
    [hint] = talk(understander, [said], passive=Near(0.8)).observe(question).hints
    assert hint.triple == Triple("you", SAID, said)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("my neighbour Ida has a dog and I live in Ghent. She keeps bees on the roof", "What do I keep on the roof?"),
        ("Meine Nachbarin Ida hat einen Hund und ich wohne in Gent. Sie hält Bienen", "Welche Tiere halte ich?"),
        ("Mi vecina Ida tiene un perro y yo vivo en Gante. Ella cría abejas", "¿Qué animales crío?"),
        (
            "Ma voisine Ida a un chien et j'habite à Gand. Elle élève des abeilles",
            "Quels animaux ai-je ?",
        ),
        ("La mia vicina Ida ha un cane e io vivo a Gand. Lei alleva api", "Quali animali allevo?"),
    ],
)
def test_facts_of_several_people_do_not_show_whom_a_turn_is_about(
    understander: Understander, said: str, question: str
) -> None:
    assert not talk(understander, [said], passive=Near(0.8)).observe(question).hints


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("my neighbour Olivia is 74 and plays badminton", "What sport have I started?"),
        ("meine Nachbarin Lena ist 74 und spielt Badminton", "Welchen Sport habe ich angefangen?"),
        ("mi vecina Lucía tiene 74 años y juega al bádminton", "¿Qué deporte he empezado?"),
        ("ma voisine Léa a 74 ans et joue au badminton", "Quel sport ai-je commencé ?"),
        ("la mia vicina Chiara ha 74 anni e gioca a badminton", "Che sport ho cominciato?"),
    ],
)
def test_who_somebody_is_to_the_user_is_nothing_of_the_user(
    understander: Understander, said: str, question: str
) -> None:
    assert not talk(understander, [said], passive=Near(0.8)).observe(question).hints


@pytest.mark.parametrize(
    ("code", "question", "turn"),
    [
        ("en", "What is Tom mad about?", "Tom is mad about trains, he used to drive them"),
        ("de", "Was liebt Tom?", "Tom liebt Züge, früher fuhr er welche"),
        ("es", "¿Qué adora Tomás?", "Tomás adora los trenes, antes los conducía"),
        ("fr", "Qu'est-ce que Tom adore ?", "Tom adore les trains, avant il en conduisait"),
        ("it", "Che cosa adora Tommaso?", "Tommaso adora i treni, prima li guidava"),
    ],
)
def test_a_turn_that_tells_of_now_and_of_then_tells_of_now(code: str, question: str, turn: str) -> None:
    assert about_facts("u1", question, code).shared_with(turn) is not None


@pytest.mark.parametrize(
    ("code", "question", "turn"),
    [
        ("en", "Where is Mr Bell moving?", "my boss, a Mr Bell, is moving to Bath in March"),
        ("de", "Wohin wechselt Herr Brandl?", "mein Chef, der Herr Brandl, wechselt nach Linz"),
        ("es", "¿Adónde se va el señor Cuesta?", "mi jefe, el señor Cuesta, se va a Bilbao"),
        ("fr", "Où part Mme Martin ?", "ma cheffe, la Mme Martin, part à Lille"),
        ("it", "Dove si trasferisce il signor Greco?", "il mio capo, il signor Greco, si trasferisce a Bari"),
    ],
)
def test_a_role_and_a_name_with_an_article_are_one_person(code: str, question: str, turn: str) -> None:
    assert about_facts("u1", question, code).shared_with(turn) is not None


@pytest.mark.parametrize(
    ("turn", "is_his"), [("The parking will be five pounds", False), ("Will pays five pounds for parking", True)]
)
def test_a_relative_whose_name_is_a_word_is_named_with_a_capital(turn: str, *, is_his: bool) -> None:
    question = about_facts("u1", "What does my brother pay for parking?", "en")
    assert (question.knowing([Triple("you", "brother", "will")]).shared_with(turn) is not None) == is_his


@pytest.mark.parametrize(
    ("code", "question", "other", "right"),
    [
        ("en", "How much did my bike cost?", "I pay 650 a month for the flat.", "The bike cost me 300."),
        (
            "de",
            "Wie viel hat mein Fahrrad gekostet?",
            "Für die Wohnung zahle ich 700.",
            "Das Fahrrad hat 300 gekostet.",
        ),
        ("fr", "Combien a coûté mon vélo ?", "Je paie 620 euros par mois.", "Le vélo m'a coûté 300 euros."),
        ("es", "¿Cuánto me costó la bici?", "Pago 650 al mes por el piso.", "La bici me costó 300."),
        ("it", "Quanto mi è costata la bici?", "Pago 620 euro al mese.", "La bici mi è costata 300."),
    ],
)
def test_a_number_without_a_word_of_the_question_is_not_what_is_asked_for(
    code: str, question: str, other: str, right: str
) -> None:
    asked = about_facts("anna", question, code)
    shared = asked.shared_with(other)
    assert shared is None or not shared.has_kind
    assert (found := asked.shared_with(right)) is not None and found.has_kind


@pytest.mark.parametrize(
    ("code", "text", "meaning"),
    [
        ("fr", "Quel est le prénom de Mme Pichon ?", "quel est le prénom de"),
        ("en", "What is the job of Mr Osei?", "what is the job of"),
        ("de", "Wo wohnt Frau Tamm?", "wo wohnt"),
    ],
)
def test_a_title_goes_with_its_name(code: str, text: str, meaning: str) -> None:
    assert about_facts("anna", text, code).meaning == meaning
