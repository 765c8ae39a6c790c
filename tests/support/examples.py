"""The number of hypothesis examples per property: few on each push, many in `scripts/test --soak`."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

SOAK = os.environ.get("AMR_HYPOTHESIS") == "soak"


def examples(*, push: int, soak: int, **others: Any) -> settings:
    """Settings of a property test. A failure once found is kept as an @example, which both profiles run."""
    return settings(max_examples=soak if SOAK else push, **others)
