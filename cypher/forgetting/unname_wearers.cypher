// Delete who wore the cameras of videos. Open processes notice the change.
// params: group_id, video_ids
UNWIND $video_ids AS video_id
MATCH (v:Video {group_id: $group_id, video_id: video_id})
SET v.wearer = null
WITH DISTINCT 1 AS _
MATCH (g:Group {group_id: $group_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1
