// When the recordings of a scope began, those that know it. In numbers: the driver is slow to make a datetime.
// params: group_id, video_ids
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.recorded_at IS NOT NULL AND (size($video_ids) = 0 OR v.video_id IN $video_ids)
RETURN collect([v.video_id, v.recorded_at.epochSeconds, v.recorded_at.offsetSeconds]) AS recordings
