// Which people and objects these videos know, of those that the chains are of.
// params: people, things [{name, key, video_id, start}] (store/chains.py), group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
RETURN COLLECT {
    UNWIND $people AS chain
    CALL (chain) {
      MATCH (last:Event)
      WHERE last.group_id = $group_id AND last.video_id = chain.video_id AND last.position >= chain.start
      RETURN last.position AS end ORDER BY last.group_id DESC, last.video_id DESC, last.position DESC LIMIT 1
    }
    WITH chain, end WHERE EXISTS {
      MATCH (e:Event)-[r:INVOLVES]->(:Person)
      WHERE r.key = chain.key AND r.position >= chain.start AND r.position <= end AND e.video_id = chain.video_id
        AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
        AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
        AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
             AND e.clock_start + e.time_end - e.time_start >= $clock.since
             AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
        AND ($known_at IS NULL OR e.created_at <= $known_at)
        AND (size($persons) = 0 OR EXISTS {
             MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
    }
    RETURN DISTINCT chain.name } AS people,
  COLLECT {
    UNWIND $things AS chain
    CALL (chain) {
      MATCH (last:Event)
      WHERE last.group_id = $group_id AND last.video_id = chain.video_id AND last.position >= chain.start
      RETURN last.position AS end ORDER BY last.group_id DESC, last.video_id DESC, last.position DESC LIMIT 1
    }
    WITH chain, end WHERE EXISTS {
      MATCH (e:Event)-[r:USES]->(:Object)
      WHERE r.key = chain.key AND r.position >= chain.start AND r.position <= end AND e.video_id = chain.video_id
        AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
        AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
        AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
             AND e.clock_start + e.time_end - e.time_start >= $clock.since
             AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
        AND ($known_at IS NULL OR e.created_at <= $known_at)
        AND (size($persons) = 0 OR EXISTS {
             MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
    }
    RETURN DISTINCT chain.name } AS objects
