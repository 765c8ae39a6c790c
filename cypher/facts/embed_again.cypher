// Put facts that were given up back into the queue.
// params: group_id
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.embed_error IS NOT NULL
SET f.embed_after = 0.0, f.embed_attempts = null, f.embed_error = null
RETURN count(f) AS facts
