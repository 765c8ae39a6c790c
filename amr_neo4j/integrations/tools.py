"""Memory as tools for a chat model, in the format of the OpenAI API.

>>> reply = client.chat.completions.create(model=..., messages=messages, tools=tools())
>>> for asked in reply.choices[0].message.tool_calls or ():
...     content = call(memory, asked.function.name, asked.function.arguments)
...     messages.append({"role": "tool", "tool_call_id": asked.id, "content": content})
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from openai import pydantic_function_tool
from pydantic import BaseModel

from amr_neo4j.domain.plain import Json
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.integrations.arguments import AskMemory, MemoryContext, SearchEvents, SearchMemory
from amr_neo4j.integrations.results import answer, context, event, listed, recalled, within_limit
from amr_neo4j.models.json_reply import read

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionFunctionToolParam

    from amr_neo4j.memory import Memory


def _search(memory: Memory, asked: SearchMemory) -> Json:
    found = memory.search_memory(asked.query, asked.search_type or "both", asked.limit or 5)
    return within_limit(listed("results", found, recalled))


def _events(memory: Memory, asked: SearchEvents) -> Json:
    found = memory.search(asked.text, limit=asked.limit or 10, **asked.bounds)
    return within_limit(listed("events", found, event))


def _ask(memory: Memory, asked: AskMemory) -> Json:
    return within_limit(answer(memory.ask(asked.question, **asked.bounds)))


def _context(memory: Memory, asked: MemoryContext) -> Json:
    return context(memory.context(asked.question, tokens=asked.tokens or 2000, **asked.bounds))


_TOOLS: Mapping[str, tuple[type[BaseModel], Callable[[Memory, Any], Json]]] = {
    "search_memory": (SearchMemory, _search),
    "search_events": (SearchEvents, _events),
    "ask_memory": (AskMemory, _ask),
    "memory_context": (MemoryContext, _context),
}


def tools() -> list[ChatCompletionFunctionToolParam]:
    """Return `tools` for a chat completion: strict schemas of search_memory, search_events, ask_memory
    and memory_context."""
    return [pydantic_function_tool(arguments, name=name) for name, (arguments, _) in _TOOLS.items()]


def call(memory: Memory, name: str, arguments: str) -> str:
    """Run the tool that a model called. arguments: JSON text from the model. Returns JSON text for the model.

    The result has at most 4 KB. If that left something out, its key `cut` says what. Only the text of memory_context
    may be longer: it has as many tokens as the model asks for.

    A mistake that the model can correct (unknown tool, invalid arguments, InputError, NotInMemory) is returned as
    {"error": message}. Other AmrErrors are raised, as by Memory.search and Memory.ask.
    """
    text = json.dumps(_run(memory, name, arguments), ensure_ascii=False)
    # Text may hold half of a surrogate pair, which cannot be encoded as UTF-8.
    return text.encode("utf-8", "replace").decode()


def _run(memory: Memory, name: str, arguments: str) -> Json:
    # Models call tools that do not exist, and some clients pass no name at all.
    if not isinstance(name, str) or name not in _TOOLS:  # pyright: ignore[reportUnnecessaryIsInstance]
        return within_limit({"error": f"there is no tool {name}; there are {', '.join(_TOOLS)}"})
    shape, run = _TOOLS[name]
    try:
        asked = read(arguments, shape)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:  # some clients pass no text
        return within_limit({"error": f"the arguments of {name} cannot be taken: {error}"})
    try:
        return run(memory, asked)
    except (InputError, NotInMemory) as error:
        return within_limit({"error": str(error)})
