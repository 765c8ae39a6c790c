"""Checks the arguments of public methods: what callers pass by mistake becomes an InputError with advice."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from difflib import get_close_matches
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast, get_args

from amr_neo4j.domain.alert import Alert
from amr_neo4j.domain.episode import unfit
from amr_neo4j.domain.exploration import ExploreArguments
from amr_neo4j.domain.live import OnLag
from amr_neo4j.domain.ports import KINDS, Device
from amr_neo4j.domain.recall import Bounds, Citation, TurnCitation
from amr_neo4j.domain.recalled import SearchType
from amr_neo4j.domain.timestamps import storable
from amr_neo4j.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")
Check = Callable[[Any], Any]
"""Returns the argument, or a copy of it where it can be read only once. Raises ValueError: what is wrong with it."""

MOST = 1_000_000
"""The largest limit of a search or a look-up."""
_LARGEST_ID = 2**63 - 1
_LONGEST_DAYS = 365_000
_WHEN = "pass a datetime with its timezone"


_TABLES: Mapping[str, Mapping[str, object]] = {
    "bounds": Bounds.__annotations__,
    "how": ExploreArguments.__annotations__,
}
"""The arguments of a method that takes them as keywords, by the name of that parameter."""


def checked(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a public method: unknown, missing and wrong arguments raise InputError before it runs.

    What a parameter may be follows from its name (_CHECKS). Those of **bounds and **how are checked as in _TABLES.
    """
    return checked_as()(method)


def checked_as(**checks: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `checked`, for a method with parameters that take the check of another name: parameter -> that name."""

    def decorate(method: Callable[P, T]) -> Callable[P, T]:
        return _checked(method, checks)

    return decorate


def _checked(method: Callable[P, T], checks: Mapping[str, str]) -> Callable[P, T]:
    signature = inspect.signature(method)
    bounded = next((p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), "")
    named = [name for name in signature.parameters if name not in ("self", bounded)]
    known = [*named, *_TABLES.get(bounded, {})]
    whole_moments = "session_id" in named  # a conversation has no seconds of a video

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in known and bounded != "params":
                raise _unknown(method.__name__, name, known)
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise InputError(f"{method.__name__}: {error}", hint=_takes(known)) from error
        for name, value in given.arguments.items():
            default = signature.parameters[name].default
            if name == bounded and bounded in _TABLES:
                given.arguments[name] = {key: _check(key, each) for key, each in value.items()}
            elif name not in ("self", bounded):
                value = default if value is None and isinstance(default, str) else value  # noqa: PLW2901
                if value is None and default is inspect.Parameter.empty:
                    raise InputError(f"{name} is None", hint=_CHECKS[checks.get(name, name)][1])
                given.arguments[name] = _check(name, value, _clock if whole_moments else None, checks.get(name, name))
        return method(*given.args, **given.kwargs)

    return call


def _check(name: str, value: Any, moment: Check | None = None, kind: str = "") -> Any:
    """The value of a parameter, as its check returns it. moment: the check of moments, where it differs.

    kind: the name in _CHECKS, where it is not that of the parameter.
    """
    check, advice = _CHECKS[kind or name]
    if moment and check is _moment:
        check, advice = moment, _WHEN
    try:
        return check(value)
    except ValueError as error:
        raise InputError(f"{name} {error}", hint=advice) from error


def _unknown(method: str, name: str, known: list[str]) -> InputError:
    likely = get_close_matches(name, known, 1, 0.5) or [each for each in known if each.startswith(name)]
    hint = f"did you mean {likely[0]}? " if likely else ""
    return InputError(f"{method} has no argument {name}", hint=f"{hint}{_takes(known)}")


def _takes(known: list[str]) -> str:
    return f"it takes {', '.join(known) or 'no arguments'}"


def _no(value: object, wanted: str) -> ValueError:
    return ValueError(f"is {wanted}, not {type(value).__name__}: {value!r:.60}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _no(value, "text")
    if why := unfit(value):
        raise ValueError(why)
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _words(value: Any) -> str:
    """Text that is only compared and embedded: a NUL in it does no harm."""
    return _text(value.replace("\x00", " ") if isinstance(value, str) else value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _no(cast(object, value), "a list of texts")
    return tuple(_text(each) for each in cast(Iterable[object], value))


def _whole(value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _no(value, "a whole number")
    if not 0 <= value <= most:
        raise ValueError(f"is not from 0 to {most}")
    return value


def _limit(value: Any) -> int:
    return _whole(value, MOST)


def _id(value: Any) -> int:
    return _whole(value, _LARGEST_ID)


def _clock(value: Any) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise _no(value, "a datetime")
    try:
        return storable(value)
    except ValueError as error:
        raise ValueError(f"is {value}, which {error}") from error


def _moment(value: Any) -> float | datetime | None:
    if value is None or isinstance(value, datetime):
        return _clock(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no(value, "seconds of a video or a datetime")
    try:
        seconds = float(value)
    except OverflowError as error:
        raise ValueError("is too large a number of seconds") from error
    if not isfinite(seconds):
        raise ValueError(f"{value} is not a point in time")
    return value


def _count(value: Any) -> int:
    if _whole(value, MOST) < 1:
        raise ValueError("is not at least 1")
    return value


def _temperature(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise _no(value, "a number from 0 to 2")
    return float(value)


def _path(value: Any) -> str | Path | None:
    if value is None:
        return None
    [path] = _paths([value])
    return path


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _no(value, "True or False")
    return value


def _days(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no(value, "a number of days")
    if not 0 <= value <= _LONGEST_DAYS:
        raise ValueError(f"is not from 0 to {_LONGEST_DAYS}")
    return value


def _paths(value: Any) -> tuple[str | Path, ...]:
    for path in value:
        if not isinstance(path, str | Path):
            raise _no(path, "a path")
        if "\x00" in str(path):
            raise ValueError("holds a NUL character")
    return tuple(value)


def _seconds(value: Any) -> float | None:
    moment = _moment(value)
    if isinstance(moment, datetime):
        raise _no(value, "seconds of a video")
    return moment


def _pixels(value: Any) -> int:
    if _whole(value, 10_000) < 16:
        raise ValueError("is not from 16 to 10000")
    return value


def _entries(value: Any) -> Iterable[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _no(cast(object, value), "a list")
    return cast(Iterable[Any], value)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _no(value, "a mapping")
    return cast(Mapping[str, Any], value)


def _callable(value: Any) -> Any:
    if not callable(value):
        raise _no(value, "a function")
    return value


def _citation(value: Any) -> Citation | TurnCitation:
    if not isinstance(value, Citation | TurnCitation):
        raise _no(value, "a citation")
    return value


def _search_type(value: Any) -> str:
    if value not in get_args(SearchType):
        raise ValueError(f"is {value!r:.60}")
    return value


def _stop(value: Any) -> Any:
    if value is not None and not (
        callable(getattr(value, "is_set", None)) and callable(getattr(value, "wait", None))
    ):
        raise _no(value, "an event")
    return value


def _alert(value: Any) -> Alert:
    if not isinstance(value, Alert):
        raise _no(value, "an alert")
    return value


def _alerts(value: Any) -> tuple[Alert, ...]:
    return tuple(_alert(each) for each in _entries(value))


def _messages(value: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple(_mapping(each) for each in _entries(value))


def _device(value: Any) -> str:
    if value not in get_args(Device):
        raise ValueError(f"is {value!r:.60}")
    return value


def _kind(value: Any) -> str:
    if value not in KINDS:
        raise ValueError(f"is {value!r:.60}")
    return value


def _port(value: Any) -> int:
    return _whole(value, 65_535)


def _gigabytes(value: Any) -> float | None:
    return None if value is None else _wait(value)


def _lag(value: Any) -> str:
    if value not in get_args(OnLag):
        raise ValueError(f"is {value!r:.60}")
    return value


def _workers(value: Any) -> str:
    where = _text(value)
    if where and where != "local" and not re.fullmatch(r"ray://[^/]+:\d+", where):
        raise ValueError(f"is {value!r:.60}")
    return where


def _wait(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        raise _no(value, "a number of seconds")
    return float(value)


_TEXT = (_text, "pass text")
_NAME = (_text_or_none, "pass text")
_NAMES = (_texts, 'pass a list, like ["kitchen"]')
_TIME = (_moment, f"pass seconds of the video, or {_WHEN.removeprefix('pass ')}")
_CLOCK = (_clock, _WHEN)
_FLAG = (_flag, "pass True or False")
_CHECKS: Mapping[str, tuple[Check, str]] = {
    **dict.fromkeys(("clip_id", "one", "other", "speaker", "person", "run_id", "fact_id", "host"), _TEXT),
    **dict.fromkeys(("question", "text", "name", "query"), (_words, "pass text")),
    **dict.fromkeys(("user_id", "session_id", "episode_id", "video_id", "place", "video", "other_video"), _NAME),
    **dict.fromkeys(("subject", "relation", "object", "actor", "alert_id"), _NAME),
    **dict.fromkeys(("videos", "persons", "sessions"), _NAMES),
    **dict.fromkeys(("since", "until", "as_of"), _TIME),
    **dict.fromkeys(("known_at", "known_since", "recorded_at", "before", "at"), _CLOCK),
    **dict.fromkeys(
        (
            "retry_failed",
            "skip_failed",
            "any_group",
            "precut",
            "nested",
            "vector",
            "scrub",
            "history",
            "retry",
            "dry_run",
        ),
        _FLAG,
    ),
    "pinned": _FLAG,
    **dict.fromkeys(("places", "files"), (_paths, "pass names of files")),
    **dict.fromkeys(("watch", "notify", "progress", "started"), (_callable, "pass a function of one argument")),
    **dict.fromkeys(("source", "workdir", "save_tree"), (_path, "pass the name of a file or folder")),
    **dict.fromkeys(
        ("max_depth", "per_expand_limit", "max_looks", "parallel", "disk_budget_mb"),
        (_count, "pass a whole number, like 3"),
    ),
    **dict.fromkeys(("planner", "model"), _NAME),
    "temperature": (_temperature, "pass a number from 0 to 2, like 0.2"),
    "remember": _FLAG,
    "look": (_limit, "pass how many segments may be looked at, like 20; 0 for none"),
    "older_than_days": (_days, "pass days, like 30"),
    "file": (_path, "pass the name of a file"),
    "second": (_seconds, "pass seconds of the video"),
    "width": (_pixels, "pass a number of pixels, like 1280"),
    "on_lag": (_lag, "pass wait, drop or sample"),
    "on": (_workers, "pass local or ray://HOST:PORT"),
    **dict.fromkeys(("poll_s", "settle_s"), (_wait, "pass seconds, like 2")),
    **dict.fromkeys(("exec", "webhook"), _TEXT),
    "stop": (_stop, "pass a threading.Event"),
    "alert": (_alert, "pass one that keep_alert returned"),
    "alerts": (_alerts, "pass those that keep_alert returned"),
    "kind": (_kind, f"pass {', '.join(KINDS[:-1])} or {KINDS[-1]}"),
    **dict.fromkeys(("certificate", "key"), (_path, "pass the name of a file")),
    "port": (_port, "pass a port, like 8377; 0 for a free one"),
    "max_gb": (_gigabytes, "pass gigabytes, like 8"),
    "gpu_gb": (_gigabytes, "pass gigabytes, like 8"),
    "device": (_device, f"pass {', '.join(get_args(Device))}"),
    "said": _TEXT,
    "chat_messages": (_messages, 'pass a list of messages, like [{"role": "user", "content": "Where do I live?"}]'),
    "wait_s": (_wait, "pass seconds, like 60"),
    **dict.fromkeys(("every", "wait", "follow", "tls"), _FLAG),
    "search_type": (_search_type, "pass facts, episodes or both"),
    "limit": (_limit, "pass a whole number, like 10"),
    "node_id": (_id, "pass the node_id of an event, like 12"),
    "messages": (_entries, 'pass a list of turns, like [{"actor": "Anna", "content": "Good morning."}]'),
    "lines": (_entries, "pass an iterable of lines, such as an open file"),
    "clips": (
        _entries,
        'pass a list of clips, like [{"uri": "1.mp4", "t_start": 0, "t_end": 10, "video_id": "hall"}]',
    ),
    "document": (_mapping, "pass a document as export_episodes returns it"),
    "citation": (_citation, "pass one of Answer.citations"),
}
