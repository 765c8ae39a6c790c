"""The local database, for real."""

from neo4j import GraphDatabase

from amr_neo4j.localdb import Connection


def test_the_tests_have_a_neo4j(neo4j_connection: Connection) -> None:
    auth = (neo4j_connection.username, neo4j_connection.password)
    with GraphDatabase.driver(neo4j_connection.uri, auth=auth) as driver:
        (row,) = driver.execute_query("CALL dbms.components() YIELD versions RETURN versions[0] AS version").records
    assert row["version"].startswith("5.26")
