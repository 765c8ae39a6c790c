"""Names with letters of any Latin alphabet, composed or not, are stated, asked for and found in every language."""

from __future__ import annotations

import unicodedata

import pytest

from amr_neo4j.app.chatting import about_facts
from amr_neo4j.domain.episode import composed
from amr_neo4j.domain.speakers import Speakers
from tests.unit.test_belief import believed

NAMES = (
    "Łukasz|Søren|Đorđe|Őrs|Gülşen|Čeněk|Thễ|Þórir|Ōtani|Ņikita|Ħal|Œdipe|Ğani|İpek|Ștefan|Żaneta|Åsa|Ewa Łącka"
    "|Jørgen Ødegård|Nguyễn Thị Hoa|Siobhán Ó Súilleabháin"
).split("|")
SAID = {
    "en": ("My brother is called {}.", "{} lives in Leeds.", "Where does {} live?", "leeds"),
    "de": ("Mein Bruder heißt {}.", "{} wohnt in Kiel.", "Wo wohnt {}?", "kiel"),
    "fr": ("Mon frère s'appelle {}.", "{} habite à Lyon.", "Où habite {} ?", "lyon"),
    "es": ("Mi hermano se llama {}.", "{} vive en Vigo.", "¿Dónde vive {}?", "vigo"),
    "it": ("Mio fratello si chiama {}.", "{} vive a Pisa.", "Dove vive {}?", "pisa"),
}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("lang", SAID)
def test_a_foreign_name_is_stated_asked_for_and_found(lang: str, form: str) -> None:
    brother, home, question, town = SAID[lang]
    missed: list[str] = []
    for name in NAMES:
        # As every door gives text on: composed.
        turns = [composed(unicodedata.normalize(form, each.format(name))) for each in (brother, home, question)]
        facts = {fact.triple for fact in believed(lang, turns[:2]).facts()}
        asked = about_facts("anna", turns[2], lang)
        whose = [triple.subject for triple in facts if asked.is_answered_by(triple) and triple.object == town]
        if ("you", "brother", composed(name.lower())) not in facts or whose != [composed(name.lower())]:
            missed.append(name)
    assert missed == []


@pytest.mark.parametrize("name", ["Łai", "Øai", "Đbot", "Łukasz", "Ağent"])
def test_a_foreign_letter_is_part_of_a_speakers_name(name: str) -> None:
    """Without it "Łai" would be an AI."""
    assert Speakers().subject(name, "anna") == name.lower()
