// Where events were filmed: the file of the clip in which each starts, and what identifies its video's file.
// params: node_ids, group_id
UNWIND $node_ids AS node_id
MATCH (e:Event|SupersededEvent {node_id: node_id})-[:IN_CLIP]->(c:Clip)
WHERE e.group_id = $group_id
WITH e, c ORDER BY c.t_start <= e.time_start DESC, c.t_start DESC
WITH e, collect(c)[0] AS c
MATCH (v:Video {group_id: $group_id, video_id: e.video_id})
RETURN e.node_id AS node_id, e.video_id AS video_id, e.time_start AS time_start, e.time_end AS time_end,
       coalesce(c.uri, '') AS clip_uri, c.uri_offset AS uri_offset, c.t_start AS t_start,
       coalesce(v.uri, '') AS video_uri, coalesce(v.fingerprint, '') AS fingerprint, coalesce(v.file_key, '') AS file_key
ORDER BY node_id
