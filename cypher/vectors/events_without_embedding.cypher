// Events of a group that a model has not embedded yet, with the text to embed.
// params: group_id, model, limit
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
  AND NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: $model}) }
RETURN e.node_id AS node_id, e.summary_text AS summary_text, e.dialogue_snippets AS dialogue_snippets
ORDER BY node_id LIMIT $limit
