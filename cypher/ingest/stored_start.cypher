// The wall clock of a video's second 0 as it was first stored; no row if there is no such video, or a repair
// has made it again and could not tell.
// params: group_id, video_id
MATCH (v:Video {group_id: $group_id, video_id: $video_id})
WHERE v.damaged IS NULL OR v.recorded_at IS NOT NULL
RETURN v.recorded_at AS recorded_at
