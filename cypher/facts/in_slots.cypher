// The facts of each slot: a subject and a relation.
// params: group_id, user_id, slots [{subject, relation}]
UNWIND $slots AS slot
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = slot.subject AND f.relation = slot.relation
RETURN collect(DISTINCT f.fact_id) AS fact_ids
