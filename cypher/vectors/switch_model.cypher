// Set the group's embedding model, if every event, episode and fact has an embedding of it. Writers wait in the meantime.
// An embedding without its data counts as none. Events that were superseded in the transaction that wrote them need none; facts
// that wait for their first embedding get one of this model.
// params: group_id, model, dim, now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH ids
MATCH (g:Group {group_id: $group_id})
WITH g,
// <missing>
COUNT {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
} + COUNT {
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND e.superseded_at > e.created_at
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
} + COUNT {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.clock IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'episode', owner: toString(e.vector_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
} + COUNT {
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL AND f.vector_id IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'fact', owner: toString(f.vector_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
} AS missing
// </missing>
FOREACH (_ IN CASE WHEN missing = 0 THEN [1] ELSE [] END | SET g.embedding_model = $model, g.embedding_dim = $dim)
RETURN missing
