// The wall clock of a video's second 0 as it was first stored; no row where the video is not there.
// params: group_id, video_id
MATCH (v:Video {group_id: $group_id, video_id: $video_id})
RETURN v.recorded_at AS recorded_at
