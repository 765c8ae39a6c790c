// The stored events of videos that overlap stretches of time, or nearly so.
// params: group_id, stretches [{video_id, start, end, since, heard}]
//   start, end: beginnings of positions, `end` excluded; stretches do not overlap. since: seconds; events that ended before
//   are left out. heard: [true] for sounds, [false] for sights
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $stretches AS stretch
MATCH (e:Event)
WHERE e.heard IS NOT NULL AND e.group_id = $group_id AND e.video_id = stretch.video_id
  AND e.position >= stretch.start AND e.position < stretch.end
  AND e.time_end + 0 >= stretch.since AND e.heard IN stretch.heard  // + 0: found by position, never by the index on time_end
RETURN e.video_id AS video_id, e.position AS position, e.node_id AS node_id, e.time_start AS start, e.time_end AS end,
       e.heard AS heard, CASE WHEN e.heard THEN e.summary_text END AS summary
