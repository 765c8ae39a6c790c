// Events that involve a person, latest first.
// params: person_id, limit, group_id, video_ids (empty: all)
MATCH (x:Person)
WHERE x.group_id = $group_id AND x.person_id = $person_id
MATCH (e:Event)-[r:INVOLVES]->(x)
WHERE e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
WITH DISTINCT e, r.at AS at
RETURN e.node_id AS node_id
ORDER BY at DESC, node_id DESC LIMIT $limit
