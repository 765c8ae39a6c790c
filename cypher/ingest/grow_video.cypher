// Store that a recording has grown: where it ended before, its new end, and what identifies its file now. No row if it no
// longer ends at known_s.
// params: group_id, video_id, known_s (its end, seconds), duration_s, uri, fingerprint, now
MATCH (v:Video {group_id: $group_id, video_id: $video_id})
SET v.grown_at = $now  // first, so that the node is locked when its end is read
WITH v WHERE v.duration_s = $known_s
SET v.ends = coalesce(v.ends, []) + v.duration_s, v.duration_s = $duration_s, v.uri = $uri,
    v.grown_fingerprint = $fingerprint
RETURN v.ends AS ends
