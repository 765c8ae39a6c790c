// The wall clock of a video's second 0, its place and zone as they were first stored; no row if there is no such
// video, or a repair has made it again (integrity/restore_parents): its film tells what the repair could not.
// params: group_id, video_id
MATCH (v:Video {group_id: $group_id, video_id: $video_id})
WHERE v.damaged IS NULL
RETURN v.recorded_at AS recorded_at, coalesce(v.place, v.video_id) AS place, coalesce(v.timezone, '') AS timezone
