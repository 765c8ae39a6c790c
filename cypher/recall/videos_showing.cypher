// The videos with a clip of some types of scene, all of the group's or among those that are given.
// params: group_id, video_ids, scene_types
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL AND c.scene_type IN $scene_types
  AND (size($video_ids) = 0 OR c.video_id IN $video_ids)
RETURN collect(DISTINCT c.video_id) AS videos
