// When a clip was last forgotten because of its time.
// params: group_id, films, ended (of the clip, by the wall clock)
MATCH (f:ForgottenFootage)
WHERE f.group_id = $group_id AND f.film = '' AND f.clip IS NOT NULL AND f.before >= $ended AND (f.of = '' OR f.of IN $films)
RETURN max(f.forgotten_at) AS forgotten_at
