// A user's facts that changed since a moment, of any status.
// params: group_id, user_id, since
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.updated >= $since
RETURN f.subject AS subject, f.relation AS relation, f.object AS object, f.text AS text, f.weight AS weight, f.said AS said,
       f.session_id AS session_id, f.language AS language, f.status AS status, f.updated AS updated,
       coalesce(f.pinned, false) AS pinned,
       coalesce(f.strength, 'plain') AS strength, f.ends_at.epochMillis / 1000.0 AS ends,
       f.confidence AS confidence,
       // <include facts/active_facts opposed>
ORDER BY f.updated
