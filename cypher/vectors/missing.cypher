// How many events and episodes of a group the group's own model has no embedding for.
// What was merged in the transaction it came in was never there for a question to find.
// params: group_id
MATCH (g:Group {group_id: $group_id})
RETURN g.embedding_model AS model, COUNT {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND NOT EXISTS { MATCH (:Embedding {kind: 'event', owner: toString(e.node_id), model: g.embedding_model}) }
} + COUNT {
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND e.superseded_at > e.created_at
    AND NOT EXISTS { MATCH (:Embedding {kind: 'event', owner: toString(e.node_id), model: g.embedding_model}) }
} + COUNT {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.clock IS NOT NULL
    AND NOT EXISTS { MATCH (:Embedding {kind: 'episode', owner: toString(e.vector_id), model: g.embedding_model}) }
} AS missing
