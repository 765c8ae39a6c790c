// Events without an edge to another event, and people and objects without an event.
// params: group_id
// An intact graph has none, except the only event of a video.
WITH 'demo' AS group_id
CALL (group_id) {
  MATCH (e:Event)
  WHERE e.group_id = group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND NOT EXISTS { (e)-[:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-(:Event) }
  RETURN 'event' AS kind, toString(e.node_id) AS id, e.summary_text AS what
  UNION ALL
  MATCH (p:Person)
  WHERE p.group_id = group_id AND p.person_id IS NOT NULL AND NOT EXISTS { (p)<-[:INVOLVES]-(:Event) }
    AND NOT EXISTS { (p)-[:MERGED_INTO]->(:Person) }
  RETURN 'person' AS kind, p.person_id AS id, p.scope AS what
  UNION ALL
  MATCH (o:Object)
  WHERE o.group_id = group_id AND o.name IS NOT NULL AND NOT EXISTS { (o)<-[:USES]-(:Event) }
  RETURN 'object' AS kind, o.name AS id, o.place AS what
}
RETURN kind, id, what ORDER BY kind, id
