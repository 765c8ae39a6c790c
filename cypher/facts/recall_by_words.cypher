// Facts that match a Lucene query, best first: `found` is the number of hits, `facts` those that a user's memory believes,
// or believed by a moment.
// params: query, limit, group_id, user_id, confidence (to be over), as_of, known_at (recall/scope.cypher), since (null: all; otherwise only
//   facts that wait for a vector, or whose number is at least this)
// The query itself requires the user (store/full_text.py).
CALL db.index.fulltext.queryNodes('amr_fact_text', $query, {limit: $limit}) YIELD node AS f, score
WITH f, score WHERE score > 0
WITH collect(f) AS hits
RETURN size(hits) AS found, COLLECT {
  UNWIND hits AS f
  WITH f
  WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.confidence > $confidence
    AND ($since IS NULL OR f.vector_id IS NULL OR f.vector_id >= $since OR f.embed_after IS NOT NULL) AND
  // <include recall/scope believed>
  // <include facts/recall_facts fact>
} AS facts
