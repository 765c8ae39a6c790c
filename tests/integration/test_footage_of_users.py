"""A user asks about footage as anybody does, in any language, beside what the user has said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
# The rules of five languages are compiled.
pytestmark = pytest.mark.timeout(900)
FILMS = {
    "en": "How many videos are there?",
    "de": "Wie viele Videos gibt es?",
    "fr": "Combien de vidéos y a-t-il ?",
    "es": "¿Cuántos vídeos hay?",
    "it": "Quanti video ci sono?",
}
SEEN = {
    "en": "Where were the keys last?",
    "de": "Wo waren die Schlüssel zuletzt?",
    "fr": "Où étaient les clés en dernier ?",
    "es": "¿Dónde estuvieron las llaves por última vez?",
    "it": "Dov'erano le chiavi l'ultima volta?",
}
NOW = ["Where are the keys?", "Wo sind die Schlüssel?", "Où sont les clés ?", "¿Dónde están las llaves?"]
NOW += ["Dove sono le chiavi?", "Where is the teapot?", "Wo ist die Teekanne?", "Où est la théière ?"]
NOW += ["¿Dónde está la tetera?", "Dov'è la teiera?"]


@pytest.fixture(scope="module")
def memory(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    arguments = {
        "neo4j_uri": neo4j_connection.uri,
        "neo4j_username": neo4j_connection.username,
        "neo4j_password": neo4j_connection.password,
        "data_dir": tmp_path_factory.mktemp("data"),
        "group": f"test-{uuid4()}",
        "embedder": "e5",
    }
    with Memory.open(**arguments) as memory:
        memory.ingest(KITCHEN)
        memory.remember(["My bicycle is red.", "Tess is my sister."], user_id="anna", session_id="monday")
        yield memory


@pytest.mark.parametrize("user", ["anna", "nobody"])
@pytest.mark.parametrize("question", [*FILMS.values(), *SEEN.values(), *NOW])
def test_a_user_gets_the_answer_that_footage_alone_gives(memory: Memory, question: str, user: str) -> None:
    told: list[str] = []
    answer, alone = memory.ask(question, user_id=user, notify=told.append), memory.ask(question)
    assert alone.found
    assert (answer.text, answer.citations, answer.found) == (alone.text, alone.citations, True)
    assert all(claim in answer.text for claim in told), "claims of the first reading are not told"


def test_sessions_and_videos_can_be_named_together(memory: Memory) -> None:
    [video, *_] = memory.videos()
    answer = memory.ask("Who sings?", sessions=["monday"], videos=[video.video_id], user_id="anna")
    assert not answer.found
