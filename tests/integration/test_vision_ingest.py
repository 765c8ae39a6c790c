"""`amr ingest` with a vision model: from the film over the socket into the graph and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.ingest.analyse import shown_as
from amr_neo4j.localdb import Connection
from tests.support.amr_command import Amr, amr_at
from tests.support.films import pattern
from tests.support.model_server import ModelServer
from tests.support.seeing import EYES, KEY, REFINER, TO_EYES, TO_REFINER, character, event, reply

FOUND = "From her perspective the girl in a black hoodie takes the phone from left of the mug."


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path, model_server: ModelServer) -> Amr:
    """The command with the model server as its provider."""
    here = amr_at(neo4j_connection, tmp_path / "data")
    models = {"AMR_PROVIDER": model_server.url, "AMR_API_KEY": KEY}
    roles = {f"AMR_{role}__{part}": value for role, model in (("ANALYSE", EYES), ("REFINE", REFINER))
             for part, value in (("MODEL", model), ("PRICE_IN", "1"), ("PRICE_OUT", "10"))}  # fmt: skip
    others = {f"AMR_{role}__PROVIDER": "none" for role in ("TEXT", "JUDGE", "ANSWER")}
    return Amr(here.server | models | roles | others | {"TARGET_CLIP_SEC": "2"})


def test_a_film_is_analysed_summarised_and_found(amr: Amr, model_server: ModelServer, tmp_path: Path) -> None:
    """The same person keeps the id over clips and runs; committed clips are not analysed again."""
    film = pattern(tmp_path / "hall.mp4", 4)
    taken = {"actor": "C1", "verb": "pick up", "object": "phone", "spatial_relation": "from left of the mug"}
    seen = event("She takes the phone.", objects=[{"name": "phone", "spatial_description": "left of the mug"}])
    first = reply(seen | {"actions": [taken]}, people=(character("C1", "girl in a black hoodie"),))
    second = reply(event("She goes."), people=(character("C1", "hooded teenager"),))
    model_server.then(first, match={**TO_EYES, "contains": shown_as("000000000-000002000")})
    model_server.then(second, match={**TO_EYES, "contains": shown_as("000002000-000004000")})
    model_server.then({"summaries": [{"event": 1, "summary": FOUND}]}, match={**TO_REFINER, "contains": "takes"})
    model_server.then({"summaries": [{"event": 1, "summary": "She leaves."}]}, match={"contains": '"event": 1'})
    known = {"persons": [{"local_character_id": "C1", "person_id": "girl_hoodie"}]}
    model_server.then(known, match=TO_REFINER, times=None)

    report = amr.json("ingest", str(film), "--video-id", "hall")
    assert (report["committed"], report["events"], report["rejected"]) == (2, 2, 0)
    [person] = amr.items("show", "person", "girl_hoodie")
    assert (person["scope"], len(person["events"])) == ("hall", 2)
    assert amr.items("search", "who has the phone?")[0]["event"]["summary_text"] == FOUND

    asked = len(model_server.requests)
    assert amr.json("ingest", str(film), "--video-id", "hall")["unchanged"] == 2
    assert len(model_server.requests) == asked


def test_the_provider_is_announced_first_and_the_cost_limit_ends_the_run(
    amr: Amr, model_server: ModelServer, tmp_path: Path
) -> None:
    film = pattern(tmp_path / "hall.mp4", 4)
    model_server.then(reply(), match=TO_EYES, times=None, usage={"cost": 0.1})
    model_server.then({}, match=TO_REFINER, times=None, usage={"cost": 0.0})
    done = amr.here("ingest", str(film), "--max-cost", "0.3", code=75)
    said = done.stderr.splitlines()
    assert f"sending footage to {model_server.url}, model {EYES} (analyse), at most about $0." in said[1]
    assert "could exceed what calls may cost" in said[-2] and "max_cost_usd: --max-cost" in said[-1]
    assert amr.json("stats")["clips"] == 1
    refused = amr.refused("ingest", str(film), "--max-cost", "0.01", code=75)
    assert "could exceed what calls may cost" in refused


def test_the_local_analyser_sends_nothing(amr: Amr, model_server: ModelServer, tmp_path: Path) -> None:
    film = pattern(tmp_path / "hall.mp4", 2)
    assert amr.json("ingest", str(film), "--analyser", "local")["committed"] == 1
    assert not model_server.requests
    assert "analyser" in amr.refused("ingest", str(film), "--analyser", "other", code=78)
