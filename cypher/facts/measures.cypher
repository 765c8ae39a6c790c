// A user's facts of some statuses: status, confidence and evidence of each.
// params: group_id, user_id, status
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status IN $status AND f.said IS NOT NULL
RETURN f.status AS status, f.confidence AS confidence, f.evidence_count AS evidence
