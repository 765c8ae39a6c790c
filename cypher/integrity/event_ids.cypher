// The events of a group, in the order of their videos.
// params: group_id
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
RETURN e.node_id AS node_id
