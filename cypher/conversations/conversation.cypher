// A page of the turns of a session in order, as of a moment; and how many turns there are.
// One row without a turn if there are none on the page; no row if there is no session.
// params: group_id, user_id, session_id, clock {since, as_of}, known_since, known_at, after, limit
// clock: epoch seconds of when a turn was said; infinite if unbounded.
// after: the number of the last turn of the page before; -1 for the first page.
MATCH (s:Session {group_id: $group_id, user_id: $user_id, session_id: $session_id})
CALL (s) {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = $session_id AND e.turn IS NOT NULL
    AND $clock.since <= e.clock <= $clock.as_of AND ($known_since IS NULL OR e.created_at >= $known_since)
    AND ($known_at IS NULL OR e.created_at <= $known_at)
  RETURN count(e) AS total
}
OPTIONAL MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = $session_id AND e.turn IS NOT NULL
  AND $clock.since <= e.clock <= $clock.as_of AND ($known_since IS NULL OR e.created_at >= $known_since)
  AND ($known_at IS NULL OR e.created_at <= $known_at) AND e.turn > $after
RETURN e.episode_id AS episode_id, e.type AS type, e.actor AS actor, e.actor_id AS actor_id, e.content AS content,
       e.valid_at AS valid_at, e.turn AS turn, e.turn_id AS turn_id, e.shown AS shown, e.metadata AS metadata,
       e.content_sha256 AS content_sha256, e.created_at AS created_at, e.vector_id AS vector_id, total
ORDER BY turn LIMIT $limit
