// Believe the facts that events show. For relations with one value at a time see settle_slots.
// params: group_id, user_id, run_id, rows, now
// rows: [{number, fact_id, subject, relation, object, text, language, said, at, ends_at, confidence, node_ids, scope_text}]
// A fact that was forgotten after it was last seen is not written, nor one whose events were all forgotten or replaced after
// they were read: no later forgetting would find it. What replaced them is read in its turn.
UNWIND $rows AS row
WITH row ORDER BY row.number
CALL (row) {
  OPTIONAL MATCH (gone:ForgottenFact {group_id: $group_id, user_id: $user_id, fact_id: row.fact_id})
  WITH row, gone
  WHERE (gone IS NULL OR gone.said < row.said)
    AND EXISTS { UNWIND row.node_ids AS node_id MATCH (e:Event {node_id: node_id}) WHERE e.group_id = $group_id }
  MERGE (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.fact_id})
    ON CREATE SET f.subject = row.subject, f.relation = row.relation, f.object = row.object, f.weight = row.confidence,
                  f.evidence_count = 0, f.said = row.said, f.valid_at = row.at, f.created_at = $now, f.confidence = row.confidence,
                  f.text = row.text, f.language = row.language, f.session_id = '', f.last_updated = row.at, f.status = 'active',
                  f.scope_text = row.scope_text, f.embed_after = 0.0
  WITH row, f, row.said > f.said OR f.status = 'active' AS holds
  SET f.status = CASE WHEN holds THEN 'active' ELSE f.status END,
      f.ends_at = CASE WHEN row.said >= f.said THEN row.ends_at ELSE f.ends_at END,
      f.archived_at = CASE WHEN holds THEN null ELSE f.archived_at END,
      f.replaced_by = CASE WHEN holds THEN null ELSE f.replaced_by END,
      f.last_updated = CASE WHEN row.said > f.said THEN row.at ELSE f.last_updated END,
      f.said = CASE WHEN row.said > f.said THEN row.said ELSE f.said END, f.updated = $now
  WITH row, f
  CALL (row, f) {
    UNWIND row.node_ids AS node_id
    MATCH (e:Event {node_id: node_id})
    WHERE e.group_id = $group_id
    MERGE (f)-[d:DERIVED_FROM]->(e)
      ON CREATE SET d.group_id = $group_id, d.at = coalesce(e.at, e.created_at), d.run_id = $run_id, d.created_at = $now, d.is_new = true
    WITH d WHERE d.is_new
    REMOVE d.is_new
    RETURN count(d) AS added
  }
  SET f.evidence_count = f.evidence_count + added
  RETURN count(*) AS stated
}
RETURN sum(stated) AS stated
