// When some videos begin by the wall clock, and the time zones of their cameras; null where unknown.
// params: group_id, video_ids
UNWIND $video_ids AS video_id
MATCH (v:Video {group_id: $group_id, video_id: video_id})
RETURN v.video_id AS video_id, v.recorded_at AS recorded_at, coalesce(v.timezone, '') AS timezone
