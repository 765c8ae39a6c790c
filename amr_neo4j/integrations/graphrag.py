"""A neo4j-graphrag Retriever over a Memory, for GraphRAG pipelines and agents. Needs the extra `graphrag`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from neo4j import Record
from pydantic import ValidationError

from amr_neo4j.domain.prompt_injection import marked
from amr_neo4j.extras import needs
from amr_neo4j.integrations.results import event
from amr_neo4j.integrations.toolset import Tools, arguments_of, given_of

with needs("graphrag"):
    from neo4j_graphrag.exceptions import SearchValidationError
    from neo4j_graphrag.retrievers.base import Retriever
    from neo4j_graphrag.tool import ArrayParameter, ObjectParameter, StringParameter
    from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

if TYPE_CHECKING:
    from amr_neo4j.domain.recall import Hit
    from amr_neo4j.memory import Memory

_Arguments = arguments_of(Tools.search_events)
Formatter = Callable[[Record], RetrieverResultItem]


class MemoryRetriever(Retriever):
    """Retrieves the events that fit a question best.

    >>> with Memory.open(group="home") as memory:
    ...     GraphRAG(MemoryRetriever(memory), llm).search("Where are the keys?")

    The retriever does not close the memory: keep it open while the retriever is used, and close it afterwards.

    result_formatter: makes a RetrieverResultItem of a record; by default, default_record_formatter does.
    """

    def __init__(self, memory: Memory, result_formatter: Formatter | None = None) -> None:
        # super().__init__ is not called: it needs a driver, asks for the server's version and renames its user agent.
        self._memory = memory
        self.result_formatter = result_formatter

    def get_search_results(
        self,
        query_text: str,
        top_k: int = 10,
        videos: list[str] | None = None,
        persons: list[str] | None = None,
        since: float | str | datetime | None = None,
        until: float | str | datetime | None = None,
        as_of: float | str | datetime | None = None,
        known_at: str | datetime | None = None,
    ) -> RawSearchResult:
        """The `top_k` events (20 at most) that fit `query_text` best, as records; best first.

        Args:
            query_text (str): Words, a description or a question.
            top_k (int): At most this many events.
            videos (Optional[list[str]]): Only these videos.
            persons (Optional[list[str]]): Only events that involve one of these people.
            since, until (Optional[Union[float, str, datetime]]): Only events that overlap this span. A moment is in
                seconds of the video, or wall clock with its offset.
            as_of (Optional[Union[float, str, datetime]]): Only events that had ended by then.
            known_at (Optional[Union[str, datetime]]): Only what memory had learnt by then.

        Raises:
            SearchValidationError: an invalid argument.
            AmrError: as Memory.search does.
        """
        given = {"since": since, "until": until, "as_of": as_of, "known_at": known_at}
        try:
            asked = _Arguments.model_validate(
                {"text": query_text, "limit": top_k, "videos": videos, "persons": persons, **given}
            )
        except ValidationError as error:
            raise SearchValidationError(error.errors()) from error
        hits = self._memory.search(**given_of(asked), all=True)
        return RawSearchResult(records=[_record(hit) for hit in hits], metadata={"group": self._memory.group_id})

    def default_record_formatter(self, record: Record) -> RetrieverResultItem:
        """Return citation and text as content; node_id, video, seconds, score and channels as metadata."""
        found = dict(record)
        text = found.pop("text")
        text = marked(text, suspected="suspected_injection" in found)
        return RetrieverResultItem(content=f"{found['citation']} {text}", metadata=found)

    def get_parameters(self, parameter_descriptions: dict[str, str] | None = None) -> ObjectParameter:
        """Return the arguments with their descriptions, for convert_to_tool."""
        described = {name: field.description or "" for name, field in _Arguments.model_fields.items()}
        described |= {"query_text": described["text"], "top_k": described["limit"], **(parameter_descriptions or {})}
        parameters = super().get_parameters(described)
        # The base class does not know the type list[str] and describes such an argument as an object.
        for name in ("videos", "persons"):
            names = StringParameter(description="An id." if name == "videos" else "A name.")
            parameters.properties[name] = ArrayParameter(description=described[name], items=names)
        return parameters


def _record(hit: Hit) -> Record:
    channels = [channel.value for channel in hit.path.channels] if hit.path else []
    return Record({**event(hit), "channels": channels})
