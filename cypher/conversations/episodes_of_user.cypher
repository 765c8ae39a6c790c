// A page of the episodes of a user in order, or of one session if session_id is not null; and how many there are.
// One row without an episode if none is on the page; no row if there is none at all.
// params: group_id, user_id, session_id, as_of (seconds since 1970; infinite if unbounded), known_at, start, limit
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id >= coalesce($session_id, '')
  AND e.turn IS NOT NULL AND ($session_id IS NULL OR e.session_id = $session_id)
  AND e.clock <= $as_of AND ($known_at IS NULL OR e.created_at <= $known_at)
WITH e ORDER BY e.session_id, e.turn
WITH collect(e) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS e RETURN e SKIP $start LIMIT $limit }
RETURN e{.*} AS episode, total ORDER BY e.session_id, e.turn
