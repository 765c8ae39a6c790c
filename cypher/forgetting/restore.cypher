// Make superseded events current again, with their places in the chains; integrity/relink then makes their edges.
// params: group_id, events [{node_id, persons [[scope, person_id, key]], objects [[name, key]]}]
MATCH (seqs:Counter {name: 'embedding_seq'})
UNWIND $events AS row
MATCH (e:SupersededEvent {node_id: row.node_id})
WHERE e.group_id = $group_id
FOREACH (_ IN CASE WHEN e:PlainSupersededEvent THEN [1] ELSE [] END | SET e:PlainText REMOVE e:PlainSupersededEvent)
SET e:Event
REMOVE e:SupersededEvent, e.superseded_at
WITH seqs, e, row
CALL (e, row) {
  UNWIND row.persons AS who
  MATCH (e)-[part:INVOLVES]->(p:Person)
  WHERE p.scope = who[0] AND p.person_id = who[1]
  WITH e, who, collect(part) AS parts
  WITH e, who, parts, NOT coalesce(e.heard, false) AND any(part IN parts WHERE part.role = 'actor') AS is_seen
  UNWIND parts AS part
  SET part.key = who[2],
      part.seen = CASE WHEN is_seen AND part.role = 'actor' THEN who[2] + '@' + e.video_id END,
      part.heard = CASE WHEN NOT is_seen AND part.role <> 'mentioned' THEN who[2] + '@' + e.video_id END
}
CALL (e, row) {
  UNWIND row.objects AS what
  MATCH (e)-[use:USES]->(o:Object)
  WHERE o.name = what[0]
  SET use.key = what[1]
}
// A new sequence number, so that dense indexes notice.
CALL (e, seqs) {
  MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id)}) WHERE m.model IS NOT NULL
  WITH seqs, collect(m) AS changed
  FOREACH (i IN range(0, size(changed) - 1) | FOREACH (m IN [changed[i]] | SET m.seq = seqs.next + i))
  SET seqs.next = seqs.next + size(changed)
}
RETURN count(e) AS restored
