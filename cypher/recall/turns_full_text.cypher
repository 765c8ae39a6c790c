// Turns that match a Lucene query, best first; the query itself requires user, sessions and speakers (store/full_text.py).
// Times come after the ranking: `inside` are those of the turns found that are in the scope whole.
// params: index, query, limit, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), known_at
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS e, score
WHERE score > 0
RETURN count(*) AS found, collect(CASE WHEN e.group_id = $group_id AND e.user_id = $user_id
  AND e.clock >= $since AND e.clock <= $until AND e.clock <= $as_of AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($session_ids) = 0 OR e.session_id IN $session_ids) AND (size($persons) = 0 OR e.actor_id IN $persons)
  THEN [e.vector_id, score] END) AS inside
