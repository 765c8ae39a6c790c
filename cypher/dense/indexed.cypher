// The kinds and models that Neo4j's own vector index has vectors of, as names of counters.
// params: none
MATCH (c:Counter)
WHERE c.name STARTS WITH 'dense '
RETURN c.name AS name
