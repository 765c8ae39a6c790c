// The episodes of a user in order, or of one session if session_id is not null.
// params: group_id, user_id, session_id, as_of (seconds since 1970; infinite if unbounded), known_at
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id >= coalesce($session_id, '')
  AND e.turn IS NOT NULL AND ($session_id IS NULL OR e.session_id = $session_id)
  AND e.clock <= $as_of AND ($known_at IS NULL OR e.created_at <= $known_at)
RETURN e{.*} AS episode ORDER BY e.session_id, e.turn
