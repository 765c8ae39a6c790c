// Videos of a group with who wears their camera.
// params: group_id, video_id (null: any)
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND ($video_id IS NULL OR v.video_id = $video_id)
  AND v.wearer IS :: STRING NOT NULL
RETURN v.video_id AS video_id, v.wearer AS wearer
