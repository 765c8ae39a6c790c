"""Settings of the model roles: provider, model, limits and prices. Prices are US dollars per million tokens."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    HttpUrl,
    SecretStr,
    TypeAdapter,
    ValidationError,
)

from amr_neo4j.tables import listed

ENGLISH, MULTILINGUAL = "e5", "multilingual-e5"
LOCAL_EMBEDDERS = {ENGLISH: ("e5-small-v2", 384), MULTILINGUAL: ("multilingual-e5-small", 384)}
"""{name in models.yaml and the setting `embedder`: (model, dimension), as groups store them}: the local embedders."""
if TYPE_CHECKING:
    EmbedderName = str
else:
    EmbedderName = Literal["auto", *LOCAL_EMBEDDERS, "api"]


@dataclass(frozen=True)
class LocalServer:
    """A program that serves models on one's own machine.

    chat_model, embed_model: used unless a role names its model; empty: the one that the server serves.
    takes_turns: whether it computes one request at a time, so that others wait for it.
    """

    title: str
    base_url: str
    chat_model: str = ""
    embed_model: str = ""
    takes_turns: bool = True


LOCAL_SERVERS = {
    # An "instruct" model does not think before each short reply.
    "ollama": LocalServer("Ollama", "http://localhost:11434/v1", "qwen3-vl:8b-instruct", "embeddinggemma"),
    "llamacpp": LocalServer("llama.cpp", "http://localhost:8080/v1"),
    "lmstudio": LocalServer("LM Studio", "http://localhost:1234/v1"),
    "vllm": LocalServer("vLLM", "http://localhost:8000/v1", takes_turns=False),
}
PROVIDERS = {
    "openrouter": "https://openrouter.ai/api/v1",
    "openai": "https://api.openai.com/v1",
    **{name: server.base_url for name, server in LOCAL_SERVERS.items()},
}
NO_PROVIDER = "none"


def _known(provider: str) -> str:
    if provider in {*PROVIDERS, NO_PROVIDER} or is_base_url(provider):
        return provider
    raise ValueError(
        f"should be one of {', '.join(PROVIDERS)}, {NO_PROVIDER}, or the base URL of a server, without a key"
    )


def is_base_url(text: str) -> bool:
    try:
        url = TypeAdapter(HttpUrl).validate_python(text)
    except ValidationError:
        return False
    # A key in the address would be shown wherever the address is shown.
    return not (url.username or url.password or url.query or url.fragment)


def is_local(base_url: str) -> bool:
    """Return whether a server is on this machine or on a private network, by its address."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    # host.docker.internal is this machine, as a container calls it.
    if host == "localhost" or host.endswith((".localhost", "host.docker.internal")):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_private or address.is_loopback


Provider = Annotated[str, AfterValidator(_known)]
Seconds = Annotated[float, Field(gt=0, le=1e6)]
Price = Annotated[float, Field(ge=0, le=1e6)]
Count = Annotated[int, Field(ge=1)]
Name = Annotated[str, Field(min_length=1)]


Names = Annotated[tuple[Name, ...], BeforeValidator(listed)]
"""In an environment variable they are one text with commas."""


class Routing(BaseModel):
    """Which of the companies behind OpenRouter may get a request, in OpenRouter's terms. What is None is not sent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data_collection: Literal["allow", "deny"] | None = None
    zdr: bool | None = None
    only: Names | None = None
    order: Names | None = None
    require_parameters: bool | None = None


class Role(BaseModel):
    """A purpose that a model is called for. provider, api_key: override the shared ones.

    timeout_s: wall-clock limit for one attempt, until its reply is complete.
    patience_s: the same for a call with all retries and waits.
    at_once: maximum of concurrent requests, lowered while the provider reports overload.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: Provider | None = None
    api_key: SecretStr | None = None
    model: Name
    price_in: Price | None = None
    price_out: Price | None = None
    timeout_s: Seconds = 60.0
    patience_s: Seconds = 120.0
    at_once: Count = 8

    def priced(self, known: tuple[float, float] | None) -> tuple[float, float] | None:
        """Return the prices of input and output: as set, else the known ones; None if one is missing."""
        known_in, known_out = known or (None, None)
        price_in = known_in if self.price_in is None else self.price_in
        price_out = known_out if self.price_out is None else self.price_out
        return None if price_in is None or price_out is None else (price_in, price_out)


class ChatRole(Role):
    """A role of a chat model. max_tokens: limit of a reply, including the model's reasoning."""

    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    max_tokens: Count = 1_000


class TextRole(ChatRole):
    """Parsing questions, and extracting mentions and relations from conversations."""

    model: Name = "openai/gpt-6-luna"
    max_tokens: Count = 500


class JudgeRole(ChatRole):
    """Judging the relevance of retrieved groups."""

    model: Name = "openai/gpt-6.1-sol"
    max_tokens: Count = 8_000


class AnswerRole(ChatRole):
    """Writing answers."""

    model: Name = "openai/gpt-6-luna"


class AnalyseRole(ChatRole):
    """Analysing clips. at_once: maximum of clips analysed concurrently.

    send, frames, width, sound, max_kbytes: override the media profile of the model's family
        (media/media_profile.yaml): send the clip as a video or as frames, number of frames, width in pixels, whether
        to send the sound, size limit in kilobytes.
    """

    model: Name = "google/gemini-3.8-flash"
    max_tokens: Count = 8_000
    timeout_s: Seconds = 180.0
    patience_s: Seconds = 600.0
    at_once: Count = 4
    send: Literal["film", "frames"] | None = None
    frames: Annotated[int, Field(ge=1, le=100)] | None = None
    width: Annotated[int, Field(ge=64, le=3840)] | None = None
    sound: bool | None = None
    max_kbytes: Annotated[int, Field(ge=8, le=100_000)] | None = None


class ExploreRole(AnalyseRole):
    """Exploring a video for a question. at_once, send, frames, width, sound, max_kbytes: as for analysing clips.

    vision: who sees the segments: `self`, this model; `analyse`, the model of that role, which describes them;
        `none`, nobody, so that the model decides by ranges and lengths alone.
    context_tokens: limit of a request; older turns are summarised as it nears.
    """

    model: Name = "openai/gpt-6-luna"
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.2
    max_tokens: Count = 1_000
    vision: Literal["self", "analyse", "none"] = "self"
    context_tokens: Annotated[int, Field(ge=2_000)] = 100_000


class RefineRole(ChatRole):
    """Refining an analysed clip.

    calls: the refinements to make. `merged` applies only if events are merged. `places` goes to the model of
        `analyse`, which sees the clip again. `scenes` is one call for each scene of about five minutes, after an
        ingest and whatever analysed its clips.

    of: the clips to refine, by what analysed them.
    """

    model: Name = "openai/gpt-6-luna"
    max_tokens: Count = 2_000
    calls: tuple[Literal["places", "persons", "actions", "summary", "merged", "scenes"], ...] = (
        "places",
        "persons",
        "actions",
        "summary",
        "merged",
    )
    of: tuple[Literal["vision", "local", "lines"], ...] = ("vision",)


class EmbedRole(Role):
    """Embedding texts, for `embedder: api`. dimensions: shorten the vectors, if the model supports it.

    wait_s: how long a question, or a turn to be stored, waits for its vector. After that the question is answered by
        words, and the turn is embedded in the background.
    unrelated, alike: thresholds as in domain/ports.py. The defaults are cautious guesses: they depend on the model.
    """

    model: Name = "openai/text-embedding-3-large"
    # An embedding has no output tokens.
    price_out: Price | None = 0.0
    dimensions: Count | None = None
    wait_s: Seconds = 2.0
    unrelated: Annotated[float, Field(ge=-1, le=1)] = 0.35
    alike: Annotated[float, Field(ge=-1, le=1)] = 0.85
