// A page of the sessions of a user with their number of turns, speakers, and first and last time, the latest first; and how
// many sessions there are. One row without a session if none is on the page; no row if there is none at all.
// params: group_id, user_id, start, limit
MATCH (s:Session)
WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.session_id IS NOT NULL
CALL (s) {
  MATCH (e:Episode)
  WHERE e.group_id = s.group_id AND e.user_id = s.user_id AND e.session_id = s.session_id AND e.turn IS NOT NULL
  WITH e ORDER BY e.group_id, e.user_id, e.session_id, e.turn
  RETURN count(e) AS turns, collect(DISTINCT e.actor) AS actors, min(e.valid_at) AS first_said, max(e.valid_at) AS last_said
}
WITH {session_id: s.session_id, turns: turns, actors: actors, first_said: first_said, last_said: last_said,
      created_at: s.created_at} AS row
ORDER BY row.last_said DESC, row.session_id
WITH collect(row) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS row RETURN row SKIP $start LIMIT $limit }
RETURN row.session_id AS session_id, row.turns AS turns, row.actors AS actors, row.first_said AS first_said,
       row.last_said AS last_said, row.created_at AS created_at, total
ORDER BY last_said DESC, session_id
