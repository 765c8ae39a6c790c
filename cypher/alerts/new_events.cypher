// The group's events that were written after one, in the order of commits, with the clip that each completed.
// params: group_id, after (node_id), limit
MATCH (e:Event)
WHERE e.node_id > $after AND e.group_id = $group_id
WITH e ORDER BY e.node_id LIMIT $limit
MATCH (c:Clip {group_id: $group_id, video_id: e.video_id, clip_id: e.clip_id})
OPTIONAL MATCH (v:Video {group_id: $group_id, video_id: e.video_id})
RETURN e.node_id AS node_id, e.video_id AS video_id, e.clip_id AS clip_id, c.t_start AS t_start, c.t_end AS t_end,
       coalesce(c.uri, '') AS clip_uri, coalesce(v.uri, '') AS source, v.recorded_at AS recorded_at
ORDER BY node_id
