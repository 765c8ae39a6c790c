// The people and objects that a scope knows, for questions to name. bounded: whether it is less than the group.
// params: bounded, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
CALL () {
  MATCH (p:Person)
  WHERE p.group_id = $group_id AND p.person_id IS NOT NULL AND (NOT $bounded OR EXISTS {
    MATCH (e:Event)-[:INVOLVES]->(p)
    WHERE e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
      AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
      AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
           AND e.clock_start + e.time_end - e.time_start >= $clock.since
           AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
      AND ($known_at IS NULL OR e.created_at <= $known_at)
      AND (size($persons) = 0 OR EXISTS {
           MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
  })
  RETURN 'person' AS kind, p.person_id AS identity
  UNION
  MATCH (o:Object)
  WHERE o.group_id = $group_id AND o.name IS NOT NULL AND (NOT $bounded OR EXISTS {
    MATCH (e:Event)-[:USES]->(o)
    WHERE e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
      AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
      AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
           AND e.clock_start + e.time_end - e.time_start >= $clock.since
           AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
      AND ($known_at IS NULL OR e.created_at <= $known_at)
      AND (size($persons) = 0 OR EXISTS {
           MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
  })
  RETURN 'object' AS kind, o.name AS identity
}
RETURN kind, identity ORDER BY kind, identity
