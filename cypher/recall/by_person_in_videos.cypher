// Events that involve a person in these videos, latest first. A chain is what the index has in order: of one identity, on one timeline.
// params: chains [{key, video_id, start}] (store/chains.py), limit, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
UNWIND $chains AS chain
CALL (chain) {
  MATCH (last:Event)
  WHERE last.group_id = $group_id AND last.video_id = chain.video_id AND last.position >= chain.start
  RETURN last.position AS end ORDER BY last.group_id DESC, last.video_id DESC, last.position DESC LIMIT 1
}
CALL (chain, end) {
  MATCH (e:Event)-[r:INVOLVES]->(:Person)
  WHERE r.key = chain.key AND r.position >= chain.start AND r.position <= end
  WITH e, r ORDER BY r.key DESC, r.position DESC
  WHERE e.video_id = chain.video_id AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
    AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
    AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
         AND e.clock_start + e.time_end - e.time_start >= $clock.since
         AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
    AND ($known_at IS NULL OR e.created_at <= $known_at)
    AND (size($persons) = 0 OR EXISTS {
         MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
  RETURN DISTINCT e LIMIT $limit
}
WITH DISTINCT e.node_id AS node_id, e.clock_start AS at ORDER BY at DESC, node_id DESC LIMIT $limit
RETURN collect(node_id) AS node_ids
