// What is noted as forgotten of an item of a camera system, whose later messages may not name its camera.
// params: group_id, clip
MATCH (f:ForgottenFootage)
WHERE f.group_id = $group_id AND f.film IS NOT NULL AND f.clip = $clip
RETURN f.clip AS clip, f.t_start AS t_start, f.t_end AS t_end, f.forgotten_at AS forgotten_at
