// Facts that a user's memory believes, by their ids, each with the latest turn or event it rests on.
// params: group_id, user_id, fact_ids
RETURN COLLECT {
  UNWIND $fact_ids AS fact_id
  MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: fact_id})
  WHERE f.status = 'active' AND (f.ends_at IS NULL OR f.ends_at > datetime())
  // <include facts/recall_facts fact>
} AS facts
