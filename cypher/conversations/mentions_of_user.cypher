// A page of the mentions of a user in order, or of one session if session_id is not null; and how many there are.
// One row without a mention if none is on the page; no row if there is none at all.
// params: group_id, user_id, session_id, spans, as_of (seconds since 1970; infinite if unbounded), known_at, start, limit
// spans: [{session_id, since, until}], turns; null for all.
MATCH (m:Mention)
WHERE m.group_id = $group_id AND m.user_id = $user_id AND m.session_id >= coalesce($session_id, '')
  AND m.turn IS NOT NULL AND ($session_id IS NULL OR m.session_id = $session_id)
  AND ($spans IS NULL OR any(span IN $spans WHERE span.session_id = m.session_id AND span.since <= m.turn <= span.until))
  AND m.clock <= $as_of AND ($known_at IS NULL OR m.created_at <= $known_at)
WITH m ORDER BY m.session_id, m.turn, m.id
WITH collect(m) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS m RETURN m SKIP $start LIMIT $limit }
RETURN m{.*} AS mention, total ORDER BY m.session_id, m.turn, m.id
