// Note that the scenes of videos must be made again, from the first event to the last.
// params: group_id, videos [{video_id, since, until}]
UNWIND $videos AS row
MATCH (v:Video {group_id: $group_id, video_id: row.video_id})
SET v.scenes_since = row.since, v.scenes_until = row.until
