// The nearest vectors of a scope that names no videos, by the index that filters, best first.
// params: kind, model, fetch, k, vector, group_id, after_s, before_s, ended_s, after_at, before_at, ended_at, known_at, superseded_after
// The index rounds each number of a vector to 8 bits, so the cosine is computed again from the vector itself.
CYPHER 25
MATCH (v:ScopedVector)
  SEARCH v IN (
    VECTOR INDEX amr_scoped_vectors FOR $vector
    WHERE v.kind = $kind AND v.model = $model
// <include dense/within others>
    LIMIT $fetch
  )
RETURN v.node_id AS node_id, 2 * vector.similarity.cosine(v.vector, $vector) - 1 AS cosine
ORDER BY cosine DESC LIMIT $k
