// The events with these ids that lie in the scope, all in one record: a driver takes 50 us for each record it reads.
// Seconds are rounded down: epochSeconds rounds towards 1970.
// params: node_ids, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
UNWIND $node_ids AS node_id
MATCH (e:Event {node_id: node_id})-[:IN_CLIP]->(c:Clip)
// <told>
WHERE c.clip_id = e.clip_ids[0] AND e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
  AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
  AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
       AND e.clock_start + e.time_end - e.time_start >= $clock.since
       AND e.clock_start + e.time_end - e.time_start <= $clock.as_of)
  AND ($known_at IS NULL OR e.created_at <= $known_at) AND (e:Event OR e.superseded_at > $known_at)
  AND (size($persons) = 0 OR EXISTS {
       MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
RETURN collect([
  e.node_id, e.group_id, e.video_id, e.clip_ids, e.ordinal, e.time_start, e.time_end, e.summary_text, e.dialogue_snippets,
  e.persons, e.objects, e.scene_type, e.actions, toInteger(floor(e.at.epochMillis / 1000.0)), e.at.microsecond, c.uri, coalesce(e.heard, false)
]) AS events
// </told>
