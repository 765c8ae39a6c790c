"""What is said of several people, of their homes, their businesses and their kin, in five languages."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple, TurnContext
from amr_neo4j.turn_reader.understand import read_by_rules


def stated(code: str, *turns: str) -> set[tuple[str, str, str]]:
    """Return what the last of some turns states."""
    *earlier, last = turns
    return {tuple(fact.triple) for fact in read_by_rules(last, code, TurnContext(tuple(earlier))).facts}


@pytest.mark.parametrize(
    ("code", "turn"),
    [
        ("en", "my daughter Susan lives with me in Barnsley"),
        ("de", "meine Tochter Susan wohnt mit mir in Gladbeck"),
        ("fr", "ma fille Susan vit avec moi à Liévin"),
        ("es", "mi hija Susan vive conmigo en Vigo"),
        ("it", "mia figlia Susan vive con me a Carbonia"),
    ],
)
def test_who_lives_with_the_speaker_tells_the_speakers_home(code: str, turn: str) -> None:
    place = turn.rsplit(maxsplit=1)[-1].lower()
    assert ("you", "lives_in", place) in stated(code, turn)


@pytest.mark.parametrize(
    ("code", "turn"),
    [
        ("en", "I left my flat in Oslo."),
        ("en", "I moved out of my flat in Oslo."),
        ("de", "Ich habe meine Wohnung in Oslo aufgegeben."),
        ("fr", "J'ai quitté mon appartement à Oslo."),
        ("fr", "J'ai quitté mon appartement de Oslo."),
        ("es", "Dejé mi piso en Oslo."),
        ("it", "Ho lasciato il mio appartamento a Oslo."),
    ],
)
def test_a_flat_that_was_left_is_no_home(code: str, turn: str) -> None:
    read = read_by_rules(turn, code)
    assert read.facts == ()
    assert read.retracted == (Triple("you", "lives_in", "oslo"),)


@pytest.mark.parametrize(
    ("code", "turn"),
    [
        ("en", "I left my house in Oslo at eight this morning."),
        ("fr", "J'ai quitté ma maison à Oslo à huit heures ce matin."),
        ("es", "Dejé mi casa en Oslo a las ocho."),
        ("it", "Ho lasciato la mia casa a Oslo alle otto."),
    ],
)
def test_whoever_leaves_the_house_lives_there_still(code: str, turn: str) -> None:
    assert read_by_rules(turn, code).retracted == ()


@pytest.mark.parametrize(
    ("code", "turn", "facts"),
    [
        ("en", "Marie and Luc are cousins.", {("marie", "cousin", "luc")}),
        ("en", "Marie and Luc are colleagues.", {("marie", "colleague", "luc")}),
        ("de", "Marie und Luc sind Cousins.", {("marie", "cousin", "luc")}),
        ("de", "Marie und Luc sind Kollegen.", {("marie", "colleague", "luc")}),
        ("fr", "Marie et Luc sont cousins.", {("marie", "cousin", "luc")}),
        ("es", "Marie y Luc son primos.", {("marie", "cousin", "luc")}),
        ("it", "Marie e Luc sono colleghi.", {("marie", "colleague", "luc")}),
        ("en", "Ann and Tom are siblings.", {("ann", "brother", "tom"), ("tom", "sister", "ann")}),
        ("de", "Lisa und Ben sind Geschwister.", {("lisa", "brother", "ben"), ("ben", "sister", "lisa")}),
        ("es", "Ana y Jorge son hermanos.", {("ana", "brother", "jorge"), ("jorge", "sister", "ana")}),
        ("en", "Ana and George are my parents.", {("you", "mother", "ana"), ("you", "father", "george")}),
        ("de", "Anna und Georg sind meine Eltern.", {("you", "mother", "anna"), ("you", "father", "georg")}),
        ("fr", "Anne et Georges sont mes parents.", {("you", "mother", "anne"), ("you", "father", "georges")}),
        ("es", "Ana y Jorge son mis padres.", {("you", "mother", "ana"), ("you", "father", "jorge")}),
        ("it", "Ana e Giorgio sono i miei genitori.", {("you", "mother", "ana"), ("you", "father", "giorgio")}),
        ("en", "My pet is called Dobby.", {("you", "pet", "dobby")}),
        ("de", "Mein Haustier heißt Bella.", {("you", "pet", "bella")}),
        ("fr", "Roxane tient un salon de thé.", {("roxane", "has", "salon de thé")}),
        ("fr", "Mon animal s'appelle Dobby.", {("you", "pet", "dobby")}),
        ("es", "Mi mascota se llama Copito.", {("you", "pet", "copito")}),
        ("it", "Il mio animale si chiama Briciola.", {("you", "pet", "briciola")}),
        ("de", "Der Hund gehört Eva.", set()),
        ("de", "Der Hund gehört der Nachbarin.", set()),
        ("en", "Ann and Tom are parents.", set()),
        ("en", "Ann and Tom are Ben's parents.", set()),
        ("en", "Ann and Tom are his parents.", set()),
        ("en", "Ann and Tom are like siblings.", set()),
        ("en", "Ann and Tom are the neighbours of my mum.", set()),
        ("en", "Ann and Tom are cousins of my mum.", set()),
        ("de", "Lisa und Ben sind seine Eltern.", set()),
        ("fr", "Marie et Luc sont ses cousins.", set()),
        ("fr", "Marie et Luc sont cousins de Ben.", set()),
        ("it", "Ana e Giorgio sono i suoi cugini.", set()),
        ("it", "Ana e Giorgio sono cugini di Ben.", set()),
        ("en", "Ben is the father of Tom and Ann.", {("tom", "father", "ben"), ("ann", "father", "ben")}),
        ("en", "Ben is the husband of my sister Ann.", {("you", "sister", "ann"), ("ann", "husband", "ben")}),
        ("en", "Marie is a friend of jazz.", set()),
        ("de", "Marie ist eine Freundin von Jazz.", set()),
        ("de", "Marie ist eine Freundin von Luc.", {("marie", "friend_of", "luc")}),
    ],
)
def test_what_two_people_are_to_each_other(code: str, turn: str, facts: set[tuple[str, str, str]]) -> None:
    assert stated(code, turn) == facts


@pytest.mark.parametrize(
    ("code", "before", "turn", "fact"),
    [
        ("en", "", "Pete next door has a caravan.", ("pete", "has", "caravan")),
        ("fr", "", "Paul d'à côté a une caravane.", ("paul", "has", "caravane")),
        ("es", "", "Juan de al lado tiene una caravana.", ("juan", "has", "caravana")),
        ("it", "", "Pino della porta accanto ha un camper.", ("pino", "has", "camper")),
        ("en", "Next to me sits Marta.", "She works as an optician.", ("marta", "is", "optician")),
        ("it", "Accanto a me c'è la Teresa.", "Fa la cuoca.", ("teresa", "is", "cuoca")),
        ("en", "My aunt Jo is nice.", "She runs a bakery in Leeds.", ("jo", "has", "bakery")),
        ("de", "Mein Vermieter ist Herr Lang.", "Ihm gehört auch die Kneipe.", ("herr lang", "owns", "kneipe")),
        ("fr", "Mon propriétaire s'appelle M. Lang.", "Il tient aussi le bar.", ("m. lang", "has", "bar")),
        ("es", "Mi casero se llama don Luis.", "Es el dueño del bar.", ("don luis", "owns", "bar")),
        ("it", "Mia zia Ana è simpatica.", "Gestisce un bar a Bari.", ("ana", "has", "bar")),
        ("it", "", "I miei hanno una gelateria.", ("genitori", "has", "gelateria")),
        ("es", "", "Mis padres tienen una tienda.", ("padres", "has", "tienda")),
        ("fr", "", "Ma sœur Léa vient d'emménager à Nantes.", ("léa", "lives_in", "nantes")),
        ("en", "", "Rory is in year two at Hillside Primary.", ("rory", "went_to", "hillside primary")),
        ("de", "Mein Neffe Alfred füttert ihn, wenn ich weg bin.", "Alfred ist 13.", ("alfred", "age", "13")),
    ],
)
def test_what_others_are_and_have(code: str, before: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert fact in stated(code, *filter(None, [before, turn]))


@pytest.mark.parametrize(
    ("code", "turn", "fact"),
    [
        ("en", "My daughter Lily is allergic to eggs, and my son Max to cats.", ("max", "is", "allergic to cats")),
        (
            "de",
            "Meine Tochter ist allergisch gegen Eier und mein Sohn gegen Katzen.",
            ("sohn", "is", "allergisch gegen katzen"),
        ),
        ("fr", "Ma fille est allergique aux œufs et mon fils aux chats.", ("fils", "is", "allergique aux chats")),
        ("es", "Mi hija es alérgica al huevo y mi hijo a los gatos.", ("hijo", "is", "alérgica a los gatos")),
        ("it", "Mia figlia è allergica alle uova e mio figlio ai gatti.", ("figlio", "is", "allergica ai gatti")),
    ],
)
def test_the_second_of_two_takes_the_adjective_of_the_first(code: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert fact in stated(code, turn)


@pytest.mark.parametrize(
    ("code", "turn", "role"),
    [("en", "My sister is retired.", "sister"), ("de", "Meine Schwester ist Rentnerin.", "schwester")],
)
def test_a_job_that_is_known_by_a_name_is_over_for_the_relative(code: str, turn: str, role: str) -> None:
    known = [Triple("you", "sister", "ana"), Triple("ana", "works_at", "bosch")]
    assert Triple(role, "works_at", "") in read_by_rules(turn, code, TurnContext(believed=known)).retracted


@pytest.mark.parametrize(
    ("code", "turn", "fact"),
    [
        ("en", "My dog is Captain.", ("you", "dog", "captain")),
        ("en", "Captain is my dog.", ("you", "dog", "captain")),
        ("en", "My cat is Ranger.", ("you", "cat", "ranger")),
        ("de", "Mein Hund ist Kapitän.", ("you", "dog", "kapitän")),
    ],
)
def test_a_pet_has_no_profession(code: str, turn: str, fact: tuple[str, str, str]) -> None:
    assert stated(code, turn) == {fact}


@pytest.mark.parametrize("turn", ["Io sono Tore.", "Mio fratello è Tore."])
def test_the_end_of_a_profession_is_none(turn: str) -> None:
    assert not any(relation == "is" for _, relation, _ in stated("it", turn))
