"""Fills the prompts beside this code, YAML files with a version. Quoted text cannot pass for instructions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

import yaml
from pydantic import BaseModel, ConfigDict

from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.domain.masking import mask_secrets


class Plain(str):
    """A text that this program made, such as an id. A prompt contains it as it is, without quotation."""

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
    """Return the prompt of <name>.yaml with its places filled.

    A text is put between two lines with a fence. The fence is a word that occurs in none of the texts, so that no
    text can end its own quotation. A number or a Plain text is inserted as it is.
    Raises KeyError: no value was given for a place, which is a mistake in our code, not in what a user typed.
    """
    file, values = _file(name), _values(places)
    system = Message("system", Template(file.system).substitute(values).strip())
    user = Message("user", Template(file.user).substitute(values).strip())
    return Prompt((system, user), name, file.version, file.correction.strip())


def prompt_part(name: str, part: str, /, **places: str | float) -> str:
    """Return a part of <name>.yaml with its places filled as in `prompt`."""
    return Template(_file(name).parts[part]).substitute(_values(places)).strip()


def prompt_version(name: str) -> int:
    """Return the version of a prompt."""
    return _file(name).version


def fence_for(texts: Iterable[str]) -> str:
    """Return a word of 16 hex digits that occurs in none of the texts. Equal texts give the same word."""
    everything = "\n".join(texts)
    fence = sha256(everything.encode()).hexdigest()[:16]
    while fence in everything:
        fence = sha256(fence.encode()).hexdigest()[:16]
    return fence


def _values(places: Mapping[str, str | float]) -> Mapping[str, object]:
    """Return {place: value to insert}, with texts quoted, and the fence."""
    quoted_places = {place: text for place, text in places.items() if not isinstance(text, Plain)}
    texts = {place: _sendable(text) for place, text in quoted_places.items() if isinstance(text, str)}
    fence = fence_for(texts.values())
    quoted = {place: _quote(place, text, fence) for place, text in texts.items()}
    return {**places, **quoted, "fence": fence}


def _quote(place: str, text: str, fence: str) -> str:
    return f"<<<{fence} {place}\n{text}\n{fence}>>>"


def _sendable(text: str) -> str:
    """Return the text without lone surrogates (halves of characters), which no request can carry."""
    return mask_secrets(text).encode("utf-8", "replace").decode()


@cache
def _file(name: str) -> PromptFile:
    text = files("amr_neo4j.prompts").joinpath(f"{name}.yaml").read_text("utf-8")
    return PromptFile.model_validate(yaml.safe_load(text))
