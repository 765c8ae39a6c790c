// Events that match a Lucene query, with their scores: `found` is the number of hits, `inside` those in the scope.
// params: index, query, limit, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
// Most queries require group, videos and persons themselves (store/full_text.py); times are filtered after the ranking.
// The query of EventReader._best_of_all has no scope tokens, so the condition on e.group_id alone keeps other groups out.
// A score of 0 means that only scope tokens matched, because every word of the query is a stop word.
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS e, score
WHERE score > 0
RETURN count(*) AS found, collect(CASE WHEN
  // <include recall/scope events>
  THEN [e.node_id, score] END) AS inside
