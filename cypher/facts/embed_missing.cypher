// Queue the facts that have no embedding and are not in the queue, as facts written by hand are.
// params: group_id
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
  AND f.vector_id IS NULL AND f.embed_after IS NULL AND f.embed_error IS NULL
SET f.embed_after = 0.0
RETURN count(f) AS facts
