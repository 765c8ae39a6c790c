// Accept that facts have lost what they rested on.
// params: group_id, facts [{user_id, fact_id}]
UNWIND $facts AS row
MATCH (f:Fact {group_id: $group_id, user_id: row.user_id, fact_id: row.fact_id})
SET f.evidence_count = 0
