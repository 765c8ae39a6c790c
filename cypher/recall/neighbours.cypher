// One hop: every edge of these channels that touches one of the events, in either direction.
// params: node_ids, channels, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
UNWIND $node_ids AS node_id
MATCH (origin:Event {node_id: node_id})-[r:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-(e:Event)
WHERE type(r) IN $channels AND origin.group_id = $group_id AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
  AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
  AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
       AND e.clock_start + e.time_end - e.time_start >= $clock.since
       AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
  AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($persons) = 0 OR EXISTS {
       MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
WITH DISTINCT r
RETURN collect([startNode(r).node_id, endNode(r).node_id, type(r), [
  r.time_gap, r.person, r.object, r.verb, r.actor, r.from_state, r.to_state, r.spatial_relation, r.kind, r.subject, r.evidence,
  r.overlap, r.confidence]]) AS edges
