"""Settings from amr.yaml, the environment and arguments; the later overrides the earlier.

The variable names of the source documents (TARGET_CLIP_SEC ...) are accepted too. Nothing is read on import.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from zoneinfo import ZoneInfo

import platformdirs
from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from amr_neo4j.domain.budget import LEAST_TOKENS, Budget
from amr_neo4j.domain.episode import LONGEST_NAME, fit, named
from amr_neo4j.domain.hot_options import HotOptions, Weights
from amr_neo4j.domain.search_limits import SearchLimits
from amr_neo4j.domain.timestamps import time_zone
from amr_neo4j.domain.view import View
from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.files import read_regular
from amr_neo4j.model_roles import (
    AnalyseRole,
    AnswerRole,
    EmbedderName,
    EmbedRole,
    ExploreRole,
    JudgeRole,
    Provider,
    RefineRole,
    Role,
    Routing,
    TextRole,
)
from amr_neo4j.tables import listed, parse


def _named(name: str) -> Any:
    """Accept a setting under this name, in upper or lower case."""
    return AliasChoices(name, name.lower())


# The name of a group or a user.
_Called = Annotated[str, AfterValidator(named)]
# Bytes of amr.yaml.
_LARGEST_FILE = 2**20


def _address(uri: str) -> str:
    """Raises ValueError: an address with a user name or password, which would be shown wherever the address is."""
    if "@" in uri:
        raise ValueError("holds a user name or a password: set NEO4J_USERNAME and NEO4J_PASSWORD")
    return uri


def _database(name: str) -> str:
    """Raises ValueError: the database in which Neo4j keeps users and other databases, and nothing else."""
    if name.lower() == "system":
        raise ValueError("is Neo4j's own database: name another one, or none for the default")
    return name


def _time_zone(name: str) -> str:
    """Return the name of an IANA time zone, or an empty text. Raises ValueError for any other name."""
    return name and time_zone(name)


def _zone_of_machine() -> tzinfo:
    """The time zone of this machine; its present offset from UTC if the zone has no name that Python finds."""
    link = Path("/etc/localtime")
    linked = str(link.readlink()).partition("zoneinfo/")[2] if link.is_symlink() else ""
    for name in (os.environ.get("TZ", "").lstrip(":"), linked):
        with suppress(ValueError):
            if name:
                return ZoneInfo(time_zone(name))
    return datetime.now().astimezone().tzinfo or UTC


class Settings(BaseSettings):
    """Every setting; docs/configuration.md explains them. Durations are in seconds."""

    model_config = SettingsConfigDict(
        env_prefix="AMR_",
        env_nested_delimiter="__",
        # An empty variable, such as AMR_USER= in a shell script, counts as not set.
        env_ignore_empty=True,
        # A misspelt setting is an error: if it were ignored, its default would apply unnoticed.
        extra="forbid",
        # amr.yaml may use the names of the fields as well as those of the environment.
        populate_by_name=True,
        # The rejected value may be a secret.
        hide_input_in_errors=True,
    )

    # The database, and where files are.
    config: Path | None = None
    neo4j_uri: Annotated[str, AfterValidator(_address)] | None = Field(None, validation_alias=_named("NEO4J_URI"))
    neo4j_username: str = Field("neo4j", validation_alias=_named("NEO4J_USERNAME"))
    neo4j_password: SecretStr | None = Field(None, validation_alias=_named("NEO4J_PASSWORD"))
    neo4j_database: Annotated[str, AfterValidator(_database)] | None = Field(
        None, validation_alias=_named("NEO4J_DATABASE")
    )
    store_wait_sec: float = Field(300.0, ge=0)
    local_engine: Literal["auto", "docker", "maven"] = "auto"
    local_heap_mb: int = Field(1024, ge=256)
    # None: what Neo4j chooses; with Docker what docker-compose.yml says.
    local_page_cache_mb: int | None = Field(None, ge=64)

    # Whose memory it is.
    group: _Called = Field("default", min_length=1, max_length=LONGEST_NAME)
    user: _Called = Field("", max_length=LONGEST_NAME)
    language: str = "en"
    # Where films were taken that name no place. Empty: each video is a place of its own.
    place: Annotated[str, AfterValidator(fit)] = Field("", max_length=LONGEST_NAME)
    # Of films whose wall clock is not known, where edges of persons and objects cross films.
    undated_films: Literal["apart", "arrival"] = "apart"
    # Who wears the camera of footage that names nobody: "I" in captions, and in questions without a user.
    wearer: Annotated[str, AfterValidator(fit)] = Field("", max_length=500)
    timezone: Annotated[str, AfterValidator(_time_zone)] = ""
    # {user: zone} and {place or live source: zone}, where they are not in `timezone`.
    user_timezones: dict[_Called, Annotated[str, AfterValidator(time_zone)]] = Field(default_factory=dict[str, str])
    place_timezones: dict[str, Annotated[str, AfterValidator(time_zone)]] = Field(default_factory=dict[str, str])
    # {group: "remember"}: groups in which unnamed voices are recognised again in later videos.
    voices: dict[_Called, Literal["remember"]] = Field(default_factory=dict[str, Literal["remember"]])
    # {place: what is drawn into the picture of its camera}.
    views: dict[str, View] = Field(default_factory=dict[str, View])
    data_dir: Path = Field(default_factory=lambda: platformdirs.user_data_path("amr-neo4j", appauthor=False))
    cache_dir: Path = Field(default_factory=lambda: platformdirs.user_cache_path("amr-neo4j", appauthor=False))

    # Taking in videos.
    target_clip_sec: float = Field(10.0, ge=0.1, validation_alias=_named("TARGET_CLIP_SEC"))
    merge_events_enabled: bool = Field(False, validation_alias=_named("MERGE_EVENTS_ENABLED"))
    merge_time_gap_sec: float = Field(2.0, ge=0, validation_alias=_named("MERGE_TIME_GAP_THRESHOLD"))
    # None: the embedder's own threshold, since cosines of different embedders are not comparable.
    merge_similarity: float | None = Field(None, ge=-1, le=1, validation_alias=_named("MERGE_SIM_THRESHOLD"))
    entity_jump_gap_sec: float = Field(30.0, ge=0)
    clips_per_transaction: int = Field(256, ge=1, le=1024)
    embedder: EmbedderName = "auto"
    analyser: Literal["auto", "local", "vision"] = "auto"
    frames_per_second: float = Field(5.0, gt=0, le=30)
    speech: Literal["auto", "subtitles", "local", "api", "off"] = "auto"
    speech_model: Path | None = None
    sound_track: str = ""
    live_queue_clips: int = Field(30, ge=1, le=100_000)
    live_speech: Literal["keep", "drop", "first"] = "keep"
    live_reconnect_sec: float = Field(300.0, ge=0)
    live_keep_gb: float = Field(10.0, ge=0)
    hub_endpoint: str | None = Field(None, validation_alias=_named("HF_ENDPOINT"))
    detector: Literal["ssdlite", "yolov8n"] | Path | None = None
    detector_labels: Path | None = None
    read_text: Literal["auto", "on", "off"] = "auto"
    retention_days: float | None = Field(None, gt=0, le=365_000)

    # Nothing is sent to a provider unless it is chosen here; setting a key alone does not choose one.
    provider: Provider | None = None
    api_key: SecretStr | None = None
    openrouter_api_key: SecretStr | None = Field(None, validation_alias=_named("OPENROUTER_API_KEY"))
    openai_api_key: SecretStr | None = Field(None, validation_alias=_named("OPENAI_API_KEY"))
    routing: Annotated[Routing, NoDecode] = Field(default_factory=Routing)
    analyse: Annotated[AnalyseRole, NoDecode] = Field(default_factory=AnalyseRole)
    refine: Annotated[RefineRole, NoDecode] = Field(default_factory=RefineRole)
    text: Annotated[TextRole, NoDecode] = Field(default_factory=TextRole)
    judge: Annotated[JudgeRole, NoDecode] = Field(default_factory=JudgeRole)
    answer: Annotated[AnswerRole, NoDecode] = Field(default_factory=AnswerRole)
    explore: Annotated[ExploreRole, NoDecode] = Field(default_factory=ExploreRole)
    embed: Annotated[EmbedRole, NoDecode] = Field(default_factory=EmbedRole)
    max_cost_usd: float | None = Field(None, ge=0, allow_inf_nan=False)
    # What a question waits in all for busy or unreachable models, beside replies under way.
    question_wait_sec: float = Field(4.5, ge=0, le=3600)
    max_reply_mb: float = Field(16.0, gt=0, le=1000)

    # Further names of programs among the actors of turns, separated by commas: "Nova, Jarvis".
    agent_names: str = ""
    extract_mentions: bool = False
    extract_window: int = Field(4, ge=1, le=16)
    mask_secrets: bool = False
    chat_retention_days: float | None = Field(None, gt=0, le=365_000)
    fact_retention_days: float | None = Field(None, gt=0, le=365_000)

    # Live conversations (specification 001 5).
    hot_languages: str = Field(",".join(HotOptions.languages), validation_alias=_named("HOTMEM_LANGS"))
    turn_reader: Literal["auto", "rules"] = "auto"
    hot_inject_role: str = Field(HotOptions.inject_role, min_length=1, validation_alias=_named("HOTMEM_INJECT_ROLE"))
    hot_inject_header: str = Field(HotOptions.inject_header, validation_alias=_named("HOTMEM_INJECT_HEADER"))
    hot_hint_window: int = Field(HotOptions.hint_window, ge=1, validation_alias=_named("HOTMEM_HINT_WINDOW"))
    hot_bullets_max: int = Field(HotOptions.bullets_max, ge=1, le=50, validation_alias=_named("HOTMEM_BULLETS_MAX"))
    hot_novelty_turns: int = Field(HotOptions.novelty_turns, ge=0, validation_alias=_named("HOTMEM_NOVELTY_TURNS"))
    hot_score_weights: str = Field(",".join(map(str, Weights())), validation_alias=_named("HOTMEM_SCORE_WEIGHTS"))
    hot_full_text_boost: float = Field(
        HotOptions.full_text_boost, ge=0, le=1, validation_alias=_named("HOTMEM_FULL_TEXT_BOOST")
    )
    hot_recency_days: float = Field(HotOptions.recency_days, gt=0, validation_alias=_named("HOTMEM_RECENCY_DAYS"))
    hot_ttl_days: dict[str, float] = Field(
        default_factory=dict[str, float], validation_alias=_named("HOTMEM_TTL_DAYS")
    )
    hot_per_turn_messages: bool = Field(
        HotOptions.per_turn_messages, validation_alias=_named("HOTMEM_PER_TURN_MESSAGES")
    )
    hot_disable_injection: bool = Field(False, validation_alias=_named("HOTMEM_DISABLE_INJECTION"))
    hot_disable_extraction: bool = Field(False, validation_alias=_named("HOTMEM_DISABLE_EXTRACTION"))
    hot_stream_header: str = HotOptions.stream_header
    passive_recall: bool = True
    context_budget: int = Field(Budget.total, ge=100)
    context_recent: int = Field(Budget.recent, ge=0)
    context_tools: int = Field(Budget.tools, ge=0)
    context_facts: int = Field(Budget.facts, ge=0)
    context_episodes: int = Field(Budget.episodes, ge=0)
    hot_redact_logs: bool = Field(HotOptions.redact_logs, validation_alias=_named("HOTMEM_REDACT_LOGS"))

    # The dense indexes.
    dense: Literal["faiss", "sidecar", "neo4j"] = "faiss"
    sidecar_url: str = "http://127.0.0.1:8377"
    sidecar_token: SecretStr | None = None
    sidecar_certificates: Path | None = None

    # The server (docs/server.md).
    serve_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(listed)] = ()
    serve_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(listed)] = ()
    serve_folders: Annotated[tuple[Path, ...], NoDecode, BeforeValidator(listed)] = ()
    serve_sources: Annotated[tuple[str, ...], NoDecode, BeforeValidator(listed)] = ()
    serve_nightly_hour: int | None = Field(None, ge=0, le=23)
    serve_key_mb_a_day: float | None = Field(None, gt=0)
    serve_key_usd_a_day: float | None = Field(None, ge=0, allow_inf_nan=False)
    serve_threads: int = Field(16, ge=1, le=1000)
    serve_requests_per_minute: int = Field(6000, ge=1)
    serve_largest_mb: float = Field(32.0, gt=0, le=1000)
    serve_largest_upload_gb: float = Field(20.0, gt=0)

    # Recall: see SearchLimits in domain/search_limits.py.
    channels_file: Path | None = None
    fusion_file: Path | None = None
    beam_width: int = Field(SearchLimits.beam_width, ge=1)
    max_hops: int = Field(SearchLimits.max_hops, ge=0)
    groups: int = Field(SearchLimits.groups, ge=1)
    judged_groups: int = Field(SearchLimits.judged_groups, ge=0)
    wrong_answer_cost: float = Field(SearchLimits.wrong_answer_cost, gt=0, allow_inf_nan=False)
    context_tokens: int = Field(SearchLimits.context_tokens, ge=LEAST_TOKENS)

    @property
    def zone(self) -> tzinfo:
        """The time zone of `timezone`; this machine's if it is empty."""
        return ZoneInfo(self.timezone) if self.timezone else _zone_of_machine()

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of `hot_languages`."""
        return tuple(code.strip() for code in self.hot_languages.split(",") if code.strip())

    def zone_of_user(self, user_id: str) -> tzinfo:
        """The time zone whose days a user means."""
        named = self.user_timezones.get(user_id)
        return ZoneInfo(named) if named else self.zone

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        of_config, *_ = env_settings.get_field_value(settings_cls.model_fields["config"], "config")
        named = init_settings().get("config") or of_config
        # The earlier source wins. No .env file and no folder of secrets is read.
        return init_settings, env_settings, InitSettingsSource(settings_cls, _file_content(named))


def load(**arguments: Any) -> Settings:
    """Return the settings from all sources. Arguments that are None count as not given.

    Raises ConfigError: an unknown setting or an invalid value, in one line that names it.
    """
    try:
        return Settings(**{name: value for name, value in arguments.items() if value is not None})
    except ValidationError as error:
        raise _config_error(error) from error


def origins(settings: Settings, **arguments: Any) -> dict[str, str]:
    """Return the origin of each setting that `load` returned for these arguments; settings of roles as judge.model.

    An origin is "argument", the name of the environment variable, the path of the file, or "default".
    """
    file, in_file = _file(settings.config), _flat(_file_content(settings.config))
    given = _flat({name: value for name, value in arguments.items() if value is not None})
    variables = {name.lower(): name for name, value in os.environ.items() if value}
    found: dict[str, str] = {}
    for name in _names():
        variable = next((variables[n] for n in _variables(name) if n in variables), "")
        path = str(file) if in_file & {name, *_variables(name)} else ""
        found[name] = "argument" if name in given else variable or path or "default"
    return found


def _names() -> list[str]:
    """The names of all settings; those of roles as judge.model, and of the routing as routing.zdr."""
    names: list[str] = []
    for name, field in Settings.model_fields.items():
        role = cast(Any, field.annotation)
        parts = role.model_fields if isinstance(role, type) and issubclass(role, Role | Routing) else ()
        names += [f"{name}.{part}" for part in parts] or [name]
    return names


def _flat(table: Mapping[str, Any]) -> set[str]:
    """The names in a table of settings, in lower case, with those of nested tables: judge, judge.model."""
    tables = {name: cast(dict[object, Any], value) for name, value in table.items() if isinstance(value, dict)}
    inner = {f"{name}.{part}" for name, parts in tables.items() for part in parts}
    return {name.lower() for name in {*table, *inner}}


def _variables(name: str) -> list[str]:
    """The environment variables of a setting in lower case, by precedence."""
    field = Settings.model_fields.get(name)
    alias = field.validation_alias if field else None
    names = alias.choices if isinstance(alias, AliasChoices) else [f"amr_{name.replace('.', '__')}"]
    return list(dict.fromkeys(str(choice).lower() for choice in names))


def _file(named: str | Path | None) -> Path:
    """The named file, else amr.yaml in the working directory, else the one in the user's config directory."""
    here = Path("amr.yaml")
    default = here if here.exists() else platformdirs.user_config_path("amr-neo4j", appauthor=False) / "amr.yaml"
    return Path(named) if named else default


def _file_content(named: str | Path | None) -> dict[str, Any]:
    """The settings in the file. Raises ConfigError: the named file does not exist, or its content is invalid."""
    file = _file(named)
    try:
        content: object = parse(_regular(file, named).decode()) or {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {file}: {' '.join(str(error).split())}", hint="correct the file") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{file} is not a table of settings", hint="write lines like: group: home")
    table = {str(name): value for name, value in cast(dict[object, Any], content).items()}
    for name in Settings.model_fields:
        if len(given := [key for key in table if key.lower() in {name, *_variables(name)}]) > 1:
            raise ConfigError(f"{file} has one setting twice: {' and '.join(given)}", hint="keep one of them")
    return table


def _regular(file: Path, named: str | Path | None) -> bytes:
    """The bytes of the file; none where it does not exist and is not named. Raises ConfigError."""
    if not file.exists():
        if named:
            raise ConfigError(f"no file {file}", hint="check --config or AMR_CONFIG")
        return b""
    try:
        return read_regular(file, at_most=_LARGEST_FILE)
    except InputError as error:
        raise ConfigError(error.message, hint=error.hint) from None


def _config_error(error: ValidationError) -> ConfigError:
    """The first error, in one line; without the value, which may be a secret."""
    complaint = error.errors()[0]
    name = ".".join(str(part) for part in complaint["loc"])
    if complaint["type"] == "extra_forbidden":
        table = name.rpartition(".")[0]
        known = [known for known in _names() if not table or known.startswith(f"{table}.")]
        return ConfigError(f"unknown setting {name}", hint=f"known: {', '.join(known)}")
    hint = "correct it in the environment, in amr.yaml or on the command line"
    return ConfigError(f"setting {name}: {complaint['msg'].removeprefix('Value error, ')}", hint=hint)
