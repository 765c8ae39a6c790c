// The events of a video in order, at most `limit`.
// params: group_id, video_id, limit
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id = $video_id AND e.position IS NOT NULL
WITH e ORDER BY e.group_id, e.video_id, e.position LIMIT $limit
RETURN e.node_id AS node_id, e.time_start AS time_start, e.time_end AS time_end, e.summary_text AS summary_text
ORDER BY e.group_id, e.video_id, e.position
