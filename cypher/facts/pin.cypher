// Keep a fact as it is: it does not decay, and neither a run nor what is said later retires it. pinned false: undo that.
// params: group_id, user_id, fact_id, pinned, now
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: $fact_id})
SET f.pinned = $pinned, f.updated = $now
RETURN f.fact_id AS fact_id
