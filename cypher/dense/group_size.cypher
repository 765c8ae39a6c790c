// Number of vectors of a group in Neo4j's own vector index, counted up to a limit.
// params: kind, model, group_id, limit
MATCH (v:DenseVector {kind: $kind, model: $model, group_id: $group_id})
WITH v LIMIT $limit
RETURN count(v) AS vectors
