// The relations of a user in order, or of one session if session_id is not null, with the ids of both mentions.
// params: group_id, user_id, session_id, as_of (seconds since 1970; infinite if unbounded), known_at
MATCH (m:Mention)
WHERE m.group_id = $group_id AND m.user_id = $user_id AND m.session_id >= coalesce($session_id, '')
  AND m.turn IS NOT NULL AND ($session_id IS NULL OR m.session_id = $session_id)
MATCH (m)-[r:STATES]->(n)
// Turns may come out of order, so a mention may be later than the turn that states something of it.
WHERE r.clock <= $as_of AND m.clock <= $as_of AND n.clock <= $as_of
  AND ($known_at IS NULL OR (r.created_at <= $known_at AND m.created_at <= $known_at AND n.created_at <= $known_at))
RETURN r{.*} AS relation, m.id AS source, n.id AS target ORDER BY m.session_id, r.turn, r.id
