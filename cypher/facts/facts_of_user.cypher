// A user's facts with the turns that state them, the latest first; of one status, subject or relation, or of all.
// What has ended by now is believed no longer.
// params: group_id, user_id, status, subject, relation, history, limit
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status IN $status AND f.said IS NOT NULL
  AND ($history OR f.ends_at IS NULL OR f.ends_at > datetime())
  AND ($subject IS NULL OR f.subject = $subject) AND ($relation IS NULL OR f.relation = $relation)
WITH f ORDER BY f.said DESC, f.fact_id LIMIT $limit
RETURN f.fact_id AS fact_id, f.subject AS subject, f.relation AS relation, f.object AS object, f.text AS text, f.confidence AS confidence,
       f.weight AS weight, f.status AS status, f.evidence_count AS evidence_count, f.valid_at AS first_said,
       f.last_updated AS last_said, coalesce(f.replaced_by, '') AS replaced_by,
       COLLECT { MATCH (f)-[d:DERIVED_FROM]->(e:Episode) RETURN e.episode_id ORDER BY d.at } AS episode_ids
