"""amr mcp: memory as tools for a model, over the Model Context Protocol."""

from __future__ import annotations

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.chat import User
from amr_neo4j.cli.options import options

app = App()


@app.command()
def mcp(ctx: typer.Context, user: User = "") -> None:
    """Serve memory to a model over the Model Context Protocol.

    Over stdin and stdout, until stdin ends: the client starts this command. Tools: search_memory, ask_memory,
    remember and lifecycle. Messages for people go to stderr. It needs the extra mcp.

    Examples:
      amr mcp --user anna
      AMR_USER=anna amr mcp
    """
    from amr_neo4j.integrations.mcp_server import mcp_server

    with options(ctx).open(**({"user": user} if user else {})) as memory:
        mcp_server(memory).run()
