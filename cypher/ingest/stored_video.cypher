// The wall clock of a video's second 0, its place, zone and wearer (null if nobody) as they were first stored; no row if there is no such
// video. damaged: a repair has made it again (integrity/restore_parents), so only a place that its objects had is known;
// the place is empty if they had none. Its film tells the rest.
// params: group_id, video_id
MATCH (v:Video {group_id: $group_id, video_id: $video_id})
WITH v, coalesce(v.place, v.video_id) AS place, v.damaged IS NOT NULL AS damaged
RETURN v.recorded_at AS recorded_at, CASE WHEN damaged AND place = v.video_id THEN '' ELSE place END AS place,
       coalesce(v.timezone, '') AS timezone, v.wearer AS wearer, damaged
