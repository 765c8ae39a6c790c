// The people and objects of the events written since one, the node_id that the next event will have,
// and how often persons were merged.
// params: group_id, since (the node_id of the first that was not seen)
OPTIONAL MATCH (ids:Counter {name: 'node_id'})
WITH coalesce(ids.next, 0) AS next
RETURN next, coalesce(head(COLLECT { MATCH (k:Counter {name: 'person_merges'}) RETURN k.next }), 0) AS merges,
  COLLECT {
    MATCH (e:Event)-[:INVOLVES]->(p:Person) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id
    RETURN DISTINCT p.person_id
  } AS people,
  COLLECT {
    MATCH (e:Event)-[:USES]->(o:Object) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id
    RETURN DISTINCT o.name
  } AS objects
