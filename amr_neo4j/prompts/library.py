"""The prompts beside this code: YAML with a version, filled so that what is quoted cannot pass for instructions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

import yaml
from pydantic import BaseModel, ConfigDict

from amr_neo4j.domain.chat import Message, Prompt


class Plain(str):
    """A text of this program's own, such as an id: it stands in a prompt as it is, without quotation."""

    __slots__ = ()


class PromptFile(BaseModel):
    """One file. $name in a text is a place to fill; $fence is the word that opens and closes what is quoted.

    parts: further messages of a dialogue, by name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    system: str
    user: str
    correction: str = Prompt.correction
    parts: Mapping[str, str] = {}


def prompt(name: str, /, **places: str | float) -> Prompt:
    """The prompt of <name>.yaml with its places filled.

    A text is put between lines that hold a fence: a word that occurs in none of the texts, so that none can close it.
    A number stands as it is, and so does a Plain text. Raises KeyError for a place left empty: a mistake in our code,
    not in what was typed.
    """
    file, values = _file(name), _values(places)
    system = Message("system", Template(file.system).substitute(values).strip())
    user = Message("user", Template(file.user).substitute(values).strip())
    return Prompt((system, user), name, file.version, file.correction.strip())


def prompt_part(name: str, part: str, /, **places: str | float) -> str:
    """A part of <name>.yaml with its places filled, as `prompt` does."""
    return Template(_file(name).parts[part]).substitute(_values(places)).strip()


def prompt_version(name: str) -> int:
    """Which version of a prompt this is."""
    return _file(name).version


def fence_for(texts: Iterable[str]) -> str:
    """A word of 16 letters and digits that none of the texts holds; the same for the same texts."""
    everything = "\n".join(texts)
    fence = sha256(everything.encode()).hexdigest()[:16]
    while fence in everything:
        fence = sha256(fence.encode()).hexdigest()[:16]
    return fence


def _values(places: Mapping[str, str | float]) -> Mapping[str, object]:
    """The places with each text quoted, and the fence."""
    quoted_places = {place: text for place, text in places.items() if not isinstance(text, Plain)}
    texts = {place: _sendable(text) for place, text in quoted_places.items() if isinstance(text, str)}
    fence = fence_for(texts.values())
    quoted = {place: _quote(place, text, fence) for place, text in texts.items()}
    return {**places, **quoted, "fence": fence}


def _quote(place: str, text: str, fence: str) -> str:
    return f"<<<{fence} {place}\n{text}\n{fence}>>>"


def _sendable(text: str) -> str:
    """Without half characters (lone surrogates), which no request can carry."""
    return text.encode("utf-8", "replace").decode()


@cache
def _file(name: str) -> PromptFile:
    text = files("amr_neo4j.prompts").joinpath(f"{name}.yaml").read_text("utf-8")
    return PromptFile.model_validate(yaml.safe_load(text))
