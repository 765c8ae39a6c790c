"""The HTTP application. Each call of the API runs in a thread of a bounded pool; the event loop only moves bytes."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, partial
from inspect import Parameter, Signature
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from amr_neo4j.domain.receipt import IngestReport
from amr_neo4j.errors import AmrError, InputError
from amr_neo4j.extras import needs
from amr_neo4j.memory import Memory
from amr_neo4j.server import calls, media
from amr_neo4j.server.calls import ALL_CALLS
from amr_neo4j.server.cuts import SentOnce
from amr_neo4j.server.gate import as_uri, called, name_in_path
from amr_neo4j.server.jobs import OPEN, Job
from amr_neo4j.server.keys import Scope
from amr_neo4j.server.metrics import MEDIA_TYPE as MEDIA_TYPE_OF_METRICS
from amr_neo4j.server.metrics import Metrics
from amr_neo4j.server.problems import MEDIA_TYPE, ProblemDocument, Refused, of_files, problem_of
from amr_neo4j.server.routes import ROUTES, OfLines, Route, Whose, arguments, reply_type, request_model
from amr_neo4j.server.service import Call, Caller, Service, as_json, opened
from amr_neo4j.server.spans import span
from amr_neo4j.server.uploads import Upload
from amr_neo4j.version import __version__

with needs("serve"):
    from anyio import CapacityLimiter, to_thread
    from fastapi import Body, FastAPI, Header, Query, Request, Response
    from fastapi import Path as InPath
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import FileResponse, StreamingResponse
    from fastapi.routing import APIRoute
    from starlette.applications import Starlette
    from starlette.background import BackgroundTask
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect
    from starlette.routing import BaseRoute, Match

_log = logging.getLogger(__name__)
PREFIX = "/api/v1"
_EVENTS = "text/event-stream"
_WEIGHT = re.compile(r"q=([01](?:\.\d*)?|\.\d+)")
"""The weight of a media type in a header Accept (RFC 9110, 12.4.2)."""
# Seconds between two looks at a job that a client follows, and seconds until the stream of it ends.
_LOOK_S, _FOLLOWED_S = 0.5, 20.0
Event = tuple[str, str]
"""Its name and its data."""
# The status of a call whose work is done later, as a job.
_ACCEPTED = 202
_UPLOAD = "/uploads/{upload_id}"
# The arguments that hold what a user asks for.
_ARGUMENTS_ASKED = ("question", "query", "text")
_HELP = f"{PREFIX}/openapi.json says what the calls take"
Tools = AbstractContextManager[tuple[Memory, Callable[[int], bytes]]]
MakeTools = Callable[[Memory, Callable[[str, bool], Tools], Callable[[bool], bool]], Starlette]
_ONCE = "A call that is sent again with the same key makes nothing new, and returns what the first one made."


def _names_of_lists() -> Iterator[str]:
    """Yield the arguments in a query that are lists, or lists or None."""
    for route in ALL_CALLS:
        for name, (kind, _) in arguments(route)[1].items():
            if list in (get_origin(kind), *map(get_origin, get_args(kind))):
                yield name


_LISTS = frozenset(_names_of_lists())


def api_of(service: Service | None = None, tools: MakeTools | None = None, metrics: Metrics | None = None) -> FastAPI:
    """Return the calls of the API, without the gate before them.

    service: None if only the document is wanted.
    tools: makes what serves models at /mcp.
    metrics: counts calls.
    """
    mcp = tools(service.memory, _opened_for_tools(service), _may) if service and tools else None

    @asynccontextmanager
    async def running(api: FastAPI) -> AsyncGenerator[None]:
        if service:
            threads = service.memory.settings.serve_threads
            to_thread.current_default_thread_limiter().total_tokens = threads
            # Conversations are opened by threads of their own, so that those under way do not wait for them.
            api.state.talking, api.state.opening = CapacityLimiter(threads), CapacityLimiter(threads)
            service.start()
        async with mcp.router.lifespan_context(mcp) if mcp else nullcontext():
            yield
        if service:
            await to_thread.run_sync(service.close)

    api = FastAPI(
        title="AMR-Neo4j",
        version=__version__,
        summary="Long-term memory for video and conversation. Every answer cites what it rests on.",
        # Their pages would load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        # Its own spans and logs name users and what they ask for, and it would send them by itself.
        telemetry={"auto_configure": False, "tracing": False, "metrics": False, "logs": False},
        redirect_slashes=False,
        lifespan=running,
    )
    api.router.route_class = _CallOnce
    api.openapi = partial(_described, api.openapi)
    api.state.service, api.state.metrics = service, metrics
    if mcp:
        api.router.routes.append(_Tools(mcp))
    for route in ALL_CALLS:
        _add(api, route)
    _add_byte_calls(api)
    _add_health(api)
    _add_errors(api)
    return api


class _Body(Request):
    """A request whose JSON has no key twice: one of the two values would be dropped without a word."""

    async def json(self) -> Any:
        body = await self.body()

        def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            found = dict(pairs)
            if len(found) < len(pairs):
                twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
                # The framework answers this error as it does other errors of JSON, with status 400.
                raise json.JSONDecodeError(f"{twice[:80]} is given twice", "", 0)
            return found

        return json.loads(body, object_pairs_hook=once)


class _CallOnce(APIRoute):
    """A call whose request is a _Body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_body(request: Request) -> Response:
            return await handle(_Body(request.scope, request.receive))

        return handle_body


_MCP = "/mcp"
# The call whose tool runs. Each task has its own.
_called: ContextVar[tuple[Call, Whose]] = ContextVar("called")


class _Tools(BaseRoute):
    """The tools for models, at /mcp, whatever the method."""

    def __init__(self, mcp: Starlette) -> None:
        self._mcp = mcp

    def matches(self, scope: Any) -> tuple[Match, Any]:
        return (Match.FULL if scope["type"] == "http" and scope["path"] == _MCP else Match.NONE), {}

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope)
        if request.method != "POST":  # without sessions there is nothing to stream and nothing to end
            why = "the tools are called with POST"
            raise Refused(405, why, hint="use streamable HTTP without sessions", headers={"Allow": "POST"})
        _check_once(request)
        query = dict(request.query_params)
        _called.set((call_of(request), Whose(group=query.get("group"), user=query.get("user"))))
        await self._mcp(scope, receive, send)


def _opened_for_tools(service: Service) -> Callable[[str, bool], Tools]:
    @contextmanager
    def opened_for_tools(name: str, reads: bool) -> Generator[tuple[Memory, Callable[[int], bytes]]]:
        call, whose = _called.get()
        call = replace(call, verb="MCP", path=name)
        with opened(service, call, _scope(reads), (whose.group, whose.user)) as caller:
            yield caller.memory, lambda node_id: media.picture(caller, node_id, width=640).read_bytes()

    return opened_for_tools


def _scope(reads: bool) -> Scope:
    """Return the scope that a tool needs."""
    return "read" if reads else "write"


def _may(reads: bool) -> bool:
    """Return whether the key of the running call may use tools that only read (`reads`), or that also write."""
    return _scope(reads) in _called.get()[0].key.scopes


def _described(describe: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the document with the type of problem documents, and without bodies of replies to HEAD."""
    described = describe()
    types = described["components"]["schemas"] | {ProblemDocument.__name__: ProblemDocument.model_json_schema()}
    described["components"]["schemas"] = dict(sorted(types.items()))
    for calls_at in described["paths"].values():
        for reply in calls_at.get("head", {"responses": {}})["responses"].values():
            reply.pop("content", None)
    return described


@cache
def document() -> str:
    """Return the OpenAPI document of the API, as JSON."""
    return json.dumps(api_of().openapi(), indent=1, ensure_ascii=False) + "\n"


def _add(api: FastAPI, route: Route) -> None:
    """Add a call, whose arguments are in its path and in its body or query."""
    in_path, others = arguments(route)
    title = "".join(part.title() for part in _operation(route.verb, route.path).split("_"))
    # Arguments of a POST are its body. In a query, one model has to take all parameters.
    has_body = route.verb == "POST" and bool(others)
    whose = Whose if has_body or not others else request_model(f"{title}Query", others, Whose)
    takes: dict[str, Any] = {"request": Request, "whose": Annotated[whose, Query()]}
    takes |= {each: Annotated[kind, InPath()] for each, kind in in_path.items()}
    if "idempotency_key" in inspect.signature(route.method).parameters:
        takes["idempotency_key"] = Annotated[str | None, Header(max_length=200, description=_ONCE)]
    may_be_left_out = {"idempotency_key"}
    if has_body:
        takes["body"] = Annotated[request_model(f"{title}Request", others), Body()]
        if all(default is not ... for _, default in others.values()):
            may_be_left_out.add("body")

    run = partial(_call, route, route in ROUTES)

    def handler(*, request: Request, whose: Whose, body: BaseModel | None = None, **path_values: Any) -> Response:
        given = _sent(whose, body, path_values)
        asked = next((given[name] for name in _ARGUMENTS_ASKED if isinstance(given.get(name), str)), "")
        if route.streams and _wants_events(request.headers.get("accept", "")):
            return _Events(
                request,
                lambda tell: _answer(
                    request, route.scope, whose, lambda caller: run(caller, notify=tell, **given), asked=asked
                ),
            )

        def answer() -> Response:
            how = {"is_dry": given.get("dry_run") is True, "needs_one": route.needs_one}
            return _answer(request, route.scope, whose, lambda caller: run(caller, **given), asked=asked, **how)

        def again() -> Response:
            service = request.app.state.service
            if not service.keys.is_valid(request.state.key.id, service.now()):
                raise Refused(401, "the key is no longer valid")
            return answer()

        if route.follows and _wants_events(request.headers.get("accept", "")):
            return _changes(answer(), again)
        return answer()

    async def talk(*, request: Request, whose: Whose, **given: Any) -> Response:
        state, asked = request.app.state, name_in_path(given["session_id"])
        is_held = state.service.holds(request.state.key, (whose.group, whose.user), asked)
        work = partial(handler, request=request, whose=whose, **given)
        return await to_thread.run_sync(work, limiter=state.talking if is_held else state.opening)

    called = talk if route.talks else handler
    called.__signature__ = _signature(takes, may_be_left_out)  # pyright: ignore[reportFunctionMemberAccess]
    reply = route.media_type or reply_type(route)
    _register(api, (route.verb, route.path), called, route.scope, route.method.__doc__ or "", reply)


def _call(route: Route, of_memory: bool, caller: Caller, /, **given: Any) -> Any:
    """Call what a route names: a method of Memory (`of_memory`) or a function of the server."""
    if given.get("scrub") and not given.get("dry_run") and "admin" not in caller.key.scopes:
        hint = "it makes the indexes of all groups anew, which wait for it: amr keys create --scope forget,admin"
        raise Refused(403, "the key may not scrub", hint=hint)
    given = {route.called.get(name, name): value for name, value in given.items()}
    if of_memory:  # by its name, since one of them is a static method
        return getattr(caller.memory, route.method.__name__)(**given)
    return route.method(caller, **given)


def _sent(whose: Whose, body: BaseModel | None, path_values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that a request states, in its path, its query and its body."""
    given: dict[str, Any] = {
        name: name_in_path(value) if isinstance(value, str) else value
        for name, value in path_values.items()
        if value is not None
    }
    for model in (whose, body):
        # Only what was sent, so that the defaults are those of Memory.
        sent = model.model_fields_set - Whose.model_fields.keys() if model else ()
        given |= {field: getattr(model, field) for field in sent}
    return given


def _signature(takes: dict[str, Any], may_be_left_out: Set[str]) -> Signature:
    """Return a signature of keyword arguments, from which FastAPI reads what a call takes."""
    return Signature(
        [
            Parameter(
                each,
                Parameter.KEYWORD_ONLY,
                annotation=kind,
                default=None if each in may_be_left_out else Parameter.empty,
            )
            for each, kind in takes.items()
        ]
    )


def _wants_events(accept: str) -> bool:
    """Return whether a header Accept names server-sent events (not by a wildcard) and does not prefer JSON."""
    weights = dict[str, float]()
    for each in accept.lower().split(","):
        kind, *parameters = (part.strip() for part in each.split(";"))
        found = [weight for part in parameters if (weight := _WEIGHT.fullmatch(part))]
        weights[kind] = float(found[0][1]) if found else 1.0
    return weights.get(_EVENTS, 0.0) > 0 and weights[_EVENTS] >= weights.get("application/json", 0.0)


def _operation(verb: str, path: str) -> str:
    return re.sub(r"\W+", "_", f"{verb.lower()}{path}").strip("_")


def _register(
    api: FastAPI, at: tuple[str, str], handler: Callable[..., Any], tag: str, doc: str, reply: Any = None
) -> None:
    verb, path = at
    first = " ".join(doc.split("\n\n", maxsplit=1)[0].split())
    at_root = path if path.startswith(("/health", "/metrics")) else PREFIX + path
    if verb == "GET" and path != _UPLOAD:  # as HTTP says; players ask for the length first. An upload has its own
        api.add_api_route(at_root, handler, methods=["HEAD"], response_model=None, include_in_schema=False)
    api.add_api_route(
        at_root,
        handler,
        methods=[verb],
        response_model=None if isinstance(reply, str) else reply,
        operation_id=_operation(verb, path),
        summary=re.split(r"\.\s|\.$", first)[0],
        description=first,
        tags=[tag],
        status_code=_ACCEPTED if reply is Job and verb == "POST" and "/jobs" not in path else 200,
        responses=_RESPONSES | (_file_responses(reply) if isinstance(reply, str) else {}),
    )


def _answer(
    request: Request, scope: Scope, whose: Whose, run: Callable[[Caller], Any], *, asked: str = "", **how: bool
) -> Response:
    """Return the reply of a call.

    asked: its question or query, for its span.
    how: see Call.
    """
    _check_once(request)
    call = replace(call_of(request), **how)
    with (
        span(call.verb, call.path, scope, asked),
        opened(request.app.state.service, call, scope, (whose.group, whose.user)) as caller,
    ):
        found: Any = run(caller)
    if (trace := getattr(found, "trace", None)) and (metrics := request.app.state.metrics):
        metrics.answered(trace.stages)
    if isinstance(found, SentOnce):
        delete = BackgroundTask(found.path.unlink, missing_ok=True)
        packed = "application/gzip" if found.path.suffix == ".gz" else None
        return FileResponse(found.path, media_type=packed, headers={"Cache-Control": "no-store"}, background=delete)
    if isinstance(found, Path):
        # Private: a shared cache must not store what one key may see.
        headers = {"Cache-Control": "private, max-age=60"}
        file = FileResponse(found, headers=headers, stat_result=found.stat())
        if _has_it(request.headers.get("if-none-match", ""), file.headers["etag"]):
            return Response(status_code=304, headers=headers | {"ETag": file.headers["etag"]})
        _check_range(request, file.headers, found.stat().st_size)
        return file
    if request.scope["route"].status_code == _ACCEPTED:
        return Response(as_json(found), _ACCEPTED, {"Location": f"{PREFIX}/jobs/{found.id}"}, "application/json")
    return Response(as_json(found), media_type="application/json")


def _has_it(tags: str, tag: str) -> bool:
    """Return whether a client has the version of this tag already. tags: its header If-None-Match."""
    return tags.strip() == "*" or tag in (each.strip().removeprefix("W/") for each in tags.split(","))


def _check_range(request: Request, file: Mapping[str, str], size: int) -> None:
    """Drop a header Range that is none, so that the whole file is sent, and the parts that the file lacks.

    Raises Refused: the file has none of the parts.
    file: the headers of the reply.
    """
    headers, asked = request.scope["headers"], request.headers.get("range")
    if asked is None or request.headers.get("if-range", file["etag"]) not in (file["etag"], file["last-modified"]):
        return
    parts = media.present_parts(asked, size)
    if parts == []:
        hint, there = "ask with HEAD how long it is", {"Content-Range": f"bytes */{size}"}
        raise Refused(416, f"the file has {size} bytes", hint=hint, headers=there)
    # Written anew, because the framework refuses all parts if the file lacks one of them.
    header = [(b"range", b"bytes=" + b",".join(b"%d-%d" % part for part in parts))] if parts else []
    request.scope["headers"] = [each for each in headers if each[0].lower() != b"range"] + header


def _check_once(request: Request) -> None:
    """Refuse an argument that comes twice, unless it is a list: one of the two would be dropped without a word."""
    names = Counter(name for name, _ in request.query_params.multi_items())
    if twice := next((name for name, times in names.items() if times > 1 and name not in _LISTS), None):
        raise InputError(f"{twice}: given twice", hint=_HELP)


def call_of(request: Request) -> Call:
    """Return the call of a request that passed the gate."""
    route, path = request.scope.get("route"), called(request.scope)
    return Call(request.state.key, request.method, route.path if route else path, path)


class _Events(Response):
    """Server-sent events: `claim` for each as it comes, then `result` with the same JSON as without events.

    An error before the first event is answered as any other; one after it is an event `error` with its document.
    """

    def __init__(self, request: Request, work: Callable[[Callable[[str], None]], Response]) -> None:
        super().__init__()
        self._request, self._work = request, work

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        queue, loop = asyncio.Queue[Event | None](), asyncio.get_running_loop()

        def tell(name: str, data: str) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, (name, data))

        def work() -> None:
            try:
                tell("result", bytes(self._work(lambda claim: tell("claim", json.dumps(claim))).body).decode())
            except AmrError as error:
                tell("error", problem_of(error, as_uri(self._request.scope)).body.decode())
            except Exception as failure:  # noqa: BLE001 - a bug; the client must be told that nothing more comes
                error: AmrError | None = of_files(failure)
                if error is None:
                    _log.exception("a call with events failed")
                    error = AmrError("an internal error")
                tell("error", problem_of(error, as_uri(self._request.scope)).body.decode())

        running = asyncio.ensure_future(to_thread.run_sync(work))
        running.add_done_callback(lambda _: queue.put_nowait(None))
        first = await queue.get()
        if first and first[0] == "error":
            status = json.loads(first[1])["status"]
            await Response(first[1], status, media_type=MEDIA_TYPE)(scope, receive, send)
            return

        async def lines() -> AsyncGenerator[str]:
            event = first
            while event:
                yield f"event: {event[0]}\ndata: {event[1]}\n\n"
                event = await queue.get()

        headers = {"Cache-Control": "no-store"}
        await StreamingResponse(lines(), media_type=_EVENTS, headers=headers)(scope, receive, send)


def _changes(first: Response, again: Callable[[], Response]) -> Response:
    """Return a job as server-sent events: `job` at first and after each change, until it has ended.

    The events end after some seconds in any case, so that a server that stops does not wait. A client then asks
    again, as browsers do by themselves.

    again: raises AmrError where there is no more to show.
    """

    async def lines() -> AsyncGenerator[str]:
        shown, until = bytes(first.body), monotonic() + _FOLLOWED_S
        yield f"event: job\ndata: {shown.decode()}\n\n"
        while json.loads(shown)["state"] in OPEN and monotonic() < until:
            await asyncio.sleep(_LOOK_S)
            try:
                found = bytes((await to_thread.run_sync(again)).body)
            except AmrError:  # the job was removed, or the key revoked; asking again tells the error
                return
            if found != shown:
                shown = found
                yield f"event: job\ndata: {shown.decode()}\n\n"

    return StreamingResponse(lines(), media_type=_EVENTS, headers={"Cache-Control": "no-store"})


def _add_byte_calls(api: FastAPI) -> None:
    """Add the calls whose bodies are bytes: lines of analyses, and parts of films."""

    def lines(
        request: Request,
        whose: Annotated[OfLines, Query()],
        body: Annotated[bytes, Body(media_type="application/x-ndjson")],
    ) -> Response:
        return _answer(request, "write", whose, lambda caller: calls.ingest_lines(caller, body, found=whose.found))

    _register(api, ("POST", "/ingest/lines"), lines, "write", calls.ingest_lines.__doc__ or "", IngestReport)

    def offset(request: Request, upload_id: str, whose: Annotated[Whose, Query()]) -> Response:
        found = _answer(request, "write", whose, lambda caller: calls.upload(caller, upload_id))
        upload = json.loads(bytes(found.body))
        numbers = {"Upload-Offset": str(upload["offset"]), "Upload-Length": str(upload["size"])}
        return Response(headers={**numbers, "Cache-Control": "no-store"})

    async def send(
        request: Request,
        upload_id: str,
        whose: Annotated[Whose, Query()],
        upload_offset: Annotated[int, Header(ge=0)],
    ) -> Response:
        owners: list[tuple[str, str]] = []

        def check(caller: Caller) -> None:
            owners.append(caller.owner)

        await to_thread.run_sync(_answer, request, "write", whose, check)
        uploads = request.app.state.service.uploads
        try:
            upload = await uploads.append(owners[0], upload_id, upload_offset, request.stream())
        except ClientDisconnect as error:
            raise Refused(408, "the bytes stopped", hint="ask with HEAD where to go on") from error
        return Response(as_json(upload), media_type="application/json")

    _register(
        api, ("HEAD", _UPLOAD), offset, "write", "Say in the header Upload-Offset how many bytes of it are there."
    )
    _register(
        api, ("PATCH", _UPLOAD), send, "write", "Add bytes at the offset that the header Upload-Offset says.", Upload
    )


def _add_health(api: FastAPI) -> None:
    async def live() -> dict[str, str]:
        return {"status": "live"}

    def ready(request: Request) -> dict[str, str]:
        request.app.state.service.check_database()
        return {"status": "ready"}

    def metrics(request: Request) -> Response:
        if "admin" not in request.state.key.scopes:
            raise Refused(403, "this key does not allow it", hint="use a key with the scope admin")
        return Response(request.app.state.metrics.text(), media_type=MEDIA_TYPE_OF_METRICS)

    _register(api, ("GET", "/metrics"), metrics, "health", "Return counters for Prometheus.", "text/plain")
    _register(api, ("GET", "/health/live"), live, "health", "Say that the server runs. It asks nobody.")
    _register(api, ("GET", "/health/ready"), ready, "health", "Say that the database answers; 503 if it does not.")


_STATUSES = {
    400: "The body is no JSON.",
    401: "The key is missing or not valid.",
    403: "The key does not allow it.",
    404: "Memory does not have it.",
    408: "The body did not arrive in time.",
    409: "It conflicts with what is there, with what is under way, or with the settings of the server.",
    413: "The body is too large.",
    415: "ffprobe cannot read it, or the body is packed or of another type.",
    421: "The server has another name.",
    422: "The input is invalid.",
    429: "Too many requests. Retry-After says when to come again.",
    503: "The database, a model or the disk is away. Retry-After says when to come again.",
}
# By name: from a class, the framework would make a type for each status of each call, most of the work of a start.
_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{ProblemDocument.__name__}"}}}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": _PROBLEM} for status, text in _STATUSES.items()
}


def _file_responses(media_type: str) -> dict[int | str, dict[str, Any]]:
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    part = {"description": "The part that the header Range asks for.", "content": content}
    return {
        200: {"description": "The file.", "content": content},
        206: part,
        304: {"description": "The client has it: the header If-None-Match names its ETag."},
        416: {"description": "No such part.", "content": _PROBLEM},
    }


def _first_of(errors: Sequence[Any]) -> str:
    """Return the place of the first error and its message."""
    first = errors[0]
    *place, last = first["loc"]
    # A value that may have several types has an error for each: the name of the type ends its place.
    same = [each for each in errors if [*each["loc"][:-1]] == place]
    types = [each for each in same if each["type"].startswith(str(each["loc"][-1]))]
    if first in types:
        said = ", or: ".join(dict.fromkeys(each["msg"] for each in types))
    else:
        place, said = [*place, last], first["msg"]
    # The first part says whether it is in the body, the query or the path.
    return f"{'.'.join(str(part) for part in place[1:]) or place[0]}: {said}"


def _add_errors(api: FastAPI) -> None:
    """Answer every error with a problem document."""

    def reply(error: AmrError, request: Request) -> Response:
        problem = problem_of(error, as_uri(request.scope))
        return Response(problem.body, problem.status, dict(problem.headers), MEDIA_TYPE)

    def known(request: Request, error: Exception) -> Response:
        return reply(error if isinstance(error, AmrError) else AmrError("an internal error"), request)

    def of_http(request: Request, error: Exception) -> Response:
        status, headers = (error.status_code, error.headers) if isinstance(error, HTTPException) else (500, None)
        if status == 405:  # the framework names the methods of one route alone
            fit = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
            headers = {"Allow": ", ".join(sorted({verb for route in fit for verb in getattr(route, "methods", ())}))}
        said = {404: "there is no such path", 405: "the path does not take this method"}
        why = said.get(status, "the request is not readable")
        return reply(Refused(status, why, hint=_HELP, headers=headers), request)

    def invalid(request: Request, error: Exception) -> Response:
        errors: Sequence[Any] = error.errors() if isinstance(error, RequestValidationError) else [{}]
        first: Mapping[str, Any] = errors[0]
        if first.get("type") == "json_invalid":
            return reply(Refused(400, f"the body is no JSON: {first['ctx']['error']}", hint=_HELP), request)
        kind = request.headers.get("content-type", "")
        if first["loc"] == ("body",) and first["type"] != "missing" and "json" not in kind:
            hint = "send the header Content-Type: application/json"
            return reply(Refused(415, f"the body is {kind[:80] or 'of no type'}, not JSON", hint=hint), request)
        return reply(InputError(_first_of(errors), hint=_HELP), request)

    api.add_exception_handler(HTTPException, of_http)
    api.add_exception_handler(RequestValidationError, invalid)

    def of_disk(request: Request, error: Exception) -> Response:
        if told := of_files(error):
            return reply(told, request)
        raise error

    api.add_exception_handler(AmrError, known)
    api.add_exception_handler(OSError, of_disk)
    # Anything else is a bug. The log has its traceback, and the client must not.
    api.add_exception_handler(Exception, known)
