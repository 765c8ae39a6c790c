// Delete the edges between stored events that new events stand between.
// params: edges [[from, to, type, key]] (node_ids; key: of the person, name of the object, else empty)
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $edges AS row
MATCH (src:Event {node_id: row[0]})
CALL (src, row) {
  MATCH (src)-[passed:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]->(dst:Event)
  WHERE dst.node_id = row[1] AND type(passed) = row[2] AND coalesce(passed.key, passed.object, '') = row[3]
  DELETE passed
}
