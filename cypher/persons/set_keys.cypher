// Set what depends on a person's identity: the chain keys of INVOLVES, seen and heard, and the actors of USES.
// params: group_id, who [scope, person_id], keys {video_id: key}
// INVOLVES of superseded events have no key.
MATCH (p:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})<-[part:INVOLVES]-(e)
WITH p, e, collect(part) AS parts
WITH p, e, parts, NOT coalesce(e.heard, false) AND any(part IN parts WHERE part.role = 'actor') AS is_seen
CALL (p, e, parts, is_seen) {
  UNWIND [part IN parts WHERE part.key IS NOT NULL] AS part
  SET part.key = $keys[e.video_id],
      part.seen = CASE WHEN is_seen AND part.role = 'actor' THEN $keys[e.video_id] + '@' + e.video_id END,
      part.heard = CASE WHEN NOT is_seen AND part.role <> 'mentioned' THEN $keys[e.video_id] + '@' + e.video_id END
}
CALL (p, e, parts) {
  UNWIND [part IN parts WHERE part.role = 'actor' | part.stated[1]] AS stated
  MATCH (e)-[use:USES]->(:Object) WHERE coalesce(use.stated_actor, use.actor) = stated
  SET use.actor = p.person_id, use.stated_actor = CASE WHEN p.person_id <> stated THEN stated END
}
CALL (e) {
  MATCH (:Event)-[life:OBJECT_LIFECYCLE]->(e)
  MATCH (e)-[use:USES]->(:Object) WHERE use.name = life.object AND use.seq = life.seq
  SET life.actor = use.actor
}
