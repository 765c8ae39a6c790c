// Delete the edges between stored events that new events stand between.
// params: edges [[from, to, type, key]] (node_ids; key: of the person, name of the object, else empty)
UNWIND $edges AS row
MATCH (src:Event {node_id: row[0]})-[passed:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]->(:Event {node_id: row[1]})
WHERE type(passed) = row[2] AND coalesce(passed.key, passed.object, '') = row[3]
DELETE passed
