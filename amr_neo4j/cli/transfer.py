"""amr export, amr import: a group or a user in one file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, note, say
from amr_neo4j.cli.typer_app import App

if TYPE_CHECKING:
    from collections.abc import Mapping

    from amr_neo4j import Exported, Imported

app = App()

File = Annotated[str, typer.Argument(metavar="FILE", help="The file; - for standard input or output.")]
# What a summary counts, by the labels of the graph model.
_NOUNS = {"Video": "video", "Clip": "clip", "Event": "event", "Episode": "turn", "Fact": "fact", "Person": "person"}


@app.command(short_help="Write all that a group or a user holds to a file.")
def export(
    ctx: typer.Context,
    file: File,
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Only this user's conversations and facts.")
    ] = "",
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Also the embeddings, so that the import need not compute them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write all that the group holds, or one user of it, to a file: amr import takes it in elsewhere.

    Videos with their events, people, conversations, mentions, and facts with their history; not the films themselves.
    JSON lines with a checksum at the end, packed by gzip if FILE ends in .gz. The file is not encrypted, and a later
    amr forget does not reach it.

    Examples:
      amr export home.jsonl.gz
      amr export anna.jsonl --user anna
      amr --group demo export - --vectors > demo.jsonl
    """
    with options(ctx).open() as memory:
        written = memory.export(sys.stdout.buffer if file == "-" else file, user_id=user, vectors=vectors)
    if written.waiting:
        note(f"{count(written.waiting, 'turn')} of conversations still wait on this machine and are not in the file")
    if file == "-":
        note(_exported(written))
    else:
        give(written, as_json, lambda _: say(f"{file}: {_exported(written)}"))


@app.command("import", short_help="Take in a file that amr export wrote.")
def import_(
    ctx: typer.Context,
    file: File,
    into: Annotated[
        str, typer.Option("--into", metavar="NAME", help="Import into this group, whatever group was exported.")
    ] = "",
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Whose memory the export of a user becomes.")
    ] = "",
    reembed: Annotated[
        bool, typer.Option("--reembed", help="Embed everything anew, with another embedder than the export's.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take in a file that amr export wrote, into a group that is empty, or for a user whom the group does not know.

    The checksum is verified first. If the import is interrupted, the same command completes it; repeated, it changes
    nothing. Conversations of other formats are taken in by amr chat import.

    Examples:
      amr --group home import home.jsonl.gz
      amr import home.jsonl.gz --into home-copy
      amr import anna.jsonl --user anna2
    """
    from amr_neo4j.cli.progress import doing

    given = options(ctx)
    given.group = into or given.group
    with doing("importing"), given.open() as memory:
        source = sys.stdin.buffer if file == "-" else file
        taken = memory.import_export(source, user_id=user, any_group=bool(into), reembed=reembed)
    if taken.left_out:
        note(f"{count(taken.left_out, 'relationship')} to what neither the export nor the group has left out")
    give(taken, as_json, lambda _: say(_imported(taken)))


def _exported(written: Exported) -> str:
    return f"{_held(written.counts)}; sha256 {written.sha256}"


def _imported(taken: Imported) -> str:
    if taken.unchanged:
        return f"imported before: {_held(taken.counts)}; nothing changed"
    return f"{_held(taken.counts)} imported into group {taken.group_id}; {count(taken.embedded, 'text')} embedded"


def _held(counts: Mapping[str, int]) -> str:
    return ", ".join(count(counts[label], noun) for label, noun in _NOUNS.items() if label in counts)
