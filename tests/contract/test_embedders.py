"""The contract of an embedder."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from amr_neo4j import settings
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.errors import ModelMissing
from amr_neo4j.model_roles import LOCAL_EMBEDDERS
from amr_neo4j.wiring.embedder import open_embedder
from benchmarks.embedding_cache import CachedEmbedder
from tests.support.examples import examples
from tests.support.model_server import ModelServer

LOCAL = [*LOCAL_EMBEDDERS, "cached"]
NAMES = {
    "e5": ("e5-small-v2", 384),
    "multilingual-e5": ("multilingual-e5-small", 384),
}
PAIRS = [
    (
        "Where did she put the keys?",
        "The woman lays her keys on the shelf by the door.",
        "A taxi drives past the bank.",
    ),
    (
        "Who opened the window?",
        "Paul opens the kitchen window wide.",
        "The dog sleeps under the table all afternoon.",
    ),
    ("Was the milk put away?", "He puts the milk back into the fridge.", "Two cyclists wait at a red traffic light."),
]
texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=6)
few = examples(push=6, soak=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def opened() -> Callable[[str], Embedder]:
    """Opens an embedder by name, once per session."""
    known: dict[str, Embedder] = {}

    def get(name: str) -> Embedder:
        if name not in known:
            try:
                known[name] = open_embedder(settings.load(embedder=name))
            except ModelMissing as error:
                pytest.skip(str(error))
        return known[name]

    return get


@pytest.fixture(params=[*LOCAL, "api"])
def embedder(
    request: pytest.FixtureRequest, opened: Callable[[str], Embedder], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Embedder]:
    if request.param == "api":
        with ModelServer() as server:
            yield open_embedder(settings.load(embedder="api", provider=server.url, embed={"model": "hashed"}))
        return
    if request.param != "cached":
        yield opened(request.param)
        return
    cached = CachedEmbedder(opened("e5"), tmp_path_factory.mktemp("cache") / "embeddings.sqlite")
    yield cached
    cached.close()


@few
@given(given_texts=texts)
def test_each_text_has_a_unit_vector(embedder: Embedder, given_texts: list[str]) -> None:
    """Any list of texts, the empty list and the empty text among them, gives as many float32 rows of length 1."""
    vectors = embedder.embed(given_texts)
    assert vectors.shape == (len(given_texts), embedder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@few
@given(given_texts=texts)
def test_a_vector_does_not_depend_on_its_batch(embedder: Embedder, given_texts: list[str]) -> None:
    """A text's vector is the same alone, in a batch, and in the reversed batch."""
    together = embedder.embed(given_texts)
    turned = embedder.embed(given_texts[::-1])[::-1]
    np.testing.assert_allclose(turned, together, atol=1e-5)
    for text, vector in zip(given_texts, together, strict=True):
        np.testing.assert_allclose(embedder.embed([text])[0], vector, atol=1e-5)


def test_batches_of_many_lengths_keep_their_order(embedder: Embedder) -> None:
    many = [f"{'very ' * (number * 7 % 40)}old house number {number}" for number in range(100)]
    alone = np.vstack([embedder.embed([text]) for text in many[::9]])
    np.testing.assert_allclose(embedder.embed(many)[::9], alone, atol=1e-5)


def test_embedding_is_deterministic(embedder: Embedder) -> None:
    many = [question for question, _, _ in PAIRS]
    np.testing.assert_array_equal(embedder.embed(many), embedder.embed(many))


def test_threads_do_not_disturb_one_another(embedder: Embedder) -> None:
    jobs = [
        [f"a {noun} on the {place}" for noun in ("cup", "plate", "knife")] for place in ("table", "shelf", "floor")
    ]
    alone = [embedder.embed(job) for job in jobs]
    with ThreadPoolExecutor(6) as pool:
        for number, vectors in enumerate(pool.map(embedder.embed, jobs * 4)):
            np.testing.assert_allclose(vectors, alone[number % 3], atol=1e-5)


def test_a_very_long_text_is_truncated(embedder: Embedder) -> None:
    long = "the man walks to the car " * 2_000
    vectors = embedder.embed([long, long + "and then something quite different happens"])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)


@pytest.mark.parametrize("embedder", ["e5"], indirect=True)
def test_a_text_is_truncated_to_256_tokens(embedder: Embedder) -> None:
    """That is 252 words, two for the prefix, and the marks at both ends."""
    words = ["cup", "dog", "red", "sun"]
    text = [words[number % 4] for number in range(300)]
    whole, first, shorter = embedder.embed([" ".join(text[:end]) for end in (300, 252, 248)])
    np.testing.assert_allclose(whole, first, atol=1e-5)
    assert np.abs(whole - shorter).max() > 1e-4


@pytest.mark.parametrize("embedder", LOCAL, indirect=True)
@pytest.mark.parametrize(("question", "fitting", "other"), PAIRS)
def test_related_texts_are_nearer_than_unrelated_ones(
    embedder: Embedder, question: str, fitting: str, other: str
) -> None:
    asked, near, far = embedder.embed([question, fitting, other])
    assert asked @ near > embedder.unrelated > asked @ far


@pytest.mark.parametrize("embedder", LOCAL, indirect=True)
def test_the_network_is_not_used(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> NoReturn:
        raise AssertionError(f"a connection to {arguments[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert embedder.embed(["no network here"]).shape == (1, embedder.dim)


@pytest.mark.parametrize("name", LOCAL_EMBEDDERS)
def test_the_model_names_stored_in_graphs_are_stable(opened: Callable[[str], Embedder], name: str) -> None:
    """A group records its embedder by name and dimension: another name would make it unusable."""
    stored = LOCAL_EMBEDDERS[name]
    assert stored == NAMES.get(name, stored)
    assert (opened(name).model, opened(name).dim) == stored


@pytest.mark.parametrize("name", LOCAL_EMBEDDERS)
def test_a_missing_model_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="run: amr models install"):
        open_embedder(settings.load(embedder=name, cache_dir=tmp_path))
