"""Memory as tools for a chat model, in the format of the OpenAI API.

>>> reply = client.chat.completions.create(model=..., messages=messages, tools=tools())
>>> for asked in reply.choices[0].message.tool_calls or ():
...     content = call(memory, asked.function.name, asked.function.arguments)
...     messages.append({"role": "tool", "tool_call_id": asked.id, "content": content})
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from openai import pydantic_function_tool
from pydantic import BaseModel

from amr_neo4j.domain.plain import Json
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.integrations.results import within_limit
from amr_neo4j.integrations.toolset import CHANGING, Tools, arguments_of, given_of
from amr_neo4j.models.json_reply import read

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionFunctionToolParam

    from amr_neo4j.memory import Memory

# The result of a tool is text here, so there are no pictures.
_LEFT_OUT = ("all", "event", "event_picture")


@cache
def _arguments(read_only: bool) -> Mapping[str, type[BaseModel]]:
    names = [name for name in vars(Tools) if not name.startswith("_") and name not in _LEFT_OUT]
    return {name: arguments_of(getattr(Tools, name)) for name in names if not (read_only and name in CHANGING)}


def tools(*, read_only: bool = True) -> list[ChatCompletionFunctionToolParam]:
    """Return `tools` for a chat completion: strict schemas of the tools of docs/mcp.md, except event_picture.

    read_only: without the tools that change memory.
    """
    return [pydantic_function_tool(arguments, name=name) for name, arguments in _arguments(read_only).items()]


def call(memory: Memory, name: str, arguments: str, *, read_only: bool = True) -> str:
    """Run the tool that a model called. arguments: JSON text from the model. Returns JSON text for the model.

    The result has at most 4 KB. If that left something out, its key `cut` says what. Only the text of memory_context
    may be longer: it has as many tokens as the model asks for.

    read_only: as for `tools`.

    A mistake that the model can correct (unknown tool, invalid arguments, InputError, NotInMemory) is returned as
    {"error": message}. Other AmrErrors are raised, as by Memory.search and Memory.ask.
    """
    text = json.dumps(_run(memory, name, arguments, _arguments(read_only)), ensure_ascii=False)
    # Text may hold half of a surrogate pair, which cannot be encoded as UTF-8.
    return text.encode("utf-8", "replace").decode()


def _run(memory: Memory, name: str, arguments: str, offered: Mapping[str, type[BaseModel]]) -> Json:
    # Models call tools that do not exist, and some clients pass no name at all.
    if not isinstance(name, str) or name not in offered:  # pyright: ignore[reportUnnecessaryIsInstance]
        return within_limit({"error": f"there is no tool {name}; there are {', '.join(offered)}"})
    try:
        asked = read(arguments, offered[name])
    except (ValueError, TypeError, AttributeError, RecursionError) as error:  # some clients pass no text
        return within_limit({"error": f"the arguments of {name} cannot be taken: {error}"})
    try:
        run, _ = Tools(memory).all[name]
        return run(**given_of(asked))
    except (InputError, NotInMemory) as error:
        return within_limit({"error": str(error)})
