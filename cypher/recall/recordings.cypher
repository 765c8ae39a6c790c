// Videos with their places, and when they began, null where they don't know; in numbers, since the driver is slow to
// make a datetime. All of the group's where none is named.
// Seconds are rounded down: epochSeconds rounds towards 1970.
// params: group_id, video_ids
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
RETURN collect([v.video_id, v.place, toInteger(floor(v.recorded_at.epochMillis / 1000.0)), v.recorded_at.offsetSeconds]) AS recordings
