"""How much of the store's files the local database may keep in memory."""

from __future__ import annotations

import os

# Of the machine's memory: the rest is for the heap, the program and other things.
_SHARE = 4
_LEAST_MB = 512


def page_cache_mb() -> int:
    """Returns a quarter of this machine's memory in MB, at least 512.

    Neo4j takes it page by page as the store is read, so a small database never holds that much.
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError):  # a system that does not tell
        return _LEAST_MB
    return max(_LEAST_MB, (memory >> 20) // _SHARE)
