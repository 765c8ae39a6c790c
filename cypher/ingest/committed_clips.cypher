// The committed clips of a video with their content hashes.
// params: group_id, video_id
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id = $video_id AND c.clip_id IS NOT NULL AND c.status = 'committed'
RETURN c.clip_id AS clip_id, c.content_sha256 AS content_sha256
