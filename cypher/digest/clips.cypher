// Every committed clip of a group, with its video's place and start, in canonical order.
// params: group_id
MATCH (c:Clip)-[:OF_VIDEO]->(v:Video)
WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL AND c.status = 'committed'
RETURN c.video_id AS video_id, c.clip_id AS clip_id, c.t_start AS t_start, c.t_end AS t_end, c.status AS status,
       c.content_sha256 AS content_sha256, c.clip_summary AS clip_summary, c.scene_type AS scene_type,
       c.characters AS characters, c.speaker_turns AS speaker_turns, c.analyser AS analyser, c.model AS model,
       c.notes AS notes, v.place AS place, toString(v.recorded_at) AS recorded_at,
       COUNT { (c)<-[:IN_CLIP]-(:Event) } AS events
ORDER BY c.group_id, c.video_id, c.clip_id
