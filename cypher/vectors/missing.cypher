// Number of a group's events, episodes and facts without an embedding of the group's model.
// An embedding without its data counts as none. Events that were superseded in the transaction that wrote them need none; facts
// and turns that wait for their first embedding are not counted.
// params: group_id
MATCH (g:Group {group_id: $group_id})
RETURN g.embedding_model AS model, COUNT {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: g.embedding_model}) WHERE size(m.data) = 4 * m.dim }
} + COUNT {
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND e.superseded_at > e.created_at
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: g.embedding_model}) WHERE size(m.data) = 4 * m.dim }
} + COUNT {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.clock IS NOT NULL AND e.embed_after IS NULL AND e.embed_error IS NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'episode', owner: toString(e.vector_id), model: g.embedding_model}) WHERE size(m.data) = 4 * m.dim }
} + COUNT {
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL AND f.vector_id IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'fact', owner: toString(f.vector_id), model: g.embedding_model}) WHERE size(m.data) = 4 * m.dim }
} AS missing
