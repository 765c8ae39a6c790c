// Mark the failed clips of a video as skipped.
// params: group_id, video_id
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id = $video_id AND c.clip_id IS NOT NULL AND c.status = 'failed'
SET c.status = 'skipped'
