// The videos of places or of these names, all of the group's or among those that are given.
// params: group_id, video_ids, places
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND (v.place IN $places OR v.video_id IN $places)
  AND (size($video_ids) = 0 OR v.video_id IN $video_ids)
RETURN collect(v.video_id) AS videos
