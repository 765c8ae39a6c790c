// The vectors with these ids; null for those that no index can hold.
// params: kind, model, node_ids
UNWIND $node_ids AS node_id
MATCH (v:DenseVector {kind: $kind, model: $model, node_id: node_id})
RETURN node_id, v.vector AS vector
