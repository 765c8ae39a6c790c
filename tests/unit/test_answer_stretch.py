"""What a person is shown of an answer: the stretch around the events that it cites, and a page in its language."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amr_neo4j.cli.answer_page import write_page
from amr_neo4j.cli.ask import _show_evidence
from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.errors import NotInMemory
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

ASKED = {
    "en": ("When did Ida open the window?", "Confidence:", "Around it", "Also found", "Pictures and clips are cut"),
    "de": (
        "Wann hat Ida das Fenster geöffnet?",
        "Sicherheit:",
        "Drumherum",
        "Auch gefunden",
        "Bilder und Ausschnitte",
    ),
    "es": ("¿Cuándo abrió Ida la ventana?", "Confianza:", "Alrededor", "También encontrado", "Las imágenes"),
    "fr": ("Quand Ida a-t-elle ouvert la fenêtre ?", "Confiance :", "Autour", "Également trouvé", "Les images"),
    "it": ("Quando Ida ha aperto la finestra?", "Sicurezza:", "Intorno", "Trovato anche", "Immagini ed estratti"),
}


def film(*, recorded_at: str = "2026-03-01T09:00:00+01:00") -> FakeGraph:
    captions = [
        (0, "Ben reads.", ""),
        (100, "Ida walks across the room.", ""),
        (104, "Ida opens the window.", ""),
        (108, "Ida nods.", "C1: What a lovely smell."),
        (300, "Ben sits down.", ""),
    ]
    events = [
        {"time_start": at, "time_end": at + 2, "summary": text, "dialogue": [said] if said else []}
        for at, text, said in captions
    ]
    ida = {"local_character_id": "C1", "name_or_description": "Ida", "role": "host"}
    clip = {"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 600, "recorded_at": recorded_at}
    analysis = {"clip_summary": "", "characters": [ida], "events": events}
    return graph_of_lines([json.dumps(clip | {"analysis": analysis})])


def answered(question: str, code: str = "en") -> Answer:
    graph, reads = film(), ENGLISH if code == "en" else AskedLanguage(code, "en")
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), reads))


def test_a_plain_answer_has_the_stretch_around_what_it_cites() -> None:
    answer = answered("When did Ida open the window?")
    assert answer.found and "Around it" not in answer.text
    heading, *lines = answer.stretch.lines
    assert heading.text.startswith("v, Sunday 1 March 2026")
    assert [line.citation and line.citation.node_id for line in lines] == [1, 2, 3]
    assert lines[-1].text.endswith("Ida nods. | spoken: Ida: What a lovely smell.")
    assert [citation.node_id for citation in answer.citations] == [2]


def test_the_terminal_marks_what_is_cited_in_its_stretch(capsys: pytest.CaptureFixture[str]) -> None:
    _show_evidence(answered("When did Ida open the window?"), explain=False)
    lines = capsys.readouterr().out.splitlines()
    around = lines[lines.index("around it:") + 2 :][:3]
    assert [line.partition("]")[0] for line in around] == ["  [event 1", "> [event 2", "  [event 3"]


class Gone:
    """A memory whose films are gone."""

    group_id = "test"
    settings = SimpleNamespace(language="en")

    def filmed(self, node_id: int) -> Any:
        raise NotInMemory(f"event {node_id} is gone", hint="")


@pytest.mark.parametrize("code", ASKED)
def test_a_page_is_in_the_language_of_its_question(code: str, tmp_path: Path) -> None:
    question, *words = ASKED[code]
    answer = answered(question, code)
    assert answer.language == code
    write_page(Gone(), answer, tmp_path / "page.html")  # pyright: ignore[reportArgumentType]
    page = (tmp_path / "page.html").read_text("utf-8")
    assert f'<html lang="{code}">' in page and '<p lang="en">Ida opens the window.</p>' in page
    assert [word for word in words if word not in page] == []
    assert '<p class="cited"><a href="#event-2">' in page and "Ida walks across the room." in page


@pytest.mark.parametrize(("code", "day"), [("de", "Sonntag 1 März 2026"), ("fr", "dimanche 1er mars 2026")])
def test_the_day_of_a_stretch_is_told_in_the_language(code: str, day: str) -> None:
    assert day in str(answered(ASKED[code][0], code).stretch)
