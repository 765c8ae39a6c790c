// The events of videos that overlap the given spans, as far as they are in the scope.
// params: spans ([{video_id, since, until}], seconds of the video), group_id, video_ids, persons, seconds, clock, known_at
//   (store/read/event_reader.py)
UNWIND $spans AS span
MATCH (v:Video {group_id: $group_id, video_id: span.video_id})
// An event that begins by `until` ends at most as much later as the longest event of the video lasts: so the index on
// the end bounds the search on both sides.
WITH span, span.until + coalesce(v.longest, 0) / 1000000.0 + 1 AS latest
MATCH (e:Event) USING INDEX e:Event(group_id, video_id, time_end)
WHERE e.group_id = $group_id AND e.video_id = span.video_id AND e.time_end >= span.since AND e.time_end <= latest
  AND e.time_start <= span.until
// By its id again: otherwise a plan that was made while the graph was small scans all IN_CLIP for each event.
WITH DISTINCT e.node_id AS node_id
MATCH (e:Event {node_id: node_id})-[:IN_CLIP]->(c:Clip)
// <include recall/events rows>
