// Delete vectors from Neo4j's own vector index of a kind and model whose embeddings were emptied since it last read them.
// params: name, kind, model
MATCH (c:Counter {name: $name})
WITH c.next AS next
MATCH (m:Embedding)
WHERE m.kind = $kind AND m.model = $model AND m.seq >= next AND size(m.data) = 0
MATCH (v:DenseVector {kind: $kind, model: $model, node_id: toInteger(m.owner)})
DETACH DELETE v
RETURN count(v) AS deleted
