// Record that facts and turns could not be embedded: to be tried again at `after`, or given up if that is null.
// params: group_id, rows [{user_id, id, text, is_turn}], attempts, after (seconds since 1970), error (of those given up)
UNWIND $rows AS row
OPTIONAL MATCH (f:Fact {group_id: $group_id, user_id: row.user_id, fact_id: row.id})
WHERE NOT row.is_turn AND f.embed_after IS NOT NULL
  AND coalesce(f.text, f.subject + ' ' + f.relation + ' ' + f.object) = row.text
OPTIONAL MATCH (e:Episode {group_id: $group_id, user_id: row.user_id, episode_id: row.id})
WHERE row.is_turn AND e.embed_after IS NOT NULL
WITH coalesce(f, e) AS waiting
SET waiting.embed_after = $after, waiting.embed_attempts = $attempts, waiting.embed_error = $error
RETURN count(waiting) AS postponed
