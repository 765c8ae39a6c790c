// Link facts to the fact they were merged into, which takes over the turns they rest on.
// params: group_id, user_id, run_id, rows [{source, target, props}], now
UNWIND $rows AS row
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.source})
CALL (row, f) {
  MATCH (w:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.target})
  MERGE (f)-[m:MERGED_INTO]->(w)
    ON CREATE SET m.group_id = $group_id, m.run_id = $run_id, m.created_at = $now
  SET m += row.props
  WITH f, w
  MATCH (f)-[was:DERIVED_FROM]->(e:Episode)
  MERGE (w)-[d:DERIVED_FROM]->(e)
    ON CREATE SET d.group_id = $group_id, d.at = was.at, d.via = f.fact_id, d.run_id = $run_id, d.created_at = $now
}
