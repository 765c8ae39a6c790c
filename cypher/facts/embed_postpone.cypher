// Record that facts could not be embedded: to be tried again at `after`, or given up if that is null.
// params: group_id, rows [{user_id, fact_id, text}], attempts, after (seconds since 1970), error (of those given up)
UNWIND $rows AS row
MATCH (f:Fact {group_id: $group_id, user_id: row.user_id, fact_id: row.fact_id})
WHERE f.embed_after IS NOT NULL AND coalesce(f.text, f.subject + ' ' + f.relation + ' ' + f.object) = row.text
SET f.embed_after = $after, f.embed_attempts = $attempts, f.embed_error = $error
RETURN count(f) AS facts
