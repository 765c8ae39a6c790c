// Around an event: what the channels lead to in one or two steps, as recall walks them
// params: group_id, node_id (an answer names it)
WITH 'demo' AS group_id, 0 AS node_id
MATCH (e:Event {node_id: node_id})
WHERE e.group_id = group_id
MATCH walk = (e)-[:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-{1,2}(:Event)
RETURN walk
LIMIT 100
