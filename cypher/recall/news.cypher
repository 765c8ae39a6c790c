// What came to a group with the events from a node_id on: people, objects, and which earlier events they are tied to; what embedded it, and how often persons were merged.
// params: group_id, since (the node_id of the first that was not seen)
OPTIONAL MATCH (ids:Counter {name: 'node_id'})
OPTIONAL MATCH (own:Group {group_id: $group_id})
WITH coalesce(ids.next, 0) AS next, coalesce(own.rewritten, 0) AS rewritten
RETURN next, rewritten,
  coalesce(head(COLLECT { MATCH (k:Counter {name: 'person_merges'}) RETURN k.next }), 0) AS merges,
  COLLECT { MATCH (g:Group) WHERE g.group_id = $group_id RETURN [g.embedding_model, g.embedding_dim] } AS embedded,
  COLLECT {
    MATCH (e:Event)-[:INVOLVES]->(p:Person) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id
    RETURN DISTINCT p.person_id
  } AS people,
  COLLECT {
    MATCH (e:Event)-[:USES]->(o:Object) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id
    RETURN DISTINCT o.name
  } AS objects,
  // Of many it is cheaper to read anew what is needed of them.
  CASE WHEN next - $since <= 1000 THEN COLLECT {
    MATCH (e:Event)-[:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-(o:Event) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id AND o.node_id < $since
    RETURN DISTINCT o.node_id
  } END AS touched
