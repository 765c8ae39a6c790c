// Delete the note of how far Neo4j's own vector index of a kind and model has read, once it is cleared and not in use.
// params: name
MATCH (c:Counter {name: $name})
DELETE c
