"""The nightly run on a real Neo4j: what it changes, once, whatever interrupts it, and how it is undone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amr_neo4j import Memory
from amr_neo4j.app.nightly import Consolidation
from amr_neo4j.domain.fact import Fact, fact_id
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.errors import NotInMemory, StoreError
from amr_neo4j.localdb import Connection
from amr_neo4j.store.write.fact_upkeep import FactRun, FactUpkeep
from amr_neo4j.wiring.openers import open_models
from tests.support.chatting import rows, talking
from tests.support.model_server import ModelServer

NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
NIGHT = NINE.replace(hour=23)
SAME = {"films": "movies", "film": "movies", "automobiles": "cars", "bike": "bicycle"}


class WordEmbedder(Embedder):
    """The sum of a direction per word; some words are synonyms, and empty words count nothing."""

    model, dim, unrelated, alike = "words", 64, 0.5, 0.85

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().replace(".", " ").replace("?", " ").split():
                direction = np.random.default_rng(list(SAME.get(word, word).encode())).normal(size=self.dim)
                rows[row] += direction * (0.3 if word in {"you", "i", "the", "a", "like", "love", "really"} else 1.0)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path, embedder=WordEmbedder()) as memory:
        yield memory


def say(memory: Memory, *texts: str, day: int = 0, session: str = "") -> None:
    start = NINE + timedelta(days=day)
    turns = [{"content": t, "actor": "user", "at": start + timedelta(minutes=n)} for n, t in enumerate(texts)]
    report = memory.remember(turns, user_id="anna", session_id=session or f"day {day}")
    assert report.committed == len(texts)


def night(memory: Memory, day: int = 0) -> dict[str, int]:
    report = memory.consolidate(user_id="anna", at=NIGHT + timedelta(days=day))
    assert report.status == "completed", report
    return dict(report.counts)


def facts(memory: Memory, **wanted: bool) -> dict[str, Fact]:
    return {fact.text: fact for fact in memory.facts(user_id="anna", **wanted)}


def test_reads_turns_whose_facts_nothing_has_read(memory: Memory) -> None:
    say(memory, "I live in Porto.", "Nice weather today.", "I love tea.")
    assert night(memory)["facts read"] == 2
    assert set(facts(memory)) == {"You live in Porto", "You like tea"}
    assert "facts read" not in night(memory, 1)


def test_a_second_run_on_one_day_changes_nothing(memory: Memory) -> None:
    say(memory, "I live in Porto.", "I like movies.", "I like films.", "I like tea.", "I hate tea.")
    assert night(memory, 3)["merged"] == 1
    before = memory.digest()
    assert night(memory, 3) == {}
    assert memory.digest() == before


def test_merged_facts_keep_their_turns_and_their_pointer(memory: Memory) -> None:
    say(memory, "I like movies.", "I love films.", "I like movies.")
    assert night(memory)["merged"] == 1
    [winner] = memory.facts(user_id="anna")
    assert (winner.evidence_count, len(winner.episode_ids)) == (3, 3)
    everything = memory.facts(user_id="anna", history=True)
    assert sorted(fact.status for fact in everything) == ["active", "merged_into"]
    said = rows(memory, "MATCH (f:Fact {group_id: $group_id}) RETURN [f.status = 'active', f.said]")
    assert max(said) == [True, max(at for _, at in said)], "as old as what was said last of them"


def test_the_newer_of_two_opposite_facts_stands(memory: Memory) -> None:
    say(memory, "I love tea.")
    say(memory, "I hate tea.", day=30)
    night(memory, 30)
    assert set(facts(memory)) == {"You don't like tea"}


def test_the_newer_of_two_opposite_facts_stands_within_a_conversation(memory: Memory) -> None:
    say(memory, "I love tea.", "I hate tea.", "I live in Porto.")
    night(memory)
    assert set(facts(memory)) == {"You live in Porto", "You don't like tea"}
    assert "contradictions" not in night(memory, 1)


def test_both_sides_of_a_contradiction_are_shown_until_somebody_decides(memory: Memory) -> None:
    """It is found in the night that brings it. Then hints, answers and searches show both, the newest first."""
    say(memory, "I am married.", "I am single.", "I like tea.")
    assert night(memory)["contradictions"] == 1
    both = ["You are single", "You are married"]
    chat = memory.chat(user_id="anna", session_id="live")
    assert [hint.text for hint in chat.observe("Am I married?").hints] == both
    answer = memory.ask("Am I married?", user_id="anna").text
    assert answer.index("single") < answer.index("married"), answer
    memory.embed_facts()
    found = memory.search_memory("married", "facts", user_id="anna")
    assert [each.text for each in found] == both and all(each.opposed for each in found)
    assert [fact.text for fact in memory.facts(user_id="anna", contradicted=True)] == both
    [married] = [fact for fact in memory.facts(user_id="anna") if fact.text == both[1]]
    memory.forget_facts(user_id="anna", subject="you", relation="is", object="married")
    assert married.fact_id not in {fact.fact_id for fact in memory.facts(user_id="anna")}
    assert not memory.facts(user_id="anna", contradicted=True)
    assert [hint.text for hint in chat.observe("Am I single?").hints] == both[:1]


def test_what_nothing_supports_is_no_longer_believed(memory: Memory) -> None:
    say(memory, "I love tea.")
    night(memory)
    assert night(memory, 120)["deprecated"] == 1
    assert not facts(memory)
    assert facts(memory, history=True)["You like tea"].status == "deprecated"


def test_what_an_old_conversation_says_is_believed_after_its_import(memory: Memory) -> None:
    say(memory, "I love tea.")
    assert "deprecated" not in night(memory, 500)
    say(memory, "I love coffee.", day=100)
    assert "deprecated" not in night(memory, 510)
    assert set(facts(memory)) == {"You like tea", "You like coffee"}
    assert night(memory, 640)["deprecated"] == 2


def test_a_dry_run_writes_nothing(memory: Memory) -> None:
    say(memory, "I like movies.", "I love films.")
    night(memory)
    say(memory, "I like bicycle tours.", "I love tea.", day=40)
    before = memory.digest()
    report = memory.consolidate(user_id="anna", at=NIGHT + timedelta(days=40), dry_run=True)
    assert report.status == "dry run"
    assert (report.counts["turns read"], report.counts["decayed"]) == (2, 1)
    assert memory.digest() == before


def test_undo_brings_back_the_digest_from_before(memory: Memory) -> None:
    say(memory, "I live in Porto.", "I like movies.", "I love tea.", "I hate tea.")
    digests = [memory.digest()]
    runs: list[str] = []
    nights = {1: "I love films. I no longer live in Porto.", 40: "I live in Ghent.", 200: "I am a nurse."}
    for day, said in nights.items():
        runs.append(memory.consolidate(user_id="anna", at=NIGHT + timedelta(days=day)).run_id)
        digests.append(memory.digest())
        say(memory, said, day=day)
    assert len({digest.sha256 for digest in digests}) == 4
    for run, before in ((runs[2], digests[2]), (runs[0], digests[0])):
        standing = memory.digest()
        would = memory.undo_consolidation(run, user_id="anna", dry_run=True)
        assert memory.digest() == standing
        assert memory.undo_consolidation(run, user_id="anna") == would > 0
        assert memory.digest() == before


def test_what_an_undo_would_change_is_counted_without_the_lease(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(memory, "I like movies.", "I love films.")
    run = memory.consolidate(user_id="anna", at=NIGHT).run_id
    monkeypatch.setattr(FactUpkeep, "take", lambda *given: pytest.fail("a dry run took the lease"))
    monkeypatch.setattr(FactUpkeep, "_hold", lambda *given: pytest.fail("a dry run prolonged the lease"))
    assert memory.undo_consolidation(run, user_id="anna", dry_run=True) > 0


def test_a_run_reads_the_list_of_runs_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    read, reads = FactUpkeep.runs, list[str]()

    def noted(store: FactUpkeep, *asked: PageRequest) -> Page[FactRun]:
        reads.append("runs")
        return read(store, *asked)

    monkeypatch.setattr(FactUpkeep, "runs", noted)
    for day in range(12):  # more than can be undone
        say(memory, f"I own {day} bikes.", day=day)
        night(memory, day)
    assert len(reads) == 12
    runs_with_steps = rows(memory, "MATCH (s:FactStep) WHERE s.group_id = $group_id RETURN DISTINCT s.run_id")
    assert set(runs_with_steps) == {run.run_id for run in memory.consolidations(user_id="anna")[:10]}


def test_two_runs_never_run_at_once(memory: Memory) -> None:
    say(memory, "I live in Porto.")
    other = memory._parts.consolidation("anna")
    with other._lease(), pytest.raises(StoreError, match="being consolidated by process"):
        memory.consolidate(user_id="anna")
    night(memory)


@pytest.mark.parametrize(
    "transaction", [2, 6, *(pytest.param(n, marks=pytest.mark.soak) for n in (1, 3, 4, 5, 7, 8))]
)
def test_a_run_that_is_cut_off_is_finished_by_the_next(
    memory: Memory, transaction: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever write it was cut off after, the digest is that of the quiet run."""
    say(memory, "I live in Porto.", "I like movies.", "I love films.", "I love tea.", "I hate tea.")
    monkeypatch.setattr("amr_neo4j.store.write.fact_upkeep._UNITS_PER_COMMIT", 2)
    night(memory, 20)
    quiet = memory.digest()
    memory.undo_consolidation(memory.consolidations(user_id="anna")[0].run_id, user_id="anna")
    monkeypatch.setattr(FactUpkeep, "_hold", _failing(FactUpkeep._hold, transaction))
    with pytest.raises(KeyboardInterrupt):
        memory.consolidate(user_id="anna", at=NIGHT + timedelta(days=20))
    monkeypatch.undo()
    assert memory.consolidate(user_id="anna", at=NIGHT + timedelta(days=90)).resumed == (transaction > 1)
    if transaction > 1:
        assert memory.digest() == quiet


def _failing(hold, transaction: int):
    calls = 0

    def fail(self: FactUpkeep, *args: object) -> int:
        nonlocal calls
        calls += 1
        if calls == transaction:
            raise KeyboardInterrupt
        return hold(self, *args)

    return fail


def test_the_same_opinion_again_stands_again(memory: Memory) -> None:
    for day, said in ((0, "I love tea."), (10, "I hate tea."), (20, "I love tea.")):
        say(memory, said, day=day)
        night(memory, day)
    assert set(facts(memory)) == {"You like tea"}


def test_a_fact_is_shown_with_why_and_put_right(memory: Memory) -> None:
    say(memory, "I live in Porto.", "I like movies.", "I love films.")
    night(memory)
    listed = {fact.text: fact_id(fact.triple) for fact in memory.facts(user_id="anna", history=True)}
    films, movies = (memory.fact(listed[text], user_id="anna") for text in ("You like films", "You like movies"))
    loser, winner = sorted((films, movies), key=lambda fact: fact.status == "active")
    assert [(link.link, link.fact_id) for link in loser.links] == [("MERGED_INTO", winner.fact_id)]
    assert [turn.text for turn in winner.turns] == ["I like movies.", "I love films."]

    again = memory.restore_fact(loser.fact_id[:12], user_id="anna")
    assert (again.status, again.evidence_count, len(again.turns)) == ("active", 1, 1)
    assert memory.fact(winner.fact_id, user_id="anna").evidence_count == 1
    assert "merged" not in night(memory, 1)

    ghent = memory.correct_fact(listed["You live in Porto"], "Ghent", user_id="anna")
    assert (ghent.text, ghent.pinned, ghent.status) == ("You live in Ghent", True, "active")
    say(memory, "I live in Porto.", day=2)
    night(memory, 2)
    assert [fact.text for fact in memory.facts(user_id="anna", relation="lives_in")] == ["You live in Ghent"]
    with pytest.raises(NotInMemory):
        memory.fact("0" * 32, user_id="anna")


def test_no_live_statement_replaces_a_pinned_fact(memory: Memory) -> None:
    """The later value is kept in the history. It counts once it is said again after the fact was unpinned."""
    chat = memory.chat(user_id="anna", session_id="live")

    def say_live(text: str) -> list[str]:
        chat.observe(text)
        assert memory._parts.live_chats().wait(30)
        return [fact.text for fact in memory.facts(user_id="anna", relation="lives_in")]

    [porto] = say_live("I live in Porto.") and memory.facts(user_id="anna")
    name = fact_id(porto.triple)
    memory.pin_fact(name, user_id="anna")
    assert say_live("I moved to Ghent.") == ["You live in Porto"]
    assert say_live("I don't live in Porto any more.") == ["You live in Porto"]
    assert [known.triple.object for known in chat._index.facts() if known.triple.relation == "lives_in"] == ["porto"]
    [link] = memory.fact(name, user_id="anna").links
    assert (link.text, link.resolution) == ("You live in Ghent", "pinned")
    night(memory)
    memory.pin_fact(name, user_id="anna", pinned=False)
    assert say_live("I live in Ghent.") == ["You live in Ghent"]


def test_forgetting_takes_the_words_of_a_merged_fact_and_its_run(memory: Memory) -> None:
    say(memory, "I like movies.", "I love films.")
    night(memory)
    [winner] = memory.facts(user_id="anna")
    memory.forget(user_id="anna", session_id="day 0", episode_id=winner.episode_ids[0])
    [left] = memory.facts(user_id="anna", history=True)
    assert (left.status, left.evidence_count) == ("active", 1)
    memory.forget(user_id="anna")
    assert rows(memory, "MATCH (n) WHERE n.group_id = $group_id AND n.user_id = 'anna' RETURN labels(n)") == []


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_forgotten_fact_is_named_by_no_other(memory: Memory, by_hand: bool) -> None:
    """Nor by one that it had replaced."""
    say(memory, "I live in Porto.")
    night(memory)
    if by_hand:
        [porto] = memory.facts(user_id="anna")
        memory.correct_fact(porto.fact_id, "Ghent", user_id="anna")
        assert memory.forget_facts(user_id="anna", subject="you", relation="lives_in", object="ghent") == 1
    else:
        say(memory, "I moved to Ghent.", day=1)
        night(memory, 1)
        memory.forget(user_id="anna", session_id="day 1")
    properties = rows(memory, "MATCH (f:Fact) WHERE f.group_id = $group_id RETURN properties(f)")
    assert "porto" in str(properties)
    assert "ghent" not in str(properties).casefold()


def test_a_fact_does_not_outlive_its_turns(memory: Memory) -> None:
    """Turns that support it by their meaning alone do not keep it, and one that is found to state it does."""
    say(memory, "I like movies.", "Films and movies.", "Movies and films.")
    night(memory)
    ids = "MATCH (e:Episode {group_id: $group_id}) WITH e ORDER BY e.turn RETURN e.episode_id"
    _, *near = rows(memory, ids)
    link = """MATCH (f:Fact {group_id: $group_id}), (e:Episode {group_id: $group_id}) WHERE e.episode_id IN $near
              MERGE (f)-[d:DERIVED_FROM]->(e) SET d.similarity = 0.8, d.group_id = $group_id RETURN 1"""
    unlink = """MATCH (f:Fact {group_id: $group_id})-[d:DERIVED_FROM]->(e:Episode) WHERE d.similarity IS NULL
                DELETE d RETURN 1"""
    rows(memory, link, near=near)
    rows(memory, unlink)
    for episode_id, left in zip(near, (1, 0), strict=True):
        gone = memory.forget(user_id="anna", session_id="day 0", episode_id=episode_id, dry_run=True)
        memory.forget(user_id="anna", session_id="day 0", episode_id=episode_id)
        assert (gone.facts, len(facts(memory))) == (1 - left, left)


def test_nothing_is_written_for_a_user_of_whom_nothing_is_known(memory: Memory) -> None:
    """Such as one who was forgotten."""
    say(memory, "I like movies.")
    memory.forget(user_id="anna")
    report = memory.consolidate(user_id="anna", at=NIGHT)
    assert (report.run_id, report.status, report.counts) == ("", "completed", {})
    assert rows(memory, "MATCH (n) WHERE n.group_id = $group_id AND n.user_id = 'anna' RETURN labels(n)") == []


def test_a_run_says_that_its_user_was_forgotten_meanwhile(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    say(memory, "I like movies.")
    plan = Consolidation._plan

    def forgotten(run: Consolidation, *args: Any, **named: Any) -> Any:
        memory.forget(user_id="anna")
        return plan(run, *args, **named)

    monkeypatch.setattr(Consolidation, "_plan", forgotten)
    with pytest.raises(NotInMemory, match="anna was forgotten during this run"):
        memory.consolidate(user_id="anna", at=NIGHT)
    assert rows(memory, "MATCH (n) WHERE n.group_id = $group_id AND n.user_id = 'anna' RETURN labels(n)") == []


def test_a_model_reads_what_rules_do_not(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, model_server: ModelServer
) -> None:
    """Turns of one topic are put to it together, also those that still wait for their vectors; they are the evidence
    of what it states.
    """
    walks = [f"Another stroll along river this evening {n}." for n in range(4)]
    with talking(neo4j_connection, group_id, tmp_path, embedder=WordEmbedder()) as memory:
        say(memory, *walks, *(f"Office printers jammed whole morning {n}." for n in range(4)), "Nothing else.")
        waiting = "MATCH (e:Episode {group_id: $group_id}) WHERE e.turn IN [0, 3] SET e.embed_after = 1e12 WITH e "
        rows(memory, waiting + "MATCH (m:Embedding {owner: toString(e.vector_id), kind: 'episode'}) DELETE m")
        asking = memory.settings.model_copy(update={"provider": model_server.url})
        memory._parts.models.use(open_models(asking, memory.ledger))
        fact = {"turns": [1, 2, 99], "relation": "likes", "object": "River Strolls", "text": "You like river strolls"}
        model_server.then({"facts": [fact]})
        before = memory.digest()
        report = memory.consolidate(user_id="anna", at=NIGHT)
        assert (report.status, report.counts["facts read by the model"], report.usage.calls) == ("completed", 2, 1)
        [found] = memory.facts(user_id="anna")
        assert (found.text, len(found.episode_ids)) == ("You like river strolls", 2)
        memory.undo_consolidation(report.run_id, user_id="anna")
        assert memory.digest() == before
        model_server.then("no JSON").then("still none")
        assert memory.consolidate(user_id="anna", at=NIGHT).status == "incomplete"


def test_turns_gather_over_nights_until_a_topic_is_large_enough(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, model_server: ModelServer
) -> None:
    """Two a night are no topic. The model sees six together, and what it makes up of them is refused."""
    with talking(neo4j_connection, group_id, tmp_path, embedder=WordEmbedder()) as memory:
        asking = memory.settings.model_copy(update={"provider": model_server.url})
        memory._parts.models.use(open_models(asking, memory.ledger))
        say(memory, "I live in Porto.", day=0)
        for day in range(3):
            say(memory, f"Coffee again this early morning {day}.", f"Trains late as ever today {day}.", day=day)
            if day < 2:
                assert night(memory, day).get("facts read by the model") is None
        assert not model_server.requests
        coffee = {"turns": [1, 2, 3], "relation": "likes", "object": "coffee", "text": "You like coffee"}
        mars = {"turns": [1, 2], "relation": "lives_in", "object": "mars", "text": "You live on Mars"}
        model_server.then({"facts": [coffee, mars]})
        before = memory.digest()
        report = memory.consolidate(user_id="anna", at=NIGHT + timedelta(days=2))
        assert (report.counts["facts read by the model"], report.counts["facts refused"]) == (3, 1)
        assert any("You live on Mars" in reason for reason in report.reasons)
        assert facts(memory).keys() == {"You live in Porto", "You like coffee"}
        memory.undo_consolidation(report.run_id, user_id="anna")
        assert memory.digest() == before
        model_server.then({"facts": [coffee]})
        assert night(memory, 3)["facts read by the model"] == 3
        assert "facts read by the model" not in night(memory, 4), "what the model was shown is not shown again"
