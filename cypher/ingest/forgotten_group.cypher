// When a group was last forgotten as a whole, and when anything of it by its time.
// params: key, group_id
OPTIONAL MATCH (t:ForgottenTurns {group_id: '', key: $key})
OPTIONAL MATCH (f:ForgottenFootage)
WHERE f.group_id = $group_id AND f.film = '' AND f.clip IS NOT NULL
RETURN max(t.forgotten_at) AS whole, max(f.forgotten_at) AS by_time
