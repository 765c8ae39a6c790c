// The characters of a video's committed clips, in order of time, as JSON text.
// params: group_id, video_id
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id = $video_id AND c.clip_id IS NOT NULL AND c.status = 'committed'
RETURN c.characters AS characters ORDER BY c.t_start, c.clip_id
