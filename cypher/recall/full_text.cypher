// Events that match a Lucene query, with their scores: `found` is the number of hits, `inside` those in the scope.
// params: index, query, limit, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
// The query itself requires group, videos and persons (store/full_text.py); times are filtered after the ranking.
// A score of 0: every word of the query is a stop word, and only the scope tokens matched.
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS e, score
WHERE score > 0
RETURN count(*) AS found, collect(CASE WHEN
  // <include recall/scope events>
  THEN [e.node_id, score] END) AS inside
