// Of these vectors, the nearest that are in the scope, best first.
// params: kind, model, k, node_ids, vector, group_id, video_ids, after_s, before_s, ended_s, after_at, before_at, ended_at, ranges, known_at, superseded_after
UNWIND $node_ids AS node_id
MATCH (v:DenseVector {kind: $kind, model: $model, node_id: node_id})
WHERE true
// <include dense/within videos>
// <include dense/within ranges>
// <include dense/within others>
RETURN v.node_id AS node_id, coalesce(2 * vector.similarity.cosine(v.vector, $vector) - 1, 0.0) AS cosine
ORDER BY cosine DESC LIMIT $k
