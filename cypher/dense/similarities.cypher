// The cosines of each of these vectors to some vectors, in their order; 0 to one that is null. The ids are in scope
// already.
// params: kind, model, node_ids, vectors
UNWIND $node_ids AS node_id
MATCH (v:DenseVector {kind: $kind, model: $model, node_id: node_id})
RETURN node_id, [asked IN $vectors | coalesce(2 * vector.similarity.cosine(v.vector, asked) - 1, 0.0)] AS cosines
