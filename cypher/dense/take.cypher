// Take a page of embeddings into Neo4j's own vector index, unless another process has taken it.
// params: name, kind, model, label, first, next, gone [node_id], rows [{node_id, about {}, vector}]
// vector: null if no index can hold it, as with all zeros. It is kept, and is like no other vector.
MERGE (c:Counter {name: $name}) ON CREATE SET c.next = 0
SET c.locked_for = $next
WITH c WHERE c.next = $first
SET c.next = $next
WITH c
CALL () {
  UNWIND $gone AS node_id
  MATCH (v:DenseVector {kind: $kind, model: $model, node_id: node_id})
  DETACH DELETE v
}
CALL () {
  UNWIND $rows AS row
  MERGE (v:DenseVector {kind: $kind, model: $model, node_id: row.node_id})
  SET v = row.about, v.kind = $kind, v.model = $model, v.node_id = row.node_id, v:$($label)
  WITH v, row WHERE row.vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(v, 'vector', row.vector)
}
RETURN c.next AS next
