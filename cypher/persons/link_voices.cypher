// CROSS_MODAL from each event where a person is only heard to the nearest events, before and after, where they are seen.
// params: group_id, who [scope, person_id]
// created_at is that of the later of both events, as when a commit creates the edge.
MATCH (p:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})<-[part:INVOLVES]-(voice:Event)
WHERE part.heard IS NOT NULL
WITH p, voice, part ORDER BY coalesce(part.confidence, 0) DESC, part.evidence
WITH p, voice, collect(part)[0] AS best
WITH p, voice, best, best.heard AS whose
OPTIONAL CALL (voice, whose) {
  MATCH (before:Event)-[r:INVOLVES]->(:Person) WHERE r.seen = whose AND r.position < voice.position
  RETURN before ORDER BY r.seen DESC, r.position DESC LIMIT 1
}
OPTIONAL CALL (voice, whose) {
  MATCH (after:Event)-[r:INVOLVES]->(:Person) WHERE r.seen = whose AND r.position > voice.position
  RETURN after ORDER BY r.seen, r.position LIMIT 1
}
UNWIND [sight IN [before, after] WHERE sight IS NOT NULL] AS sight
MERGE (voice)-[x:CROSS_MODAL {kind: 'person', key: best.key}]->(sight)
SET x.subject = p.person_id, x.group_id = $group_id, x.evidence = best.evidence, x.confidence = best.confidence,
    x.created_at = CASE WHEN voice.created_at > sight.created_at THEN voice.created_at ELSE sight.created_at END
