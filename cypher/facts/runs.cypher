// A page of the runs over a user's facts, the latest first; and how many runs there are.
// One row without a run if none is on the page; no row if there is none at all.
// params: group_id, user_id, start, limit
MATCH (r:FactRun)
WHERE r.group_id = $group_id AND r.user_id = $user_id AND r.run_id IS NOT NULL
WITH r ORDER BY r.created_at DESC, r.run_id
WITH collect(r) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS r RETURN r SKIP $start LIMIT $limit }
RETURN r.run_id AS run_id, r.at AS at, r.status AS status, r.read_from AS read_from, coalesce(r.seen_from, -1) AS seen_from, r.counts AS counts,
       r.created_at AS started, r.ended_at AS ended, r.waiting AS waiting, total
ORDER BY r.created_at DESC, r.run_id
