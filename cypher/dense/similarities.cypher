// The cosine of each of these vectors to a vector. The ids are in scope already.
// params: kind, model, node_ids, vector
UNWIND $node_ids AS node_id
MATCH (v:DenseVector {kind: $kind, model: $model, node_id: node_id})
RETURN node_id, coalesce(2 * vector.similarity.cosine(v.vector, $vector) - 1, 0.0) AS cosine
