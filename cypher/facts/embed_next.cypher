// When the next fact of a group that waits for an embedding may be tried, in seconds since 1970; null: none waits.
// params: group_id
OPTIONAL MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.embed_after >= 0
RETURN min(f.embed_after) AS at
