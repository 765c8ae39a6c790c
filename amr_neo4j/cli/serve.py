"""amr serve, amr sidecar and amr mcp: what runs until it is stopped."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from amr_neo4j.cli.options import OfUser, chosen, options
from amr_neo4j.cli.printing import note
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import ModelMissing

app = App()

SERVE_PORT = 8378
sidecar_app = App(name="sidecar", no_args_is_help=True, help="Serve the vector indexes from a process of its own.")

Host = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")]
Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0: any that is free.")
]
Certificate = Annotated[
    Path | None,
    typer.Option("--certificate", metavar="FILE", help="Certificate for https; required for other machines."),
]
CertificateKey = Annotated[Path | None, typer.Option("--key", metavar="FILE", help="The certificate's private key.")]


@app.command()
def mcp(
    ctx: typer.Context,
    user: OfUser = "",
    read_only: Annotated[bool, typer.Option("--read-only", help="Without the tools that change memory.")] = False,
) -> None:
    """Serve memory to a model over the Model Context Protocol.

    Over stdin and stdout, until stdin ends: the client starts this command. The tools search, ask, list, remember
    and correct; docs/mcp.md lists them. Messages for people go to stderr. It needs the extra mcp.

    Examples:
      amr mcp --user anna
      AMR_USER=anna amr mcp
    """
    from amr_neo4j.integrations.mcp_server import mcp_server

    # An empty --user must not override the user of the settings.
    with options(ctx).open(**({"user": user} if user else {})) as memory:
        mcp_server(memory, read_only=read_only).run()


@app.command("serve")
def serve_memory(
    ctx: typer.Context,
    host: Host = "127.0.0.1",
    port: Port = SERVE_PORT,
    certificate: Certificate = None,
    key: CertificateKey = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A reverse proxy does TLS and calls this address.")
    ] = False,
    log_format: Annotated[
        Literal["text", "json"],
        typer.Option("--log-format", help="json: one JSON object a line on stderr, also for each request."),
    ] = "text",
    openapi: Annotated[bool, typer.Option("--openapi", help="Print the OpenAPI document, and end.")] = False,
) -> None:
    """Serve memory to programs over HTTP, until Ctrl-C.

    On this machine alone by default. Each call needs a key: amr keys create makes one, and a key of this machine's
    user is in server.key of the data directory. It needs the extra serve.

    Examples:
      amr serve
      amr serve --host 0.0.0.0 --certificate server.pem --key server.key
    """
    from amr_neo4j.server import app as of_server
    from amr_neo4j.server import run

    if openapi:
        print(of_server.document(), end="")
        return
    from amr_neo4j.server.logs import log_as_json, log_faults

    if log_format == "json":
        options(ctx).tell = log_as_json(verbose=options(ctx).verbose)
    elif not options(ctx).verbose:
        log_faults()
    tools = None
    with suppress(ModelMissing):  # the extra mcp, without which there is no /mcp
        from amr_neo4j.integrations.mcp_server import mcp_over_http as tools
    with options(ctx).open() as memory:
        run.serve(
            memory,
            host,
            port,
            certificate=certificate,
            key=key,
            behind_proxy=behind_proxy,
            tools=tools,
            started=options(ctx).tell,
        )


@sidecar_app.callback()
def sidecar() -> None:
    """Serve the vector indexes from a process of its own."""


@sidecar_app.command()
def serve(
    ctx: typer.Context,
    host: Host = "127.0.0.1",
    port: Port = 8377,
    certificate: Certificate = None,
    key: CertificateKey = None,
    tls: Annotated[
        bool, typer.Option("--tls/--no-tls", help="--no-tls: without a certificate, in a network of containers.")
    ] = True,
    max_gb: Annotated[
        float | None,
        typer.Option(
            "--max-gb", metavar="N", min=0.1, help="Stop reading vectors when the process has this much memory."
        ),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            "--device", metavar="WHERE", help="Search large indexes on cpu, gpu, or auto: a GPU if FAISS has one."
        ),
    ] = "auto",
    gpu_gb: Annotated[
        float, typer.Option("--gpu-gb", metavar="N", min=0.001, help="Memory of the GPU that an index may fill.")
    ] = 8.0,
) -> None:
    """Serve the vector indexes of this database, until Ctrl-C.

    Programs use it with the setting dense: sidecar. Clients on this machine read the token from the data directory;
    elsewhere set AMR_SIDECAR_TOKEN.

    Examples:
      amr sidecar serve
      amr sidecar serve --device gpu --gpu-gb 16
      amr sidecar serve --host 0.0.0.0 --certificate sidecar.pem --key sidecar.key --max-gb 8
    """
    with options(ctx).open() as memory:
        how = chosen(ctx, "certificate", "key", "tls", "max_gb", "device", "gpu_gb")
        memory.serve_vectors(host, port, **how, started=lambda where: note(f"the sidecar listens on {where}"))
