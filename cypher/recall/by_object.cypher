// Events that use an object, latest first. The index has them in order: no more are looked at than it takes to fill the limit.
// params: name, limit, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
MATCH (e:Event|SupersededEvent)-[r:USES]->(:Object)
WHERE r.group_id = $group_id AND r.name = $name AND r.at IS NOT NULL
WITH e, r ORDER BY r.group_id DESC, r.name DESC, r.at DESC
WHERE e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
  AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
  AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
       AND e.clock_start + e.time_end - e.time_start >= $clock.since
       AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
  AND ($known_at IS NULL OR e.created_at <= $known_at) AND (e:Event OR e.superseded_at > $known_at)
  AND (size($persons) = 0 OR EXISTS {
       MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
WITH DISTINCT e, r.at AS at LIMIT $limit
WITH e.node_id AS node_id, at ORDER BY at DESC, node_id DESC
RETURN collect(node_id) AS node_ids
