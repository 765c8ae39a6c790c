// The nearest vectors of all groups in Neo4j's own vector index, without those outside the scope, best first.
// params: index, fetch, vector, model, group_id, video_ids, after_s, before_s, ended_s, after_at, before_at, ended_at, known_at, superseded_after
// The index rounds each number of a vector to 8 bits, so the cosine is computed again from the vector itself.
CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS v
WITH v
WHERE v.model = $model
// <include dense/within videos>
// <include dense/within others>
RETURN v.node_id AS node_id, 2 * vector.similarity.cosine(v.vector, $vector) - 1 AS cosine
ORDER BY cosine DESC
