"""Footage that is described in one of five languages, asked about in each of them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from amr_neo4j.app.beliefs import language_asked
from amr_neo4j.domain.recall import Citation, Scope
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.language.languages import ENGLISH, Language, language
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.pipeline import DEFAULTS, ask
from amr_neo4j.recall.sources import Sources
from tests.support.analyses import analysed
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

Deed = tuple[str, str, str]
"""What Anna does: verb, thing, where. Without a verb, where the thing is seen."""
PASSPORT: dict[str, list[Deed]] = {
    "en": [
        ("put", "folder", "on the desk"),
        ("put", "passport", "in the folder"),
        ("put", "folder", "into the grey suitcase"),
        ("put", "ticket", "next to the suitcase"),
        ("put", "suitcase", "in the car"),
    ],
    "de": [
        ("legt", "Mappe", "auf den Schreibtisch"),
        ("legen", "Pass", "in die Mappe"),
        ("steckt", "Mappe", "in den grauen Koffer"),
        ("legt", "Fahrkarte", "neben den Koffer"),
        ("stellt", "Koffer", "ins Auto"),
    ],
    "fr": [
        ("pose", "dossier", "sur le bureau"),
        ("mettre", "passeport", "dans le dossier"),
        ("range", "dossier", "dans la valise grise"),
        ("pose", "billet", "à côté de la valise"),
        ("met", "valise", "dans la voiture"),
    ],
    "es": [
        ("pone", "carpeta", "sobre el escritorio"),
        ("guardar", "pasaporte", "en la carpeta"),
        ("mete", "carpeta", "en la maleta gris"),
        ("pone", "billete", "junto a la maleta"),
        ("mete", "maleta", "en el coche"),
    ],
    "it": [
        ("posa", "cartella", "sulla scrivania"),
        ("mettere", "passaporto", "nella cartella"),
        ("infila", "cartella", "nella valigia grigia"),
        ("mette", "biglietto", "accanto alla valigia"),
        ("mette", "valigia", "in auto"),
    ],
}
GLASSES: dict[str, list[Deed]] = {
    "en": [("lay", "glasses", "on the tray"), ("place", "tray", "on top of the cupboard")],
    "de": [("legt", "Brille", "auf das Tablett"), ("stellt", "Tablett", "oben auf den Schrank")],
    "fr": [("pose", "lunettes", "sur le plateau"), ("place", "plateau", "sur l'armoire")],
    "es": [("deja", "gafas", "sobre la bandeja"), ("coloca", "bandeja", "encima del armario")],
    "it": [("appoggia", "occhiali", "sul vassoio"), ("posare", "vassoio", "sopra l'armadio")],
}
KITCHEN: dict[str, list[Deed]] = {
    "en": [
        ("opens", "fridge", ""),
        ("opens", "fridge", ""),
        ("puts", "key", "on the table"),
        ("takes", "key", ""),
        ("", "lamp", "next to the sofa"),
    ],
    "de": [
        ("öffnet", "Kühlschrank", ""),
        ("öffnet", "Kühlschrank", ""),
        ("legt", "Schlüssel", "auf den Tisch"),
        ("nimmt", "Schlüssel", ""),
        ("", "Lampe", "neben dem Sofa"),
    ],
    "fr": [
        ("ouvre", "frigo", ""),
        ("ouvre", "frigo", ""),
        ("pose", "clé", "sur la table"),
        ("prend", "clé", ""),
        ("", "lampe", "à côté du canapé"),
    ],
    "es": [
        ("abre", "nevera", ""),
        ("abre", "nevera", ""),
        ("deja", "llave", "sobre la mesa"),
        ("coge", "llave", ""),
        ("", "lámpara", "junto al sofá"),
    ],
    "it": [
        ("apre", "frigorifero", ""),
        ("apre", "frigorifero", ""),
        ("posa", "chiave", "sul tavolo"),
        ("prende", "chiave", ""),
        ("", "lampada", "accanto al divano"),
    ],
}
ANSWERED = {
    "How often did Anna open the fridge?": ("Twice: at 00:00:00 of v: Anna ", [0, 20]),
    "What does Anna usually open?": (" - seen only once, which is no habit: at 00:00:00 of v: Anna ", [0]),
    "How many people are there?": ("One by name: at 00:00:00 of v: Anna ", [0]),
    "Where is the key?": (". Nothing later says where it was put", [60]),
    "Where is the lamp?": ("t 00:01:20 of v", [80]),
    "What colour is the key?": ("Nothing in memory states the colour.", []),
}
"""{question: (part of the answer, the seconds that it cites)}"""
TAKEN = {
    "en": ("picks up", "leaves open"),
    "de": ("hebt auf", "lässt offen"),
    "fr": ("ramasse", "laisse ouverte"),
    "es": ("recoge", "deja abierta"),
    "it": ("raccoglie", "lascia aperta"),
}
"""Verbs that take something, and that leave it open."""
WHERE = {
    "en": ("Where is the passport?", "Where is the ticket?", "Where are the glasses?", "What is in the folder?"),
    "de": ("Wo ist der Pass?", "Wo ist die Fahrkarte?", "Wo ist die Brille?", "Was ist in der Mappe?"),
    "fr": ("Où est le passeport ?", "Où est le billet ?", "Où sont les lunettes ?", "Qu'y a-t-il dans le dossier ?"),
    "es": (
        "¿Dónde está el pasaporte?",
        "¿Dónde está el billete?",
        "¿Dónde están las gafas?",
        "¿Qué hay en la carpeta?",
    ),
    "it": ("Dov'è il passaporto?", "Dov'è il biglietto?", "Dove sono gli occhiali?", "Cosa c'è nella cartella?"),
}


def _graph(deeds: Sequence[Deed]) -> FakeGraph:
    return graph_of_lines(_lines(deeds))


def _composed(deeds: Sequence[Deed], told: Language) -> FakeGraph:
    """Return the graph of a group whose setting `language` is told."""
    clips = [clip for clip in read_lines(_lines(deeds), group_id="test") if isinstance(clip, AnalysedClip)]
    return FakeGraph([compose(clip, told) for clip in clips], HashedWords())


def _lines(deeds: Sequence[Deed]) -> list[str]:
    return [_line(20 * at, *deed) for at, deed in enumerate(deeds)]


def _line(second: int, verb: str, thing: str, where: str) -> str:
    action = {"actor": "Anna", "verb": verb, "object": thing, "spatial_relation": where}
    summary = f"Anna {verb} {thing} {where}." if verb else f"{thing}."
    event = {"time_start": 0, "time_end": 1, "summary": summary}
    seen = {"name": thing, "spatial_description": where}
    event |= {"actions": [action]} if verb else {"objects": [seen]}
    place = {"video_id": "v", "clip_id": f"{second}", "t_start": second, "t_end": second + 1}
    return json.dumps(place | {"analysis": {"clip_summary": "", "events": [event]}})


def _answer(
    graph: FakeGraph, question: str, asked: str, told: str, limits: RecallLimits = DEFAULTS
) -> tuple[str, list[float]]:
    """Return the answer and the seconds that it cites."""
    read: Language = ENGLISH if asked == told == "en" else AskedLanguage(asked, told)
    found = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), read), limits=limits)
    return found.text, [cited.time_start for cited in found.citations if isinstance(cited, Citation)]


def _cited(graph: FakeGraph, question: str, asked: str, told: str) -> list[float]:
    return _answer(graph, question, asked, told)[1]


@pytest.mark.parametrize("told", PASSPORT)
@pytest.mark.parametrize("asked", WHERE)
def test_a_thing_is_moved_with_what_it_was_put_into(asked: str, told: str) -> None:
    """From the folder to the suitcase and the car; what was put beside the suitcase stays where it was put."""
    passport, ticket, glasses, contents = WHERE[asked]
    graph = _graph(PASSPORT[told])
    seconds = {question: _cited(graph, question, asked, told) for question in (passport, ticket, contents)}
    assert seconds == {passport: [20, 40, 80], ticket: [60], contents: [20]}
    assert _cited(_graph(GLASSES[told]), glasses, asked, told) == [0, 20]


@pytest.mark.parametrize("told", PASSPORT)
def test_moves_of_what_holds_a_thing_are_read_though_no_word_of_the_question_finds_them(told: str) -> None:
    """As in a memory of many events, where neither words nor the walk reach them."""
    graph = _composed(PASSPORT[told], language(told))
    few = RecallLimits(anchors_sparse=1, anchors_dense=1, anchors=1, max_hops=0)
    assert _answer(graph, WHERE[told][0], told, told, few)[1] == [20, 40, 80]


def test_many_moves_of_what_stands_beside_a_holder_do_not_hide_the_move_of_the_holder() -> None:
    laptop = [("put", "laptop", f"on the {where}") for where in ("desk", "shelf") * 30]
    deeds = [("put", "passport", "in the folder next to the laptop"), *laptop[:3]]
    deeds += [("put", "folder", "into the grey suitcase"), *laptop[3:]]
    graph = _composed(deeds, ENGLISH)
    few = RecallLimits(anchors_sparse=1, anchors_dense=1, anchors=1, max_hops=0)
    text, seconds = _answer(graph, "Where is the passport?", "en", "en", few)
    assert "grey suitcase" in text and seconds == [0, 80]
    assert graph.calls["life"] == 1


@pytest.mark.parametrize("told", KITCHEN)
@pytest.mark.parametrize("question", ANSWERED)
def test_english_answers_about_footage_in_another_language(question: str, told: str) -> None:
    part, seconds = ANSWERED[question]
    text, cited = _answer(_graph(KITCHEN[told]), question, "en", told)
    assert part in text
    assert cited == seconds


@pytest.mark.parametrize("told", TAKEN)
def test_people_are_counted_by_what_their_verbs_do(told: str) -> None:
    """Whoever picks something up takes it. Whoever leaves something open has not put it anywhere."""
    take, leave = TAKEN[told]
    lamp = KITCHEN[told][-1][1]
    graph = _graph([(take, lamp, "")])
    assert _cited(graph, "How many people took the lamp?", "en", told) == [0]
    assert _cited(graph, "How many people washed the lamp?", "en", told) == []
    graph = _graph([(leave, lamp, ""), *GLASSES[told]])
    assert _cited(graph, "How often did Anna put something?", "en", told) == [20, 40]


@pytest.mark.parametrize("told", PASSPORT)
@pytest.mark.parametrize("asked", WHERE)
def test_a_user_s_question_reads_footage_by_the_words_of_its_own_language(asked: str, told: str) -> None:
    """English "on the table" read by the French dictionary would be "somebody tea table"."""
    read = language_asked(WHERE[asked][0], Scope("test", user_id="anna"), tuple(WHERE), language(told))
    for deeds in (*PASSPORT.values(), *GLASSES.values(), *KITCHEN.values()):
        for verb, thing, where in deeds:
            assert read.told_in_english(where) == language(told).told_in_english(where)
            assert read.effect(verb, thing, where) == language(told).effect(verb, thing, where)


BESIDE = {
    "en": ("spoon", "left of the lamp", "What is left of the lamp?"),
    "de": ("Löffel", "links von der Lampe", "Was ist links von der Lampe?"),
    "fr": ("cuillère", "à gauche de la lampe", "Qu'est-ce qui est à gauche de la lampe ?"),
    "es": ("cuchara", "a la izquierda de la lámpara", "¿Qué hay a la izquierda de la lámpara?"),
    "it": ("cucchiaio", "a sinistra della lampada", "Cosa c'è a sinistra della lampada?"),
}


@pytest.mark.parametrize("told", BESIDE)
def test_a_relation_in_a_description_is_read_in_every_language(told: str) -> None:
    """A model writes places in the group's language."""
    thing, where, question = BESIDE[told]
    other, there = KITCHEN[told][-1][1:]
    graph = _graph([("", thing, where), ("", other, there)])
    assert _cited(graph, "What is left of the lamp?", "en", told) == [0]
    assert _cited(graph, question, told, told) == [0]


@pytest.mark.parametrize("group", PASSPORT)
@pytest.mark.parametrize("asked", WHERE)
def test_english_analyses_are_read_in_a_group_of_any_language(asked: str, group: str) -> None:
    """A model may write English though the setting `language` names another language."""
    passport, ticket, glasses, contents = WHERE[asked]
    told = language(group)
    moved, laid = _composed(PASSPORT["en"], told), _composed(GLASSES["en"], told)
    seconds = {question: _cited(moved, question, asked, group) for question in (passport, ticket, contents)}
    assert seconds == {passport: [20, 40, 80], ticket: [60], contents: [20]}
    assert _cited(laid, glasses, asked, group) == [0, 20]


@pytest.mark.parametrize("group", KITCHEN)
@pytest.mark.parametrize("question", ANSWERED)
def test_english_answers_about_english_analyses_in_a_group_of_any_language(question: str, group: str) -> None:
    part, seconds = ANSWERED[question]
    text, cited = _answer(_composed(KITCHEN["en"], language(group)), question, "en", group)
    assert part in text
    assert cited == seconds


@pytest.mark.parametrize("group", PASSPORT)
def test_english_words_of_analyses_stay_english(group: str) -> None:
    """French "on the table" is no "somebody tea table"."""
    for _, thing, where in (*PASSPORT["en"], *GLASSES["en"], *KITCHEN["en"]):
        assert language(group).told_in_english(thing) == thing
        assert language(group).told_in_english(where) == where


@pytest.mark.parametrize(
    ("group", "said", "english"),
    [
        ("es", "pan", "bread"),
        ("fr", "sale", "dirty"),
        ("it", "sale", "salt"),
        ("it", "case", "house"),
        ("it", "camera", "room"),
        ("de", "rot", "red"),
        ("de", "in der Hand", "in the hand"),
        ("fr", "chat errant", "stray"),
        ("es", "en la mesa", "in the table"),
    ],
)
def test_words_of_analyses_that_are_english_words_too_are_the_group_s(group: str, said: str, english: str) -> None:
    assert language(group).told_in_english(said) == english


@pytest.mark.parametrize("told", PASSPORT)
def test_what_verbs_do_to_things_is_stored_in_every_language(told: str) -> None:
    """So a thing has its life in the graph, whatever language the setting `language` says."""
    actions = [
        {"actor": "Anna", "verb": verb, "object": thing, "spatial_relation": where}
        for verb, thing, where in (*PASSPORT[told], *GLASSES[told])
    ]
    event = {"time_start": 0, "time_end": 1, "summary": "Anna.", "actions": actions}
    [draft] = compose(analysed({"clip_summary": "", "events": [event]}), language(told)).events
    assert [(use.state_kind, use.to_state, use.moves) for use in draft.uses] == [("place", "placed", "to_place")] * 7


@pytest.mark.parametrize(
    ("told", "verb", "thing", "where", "state"),
    [
        ("es", "abre", "nevera", "", "open"),
        ("es", "no abre", "nevera", "", None),
        ("de", "öffnet nicht", "Kühlschrank", "", None),
        ("fr", "n'ouvre pas", "frigo", "", None),
        ("it", "non apre", "frigorifero", "", None),
        ("de", "hebt auf", "Zettel", "vom Boden", "held"),
        ("fr", "retire", "clé", "du tiroir", "held"),
        ("fr", "sort", "chambre", "", None),
        ("es", "saca", "llave", "del cajón", "held"),
        ("it", "tira fuori", "chiave", "dal cassetto", "held"),
        ("it", "indossa", "giacca", "", "worn"),
        ("de", "wirft", "Zettel", "in den Müll", "discarded"),
        # Models write English verbs beside words of another language.
        ("de", "put", "Brille", "auf den Tisch", "placed"),
        ("es", "cut", "pan", "", "cut"),
        ("fr", "pour", "café", "", "poured"),
        ("it", "turn on", "luce", "", "on"),
        ("it", "dance", "", "", None),
        ("it", "", "luce", "", None),
    ],
)
def test_verbs_of_analyses_in_another_language(
    told: str, verb: str, thing: str, where: str, state: str | None
) -> None:
    for read in (language(told), AskedLanguage("en", told)):
        found = read.effect(verb, thing, where)
        assert (found and found.to_state) == state
