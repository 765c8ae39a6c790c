// The people and objects of a group, for questions to name, the node_id that the next event
// will have, and how often persons were merged.
// params: group_id
OPTIONAL MATCH (ids:Counter {name: 'node_id'})
WITH coalesce(ids.next, 0) AS next
RETURN next, coalesce(head(COLLECT { MATCH (k:Counter {name: 'person_merges'}) RETURN k.next }), 0) AS merges,
  COLLECT { MATCH (p:Person) WHERE p.group_id = $group_id AND p.person_id IS NOT NULL RETURN DISTINCT p.person_id } AS people,
  COLLECT { MATCH (o:Object) WHERE o.group_id = $group_id AND o.name IS NOT NULL RETURN DISTINCT o.name } AS objects
