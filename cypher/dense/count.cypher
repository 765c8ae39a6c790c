// Number of vectors of a kind and model in Neo4j's own vector index, in all groups.
// params: kind, model
MATCH (v:DenseVector {kind: $kind, model: $model})
WHERE v.group_id IS NOT NULL
RETURN count(v) AS vectors
