// Set properties of facts.
// params: group_id, user_id, rows [{fact_id, props}], now
UNWIND $rows AS row
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.fact_id})
SET f += row.props, f.updated = $now
RETURN count(f) AS facts
