// Events that use an object, latest first.
// params: name, limit, group_id, video_ids (empty: all)
MATCH (x:Object)
WHERE x.group_id = $group_id AND x.name = $name
MATCH (e:Event)-[r:USES]->(x)
WHERE e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
WITH DISTINCT e, r.at AS at
RETURN e.node_id AS node_id
ORDER BY at DESC, node_id DESC LIMIT $limit
