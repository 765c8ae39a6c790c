// Put a fact right by hand: the corrected one is pinned, and the other is archived with the object that took its place.
// params: group_id, user_id, fact_id, corrected, object, text, said, now
// corrected: the id of the fact with the other object. It rests on the turns and events of the other.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH 1 AS _
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: $fact_id})
MERGE (n:Fact {group_id: $group_id, user_id: $user_id, fact_id: $corrected})
  ON CREATE SET n.subject = f.subject, n.relation = f.relation, n.object = $object, n.text = $text, n.language = f.language,
                n.valid_at = $now, n.created_at = $now, n.evidence_count = 0, n.counted = 0, n.category = f.category,
                n.session_id = f.session_id, n.scope_text = f.scope_text, n.embed_after = 0.0
SET n.status = 'active', n.confidence = 1.0, n.weight = 1.0, n.pinned = true, n.flagged = false, n.said = $said,
    n.last_updated = $now, n.archived_at = null, n.replaced_by = null, n.updated = $now,
    f.status = 'archived', f.archived_at = $now, f.replaced_by = $object, f.flagged = false, f.pinned = false, f.updated = $now
MERGE (n)-[c:CONTRADICTS]->(f) ON CREATE SET c.group_id = $group_id, c.created_at = $now
SET c.at = $now, c.resolution = 'hand'
WITH f, n
CALL (f, n) {
  MATCH (f)-[was:DERIVED_FROM]->(e:Episode|Event)
  MERGE (n)-[d:DERIVED_FROM]->(e) ON CREATE SET d.group_id = $group_id, d.at = was.at, d.via = f.fact_id, d.created_at = $now
}
RETURN n.fact_id AS fact_id
