// Note contradictions, or how they ended. A fact that one of them archived gets the object that took its place.
// params: group_id, user_id, run_id, rows [{source, target, props}], now
UNWIND $rows AS row
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.source})
CALL (row, f) {
  MATCH (o:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.target})
  MERGE (f)-[c:CONTRADICTS]->(o)
    ON CREATE SET c.group_id = $group_id, c.run_id = $run_id, c.created_at = $now
  SET c += row.props
  FOREACH (_ IN CASE WHEN o.status = 'archived' AND f.status <> 'archived' THEN [1] ELSE [] END | SET o.replaced_by = f.object)
  FOREACH (_ IN CASE WHEN f.status = 'archived' AND o.status <> 'archived' THEN [1] ELSE [] END | SET f.replaced_by = o.object)
}
