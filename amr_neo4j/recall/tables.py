"""The tables beside this code: YAML with a version, checked where it is read; and a user's own copies of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Table(BaseModel):
    """A table of this room. Frozen, and loud about keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int


AnyTable = TypeVar("AnyTable", bound=Table)


def load(name: str, model: type[AnyTable]) -> AnyTable:
    """Read `name` (a YAML file of this package) as `model`; raises pydantic's ValidationError where it is wrong."""
    return model.model_validate(yaml.safe_load(files("amr_neo4j.recall").joinpath(name).read_text("utf-8")))


def own_copy(text: str, ours: AnyTable) -> AnyTable:
    """What a user made of a copy of `ours`. Raises ValueError: a line that names the key that is wrong."""
    try:
        theirs = type(ours).model_validate(yaml.safe_load(text))
    except ValidationError as error:
        wrong = error.errors()[0]
        key = ".".join(str(part) for part in wrong["loc"] if part != "[key]")
        raise ValueError(f"{key}: {wrong['msg'].removeprefix('Value error, ')}".lstrip(": ")) from error
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"no YAML: {' '.join(str(error).split())}") from error
    if theirs.version != ours.version:
        raise ValueError(f"version: it is {theirs.version}, and this program reads {ours.version}")
    return theirs


def every(keys: Iterable[Any]) -> AfterValidator:
    """Of a mapping: that none of these keys is missing."""
    wanted = list(keys)

    def check(table: Mapping[Any, Any]) -> Mapping[Any, Any]:
        if missing := [str(getattr(key, "value", key)) for key in wanted if key not in table]:
            raise ValueError(f"{', '.join(missing)} is missing")
        return table

    return AfterValidator(check)
