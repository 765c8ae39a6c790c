// Forget how far Neo4j's own vector index of a kind and model has read: it is cleared and no longer in use.
// params: name
MATCH (c:Counter {name: $name})
DELETE c
