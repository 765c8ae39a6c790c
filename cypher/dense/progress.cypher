// The sequence number from which Neo4j's own vector index of a kind and model has yet to read the embeddings.
// params: name
OPTIONAL MATCH (c:Counter {name: $name})
RETURN coalesce(c.next, 0) AS next
