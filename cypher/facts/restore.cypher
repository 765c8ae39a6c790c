// Believe a candidate, or believe a fact again that was replaced, taken back, merged or given up. What replaced it stays.
// params: group_id, user_id, fact_id, confidence, now
// confidence: the least that the fact gets. Runs will not retire it again for the same reason.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH 1 AS _
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: $fact_id})
WHERE f.status IN ['candidate', 'archived', 'deprecated', 'merged_into']
SET f.status = 'active', f.archived_at = null, f.replaced_by = null, f.updated = $now, f.strength = 'plain', f.ends_at = null,
    f.confidence = CASE WHEN f.confidence < $confidence THEN $confidence ELSE f.confidence END, f.decayed_at = $now
WITH f
CALL (f) {
  MATCH (f)-[c:CONTRADICTS]-(:Fact)
  SET c.resolution = 'kept'
}
CALL (f) {
  MATCH (f)-[t:TAKEN_BACK_IN]->(:Episode)
  DELETE t
}
CALL (f) {
  MATCH (f)-[m:MERGED_INTO]->(w:Fact)
  SET w.evidence_count = w.evidence_count - m.evidence, w.counted = w.counted - m.evidence, w.updated = $now
  MERGE (f)-[d:DISTINCT_FROM]->(w) ON CREATE SET d.group_id = $group_id, d.at = $now, d.resolution = 'kept', d.created_at = $now
  DELETE m
  WITH f, w
  MATCH (w)-[via:DERIVED_FROM]->(:Episode)
  WHERE via.via = f.fact_id
  DELETE via
}
RETURN f.fact_id AS fact_id
