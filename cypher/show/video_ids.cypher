// The ids of a group's videos.
// params: group_id, limit
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL
RETURN v.video_id AS name ORDER BY name LIMIT $limit
