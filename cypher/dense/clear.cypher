// Delete some of the vectors of a kind and model from Neo4j's own vector index, and have it read the embeddings again.
// params: name, kind, model, limit
MERGE (c:Counter {name: $name})
SET c.next = 0
WITH c
OPTIONAL MATCH (v:DenseVector {kind: $kind, model: $model})
WHERE v.group_id IS NOT NULL
WITH v LIMIT $limit
DETACH DELETE v
RETURN count(v) AS deleted
