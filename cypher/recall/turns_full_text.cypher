// Turns that match a Lucene query, with their scores: `found` is the number of hits, `inside` those in the scope.
// params: index, query, limit, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), ranges, known_at
// The query itself requires user, sessions and speakers (store/full_text.py); times are filtered after the ranking.
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS e, score
WHERE score > 0
RETURN count(*) AS found, collect(CASE WHEN
  // <include recall/scope turns>
  THEN [e.vector_id, score] END) AS inside
