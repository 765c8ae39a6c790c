// Give superseded events their places in the chains again, before forgetting/restore makes them current. Returns them as
// ingest/linked_events does.
// params: group_id, events [{node_id, persons [{scope, person_id, key}], objects [{name, key}]}]
UNWIND $events AS row
MATCH (e:SupersededEvent {node_id: row.node_id})
WHERE e.group_id = $group_id
CALL (e, row) {
  UNWIND row.persons AS who
  MATCH (e)-[part:INVOLVES]->(p:Person)
  WHERE p.scope = who.scope AND p.person_id = who.person_id
  WITH e, who, collect(part) AS parts
  WITH e, who, parts, NOT coalesce(e.heard, false) AND any(part IN parts WHERE part.role = 'actor') AS is_seen
  UNWIND parts AS part
  SET part.key = who.key,
      part.seen = CASE WHEN is_seen AND part.role = 'actor' THEN who.key + '@' + e.video_id END,
      part.heard = CASE WHEN NOT is_seen AND part.role <> 'mentioned' THEN who.key + '@' + e.video_id END
}
CALL (e, row) {
  UNWIND row.objects AS what
  MATCH (e)-[use:USES]->(o:Object)
  WHERE o.name = what.name
  SET use.key = what.key
}
RETURN
  // <include ingest/linked_events linked>
