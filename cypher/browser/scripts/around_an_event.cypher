// Around an event: what is one or two edges away, as recall walks them
// params: group_id, node_id (answers cite it)
WITH 'demo' AS group_id, 0 AS node_id
MATCH (e:Event {node_id: node_id})
WHERE e.group_id = group_id
MATCH walk = (e)-[:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-{1,2}(:Event)
RETURN walk
LIMIT 100
