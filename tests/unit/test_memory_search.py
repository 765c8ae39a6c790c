"""By which words a result is compared with a query that calls the user something."""

import pytest

from amr_neo4j.app.memory_search import without_user

LANGUAGES = ("en", "es", "fr", "de", "it")


@pytest.mark.parametrize(
    ("query", "left"),
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
def test_the_words_of_a_query_are_those_beside_the_user(query: str, left: str) -> None:
    assert without_user(query, LANGUAGES) == left
