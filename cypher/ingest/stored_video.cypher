// The wall clock of a video's second 0, its place, zone and wearer as they were first stored; no row if there is no such
// video.
// damaged: a repair has made the video again (integrity/restore_parents), or its place is gone. Then what is not known is
// null, and the clock has lost its offset.
// params: group_id, video_id
MATCH (v:Video {group_id: $group_id, video_id: $video_id})
WITH v, v.damaged IS NOT NULL OR v.place IS NULL AS damaged
RETURN v.recorded_at AS recorded_at, CASE WHEN damaged AND v.place = v.video_id THEN null ELSE v.place END AS place,
  v.timezone AS timezone, v.wearer AS wearer, damaged
