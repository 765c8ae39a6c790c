"""The HTTP application. Each call of the API runs in a thread of a bounded pool; the event loop only moves bytes."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from inspect import Parameter, Signature
from typing import Annotated, Any

from pydantic import BaseModel, Field

from amr_neo4j import IngestReport, LiveTurn, __version__
from amr_neo4j.domain.arguments import MOST
from amr_neo4j.domain.views import GroupView
from amr_neo4j.errors import AmrError, InputError
from amr_neo4j.extras import needs
from amr_neo4j.server import service as calls
from amr_neo4j.server.jobs import Job
from amr_neo4j.server.keys import Scope
from amr_neo4j.server.problems import MEDIA_TYPE, ProblemDocument, Refused, problem_of
from amr_neo4j.server.routes import ROUTES, PageOf, Route, Whose, arguments, reply_type, request_model
from amr_neo4j.server.service import Call, Caller, Service, answered

with needs("serve"):
    from anyio import to_thread
    from fastapi import Body, FastAPI, Query, Request, Response
    from fastapi import Path as InPath
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.middleware.cors import CORSMiddleware

PREFIX = "/api/v1"
# The status of a call whose work is done later, as a job.
_ACCEPTED = 202
_HELP = f"{PREFIX}/openapi.json says what the calls take"
Types = Mapping[str, tuple[Any, Any]]
"""{argument: (type, default)}; a default of ... is required."""


class Observed(BaseModel):
    """What `observe` did with a turn. waits: the database was away a moment ago, so the turn waits on the server."""

    turn: LiveTurn
    waits: bool


def api_of(service: Service | None = None) -> FastAPI:
    """Return the calls of the API, without the gate before them. service: None for the document alone."""

    @asynccontextmanager
    async def running(_api: FastAPI) -> AsyncGenerator[None]:
        if service:
            to_thread.current_default_thread_limiter().total_tokens = service.memory.settings.serve_threads
            service.jobs.start()
        yield
        if service:
            await to_thread.run_sync(service.jobs.close)

    api = FastAPI(
        title="AMR-Neo4j",
        version=__version__,
        summary="Long-term memory for video and conversation. Every answer cites what it rests on.",
        # Their pages would load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        redirect_slashes=False,
        lifespan=running,
    )
    api.state.service = service
    for route in ROUTES:
        in_path, others = arguments(route)
        doc = (route.method.__doc__ or "").strip()
        run = _calling(route)
        _add(
            api,
            (route.verb, route.path),
            route.scope,
            run,
            in_path=in_path,
            others=others,
            doc=doc,
            reply=reply_type(route),
        )
    _add_others(api)
    _add_health(api)
    _add_errors(api)
    if service and service.memory.settings.serve_origins:
        api.add_middleware(
            CORSMiddleware,
            allow_origins=service.memory.settings.serve_origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
        )
    return api


def document() -> str:
    """Return the OpenAPI document of the API, as JSON."""
    return json.dumps(api_of().openapi(), indent=1, ensure_ascii=False) + "\n"


def _calling(route: Route) -> Callable[..., Any]:
    def run(caller: Caller, **given: Any) -> Any:
        return getattr(caller.memory, route.call)(**{route.called.get(name, name): given[name] for name in given})

    return run


def _add(
    api: FastAPI,
    at: tuple[str, str],
    scope: Scope,
    run: Callable[..., Any],
    *,
    doc: str,
    reply: Any,
    in_path: Mapping[str, Any] | None = None,
    others: Types | None = None,
) -> None:
    """Add a call. at: its verb and path. run: takes the Caller and the arguments. reply: the type of the result."""
    verb, path = at
    in_path, others = in_path or {}, others or {}
    name = re.sub(r"\W+", "_", f"{verb.lower()}{path}").strip("_")
    title = "".join(part.title() for part in name.split("_"))
    # Arguments of a POST are its body. In a query, one model has to take all parameters.
    has_body = verb == "POST" and bool(others)
    whose = Whose if has_body or not others else request_model(f"{title}Query", others, Whose)
    takes: dict[str, Any] = {"request": Request, "whose": Annotated[whose, Query()]}
    takes |= {each: Annotated[kind, InPath()] for each, kind in in_path.items()}
    if has_body:
        takes["body"] = Annotated[request_model(f"{title}Request", others), Body()]

    def handler(*, request: Request, whose: Whose, body: BaseModel | None = None, **path_values: Any) -> Response:
        given: dict[str, Any] = {**path_values}
        for model in (whose, body):
            # Only what was sent, so that the defaults are those of Memory.
            sent = model.model_fields_set - Whose.model_fields.keys() if model else ()
            given |= {field: getattr(model, field) for field in sent}
        return _answer(request, scope, whose, lambda caller: run(caller, **given))

    parameters = [Parameter(each, Parameter.KEYWORD_ONLY, annotation=kind) for each, kind in takes.items()]
    handler.__signature__ = Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    _register(api, at, handler, scope, doc, reply)


def _register(
    api: FastAPI, at: tuple[str, str], handler: Callable[..., Any], tag: str, doc: str, reply: Any = None
) -> None:
    verb, path = at
    first = " ".join(doc.split("\n\n", maxsplit=1)[0].split())
    api.add_api_route(
        path if path.startswith("/health") else PREFIX + path,
        handler,
        methods=[verb],
        response_model=reply,
        operation_id=re.sub(r"\W+", "_", f"{verb.lower()}{path}").strip("_"),
        summary=re.split(r"\.\s|\.$", first)[0],
        description=first,
        tags=[tag],
        status_code=_ACCEPTED if reply is Job and verb == "POST" and "/jobs" not in path else 200,
        responses=_RESPONSES,
    )


def _answer(request: Request, scope: Scope, whose: Whose, run: Callable[[Caller], Any]) -> Response:
    call = Call(request.state.key, request.method, request.scope["route"].path, request.url.path)
    found = answered(request.app.state.service, call, scope, (whose.group, whose.user), run)
    if request.scope["route"].status_code == _ACCEPTED:
        job: dict[str, Any] = json.loads(found)
        return Response(found, _ACCEPTED, {"Location": f"{PREFIX}/jobs/{job['id']}"}, "application/json")
    return Response(found, media_type="application/json")


def _add_others(api: FastAPI) -> None:
    """Add the calls that are more than one method of Memory."""
    session = {"session_id": str}
    turn: Types = {"text": (str, ...), "actor": (str, "user"), "at": (datetime | None, None), "turn_id": (str, "")}
    messages: Types = {"messages": (list[dict[str, Any]], ...)}
    films: Types = {
        "places": (list[str], ...),
        "video_id": (str, ""),
        "place": (str, ""),
        "recorded_at": (datetime | None, None),
        "timezone": (str, ""),
        "wearer": (str, ""),
        "retry_failed": (bool, False),
        "skip_failed": (bool, False),
    }
    talk = "/conversations/{session_id}"
    page: Types = {"limit": (Annotated[int, Field(ge=0, le=MOST)], 100), "cursor": (str, "")}
    rows: tuple[tuple[tuple[str, str], Scope, Callable[..., Any], Mapping[str, Any], Types, Any], ...] = (
        (("GET", "/groups"), "read", calls.groups, {}, {}, list[GroupView]),
        (("POST", f"{talk}/observe"), "write", calls.observe, session, turn, Observed),
        (("POST", f"{talk}/inject"), "read", calls.inject, session, messages, list[dict[str, Any]]),
        (("POST", "/ingest"), "write", calls.ingest, {}, films, Job),
        (("GET", "/jobs"), "read", calls.jobs, {}, page, PageOf[Job]),
        (("GET", "/jobs/{job_id}"), "read", calls.job, {"job_id": str}, {}, Job),
        (("POST", "/jobs/{job_id}/cancel"), "write", calls.cancel_job, {"job_id": str}, {}, Job),
        (("POST", "/jobs/{job_id}/retry"), "write", calls.retry_job, {"job_id": str}, {}, Job),
    )
    for at, scope, run, in_path, others, reply in rows:
        _add(api, at, scope, run, in_path=in_path, others=others, doc=run.__doc__ or "", reply=reply)

    def lines(
        request: Request,
        whose: Annotated[Whose, Query()],
        body: Annotated[bytes, Body(media_type="application/x-ndjson")],
    ) -> Response:
        return _answer(request, "write", whose, lambda caller: calls.ingest_lines(caller, body))

    _register(api, ("POST", "/ingest/lines"), lines, "write", calls.ingest_lines.__doc__ or "", IngestReport)


def _add_health(api: FastAPI) -> None:
    async def live() -> dict[str, str]:
        return {"status": "live"}

    def ready(request: Request) -> dict[str, str]:
        request.app.state.service.check_database()
        return {"status": "ready"}

    _register(api, ("GET", "/health/live"), live, "health", "Say that the server runs. It asks nobody.")
    _register(api, ("GET", "/health/ready"), ready, "health", "Say that the database answers; 503 if it does not.")


_STATUSES = {
    401: "The key is missing or not valid.",
    403: "The key does not allow it.",
    404: "Memory does not have it.",
    409: "It conflicts with what is there, or with what is under way.",
    413: "The body is too large.",
    422: "The input is invalid.",
    429: "Too many requests. Retry-After says when to come again.",
    503: "The database, a model or the disk is away. Retry-After says when to come again.",
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "model": ProblemDocument} for status, text in _STATUSES.items()
}


def _add_errors(api: FastAPI) -> None:
    """Answer every error with a problem document."""

    def reply(error: AmrError, request: Request) -> Response:
        problem = problem_of(error, request.url.path)
        return Response(problem.body, problem.status, dict(problem.headers), MEDIA_TYPE)

    def known(request: Request, error: Exception) -> Response:
        return reply(error if isinstance(error, AmrError) else AmrError("an internal error"), request)

    def of_http(request: Request, error: Exception) -> Response:
        status, headers = (error.status_code, error.headers) if isinstance(error, HTTPException) else (500, None)
        said = {404: "there is no such path", 405: "the path does not take this method"}
        why = said.get(status, "the request is not readable")
        return reply(Refused(status, why, hint=_HELP, headers=headers), request)

    def invalid(request: Request, error: Exception) -> Response:
        first: Mapping[str, Any] = error.errors()[0] if isinstance(error, RequestValidationError) else {}
        # The first part says whether it is in the body, the query or the path.
        where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        return reply(InputError(f"{where}: {first['msg']}", hint=_HELP), request)

    api.add_exception_handler(HTTPException, of_http)
    api.add_exception_handler(RequestValidationError, invalid)
    api.add_exception_handler(AmrError, known)
    # Anything else is a bug. The log has its traceback, and the client must not.
    api.add_exception_handler(Exception, known)
