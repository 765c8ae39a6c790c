// Write the videos of new clips: new ones whole, of stored ones what the clips change.
// params: group_id, videos [{video_id, props, longest, heard, voices, last_node_id}], now
// longest: microseconds of the longest event. last_node_id: null where the clips have no event.
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $videos AS row
MERGE (v:Video {group_id: $group_id, video_id: row.video_id})
  ON CREATE SET v += row.props, v.created_at = $now
SET v.longest = CASE WHEN v.longest >= row.longest THEN v.longest ELSE row.longest END,
    v.heard = coalesce(v.heard, false) OR row.heard, v.voices = coalesce(v.voices, false) OR row.voices,
    v.last_node_id = coalesce(row.last_node_id, v.last_node_id)
