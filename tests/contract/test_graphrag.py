"""Memory as a retriever of the real neo4j-graphrag: alone, as a tool, and within its GraphRAG."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

pytest.importorskip("neo4j_graphrag", reason="the extra graphrag is not installed")

from neo4j import Driver
from neo4j_graphrag.exceptions import SearchValidationError
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.types import RetrieverResultItem

from amr_neo4j import Memory
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.integrations.graphrag import MemoryRetriever
from benchmarks.hybrid import EVENTS, TURNS, hybrid, mark_of
from tests.support.model_server import ModelServer

QUESTION = "Who carried the parcel into the kitchen?"


@pytest.fixture(scope="module")
def retriever(memory: Memory) -> MemoryRetriever:
    return MemoryRetriever(memory)


@pytest.fixture
def llm(model_server: ModelServer) -> OpenAILLM:
    return OpenAILLM("answer", base_url=model_server.url, api_key="none")


def _ids(items: list[RetrieverResultItem]) -> list[int]:
    return [item.metadata["node_id"] for item in items if item.metadata]


def test_the_retriever_returns_the_hits_of_memory_with_citations(memory: Memory, retriever: MemoryRetriever) -> None:
    hits = memory.search(QUESTION, limit=4, all=True)
    found = retriever.search(query_text=QUESTION, top_k=4)
    assert _ids(found.items) == [hit.event.node_id for hit in hits]
    for item, hit in zip(found.items, hits, strict=True):
        metadata = item.metadata
        assert metadata and (metadata["video"], metadata["start"], metadata["end"]) == (
            hit.event.video_id,
            hit.event.time_start,
            hit.event.time_end,
        )
        assert item.content.startswith(f"[event {hit.event.node_id}, {hit.event.video_id}, ")
        assert hit.event.summary_text in item.content and metadata["citation"] in item.content
        assert metadata["channels"] == [channel.value for channel in hit.path.channels] if hit.path else []
    assert any(item.metadata["channels"] for item in retriever.search(QUESTION, top_k=20).items if item.metadata)


def test_a_custom_formatter_has_the_fields(memory: Memory) -> None:
    own = MemoryRetriever(memory, lambda record: RetrieverResultItem(content=record["video"]))
    assert {item.content for item in own.search(QUESTION, top_k=3).items} <= {
        video.video_id for video in memory.videos()
    }


def test_every_filter_of_memory_is_a_filter_of_the_retriever(memory: Memory, retriever: MemoryRetriever) -> None:
    noon = retriever.search(QUESTION, videos=["kitchen_noon"], until=200, top_k=20).items
    assert noon and all(i.metadata and i.metadata["video"] == "kitchen_noon" for i in noon)
    assert all(i.metadata and i.metadata["start"] <= 200 for i in noon)
    anna = retriever.search("the table", persons=["Anna"], as_of=300, top_k=20).items
    assert _ids(anna) == [
        hit.event.node_id for hit in memory.search("the table", persons=["Anna"], as_of=300, limit=20, all=True)
    ]
    before = datetime(2000, 1, 1, tzinfo=UTC)
    assert retriever.search(QUESTION, known_at=before).items == []
    assert retriever.search(QUESTION, known_at=before.isoformat()).items == []


@pytest.mark.parametrize(
    "wrong", [{"top_k": 0}, {"top_k": 21}, {"since": "noon"}, {"videos": "kitchen"}, {"known_at": "2026-03-01T09:00"}]
)
def test_an_invalid_argument_is_refused_with_an_error_of_neo4j_graphrag(
    retriever: MemoryRetriever, wrong: dict
) -> None:
    with pytest.raises(SearchValidationError, match=next(iter(wrong)).replace("top_k", "limit")):
        retriever.search(QUESTION, **wrong)


def test_an_error_of_memory_keeps_its_advice(retriever: MemoryRetriever) -> None:
    with pytest.raises(NotInMemory, match="video garden"):
        retriever.search(QUESTION, videos=["garden"])
    with pytest.raises(InputError):
        retriever.search("")


def test_as_a_tool_it_describes_its_arguments_and_can_be_called(
    retriever: MemoryRetriever, llm: OpenAILLM, model_server: ModelServer
) -> None:
    """The schema gives the names as arrays; the model's call is run unchanged."""
    tool = retriever.convert_to_tool("memory", "What happened in the house.", {"top_k": "How many."})
    model_server.then(
        calls={"memory": {"query_text": QUESTION, "top_k": 2, "videos": ["kitchen_noon"], "since": "0"}}
    )
    reply = llm.invoke_with_tools(QUESTION, [tool])
    [sent] = model_server.requests[0].body["tools"]
    takes = sent["function"]["parameters"]
    assert takes["required"] == ["query_text"] and takes["additionalProperties"] is False
    types = {name: each["type"] for name, each in takes["properties"].items()}
    assert (types["query_text"], types["top_k"], types["videos"], types["as_of"]) == (
        "string",
        "integer",
        "array",
        "string",
    )
    assert takes["properties"]["videos"]["items"]["type"] == "string"
    assert takes["properties"]["top_k"]["description"] == "How many."
    assert all(len(each["description"]) > 8 for each in takes["properties"].values())
    [called] = reply.tool_calls
    found = tool.execute(**called.arguments)
    assert len(found.items) == 2 and "yellow jacket" in found.items[0].content


def test_graphrag_answers_from_it(retriever: MemoryRetriever, llm: OpenAILLM, model_server: ModelServer) -> None:
    model_server.then("The man in a yellow jacket.")
    rag = GraphRAG(retriever, llm)
    done = rag.search(QUESTION, retriever_config={"top_k": 3}, return_context=True)
    assert done.answer == "The man in a yellow jacket."
    assert done.retriever_result
    for item in done.retriever_result.items:
        assert item.content in model_server.requests[0].prompt


def test_without_a_hit_graphrag_gives_its_fallback(
    retriever: MemoryRetriever, llm: OpenAILLM, model_server: ModelServer
) -> None:
    rag = GraphRAG(retriever, llm)
    config = {"known_at": "2000-01-01T00:00:00Z"}
    done = rag.search(QUESTION, retriever_config=config, return_context=True, response_fallback="Nobody knows.")
    assert done.answer == "Nobody knows." and not model_server.requests


def test_the_vectors_that_a_benchmark_keeps_are_of_one_kind_group_and_model(memory: Memory) -> None:
    """A run over another kind neither uses nor drops them."""
    assert len({mark_of(kind, group, model) for kind in (EVENTS, TURNS) for group in "ab" for model in "ab"}) == 8
    driver = memory._parts.database.driver
    with hybrid(driver, memory, keep=True) as kept:
        first = kept.first(QUESTION, 5)
    with hybrid(driver, memory, TURNS):
        assert len(_benchmark_indexes(driver)) == 2
    assert len(_benchmark_indexes(driver)) == 1
    with hybrid(driver, memory) as again:
        assert first and again.first(QUESTION, 5) == first
    assert not _benchmark_indexes(driver)


def _benchmark_indexes(driver: Driver) -> list[str]:
    names = driver.execute_query("SHOW VECTOR INDEXES YIELD name").records
    return [record["name"] for record in names if record["name"].startswith("benchmark_")]
