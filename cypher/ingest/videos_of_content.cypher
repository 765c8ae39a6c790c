// The videos of a group whose file has this content, the first one taken in first.
// params: group_id, fingerprint
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND (v.fingerprint = $fingerprint OR v.grown_fingerprint = $fingerprint)
RETURN v.video_id AS video_id, coalesce(v.uri, '') AS uri, v.fingerprint AS fingerprint, v.duration_s AS duration_s,
       coalesce(v.ends, []) AS ends
ORDER BY v.created_at, v.video_id
