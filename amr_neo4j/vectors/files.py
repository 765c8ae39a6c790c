"""Where the snapshots of the dense indexes are: one file for each kind of vector and model."""

from __future__ import annotations

import re
from pathlib import Path

from amr_neo4j.domain.ports import Kind


def snapshot_file(folder: Path, kind: Kind, model: str) -> Path:
    """The file of the vectors of this kind and model. folder: of one database."""
    name = re.sub(r"[^\w.-]", "_", model)
    return folder / f"{kind}-{name}.npz"


def remove_snapshots(folder: Path, kind: Kind) -> None:
    """Remove the snapshots of a kind, of all models: they are derived, and made again from the graph."""
    for file in folder.glob(f"{kind}-*.npz"):
        file.unlink(missing_ok=True)
