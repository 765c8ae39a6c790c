// Note turns that support facts by meaning.
// params: group_id, user_id, run_id, rows [{source, target, props}], now
UNWIND $rows AS row
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.source})
CALL (row, f) {
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: row.target})
  MERGE (f)-[d:DERIVED_FROM]->(e)
    ON CREATE SET d += row.props, d.group_id = $group_id, d.run_id = $run_id, d.created_at = $now
}
