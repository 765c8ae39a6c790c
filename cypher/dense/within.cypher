// A vector v is within a scope; other statements include the middle part. Times: seconds of the video, or since 1970.
// params: group_id, video_ids, after_s, before_s, ended_s, after_at, before_at, ended_at, known_at
// What was superseded is within a scope only as of before. A time that is not known satisfies no bound.
OPTIONAL MATCH (v:DenseVector {kind: '', model: '', node_id: -1})
WHERE true
// <condition>
  AND v.group_id = $group_id
  AND (size($video_ids) = 0 OR v.video_id IN $video_ids)
  AND ($after_s IS NULL OR v.time_end >= $after_s)
  AND ($before_s IS NULL OR v.time_start <= $before_s)
  AND ($ended_s IS NULL OR v.time_end <= $ended_s)
  AND ($after_at IS NULL OR v.clock_end >= $after_at)
  AND ($before_at IS NULL OR v.clock_start <= $before_at)
  AND ($ended_at IS NULL OR v.clock_end <= $ended_at)
  AND ($known_at IS NULL AND v.superseded IS NULL
       OR v.learnt <= $known_at AND coalesce(v.superseded > $known_at, true))
// </condition>
RETURN v.node_id AS node_id
