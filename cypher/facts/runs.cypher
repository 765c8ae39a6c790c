// The runs over a user's facts, the latest first.
// params: group_id, user_id
MATCH (r:FactRun)
WHERE r.group_id = $group_id AND r.user_id = $user_id AND r.run_id IS NOT NULL
RETURN r.run_id AS run_id, r.at AS at, r.status AS status, r.read_from AS read_from, coalesce(r.seen_from, -1) AS seen_from, r.counts AS counts,
       r.created_at AS started, r.ended_at AS ended, r.waiting AS waiting
ORDER BY r.created_at DESC, r.run_id
