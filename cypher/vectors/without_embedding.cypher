// Events, episodes and facts of a group without an embedding of the model, with what their embedded text is made of.
// An embedding without its data counts as none. Events that were superseded in the transaction that wrote them need none.
// params: group_id, model, limit
CALL () {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
  RETURN 'event' AS kind, e.node_id AS number, e.summary_text AS text, e.dialogue_snippets AS lines, '' AS actor, '' AS shown
  ORDER BY number LIMIT $limit
  UNION ALL
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND e.superseded_at > e.created_at
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
  RETURN 'event' AS kind, e.node_id AS number, e.summary_text AS text, e.dialogue_snippets AS lines, '' AS actor, '' AS shown
  ORDER BY number LIMIT $limit
  UNION ALL
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.clock IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'episode', owner: toString(e.vector_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
  RETURN 'episode' AS kind, e.vector_id AS number, e.content AS text, [] AS lines, e.actor AS actor, e.shown AS shown
  ORDER BY number LIMIT $limit
  UNION ALL
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL AND f.vector_id IS NOT NULL
    AND NOT EXISTS { MATCH (m:Embedding {kind: 'fact', owner: toString(f.vector_id), model: $model}) WHERE size(m.data) = 4 * m.dim }
  RETURN 'fact' AS kind, f.vector_id AS number, f.text AS text, [] AS lines, '' AS actor, '' AS shown
  ORDER BY number LIMIT $limit
}
RETURN kind, toString(number) AS owner, text, lines, actor, shown LIMIT $limit
