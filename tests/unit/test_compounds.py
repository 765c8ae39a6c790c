"""German compounds are taken apart into the words that another text has."""

from __future__ import annotations

import pytest

from amr_neo4j.language.compounds import parts_of, with_compounds
from amr_neo4j.language.stems import stems


@pytest.mark.parametrize(
    ("compound", "said"),
    [
        ("zahnarzttermin", "Termin beim Zahnarzt"),
        ("geburtstagsfeier", "Wir feiern meinen Geburtstag"),
        ("arbeitsbeginn", "Die Arbeit beginnt um acht"),
        ("kellerschlüssel", "der Schlüssel vom Keller"),
        ("autokauf", "Ich habe ein Auto gekauft"),
        ("kindergeburtstagsfeier", "Feier zum Geburtstag der Kinder"),
        ("wohnungstür", "die Tür der Wohnung"),
    ],
)
def test_a_compound_has_the_parts_that_were_said(compound: str, said: str) -> None:
    parts = parts_of(compound, stems(said, "de"), "de")
    assert parts
    word = frozenset({compound})
    assert with_compounds(word, word, stems(said, "de"), "de") == word | parts


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("zahnarzttermin", "Termin beim Friseur"),
        ("zahnarzttermin", "Mein Zahnarzt heißt Hall"),
        ("termin", "Termin beim Zahnarzt"),
        ("arbeit", "Die Art und die Beit"),
    ],
)
def test_a_word_of_which_a_part_was_not_said_stays_whole(word: str, said: str) -> None:
    assert not parts_of(word, stems(said, "de"), "de")


def test_what_is_asked_in_words_is_said_by_their_compound() -> None:
    said, asked = stems("Mein Zahnarzttermin ist am Dienstag", "de"), stems("Termin Zahnarzt", "de")
    assert "zahnarzttermin" in with_compounds(frozenset({"termin"}), asked, said, "de")
    assert "zahnarzttermin" not in with_compounds(frozenset({"termin"}), frozenset({"termin"}), said, "de")


@pytest.mark.parametrize("code", ["en", "fr", "es", "it"])
def test_other_languages_join_no_words(code: str) -> None:
    assert not parts_of("zahnarzttermin", stems("Termin beim Zahnarzt", code), code)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("krankenhaus", "Am Montag war ich krank zu Hause"),
        ("handschuh", "Mir tut die Hand weh, und der Schuh drückt"),
        ("bahnhof", "Unser Hof liegt an der Bahn"),
        ("geburtstag", "Am Tag der Geburt war ich in Ulm"),
        ("kindergarten", "Die Kinder spielen im Garten"),
    ],
)
def test_a_compound_that_means_more_than_its_parts_stays_whole(word: str, said: str) -> None:
    assert not parts_of(word, stems(said, "de"), "de")
