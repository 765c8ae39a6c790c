// Which version of some facts is in the graph.
// params: group_id, user_id, fact_ids
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: fact_id})
RETURN collect([f.fact_id, toString(f.updated)]) AS versions
