// The end of the last clip of each video, in seconds.
// params: group_id, video_ids
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id IN $video_ids AND c.clip_id IS NOT NULL AND c.t_end IS NOT NULL
WITH c.video_id AS video_id, max(c.t_end) AS seconds
RETURN collect([video_id, seconds]) AS lengths
