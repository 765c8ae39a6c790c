// Note facts that were found not to be the same.
// params: group_id, user_id, run_id, rows [{source, target, props}], now
UNWIND $rows AS row
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.source})
CALL (row, f) {
  MATCH (o:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.target})
  MERGE (f)-[d:DISTINCT_FROM]->(o)
    ON CREATE SET d += row.props, d.group_id = $group_id, d.run_id = $run_id, d.created_at = $now
}
