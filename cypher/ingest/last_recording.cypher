// When the films of a place whose wall clock is known have ended, the latest of them; null if there is none.
// params: group_id, place
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND v.place = $place AND v.recorded_at IS :: ZONED DATETIME NOT NULL
RETURN max(v.recorded_at + duration({seconds: coalesce(toFloatOrNull(v.duration_s),
  reduce(end = 0.0, t IN COLLECT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE toFloatOrNull(c.t_end) IS NOT NULL RETURN toFloat(c.t_end) } |
         CASE WHEN t > end THEN t ELSE end END))})) AS ended
