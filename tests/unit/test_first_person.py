"""Captions that whoever wears the camera tells, and questions of the wearer, in five languages."""

from __future__ import annotations

import json

import pytest

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.derive import with_wearer
from amr_neo4j.language.glossary import glossary
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import HashedWords, graph_of_lines

OWN = {
    "en": "I water the basil. | Now I water the basil. | While Anna talks, I water the basil. | I'm turning. |"
    "Anna and I water the basil.",
    "de": "Ich gieße das Basilikum. | Dann gieße ich das Basilikum. | In der Küche schneide ich das Brot. |"
    "Jetzt habe ich den Kaffee. | Suche den Schlüssel. | Habe das Basilikum gegossen. | Koche Nudeln. |"
    "Fische den Ring aus dem Wasser. | Leere die Tasse. | Anna singt und ich tanze.",
    "fr": "J'arrose le basilic. | J’arrose le basilic. | Puis j'arrose le basilic. | Je me lave les mains. |"
    "Maintenant je coupe le pain. | Aujourd'hui je danse. | Pendant que j'arrose le basilic, Anna chante.",
    "es": "Riego la albahaca. | Yo riego la albahaca. | Ahora riego la albahaca. | Me lavo las manos. |"
    "He regado la albahaca. | Estoy regando la albahaca. | Regué la albahaca. | Pongo la taza en la mesa. |"
    "Camino por el parque. | Abro la puerta y salgo. | Anna canta y yo bailo. | Limpio la mesa. |"
    "Saludo a Ben. | Vacío el cubo. | Como una manzana. | Juego con el perro.",
    "it": "Annaffio il basilico. | Io annaffio il basilico. | Ora annaffio il basilico. | Mi lavo le mani. |"
    "Ho annaffiato il basilico. | Sto annaffiando il basilico. | Pulisco il tavolo. | Apro la porta ed esco. |"
    "Cammino verso la porta. | Sono andato in cucina. | Verso il caffè. |"
    "Suono il campanello. | Gioco con il cane.",
}
OTHERS = {
    "en": "Anna waters the basil. | Anna asks if I want coffee. | Katrina hands me the cup. |"
    "Katrina says “I am tired”. | We water the basil.",
    "de": "Anna gießt das Basilikum. | Anna fragt, ob ich Kaffee will. | Ida gibt mir die Tasse. |"
    "Anna sagt: „Ich bin müde“. | Katze auf dem Sofa. | Decke auf dem Sofa. | Leute sitzen am Tisch.",
    "fr": "Anna arrose le basilic. | Anna demande si je veux du café. | Ida me donne la tasse. |"
    "Anna dit « je suis fatiguée ». | Un homme entre.",
    "es": "Anna riega la albahaca. | Anna pregunta si yo quiero café. | Ida me da la taza. | Gato en el sofá. |"
    "Libro sobre la mesa. | Sentado en el sofá. | Caminando por el parque. | Se abre la puerta. | Vaso de agua. |"
    "Encuentro entre Ida y Ben. | Saludo de Ben a Ida. | Canto de pájaros. | Juego de cartas. |"
    "Como siempre, Ida riega. | Bajo la mesa hay un gato. | El vaso, vacío, está en la mesa. | Pelo largo. |"
    "Salvo Ida, todos comen.",
    "it": "Anna annaffia il basilico. | Anna chiede se io voglio un caffè. | Ida mi dà la tazza. |"
    "Gatto sul divano. | Uomo con cappello. | Seduto sul divano. | I bambini giocano. | Sono tre bambini. |"
    "Canto di uccelli. | Gioco di carte. | Bacio tra Ida e Ben. | Suono di campane. | Contro il muro c'è una bici.",
}


def several(said: dict[str, str]) -> list[tuple[str, str]]:
    return [(code, caption.strip()) for code, captions in said.items() for caption in captions.split("|")]


def involved(caption: str, code: str, **more: object) -> list[tuple[str, str]]:
    event = {"time_start": 0, "time_end": 1, "summary": caption, **more}
    analysis = ClipAnalysis.model_validate({"clip_summary": "", "events": [event]})
    clip = AnalysedClip(Video("g", "v", wearer="Jake"), Clip("c", 0.0, 9.0), analysis, "test", "sha")
    found = compose(with_wearer(clip, language(code)), language(code)).events[0].involvements
    return [(part.person_id, part.role) for part in found]


@pytest.mark.parametrize(("code", "caption"), several(OWN))
def test_the_wearer_acts_in_what_is_told_in_the_first_person(code: str, caption: str) -> None:
    assert ("jake", "actor") in involved(caption, code)


@pytest.mark.parametrize(("code", "caption"), several(OTHERS))
def test_the_wearer_does_not_act_in_what_others_do(code: str, caption: str) -> None:
    assert ("jake", "actor") not in involved(caption, code)


@pytest.mark.parametrize(
    ("code", "caption"),
    [
        ("de", "Ida gibt mir die Tasse."),
        ("de", "Ida schneidet meine Haare."),
        ("fr", "Ida me donne la tasse."),
        ("fr", "Ida m’appelle."),
        ("es", "Ida me da la taza."),
        ("es", "Mi teléfono está en la mesa."),
        ("it", "Ida mi dà la tazza."),
        ("it", "Il mio telefono è sul tavolo."),
    ],
)
def test_what_a_caption_calls_mine_involves_the_wearer(code: str, caption: str) -> None:
    assert ("jake", "mentioned") in involved(caption, code)


@pytest.mark.parametrize("code", ["de", "es", "fr", "it"])
def test_an_english_caption_in_a_group_of_another_language_is_read_as_english(code: str) -> None:
    assert involved("I hand Katrina the cup.", code)[0] == ("jake", "actor")
    assert ("jake", "actor") not in involved("Katrina hands me the cup.", code)


@pytest.mark.parametrize(("code", "name"), [("en", "I"), ("en", "me"), ("de", "ich"), ("fr", "moi"), ("it", "I")])
def test_i_as_a_listed_person_is_the_wearer(code: str, name: str) -> None:
    action = {"actor": name, "verb": "water", "object": "basil"}
    assert involved("The basil is watered.", code, actors=[name], actions=[action]) == [("jake", "actor")]


def test_a_person_who_is_called_like_a_pronoun_stays_a_person() -> None:
    assert involved("La tasse tombe.", "fr", actors=["Ma"]) == [("ma", "actor")]


def asked(question: str, code: str) -> Answer:
    told = language(code)
    captions = {
        "en": ["I water the basil.", "Ida waters the basil.", "Now I water the basil."],
        "de": ["Ich gieße das Basilikum.", "Ida gießt das Basilikum.", "Jetzt gieße ich das Basilikum."],
        "fr": ["J'arrose le basilic.", "Ida arrose le basilic.", "Maintenant j'arrose le basilic."],
        "es": ["Yo riego la albahaca.", "Ida riega la albahaca.", "Riego la albahaca."],
        "it": ["Io annaffio il basilico.", "Ida annaffia il basilico.", "Annaffio il basilico."],
    }[code]
    lines = [
        json.dumps(
            {"video_id": "v", "clip_id": f"c{n}", "t_start": 600 * n, "t_end": 600 * n + 9, "wearer": "Jake"}
            | {"analysis": {"clip_summary": "", "events": [{"time_start": 0, "time_end": 4, "summary": caption}]}}
        )
        for n, caption in enumerate(captions)
    ]
    graph = graph_of_lines(lines, told=told)
    reads = ENGLISH if code == "en" else AskedLanguage(code, code)
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), reads))


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "How often did I water the basil?"),
        ("de", "Wie oft habe ich das Basilikum gegossen?"),
        ("fr", "Combien de fois ai-je arrosé le basilic ?"),
        ("fr", "Combien de fois est-ce que j'ai arrosé le basilic ?"),
        ("es", "¿Cuántas veces regué la albahaca?"),
        ("es", "¿Cuántas veces he regado yo la albahaca?"),
        ("it", "Quante volte ho annaffiato il basilico?"),
    ],
)
def test_what_the_wearer_did_counts_nobody_elses_deed(code: str, question: str) -> None:
    answer = asked(question, code)
    assert [citation.node_id for citation in answer.citations] == [0, 2] and answer.found


@pytest.mark.parametrize(
    ("code", "question", "is_own"),
    [
        ("es", "¿Dónde dejé las llaves?", True),
        ("es", "¿Dónde trabajo los sábados?", True),
        ("es", "¿Qué trabajo tiene Ana?", False),
        ("es", "No sé quién abrió la puerta", False),
        ("es", "¿A qué colegio va Leo?", False),
        ("es", "¿Quién es la profesora de canto?", False),
        ("es", "Creo que Ana abrió la puerta, ¿no?", False),
        ("es", "Quiero saber cuántas veces Ana regó la albahaca", False),
        ("es", "Quiero saber cuántas veces regué la albahaca", True),
        ("es", "¿Qué puedo comprar?", True),
        ("it", "Credo che Ana abbia aperto la porta, no?", False),
        ("it", "Voglio sapere quante volte Ana ha annaffiato il basilico", False),
        ("it", "Quando ho chiuso la finestra?", True),
        ("it", "Quante volte sono andato in cucina?", True),
        ("it", "Quante sedie sono rosse?", False),
        ("it", "Dove sono le chiavi?", False),
        ("it", "Quanto costa uno skateboard?", False),
        ("de", "Wo sind die Schlüssel?", False),
    ],
)
def test_a_question_is_the_speakers_where_its_verb_says_so(code: str, question: str, is_own: bool) -> None:
    assert (" I " in glossary(code).english(question, {"ana", "leo"}).text) is is_own


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("es", "¿Es posible que Ana haya abierto el paquete?"),
        ("it", "Credo che Ana abbia aperto il pacco, no?"),
    ],
)
def test_what_somebody_may_have_done_is_their_deed(code: str, question: str) -> None:
    assert "Ana opened the parcel" in glossary(code).english(question, {"ana"}, {"parcel"}).text


@pytest.mark.parametrize(
    ("code", "question", "caption"),
    [
        ("en", "Who waters the basil?", "My sister waters the basil."),
        ("de", "Wer gießt das Basilikum?", "Meine Schwester gießt das Basilikum."),
        ("de", "Wer öffnet die Tür?", "Eine Frau öffnet mir die Tür."),
        ("es", "¿Quién riega la albahaca?", "Mi hermana riega la albahaca."),
    ],
)
def test_what_is_done_for_the_wearer_is_no_deed_of_theirs(code: str, question: str, caption: str) -> None:
    event = {"time_start": 0, "time_end": 4, "summary": caption}
    clip = {"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 9, "wearer": "Jake"}
    graph = graph_of_lines(
        [json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}})], told=language(code)
    )
    reads = ENGLISH if code == "en" else AskedLanguage(code, code)
    assert "Jake" not in ask(question, Sources(Scope("test"), graph, graph, HashedWords(), reads)).text
