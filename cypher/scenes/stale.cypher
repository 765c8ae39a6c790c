// A video whose scenes must be made again, with the stretch in which its events changed.
// params: group_id
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.scenes_since IS NOT NULL
RETURN v.video_id AS video_id, v.place AS place, v.scenes_since AS since, v.scenes_until AS until LIMIT 1
