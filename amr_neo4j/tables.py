"""Versioned YAML tables shipped with the code, validated when loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from importlib import resources
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def listed(words: Any) -> Any:
    """Return the words of a text with commas; anything else as it is."""
    return tuple(word.strip() for word in words.split(",") if word.strip()) if isinstance(words, str) else words


Words = Annotated[tuple[str, ...], BeforeValidator(listed)]
"""Words or phrases. In the file they are one string with commas: "brother, sister" -> ("brother", "sister")."""


def _a_list(words: Any) -> Any:
    if type(words) not in (list, tuple) or not all(isinstance(each, str) for each in words):
        raise ValueError("Input should be a list of texts")
    return words


ListOfTexts = BeforeValidator(_a_list)
"""Refuses all but a list of texts, where a validator joins what it gets: it would take a text for its letters."""


class Table(BaseModel):
    """Base of all tables: frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int


AnyTable = TypeVar("AnyTable", bound=Table)


class _EachKeyOnce(yaml.SafeLoader):
    """Refuses a table that has a key twice. YAML's own loader would silently keep the last value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Do the same as the base class. Raises yaml.YAMLError: a key is there twice."""
        seen = set[str]()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value} is there twice", problem_mark=key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def parse(text: str) -> Any:
    """Return the content of a user's YAML file.

    Raises ValueError: one line, which quotes no value of the file, because a value may be a secret.
    """
    try:
        return yaml.load(text, Loader=_EachKeyOnce)  # noqa: S506 (a safe loader)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ValueError(f"{where}{error.problem}") from None
    except RecursionError:
        raise ValueError("its tables and lists are nested too deeply") from None
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None


def load(package: str, name: str, model: type[AnyTable], *, context: Mapping[str, str] | None = None) -> AnyTable:
    """Load the YAML file `name` of `package` as `model`. Raises pydantic's ValidationError.

    context: values that the model's validators may ask for.
    """
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    content = yaml.load(text, Loader=loader)  # noqa: S506 (a safe loader, whichever it is)
    return model.model_validate(content, context=context)


def shipped(package: str, name: str, model: type[AnyTable]) -> Callable[[], AnyTable]:
    """Return a function that returns a table of the code's own. It is loaded at the first call."""
    return cache(partial(load, package, name, model))


def first_error(error: ValidationError) -> str:
    """Return "where: message" of the first error, without the value, which may be a secret."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def user_copy(text: str, shipped: AnyTable) -> AnyTable:
    """Parse a user's edited copy of a shipped table. Raises ValueError: one line that names the invalid key."""
    try:
        copy = type(shipped).model_validate(parse(text))
    except ValidationError as error:
        wrong = error.errors()[0]
        key = ".".join(str(part) for part in wrong["loc"] if part != "[key]")
        raise ValueError(f"{key}: {wrong['msg'].removeprefix('Value error, ')}".lstrip(": ")) from error
    except ValueError as error:
        raise ValueError(f"not valid YAML: {error}") from error
    if copy.version != shipped.version:
        raise ValueError(f"version: the file has {copy.version}, this program requires {shipped.version}")
    return copy


def every(keys: Iterable[Any]) -> AfterValidator:
    """Return a validator that requires a mapping to have each of these keys."""
    required = list(keys)

    def check(table: Mapping[Any, Any]) -> Mapping[Any, Any]:
        if missing := [str(getattr(key, "value", key)) for key in required if key not in table]:
            raise ValueError(f"{', '.join(missing)} is missing")
        return table

    return AfterValidator(check)
