// The videos of a scope with their places, and when they began, null where they don't know; in numbers, since the
// driver is slow to make a datetime.
// params: group_id, video_ids
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND (size($video_ids) = 0 OR v.video_id IN $video_ids)
RETURN collect([v.video_id, v.place, v.recorded_at.epochSeconds, v.recorded_at.offsetSeconds]) AS recordings
