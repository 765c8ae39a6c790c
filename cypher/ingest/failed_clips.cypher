// The failed and skipped clips of a video. Failed ones block its later clips, skipped ones do not.
// params: group_id, video_id
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id = $video_id AND c.clip_id IS NOT NULL AND c.status IN ['failed', 'skipped']
RETURN c.clip_id AS clip_id, c.attempts AS attempts, c.error AS error, c.t_start AS t_start,
       c.status = 'skipped' AS skipped
ORDER BY t_start, clip_id
