// Which of these people and objects a scope knows.
// params: names, things, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
RETURN COLLECT {
    UNWIND $names AS name
    WITH name WHERE EXISTS {
      MATCH (p:Person)<-[:INVOLVES]-(e:Event|SupersededEvent)
      WHERE p.group_id = $group_id AND p.person_id = name AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
      AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
      AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
           AND e.clock_start + e.time_end - e.time_start >= $clock.since
           AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
      AND ($known_at IS NULL OR e.created_at <= $known_at) AND (e:Event OR e.superseded_at > $known_at)
      AND (size($persons) = 0 OR EXISTS {
           MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
    }
    RETURN name } AS people,
  COLLECT {
    UNWIND $things AS thing
    WITH thing WHERE EXISTS {
      MATCH (o:Object)<-[:USES]-(e:Event|SupersededEvent)
      WHERE o.group_id = $group_id AND o.name = thing AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
      AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
      AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
           AND e.clock_start + e.time_end - e.time_start >= $clock.since
           AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
      AND ($known_at IS NULL OR e.created_at <= $known_at) AND (e:Event OR e.superseded_at > $known_at)
      AND (size($persons) = 0 OR EXISTS {
           MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
    }
    RETURN thing } AS objects
