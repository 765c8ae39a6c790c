"""Settings: amr.yaml < environment < arguments. The seeds' own names (TARGET_CLIP_SEC ...) are accepted too.

Read when somebody asks for them, never on import.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    YamlConfigSettingsSource,
)

from amr_neo4j.errors import ConfigError


def _named(*names: str) -> Any:
    """Aliases: the field's own name first, so that Python callers need no other."""
    return AliasChoices(*names, *(name.lower() for name in names))


class Settings(BaseSettings):
    """Everything a user can set. Lengths of time are in seconds."""

    model_config = SettingsConfigDict(env_prefix="AMR_", extra="ignore", populate_by_name=True, env_ignore_empty=True)

    neo4j_uri: str | None = Field(None, validation_alias=_named("NEO4J_URI"))
    neo4j_username: str = Field("neo4j", validation_alias=_named("NEO4J_USERNAME", "NEO4J_USER"))
    neo4j_password: SecretStr | None = Field(None, validation_alias=_named("NEO4J_PASSWORD"))
    neo4j_database: str | None = Field(None, validation_alias=_named("NEO4J_DATABASE"))
    local_engine: Literal["auto", "docker", "maven"] = "auto"
    local_heap_mb: int = Field(1024, ge=256)

    group: str = "default"
    language: str = "en"
    data_dir: Path = Field(default_factory=lambda: platformdirs.user_data_path("amr-neo4j", appauthor=False))
    cache_dir: Path = Field(default_factory=lambda: platformdirs.user_cache_path("amr-neo4j", appauthor=False))

    target_clip_sec: float = Field(10.0, gt=0, validation_alias=_named("TARGET_CLIP_SEC", "AMR_TARGET_CLIP_SEC"))
    entity_jump_gap_sec: float = Field(30.0, ge=0)
    clips_per_transaction: int = Field(8, ge=1, le=64)
    embedder: Literal["minilm", "use"] = "minilm"
    frames_per_second: float = Field(5.0, gt=0, le=30)
    speech_model: Path | None = None

    anchors_sparse: int = Field(50, ge=1)
    anchors_dense: int = Field(50, ge=1)
    anchors: int = Field(8, ge=1)
    beam_width: int = Field(20, ge=1)
    max_hops: int = Field(4, ge=0)
    max_visited: int = Field(500, ge=1)
    convergence: float = Field(0.001, ge=0)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, YamlConfigSettingsSource(settings_cls, _config_file())


def _config_file() -> Path:
    """AMR_CONFIG, else amr.yaml beside the caller, else the user's own."""
    if named := os.environ.get("AMR_CONFIG"):
        return Path(named)
    here = Path("amr.yaml")
    return here if here.exists() else platformdirs.user_config_path("amr-neo4j", appauthor=False) / "amr.yaml"


def load(**arguments: Any) -> Settings:
    """Settings from all sources; arguments that are None count as not given.

    Raises ConfigError: a value that cannot be, in one line that names it.
    """
    try:
        return Settings(**{name: value for name, value in arguments.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"setting {name}: {first['msg']}", hint="see: amr config show") from error
