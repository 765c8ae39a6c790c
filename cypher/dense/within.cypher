// The condition that a vector v is within a scope; other statements include its parts.
// params: group_id, video_ids, after_s, before_s, ended_s, after_at, before_at, ended_at, ranges, known_at, superseded_after
// Times end in _s (seconds of the video) or _at (seconds since 1970); infinite if the scope has no such bound. Times of a
// vector that are not known are infinite too, so that they satisfy no bound.
OPTIONAL MATCH (v:DenseVector {kind: '', model: '', node_id: -1})
WHERE true
// <videos>
  AND (size($video_ids) = 0 OR v.video_id IN $video_ids)
// </videos>
// <ranges>
  AND (size($ranges) = 0 OR any(range IN $ranges WHERE v.clock_start <= range[1] AND v.clock_end >= range[0]))
// </ranges>
// <others>
  AND v.group_id = $group_id
  AND v.time_end >= $after_s AND v.time_end <= $ended_s AND v.time_start <= $before_s
  AND v.clock_end >= $after_at AND v.clock_end <= $ended_at AND v.clock_start <= $before_at
  AND v.learnt <= $known_at AND v.superseded > $superseded_after
// </others>
RETURN v.node_id AS node_id
