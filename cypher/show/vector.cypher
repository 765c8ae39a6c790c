// The embedding of an event, by the model that its group has.
// params: node_id, group_id
MATCH (e:Event|SupersededEvent {node_id: $node_id})
WHERE e.group_id = $group_id
WITH toString(e.node_id) AS owner, head(COLLECT { MATCH (g:Group {group_id: $group_id}) RETURN g.embedding_model }) AS model
MATCH (m:Embedding {kind: 'event', owner: owner, model: model})
RETURN m.model AS model, m.data AS data
