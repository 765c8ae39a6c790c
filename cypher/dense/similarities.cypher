// The cosines of each stored vector to the given vectors, in the order of those; 0 if the stored one is null. The caller has
// checked that the ids are in the scope.
// params: kind, model, node_ids, vectors
UNWIND $node_ids AS node_id
MATCH (v:DenseVector {kind: $kind, model: $model, node_id: node_id})
RETURN node_id, [asked IN $vectors | coalesce(2 * vector.similarity.cosine(v.vector, asked) - 1, 0.0)] AS cosines
