// A user's latest turns that were stored after a number and may be recalled, the latest first, with the facts that rest on them.
// params: group_id, user_id, after, limit
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.vector_id > $after AND e.unrecalled IS NULL
WITH e ORDER BY e.group_id DESC, e.user_id DESC, e.vector_id DESC LIMIT $limit
RETURN e.vector_id AS number, e.episode_id AS episode_id, e.actor AS actor, e.content AS text, e.clock AS said,
       COLLECT { MATCH (e)<-[:DERIVED_FROM]-(f:Fact) RETURN [f.subject, f.relation, f.object] } AS states
