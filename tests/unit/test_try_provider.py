"""scripts/try-provider, as far as it sends nothing."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from amr_neo4j.models.opener import ROLES


def estimate(tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AMR_", "OPENROUTER"))}
    env = clean | {"AMR_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)} | variables
    command = ["scripts/try-provider", "--estimate"]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def test_a_trial_of_the_default_models_is_expected_to_cost_less_than_ten_cents(tmp_path: Path) -> None:
    settings = {"AMR_PROVIDER": "openrouter", "OPENROUTER_API_KEY": "none", "AMR_EMBEDDER": "api"}
    said = estimate(tmp_path, **settings).stdout
    assert all(re.search(rf"^  {role} .* about \$0\.\d+$", said, re.MULTILINE) for role in ROLES), said
    total = re.search(
        r"^About \$(\d\.\d+) in all. It ends before it could cost more than \$0.10.$", said, re.MULTILINE
    )
    assert total
    assert 0.01 < float(total[1]) < 0.1


def test_without_a_provider_there_is_nothing_to_try(tmp_path: Path) -> None:
    ended = estimate(tmp_path)
    assert ended.returncode == 1
    assert "no role has a provider" in ended.stderr
