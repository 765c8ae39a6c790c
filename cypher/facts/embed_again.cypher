// Put facts and turns that were given up back into the queue.
// params: group_id
CALL () {
  MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_error IS NOT NULL RETURN f AS waiting
  UNION ALL
  MATCH (e:Episode) WHERE e.group_id = $group_id AND e.embed_error IS NOT NULL RETURN e AS waiting
}
SET waiting.embed_after = 0.0, waiting.embed_attempts = null, waiting.embed_error = null
RETURN count(waiting) AS queued
