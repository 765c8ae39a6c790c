"""Refusals of models in their own words, in five languages."""

from __future__ import annotations

import pytest

from amr_neo4j.language.refusals import is_refusal


@pytest.mark.parametrize(
    "said",
    [
        "The context does not say.",
        "It is not found in memory.",
        "The provided events do not mention who took the parcel.",
        "The evidence contains no information about the price.",
        "There is no mention of a colour in the context.",
        "I cannot determine who it was.",
        "The colour is not specified in the context.",
        "Das steht da nicht.",
        "Im Kontext wird nicht erwähnt, wer das Paket nahm.",
        "Aus den Ereignissen geht nicht hervor, wo er ist.",
        "Dazu gibt es keine Angaben.",
        "Le contexte n’indique pas qui.",
        "La couleur n'est pas précisée dans le contexte.",
        "Aucune information sur le prix dans la mémoire.",
        "El contexto no dice dónde están las llaves.",
        "No se menciona en el contexto quién lo tomó.",
        "No hay información sobre el color.",
        "Il contesto non specifica il colore.",
        "Non è indicato nel contesto chi l'ha preso.",
        "Non ci sono informazioni sul prezzo.",
        "Based on the context, it is unclear where the keys are.",
        "The location of the keys cannot be determined from the context.",
        "I don't have enough information to answer.",
        "There's no information available.",
        "I do not know where the keys are.",
        "None of the events mention where the keys are.",
        "The keys are not mentioned.",
        "Who took the parcel is not known.",
        "It does not appear in the context.",
        "Unknown.",
        "N/A",
        "Das lässt sich aus dem Kontext nicht beantworten.",
        "Es ist unklar, wo die Schlüssel sind.",
        "Dazu liegen mir keine Informationen vor.",
        "Ich weiß es nicht.",
        "Keines der Ereignisse erwähnt die Schlüssel.",
        "Der Ort der Schlüssel ist unbekannt.",
        "On ne peut pas le déterminer à partir du contexte.",
        "Je ne sais pas.",
        "Aucun événement ne mentionne les clés.",
        "L'emplacement des clés n'est pas connu.",
        "No se puede determinar a partir del contexto.",
        "No lo sé.",
        "Ningún evento menciona las llaves.",
        "No queda claro dónde están las llaves.",
        "Non lo so.",
        "Nessun evento menziona le chiavi.",
        "Le chiavi non sono menzionate.",
        "Non è noto dove siano le chiavi.",
    ],
)
def test_a_model_says_that_it_was_not_shown_the_answer(said: str) -> None:
    assert is_refusal(said)


@pytest.mark.parametrize(
    "said",
    [
        "Anna does not say where she is going.",
        "The note does not say who wrote it.",
        "There is no record player in the room.",
        "The memory card is not in the camera.",
        "The video call did not show Ben.",
        "Ben says he cannot find the keys.",
        "Anna sagt nicht, wohin sie geht.",
        "Es gibt keine Milch.",
        "The box in the video has no lid.",
        "The man in the video has nothing in his hands.",
        "Im Video trägt Anna keinen Hut.",
        "Anna ne dit pas où elle va.",
        "Ana no dice adónde va.",
        "No hay leche.",
        "Anna non dice dove va.",
        "Non c'è latte.",
        "I don't know, says Anna.",
        "Anna says that she does not know where the keys are.",
        "Anna says the price was not mentioned.",
        "An unknown woman takes the parcel.",
        "The keys are in an unknown place, says Anna.",
        "She does not have enough money.",
        "No event took place on Monday.",
        "No information was given to Anna by Ben.",
        "The door cannot be opened.",
        "Sie weiß nicht, wo er ist.",
        "Anna sagt, der Preis ist unbekannt.",
        "Die Tür lässt sich nicht öffnen.",
        "On ne peut pas ouvrir la porte.",
        "Il n'est pas possible d'ouvrir la porte.",
        "No se puede abrir la puerta.",
        "Ana dice que el precio es desconocido.",
        "Lei non sa dove sia.",
        "La chiave non è nel cassetto.",
    ],
)
def test_what_people_do_not_say_or_have_is_an_answer(said: str) -> None:
    assert not is_refusal(said)
