// The people and objects of a group, for questions to name, and how far its events go: the node_id that the next one will
// have, how often what was written has been written anew and persons were merged, and what embedded it.
// params: group_id
OPTIONAL MATCH (ids:Counter {name: 'node_id'})
OPTIONAL MATCH (own:Group {group_id: $group_id})
WITH coalesce(ids.next, 0) AS next, coalesce(own.rewritten, 0) AS rewritten
RETURN next, rewritten, [] AS touched,
  coalesce(head(COLLECT { MATCH (k:Counter {name: 'person_merges'}) RETURN k.next }), 0) AS merges,
  COLLECT { MATCH (g:Group) WHERE g.group_id = $group_id RETURN [g.embedding_model, g.embedding_dim] } AS embedded,
  COLLECT { MATCH (p:Person) WHERE p.group_id = $group_id AND p.person_id IS NOT NULL RETURN DISTINCT p.person_id } AS people,
  COLLECT { MATCH (o:Object) WHERE o.group_id = $group_id AND o.name IS NOT NULL RETURN DISTINCT o.name } AS objects
