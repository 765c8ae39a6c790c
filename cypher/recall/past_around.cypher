// The superseded events of videos that overlap the given spans, as far as they are in the scope.
// params: spans ([{video_id, since, until}], seconds of the video), group_id, video_ids, persons, seconds, clock, known_at
//   (store/read/event_reader.py)
UNWIND $spans AS span
MATCH (e:SupersededEvent) USING INDEX e:SupersededEvent(group_id, video_id, position)
WHERE e.group_id = $group_id AND e.video_id = span.video_id AND e.position IS NOT NULL AND e.time_end >= span.since
  AND e.time_start <= span.until
// By its id again: otherwise a plan that was made while the graph was small scans all IN_CLIP for each event.
WITH DISTINCT e.node_id AS node_id
MATCH (e:SupersededEvent {node_id: node_id})-[:IN_CLIP]->(c:Clip)
// <include recall/events rows>
