// The videos of a group that were made of a file with one of these keys, the longest first.
// params: group_id, file_keys
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND v.file_key IN $file_keys AND v.duration_s IS NOT NULL
RETURN v.video_id AS video_id, v.fingerprint AS fingerprint, v.duration_s AS duration_s, coalesce(v.ends, []) AS ends
ORDER BY v.duration_s DESC, v.video_id
