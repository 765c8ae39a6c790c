"""What memory is searched by, where a model calls the user something."""

import pytest

from amr_neo4j.app.memory_search import without_user

LANGUAGES = "en,es,fr,de,it"


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        ("user's work projects", "work projects"),
        ("The user’s family", "family"),
        ("hobbies of the user", "hobbies"),
        ("familia del usuario", "familia"),
        ("projets professionnels de l'utilisatrice", "projets professionnels"),
        ("Hobbys der Benutzerin", "Hobbys"),
        ("problemi di salute dell'utente", "problemi di salute"),
        ("user interface", "user interface"),
        ("the user", "the user"),
        ("Which dog does Ben have?", "Which dog does Ben have?"),
    ],
)
def test_memory_is_searched_without_the_words_for_the_user(query: str, searched: str) -> None:
    assert without_user(query, LANGUAGES) == searched
