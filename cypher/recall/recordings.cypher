// Videos with their places, start times, lengths, time zones and wearers (null where unknown); all of the group's if none is given.
// params: group_id, video_ids
// Times are numbers, because the driver is slow to make a datetime. floor: epochSeconds rounds towards 1970.
CALL () {
  WITH 1 AS all WHERE size($video_ids) = 0
  MATCH (v:Video)
  WHERE v.group_id = $group_id AND v.video_id IS NOT NULL
  RETURN v
  UNION ALL
  UNWIND $video_ids AS video_id
  MATCH (v:Video)
  WHERE v.group_id = $group_id AND v.video_id = video_id
  RETURN v
}
RETURN collect([v.video_id, v.place, toInteger(floor(v.recorded_at.epochMillis / 1000.0)), v.recorded_at.offsetSeconds,
                v.duration_s, v.timezone, v.wearer]) AS recordings
