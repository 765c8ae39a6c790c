"""How many examples hypothesis tries of a law: few on each push, many in `scripts/test --soak`."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

SOAK = os.environ.get("AMR_HYPOTHESIS") == "soak"


def examples(*, push: int, soak: int, **others: Any) -> settings:
    """Settings of a law. A failure that was ever found stays beside the law as an @example, which both run."""
    return settings(max_examples=soak if SOAK else push, **others)
