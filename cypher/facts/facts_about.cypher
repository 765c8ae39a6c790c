// A user's believed facts of some subjects and relations, the latest first, each with the latest turn or event it rests on.
// params: group_id, user_id, subjects, relations, confidence (to be over), limit
UNWIND $subjects AS subject
UNWIND $relations AS relation
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = subject AND f.relation = relation
  AND f.status = 'active' AND f.confidence > $confidence AND f.said IS NOT NULL
WITH f ORDER BY f.said DESC, f.fact_id LIMIT $limit
RETURN COLLECT {
  WITH f
  // <include facts/recall_facts fact>
} AS facts
