// Facts that a user's memory believes, or believed by a moment, by their ids, each with the latest turn or event it rested on.
// params: group_id, user_id, fact_ids, as_of, known_at (recall/scope.cypher)
RETURN COLLECT {
  UNWIND $fact_ids AS fact_id
  MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: fact_id})
  WHERE
  // <include recall/scope believed>
  // <include facts/recall_facts fact>
} AS facts
