// The stored events of videos that overlap stretches of time, or nearly so.
// params: group_id, stretches [[video_id, from, to, since, heard]] (from, to: beginnings of positions; to is left out; none overlap.
//   since: seconds; what is over by then is left out. heard: [true] for sounds, [false] for sights)
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $stretches AS stretch
MATCH (e:Event)
WHERE e.heard IS NOT NULL AND e.group_id = $group_id AND e.video_id = stretch[0] AND e.position >= stretch[1] AND e.position < stretch[2]
  AND e.time_end + 0 >= stretch[3] AND e.heard IN stretch[4]  // + 0: found by position, never by the index on time_end
RETURN e.video_id AS video_id, e.position AS position, e.node_id AS node_id, e.time_start AS start, e.time_end AS end,
       e.heard AS heard, CASE WHEN e.heard THEN e.summary_text END AS summary
