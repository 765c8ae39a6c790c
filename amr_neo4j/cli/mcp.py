"""amr mcp: memory as tools for a model, over the Model Context Protocol."""

from __future__ import annotations

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.chat import User
from amr_neo4j.cli.options import options

app = App()


@app.command(
    short_help="Serve memory to a model over MCP.",
    epilog="""\b
Examples:
  amr mcp --user anna
  AMR_USER=anna amr mcp""",
)
def mcp(ctx: typer.Context, user: User = "") -> None:
    """Serve the tools search_memory, ask_memory, remember and lifecycle over stdin and stdout, until stdin ends.

    Needs: pip install "amr-neo4j\\[mcp]". A client starts this command; lines for people go to stderr.
    """
    from amr_neo4j.integrations.mcp_server import mcp_server

    with options(ctx).open(**({"user": user} if user else {})) as memory:
        mcp_server(memory).run()
