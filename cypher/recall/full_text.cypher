// Events that match a Lucene query, best first; the query itself requires the scope (store/full_text.py).
// Where every word of it is a stop word only the scope is left, which matches everything with a score of 0.
// params: index, query, limit, group_id, video_ids (empty: all)
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS e, score
WHERE score > 0 AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
RETURN e.node_id AS node_id, score
ORDER BY score DESC, node_id
