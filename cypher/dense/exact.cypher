// The nearest of all vectors in the scope, best first, without the vector index.
// params: kind, model, k, vector, group_id, video_ids, after_s, before_s, ended_s, after_at, before_at, ended_at, ranges, known_at, superseded_after
MATCH (v:DenseVector {kind: $kind, model: $model, group_id: $group_id})
WHERE true
// <include dense/within videos>
// <include dense/within ranges>
// <include dense/within others>
RETURN v.node_id AS node_id, coalesce(2 * vector.similarity.cosine(v.vector, $vector) - 1, 0.0) AS cosine
ORDER BY cosine DESC LIMIT $k
