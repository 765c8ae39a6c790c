// Events that match a Lucene query, best first; the query itself requires group, videos and persons
// (store/full_text.py). Times come after the ranking: `inside` are those of the events found
// that are in the scope whole.
// Where every word of it is a stop word only the scope is left, which matches everything with a score of 0.
// params: index, query, limit, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS e, score
WHERE score > 0
RETURN count(*) AS found, collect(CASE WHEN
  e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
  AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
  AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
       AND e.clock_start + e.time_end - e.time_start >= $clock.since
       AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
  AND ($known_at IS NULL OR e.created_at <= $known_at) AND (e:Event OR e.superseded_at > $known_at)
  AND (size($persons) = 0 OR EXISTS {
       MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
  THEN [e.node_id, score] END) AS inside
