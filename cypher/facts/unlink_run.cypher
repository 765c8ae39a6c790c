// Delete the relationships that a run made between facts, and from facts to turns.
// params: group_id, user_id, run_id, fact_ids
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: fact_id})
MATCH (f)-[r:DERIVED_FROM|CONTRADICTS|MERGED_INTO|DISTINCT_FROM]->()
WHERE r.run_id = $run_id
DELETE r
