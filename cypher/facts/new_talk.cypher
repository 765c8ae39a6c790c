// A group's events with talk that were written after one, in the order they were written. Times are in the zone of their
// recording, whose days "tomorrow" means.
// params: group_id, after (node_id), limit
MATCH (e:Event)
WHERE e.node_id > $after AND e.group_id = $group_id
WITH e ORDER BY e.node_id LIMIT $limit
OPTIONAL MATCH (v:Video {group_id: $group_id, video_id: e.video_id})
RETURN e.node_id AS node_id, e.video_id AS video_id, e.dialogue_snippets AS said,
       CASE WHEN v.recorded_at IS :: ZONED DATETIME NOT NULL AND toFloatOrNull(e.time_start) IS NOT NULL
            THEN v.recorded_at + duration({seconds: toFloat(e.time_start)}) ELSE coalesce(e.at, e.created_at) END AS at
ORDER BY node_id
