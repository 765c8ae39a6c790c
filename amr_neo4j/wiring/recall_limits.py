"""The limits and weights of recall that the settings name."""

from __future__ import annotations

from pathlib import Path

from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.files import read_regular
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.weights import CHANNELS, FUSION
from amr_neo4j.settings import Settings
from amr_neo4j.tables import AnyTable, user_copy

_LARGEST = 2**20  # bytes of a table


def recall_limits(settings: Settings) -> RecallLimits:
    """How far recall goes. Raises ConfigError: a table of the user's own cannot be read."""
    return RecallLimits(
        sparse=settings.anchors_sparse,
        dense=settings.anchors_dense,
        anchors=settings.anchors,
        width=settings.beam_width,
        hops=settings.max_hops,
        visited=settings.max_visited,
        convergence=settings.convergence,
        group_gap=settings.group_gap_sec,
        group_span=settings.group_span_sec,
        groups=settings.groups,
        judged=settings.judged_groups,
        fusion=settings.fusion,
        channels=_table(settings.channels_file, CHANNELS),
        fusions=_table(settings.fusion_file, FUSION),
    )


def _table(file: Path | None, ours: AnyTable) -> AnyTable:
    """The user's own copy of a table, where the settings name one."""
    if file is None:
        return ours
    try:
        return user_copy(read_regular(file, at_most=_LARGEST).decode(), ours)
    except InputError as error:
        raise ConfigError(error.message, hint=error.hint) from error
    except ValueError as error:
        hint = "begin with a copy of amr_neo4j/recall/rank/channels.yaml or fusion.yaml, whole"
        raise ConfigError(f"{file}: {error}", hint=hint) from error
