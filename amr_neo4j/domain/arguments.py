"""Types for the arguments of public methods. `checked` turns a wrong argument into an error with advice.

>>> memory.search("keys", limit="ten")
InputError: limit is a whole number, not str: 'ten' (pass a whole number, like 10)
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import wraps
from io import TextIOBase
from math import isfinite
from pathlib import Path
from threading import Event, Lock
from typing import Annotated, Any, BinaryIO, ParamSpec, TypeVar, cast, get_args

from pydantic import ConfigDict, PlainValidator, ValidationError, validate_call, with_config
from pydantic_core import ErrorDetails, PydanticCustomError

# Before Python 3.12, pydantic accepts only the TypedDict of typing_extensions.
from typing_extensions import TypedDict

from amr_neo4j.domain.alert import Alert
from amr_neo4j.domain.budget import LEAST_TOKENS
from amr_neo4j.domain.episode import composed, fit, named
from amr_neo4j.domain.live import OnLag
from amr_neo4j.domain.ports import KINDS, Device, Kind
from amr_neo4j.domain.recall import Citation, Held, Moment, SearchOrder, SearchType, TurnCitation
from amr_neo4j.domain.timestamps import storable, time_zone
from amr_neo4j.domain.views import CountedBy as _CountedBy
from amr_neo4j.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")

MOST = 1_000_000
"""The largest limit of a search or a look-up."""
# Integers in Neo4j have 64 bits.
_LARGEST_ID = 2**63 - 1
# A thousand years. The year that many days ago is one that datetime can hold.
_LONGEST_DAYS = 365_000
# Marks the errors that the checks below raise, among pydantic's own.
_WRONG = "wrong_argument"
_CLOCK_ADVICE = "pass a datetime with its timezone"
_TEXT_ADVICE = "pass text"
_FILE_ADVICE = "pass the name of a file"


def checked(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a public method whose parameters have the types below. Raises InputError: an argument does not fit.

    If a parameter's default is a text, None stands for that default. The method runs only if all arguments fit.
    """
    signature = inspect.signature(method)

    # Only the arguments are validated here, so that errors of the method itself pass unchanged.
    @wraps(method)
    def given(*args: Any, **kwargs: Any) -> tuple[Sequence[Any], dict[str, Any]]:
        return args, kwargs

    # The return type is left out, because it may be imported for type checkers only.
    given.__annotations__ = {name: kind for name, kind in method.__annotations__.items() if name != "return"}
    making, made = Lock(), list[Callable[..., tuple[Sequence[Any], dict[str, Any]]]]()

    def validated() -> Callable[..., tuple[Sequence[Any], dict[str, Any]]]:
        # Made by the first call of the method, since making those of all methods takes long. pydantic's own
        # defer_build does that in each thread that calls at once, and these disturb one another.
        with making:
            if not made:
                made.append(validate_call(config=ConfigDict(arbitrary_types_allowed=True))(given))
        return made[0]

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        passed, named = _with_defaults(signature, args, kwargs)
        try:
            passed, named = (made[0] if made else validated())(*passed, **named)
        except ValidationError as error:
            raise _input_error(method, error, passed, named) from error
        return cast(Callable[..., T], method)(*passed, **named)

    return call


def _with_defaults(
    signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """Return (args, kwargs) in which None is replaced by the default of parameters whose default is a text."""
    if not any(value is None for value in (*args, *kwargs.values())):
        return args, dict(kwargs)
    texts = {name: each.default for name, each in signature.parameters.items() if isinstance(each.default, str)}
    named = {name: texts.get(name) if value is None else value for name, value in kwargs.items()}
    parameters = list(signature.parameters)
    # Padded, because a *parameter takes more arguments than there are names.
    places = [*parameters, *[""] * len(args)]
    return [texts.get(places[n]) if value is None else value for n, value in enumerate(args)], named


def _input_error(
    method: Callable[..., object], error: ValidationError, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InputError:
    """Return the error for the first mistake: an unknown name, else a missing argument, else a wrong value."""
    signature = inspect.signature(method)
    errors = error.errors(include_url=False)
    known = _parameters(signature)
    # An unknown name goes first: a misspelt argument also makes the right one missing.
    for each in errors:
        if each["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
            return _unknown(method.__name__, str(each["loc"][0]), known)
    wrong = next((each for each in errors if each["type"] == _WRONG), None)
    if wrong is None:  # an argument is missing or passed twice: Python's own message says it best
        try:
            signature.bind(*args, **kwargs)
        except TypeError as why:
            by_name = [each.name for each in signature.parameters.values() if each.kind is each.KEYWORD_ONLY]
            is_named = by_name and "too many positional" in str(why)
            hint = f"pass by name: {', '.join(by_name)}" if is_named else _takes(known)
            return InputError(f"{method.__name__}: {why}", hint=hint)
        raise error
    name = _name_of(wrong, signature)
    context = wrong.get("ctx", {})
    is_required = name in signature.parameters and signature.parameters[name].default is inspect.Parameter.empty
    variable = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL if is_required else False
    why = "is None" if wrong["input"] is None and is_required and not variable else context["why"]
    return InputError(f"{name} {why}", hint=context["advice"])


def _name_of(error: ErrorDetails, signature: inspect.Signature) -> str:
    """Return the parameter that an error is about. For a positional argument, pydantic gives only its index."""
    place = error["loc"][0]
    if isinstance(place, str):
        return place
    names = list(signature.parameters)
    variable = [each.name for each in signature.parameters.values() if each.kind is each.VAR_POSITIONAL]
    return variable[0] if variable else names[place]


def _parameters(signature: inspect.Signature) -> list[str]:
    """Return the names that a method accepts, including those of its **bounds or **how."""
    names: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            names += _TABLES.get(parameter.name, ())
        elif parameter.name != "self":
            names.append(parameter.name)
    return names


def _unknown(method: str, name: str, known: list[str]) -> InputError:
    likely = get_close_matches(name, known, 1, 0.5) or [each for each in known if each.startswith(name)]
    hint = f"did you mean {likely[0]}? " if likely else ""
    return InputError(f"{method} has no argument {name}", hint=f"{hint}{_takes(known)}")


def _takes(known: list[str]) -> str:
    return f"it takes {', '.join(known) or 'no arguments'}"


def _fits(check: Callable[[Any], Any], advice: str) -> PlainValidator:
    """Return the validator of an argument type.

    check: returns the argument, or a copy if it can be read only once. Raises ValueError: what is wrong, in words
        that follow the parameter's name ("is not from 0 to 5").
    advice: the hint of the InputError.
    """

    def validated(value: Any) -> Any:
        try:
            return check(value)
        except ValueError as error:
            raise PydanticCustomError(_WRONG, "{why}", {"why": str(error), "advice": advice}) from error

    return PlainValidator(validated)


def _or_none(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else check(value)


def _no(value: object, wanted: str) -> ValueError:
    # Cut to 60 characters, because a wrong argument may be a whole document.
    return ValueError(f"is {wanted}, not {type(value).__name__}: {value!r:.60}")


# --- texts


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _no(value, "text")
    return fit(value)


def _called(value: Any) -> str:
    return named(_text(value))


def _all_called(value: Any) -> tuple[str, ...]:
    return tuple(_called(each) for each in _texts(value))


def _words(value: Any) -> str:
    # Stored words are composed as well, so an accented letter that was typed as two characters still matches.
    return composed(_text(value.replace("\x00", " ") if isinstance(value, str) else value))


def _texts(value: Any) -> tuple[str, ...]:
    # A text or a mapping is iterable too, but it is not a list of texts.
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _no(cast(object, value), "a list of texts")
    # A tuple, because this check would use up an iterator.
    return tuple(_text(each) for each in cast(Iterable[object], value))


def _held(value: Any) -> Held:
    if not isinstance(value, frozenset) or not all(
        isinstance(each, str | int) for each in cast(frozenset[object], value)
    ):
        raise _no(cast(object, value), "a frozenset of ids")
    return cast(Held, value)


def _workers(value: Any) -> str:
    where = _text(value)
    if where and where != "local" and not re.fullmatch(r"ray://[^/]+:\d+", where):
        raise ValueError(f"is {value!r:.60}")
    return where


def _one_of(known: Sequence[str]) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in known:
            raise ValueError(f"is {value!r:.60}")
        return value

    return check


Text = Annotated[str, _fits(_text, _TEXT_ADVICE)]
Zone = Annotated[str, _fits(lambda value: value and time_zone(_text(value)), "write it like Europe/Berlin")]
OptionalText = Annotated[str | None, _fits(_or_none(_text), _TEXT_ADVICE)]
Name = Annotated[str, _fits(_or_none(_text), _TEXT_ADVICE)]
"""A text or None. Bounds of a question and arguments of `explore` use it; None means that no name is given."""
Called = Annotated[str, _fits(_called, _TEXT_ADVICE)]
"""The name of a group, a user or a person, which is composed (NFC), as stored ones are."""
CalledOrNone = Annotated[str, _fits(_or_none(_called), _TEXT_ADVICE)]
AllCalled = Annotated[Iterable[str], _fits(_all_called, 'pass a list, like ["Anna"]')]
HeldIds = Annotated[Held, _fits(_held, "pass what `held` returned")]
Words = Annotated[str, _fits(_words, _TEXT_ADVICE)]
"""Text that is only compared and embedded. It is composed (NFC), and a NUL character is replaced by a space."""
Names = Annotated[Iterable[str], _fits(_texts, 'pass a list, like ["kitchen"]')]
AllCalledOrNone = Annotated[Iterable[str] | None, _fits(_or_none(_all_called), 'pass a list, like ["home"]')]
Lag = Annotated[str, _fits(_one_of(get_args(OnLag)), "pass wait, drop or sample")]
Workers = Annotated[str, _fits(_workers, "pass local or ray://HOST:PORT")]
IndexKind = Annotated[Kind, _fits(_one_of(KINDS), f"pass {', '.join(KINDS[:-1])} or {KINDS[-1]}")]
SearchDevice = Annotated[str, _fits(_one_of(get_args(Device)), f"pass {', '.join(get_args(Device))}")]
CountedBy = Annotated[_CountedBy, _fits(_one_of(get_args(_CountedBy)), "pass person, object, place or day")]
Order = Annotated[SearchOrder, _fits(_one_of(get_args(SearchOrder)), "pass fit, time or latest")]
MemoryKind = Annotated[SearchType, _fits(_one_of(get_args(SearchType)), "pass facts, episodes or both")]


# --- numbers


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        # True and False are ints to Python.
        if isinstance(value, bool) or not isinstance(value, int):
            raise _no(value, "a whole number")
        if not least <= value <= most:
            raise ValueError(f"is not from {least} to {most}")
        return value

    return check


def _count(value: Any) -> int:
    if _whole(0, MOST)(value) < 1:
        raise ValueError("is not at least 1")
    return value


def _number(value: Any, wanted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no(value, wanted)
    return value


def _temperature(value: Any) -> float:
    if not 0 <= _number(value, "a number from 0 to 2") <= 2:
        raise _no(value, "a number from 0 to 2")
    return float(value)


def _days(value: Any) -> float:
    if not 0 <= _number(value, "a number of days") <= _LONGEST_DAYS:
        raise ValueError(f"is not from 0 to {_LONGEST_DAYS}")
    return value


def _wait(value: Any) -> float:
    if not 0 <= _number(value, "a number of seconds") <= MOST:
        raise _no(value, "a number of seconds")
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _no(value, "True or False")
    return value


_GIGABYTES_ADVICE = "pass gigabytes, like 8"
Flag = Annotated[bool, _fits(_flag, "pass True or False")]
Limit = Annotated[int, _fits(_whole(0, MOST), "pass a whole number, like 10")]
OptionalLimit = Annotated[int | None, _fits(_or_none(_whole(0, MOST)), "pass a whole number, like 10")]
Looks = Annotated[int, _fits(_whole(0, MOST), "pass how many segments may be looked at, like 20; 0 for none")]
Count = Annotated[int, _fits(_count, "pass a whole number, like 3")]
Tokens = Annotated[int, _fits(_whole(LEAST_TOKENS, MOST), "pass how many tokens the text may have, like 2000")]
NodeId = Annotated[int, _fits(_whole(0, _LARGEST_ID), "pass the node_id of an event, like 12")]
OptionalNodeId = Annotated[int | None, _fits(_or_none(_whole(0, _LARGEST_ID)), "pass the node_id of an event")]
Pixels = Annotated[int, _fits(_whole(16, 10_000), "pass a number of pixels, like 1280")]
Port = Annotated[int, _fits(_whole(0, 65_535), "pass a port, like 8377; 0 for a free one")]
Gigabytes = Annotated[float, _fits(_wait, _GIGABYTES_ADVICE)]
OptionalGigabytes = Annotated[float | None, _fits(_or_none(_wait), _GIGABYTES_ADVICE)]
Days = Annotated[float | None, _fits(_or_none(_days), "pass days, like 30")]
Interval = Annotated[float, _fits(_wait, "pass seconds, like 2")]
Patience = Annotated[float, _fits(_wait, "pass seconds, like 60")]
Temperature = Annotated[float | None, _fits(_or_none(_temperature), "pass a number from 0 to 2, like 0.2")]


# --- times


def _clock(value: Any) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise _no(value, "a datetime")
    try:
        return storable(value)
    except ValueError as error:
        raise ValueError(f"is {value}, which {error}") from error


def _moment(value: Any) -> Moment | None:
    if value is None or isinstance(value, datetime):
        return _clock(value)
    try:
        seconds = float(_number(value, "seconds of a video or a datetime"))
    except OverflowError as error:
        raise ValueError("is too large a number of seconds") from error
    if not isfinite(seconds):
        raise ValueError(f"{value} is not a point in time")
    return value


def _seconds(value: Any) -> float | None:
    moment = _moment(value)
    if isinstance(moment, datetime):
        raise _no(value, "seconds of a video")
    return moment


Clock = Annotated[datetime | None, _fits(_clock, _CLOCK_ADVICE)]
Time = Annotated[
    Moment | None, _fits(_moment, f"pass seconds of the video, or {_CLOCK_ADVICE.removeprefix('pass ')}")
]
Second = Annotated[float | None, _fits(_seconds, "pass seconds of the video")]


# --- files


def _entries(value: Any) -> Iterable[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _no(cast(object, value), "a list")
    return cast(Iterable[Any], value)


def _each(check: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    return lambda value: tuple(check(each) for each in _entries(value))


def _path(value: Any) -> str | Path:
    if not isinstance(value, str | Path):
        raise _no(value, "a path")
    if "\x00" in str(value):
        raise ValueError("holds a NUL character")
    return value


def _path_or_stream(value: Any) -> str | Path | BinaryIO:
    if not isinstance(value, TextIOBase) and (hasattr(value, "read") or hasattr(value, "write")):
        return value
    return _path(value)


FileName = Annotated[str | Path, _fits(_path, _FILE_ADVICE)]
"""The name of one file that is read or written."""
FileOrStream = Annotated[
    str | Path | BinaryIO, _fits(_path_or_stream, "pass the name of a file, or a file that is open in binary mode")
]
OneOfFiles = Annotated[str | Path, _fits(_path, "pass names of files")]
OptionalFile = Annotated[Path | None, _fits(_or_none(_path), _FILE_ADVICE)]
FileOrFolder = Annotated[str | Path, _fits(_path, "pass the name of a file or folder")]
Folders = Annotated[
    Sequence[Path] | None, _fits(_or_none(_each(lambda value: Path(_path(value)))), "pass a list of folders")
]
OptionalFolder = Annotated[str | Path | None, _fits(_or_none(_path), "pass the name of a file or folder")]


# --- others


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _no(value, "a mapping")
    return cast(Mapping[str, Any], value)


def _function(value: Any) -> Any:
    if not callable(value):
        raise _no(value, "a function")
    return value


def _stop(value: Any) -> Any:
    # By its methods, so that an Event of multiprocessing fits as well.
    if not callable(getattr(value, "is_set", None)) or not callable(getattr(value, "wait", None)):
        raise _no(value, "an event")
    return value


def _instance(kind: type | tuple[type, ...], wanted: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise _no(value, wanted)
        return value

    return check


_is_alert = _instance(Alert, "an alert")
Function = Annotated[T, _fits(_function, "pass a function of one argument")]
StopEvent = Annotated[Event | None, _fits(_or_none(_stop), "pass a threading.Event")]
KeptAlert = Annotated[Alert, _fits(_is_alert, "pass one that keep_alert returned")]
KeptAlerts = Annotated[Iterable[Alert], _fits(_each(_is_alert), "pass those that keep_alert returned")]
Cited = Annotated[
    Citation | TurnCitation, _fits(_instance((Citation, TurnCitation), "a citation"), "pass one of Answer.citations")
]
Turns = Annotated[
    Iterable[Mapping[str, Any] | str],
    _fits(_entries, 'pass a list of turns, like [{"actor": "Anna", "content": "Good morning."}]'),
]
Lines = Annotated[Iterable[str | bytes], _fits(_entries, "pass an iterable of lines, such as an open file")]
CutClips = Annotated[
    Iterable[Mapping[str, Any]],
    _fits(_entries, 'pass a list of clips, like [{"uri": "1.mp4", "t_start": 0, "t_end": 10, "video_id": "hall"}]'),
]
Document = Annotated[Mapping[str, Any], _fits(_mapping, "pass a document as export_episodes returns it")]
ChatMessages = Annotated[
    Sequence[Mapping[str, Any]],
    _fits(_each(_mapping), 'pass a list of messages, like [{"role": "user", "content": "Where do I live?"}]'),
]


@with_config(ConfigDict(extra="forbid"))
class Bounds(TypedDict, total=False):
    """The bounds of a question, for Memory.ask and Memory.search. All are optional.

    A time is seconds of the video, or a datetime with its timezone.

    user_id: also search the conversations of this user.
    sessions: search only these conversations. Videos are searched only if `videos` names some.
    videos: search only these videos. Conversations are searched only if `sessions` names some.
    persons: only what involves one of these persons, given by name.
    since, until: only what overlaps this span.
    as_of: only what had ended by then.
    known_at: only what memory had learnt by then.
    """

    user_id: CalledOrNone
    sessions: Names
    videos: Names
    persons: AllCalled
    since: Time
    until: Time
    as_of: Time
    known_at: Clock


@with_config(ConfigDict(extra="forbid"))
class ExploreArguments(TypedDict, total=False):
    """How to explore, for Memory.explore. All are optional; defaults are in parentheses.

    workdir: the folder of the segments (a folder below data_dir).
    save_tree: the file of the tree (tree.json in workdir).
    max_depth: how many levels the tree has (3).
    per_expand_limit: how many children a node has (3).
    max_looks: how many segments are looked at (40).
    parallel: how many segments are looked at at the same time (1).
    planner: "model" (the role explore), "local" (no model; the answer quotes what the local analyser found) or "auto"
        (the model if a provider is chosen).
    model, temperature: those of the role explore (as in the settings).
    disk_budget_mb: the megabytes of all segments together (1024).
    remember: keep what was seen as events.
    resume: the tree.json of an earlier run of this film and question, to continue it. Its looks and costs count, and
        arguments that are not given are as they were. The tree is saved to the same file.
    watch: called with the content of the tree after each node.
    """

    workdir: OptionalFolder
    save_tree: OptionalFolder
    max_depth: Count
    per_expand_limit: Count
    max_looks: Count
    parallel: Count
    planner: Name
    model: Name
    temperature: Temperature
    disk_budget_mb: Count
    remember: Flag
    resume: OptionalFolder
    watch: Function[Callable[[dict[str, Any]], object]]


_TABLES: Mapping[str, Iterable[str]] = {"bounds": Bounds.__annotations__, "how": ExploreArguments.__annotations__}
"""{parameter that gathers further keywords: the names it accepts}, for error messages."""
