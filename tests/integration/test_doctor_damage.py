"""amr doctor finds damage in the graph, and --repair makes again what is derived."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from neo4j.exceptions import ConstraintError

from amr_neo4j import AmrError, Memory, localdb
from amr_neo4j.cli.checks import CHECKS, Examined
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.store.integrity import Integrity, properties
from tests.support.amr_command import Amr, Json, amr_at
from tests.support.chatting import rows, talking

Run = Callable[..., list[Any]]
SUMMARIES = [
    "Anna opens the fridge.",
    "Ben opens the fridge.",
    "Anna closes the fridge.",
    "Anna sings.",
    "Ben leaves.",
]
TALK = ["My dog is called Rex.", "I live in Porto.", "My sister Eva lives in Oslo."]


@pytest.fixture(scope="module")
def own(spare_server: Settings) -> localdb.Connection:
    """A server of its own: some damage is to what all groups share."""
    return localdb.start(spare_server)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("doctor")


@pytest.fixture(scope="module")
def amr(own: localdb.Connection, folder: Path) -> Amr:
    """A group with five events of one video, a conversation and a fact. What damages it repairs it."""
    amr = household(own, folder)
    amr.here("chat", "say", "I live in Porto.", "--user", "anna", "--session", "monday")
    amr.here("chat", "extract", "--user", "anna")
    assert [row["triple"][2] for row in amr.items("facts", "list", "--user", "anna")] == ["porto"]
    return amr


@pytest.fixture
def another(own: localdb.Connection, tmp_path: Path) -> Amr:
    """A group of the test's own, for damage that a repair records and does not undo."""
    return household(own, tmp_path)


def household(own: localdb.Connection, folder: Path) -> Amr:
    amr = amr_at(own, folder / "data")
    amr.here("ingest", str(lines(folder)))
    for text in ("The keys are on the hook.", "The soup is ready."):
        amr.here("chat", "say", text, "--user", "anna", "--session", "monday")
    return amr


@pytest.fixture(scope="module")
def before(amr: Amr) -> str:
    """The digest of the undamaged group."""
    return amr.here("db", "digest").stdout


def lines(folder: Path) -> Path:
    file = folder / "kitchen.jsonl"
    file.write_text("\n".join(line(n, summary) for n, summary in enumerate(SUMMARIES)))
    return file


def line(number: int, summary: str) -> str:
    who, verb = summary.split()[:2]
    event = {
        "time_start": 1.0,
        "time_end": 2.0,
        "summary": summary,
        "actions": [{"actor": who, "verb": verb.rstrip("s"), "object": "fridge"}],
    }
    clip = {"video_id": "kitchen", "clip_id": f"c{number}", "t_start": number * 60.0, "t_end": number * 60.0 + 60}
    return json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}})


@pytest.fixture
def run(own: localdb.Connection, amr: Amr) -> Iterator[Run]:
    with cypher(own, amr) as run:
        yield run


@contextmanager
def cypher(own: localdb.Connection, amr: Amr) -> Iterator[Run]:
    """Cypher by hand; $group is the group. The values of the first column."""
    with Database(own.uri, own.username, own.password) as database:

        def run(statement: str, **params: Any) -> list[Any]:
            params |= {"group": amr.server["AMR_GROUP"]}
            return [record[0] for record in database.driver.execute_query(statement, params).records]

        yield run


def failing(amr: Amr, *options: str, code: int) -> dict[str, Json]:
    return {row["check"]: row for row in amr.json("doctor", *options, code=code) if row["exit_code"]}


def repaired(amr: Amr) -> str:
    """Repair, and return what the repair reports. Afterwards every check passes."""
    # The command exits with 0 only if every check passes after the repair, each over a connection of its own.
    done = amr.here("doctor", "--repair", "--deep")
    assert "FAILS" not in done.stdout
    begun, *said = done.stderr.splitlines(keepends=True)
    assert begun.endswith(" ...\n")
    return "".join(said)


def test_an_undamaged_graph_passes_and_a_repair_changes_nothing(amr: Amr, before: str) -> None:
    assert failing(amr, "--deep", code=0) == {}
    assert repaired(amr) == ""
    assert amr.here("db", "digest").stdout == before


@pytest.mark.parametrize(
    "name", ["node_id", *(pytest.param(n, marks=pytest.mark.soak) for n in ("vector_id", "embedding_seq"))]
)
def test_a_counter_that_was_set_back(amr: Amr, run: Run, name: str) -> None:
    [next_one] = run("MATCH (k:Counter {name: $name}) RETURN k.next", name=name)
    run("MATCH (k:Counter {name: $name}) SET k.next = 1", name=name)
    found = failing(amr, code=70)
    assert list(found) == ["counters"]
    assert name in found["counters"]["found"]
    assert f"raised the counter {name}" in repaired(amr)
    assert run("MATCH (k:Counter {name: $name}) RETURN k.next", name=name) == [next_one]


@pytest.mark.soak
def test_a_counter_that_is_gone_when_all_was_forgotten(own: localdb.Connection, another: Amr, tmp_path: Path) -> None:
    """The numbers of what was forgotten are not given again, with doctor's repair or without."""
    another.here("chat", "extract", "--user", "anna")
    again = (lines(tmp_path), ("chat", "say", "I live in Porto.", "--user", "anna", "--session", "monday"))
    with cypher(own, another) as run:
        for is_repaired in (False, True):
            every = run("MATCH (k:Counter) RETURN [k.name, k.next]")
            another.here("forget", "--yes", "--group", another.server["AMR_GROUP"])
            run("MATCH (k:Counter) WHERE k.name <> 'embedding_seq' DETACH DELETE k")
            if is_repaired:
                assert list(failing(another, code=70)) == ["counters"]
                repaired(another)
                counted = dict(run("MATCH (k:Counter) RETURN [k.name, k.next]"))
                assert all(counted[name] >= next_one for name, next_one in every if name.endswith("_id"))
            assert another.json("ingest", str(again[0]))["committed"] == len(SUMMARIES)
            another.here(*again[1])
            assert another.json("stats")["turns"] == 1


@pytest.mark.parametrize("also", ["", pytest.param("DETACH DELETE m", marks=pytest.mark.soak)])
def test_a_deleted_event(own: localdb.Connection, another: Amr, also: str) -> None:
    """Whether or not its embedding is gone too."""
    with cypher(own, another) as run:
        ids = run("MATCH (e:Event {group_id: $group}) RETURN e.node_id ORDER BY e.node_id")
        run(f"MATCH (e:Event {{node_id: $id}}), (m:Embedding {{kind: 'event', owner: toString($id)}}) "
            f"DETACH DELETE e {also}", id=ids[2])  # fmt: skip
    found = failing(another, code=70)
    assert list(found) == ["events", "edges"]
    assert f"1 events were deleted: node_id {ids[2]}" in found["events"]["found"]
    assert "restore a backup" in found["events"]["hint"]
    assert f"recorded that event {ids[2]} is gone" in repaired(another)


@pytest.mark.soak
def test_taking_in_again_heals_what_damage_took(own: localdb.Connection, another: Amr, tmp_path: Path) -> None:
    """It heals before a repair, and after a repair has accepted the loss. What was forgotten does not come back."""
    whole = another.here("db", "digest").stdout
    again = ("ingest", str(lines(tmp_path)))
    with cypher(own, another) as run:
        run("MATCH (:Event {group_id: $group, clip_id: 'c1'})-[r:USES]->() DELETE r")
        run("MATCH (p:Person {group_id: $group, person_id: 'anna'}) DETACH DELETE p")  # of c0, c2 and c3
        ids = run("MATCH (e:Event {group_id: $group}) RETURN e.node_id ORDER BY e.node_id")
        found = failing(another, "--deep", code=70)
        assert "4 events have lost persons or objects" in found["persons"]["found"]
        assert another.json(*again)["committed"] == 4
        assert (another.here("db", "digest").stdout, failing(another, "--deep", code=0)) == (whole, {})
        run("MATCH (e:Event {group_id: $group, clip_id: 'c4'}) DETACH DELETE e")
        run("MATCH (:Event {group_id: $group, clip_id: 'c1'})-[r:INVOLVES]->() DELETE r")
        [node_id] = run("MATCH (e:Event {group_id: $group, clip_id: 'c1'}) RETURN e.node_id")
        assert node_id > max(ids)
        assert f"recorded that a person or object of event {node_id} is gone" in repaired(another)
        assert f"a person or object of event {node_id}" in another.here("doctor").stdout
        assert another.json(*again)["committed"] == 2
        assert (another.here("db", "digest").stdout, failing(another, "--deep", code=0)) == (whole, {})
        # Persons that were merged, and facts, that only a damaged clip shows are those of the clip that replaces it.
        run(
            "MATCH (e:Event {group_id: $group, clip_id: 'c1'})-[:INVOLVES]->(p:Person) "
            "CREATE (:Person {group_id: $group, scope: p.scope, person_id: 'benny'})-[:MERGED_INTO]->(p), "
            "(:Fact {group_id: $group, user_id: 'u', fact_id: 'f', evidence_count: 1})-[:DERIVED_FROM]->(e)"
        )
        run("MATCH (:Event {group_id: $group, clip_id: 'c1'})-[r:USES]->() DELETE r")
        assert another.json(*again)["committed"] == 1
        assert run("MATCH (:Person {group_id: $group, person_id: 'benny'})-[:MERGED_INTO]->() RETURN 1") == [1]
        assert run("MATCH (f:Fact {group_id: $group}) DETACH DELETE f RETURN 1") == [1]
        run("MATCH (p:Person {group_id: $group, person_id: 'benny'}) DETACH DELETE p")
    another.here("forget", "--person", "Ben", "--yes")
    assert another.json(*again)["unchanged"] == len(SUMMARIES)
    assert "Ben" not in another.here("show", "video", "kitchen").stdout


@pytest.mark.parametrize(
    "label",
    [
        "Event",
        *(
            pytest.param(each, marks=pytest.mark.soak)
            for each in ("Group", "Video", "Clip", "Session", "Episode", "FactUpkeep", "Counter")
        ),
    ],
)
def test_what_damage_has_left_is_forgotten_and_counted(own: localdb.Connection, tmp_path: Path, label: str) -> None:
    """What remains is found without the nodes that list it, and is never reported as nothing."""
    with talking(own, f"damaged-{label}", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        for session_id in ("monday", "tuesday"):
            memory.remember(["I live in Seattle."], user_id="anna", session_id=session_id)

        def left(**of: str) -> Counter[str]:
            """How many nodes of each label are left of a video or a session; of nothing: of the group."""
            query = "MATCH (n) WHERE n.group_id = $group_id AND all(k IN keys($of) WHERE n[k] = $of[k])"
            return Counter(rows(memory, f"{query} RETURN labels(n)[0]", of=of))

        whose = "true" if label == "Counter" else "n.group_id = $group_id"
        counters = rows(memory, "MATCH (k:Counter) RETURN {name: k.name, next: k.next}")
        assert rows(memory, f"MATCH (n:{label}) WHERE {whose} DETACH DELETE n RETURN 1")
        there, gone = left(video_id="kitchen"), memory.forget_videos(video_id="kitchen")
        assert (gone.videos, gone.clips, gone.events) == (there["Video"], there["Clip"], there["Event"])
        there, told = left(session_id="monday"), memory.forget(user_id="anna", session_id="monday")
        assert (told.sessions, told.episodes) == (there["Session"], there["Episode"])
        assert not left(video_id="kitchen") and not left(session_id="monday")
        there, whole = left(), memory.forget_group()
        assert whole.conversations.episodes == there["Episode"]
        assert not left()
        # All groups share the counters: the other tests' groups need the numbers that theirs have reached.
        rows(memory, "UNWIND $counters AS c MERGE (k:Counter {name: c.name}) SET k.next = c.next", counters=counters)


# --- damage to a group alone, on the server of all tests, which keeps the plans of the statements for others


@pytest.mark.soak
def test_without_its_video_node_footage_is_found_and_persons_are_merged(
    neo4j_connection: localdb.Connection, tmp_path: Path
) -> None:
    with talking(neo4j_connection, "no-video", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        rows(memory, "MATCH (v:Video {group_id: $group_id}) DETACH DELETE v")
        for question in ("Who sings?", "When does Ben leave?", "Who was with Anna?", "Where is Ben?"):
            memory.ask(question)
            assert "sings" in str(memory.context("Who sings?"))
        assert memory.merge_persons("ben", "anna") == 2
        assert "Ben leaves." in {
            hit.event.summary_text for hit in memory.search("Ben leaves.", persons=["anna"]).items
        }
        memory.forget_group()


@pytest.mark.soak
@pytest.mark.parametrize("name", ["kind", "owner", "model", "seq"])
def test_damaged_embeddings_and_facts_without_turns_are_forgotten(
    neo4j_connection: localdb.Connection, tmp_path: Path, name: str
) -> None:
    """Also with a session alone, of which the facts tell. A pinned fact stays."""
    with talking(neo4j_connection, f"damaged-embedding-{name}", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        memory.remember(TALK, user_id="anna", session_id="monday")
        memory.remember(["My cat is called Tom."], user_id="anna", session_id="tuesday")
        memory.consolidate(user_id="anna")
        memory.embed_facts()
        [pinned] = [fact for fact in memory.facts(user_id="anna") if fact.triple.object == "rex"]
        memory.pin_fact(pinned.fact_id, user_id="anna")
        of_fact = (
            f"MATCH (m:Embedding {{group_id: $group_id, kind: 'fact'}}) WITH m LIMIT 1 SET m.{name} = true RETURN 1"
        )
        assert rows(memory, of_fact)
        assert rows(memory, "MATCH (f:Fact {group_id: $group_id})-[d:DERIVED_FROM]->() DELETE d RETURN 1")
        memory.forget(user_id="anna", session_id="monday")
        objects = rows(memory, "MATCH (f:Fact {group_id: $group_id}) RETURN f.object ORDER BY f.object")
        assert objects == ["rex", "tom"]
        assert not rows(memory, f"MATCH (m:Embedding {{group_id: $group_id, {name}: true}}) RETURN m")
        memory.forget_group()
        assert not rows(memory, "MATCH (n) WHERE n.group_id = $group_id RETURN n")


@pytest.mark.parametrize(
    ("of", "name"),
    [
        ("(:Episode)<-[:DERIVED_FROM]-(n)", "vector_id"),
        ("(:Episode)<-[:DERIVED_FROM]-(n)", "user_id"),
        ("(n:Episode)", "vector_id"),
        ("()-[n:INVOLVES]->()", "key"),
    ],
)
def test_what_has_a_property_of_another_type_is_forgotten(
    neo4j_connection: localdb.Connection, tmp_path: Path, of: str, name: str
) -> None:
    with talking(neo4j_connection, f"another-type-{name}-{len(of)}", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        memory.remember(TALK, user_id="anna", session_id="monday")
        memory.consolidate(user_id="anna")
        memory.embed_facts()
        assert rows(memory, f"MATCH {of} WHERE n.group_id = $group_id WITH n LIMIT 1 SET n.{name} = [7, 8] RETURN 1")
        memory.forget_videos(video_id="kitchen")
        memory.forget(user_id="anna", session_id="monday")
        named = "n.video_id = 'kitchen' OR n.session_id = 'monday'"
        assert not rows(memory, f"MATCH (n) WHERE n.group_id = $group_id AND ({named}) RETURN n")
        memory.forget_group()
        assert not rows(memory, "MATCH (n) WHERE n.group_id = $group_id RETURN n")


# --- a server of its own again


def test_an_event_that_lost_its_clip_and_its_persons_is_whole_when_taken_in_again_after_a_repair(
    own: localdb.Connection, tmp_path: Path
) -> None:
    with talking(own, "lost-clip-and-persons", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        whole = memory.digest()
        rows(memory, "MATCH (:Event {group_id: $group_id})-[in:IN_CLIP]->() DELETE in")
        rows(memory, "MATCH (p:Person {group_id: $group_id}) DETACH DELETE p")
        assert any("made 5 receipts again" in line for line in memory.repair())
        assert memory.ingest(lines(tmp_path)).committed == len(SUMMARIES)
        assert memory.digest() == whole


@pytest.mark.soak
def test_a_repair_ends_for_a_turn_of_another_user_and_for_scenes_without_events(
    own: localdb.Connection, tmp_path: Path
) -> None:
    with talking(own, "strayed", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        memory.remember(TALK, user_id="anna", session_id="monday")
        memory.consolidate(user_id="anna")
        memory.embed_facts()
        rows(memory, "MATCH (n:Episode|Fact {group_id: $group_id}) WITH n LIMIT 1 SET n.user_id = 'seven'")
        assert rows(memory, "MATCH (s:Scene {group_id: $group_id}) RETURN s")
        rows(memory, "MATCH (e:Event {group_id: $group_id}) DETACH DELETE e")
        assert {"fulltext", "scenes"} <= {*faults(memory)}
        assert list(memory.repair())
        assert not {"fulltext", "scenes"} & {*faults(memory)}


@pytest.mark.soak
@pytest.mark.parametrize("label", ["Fact", "Episode"])
def test_a_text_that_names_another_group_is_counted_as_that_groups(
    own: localdb.Connection, tmp_path: Path, label: str
) -> None:
    """It was moved by hand and has lost its links, so that forgetting its group has left it."""
    with talking(own, f"moved-{label}", tmp_path) as memory:
        memory.remember(TALK, user_id="anna", session_id="monday")
        memory.consolidate(user_id="anna")
        memory.embed_facts()
        rows(
            memory,
            f"MATCH (n:{label} {{group_id: $group_id, user_id: 'anna'}}) WITH n LIMIT 1 OPTIONAL MATCH (n)-[r]-() "
            "DELETE r SET n.group_id = 'seven'",
        )
        memory.forget_group()
        memory.remember(TALK, user_id="anna", session_id="monday")
        memory.consolidate(user_id="anna")
        memory.embed_facts()
        assert {"fulltext"} <= {*faults(memory)}
        assert list(memory.repair())
        assert not {"fulltext", "index", "dense"} & {*faults(memory)}


@pytest.mark.soak
def test_doubled_relationships_are_seen_and_deleted(own: localdb.Connection, tmp_path: Path) -> None:
    """Of any type: counts and lists would have what they show twice."""
    with talking(own, "doubled", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        memory.remember(TALK, user_id="anna", session_id="monday")
        memory.extract(user_id="anna")
        memory.consolidate(user_id="anna")
        memory.embed_facts()
        whole = memory.digest()
        count = "MATCH (n)-[r]->() WHERE n.group_id = $group_id RETURN count(r)"
        [before] = rows(memory, count)
        for name in properties().links:
            double = f"CREATE (a)-[s:{name}]->(b) SET s = p SET s.created_at = s.created_at + $later RETURN s"
            [*doubled] = rows(
                memory,
                f"MATCH (a {{group_id: $group_id}})-[r:{name}]->(b) WITH a, b, properties(r) AS p {double}",
                later=timedelta(seconds=1),
            )
            if not doubled:
                continue
            assert {"nodes", "channels"} & {*faults(memory)}, name
            assert list(memory.repair())
            assert faults(memory) == [] and rows(memory, count) == [before], name
        assert memory.digest() == whole


def test_what_lost_its_time_hinders_no_forgetting_by_time(own: localdb.Connection, tmp_path: Path) -> None:
    """Nor the reading of talk, nor the next film of its place: it counts as what has no wall clock."""
    with talking(own, "timeless", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        rows(memory, "MATCH (v:Video {group_id: $group_id}) SET v.recorded_at = datetime('2026-03-01T09:00Z')")
        [person] = rows(memory, "MATCH (p:Person {group_id: $group_id}) WHERE p.person_id = 'anna' RETURN p.scope")
        read = partial(memory._parts.database.read, group_id=memory.group_id)
        footage = {"video_id": None, "before": datetime(2026, 4, 1, tzinfo=UTC)}
        for label, name in (
            ("Clip", "t_end"),
            ("Video", "recorded_at"),
            ("Event", "at"),
            ("Event", "time_start"),
            ("Event", "time_end"),
        ):
            node = f"MATCH (n:{label} {{group_id: $group_id}}) WITH n ORDER BY elementId(n) LIMIT 1"
            [was] = rows(memory, f"{node} RETURN n.{name}")
            for value in (None, "seven", [7, 8], True):
                rows(memory, f"{node} SET n.{name} = $value", value=value)
                clips = read("forgetting/select_clips", clip_id=None, **footage)
                assert len(clips) == {"Clip": len(SUMMARIES) - 1, "Video": 0, "Event": len(SUMMARIES)}[label]
                read("forgetting/events_of_persons", persons=[[person, "anna"]], **footage)
                read("forgetting/receipts_telling", persons=[[person, "anna"]], **footage)
                read("facts/new_talk", after=-1, limit=99)
                read("ingest/last_recording", place="kitchen")
            rows(memory, f"{node} SET n.{name} = $value", value=was)
        assert faults(memory) == []


def test_a_repair_ends_for_an_event_of_a_video_that_no_clip_names(own: localdb.Connection, tmp_path: Path) -> None:
    with talking(own, "moved", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        rows(memory, "MATCH (e:Event {group_id: $group_id}) WITH e LIMIT 1 SET e.video_id = 'seven'")
        assert "parents" in faults(memory)
        assert list(memory.repair())
        assert faults(memory) == []


def test_turns_that_are_read_again_change_no_fact(own: localdb.Connection, tmp_path: Path) -> None:
    """As after a FactUpkeep was lost, with the runs that tell that it was there."""
    said = [*TALK, "I moved to Oslo.", "I don't have a dog any more.", "I love Oslo, it is where my home is."]
    with talking(own, "read-again", tmp_path) as memory:
        memory.ingest(lines(tmp_path))
        memory.remember(said, user_id="anna", session_id="monday")
        memory.consolidate(user_id="anna")
        facts = "MATCH (f:Fact {group_id: $group_id}) RETURN f {.*, updated: null} ORDER BY f.fact_id"
        before = rows(memory, facts)
        assert before
        rows(memory, "MATCH (n:FactUpkeep|FactRun|FactStep {group_id: $group_id}) DETACH DELETE n")
        memory.consolidate(user_id="anna")
        assert rows(memory, facts) == before


@pytest.mark.soak
def test_nothing_is_deleted_unseen(own: localdb.Connection, tmp_path: Path) -> None:
    """One node of each label, and one relationship of each type. Counters have a test of their own.

    Without a run over the user's facts, nothing tells that a FactUpkeep was there. It holds counts of use, which
    begin anew; how far turns and talk were read, and reading them again changes no fact (the test above); and how
    often something was forgotten, which open conversations compare together with when the node was made.
    """
    labels = {name.split()[0] for name in properties().labels} - {"Counter", "FactUpkeep"}
    found = {f"(n:{label})": "n" for label in labels} | {f"(x)-[n:{kind}]->()": "x" for kind in properties().links}
    unseen: list[str] = []
    for number, (what, one) in enumerate(sorted(found.items())):
        with talking(own, f"unseen-{number}", tmp_path / str(number)) as memory:
            memory.ingest(lines(tmp_path))
            memory.remember(TALK, user_id="anna", session_id="monday")
            memory.extract(user_id="anna")
            memory.consolidate(user_id="anna")
            memory.embed_facts()  # one that was never embedded leaves no trace
            assert faults(memory) == [], "before the damage"
            of_group = f"MATCH {what} WHERE {one}.group_id = $group_id"
            if rows(memory, f"{of_group} WITH n LIMIT 1 DETACH DELETE n RETURN 1") and not faults(memory):
                unseen.append(what)
            memory.forget_group()
    assert not unseen


def faults(memory: Memory) -> list[str]:
    """The checks of a group, of doctor --deep, that fail."""
    examined, failed = cast(Examined, SimpleNamespace(memory=lambda: memory)), list[str]()
    names = [check.name for check in CHECKS]
    for check in CHECKS[names.index("counters") : names.index("groups")]:
        try:
            check.run(examined)
        except AmrError:
            failed.append(check.name)
    return failed


@pytest.mark.soak
def test_a_group_of_which_no_embedding_is_left_is_made_again(own: localdb.Connection, another: Amr) -> None:
    with cypher(own, another) as run:
        run("MATCH (n) WHERE n.group_id = $group AND (n:Group OR n:Embedding) DETACH DELETE n")
    another.here("doctor", "--repair", code=70)  # vectors are made by `index reembed` alone
    another.here("index", "reembed")
    assert failing(another, "--deep", code=0) == {}


@pytest.mark.soak
def test_a_video_that_was_made_again_gets_back_what_only_it_knew(
    own: localdb.Connection, another: Amr, tmp_path: Path
) -> None:
    """The offset of its clock, its file, and its place where no object tells that."""
    file = tmp_path / "yard.jsonl"
    told = {"video_id": "yard", "uri": "yard.mp4", "place": "garden", "recorded_at": "2026-03-17T18:25:00+01:00"}
    clips = [json.loads(line(number, "Anna opens the gate.")) | told for number in range(3)]
    file.write_text("\n".join(json.dumps(clip) for clip in clips))
    another.here("ingest", str(file))
    whole = another.here("db", "digest").stdout
    with cypher(own, another) as run:
        for also in ("", "MATCH (:Clip {group_id: $group, video_id: 'yard'})<-[:IN_CLIP]-(e) DETACH DELETE e"):
            run("MATCH (v:Video {group_id: $group, video_id: 'yard'}) DETACH DELETE v")
            if also:
                run(also)
            assert "made the video yard again" in repaired(another)
            with Database(own.uri, own.username, own.password) as database:
                [row] = database.read("ingest/stored_video", group_id=another.server["AMR_GROUP"], video_id="yard")
            # Without a place, nobody knows which view masks its picture, so that all do (masked_at).
            assert (row["damaged"], row["place"]) == (True, None if also else "garden")
            assert another.json("ingest", str(file))["committed"] == (3 if also else 1)
            assert (another.here("db", "digest").stdout, failing(another, "--deep", code=0)) == (whole, {})


@pytest.mark.soak
def test_a_removed_receipt(own: localdb.Connection, another: Amr, tmp_path: Path) -> None:
    with cypher(own, another) as run:
        run("MATCH (c:Clip {group_id: $group, clip_id: 'c2'}) DETACH DELETE c")
    found = failing(another, code=70)
    assert list(found) == ["receipts"]
    assert "c2 of kitchen" in found["receipts"]["found"]
    # its clip does not go in twice, neither before nor after the repair
    refused = another.here("ingest", str(lines(tmp_path)), code=65).stderr
    assert "clip c2 of video kitchen has events in the graph but no receipt; run: amr doctor --repair" in refused
    assert "made 1 receipts again" in repaired(another)
    another.here("ingest", str(lines(tmp_path)))
    with cypher(own, another) as run:
        assert run("MATCH (e:Event {group_id: $group}) RETURN count(e)") == [5]
    assert another.items("show", "clip", "c2")[0]["status"] == "committed"


@pytest.mark.soak
def test_a_receipt_that_is_not_linked(amr: Amr, run: Run) -> None:
    run("MATCH (:Clip {group_id: $group, clip_id: 'c2'})<-[r:IN_CLIP]-() DELETE r")
    assert list(failing(amr, code=70)) == ["receipts"]
    [before] = run("MATCH (c:Clip {group_id: $group, clip_id: 'c2'}) RETURN properties(c)")
    assert "made 1 receipts again" in repaired(amr)
    # It counts as damaged until it is taken in again: its events may have lost more.
    assert run("MATCH (c:Clip {group_id: $group, clip_id: 'c2'}) RETURN properties(c)") == [
        before | {"damaged": True}
    ]


def test_a_removed_temporal_edge(amr: Amr, run: Run, before: str) -> None:
    run("MATCH (e:Event {group_id: $group})-[r:TEMPORAL]->() WITH r ORDER BY e.node_id SKIP 1 LIMIT 1 DELETE r")
    found = failing(amr, code=70)
    assert list(found) == ["edges"]
    assert "kitchen" in found["edges"]["found"]
    assert "edges" in repaired(amr)
    assert amr.here("db", "digest").stdout == before


@pytest.mark.soak
def test_a_superfluous_temporal_edge(amr: Amr, run: Run, before: str) -> None:
    run(
        "MATCH (a:Event {group_id: $group, clip_id: 'c0'}), (b:Event {group_id: $group, clip_id: 'c3'}) "
        "CREATE (a)-[:TEMPORAL {group_id: $group, time_gap: 1.0}]->(b)"
    )
    assert list(failing(amr, code=70)) == ["edges"]
    repaired(amr)
    assert amr.here("db", "digest").stdout == before


@pytest.mark.soak
@pytest.mark.parametrize("channel", ["ENTITY_JUMP", "OBJECT_LIFECYCLE"])
def test_a_removed_edge_of_another_channel(amr: Amr, run: Run, before: str, channel: str) -> None:
    gone = run(f"MATCH (:Event {{group_id: $group}})-[r:{channel}]->() WITH r LIMIT 1 DELETE r RETURN 1")
    assert gone == [1]
    assert failing(amr, code=0) == {}
    for _ in range(2):  # a check changes nothing
        assert list(failing(amr, "--deep", code=70)) == ["channels"]
    assert "made or deleted 1 edges" in repaired(amr)
    assert amr.here("db", "digest").stdout == before


@pytest.mark.soak
@pytest.mark.parametrize(
    ("damage", "check"),
    [
        ("MATCH (s:Scene {group_id: $group, level: 0}) DETACH DELETE s", "scenes"),
        ("MATCH (:Event {group_id: $group})-[r:PART_OF]->() WITH r LIMIT 1 DELETE r", "scenes"),
        ("MATCH (:Scene {group_id: $group, level: 0})-[r:PART_OF]->() WITH r LIMIT 1 DELETE r", "scenes"),
        ("MATCH (s:Scene {group_id: $group, level: 1}) WITH s LIMIT 1 SET s.text = [7]", "nodes"),
    ],
)
def test_damaged_scenes_are_made_again(amr: Amr, run: Run, damage: str, check: str) -> None:
    scenes = """
        MATCH (s:Scene {group_id: $group})
        RETURN s {.level, .t_start, .text, .topics, .persons, within: [(s)-[:PART_OF]->(wider) | wider.t_start],
                  parts: COLLECT { MATCH (e:Event)-[:PART_OF]->(s) RETURN e.clip_id ORDER BY e.clip_id }} AS scene
        ORDER BY s.level, s.t_start"""
    undamaged = run(scenes)
    assert undamaged
    run(damage)
    assert list(failing(amr, "--deep", code=70)) == [check]
    assert "made the scenes of video kitchen again" in repaired(amr)
    assert run(scenes) == undamaged


@pytest.mark.parametrize("link", ["SAID_BY", pytest.param("MENTIONED_IN", marks=pytest.mark.soak)])
def test_a_turn_or_mention_that_has_lost_what_it_comes_from(amr: Amr, run: Run, before: str, link: str) -> None:
    assert run(f"MATCH (n)-[r:{link}]->() WHERE n.group_id = $group WITH r LIMIT 1 DELETE r RETURN 1") == [1]
    assert list(failing(amr, code=70)) == ["turns"]
    assert "linked 1 turns and mentions again" in repaired(amr)
    assert amr.here("db", "digest").stdout == before


@pytest.mark.soak
def test_every_property_of_every_label_is_looked_at(own: localdb.Connection, another: Amr) -> None:
    """Whatever the table does not allow is seen, of each property of each label, whether the node has it or not."""
    another.here("chat", "say", "I live in Porto.", "--user", "anna", "--session", "monday")
    another.here("chat", "extract", "--user", "anna")
    another.here("consolidate", "--user", "anna")
    with cypher(own, another) as run:
        run(  # what this group has none of
            "MATCH (e:Event {group_id: $group}) WITH e LIMIT 1 "
            "CREATE (s:SupersededEvent) SET s = properties(e), s.node_id = -1, s.superseded_at = datetime() "
            "CREATE (s)-[:CROSS_MODAL {kind: 'sound', subject: 'a'}]->(s) "
            "WITH s MATCH (m:Mention {group_id: $group}) WITH m LIMIT 1 "
            "CREATE (m)-[:STATES {group_id: $group, id: 'a', user_id: 'b', type: 'c', turn: 1, episode_id: 'd', "
            "valid_at: datetime(), clock: 1.0, created_at: datetime()}]->(m)"
        )
        group = another.server["AMR_GROUP"]
        seen: dict[str, int] = {}
        with Database(own.uri, own.username, own.password) as database:
            graph = Integrity(database, group, 30.0, "en", lambda: datetime.now(UTC))
            assert graph.odd() == {}
            for label, name, value in odd_properties():
                what = f"(n:{label.split()[0]})" if label in properties().labels else f"()-[n:{label}]->()"
                found = run(
                    f"MATCH {what} WHERE n.name = 'node_id' OR n.group_id = $group OR n.id = 'a' OR n.subject = 'a' "
                    "WITH n, elementId(n) AS id ORDER BY id LIMIT 1 RETURN [id, properties(n)]"
                )
                assert found, label
                [(one, was)] = found
                try:
                    run(f"MATCH {what} WHERE elementId(n) = $id SET n += $to", id=one, to={name: value})
                except ConstraintError:
                    continue
                assert graph.odd() == {label.split()[0]: 1}, (label, name, value)
                run(f"MATCH {what} WHERE elementId(n) = $id SET n = $was", id=one, was=was)
                seen[label] = seen.get(label, 0) + 1
        run("MATCH (s:SupersededEvent {group_id: $group}) DETACH DELETE s")
        run("MATCH (:Mention {group_id: $group})-[r:STATES {id: 'a'}]->() DELETE r")
        table = properties()
        assert seen.keys() == table.labels.keys() | {name for name, of in table.links.items() if of}
        assert sum(seen.values()) > 800


def odd_properties() -> Iterator[tuple[str, str, Any]]:
    """(label or type, property, a value that it cannot have) for all of them."""
    table = properties()
    named = {None: "NULL", 7: "INTEGER NOT NULL", "seven": "STRING NOT NULL", True: "BOOLEAN NOT NULL"}
    for label, allowed in (table.allowed() | table.allowed_of_links()).items():
        for name, types in allowed.items():
            is_json = name in table.of_type("JSON").get(label, [])
            for value, its_type in (*named.items(), ([7, 8], "LIST<INTEGER NOT NULL> NOT NULL")):
                if its_type not in types or (is_json and value == "seven"):
                    yield label, name, value


@pytest.mark.soak
def test_a_damaged_relationship_is_made_again(amr: Amr, run: Run, before: str) -> None:
    run("MATCH (:Event {group_id: $group})-[r:TEMPORAL]->() WITH r LIMIT 1 SET r.time_gap = 'seven'")
    assert failing(amr, "--deep", code=70)["nodes"]["found"].endswith("1 TEMPORAL")
    assert "deleted 1 damaged TEMPORAL" in repaired(amr)
    assert amr.here("db", "digest").stdout == before


@pytest.mark.soak
def test_a_turn_an_event_and_a_fact_outlive_a_damaged_side_property(
    own: localdb.Connection, another: Amr, tmp_path: Path
) -> None:
    """What the rest of the node tells is set again. What it does not tell is listed, and comes back with the clip."""
    another.here("chat", "say", "I live in Porto.", "--user", "anna", "--session", "monday")
    another.here("chat", "extract", "--user", "anna")
    whole = another.here("db", "digest").stdout
    told = """
        MATCH (n:Episode|Event|Fact {group_id: $group})
        RETURN [coalesce(n.content, n.summary_text, n.text), n.scope_text, n.clock, n.metadata, n.title]"""
    with cypher(own, another) as run:
        before = sorted(run(told))
        for each in ("Episode.metadata", "Episode.clock", "Episode.scope_text", "Fact.last_updated", "Fact.weight"):
            label, name = each.split(".")
            run(f"MATCH (n:{label} {{group_id: $group}}) WITH n LIMIT 1 SET n.{name} = true")
        repaired(another)
        assert (sorted(run(told)), another.here("db", "digest").stdout) == (before, whole)
        run("MATCH (n:Event {group_id: $group, clip_id: 'c1'}) SET n.title = 7, n.boxes = 'seven'")
        run("MATCH (n:Clip {group_id: $group, clip_id: 'c2'}) SET n.notes = 7")
        run("MATCH (n:Video {group_id: $group}) SET n.fps = 'seven'")
        said = repaired(another)
        assert said.count("emptied ") == 4
        assert "title of Event" in another.here("doctor").stdout
        assert another.json("ingest", str(lines(tmp_path)))["committed"] == 3
        assert (another.here("db", "digest").stdout, failing(another, "--deep", code=0)) == (whole, {})
        assert sorted(run(told)) == before


@pytest.mark.soak
def test_a_fact_that_has_lost_what_it_rests_on(own: localdb.Connection, another: Amr) -> None:
    """It is still believed, and the loss is listed, without words that may be forgotten later."""
    another.here("chat", "say", "I live in Porto.", "--user", "anna", "--session", "monday")
    another.here("chat", "extract", "--user", "anna")
    with cypher(own, another) as run:
        assert run("MATCH (f:Fact {group_id: $group})-[r:DERIVED_FROM]->() DELETE r RETURN 1") == [1]
    found = failing(another, code=70)
    assert "“You live in Porto” of anna" in found["turns"]["found"]
    repaired(another)
    [listed] = [line for line in another.here("doctor").stdout.splitlines() if "rested on" in line]
    assert "what 1 of the facts rested on" in listed and "Porto" not in listed
    assert [row["triple"][2] for row in another.items("facts", "list", "--user", "anna")] == ["porto"]


@pytest.mark.soak
@pytest.mark.parametrize(("gone", "delete"), [("(n:Mention)", "DETACH DELETE"), ("()-[n:STATES]->()", "DELETE")])
def test_what_was_extracted_from_turns_is_missed(
    own: localdb.Connection, another: Amr, gone: str, delete: str
) -> None:
    """The next extraction reads the turn again."""
    another.here("chat", "say", "My sister Eva lives in Oslo.", "--user", "anna", "--session", "monday")
    another.here("chat", "extract", "--user", "anna")
    relations = (
        "MATCH (a)-[r:STATES]->(b) WHERE a.group_id = $group "
        "RETURN [a.text, r.type, b.text, r.content] AS stated ORDER BY stated"
    )
    mentions = "MATCH (m:Mention {group_id: $group}) RETURN m.text AS text ORDER BY text"
    with cypher(own, another) as run:
        before = run(relations), run(mentions)
        assert all(before)
        assert run(f"MATCH {gone} WHERE n.group_id = $group WITH n LIMIT 1 {delete} n RETURN 1") == [1]
        found = failing(another, code=70)
        assert list(found) == ["turns"]
        assert "turns have lost mentions" in found["turns"]["found"]
        assert "amr chat extract reads them again" in repaired(another)
        another.here("chat", "extract", "--user", "anna")
        assert (run(relations), run(mentions)) == before
        assert failing(another, code=0) == {}


@pytest.mark.soak
def test_no_mention_is_missed_where_a_turn_was_forgotten_or_extracted_anew(
    own: localdb.Connection, another: Amr
) -> None:
    for text in ("My sister Eva lives in Oslo.", "She works at Acme.", "Eva called Tom."):
        another.here("chat", "say", text, "--user", "anna", "--session", "monday")
    another.here("chat", "extract", "--user", "anna")
    with cypher(own, another) as run:
        assert run("MATCH (e:Episode {group_id: $group}) WHERE e.extracts > 1 RETURN 1")
        for episode in run("MATCH (e:Episode {group_id: $group}) WHERE e.turn % 2 = 0 RETURN e.episode_id"):
            another.here("chat", "forget", "--user", "anna", "--episode", episode, "--yes")
        assert failing(another, code=0) == {}
        assert run("MATCH (e:Episode {group_id: $group}) WHERE e.extracts < 0 RETURN e.content") == []


@pytest.mark.soak
def test_lost_upkeep_of_facts_is_made_again(amr: Amr, run: Run) -> None:
    amr.here("consolidate", "--user", "anna")
    before = amr.here("db", "digest").stdout
    assert run("MATCH (u:FactUpkeep {group_id: $group}) WHERE u.user_id = 'anna' DELETE u RETURN 1") == [1]
    found = failing(amr, code=70)
    assert "upkeep of facts anna" in found["parents"]["found"]
    assert "made the upkeep of facts anna again" in repaired(amr)
    amr.here("consolidate", "--user", "anna")
    assert amr.here("db", "digest").stdout == before


def test_an_empty_embedding(amr: Amr, run: Run) -> None:
    """The advice embeds it again."""
    run("MATCH (m:Embedding {group_id: $group}) WITH m ORDER BY m.seq LIMIT 1 SET m.data = $data", data=b"")
    found = failing(amr, code=70)
    assert "vectors" in found
    assert "1 events have no vector" in found["vectors"]["found"]
    assert found["vectors"]["hint"] == "run: amr index reembed"
    assert "1 events embedded" in amr.here("index", "reembed").stdout
    assert failing(amr, "--deep", code=0) == {}


def test_a_fact_that_could_not_be_embedded(amr: Amr, run: Run) -> None:
    run("MATCH (f:Fact {group_id: $group}) SET f.embed_error = 'too odd'")
    found = failing(amr, code=70)
    assert list(found) == ["vectors"]
    assert found["vectors"]["found"] == "1 facts could not be embedded"
    assert found["vectors"]["hint"] == "see: amr index status"
    run("MATCH (f:Fact {group_id: $group}) REMOVE f.embed_error")


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["event", *(pytest.param(n, marks=pytest.mark.soak) for n in ("episode", "fact"))])
def test_a_snapshot_that_is_cut(amr: Amr, folder: Path, kind: str) -> None:
    amr.here("index", "rebuild")
    [snapshot] = (folder / "data").glob(f"vectors/*/{kind}-*.npz")
    for mend in (["index", "rebuild"], ["doctor", "--repair"]):
        snapshot.write_bytes(snapshot.read_bytes()[:200])
        found = failing(amr, code=70)
        assert list(found) == ["index"]
        assert "cannot be read" in found["index"]["found"]
        assert found["index"]["hint"] == "run: amr index rebuild"
        amr.here(*mend)
        assert failing(amr, "--deep", code=0) == {}


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["event", *(pytest.param(n, marks=pytest.mark.soak) for n in ("episode", "fact"))])
def test_a_vector_that_differs_from_the_index(amr: Amr, run: Run, kind: str) -> None:
    """Changed in the graph without a new sequence number, so that no index notices."""
    amr.here("index", "rebuild")
    [data] = run("MATCH (m:Embedding {group_id: $group, kind: $kind}) RETURN m.data LIMIT 1", kind=kind)
    turned = (-np.frombuffer(data, np.float32)).tobytes()
    run(
        "MATCH (m:Embedding {group_id: $group, kind: $kind}) WITH m LIMIT 1 SET m.data = $data",
        kind=kind,
        data=turned,
    )
    found = failing(amr, "--deep", code=70)
    assert set(found) <= {"index", "dense"}
    assert "1 vectors" in next(iter(found.values()))["found"]
    assert f"made the dense index of {kind}s again" in repaired(amr)


def test_a_wrong_password_of_the_local_database(own: localdb.Connection, spare_server: Settings) -> None:
    """Advice and exit code are those of a denied access, from doctor and from start."""
    local = Amr({"AMR_DATA_DIR": str(spare_server.data_dir), "AMR_LOCAL_ENGINE": "maven"})
    file = localdb.status(spare_server).password_file
    assert file
    file.write_text("not-the-one\n")
    try:
        found = failing(local, code=77)
        assert list(found) == ["database"]
        assert "refuses the user name or password" in found["database"]["found"]
        refused = local.here("db", "start", code=77).stderr
        for advice in (found["database"]["hint"], refused):
            assert f"put the password that the database has into {file}" in advice
            assert "amr db destroy" in advice
    finally:
        file.write_text(f"{own.password}\n")
    assert failing(local, code=0) == {}


# --- the schema, last: after each change the server plans every statement again


@pytest.mark.soak
def test_what_another_application_puts_in_the_way_is_named_at_opening_and_by_doctor(amr: Amr, run: Run) -> None:
    run("CREATE CONSTRAINT theirs FOR (g:Group) REQUIRE (g.group_id, g.rewritten) IS UNIQUE")
    said = "the constraint theirs on :Group (group_id, rewritten) is not amr's and may refuse what amr writes"
    assert said in amr.here("groups").stderr
    found = failing(amr, code=70)
    assert (list(found), found["foreign"]["found"]) == (["foreign"], said)
    assert found["foreign"]["hint"] == "if nothing needs it: DROP CONSTRAINT theirs"
    run("DROP CONSTRAINT theirs")
    run("DROP CONSTRAINT amr_object_key")
    run("CREATE INDEX amr_object_key FOR (u:User) ON (u.name)")
    try:
        said = (
            "the index amr_object_key on :User (name) is not amr's and takes the place of amr_object_key on :Object"
        )
        found = failing(amr, code=70)["schema"]
        assert said in found["found"]
        assert "DROP INDEX amr_object_key" in found["hint"]
        assert "amr db migrate" not in found["hint"]
        for command in (("groups",), ("db", "migrate")):
            assert said in amr.refused(*command, code=70)
        assert said in amr.here("doctor", "--repair", code=70).stderr
        there = "SHOW INDEXES YIELD name, labelsOrTypes WHERE name = 'amr_object_key' RETURN labelsOrTypes"
        assert run(there) == [["User"]]
    finally:
        run("DROP INDEX amr_object_key")
        amr.here("db", "migrate")
    assert failing(amr, code=0) == {}


@pytest.mark.soak
def test_nodes_of_another_application_with_our_labels_stay_as_they_are(own: localdb.Connection, another: Amr) -> None:
    """One of them is linked to a person of ours, and none hides an event that was deleted."""
    theirs = (
        "MATCH (n {of: 'them'}) OPTIONAL MATCH (n)-[r {of: 'them'}]-() RETURN [count(DISTINCT n), count(DISTINCT r)]"
    )
    with cypher(own, another) as run:
        for label in {name.split()[0] for name in properties().labels}:
            run(f"CREATE (n:{label} {{of: 'them', name: 'a'}})-[:NEXT {{of: 'them'}}]->(:{label} {{of: 'them'}})")
        run("CREATE (:Counter {of: 'them', id: 'invoices', next: 7})")
        person = "MATCH (p:Person {group_id: $group}) WITH p LIMIT 1"
        run(f"{person} CREATE (p)<-[:SEEN {{of: 'them'}}]-(:Person {{of: 'them'}})")
        [[nodes, links]] = before = run(theirs)
        try:
            assert failing(another, "--deep", code=0) == {}
            repaired(another)
            run("MATCH (e:Event {group_id: $group}) WITH e LIMIT 1 DETACH DELETE e")
            assert "events" in failing(another, code=70)
            repaired(another)
            assert run(theirs) == before
            another.here("forget", "--group", another.server["AMR_GROUP"], "--yes", "--scrub")
            assert run(theirs) == [[nodes, links - 1]], "but the relationship to the person who is gone"
        finally:
            run("MATCH (n {of: 'them'}) DETACH DELETE n")


@pytest.mark.soak
@pytest.mark.parametrize("label", ["Clip", "Event", "Scene", "Episode"])
def test_a_node_that_lost_the_group_with_all_its_relationships_is_seen_and_forgotten(
    own: localdb.Connection, another: Amr, label: str
) -> None:
    with cypher(own, another) as run:
        [lost] = run(
            f"MATCH (n:{label} {{group_id: $group}}) WITH n LIMIT 1 REMOVE n.group_id "
            "WITH n MATCH (n)-[r]-() REMOVE r.group_id RETURN DISTINCT elementId(n)"
        )
        assert "nodes" in failing(another, "--deep", code=70)
        another.here("forget", "--group", another.server["AMR_GROUP"], "--yes")
        assert run("MATCH (n) WHERE elementId(n) = $lost RETURN labels(n)", lost=lost) == []


EVENT = ("summary_text", "dialogue_snippets", "persons", "objects", "scope_text", "spatial_descriptions")
FULL_TEXT = {
    "amr_event_text": ("Event", EVENT),
    "amr_episode_text": ("Episode", ("content", "shown", "actor", "scope_text")),
    "amr_fact_text": ("Fact", ("text", "subject", "object", "scope_text")),
}


@pytest.mark.soak
@pytest.mark.parametrize(
    "names",
    [["amr_event_text", "amr_fact_text"], *([name] for name in FULL_TEXT)],
)
def test_full_text_indexes_with_another_analyser(amr: Amr, run: Run, names: list[str]) -> None:
    """They exist and are online, but find nothing within a group."""
    for name in names:
        run(f"DROP INDEX {name}")
        properties = ", ".join(f"n.{name}" for name in FULL_TEXT[name][1])
        options = "OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword'}}"
        run(f"CREATE FULLTEXT INDEX {name} FOR (n:{FULL_TEXT[name][0]}) ON EACH [{properties}] {options}")
    run("CALL db.awaitIndexes(60)")
    assert failing(amr, code=0) == {}
    found = failing(amr, "--deep", code=70)
    assert list(found) == ["fulltext"]
    assert found["fulltext"]["found"] == f"not every text is found by {', '.join(names)}"
    said = repaired(amr)
    assert all(f"created {name} again" in said for name in names)
